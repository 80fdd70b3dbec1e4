/* Steps through a match: shows the parts of the board that were there at a moment, and what the list says of it.
   Without this script the page shows the last moment. */
(function () {
  "use strict";
  var replay = document.querySelector(".replay");
  if (!replay) return;
  var all = function (what, where) { return Array.prototype.slice.call((where || document).querySelectorAll(what)); };
  var rows = all("li[data-n]"), moments = all("li[data-says]"), boards = all("svg.board");
  var parts = all("[data-from]").map(function (part) {
    return { node: part, from: Number(part.dataset.from), to: Number(part.dataset.to) };
  });
  var last = moments.length - 1, now = last, timer = 0;
  var slider = document.querySelector(".controls input"), says = document.getElementById("board-says");
  var how = document.getElementById("board-how");
  var unseen = document.getElementById("unseen"), auto = document.querySelector("[data-go=auto]");
  var table = document.querySelector(".table");
  var copy = document.querySelector(".share button"), copied = document.querySelector(".share [role=status]");
  var graph = document.querySelector("svg.graph"), cursor = graph && graph.querySelector(".now");

  function tiles(box, text) {
    while (box.firstChild) box.removeChild(box.firstChild);
    (text ? text.split(" ") : []).forEach(function (one) {
      var tile = document.createElement("span"), pair = one.split("×");
      tile.className = "small-tile";
      tile.textContent = pair[0];
      if (pair[1]) {
        var count = document.createElement("b");
        count.textContent = "×" + pair[1];
        tile.appendChild(count);
      }
      box.appendChild(tile);
    });
  }

  /* remember: the address names the moment from now on. */
  function show(moment, remember) {
    now = Math.max(0, Math.min(last, moment));
    var facts = moments[now].dataset;
    boards.forEach(function (board) {
      board.classList.toggle("gone", now < Number(board.dataset.first) || now > Number(board.dataset.last));
    });
    parts.forEach(function (part) { part.node.classList.toggle("gone", now < part.from || now > part.to); });
    rows.forEach(function (row) {
      var here = Number(row.dataset.n) === now;
      row.classList.toggle("now", here);
      if (row.dataset.says) {
        if (here) row.setAttribute("aria-current", "step"); else row.removeAttribute("aria-current");
      }
    });
    says.textContent = facts.says;
    how.textContent = facts.how;
    slider.value = now;
    slider.setAttribute("aria-valuetext", facts.says);
    var scores = facts.scores.replace(/-/g, "−").split(" "), racks = facts.racks ? JSON.parse(facts.racks) : [];
    all("[data-score]").forEach(function (cell) { cell.textContent = scores[cell.dataset.score]; });
    all("[data-rack]").forEach(function (cell) { tiles(cell, racks[cell.dataset.rack]); });
    if (unseen) tiles(unseen, facts.unseen);
    if (cursor) {
      var x = Number(graph.dataset.x0) + now * Number(graph.dataset.dx);
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
    }
    all("[data-go=first], [data-go=back]").forEach(function (button) { button.disabled = now === 0; });
    all("[data-go=on], [data-go=last]").forEach(function (button) { button.disabled = now === last; });
    inSight(moments[now]);
    copied.textContent = "";
    if (remember) {
      switchesKeep();
      try { history.replaceState(null, "", "#zug" + now); } catch (error) { /* some browsers refuse it for files */ }
    }
  }

  /* The same page in another language opens at the same moment. */
  function switchesKeep() {
    all("a.language").forEach(function (link) { link.hash = "zug" + now; });
  }

  function inSight(row) {
    var list = row.closest(".moves");
    if (list.scrollHeight <= list.clientHeight) return;
    if (row.offsetTop < list.scrollTop) list.scrollTop = row.offsetTop;
    else if (row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = row.offsetTop + row.offsetHeight - list.clientHeight;
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    auto.setAttribute("aria-pressed", "false");
  }

  function play() {
    if (timer) return stop();
    if (now === last) show(0, true);
    auto.setAttribute("aria-pressed", "true");
    timer = setInterval(function () {
      show(now + 1, true);
      if (now === last) stop();
    }, Number(replay.dataset.pause) || 1100);
  }

  var go = {
    first: function () { show(0, true); },
    back: function () { show(now - 1, true); },
    on: function () { show(now + 1, true); },
    last: function () { show(last, true); }
  };

  function act(name) {
    if (name === "auto") return play();
    if (timer) stop();
    go[name]();
  }

  all("[data-go]").forEach(function (button) {
    button.addEventListener("click", function () { act(button.dataset.go); });
  });
  slider.addEventListener("input", function () {
    if (timer) stop();
    show(Number(slider.value), true);
  });
  rows.forEach(function (row) {
    row.addEventListener("click", function (event) {
      if (event.target.closest("a") && (event.metaKey || event.ctrlKey || event.shiftKey)) return;
      if (String(window.getSelection())) return;
      event.preventDefault();
      if (timer) stop();
      show(Number(row.dataset.n), true);
      if (table.getBoundingClientRect().bottom < 0) toTheBoard();
    });
  });
  copy.addEventListener("click", function () {
    var address = location.href.split("#")[0] + "#zug" + now;
    function done() { copied.textContent = copy.dataset.done; }
    function otherwise() {
      if (copiedAsBefore(address)) done();
      else copied.textContent = copy.dataset.byHand.replace("{address}", address);
    }
    if (navigator.clipboard) navigator.clipboard.writeText(address).then(done, otherwise);
    else otherwise();
  });

  /* Pages that come neither encrypted nor from a disk may not write to the clipboard by themselves. */
  function copiedAsBefore(text) {
    var box = document.createElement("textarea"), done = false;
    box.value = text;
    box.setAttribute("readonly", "");
    box.className = "aside";
    document.body.appendChild(box);
    box.select();
    try { done = document.execCommand("copy"); } catch (error) { /* then by hand */ }
    document.body.removeChild(box);
    copy.focus();
    return done;
  }

  /* A finger that wipes across the board turns the page: to the left goes on. */
  var wipe = null;
  table.addEventListener("touchstart", function (event) {
    var still = event.touches.length === 1 && !(window.visualViewport && visualViewport.scale > 1.05);
    wipe = still ? event.touches[0] : null;
  }, { passive: true });
  table.addEventListener("touchend", function (event) {
    if (!wipe) return;
    var end = event.changedTouches[0], across = end.clientX - wipe.clientX, down = end.clientY - wipe.clientY;
    wipe = null;
    if (Math.abs(across) > 40 && Math.abs(across) > 2 * Math.abs(down)) act(across < 0 ? "on" : "back");
  });

  var keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "auto" };
  document.addEventListener("keydown", function (event) {
    var name = keys[event.key];
    if (!name || event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
    var at = event.target.closest("input, button, a, summary, textarea, select");
    if (at && (event.key === " " || at === slider)) return; // these have a meaning of their own there
    event.preventDefault();
    act(name);
  });
  window.addEventListener("hashchange", fromAddress);

  function fromAddress() {
    var found = /^#(?:zug|move)(\d+)$/.exec(location.hash);
    if (!found) return false;
    show(Number(found[1]), false);
    switchesKeep();
    toTheBoard();
    return true;
  }

  /* Head, board and bar are as high as the window. */
  function toTheBoard() { replay.scrollIntoView({ block: "start" }); }

  /* Without this script the address leads to the row in the list. With it the board has to be on the screen, so no row may
     be what the address names; and a browser that has found its row already goes there again until the page is loaded. */
  rows.forEach(function (row) { row.removeAttribute("id"); });
  all(".controls, .share, .keys").forEach(function (box) { box.hidden = false; });
  if (!fromAddress()) return show(last, false);
  var hands = ["wheel", "touchstart", "pointerdown", "keydown"], taken = false;
  function take() { taken = true; }
  hands.forEach(function (kind) { window.addEventListener(kind, take, { passive: true }); });
  window.addEventListener("load", function () {
    requestAnimationFrame(function () {
      hands.forEach(function (kind) { window.removeEventListener(kind, take); });
      if (!taken) toTheBoard();
    });
  });
})();
