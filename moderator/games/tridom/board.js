/* Tridom and SuperTridom on the page to lay tiles on (docs/build/touch-board.md): where a tile fits, how it then lies, what it
   scores, and the table as a drawing. Pure functions of the turn (docs/build/turn.md) and of the tile that was laid. */

const STANDING = "nach Ziehen: bester";
const BRIDGE = 40;
const HEXAGON = 50;
const OUT = 25;
const NEAR = 12;  // free places that a sentence names
const HALF = 40;  // half the side of a triangle in pixels
const HIGH = HALF * Math.sqrt(3);
const MARGIN = 6;
const DIGIT = { tall: 0.35, inwards: 0.37 };  // type as part of the side: corners of a tile, …
const KNOWN = { tall: 0.21, inwards: 0.23 };  // known corners of a free cell
const PLACE = 0.33, LONG_PLACE = 0.26;  // place numbers of up to two digits, of three

export const tridom = {
  games: ["tridom", "supertridom"],
  conditional: true,

  /* The position that a turn shows, with nothing laid yet. laid: place -> tile, one at most. */
  start(turn) {
    const { tiles, free } = turn.board, cells = new Map();
    for (const [lies, list] of [[true, tiles], [false, free]]) {
      for (const [place, x, y, corners] of list) cells.set(place, { place, x, y, corners, lies });
    }
    return { turn, cells, taken: new Set(tiles.map(([, x, y]) => `${x},${y}`)), laid: {} };
  },

  /* The place that is shown first. */
  first(position) {
    return position.turn.board.last ?? [...position.cells.keys()][0];
  },

  /* A place as the mails have it: 12 ▼ 3·5·?; the tile that was laid there stands in it already. */
  name(position, place) {
    const cell = position.cells.get(place);
    return `${place} ${pointsUp(cell) ? "▲" : "▼"} ${[...shown(position, cell)].join("·")}`;
  },

  /* The next place in the direction of an arrow key, or the same one. */
  step(position, place, dx, dy) {
    const from = position.cells.get(place);
    let best = Infinity, next = place;
    for (const { place: other, x, y } of position.cells.values()) {
      const across = x - from.x, up = (y - from.y) * Math.sqrt(3), along = dx * across - dy * up;
      const far = along + 2 * Math.abs(dx ? up : across);
      if (along > 0 && far < best) [best, next] = [far, other];
    }
    return next;
  },

  /* The position with this tile laid, or {why, params}. Another one that was laid goes back to the rack. */
  put(position, place, tile) {
    if (!position.turn.rack.includes(tile)) return { why: "not-your-tile", params: { tile } };
    const cell = position.cells.get(place), free = near(position, place);
    if (!cell) return { why: "no-such-place", params: { place, free } };
    if (cell.lies) return { why: "taken", params: { place, free } };
    if (turned(cell, tile)) return { ...position, laid: { [place]: tile } };
    const params = { tile, place, corners: [...cell.corners].join(" · ") };
    return pointsUp(cell) ? { why: "does-not-fit-up", params } : { why: "does-not-fit-down", params };
  },

  take(position) {
    return { ...position, laid: {} };
  },

  /* What a tile would score on a place; null where it does not fit. */
  worth(position, place, tile) {
    const cell = position.cells.get(place);
    if (cell.lies || !turned(cell, tile)) return null;
    return bonuses(position, cell).reduce((sum, note) => sum + note.params.points, value(tile));
  },

  /* What is laid, as a move: {text, words: [{word, points}], notes: [{code, params}], points}; null = nothing is laid. */
  judge(position) {
    const [found] = Object.entries(position.laid);
    if (!found) return null;
    const place = Number(found[0]), tile = found[1], notes = bonuses(position, position.cells.get(place));
    const words = notes.length ? [{ word: tile, points: value(tile) }] : [];  // alone they are the sum
    if (position.turn.rack.length === 1) notes.push({ code: "zug-out", params: { extra: OUT } });
    return { text: `${tile}@${place}`, words, notes, points: tridom.worth(position, place, tile) };
  },

  /* The order to lay at the best place after every forced draw. After one, that is this move; before, it waits. */
  standing(position) {
    const { rack, board } = position.turn, drawn = rack[rack.length - 1];
    const found = board.drawn ? [...position.cells.keys()].map((place) => [place, tridom.worth(position, place, drawn)]) : [];
    const [best] = found.filter(([, points]) => points !== null).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    if (!best) return { text: STANDING, notes: [{ code: "no-draw", params: {} }] };
    return { ...tridom.judge(tridom.put(position, best[0], drawn)), text: STANDING };
  },

  /* The table: {width, height, spots: [{spot, open, kind, at, label: [{code, params}], parts}]}. Open are places where the
     picked tile fits, or any of the rack. */
  draw(position, picked) {
    const cells = [...position.cells.values()], frame = framed(cells);
    const spots = cells.map((cell) => {
      const own = position.laid[cell.place], lies = cell.lies || own, points = triangle(cell, frame);
      const fit = cell.lies ? [] : [...new Set(position.turn.rack)].filter((tile) => turned(cell, tile));
      const last = cell.place === position.turn.board.last;
      return {
        spot: cell.place, open: !lies && (picked ? fit.includes(picked) : fit.length > 0),
        kind: [lies ? "lies" : "free", own && "own", last && "fresh"].filter(Boolean).join(" "), at: middle(points),
        label: told(cell, own, shown(position, cell), last, fit),
        parts: lies ? tileParts(points, shown(position, cell), 2 * HALF) : freeParts(points, cell),
      };
    });
    return { width: frame.width, height: frame.height, spots };
  },

  /* A tile of the rack, drawn: its first number at the tip. */
  face(tile) {
    const side = 60, points = [[side / 2, 1], [side - 1, 53], [1, 53]];
    return { width: side, height: 54, parts: tileParts(points, tile, side) };
  },
};

/* ---- geometry: RULES.md ---- */

function pointsUp({ x, y }) {
  return (x + y) % 2 === 0;
}

/* The corners, clockwise from the tip. */
function corners(cell) {
  const { x, y } = cell;
  return pointsUp(cell) ? [[x, y + 1], [x + 1, y], [x - 1, y]] : [[x, y], [x - 1, y + 1], [x + 1, y + 1]];
}

/* The cells over the three sides. */
function neighbours(cell) {
  const { x, y } = cell;
  return [[x - 1, y], [x + 1, y], pointsUp(cell) ? [x, y - 1] : [x, y + 1]];
}

/* How a tile lies in a free cell; undefined = it does not fit. */
function turned(cell, tile) {
  const ways = [tile, tile.slice(1) + tile[0], tile[2] + tile.slice(0, 2)];
  return ways.find((way) => [...cell.corners].every((sign, at) => sign === "?" || sign === way[at]));
}

function shown(position, cell) {
  const own = position.laid[cell.place];
  return own ? turned(cell, own) : cell.corners;
}

/* The free places that are nearest to a number. */
function near(position, number) {
  const free = [...position.cells.values()].filter((cell) => !cell.lies).map((cell) => cell.place);
  const far = (place) => Math.abs(place - number);
  return free.sort((a, b) => far(a) - far(b) || a - b).slice(0, NEAR).sort((a, b) => a - b);
}

/* ---- points ---- */

function value(tile) {
  return [...tile].reduce((sum, digit) => sum + Number(digit), 0);
}

/* What counts beside the numbers: a form that the tile completes, the highest of them or all. */
function bonuses(position, cell) {
  if (cell.corners.includes("?")) return [];
  const { options } = position.turn, lies = ([x, y]) => position.taken.has(`${x},${y}`);
  const code = neighbours(cell).filter(lies).length === 1 ? "bonus-bridge" : "bonus-sides";
  const bridge = { code, params: { points: BRIDGE } };
  const count = corners(cell).filter((point) => meeting(point, cell).every(lies)).length;
  if (!count) return [bridge];
  const points = HEXAGON + (count - 1) * (options.double_hexagon - HEXAGON);
  const hexagon = { code: "bonus-hexagon", params: { count, points } };
  return options.bonus === "highest" ? [hexagon] : [hexagon, bridge];
}

/* The other five cells that meet in a corner of a cell. */
function meeting([x, y], cell) {
  const all = [-1, 0, 1].flatMap((dx) => [[x + dx, y], [x + dx, y - 1]]);
  return all.filter(([a, b]) => a !== cell.x || b !== cell.y);
}

/* ---- the drawing: as the picture of the mails has it ---- */

function framed(cells) {
  const xs = cells.map((cell) => cell.x), ys = cells.map((cell) => cell.y);
  const left = Math.min(...xs) - 1, top = Math.max(...ys) + 1;
  const width = (Math.max(...xs) + 1 - left) * HALF + 2 * MARGIN, height = (top - Math.min(...ys)) * HIGH + 2 * MARGIN;
  return { left, top, width: Math.ceil(width), height: Math.ceil(height) };
}

function triangle(cell, frame) {
  return corners(cell).map(([x, y]) => [MARGIN + (x - frame.left) * HALF, MARGIN + (frame.top - y) * HIGH]);
}

function middle(points) {
  return [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / 3);
}

function towards(from, to, length) {
  const part = length / Math.hypot(to[0] - from[0], to[1] - from[1]);
  return from.map((one, axis) => one + (to[axis] - one) * part);
}

function outline(points, gap, name) {
  const shape = points.map((point) => towards(point, middle(points), 2 * gap).map((one) => one.toFixed(1)).join(","));
  return ["polygon", { class: name, points: shape.join(" ") }];
}

function written([x, y], tall, text, name) {
  return ["text", { class: name, x: x.toFixed(1), y: (y + tall * 0.36).toFixed(1), "font-size": tall.toFixed(1) }, text];
}

function numbers(points, signs, { tall, inwards }, side, name) {
  const known = points.map((point, at) => [towards(point, middle(points), inwards * side), signs[at]]);
  return known.filter(([, sign]) => sign !== "?").map(([at, sign]) => written(at, tall * side, sign, name));
}

function tileParts(points, signs, side) {
  const parts = [outline(points, 0, "whole"), outline(points, 1.5, "edge")];
  if (new Set(signs).size === 1) {
    const [cx, cy] = middle(points).map((one) => one.toFixed(1));
    parts.push(["circle", { class: "triple", cx, cy, r: (side * 0.045).toFixed(1) }]);
  }
  return [...parts, ...numbers(points, signs, DIGIT, side, "ink")];
}

function freeParts(points, cell) {
  const place = String(cell.place), side = 2 * HALF, tall = side * (place.length < 3 ? PLACE : LONG_PLACE);
  return [outline(points, 0, "whole"), outline(points, 2.5, "edge"), written(middle(points), tall, place, "label"),
    ...numbers(points, cell.corners, KNOWN, side, "label")];
}

/* A place as a screen reader says it. */
function told(cell, own, signs, last, fit) {
  const tip = pointsUp(cell) ? "zug-tip-up" : "zug-tip-down", lies = cell.lies || own;
  const label = [{ code: "zug-place", params: { place: cell.place } }, { code: lies ? "zug-lying" : "zug-free" },
    { code: tip, params: { corners: [...signs].join(" · ") } }];
  if (own) label.push({ code: "zug-own" });
  if (last) label.push({ code: "zug-last" });
  if (!lies) label.push(fit.length ? { code: "zug-fit", params: { tiles: fit } } : { code: "zug-fit-none" });
  return label;
}
