/* Domi Jongg on the page to lay tiles on (docs/build/touch-board.md): what may lie at what, chains and forks, what a turn is called
   and what it scores, the snake as it is drawn. Pure functions of the turn (docs/build/turn.md) and of what was laid so far. */

import { COLUMNS, cellOf, forked, grown, planned } from "./layout.js";

const WINDS = ["E", "S", "W", "N"], DRAGONS = ["DR", "DG", "DW"], SPECIALS = "FJ";
const REASONS = { suit: "word.at-suit", wind: "word.at-wind", dragon: "word.at-dragon", special: "word.at-special" };
const SIDES = { 1: "board.left", 2: "board.right" };
const HANDS = { 2: 6, 3: 5 }, SMALL_HAND = 4;

export const domijongg = {
  games: ["domijongg"],
  conditional: true,

  /* The position that a turn shows, with nothing laid yet. snake: every tile {tile, at, head, cell, step}, by number; tips:
     for each head the number of the tile at its end; steps: [{head, tile}] as they were laid; pending: the first tile of a
     fork that waits for the second; parts: [{head, items}] of the turn; laid: spot -> tile of what was laid now. */
  start(turn) {
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

  /* The next spot in the direction of an arrow key, or the same one. */
  step(position, spot, dx, dy) {
    const every = spotsAt(position), [x, y] = every.find((one) => one.spot === spot).cell;
    let least = Infinity, found = spot;
    for (const { spot: other, cell } of every) {
      const ahead = dx * (cell[0] - x) + dy * (cell[1] - y), aside = Math.abs(dx ? cell[1] - y : cell[0] - x);
      if (ahead > 0 && ahead + 2 * aside < least) [least, found] = [ahead + 2 * aside, other];
    }
    return found;
  },

  /* What is still in the rack. */
  left({ turn, steps }) {
    return without(turn.rack, steps.map(({ tile }) => tile));
  },

  /* The position with one more tile at a head, or at the tile at its end, or {why, params}. */
  put(position, spot, tile) {
    const head = headOf(position, spot), { turn, snake, tips, pending, parts, steps } = position;
    if (!head) return { why: "zug-at-head", params: {} };
    if (pending && head !== pending.head) return { why: "zug-fork", params: pending };
    const first = parts[0]?.head ?? head, lying = snake[tips[head - 1]].tile, params = { tile, lying, head };
    if (head !== first && head <= turn.board.heads.length) return { why: "other-head", params: { head, first } };
    const fork = branches(lying, tile), after = [...steps, { head, tile }];
    if (pending && !fork) return { why: "fork-does-not-fit", params };
    if (pending || follows(lying, tile)) return replayed(turn, after);
    if (!fork) return { why: "does-not-fit", params: { ...params, reason: REASONS[kind(lying)].slice("word.".length) } };
    const limit = turn.options.max_heads, partners = without(domijongg.left(position), [tile]);
    if (tips.length >= limit) return { why: "too-many-heads", params: { limit } };
    return partners.some((one) => branches(lying, one)) ? replayed(turn, after) : { why: "fork-needed", params };
  },

  /* Without a tile that is laid now and what was laid after it; of a head, without the last one. */
  take({ turn, snake, steps }, spot) {
    const last = steps.length - 1, at = isHead(spot) ? last : snake[indexOf(spot)].step ?? last;
    return replayed(turn, steps.slice(0, Math.max(at, 0)));
  },

  /* What a tile would add there; null where it does not fit. */
  worth(position, spot, tile) {
    const after = domijongg.put(position, spot, tile), now = scored(position).points;
    if (after.why) return null;
    return after.pending ? 1 : scored(after).points - now;
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
    const { snake, tips } = position, marks = jumps(snake);
    const bottom = Math.max(LEAST_ROWS, ...spotsAt(position).map(({ cell }) => cell[1] + 1));
    const tiles = snake.map((_, at) => drawnTile(position, at, marks));
    const heads = tips.map((_, at) => drawnHead(position, at + 1, picked));
    return { width: 2 * MARGIN + COLUMNS * ACROSS, height: 2 * MARGIN + bottom * DOWN, spots: [...tiles, ...heads] };
  },

  /* A tile of the rack, drawn. */
  face(tile) {
    return { width: 44, height: 54, parts: faceParts(tile, 22, 27, 1.2) };
  },
};

/* ---- what may lie at what ---- */

function kind(tile) {
  return WINDS.includes(tile) ? "wind" : DRAGONS.includes(tile) ? "dragon" : SPECIALS.includes(tile[0]) ? "special" : "suit";
}

function follows(lying, tile) {
  const at = kind(lying), one = kind(tile);
  if (at === "dragon") return one === "dragon" || one === "wind";
  if (at === "wind") return one !== "suit";
  const alike = (one === "suit" || one === "special") && tile[1] === lying[1];
  if (at === "special") return one === "special" && (alike || tile[0] === lying[0]);
  return alike || (one === "suit" && tile[0] === lying[0]);
}

/* Whether a tile may be one of the two of a fork. */
function branches(lying, tile) {
  return kind(lying) === "special" && (kind(tile) === "wind" || (kind(tile) === "suit" && tile[1] === lying[1]));
}

/* The tiles of the rack that can go to a head. */
function fitting(position, head) {
  return [...new Set(domijongg.left(position))].filter((tile) => !domijongg.put(position, head, tile).why);
}

function without(rack, gone) {
  const kept = [...rack];
  for (const tile of gone) if (kept.includes(tile)) kept.splice(kept.indexOf(tile), 1);
  return kept;
}

/* ---- laying ---- */

/* The position after these steps, each of which is allowed. */
function replayed(turn, steps) {
  const snake = turn.board.snake.map(([tile, at, head, x, y]) => ({ tile, at, head, cell: [x, y] }));
  const tips = turn.board.heads.map((_, at) => Math.max(0, snake.findLastIndex(({ head }) => head === at + 1)));
  const ends = tips.map((tip, at) => [snake[tip].cell, turn.board.labels[at], kind(snake[tip].tile) === "special"]);
  let position = {
    turn, snake, tips, steps, pending: null, parts: [], laid: {}, plan: planned(snake.map(({ cell }) => cell), ends),
  };
  steps.forEach(({ head, tile }, step) => { position = laidAt(position, head, tile, step); });
  return position;
}

function laidAt(position, head, tile, step) {
  const { snake, tips, parts, laid, pending } = position, lying = snake[tips[head - 1]].tile;
  if (!pending && branches(lying, tile)) return { ...position, pending: { head, tile, step } };
  const at = tips[head - 1], number = snake.length, new_ = tips.length + 1, fork = Boolean(pending);
  const plan = fork ? forked(position.plan, head - 1) : grown(position.plan, head - 1, kind(tile) === "special");
  const cell = (one) => cellOf(plan.tips[one - 1].at);
  const added = fork
    ? [{ ...pending, at, cell: cell(head) }, { tile, at, head: new_, cell: cell(new_), step }]
    : [{ tile, at, head, cell: cell(head), step }];
  const ends = [...tips.slice(0, head - 1), number, ...tips.slice(head), ...(fork ? [number + 1] : [])];
  return {
    ...position, plan, snake: [...snake, ...added], tips: ends, pending: null,
    parts: withItem(parts, head, added.map((one) => one.tile)),
    laid: { ...laid, ...Object.fromEntries(added.map((one, more) => [spotOfTile(number + more), one.tile])) },
  };
}

/* What follows at the same head is one chain. */
function withItem(parts, head, item) {
  const last = parts.at(-1);
  if (last?.head !== head) return [...parts, { head, items: [item] }];
  return [...parts.slice(0, -1), { head, items: [...last.items, item] }];
}

/* ---- points ---- */

function scored({ turn, tips, parts }) {
  const { rack, stock, scores, options, board } = turn, notes = [];
  const add = (code, points, params = {}) => notes.push({ code, params: { ...params, points } });
  const [first] = parts, tiles = parts.flatMap(({ items }) => items.flat()).length, forks = tips.length - board.heads.length;
  const full = options.start_count ?? HANDS[scores.length] ?? SMALL_HAND, whole = tiles === rack.length;
  if (first && first.items[0].join() === board.heads[first.head - 1]) add("bonus-same", 1, { tile: first.items[0][0] });
  if (forks) add("bonus-fork", forks, { count: forks });
  if (whole) add(rack.length > full ? "bonus-large-hand" : "bonus-hand", rack.length > full ? 2 : 1);
  if (whole && !stock) add("bonus-last", 2);
  const draws = Math.min(stock, Math.max(0, full - rack.length + tiles));
  const drawn = draws ? [{ code: "zug-draws", params: { count: draws } }] : [];
  return { points: notes.reduce((sum, { params }) => sum + params.points, 0), notes: [...notes, ...drawn] };
}

/* ---- spots: heads by number, tiles by name ---- */

const isHead = (spot) => typeof spot === "number";
const spotOfTile = (number) => `t${number}`;
const indexOf = (spot) => Number(spot.slice(1));

/* The head that is meant; a tile is that of which it alone is the end. */
function headOf({ tips }, spot) {
  if (isHead(spot)) return spot;
  const heads = tips.flatMap((tip, at) => (tip === indexOf(spot) ? [at + 1] : []));
  return heads.length === 1 ? heads[0] : null;
}

function spotsAt({ snake, plan }) {
  return [
    ...snake.map(({ cell }, number) => ({ spot: spotOfTile(number), cell })),
    ...plan.tips.map(({ label }, at) => ({ spot: at + 1, cell: cellOf(label) })),
  ];
}

/* ---- the picture ---- */

const LEAST_ROWS = 3, ACROSS = 39, DOWN = 48, MARGIN = 2, FINGER = 46, RADIUS = 15;
const TONES = { B: "#1B6B2F", K: "#0B5394", T: "#B3261E", F: "#6A1B8A", J: "#6A1B8A", DR: "#B3261E", DG: "#1B6B2F" };
const BLACK = "#1B1B1B", JOINT = { stroke: "#8A8271", "stroke-width": 9, "pointer-events": "none" };
const MARKS = "abcdefghijklmnopqrstuvwxyz";

function middle([x, y]) {
  return [MARGIN + ACROSS * (x + 0.5), MARGIN + DOWN * (y + 0.5)];
}

function beside([x, y], [left, top]) {
  return Math.abs(x - left) + Math.abs(y - top) === 1;
}

/* Where a head goes on elsewhere both tiles carry the same letter: number of a tile -> letters. */
function jumps(snake) {
  const found = {};
  snake.filter(({ at, cell }) => at >= 0 && !beside(cell, snake[at].cell)).forEach((one, count) => {
    for (const number of [one.at, snake.indexOf(one)]) found[number] = (found[number] ?? "") + MARKS[count % MARKS.length];
  });
  return found;
}

function faceParts(tile, x, y, scale = 1) {
  const width = 34 * scale, height = 43 * scale;
  return [
    ["rect", { class: "edge", x: x - width / 2, y: y - height / 2, width, height, rx: 5 * scale }],
    ["text", { fill: TONES[tile] ?? (kind(tile) === "wind" ? BLACK : TONES[tile[0]]) ?? BLACK, x, y: y + 6 * scale,
      "font-size": 17 * scale }, tile],
  ];
}

/* A tile that lies, with what joins it to those laid at it. */
function drawnTile({ snake, turn }, number, marks) {
  const { tile, cell, step } = snake[number], [x, y] = middle(cell), own = step !== undefined;
  const fresh = !own && number >= turn.board.snake.length - turn.board.fresh;
  const joined = snake.filter((one) => one.at === number && beside(one.cell, cell)).map((one) => {
    const [x2, y2] = middle(one.cell);
    return ["line", { ...JOINT, x1: x, y1: y, x2, y2 }];
  });
  const label = [{ code: "zug-tile", params: { tile } }];
  if (!number) label.push({ code: "zug-single" });
  if (fresh) label.push({ code: "zug-last" });
  if (own) label.push({ code: "zug-own" });
  const mark = marks[number] ? [["text", { fill: BLACK, x: x + 10, y: y - 11, "font-size": 10 }, marks[number]]] : [];
  const start = number ? [] : [["circle", { class: "ink", cx: x - 11, cy: y - 15, r: 3 }]];
  return {
    spot: spotOfTile(number), open: false, kind: `lies${own ? " own" : fresh ? " fresh" : ""}`, at: [x, y], label,
    parts: [...joined, ...faceParts(tile, x, y), ...mark, ...start],
  };
}

/* The number of a head, where its next tile may come to lie; what can be tapped is as large as a finger. */
function drawnHead(position, head, picked) {
  const { snake, tips, plan, pending } = position, [cx, cy] = middle(cellOf(plan.tips[head - 1].label));
  const tip = snake[tips[head - 1]], fits = fitting(position, head), [x, y] = middle(tip.cell);
  const fit = fits.length ? { code: "zug-fit", params: { tiles: fits } } : { code: "zug-fit-none" };
  const waits = pending?.head === head ? [{ code: "zug-fork", params: pending }] : [];
  const dx = Math.sign(x - cx), dy = Math.sign(y - cy);
  const box = { x: cx - FINGER / 2, y: cy - FINGER / 2, width: FINGER, height: FINGER };
  return {
    spot: head, open: picked ? fits.includes(picked) : fits.length > 0, kind: "free", at: [cx, cy],
    label: [
      { code: SIDES[head] ?? "board.head", params: { head } }, { code: "zug-end", params: { tile: tip.tile } }, ...waits, fit,
    ],
    parts: [
      ["rect", { class: "whole", ...box }],
      ["line", { ...JOINT, x1: cx + RADIUS * dx, y1: cy + RADIUS * dy, x2: (cx + x) / 2, y2: (cy + y) / 2 }],
      ["circle", { class: "edge", cx, cy, r: RADIUS }],
      ["text", { class: "label", x: cx, y: cy + 5, "font-size": 15 }, String(head)],
    ],
  };
}
