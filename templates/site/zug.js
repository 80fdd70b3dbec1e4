/* The shell of a page to lay tiles on (docs/build/touch-board.md): reads the turn, keeps the order, opens the mail program. What
   lies where, and what it scores, is the family's. Asks nobody anything but the archive in which it stands. */

import {
  around, atLeast, drawn, fill, inWordsOf, keepPage, keepingFocus, listed, lookForNewer, mailto,
  outOfSight, paintDrawn, paintTile, readable, spotButtons, spotOf, unpack,
} from "./zug_tools.js";

const $ = (id) => document.getElementById(id);

export function start(family) {
  const given = JSON.parse($("words").textContent);
  const t = (code, params = {}) => fill(own[code] ?? given.say[code] ?? code, printed(params));
  let own = {};  // sentences of this game alone, where a page serves several
  let position = null, cursor = 0, way = "w", orders = [], giving = null, held = null;
  let part = null;  // of a large table, what is shown: left, top, right, bottom
  let asking = null;  // {square, tiles}: which letter one of these tiles shall stand for there
  let picked = null, aimed = false;  // on a table that is drawn: the tile, or the spot, that was tapped first

  const inWords = inWordsOf(given.move);

  /* What is filled into sentences, as the mails name it. */
  function printed(params) {
    const tile = (one) => given.say[`tile.${one}`] ?? family.printed?.(one) ?? one;
    return readable(params, tile, inWords, t);
  }

  function open(source) {
    let turn;
    try {
      turn = JSON.parse(source);
      if (turn.turn !== 1 || !family.games.includes(turn.game)) throw new Error(turn.game);
      position = family.start(turn);
      own = given.games[turn.game];
    } catch {
      $("wrong").textContent = t("zug-wrong");
      return;
    }
    [$("wrong").textContent, orders] = ["", []];
    way = family.way?.(position) ?? "w";
    giving = asking = part = picked = null;
    aimed = false;
    cursor = family.first ? family.first(position)
      : Math.floor(high() / 2 - 1) * wide() + Math.floor(wide() / 2) - 1;
    $("ask").hidden = !$("brought");  // a page that came with a mail will be needed for the next one
    $("play").hidden = false;
    describe(turn);
    if ($("newer") && !turn.puzzle) lookForNewer(turn, $("newer"), t);
    drawActs();
    refresh();
    if (family.draw) show(true);
  }

  function describe(turn) {
    const until = turn.deadline && new Date(turn.deadline).toLocaleString(document.documentElement.lang, {
      dateStyle: "full", timeStyle: "short", timeZone: turn.zone,
    });
    document.querySelector("h1").textContent = t("zug-title", { game: own.name });
    $("about").textContent = turn.puzzle ? turn.name
      : [turn.name, turn.match, t("zug-entry", { entry: turn.entry })].filter(Boolean).join(" · ");
    const label = family.asks?.(position);
    $("announcement").hidden = !label;
    if (label) $("asks").textContent = t(label.code, label.params);
    $("more").textContent = (family.about?.(position) ?? []).map(({ code, params }) => t(code, params)).join(" ");
    $("until").textContent = until ? t("zug-until", { deadline: until }) : "";
    $("scores").replaceChildren(...turn.scores.map((score, seat) => {
      const item = document.createElement("li");
      item.textContent = `${turn.names?.[seat] ?? seat + 1}: ${score}`;
      if (seat === turn.seat) item.setAttribute("aria-current", "true");
      return item;
    }));
  }

  /* ---- the board ---- */

  const wide = () => family.axes(position)[0].length;
  const high = () => family.axes(position)[1].length;

  /* Of a table that is larger than a screen a part is shown, which only grows: what was there stays to be found. */
  function showPart() {
    const [left, top, right, bottom] = family.part?.(position, cursor) ?? [0, 0, wide() - 1, high() - 1];
    const central = !part, before = part ?? [left, top, right, bottom];
    part = around(before, [left, top, right, bottom]);
    if (!central && part.join() === before.join()) return;
    drawBoard();
    const side = chosen().offsetWidth + 1;
    $("board").scrollBy((before[0] - part[0]) * side, (before[1] - part[1]) * side);
    scrollToChosen(central);
  }

  function drawBoard() {
    const [columns, rows] = family.axes(position), board = $("board"), [left, top, right, bottom] = part;
    board.style.setProperty("--columns", right - left + 1);
    board.classList.toggle("part", Boolean(family.part));
    const label = (textContent, side) => (
      Object.assign(document.createElement("span"), { className: `axis ${side}`, textContent })
    );
    board.replaceChildren(label("", "top side"), ...columns.slice(left, right + 1).map((text) => label(text, "top")));
    for (let y = top; y <= bottom; y += 1) {
      board.append(label(rows[y], "side"));
      for (let x = left; x <= right; x += 1) {
        const spot = document.createElement("button");
        spot.type = "button";
        spot.dataset.spot = y * columns.length + x;
        spot.addEventListener("click", () => tap(Number(spot.dataset.spot)));
        board.append(spot);
      }
    }
    for (const axis of board.querySelectorAll(".axis")) axis.setAttribute("aria-hidden", "true");
  }

  /* The chosen square and one beside it, inside the board: the page itself stays where it is. */
  function scrollToChosen(central = false) {
    const [board, square] = [$("board"), chosen()].map((one) => one.getBoundingClientRect());
    if (family.part) $("board").scrollBy(...outOfSight(board, square, central));
  }

  function spots() {
    return [...$("board").querySelectorAll("[data-spot]")];
  }

  const chosen = () => spots().find((spot) => spotOf(spot) === cursor);

  function paintBoard() {
    if (family.draw) return paintTable();
    showPart();
    for (const spot of spots()) {
      const square = Number(spot.dataset.spot), shown = family.shows(position, square);
      const name = family.name(position, square);
      spot.textContent = shown.letter;
      const mark = shown.mark ?? (shown.height > 1 ? shown.height : "");
      if (mark) spot.append(Object.assign(document.createElement("small"), { textContent: mark }));
      spot.className = ["spot", shown.kind, shown.letter && `high-${Math.min(shown.height, 5)}`, shown.own && "own",
        shown.fresh && "fresh", shown.centre && "centre", square === cursor && `cursor ${way}`].filter(Boolean).join(" ");
      const lies = shown.letter ? t(shown.says ?? "zug-lies", shown) : t("zug-empty");
      spot.setAttribute("aria-label", `${name}: ${lies}${shown.own ? `, ${t("zug-own")}` : ""}`);
      spot.tabIndex = square === cursor ? 0 : -1;
    }
    return scrollToChosen();
  }

  function tap(square) {
    aimed = true;
    asking = null;
    if (position.laid[square] && !family.stays) position = family.take(position, square);
    else if (picked) return lay(picked, square);
    else if (square === cursor) way = way === "w" ? "s" : "w";
    cursor = square;
    return refresh();
  }

  function go(dx, dy) {
    if (family.step) {
      aimed = true;
      cursor = family.step(position, cursor, dx, dy);
      show();
      return true;
    }
    const width = wide(), x = (cursor % width) + dx, y = Math.floor(cursor / width) + dy;
    if (x < 0 || y < 0 || x >= width || y >= high()) return false;
    cursor = y * width + x;
    return true;
  }

  const forward = () => (way === "w" ? go(1, 0) : go(0, 1));
  const back = () => (way === "w" ? go(-1, 0) : go(0, -1));

  /* A tile; of one that can stand for several letters it is asked for which. */
  function lay(tile, square = null, letter = tile) {
    cursor = square ?? cursor;
    const stays = family.stays && square === null && family.shows(position, cursor).letter !== letter;
    while (stays && position.laid[cursor] && forward());  // a word goes on behind what lies
    asking = null;
    if (letter === tile && family.stands?.(tile)) return ask([tile]);
    if (!family.draw && family.shows(position, cursor).letter === letter && (family.stays || !position.laid[cursor])) {
      forward();  // it shows the right letter already
      return refresh();
    }
    if (!left().includes(tile)) return refresh(t("zug-not-held", { letter }));
    const after = family.put(position, cursor, tile, letter);
    if (after.why) return refresh(t(after.why, after.params));
    const went = Object.keys(after.laid).find((spot) => !position.laid[spot]);  // a card may have a square of its own
    if (!family.draw) cursor = Number(went ?? cursor);
    [position, picked, aimed] = [after, null, false];
    if (family.draw) return refresh() ?? show();
    let free = forward();
    while (free && family.shows(position, cursor).letter) free = forward();
    return refresh();
  }

  function ask(tiles) {
    giving = null;
    asking = tiles.length ? { square: cursor, tiles } : null;
    refresh(asking ? "" : t("zug-not-held", { letter: "*" }));
    if (asking && !$("board").contains(document.activeElement)) $("rack").firstElementChild.focus();
  }

  function answer(letter) {
    const { square, tiles } = asking, tile = tiles.find((one) => family.stands(one).includes(letter)) ?? tiles[0];
    return lay(tile, square, letter);
  }

  function undo() {
    if (asking) {
      asking = null;
      return refresh();
    }
    if (family.draw) {
      [position, picked] = [family.take(position, cursor), null];
      return refresh();
    }
    if (!position.laid[cursor]) {
      const at = cursor;
      while (back() && !position.laid[cursor]);
      if (!position.laid[cursor]) cursor = Number(Object.keys(position.laid).at(-1) ?? at);
    }
    if (position.laid[cursor]) position = family.take(position, cursor);
    return refresh();
  }

  /* ---- the rack ---- */

  function left() {
    if (family.left) return family.left(position);
    const gone = Object.values(position.laid), kept = [];
    for (const letter of position.turn.rack) {
      const at = gone.indexOf(letter);
      if (at < 0) kept.push(letter);
      else gone.splice(at, 1);
    }
    return kept;
  }

  function paintRack() {
    if (asking) return paintAnswers();
    $("rack").replaceChildren(...(giving ? position.turn.rack : left()).map((letter, number) => {
      const tile = document.createElement("button");
      tile.type = "button";
      tile.className = "tile";
      if (family.face) paintFace(tile, letter);
      else paintTile(tile, family.look?.(position, letter) ?? { letter }, t);
      if (giving) tile.setAttribute("aria-pressed", giving.has(number));
      tile.addEventListener("click", () => {
        if (!giving) return family.draw ? pick(letter) : lay(letter);
        if (!giving.delete(number)) giving.add(number);
        return refresh();
      });
      tile.addEventListener("pointerdown", (event) => drag(event, tile, letter));
      return tile;
    }));
    return undefined;
  }

  function paintAnswers() {
    const letters = [...new Set(asking.tiles.flatMap((tile) => family.stands(tile)))].sort();
    $("rack").replaceChildren(...letters.map((letter) => {
      const tile = document.createElement("button");
      Object.assign(tile, { type: "button", className: "tile", textContent: letter });
      tile.addEventListener("click", () => focused(() => answer(letter)));
      return tile;
    }));
  }

  /* What a family does besides laying: its buttons stay where they are, so that the focus stays on them. */
  function drawActs() {
    $("acts").replaceChildren(...(family.acts?.(position) ?? []).map((code) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: t(code) });
      button.addEventListener("click", () => {
        const after = family.act(position, code, cursor, way);
        asking = null;
        if (!after.why) position = after;
        refresh(after.why ? t(after.why, after.params) : "");
      });
      return button;
    }));
  }

  function drag(down, tile, letter) {
    if (giving || !down.isPrimary) return;
    const far = (event) => Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > 10;
    const under = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-spot]");
    const move = (event) => {
      if (!held && far(event)) {
        held = document.body.appendChild(tile.cloneNode(true));
        held.className = "tile held";
      }
      if (held) held.style.translate = `${event.clientX - 22}px ${event.clientY - 60}px`;
    };
    const end = (event) => {
      for (const [name, done] of [["pointermove", move], ["pointerup", end], ["pointercancel", end]]) {
        window.removeEventListener(name, done);
      }
      if (!held) return;
      held.remove();
      held = null;
      window.addEventListener("click", (click) => click.stopPropagation(), { capture: true, once: true });
      setTimeout(() => window.dispatchEvent(new MouseEvent("click")), 0);
      const spot = event.type === "pointerup" && under(event);
      if (spot) lay(letter, spotOf(spot));
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
  }

  /* ---- a table that is drawn, and its tiles ---- */

  function drawTable({ width, height, spots: every }) {
    $("board").className = family.whole ? "drawn fit" : "drawn";
    $("board").replaceChildren(drawn(["svg", { width, height, viewBox: `0 0 ${width} ${height}` },
      every.map(({ spot }) => ["g", { "data-spot": spot, role: "button" }])]));
    for (const spot of spots()) spot.addEventListener("click", () => tap(spotOf(spot)));
  }

  /* The spot where the cursor is comes into sight; in the middle at first, later as near as it is. */
  function show(central = false) {
    const board = $("board"), [x, y] = family.draw(position, picked).spots.find(({ spot }) => spot === cursor).at;
    const near = (now, room, at) => (central ? at - room / 2 : Math.max(at - room + 60, Math.min(now, at - 60)));
    board.scrollTo(near(board.scrollLeft, board.clientWidth, x), near(board.scrollTop, board.clientHeight, y));
  }

  /* Its spots are made anew where there are others, or where it has grown; the focus stays on the table. */
  function paintTable() {
    const table = family.draw(position, picked), every = new Map(table.spots.map((one) => [String(one.spot), one]));
    const shape = JSON.stringify([table.width, table.height, ...every.keys()]), inside = $("board").matches(":focus-within");
    const anew = $("board").dataset.shape !== shape;
    if (anew) drawTable(table);
    $("board").dataset.shape = shape;
    if (!every.has(String(cursor))) cursor = family.first(position);
    for (const spot of spots()) {
      const { kind, open: free, label, parts } = every.get(spot.dataset.spot);
      const here = spotOf(spot) === cursor;
      spot.replaceChildren(...parts.map(drawn));
      spot.setAttribute("class", [kind, free && "open", here && "cursor"].filter(Boolean).join(" "));
      spot.setAttribute("aria-label", label.map((one) => t(one.code, one.params)).join(", "));
      spot.setAttribute("tabindex", here ? 0 : -1);
    }
    if (anew && inside) chosen().focus({ preventScroll: true });
  }

  /* Where a tile can go on a table that is shown whole, as buttons: in the drawing of a long one they are smaller than a
     finger. */
  function paintEnds() {
    const ends = family.draw(position, picked).spots.filter(({ kind }) => kind === "free");
    spotButtons($("ends"), ends, cursor, { name: (spot) => family.name(position, spot), say: t, tap });
  }

  /* A tile of the rack was tapped: it goes where the cursor is, or waits for a spot. */
  function pick(tile) {
    const after = picked === tile ? position : family.put(position, cursor, tile);
    if (picked !== tile && !after.why) return lay(tile);
    picked = picked === tile ? null : tile;
    return refresh(picked && aimed ? t(after.why, after.params) : "");
  }

  /* Of the tile that waits for a spot. */
  function waiting() {
    const some = family.draw(position, picked).spots.some((spot) => spot.open);
    return t(some ? "zug-picked" : "zug-picked-none", { tile: picked });
  }

  /* A tile that is drawn, with what it would score where the cursor is. */
  function paintFace(tile, name) {
    paintDrawn(tile, family.face(name), printed({ tile: name }).tile, family.worth(position, cursor, name), t);
    tile.setAttribute("aria-pressed", picked === name);
  }

  /* ---- the order ---- */

  function now() {
    if (giving) {
      const letters = position.turn.rack.filter((_, number) => giving.has(number));
      return letters.length ? family.exchange(position, letters) : null;
    }
    return atLeast(family.judge(position, way), Number($("least").value));
  }

  function told(found) {
    if (asking) return t("zug-which");
    if (giving && !found) return t("zug-choose");
    if (!found) return t("zug-nothing");
    const extra = (found.notes ?? []).map((note) => t(note.code, note.params));
    if (found.why) return [...extra, t(found.why, found.params)].join(" · ");
    const words = (found.words ?? []).map((one) => (one.points ? `${one.word} ${one.points}` : one.word));
    const sum = found.points ? t("zug-points", { points: found.points }) : "";
    return [inWords(found.text), words.join(" + "), ...extra, sum].filter(Boolean).join(" · ");
  }

  function keep(text, says = "") {
    orders = listed(orders, text, family.pass?.(position).text);
    giving = asking = picked = null;
    $("least").value = "";
    if (!family.stays) position = family.start(position.turn);
    if (family.first) [cursor, aimed] = [family.first(position), false];  // where the next tile goes is asked anew
    refresh(says);
    if (family.draw) show();
  }

  function paintOrders() {
    $("orders").replaceChildren(...orders.map((text, at) => {
      const item = document.createElement("li");
      item.append(Object.assign(document.createElement("span"), { textContent: inWords(text) }));
      const tool = (sign, code, act) => {
        const button = Object.assign(document.createElement("button"), { type: "button", textContent: sign });
        button.setAttribute("aria-label", t(code, { move: inWords(text) }));
        button.addEventListener("click", () => { act(); refresh(); });
        item.append(button);
        return button;
      };
      tool("↑", "zug-earlier", () => orders.splice(at - 1, 2, orders[at], orders[at - 1])).disabled = at === 0;
      tool("×", "zug-remove", () => orders.splice(at, 1));
      return item;
    }));
  }

  function refresh(trouble = "") {
    const found = now(), lines = listed(orders, found?.text, family.pass?.(position).text);
    paintBoard();
    if (family.whole) keepingFocus(paintEnds);
    keepingFocus(paintRack);
    keepingFocus(paintOrders);
    $("spot").textContent = family.name(position, cursor);
    const arrow = family.undirected ? "" : way === "w" ? " →" : " ↓";
    if (!family.draw) $("spot").append(` ${family.shows(position, cursor).letter || "·"}${arrow}`);
    $("says").textContent = trouble || (picked ? waiting() : told(found));
    if (family.asks) $("word").value = position.word;
    $("keep").disabled = !found?.text;
    $("swap").setAttribute("aria-pressed", Boolean(giving));
    $("send").hidden = !lines.length;
    const written = lines.map((line, at) => inWords(at ? `sonst ${line}` : line));
    if (lines.length) $("send").href = mailto(position.turn.reply, written);
    $("written").textContent = written.join("\n");
  }

  /* ---- keys and buttons ---- */

  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  $("board").addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const at = event.target.closest("[data-spot]");
    if (at) cursor = spotOf(at);  // it may have got the focus otherwise than by an arrow
    const letter = event.key.length === 1 ? event.key.toUpperCase() : "";
    if (event.key in moves) go(...moves[event.key]);
    else if (event.key === "Backspace" || event.key === "Delete") return event.preventDefault() ?? focused(undo);
    else if (family.draw && (event.key === "Enter" || event.key === " ")) return event.preventDefault() ?? tap(cursor);
    else if (event.key === "Escape" && asking) return focused(undo);
    else if (letter === "*" && family.stands) return focused(() => ask(left().filter((tile) => family.stands(tile))));
    else if (!family.draw && letter && /\p{L}/u.test(letter)) return focused(() => (asking ? answer : lay)(letter));
    else return undefined;
    event.preventDefault();
    return focused(refresh);
  });

  function focused(act) {
    act();
    chosen().focus({ preventScroll: Boolean(family.draw || family.part) });
  }

  for (const button of document.querySelectorAll("[data-go]")) {
    button.addEventListener("click", () => { go(...moves[button.dataset.go]); refresh(); });
  }
  $("turn").addEventListener("click", () => { way = way === "w" ? "s" : "w"; refresh(); });
  $("undo").addEventListener("click", undo);
  $("least").addEventListener("input", () => refresh());
  $("word").addEventListener("input", (event) => { position = family.said(position, event.target.value); refresh(); });
  $("keep").addEventListener("click", () => keep(now().text));
  $("pass").addEventListener("click", () => keep(family.pass(position).text));
  $("standing").addEventListener("click", () => {
    const found = family.standing(position);
    keep(found.text, told(found));
  });
  $("swap").addEventListener("click", () => { asking = null; giving = giving ? null : new Set(); refresh(); });
  $("turn").hidden = Boolean(family.draw || family.undirected);
  $("swap").hidden = !family.exchange;
  $("pass").hidden = !family.pass;
  $("paste").addEventListener("input", (event) => open(event.target.value));
  $("file").addEventListener("change", async (event) => open(await event.target.files[0].text()));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    open(file ? await file.text() : event.dataTransfer.getData("text"));
  });

  const fragment = location.hash.slice(1), brought = $("brought")?.textContent;
  if (fragment) {
    history.replaceState(null, "", location.pathname + location.search);  // the token is nobody else's business
    unpack(fragment).then(open, () => open(""));
  } else if (brought) open(brought);
  addEventListener("hashchange", () => location.reload());  // another mail's link, while the page is open
  $("condition").hidden = !family.conditional;
  $("standing").hidden = !family.standing;
  $("ask").hidden = false;
  keepPage();
}
