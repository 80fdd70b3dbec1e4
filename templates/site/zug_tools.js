/* What the shell of a touch board needs and that knows nothing of its state (docs/build/touch-board.md). */

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

/* The turn in a link, whatever a mail program has made of the link: coded once more, wrapped, quoted, with more behind it.
   Of a link that was cut, its beginning. */
export async function unpack(link) {
  const decoded = link.replace(/%(25)+/g, "%").replace(/%([\da-f]{2})/gi, (_, code) => (
    String.fromCharCode(parseInt(code, 16))
  ));
  const [packed] = decoded.slice(decoded.lastIndexOf("#") + 1).split(/[?&<]/);
  const signs = packed.replace(/-/g, "+").replace(/_/g, "/").replace(/[^\w+/]/g, "");
  const bytes = Uint8Array.from(atob(signs.slice(0, signs.length - (signs.length % 4 === 1))), (sign) => sign.charCodeAt(0));
  const read = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const text = new TextDecoder();
  let found = "";
  try {
    for (let part = await read.read(); !part.done; part = await read.read()) found += text.decode(part.value, { stream: true });
  } catch {
    return found;  // it was cut, or something is left behind its end
  }
  return found;
}

/* A text as {turn}, or why the page cannot show it: {wrong, game}. elsewhere: game -> its name and page. */
export function readTurn(text, games, elsewhere) {
  let turn = null;
  try {
    turn = JSON.parse(text);
  } catch {
    return { wrong: text.startsWith("{") ? "zug-cut" : "zug-none" };
  }
  if (!turn?.turn || !turn.game) return { wrong: "zug-none" };
  if (turn.turn === 1 && games.includes(turn.game)) return { turn };
  return { wrong: turn.turn === 1 && elsewhere[turn.game] ? "zug-other" : "zug-renewed", game: turn.game };
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

export function made(tag, values, ...inside) {
  const node = Object.assign(document.createElement(tag), values);
  node.append(...inside);
  return node;
}

/* A drawing as a family describes it: [tag, attributes, text or parts]. */
export function drawn([tag, attributes, inside = []]) {
  const known = /^(svg|g|rect|circle|line|polygon|text|use)$/.test(tag), elsewhere = /^[^#]/.test(attributes.href ?? "#");
  if (!known || elsewhere) throw tag;  // a turn brings no links
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

/* ---- where things are ---- */

const REACH = 40;  // pixels from its middle in which a spot of a drawing is meant

/* The least box that holds two: left, top, right, bottom. */
export function around(one, other) {
  return one.map((side, at) => (at < 2 ? Math.min : Math.max)(side, other[at]));
}

export function boxOf(node) {
  const { left, top, right, bottom } = node.getBoundingClientRect();
  return [left, top, right, bottom];
}

/* The nearest of some spots, or null: a square reaches over its edge, a spot of a drawing as far as a finger. */
export function nearest(spots, x, y) {
  let least = 1, found = null;
  for (const spot of spots) {
    const box = spot.getBoundingClientRect(), reach = spot instanceof SVGElement ? REACH : box.width * 0.6;
    const far = Math.hypot(box.left + box.width / 2 - x, box.top + box.height / 2 - y) / reach;
    if (far < least) [least, found] = [far, spot];
  }
  return found;
}

/* How far a box has to scroll until another one (and room around it), or its middle, is in sight. */
export function outOfSight(box, [left, top, right, bottom], room, central) {
  const by = (from, to, first, last) => {
    if (central) return (from + to - first - last) / 2;
    return Math.min(0, from - first - room) + Math.max(0, to - last + room);
  };
  return [by(left, right, box[0], box[2]), by(top, bottom, box[1], box[3])];
}

/* How far a box scrolls while something is held at its edge; null = it is held elsewhere. */
export function atEdge([left, top, right, bottom], x, y) {
  const by = (at, first, last) => (at < first + REACH ? -8 : at > last - REACH ? 8 : 0);
  return x < left || x > right || y < top || y > bottom ? null : [by(x, left, right), by(y, top, bottom)];
}

/* ---- what stays ---- */

/* What a browser keeps of this page: of this tab alone, or for good. A browser may refuse. */
export function recall(storage, key) {
  try {
    return JSON.parse(window[storage].getItem(key));
  } catch {
    return null;
  }
}

export function remember(storage, key, value) {
  try {
    window[storage].setItem(key, JSON.stringify(value));
  } catch { /* then it is forgotten with the page */ }
}

/* Copies a text where there is no https, too; it stays selected. */
export function copy(node) {
  getSelection().selectAllChildren(node);
  return document.execCommand("copy");
}

/* The number of the newest entry of the match, as far as the archive knows that this page stands in; 0 = it knows nothing. */
export async function newestEntry(address) {
  try {
    const answer = await fetch(address, { cache: "no-cache", redirect: "error" });
    return Number((await answer.json()).entry) || 0;
  } catch {
    return 0;  // nothing is published, or the network is gone
  }
}

/* A tile of the rack as its family describes it. */
export function paintTile(tile, { letter, mark, kind, says }, say) {
  tile.textContent = letter;
  if (kind) tile.classList.add(kind);
  if (mark) tile.append(made("small", { textContent: mark }));
  if (says) tile.setAttribute("aria-label", say(says, { letter, mark }));
}

/* The same of one that is drawn, with what it would score; true = it goes there, without a number, null = it does not. */
export function paintDrawn(tile, { width, height, parts }, name, points, say) {
  const [sign, says] = points > 0 && points !== true ? [`+${points}`, say("zug-points", { points })] : ["✓", say("zug-fits")];
  tile.classList.add("face");
  tile.append(drawn(["svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": true }, parts]));
  if (points !== null) tile.append(made("small", { textContent: sign }));
  tile.setAttribute("aria-label", points === null ? name : `${name}: ${says}`);
}

/* Paints a row of buttons anew: the focus stays where it was. */
export function keepingFocus(paint) {
  const box = document.activeElement.closest("#rack, #orders"), buttons = () => [...box.querySelectorAll("button:enabled")];
  const at = box ? buttons().indexOf(document.activeElement) : -1;
  paint();
  if (at < 0 || document.activeElement.closest("button")) return;
  (buttons()[at] ?? buttons().at(-1) ?? document.getElementById(box.id === "rack" ? "undo" : "change")).focus();
}

/* Has the browser keep the page for times without a network. From a file it needs nobody to keep it, and without https
   there is nobody. */
export function keepPage() {
  if (location.protocol.startsWith("http")) navigator.serviceWorker?.register("sw.js").catch(() => {});
}
