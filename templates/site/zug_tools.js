/* What the shell of a page to lay tiles on needs and that knows nothing of its state (docs/build/touch-board.md). */

export function fill(pattern, params) {
  return pattern.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, name, one, many) => {
    if (!(name in params)) return whole;
    const value = inText(params[name]);
    return one === undefined ? String(value) : `${value} ${Math.abs(value) === 1 ? one : many}`;
  });
}

function inText(value) {
  if (Array.isArray(value)) return value.join(", ");
  return value instanceof Object ? Object.entries(value).map((pair) => pair.join(" ")).join(", ") : value;
}

/* What is filled into a sentence as readers know it: tiles, a direction, a reason, several faults as their own sentences. */
export function readable(params, name, inWords, say) {
  const { tile, tiles, direction, reason, faults } = params;
  return {
    ...params, tile: tile && name(tile), tiles: tiles && tiles.map(name), direction: direction && inWords(direction),
    reason: reason && say(`word.${reason}`), faults: faults && faults.map(({ code, ...rest }) => say(code, rest)).join(" "),
  };
}

export async function unpack(fragment) {
  const bytes = Uint8Array.from(atob(fragment.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(plain).text();
}

/* The answer as a link. Line ends as RFC 6068 wants them. */
export function mailto(reply, lines) {
  const body = encodeURIComponent(lines.join("\r\n")), subject = encodeURIComponent(reply.subject);
  return `mailto:${encodeURIComponent(reply.address).replace("%40", "@")}?subject=${subject}&body=${body}`;
}

/* A move that is to be played only if it scores so much; 0 = in any case. */
export function atLeast(found, least) {
  if (!least || found?.points === undefined) return found;
  const { points } = found;
  if (points < least) return { why: "scores-less", params: { points, at_least: least } };
  return { ...found, text: `${found.text} ab ${least}` };
}

/* A list of alternatives with one more; before a pass at its end, because behind it nothing is tried. */
export function listed(orders, text, pass) {
  if (!text || orders.includes(text)) return [...orders];
  const end = pass && orders.at(-1) === pass ? orders.length - 1 : orders.length;
  return [...orders.slice(0, end), text, ...orders.slice(end)];
}

/* A drawing as a family describes it: [tag, attributes, text or parts]. */
export function drawn([tag, attributes, inside = []]) {
  if (!/^(svg|g|rect|circle|line|polygon|text)$/.test(tag)) throw tag;  // a turn brings no links
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...[inside].flat().map((part) => (Array.isArray(part) ? drawn(part) : String(part))));
  return node;
}

/* A move in the reader's words. Some stand for several (nach Ziehen: bester). */
export function inWordsOf(words) {
  const longest = Object.keys(words).sort((one, other) => other.length - one.length);
  const known = new RegExp(`(?<![\\p{L}\\d])(?:${longest.join("|")})(?![\\p{L}\\d])`, "gu");
  return (text) => text.replace(known, (word) => words[word]);
}

/* What the family calls the spot of an element: a number, or a name. */
export function spotOf({ dataset: { spot } }) {
  return /^\d+$/.test(spot) ? Number(spot) : spot;
}

/* The least part of a table that holds two: left, top, right, bottom. */
export function around(one, other) {
  return one.map((side, at) => (at < 2 ? Math.min : Math.max)(side, other[at]));
}

/* How far a box has to scroll until a square and its neighbours (or the square, in its middle) are in sight. */
export function outOfSight(box, square, central) {
  const by = (from, to, first, last) => {
    const half = (last - first - to + from) / 2, room = to - from;
    return Math.min(0, from - first - (central ? half : 2 * room)) + Math.max(0, to - last + (central ? half : room));
  };
  return [by(square.left, square.right, box.left, box.right), by(square.top, square.bottom, box.top, box.bottom)];
}

/* Says in a line where the match has gone on, as far as the archive knows that this page stands in. The link leaves the
   page open, with what is laid on it. */
export async function lookForNewer(turn, line, t) {
  const code = encodeURIComponent(turn.match), { numbers, pages } = line.dataset;
  line.turn = turn;
  line.replaceChildren();
  const newest = location.protocol.startsWith("http") ? await newestEntry(`${numbers}${code}.now.json`) : 0;
  if (!(newest > turn.entry) || line.turn !== turn) return;
  const link = { href: `${pages}${code}.html`, target: "_blank", textContent: t("zug-newer-link") };
  line.append(t("zug-newer", { entry: newest }), " ", Object.assign(document.createElement("a"), link));
}

async function newestEntry(address) {
  try {
    const answer = await fetch(address, { cache: "no-cache", redirect: "error" });
    return Number((await answer.json()).entry);
  } catch {
    return 0;  // nothing is published, or the network is gone
  }
}

/* A tile of the rack as its family describes it. */
export function paintTile(tile, { letter, mark, kind, says }, say) {
  tile.textContent = letter;
  if (kind) tile.classList.add(kind);
  if (mark) tile.append(Object.assign(document.createElement("small"), { textContent: mark }));
  if (says) tile.setAttribute("aria-label", say(says, { letter, mark }));
}

/* The same of one that is drawn, with what it would score; true = it goes there, without a number, null = it does not. */
export function paintDrawn(tile, { width, height, parts }, name, points, say) {
  const [sign, says] = points === true ? ["✓", say("zug-fits")] : [`+${points}`, say("zug-points", { points })];
  tile.classList.add("face");
  tile.append(drawn(["svg", { width, height, "aria-hidden": true }, parts]));
  if (points !== null) tile.append(Object.assign(document.createElement("small"), { textContent: sign }));
  tile.setAttribute("aria-label", points === null ? name : `${name}: ${says}`);
}

/* Spots of a drawing as buttons, if there is a choice. */
export function spotButtons(box, spots, cursor, { name, say, tap }) {
  box.hidden = spots.length < 2;
  box.replaceChildren(...spots.map(({ spot, open, label }) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: name(spot) });
    button.className = open ? "open" : "";
    button.setAttribute("aria-label", label.map(({ code, params }) => say(code, params)).join(", "));
    button.setAttribute("aria-pressed", spot === cursor);
    button.addEventListener("click", () => tap(spot));
    return button;
  }));
}

/* Paints a row of buttons anew: the focus stays where it was. */
export function keepingFocus(paint) {
  const box = document.activeElement.closest("#rack, #ends, #orders");
  const buttons = () => [...box.querySelectorAll("button:enabled")];
  const at = box ? buttons().indexOf(document.activeElement) : -1;
  paint();
  if (at < 0 || document.activeElement.closest("button")) return;
  (buttons()[at] ?? buttons().at(-1) ?? document.getElementById("undo")).focus();
}

/* Has the browser keep the page for times without a network. From a file it needs nobody to keep it, and without https
   there is nobody. */
export function keepPage() {
  if (location.protocol.startsWith("http")) navigator.serviceWorker?.register("sw.js").catch(() => {});
}
