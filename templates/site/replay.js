/* Steps through a match: shows the parts of the board that were there at a moment, and what the list says of it.
   Without this script the page shows the last moment. */
const replay = document.querySelector(".replay");
if (replay) start();

function start() {
  const all = (what) => [...document.querySelectorAll(what)], one = (what) => document.querySelector(what);
  const rows = all("li[data-n]"), moments = all("li[data-says]"), boards = all("svg.board"), parts = all("[data-from]");
  const slider = one(".controls input"), says = one("#board-says"), how = one("#board-how"), unseen = one("#unseen");
  const auto = one("[data-go=auto]"), table = one(".table"), graph = one("svg.graph"), cursor = graph?.querySelector(".now");
  const copy = one(".share button"), copied = one(".share [role=status]"), last = moments.length - 1;
  let now = last, timer = 0;

  function fillTiles(box, text) {
    box.replaceChildren(...(text ? text.split(" ") : []).map((name) => {
      const tile = document.createElement("span"), [face, count] = name.split("×");
      tile.className = "small-tile";
      tile.textContent = face;
      if (count) tile.append(Object.assign(document.createElement("b"), { textContent: `×${count}` }));
      return tile;
    }));
  }

  /* remember: the address names the moment from now on. */
  function show(moment, remember) {
    now = Math.max(0, Math.min(last, moment));
    const facts = moments[now].dataset, isGone = (from, to) => now < Number(from) || now > Number(to);
    for (const { classList, dataset: { first, last: end } } of boards) classList.toggle("gone", isGone(first, end));
    for (const { classList, dataset: { from, to } } of parts) classList.toggle("gone", isGone(from, to));
    for (const row of rows) {
      const here = Number(row.dataset.n) === now;
      row.classList.toggle("now", here);
      if (row.dataset.says && here) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    }
    says.textContent = facts.says;
    how.textContent = facts.how;
    slider.value = now;
    slider.setAttribute("aria-valuetext", facts.says);
    const scores = facts.scores.replace(/-/g, "−").split(" "), racks = facts.racks ? JSON.parse(facts.racks) : [];
    for (const cell of all("[data-score]")) cell.textContent = scores[cell.dataset.score];
    for (const cell of all("[data-rack]")) fillTiles(cell, racks[cell.dataset.rack]);
    if (unseen) fillTiles(unseen, facts.unseen);
    for (const end of cursor ? ["x1", "x2"] : []) cursor.setAttribute(end, Number(graph.dataset.x0) + now * Number(graph.dataset.dx));
    for (const button of all("[data-go=first], [data-go=back]")) button.disabled = now === 0;
    for (const button of all("[data-go=on], [data-go=last]")) button.disabled = now === last;
    showInList(moments[now]);
    showOnBoard();
    copied.textContent = "";
    if (!remember) return;
    keepInLanguages();
    try { history.replaceState(null, "", `#zug${now}`); } catch { /* some browsers refuse it for files */ }
  }

  /* The same page in another language opens at the same moment. */
  function keepInLanguages() {
    for (const link of all("a.language")) link.hash = `zug${now}`;
  }

  function showInList(row) {
    const list = row.closest(".moves"), most = row.offsetTop + row.offsetHeight - list.clientHeight;
    if (list.scrollHeight > list.clientHeight) list.scrollTop = Math.max(most, Math.min(row.offsetTop, list.scrollTop));
  }

  /* A long table scrolls on a phone, to what came last. */
  function showOnBoard() {
    const box = (one) => one.getBoundingClientRect(), { top, height } = box(table);
    const newest = parts.filter(({ dataset: { from } }) => Number(from) === now).map(box).find((one) => one.height);
    if (newest) table.scrollTop += newest.top + newest.height / 2 - top - height / 2;
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    auto.setAttribute("aria-pressed", "false");
  }

  function play() {
    if (now === last) show(0, true);
    auto.setAttribute("aria-pressed", "true");
    timer = setInterval(() => {
      show(now + 1, true);
      if (now === last) stop();
    }, Number(replay.dataset.pause) || 1100);
  }

  function go(name) {
    const ran = Boolean(timer);
    if (ran) stop();
    if (name !== "auto") show({ first: 0, back: now - 1, on: now + 1, last }[name], true);
    else if (!ran) play();
  }

  for (const button of all("[data-go]")) button.addEventListener("click", () => go(button.dataset.go));
  slider.addEventListener("input", () => {
    if (timer) stop();
    show(Number(slider.value), true);
  });
  for (const row of rows) {
    row.addEventListener("click", (event) => {
      if (event.target.closest("a") && (event.metaKey || event.ctrlKey || event.shiftKey)) return;
      if (String(getSelection())) return;
      event.preventDefault();
      if (timer) stop();
      show(Number(row.dataset.n), true);
      if (table.getBoundingClientRect().bottom < 0) showBoard();
    });
  }
  copy.addEventListener("click", async () => {
    copied.textContent = `${location.href.split("#")[0]}#zug${now}`;
    const address = copied.textContent, written = navigator.clipboard?.writeText(address).then(() => true, () => false);
    getSelection().selectAllChildren(copied);  // pages that are not encrypted may copy only what is chosen
    const done = await written || document.execCommand("copy");
    getSelection().removeAllRanges();
    copied.textContent = done ? copy.dataset.done : copy.dataset.byHand.replace("{address}", address);
  });

  /* A finger that wipes across the board turns the page: to the left goes on. */
  let wipe = null;
  table.addEventListener("touchstart", ({ touches }) => {
    wipe = touches.length === 1 && !(window.visualViewport?.scale > 1.05) ? touches[0] : null;
  }, { passive: true });
  table.addEventListener("touchend", ({ changedTouches: [end] }) => {
    if (!wipe) return;
    const across = end.clientX - wipe.clientX, down = end.clientY - wipe.clientY;
    wipe = null;
    if (Math.abs(across) > 40 && Math.abs(across) > 2 * Math.abs(down)) go(across < 0 ? "on" : "back");
  });

  const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "auto" };
  document.addEventListener("keydown", (event) => {
    const name = keys[event.key];
    if (!name || event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
    const at = event.target.closest("input, button, a, summary, textarea, select");
    if (at && (event.key === " " || at === slider)) return; // these have a meaning of their own there
    event.preventDefault();
    go(name);
  });
  addEventListener("hashchange", showFromAddress);

  function showFromAddress() {
    const found = /^#(?:zug|move)(\d+)$/.exec(location.hash);
    if (!found) return false;
    show(Number(found[1]), false);
    keepInLanguages();
    showBoard();
    return true;
  }

  /* Head, board and bar are as high as the window. */
  function showBoard() { replay.scrollIntoView({ block: "start" }); }

  /* Without this script the address leads to the row in the list. With it the board has to be on the screen, so no row may
     be what the address names; and a browser that has found its row already goes there again until the page is loaded. */
  for (const row of rows) row.removeAttribute("id");
  for (const box of all(".controls, .share, .keys")) box.hidden = false;
  if (!showFromAddress()) return show(last, false);
  let taken = false;
  const hands = new AbortController(), take = () => { taken = true; };
  for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"]) {
    addEventListener(kind, take, { passive: true, signal: hands.signal });
  }
  addEventListener("load", () => requestAnimationFrame(() => {
    hands.abort();
    if (!taken) showBoard();
  }));
}
