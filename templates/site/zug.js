/* The shell of a touch board (docs/build/touch-board.md): reads the turn, keeps the order, opens the mail program. What
   lies where, and what it scores, is the family's. Asks nobody anything but the archive in which it stands. */

import {
  around, atEdge, atLeast, boxOf, copy, drawn, fill, inWordsOf, keepPage, keepingFocus, listed, made, mailto, nearest,
  newestEntry, outOfSight, paintDrawn, paintTile, readTurn, readable, recall, remember, spotOf, unpack,
} from "./zug_tools.js";

const $ = (id) => document.getElementById(id);

export function start(family, given) {
  const kept = `zug ${location.pathname}`, board = $("board");
  const t = (code, params = {}) => fill(own[code] ?? given.say[code] ?? code, printed(params));
  const touched = 45, square = { least: 34, most: 60 };  // pixels of a finger's tip; of a square
  const above = 56;  // pixels by which a tile is held above a finger, which would hide it
  let own = {};  // sentences of this game alone, where a page serves several
  let source = "", position = null, cursor = 0, way = "w", orders = [], giving = null;
  let done = [];  // calls of the family that have led to the position: what a reload repeats, and undo leaves out
  let part = null;  // of the table, what is shown: left, top, right, bottom
  let scale = 0, whole = false;  // pixels of a square, or of a pixel of the drawing; whether the reader wants all of it
  let asking = null;  // {square, tiles}: which letter one of these tiles shall stand for there
  let dragging = false;
  let picked = null, aimed = false;  // on a table that is drawn: the tile, or the spot, that was tapped first

  const inWords = inWordsOf(given.move);

  /* What is filled into sentences, as the mails name it. */
  function printed(params) {
    const tile = (one) => given.say[`tile.${one}`] ?? family.printed?.(one) ?? one;
    return readable(params, tile, inWords, t);
  }

  /* ---- the position ---- */

  /* Shows a position, with what was laid on it in this tab; or says why it cannot, and what to do. */
  function open(text, link = "") {
    const { turn, wrong, game } = readTurn(text, family.games, given.elsewhere);
    const before = recall("sessionStorage", kept);
    try {
      if (turn) position = family.start(turn);
    } catch ({ why = "zug-none" }) {
      return refuse(why, "", link);
    }
    if (wrong) return refuse(wrong, game, link);
    [source, own, orders, done] = [text, given.games[turn.game], [], []];
    way = family.way?.(position) ?? "w";
    giving = asking = part = picked = null;
    aimed = whole = false;
    cursor = family.first ? family.first(position)
      : Math.floor(high() / 2 - 1) * wide() + Math.floor(wide() / 2) - 1;
    if (before?.source === text) {  // the page was loaded anew
      again(before.done);
      ({ orders, way, cursor } = before);
      $("least").value = before.least;
    }
    $("ask").hidden = true;
    $("play").hidden = false;
    describe(turn);
    drawActs();
    refresh();
    $("rack").style.minHeight = `${$("rack").offsetHeight}px`;  // the board keeps its size while tiles are laid
    fit(true);
    if (!recall("localStorage", "zug hint")) $("hint").showModal();
    return lookForNewer(turn);
  }

  function refuse(wrong, game, link) {
    const [name, page] = given.elsewhere[game] ?? [], known = { game: name ?? "", here: document.title.split(":")[0] };
    const ways = { "zug-other": ["zug-other-go", `${page}#${link}`], "zug-renewed": ["zug-renewed-go", `?${Date.now()}#${link}`] };
    const [code, href] = (link && ways[wrong]) || (position ? ["zug-back", location.pathname] : []);
    $("wrong").textContent = t(wrong, known);
    $("way").textContent = t(`${wrong}-way`, known);
    $("lead").hidden = !href || Boolean($("brought") && wrong === "zug-other");
    if (href) Object.assign($("lead"), { href, textContent: t(code, known) });
    $("ask").hidden = false;
    $("play").hidden = true;
  }

  /* The next position, if the family allows it: otherwise why it does not. */
  function step(what, ...values) {
    const after = family[what](position, ...values);
    if (after.why) return after;
    position = after;
    if (what === "said" && done.at(-1)?.[0] === what) done.pop();
    done.push([what, ...values]);
    return after;
  }

  function again(calls) {
    [position, done] = [family.start(position.turn), []];
    for (const [what, ...values] of calls) step(what, ...values);
  }

  /* Without a tile that lies: as if it had never been laid, so that undo goes on before it. */
  function takeBack(spot) {
    const { laid } = family.take(position, spot), before = done;
    const shorter = [...before.map((_, at) => before.toSpliced(at, 1)), ...before.map((_, at) => before.slice(0, at))];
    if (shorter.some((calls) => again(calls) ?? JSON.stringify(position.laid) === JSON.stringify(laid))) return;
    again(before);
    step("take", spot);
  }

  function describe(turn) {
    const tongue = document.documentElement.lang.replace(/^en$/, "en-GB");
    const until = turn.deadline && new Date(turn.deadline).toLocaleString(tongue, {
      weekday: "short", day: "numeric", month: "numeric", hour: "2-digit", minute: "2-digit", timeZone: turn.zone,
    });
    document.querySelector("h1").textContent = own.name;
    $("match").textContent = [turn.name, turn.puzzle ? "" : turn.match].filter(Boolean).join(" · ");
    const label = family.asks?.(position);
    $("announcement").hidden = !label;
    if (label) $("asks").textContent = t(label.code, label.params);
    $("until").textContent = until ? t("zug-until", { deadline: until }) : "";
    $("scores").replaceChildren(...turn.scores.map((score, seat) => {
      const mine = seat === turn.seat, name = mine ? t("zug-you") : turn.names?.[seat] ?? seat + 1;
      const item = made("li", {}, made("span", { textContent: name }), ` ${score}`);
      if (mine) item.setAttribute("aria-current", "true");
      return item;
    }));
    $("to").textContent = turn.reply.address;
  }

  /* Says where the match has gone on. The link leaves the page open, with what is laid on it. */
  async function lookForNewer(turn) {
    const line = $("newer"), at = position;
    line?.replaceChildren();
    if (!line || turn.puzzle || !location.protocol.startsWith("http")) return;
    const code = encodeURIComponent(turn.match), { numbers, pages } = line.dataset;
    const newest = await newestEntry(`${numbers}${code}.now.json`);
    if (at.turn !== position.turn) return;
    const href = `${pages}${code}.html`;
    Object.assign($("replay"), { href, hidden: !newest });
    if (newest > turn.entry) line.append(t("zug-newer"), " ", made("a", { href, target: "_blank", textContent: t("zug-newer-link") }));
  }

  /* ---- the board ---- */

  const wide = () => family.axes(position)[0].length;
  const high = () => family.axes(position)[1].length;
  const spots = () => [...board.querySelectorAll("[data-spot]")];
  const chosen = () => spots().find((spot) => spotOf(spot) === cursor);

  /* Of a table that is larger than a screen a part is shown, which only grows: what was there stays to be found. */
  function showPart() {
    const wanted = family.part?.(position, cursor) ?? [0, 0, wide() - 1, high() - 1], before = part ?? wanted;
    const first = !part;
    part = around(before, wanted);
    if (!first && part.join() === before.join()) return;
    drawBoard();
    if (first) return;
    resize();
    board.scrollBy((before[0] - part[0]) * scale, (before[1] - part[1]) * scale);
  }

  function drawBoard() {
    const [columns, rows] = family.axes(position), [left, top, right, bottom] = part;
    const label = (textContent, side) => made("span", { className: `axis ${side}`, textContent, ariaHidden: "true" });
    const table = made("div", { className: "table" }, label("", "top side"),
      ...columns.slice(left, right + 1).map((text) => label(text, "top")));
    table.style.setProperty("--columns", right - left + 1);
    for (let y = top; y <= bottom; y += 1) {
      table.append(label(rows[y], "side"));
      for (let x = left; x <= right; x += 1) {
        const spot = made("button", { type: "button" });
        spot.dataset.spot = y * columns.length + x;
        table.append(spot);
      }
    }
    board.replaceChildren(table);
  }

  function paintBoard() {
    if (family.draw) return paintTable();
    showPart();
    for (const spot of spots()) {
      const square = spotOf(spot), shown = family.shows(position, square), mine = shown.own ?? position.laid[square];
      spot.textContent = shown.letter;
      const mark = shown.mark ?? (shown.height > 1 ? shown.height : "");
      if (mark) spot.append(made("small", { textContent: mark }));
      spot.className = ["spot", shown.kind, shown.letter && `high-${Math.min(shown.height, 5)}`, mine && "own",
        shown.fresh && "fresh", shown.centre && "centre", square === cursor && `cursor ${way}`].filter(Boolean).join(" ");
      const lies = shown.letter ? t(shown.says ?? "zug-lies", shown) : t("zug-empty");
      const turns = square === cursor && !family.undirected ? `, ${t(way === "w" ? "zug-across" : "zug-down")}` : "";
      spot.setAttribute("aria-label", `${family.name(position, square)}: ${lies}${mine ? `, ${t("zug-own")}` : ""}${turns}`);
      spot.tabIndex = square === cursor ? 0 : -1;
    }
    return undefined;
  }

  /* Its spots are made anew where there are others, or where it has grown; the focus stays on the table. */
  function paintTable() {
    const table = family.draw(position, picked), every = new Map(table.spots.map((one) => [String(one.spot), one]));
    const shape = JSON.stringify([table.width, table.height, ...every.keys()]), inside = board.matches(":focus-within");
    const anew = board.dataset.shape !== shape;
    const empty = ({ spot }) => ["g", { "data-spot": spot, role: "button" }];
    if (anew) board.replaceChildren(drawn(["svg", { class: "table" }, table.spots.map(empty)]));
    board.dataset.shape = shape;
    if (!every.has(String(cursor))) cursor = family.first(position);
    for (const spot of spots()) {
      const { kind, open: free, label, parts } = every.get(spot.dataset.spot);
      const here = spotOf(spot) === cursor;
      spot.replaceChildren(...parts.map(drawn));
      spot.setAttribute("class", [kind, free && "open", here && "cursor"].filter(Boolean).join(" "));
      spot.setAttribute("aria-label", label.map((one) => t(one.code, one.params)).join(", "));
      spot.setAttribute("tabindex", here ? 0 : -1);
    }
    const { x, y, width, height } = board.firstChild.getBBox(), before = part?.join();
    part = around(part ?? [x, y, x, y], [x - 6, y - 6, x + width + 6, y + height + 6]);  // cut to what is drawn
    board.firstChild.setAttribute("viewBox", [part[0], part[1], ...extent()].join(" "));
    if (before && before !== part.join()) fit();
    else if (anew && scale) resize();
    if (anew && inside) chosen().focus({ preventScroll: true });
  }

  /* ---- its size ---- */

  /* Columns and rows that are shown; of a drawing, its width and height. */
  const extent = () => [0, 1].map((side) => part[side + 2] - part[side] + (family.draw ? 0 : 1));

  /* The scale at which so much fits. */
  function fitting([across, down]) {
    const frame = family.draw ? 0 : 26;
    return Math.min((board.clientWidth - frame) / across, (board.clientHeight - frame) / down);
  }

  const lying = () => spots().filter((spot) => spot.matches("[class*=high-], .lies"));

  /* Makes the table as large as there is room: all of it, or what lies and the squares around; never too small for a
     finger, unless all of it is wanted. */
  function fit(central = false) {
    const all = fitting(extent());
    if (family.draw) {
      const free = spots().filter((spot) => spot.matches(".free")).map((spot) => spot.getBBox());
      const smallest = Math.min(...free.map(({ width, height }) => Math.min(width, height)));
      scale = Math.max(family.whole || whole ? 0 : Math.min(1, touched / smallest), Math.min(all, 2));
    } else if (family.part && !whole) {
      const at = [chosen(), ...lying()].map(spotOf).map((spot) => [spot % wide(), Math.floor(spot / wide())]);
      const [left, top, right, bottom] = at.map(([x, y]) => [x, y, x, y]).reduce(around);
      scale = Math.max(square.least, Math.min(touched, fitting([right - left + 3, bottom - top + 3])));
    } else scale = Math.min(all, square.most);
    resize();
    const what = lying().length ? lying() : [chosen()];
    if (central) board.scrollBy(...outOfSight(boxOf(board), what.map(boxOf).reduce(around), 0, true));
  }

  function resize() {
    const table = board.firstChild;
    if (family.draw) extent().forEach((size, at) => table.setAttribute(at ? "height" : "width", size * scale));
    else table.style.setProperty("--side", `${scale}px`);
    $("whole").hidden = !whole && board.scrollWidth <= board.clientWidth + 1 && board.scrollHeight <= board.clientHeight + 1;
    $("whole").setAttribute("aria-pressed", whole);
  }

  /* Larger or smaller, around what is between two fingers. */
  function zoom(by, x, y) {
    const [left, top] = boxOf(board), before = scale;
    scale = Math.max(Math.min(scale, fitting(extent())), Math.min(scale * by, family.draw ? 4 : 2 * square.most));
    resize();
    const [atX, atY] = [board.scrollLeft + x - left, board.scrollTop + y - top].map((at) => (at * scale) / before);
    board.scrollTo(atX - x + left, atY - y + top);
  }

  /* The chosen spot and one beside it, inside the board. */
  function show() {
    const box = boxOf(chosen());
    board.scrollBy(...outOfSight(boxOf(board), box, Math.min(touched, box[2] - box[0])));
  }

  /* ---- laying ---- */

  function tap(square) {
    aimed = true;
    asking = null;
    if (position.laid[square] && !family.stays) takeBack(square);
    else if (picked) return lay(picked, square);
    else if (square === cursor) way = way === "w" ? "s" : "w";
    cursor = square;
    return refresh();
  }

  function go(dx, dy) {
    if (family.step) {
      aimed = true;
      cursor = family.step(position, cursor, dx, dy);
      return true;
    }
    const width = wide(), x = (cursor % width) + dx, y = Math.floor(cursor / width) + dy;
    if (x < 0 || y < 0 || x >= width || y >= high()) return false;
    cursor = y * width + x;
    return true;
  }

  const forward = () => (way === "w" ? go(1, 0) : go(0, 1));

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
    const before = position.laid, after = step("put", cursor, tile, letter);
    if (after.why) return refresh(t(after.why, after.params));
    const went = Object.keys(after.laid).find((spot) => !before[spot]);  // a card may have a square of its own
    if (!family.draw) cursor = Number(went ?? cursor);
    [picked, aimed] = [null, false];
    let free = !family.draw && forward();
    while (free && family.shows(position, cursor).letter) free = forward();
    return refresh();
  }

  function ask(tiles) {
    giving = null;
    asking = tiles.length ? { square: cursor, tiles } : null;
    refresh(asking ? "" : t("zug-not-held", { letter: "*" }));
    if (asking && !board.contains(document.activeElement)) $("rack").firstElementChild.focus();
  }

  function answer(letter) {
    const { square, tiles } = asking, tile = tiles.find((one) => family.stands(one).includes(letter)) ?? tiles[0];
    return lay(tile, square, letter);
  }

  /* What was begun is left; or the last thing that was done is not. On a table where words begin at tiles that lie, the
     chosen one goes. */
  function undo() {
    const begun = asking || giving || picked;
    [asking, giving, picked] = [null, null, null];
    if (begun) return refresh();
    if (family.stays && position.laid[cursor]) return takeBack(cursor) ?? refresh();
    const last = done.findLastIndex(([what]) => what !== "said");
    if (last < 0) return refresh();
    const [what, square] = done[last];
    again(done.toSpliced(last, 1));
    if (what === "put" && !family.draw) cursor = square;
    return refresh();
  }

  /* A tile that lies goes to another spot, or back where none is meant; it stays where the rules do not let it. */
  function move(from, to) {
    const [tile, letter] = heldAs(from), before = done;
    takeBack(from);
    if (to === null) return refresh();
    lay(tile, to, letter);
    if (done.at(-1)?.[0] === "put") return undefined;
    const [told] = $("says").childNodes, why = told.textContent;
    again(before);
    return refresh(why);
  }

  /* A laid tile as it was in the rack, and its letter. */
  function heldAs(spot) {
    const tile = position.laid[spot], rack = position.rack ?? position.turn.rack, letter = tile.slice(-1);
    const jolly = tile.startsWith("*") && rack.find((one) => family.stands?.(one)?.includes(letter));
    return jolly ? [jolly, letter] : [tile, tile];
  }

  /* ---- the rack ---- */

  function left() {
    if (family.left) return family.left(position);
    const gone = Object.values(position.laid), still = [];
    for (const letter of position.turn.rack) {
      const at = gone.indexOf(letter);
      if (at < 0) still.push(letter);
      else gone.splice(at, 1);
    }
    return still;
  }

  /* A tile of the rack; where it is drawn, with what it would score where the cursor is. */
  function tileOf(letter) {
    const tile = made("button", { type: "button", className: "tile" });
    if (!family.face) paintTile(tile, family.look?.(position, letter) ?? { letter }, t);
    else {
      paintDrawn(tile, family.face(letter), printed({ tile: letter }).tile, family.worth(position, cursor, letter), t);
      tile.setAttribute("aria-pressed", picked === letter);
    }
    return tile;
  }

  function paintRack() {
    const letters = asking && [...new Set(asking.tiles.flatMap((tile) => family.stands(tile)))].sort();
    $("rack").replaceChildren(...letters?.map((textContent) => {
      const tile = made("button", { type: "button", className: "tile", textContent });
      tile.addEventListener("click", () => focused(() => answer(textContent)));
      return tile;
    }) ?? (giving ? position.turn.rack : left()).map((letter, number) => {
      const tile = tileOf(letter);
      if (giving) tile.setAttribute("aria-pressed", giving.has(number));
      tile.addEventListener("click", () => {
        if (!giving) return family.draw ? pick(letter) : lay(letter);
        if (!giving.delete(number)) giving.add(number);
        return refresh();
      });
      tile.addEventListener("pointerdown", (event) => drag(event, letter));
      return tile;
    }));
  }

  /* A tile of the rack was tapped: it goes where the cursor is, or waits for a spot. */
  function pick(tile) {
    const after = picked === tile ? position : family.put(position, cursor, tile);
    if (picked !== tile && !after.why) return lay(tile);
    picked = picked === tile ? null : tile;
    return refresh(picked && aimed ? t(after.why, after.params) : "");
  }

  /* A tile of the rack, or one that lies, is dragged: what counts is where its picture is. */
  function drag(down, tile, from = null) {
    if (giving || asking || !down.isPrimary || down.button) return;
    const base = from === null ? position : family.take(position, from), lifted = down.pointerType === "mouse" ? 0 : above;
    const letter = from === null ? family.stands?.(tile)?.[0] ?? tile : heldAs(from)[1];
    const free = family.draw && family.draw(base, tile).spots.filter((one) => one.open).map((one) => String(one.spot));
    const goes = ({ dataset: { spot } }) => (free ? free.includes(spot) : !family.put(base, Number(spot), tile, letter).why);
    let [x, y] = [down.clientX, down.clientY], held = null, target = null, inside = false;
    const aim = () => {
      held.style.translate = `${x - held.offsetWidth / 2}px ${y - lifted - held.offsetHeight / 2}px`;
      const by = atEdge(boxOf(board), x, y - lifted);
      inside ||= Boolean(by) && !by[0] && !by[1];  // on its way from the rack a tile crosses an edge
      if (by && inside) board.scrollBy(...by);
      target?.classList.remove("target");
      target = by && nearest(spots().filter(goes), x, y - lifted);
      target?.classList.add("target");
    };
    const glide = () => held && (aim(), requestAnimationFrame(glide));
    const drop = (dropped) => {
      const under = document.elementFromPoint(x, y - lifted), spot = target ?? under?.closest("[data-spot]");
      if (spot && from === null) lay(tile, spotOf(spot));
      else if (spot ? spotOf(spot) !== from : dropped && !under?.closest("#board")) move(from, spot ? spotOf(spot) : null);
    };
    const follow = (event) => {
      [x, y] = [event.clientX, event.clientY];
      if (held || Math.hypot(x - down.clientX, y - down.clientY) <= 10) return;
      held = document.body.appendChild(tileOf(tile));
      held.classList.add("held");
      glide();
    };
    const end = (event) => {
      for (const [name, act] of ends) window.removeEventListener(name, act);
      dragging = false;
      if (!held) return;
      aim();
      target?.classList.remove("target");
      held.remove();
      held = null;
      window.addEventListener("click", (click) => click.stopPropagation(), { capture: true, once: true });
      setTimeout(() => window.dispatchEvent(new MouseEvent("click")), 0);
      if (event.type === "pointerup") drop(from !== null);
    };
    const ends = [["pointermove", follow], ["pointerup", end], ["pointercancel", end]];
    for (const [name, act] of ends) window.addEventListener(name, act);
    dragging = true;
  }

  /* ---- the order ---- */

  function now() {
    if (giving) {
      const letters = position.turn.rack.filter((_, number) => giving.has(number));
      return letters.length ? family.exchange(position, letters) : null;
    }
    return atLeast(family.judge(position, way), Number($("least").value));
  }

  /* What the page says of it: a sentence, and what else there is to know. */
  function told(found) {
    const say = ({ code, params }) => t(code, params), notes = (found?.notes ?? []).map(say);
    if (asking) return [t("zug-which")];
    if (picked) {
      const some = family.draw(position, picked).spots.some((spot) => spot.open);
      return [t(some ? "zug-picked" : "zug-picked-none", { tile: picked })];
    }
    if (!found && giving) return [t("zug-choose")];
    if (!found) {
      const moves = orders.map(inWords).join(" · ");
      return [t(moves ? "zug-kept" : "zug-nothing", { moves }), ...(family.about?.(position) ?? []).map(say)];
    }
    if (found.why) return [t(found.why, found.params), ...notes];
    const words = (found.words ?? []).map((one) => (one.points ? `${one.word} ${one.points}` : one.word));
    const alone = words.length === 1 && found.words[0].points === found.points ? [found.words[0].word] : words;
    const sum = found.points ? t("zug-points", { points: found.points }) : "";
    const called = (!family.draw && alone.join(" + ")) || inWords(found.text);
    return [`${[called, sum].filter(Boolean).join(", ")}.`, ...(family.draw ? alone : []), ...notes];
  }

  /* A move goes onto the list, and the table is free for another one. */
  function keep(text, says = "") {
    orders = listed(orders, text, family.pass?.(position).text);
    giving = asking = picked = null;
    $("least").value = "";
    if (!family.stays) again([]);
    if (family.first) [cursor, aimed] = [family.first(position), false];  // where the next tile goes is asked anew
    refresh(says);
  }

  function pass() {
    keep(family.pass(position).text);
    $("sending").showModal();
  }

  function paintOrders(lines, written) {
    $("orders").replaceChildren(...written.map((text, at) => {
      const item = made("li", {}, made("span", { textContent: text })), mine = orders.indexOf(lines[at]);
      const tool = (sign, code, act) => {
        const button = made("button", { type: "button", textContent: sign, ariaLabel: t(code, { move: inWords(lines[at]) }) });
        button.addEventListener("click", () => { act(); refresh(); });
        return button;
      };
      if (mine >= 0 && mine) item.append(tool("↑", "zug-earlier", () => orders.splice(mine - 1, 2, orders[mine], orders[mine - 1])));
      if (mine >= 0) item.append(tool("×", "zug-remove", () => orders.splice(mine, 1)));
      return item;
    }));
  }

  function refresh(trouble = "") {
    const found = now(), lines = listed(orders, found?.text, family.pass?.(position).text);
    const written = lines.map((line, at) => inWords(at ? `sonst ${line}` : line)), { points } = found ?? {};
    paintBoard();
    if (!scale) fit();
    show();
    keepingFocus(paintRack);
    keepingFocus(() => paintOrders(lines, written));
    const [sentence, ...more] = trouble ? [trouble] : told(found);
    $("says").replaceChildren(made(found?.text && !trouble ? "b" : "span", { textContent: sentence }));
    if (more.length) $("says").append(" ", made("small", { textContent: more.join(" ") }));
    $("says").tabIndex = $("says").scrollHeight > $("says").clientHeight ? 0 : -1;
    if (family.asks) $("word").value = position.word;
    $("keep").disabled = !found?.text;
    $("undo").disabled = !done.length && !asking && !giving && !picked;
    $("go").disabled = !lines.length;
    $("go").textContent = found?.text && points ? t("zug-go-points", { points }) : t("zug-go");
    if (lines.length) $("send").href = mailto(position.turn.reply, written);
    if (!lines.length && $("sending").open) $("sending").close();
    $("line").hidden = !lines.length;
    $("line").lastElementChild.textContent = written.join("\n");
    $("copied").textContent = "";
    remember("sessionStorage", kept, { source, done, orders, way, cursor, least: $("least").value });
  }

  /* What a family does besides laying. */
  function drawActs() {
    $("acts").replaceChildren(...(family.acts?.(position) ?? []).map((code) => {
      const button = made("button", { type: "button", textContent: t(code) });
      button.dataset.close = "";
      button.addEventListener("click", () => {
        asking = null;
        const after = step("act", code, cursor, way);
        refresh(after.why ? t(after.why, after.params) : "");
      });
      return made("li", {}, button);
    }));
  }

  /* ---- keys, fingers and buttons ---- */

  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  $("play").addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input")) return;
    const at = event.target.closest("[data-spot]");
    if (at) cursor = spotOf(at);  // it may have got the focus otherwise than by an arrow
    const letter = event.key.length === 1 ? event.key.toUpperCase() : "";
    if (event.key in moves) go(...moves[event.key]);
    else if (event.key === "Backspace" || event.key === "Delete") return event.preventDefault() ?? focused(undo);
    else if (at && family.draw && (event.key === "Enter" || event.key === " ")) return event.preventDefault() ?? tap(cursor);
    else if (event.key === "Escape" && asking) return focused(undo);
    else if (letter === "*" && family.stands) return focused(() => ask(left().filter((tile) => family.stands(tile))));
    else if (!family.draw && letter && /\p{L}/u.test(letter)) return focused(() => (asking ? answer : lay)(letter));
    else return undefined;
    event.preventDefault();
    return focused(refresh);
  });

  function focused(act) {
    act();
    chosen().focus({ preventScroll: true });
  }

  board.addEventListener("click", ({ target, clientX, clientY }) => {
    const spot = target.closest("[data-spot]"), open = spots().filter((one) => one.matches(picked ? ".open" : ".free"));
    const meant = spot && !picked ? spot : nearest(open, clientX, clientY) ?? spot;
    if (meant) tap(spotOf(meant));
  });
  board.addEventListener("pointerdown", (event) => {
    const spot = event.target.closest(".own");
    if (spot && position.laid[spotOf(spot)]) drag(event, heldAs(spotOf(spot))[0], spotOf(spot));
  });
  let spread = 0;  // between two fingers
  board.addEventListener("touchmove", (event) => {
    if (dragging || event.touches.length === 2) event.preventDefault();
    if (event.touches.length !== 2) return;
    const [one, other] = event.touches, far = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    if (spread) zoom(far / spread, (one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2);
    spread = far;
  }, { passive: false });
  board.addEventListener("touchend", () => { spread = 0; });
  board.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 200), event.clientX, event.clientY);
  }, { passive: false });
  $("whole").addEventListener("click", () => { whole = !whole; fit(true); });
  new ResizeObserver(() => { if (position) fit(true); }).observe(board);
  addEventListener("resize", () => { $("rack").style.minHeight = ""; });

  document.addEventListener("click", ({ target }) => {
    const opens = target.closest("[data-open]")?.dataset.open;
    if (target.closest("[data-close]") || target.matches("dialog")) target.closest("dialog").close();
    if (opens) $(opens).showModal();
  });
  $("turn").addEventListener("click", () => { way = way === "w" ? "s" : "w"; refresh(); });
  $("undo").addEventListener("click", undo);
  $("least").addEventListener("input", () => refresh());
  $("word").addEventListener("input", (event) => { step("said", event.target.value); refresh(); });
  $("keep").addEventListener("click", () => keep(now().text));
  $("pass").addEventListener("click", () => (given.say["zug-pass-ask"] ? $("sure").showModal() : pass()));
  $("surely")?.addEventListener("click", pass);
  $("standing").addEventListener("click", () => {
    const found = family.standing(position);
    keep(found.text, told(found).join(" "));
  });
  $("swap").addEventListener("click", () => { [asking, giving] = [null, new Set()]; refresh(); });
  $("copy").addEventListener("click", () => { $("copied").textContent = t(copy($("orders")) ? "zug-copied" : "zug-marked"); });
  $("hint").addEventListener("close", () => remember("localStorage", "zug hint", true));
  $("anew")?.addEventListener("click", () => refuse("zug-none", "", ""));
  const { exchange: swap, conditional: condition, standing } = family, turn = !family.draw && !family.undirected;
  for (const [id, there] of Object.entries({ turn, swap, pass: family.pass, condition, standing })) $(id).hidden = !there;

  /* A link or the text of a file, pasted; a file, chosen or dropped. */
  const take = async (text) => (/^\s*[{[]/.test(text) ? open(text.trim()) : open(await unpack(text).catch(() => ""), text));
  $("paste").addEventListener("input", (event) => take(event.target.value));
  $("file").addEventListener("change", async (event) => take(await event.target.files[0].text()));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    take(file ? await file.text() : event.dataTransfer.getData("text"));
  });

  $("pieces").innerHTML = given.pieces;
  const link = location.hash.slice(1), brought = $("brought")?.textContent, before = recall("sessionStorage", kept);
  if (link) {
    history.replaceState(null, "", location.pathname + location.search);  // the token is nobody else's business
    take(link);
  } else if (before) open(before.source);
  else if (brought) open(brought);
  else refuse("zug-none", "", "");
  addEventListener("hashchange", () => location.reload());  // another mail's link, while the page is open
  keepPage();
}
