/* Domi Jongg on the touch board (docs/build/touch-board.md): chains and forks, laid tile for tile. What may lie at what, and
   what a turn is worth, stands in the turn (docs/build/turn.md); where own tiles lie the referee decides anew. */

import { laying } from "./zug_laying.js";

const SIDES = { 1: "board.left", 2: "board.right" }, COLUMNS = 9, LEAST_ROWS = 3, MARGIN = 3;
const JOINT = { stroke: "#8A8271", "stroke-width": 9, "pointer-events": "none" };
const DOTTED = { ...JOINT, "stroke-width": 4, "stroke-dasharray": "3 3" }, RADIUS = 15;
const SIGNS = "abcdefghijklmnopqrstuvwxyz";

export const domijongg = {
  games: ["domijongg"],
  ...laying,
  conditional: true,
  printed: undefined,

  /* The position that a turn shows, with nothing laid yet. snake: every tile {tile, at, cell, step}, by number; tips and
     labels: for each head the number of the tile at its end, and the cell of its number; steps: [{head, tile}] as they
     were laid; pending: the first tile of a fork that waits for the second; parts: [{head, items}] of the turn; laid:
     spot -> tile of what was laid now. */
  start(turn) {
    if (!turn.picture) throw Object.assign(new Error("no picture"), { why: "zug-old" });
    return replayed(turn, []);
  },

  /* What stands above the table besides who plays: [{code, params}]. */
  about: ({ turn: { stock } }) => [stock ? { code: "stock", params: { count: stock } } : { code: "mail.stock-none" }],

  first(position) {
    const heads = position.tips.map((_, at) => at + 1);
    return heads.find((head) => fitting(position, head).length) ?? 1;
  },

  name({ snake, tips }, spot) {
    return isHead(spot) ? `${spot}: ${snake[tips[spot - 1]].tile}` : snake[indexOf(spot)].tile;
  },

  /* What is still in the rack. */
  left({ turn, steps }) {
    return without(turn.rack, steps.map(({ tile }) => tile));
  },

  /* The position with one more tile at a head, or at the tile at its end, or {why, params}. */
  put(position, spot, tile) {
    const head = headOf(position, spot), { turn, pending } = position;
    if (!head) return { why: "zug-at-head", params: {} };
    if (pending && head !== pending.head) return { why: "zug-fork", params: pending };
    const legal = fitting(position, head).includes(tile);
    return legal ? replayed(turn, [...position.steps, { head, tile }]) : { why: "zug-fits-not", params: { tile } };
  },

  /* Without a tile that is laid now and what was laid after it; of a head, without the last one. */
  take({ turn, snake, steps }, spot) {
    const last = steps.length - 1, at = isHead(spot) ? last : snake[indexOf(spot)].step ?? last;
    return replayed(turn, steps.slice(0, Math.max(at, 0)));
  },

  /* What a tile would add there; null where it does not fit. */
  worth(position, spot, tile) {
    const after = domijongg.put(position, spot, tile);
    if (after.why) return null;
    return after.pending ? 1 : scored(after).points - scored(position).points;
  },

  /* What is laid, as a turn: {text, points, notes: [{code, params}]}, or {why, params}; null = nothing is laid. */
  judge(position) {
    const { parts, pending } = position;
    if (pending) return { why: "zug-fork", params: pending };
    if (!parts.length) return null;
    const chain = ({ head, items }) => `${head}: ${items.map((item) => item.join("+")).join(", ")}`;
    return { text: parts.map(chain).join("; "), ...scored(position) };
  },

  /* The table: {width, height, spots: [{spot, open, kind, at, label: [{code, params}], parts}]}. */
  draw(position, picked) {
    const { turn: { picture: { unit: [across, down] } }, snake, labels, tips } = position, signs = jumps(snake);
    const bottom = Math.max(LEAST_ROWS, ...[...snake.map(({ cell }) => cell), ...labels].map(([, y]) => y + 1));
    const tiles = snake.map((_, at) => drawnTile(position, at, signs)),
      heads = tips.map((_, at) => drawnHead(position, at + 1, picked));
    return { width: 2 * MARGIN + COLUMNS * across, height: 2 * MARGIN + bottom * down, spots: [...tiles, ...heads] };
  },

  /* A tile of the rack, drawn. */
  face(tile) {
    return { width: 46, height: 58, parts: tileParts(tile, [23, 29], 0.82) };
  },
};

/* ---- what may be laid ---- */

/* The tiles of the rack that can go to a head now. */
function fitting(position, head) {
  const { turn: { picture }, snake, tips, pending, parts } = position, lying = snake[tips[head - 1]].tile;
  const held = [...new Set(domijongg.left(position))], fork = picture.fork[lying] ?? [], first = parts[0]?.head ?? head;
  if (head !== first && head <= picture.free.length) return [];  // a turn goes on only at heads that it opened
  if (pending) return pending.head === head ? held.filter((tile) => fork.includes(tile)) : [];
  const partners = (tile) => without(domijongg.left(position), [tile]).some((one) => fork.includes(one));
  const forks = (tile) => tips.length < picture.worth.heads && fork.includes(tile) && partners(tile);
  return held.filter((tile) => picture.follow[lying]?.includes(tile) || forks(tile));
}

function without(rack, gone) {
  const kept = [...rack];
  for (const tile of gone) if (kept.includes(tile)) kept.splice(kept.indexOf(tile), 1);
  return kept;
}

/* ---- laying ---- */

/* The position after these steps, each of which is allowed. */
function replayed(turn, steps) {
  const { lies, free } = turn.picture;
  const snake = lies.map(([x, y, tile, back], number) => ({ tile, at: back ? number - back : -1, cell: [x, y] }));
  const tips = free.map(([, , , tip]) => tip), labels = free.map(([, x, y]) => [x, y]);
  return steps.reduce(laidAt, { turn, snake, tips, labels, steps, pending: null, parts: [], laid: {} });
}

function laidAt(position, { head, tile }, step) {
  const { turn: { picture }, snake, tips, parts, pending } = position, at = tips[head - 1];
  if (!pending && picture.fork[snake[at].tile]?.includes(tile)) return { ...position, pending: { head, tile, step } };
  const item = pending ? [pending.tile, tile] : [tile], last = parts.at(-1), goesOn = last?.head === head;
  const chain = { head, items: [...(goesOn ? last.items : []), item] }, before = goesOn ? parts.slice(0, -1) : parts;
  const after = added({ ...position, pending: null, parts: [...before, chain] }, head, at, item[0], pending?.step ?? step);
  return pending ? added(after, tips.length + 1, at, tile, step) : after;
}

/* A tile that becomes this head. It goes where the head's number stood, which goes on; without room, to a row below. */
function added({ snake, tips, labels, laid, ...position }, head, at, tile, step) {
  const others = labels.filter((_, number) => number !== head - 1), taken = [...snake.map((one) => one.cell), ...others];
  const from = snake[at].cell, cell = labels[head - 1] ?? roomBeside(from, taken);
  const ahead = cell.map((one, axis) => 2 * one - from[axis]);
  const label = roomBeside(cell, [...taken, cell], ahead), number = snake.length;
  const put = (list, value) => [...list.slice(0, head - 1), value, ...list.slice(head)];
  return {
    ...position, snake: [...snake, { tile, at, cell, step }], tips: put(tips, number), labels: put(labels, label),
    laid: { ...laid, [`t${number}`]: tile },
  };
}

function roomBeside([x, y], taken, ahead = [x, y + 1]) {
  const cells = new Set(taken.map(String));
  const free = (cell) => cell[0] >= 0 && cell[0] < COLUMNS && cell[1] >= 0 && !cells.has(String(cell));
  const beside = [ahead, [x + 1, y], [x - 1, y], [x, y + 1], [x, y - 1]].filter((one) => besides(one, [x, y]));
  return beside.find(free) ?? [x, Math.max(...taken.map((one) => one[1])) + 1];
}

function besides([x, y], [left, top]) {
  return Math.abs(x - left) + Math.abs(y - top) === 1;
}

function scored({ turn: { rack, picture: { worth, lies, free } }, tips, parts, steps }) {
  const [first] = parts, forks = tips.length - free.length, notes = [];
  const same = first && first.items[0].join() === lies[free[first.head - 1][3]][2];
  if (same) notes.push({ code: "bonus-same", params: { tile: first.items[0][0], points: worth.same } });
  if (forks) notes.push({ code: "bonus-fork", params: { count: forks, points: forks * worth.fork } });
  if (steps.length === rack.length) notes.push(...worth.hand.map(([points, code]) => ({ code, params: { points } })));
  return { points: notes.reduce((sum, { params }) => sum + params.points, 0), notes };
}

/* ---- spots: heads by number, tiles by name ---- */

const isHead = (spot) => typeof spot === "number";
const indexOf = (spot) => Number(spot.slice(1));

/* The head that is meant; a tile is that of which it alone is the end. */
function headOf({ tips }, spot) {
  if (isHead(spot)) return spot;
  const heads = tips.flatMap((tip, at) => (tip === indexOf(spot) ? [at + 1] : []));
  return heads.length === 1 ? heads[0] : null;
}

/* ---- the picture ---- */

function middle({ turn: { picture: { unit } } }, cell) {
  return cell.map((one, axis) => MARGIN + unit[axis] * (one + 0.5));
}

/* Where a head goes on elsewhere both tiles carry the same letter: number of a tile -> letters. */
function jumps(snake) {
  const found = {};
  snake.filter(({ at, cell }) => at >= 0 && !besides(cell, snake[at].cell)).forEach((one, count) => {
    for (const number of [one.at, snake.indexOf(one)]) found[number] = (found[number] ?? "") + SIGNS[count % SIGNS.length];
  });
  return found;
}

function tileParts(tile, [x, y], scale = 0.65) {
  const name = ["text", { class: "ink", x: 6 * tile.length - 21, y: -16, "font-size": 17 }, tile];
  const parts = [["use", { class: "edge", href: "#p-k" }], ["use", { href: `#p-${tile}`, y: 10 }], name];
  return [["g", { transform: `translate(${x} ${y}) scale(${scale})`, "font-weight": 700 }, parts]];
}

/* A tile that lies, with what joins it to those laid at it. */
function drawnTile(position, number, signs) {
  const { snake, turn: { picture: { lies, fresh } } } = position;
  const { tile, cell, step } = snake[number], [x, y] = middle(position, cell);
  const own = step !== undefined, last = !own && number >= lies.length - fresh;
  const joined = snake.filter((one) => one.at === number && besides(one.cell, cell)).map((one) => {
    const [x2, y2] = middle(position, one.cell);
    return ["line", { ...JOINT, x1: x, y1: y, x2, y2 }];
  });
  const label = [{ code: "zug-tile", params: { tile } }];
  if (!number) label.push({ code: "zug-single" });
  if (last) label.push({ code: "zug-last" });
  if (own) label.push({ code: "zug-own" });
  const sign = signs[number] ? [["text", { class: "ink", x: x + 10, y: y - 12, "font-size": 11 }, signs[number]]] : [];
  const start = number ? [] : [["use", { href: "#p-s", transform: `translate(${x} ${y}) scale(0.65)` }]];
  return {
    spot: `t${number}`, open: false, kind: `lies${own ? " own" : last ? " fresh" : ""}`, at: [x, y], label,
    parts: [...joined, ...tileParts(tile, [x, y]), ...sign, ...start],
  };
}

/* The number of a head, where its next tile comes to lie; what can be tapped is as large as a cell. */
function drawnHead(position, head, picked) {
  const { snake, tips, labels, pending, turn: { picture: { unit: [width, height] } } } = position;
  const tip = snake[tips[head - 1]], label = labels[head - 1], fits = fitting(position, head);
  const [cx, cy] = middle(position, label), [x, y] = middle(position, tip.cell);
  const [dx, dy] = [Math.sign(x - cx), Math.sign(y - cy)];
  const line = { ...DOTTED, x1: cx + RADIUS * dx, y1: cy + RADIUS * dy, x2: (cx + x) / 2, y2: (cy + y) / 2 };
  const fit = fits.length ? { code: "zug-fit", params: { tiles: fits } } : { code: "zug-fit-none" };
  const waits = pending?.head === head ? [{ code: "zug-fork", params: pending }] : [];
  return {
    spot: head, open: picked ? fits.includes(picked) : fits.length > 0, kind: "free", at: [cx, cy],
    label: [
      { code: SIDES[head] ?? "board.head", params: { head } }, { code: "zug-end", params: { tile: tip.tile } }, ...waits, fit,
    ],
    parts: [
      ["rect", { class: "whole", x: cx - width / 2 - 3, y: cy - height / 2, width: width + 6, height }],
      ...(besides(label, tip.cell) ? [["line", line]] : []),
      ["use", { class: "edge", href: "#p-n", x: cx, y: cy }],
      ["text", { class: "label", x: cx, y: cy + 5, "font-size": 15 }, String(head)],
    ],
  };
}
