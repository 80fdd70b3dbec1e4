/* Dominos on the page to lay tiles on (docs/build/touch-board.md): where a tile fits, what a move is called and what it scores,
   where the tiles lie in the picture. Pure functions of the turn (docs/build/turn.md) and of what was laid so far. */

const PLACES = { L: "board.place.L", R: "board.place.R", N: "board.place.N", S: "board.place.S" };
const STANDING = "nach Ziehen: bester";
const UNIT = 21;  // pixels of half a tile

/* Spots: the ends by name ("" on an empty table), and the tiles by number in the order of laying. */
export const dominos = {
  games: ["dominos"],
  conditional: true,
  whole: true,
  printed,

  /* The position that a turn shows, with nothing laid yet. laid: spot -> tile, one at most; after: the table with it;
     frame: of a drawing that holds whatever can be laid. */
  start(turn) {
    let table = { line: [], north: [], south: [], spinner: null, laid: [], anyTime: turn.options.spinner_any_time };
    for (const [tile, place] of turn.board.laid.map((one) => one.split("@"))) {
      table = joined(table, tile, place ?? "");
      if (table.why) throw new Error(table.why);
    }
    const nexts = turn.rack.flatMap((tile) => fitting(table, tile).map((place) => joined(table, tile, place)));
    const frame = framed([table, ...nexts].flatMap((one) => layout(one).bones));
    return { turn, table, after: table, laid: {}, frame };
  },

  /* The spot that is shown first: the tile laid last. */
  first({ table }) {
    return table.line.length ? table.laid.length - 1 : "";
  },

  name({ table }, spot) {
    if (!table.line.length) return "–";
    return spot in PLACES ? `${spot} ${openEnds(table)[spot].value}` : printed(table.laid[spot][0]);
  },

  /* The next spot in the direction of an arrow key, or the same one. */
  step(position, spot, dx, dy) {
    const { spots } = dominos.draw(position), [x, y] = spots.find((one) => one.spot === spot).at;
    let best = Infinity, found = spot;
    for (const { spot: other, at } of spots) {
      const ahead = dx * (at[0] - x) + dy * (at[1] - y), aside = Math.abs(dx ? at[1] - y : at[0] - x);
      if (ahead > 0 && ahead + 2 * aside < best) [best, found] = [ahead + 2 * aside, other];
    }
    return found;
  },

  /* The position with this tile alone laid, or {why, params}. Where no end is named it goes to the only one it fits. */
  put(position, spot, tile) {
    const { table, turn } = position, fits = fitting(table, tile);
    if (!turn.rack.includes(tile)) return { why: "not-your-tile", params: { tile } };
    const place = spot in PLACES ? spot : fits.length === 1 ? fits[0] : "";
    const after = joined(table, tile, place);
    return after.why ? after : { ...position, after, laid: { [place]: tile } };
  },

  take(position) {
    return { ...position, after: position.table, laid: {} };
  },

  /* What a tile would score there; null where it does not fit. */
  worth(position, spot, tile) {
    const after = dominos.put(position, spot, tile);
    return after.why ? null : dominos.judge(after).points;
  },

  /* What is laid, as a move: {text, points, notes: [{code, params}]}; null = nothing is laid. */
  judge({ after, laid, turn }) {
    const [move] = Object.entries(laid);
    return move ? scored(after, move[0] ? `${move[1]}@${move[0]}` : move[1], turn) : null;
  },

  /* The order to lay at the best place after every forced draw. After one, that is this move; before, it waits. */
  standing({ table, turn }) {
    let best = null;
    for (const tile of turn.board.drew === turn.seat ? turn.rack : []) {
      for (const place of fitting(table, tile)) {
        const found = scored(joined(table, tile, place), STANDING, turn);
        if (!best || found.points > best.points) best = found;
      }
    }
    return best ?? { text: STANDING, notes: [{ code: "no-draw", params: {} }] };
  },

  /* The table: {width, height, spots: [{spot, open, kind, at, label: [{code, params}], parts}]}. Open are ends where
     the picked tile fits, or any of the rack. */
  draw(position, picked) {
    const { bones, arms } = layout(position.after), { frame } = position, [left, top, right, bottom] = frame;
    const lying = position.table.laid.length;
    const spots = bones.slice(0, lying).map((one, at) => lies(one, frame, at, at === lying - 1));
    const fits = (place) => position.turn.rack.filter((tile) => fitting(position.table, tile).includes(place));
    const own = bones[lying] && drawnOwn(position, bones[lying], arms, frame);
    if (own) spots.push(own);
    for (const [place, end] of Object.entries(openEnds(position.table))) {
      if (place !== own?.spot) spots.push(drawnEnd(place, end, beyond(arms[place]), frame, fits(place), picked));
    }
    if (!position.table.line.length && !own) spots.push(drawnFirst(frame));
    return { width: (right - left) * UNIT, height: (bottom - top) * UNIT, spots };
  },

  /* A tile of the rack, drawn. */
  face(tile) {
    const values = [...tile].map(Number), frame = [-1, -2, 1, 2].map((side) => (side * 1.05) / 2);
    return { width: 44, height: 84, parts: boneParts({ x: 0, y: 0, values, upright: true }, frame, 40) };
  },
};

function printed(tile) {
  return `${tile[0]}\u01c0${tile[1]}`;
}

function double(tile) {
  return tile[0] === tile[1];
}

/* ---- the line, the arms of the spinner, the open ends ---- */

/* The open ends by place, in the order L R N S: {value: what fits, counts: what it adds to the sum}. */
function openEnds(table) {
  const { line, spinner } = table;
  if (!line.length) return {};
  const first = line[0], last = line[line.length - 1], lone = line.length === 1;
  const end = (tile, value) => ({ value: Number(value), counts: Number(value) * (double(tile) && !lone ? 2 : 1) });
  const found = { L: end(first, first[0]), R: end(last, last[1]) };
  if (spinner === null || !(table.anyTime || (spinner > 0 && spinner < line.length - 1))) return found;
  for (const [place, arm] of [["N", table.north], ["S", table.south]]) {
    const tile = arm[arm.length - 1];
    const counts = (tile && double(tile) ? 2 : 1) * Number(tile?.[1] ?? 0);
    found[place] = { value: Number(tile ? tile[1] : line[spinner][0]), counts };
  }
  return found;
}

function fitting(table, tile) {
  if (!table.line.length) return [""];
  return Object.entries(openEnds(table)).filter(([, end]) => tile.includes(end.value)).map(([place]) => place);
}

/* The table with one more tile, or {why, params}. Tiles are kept as they lie: 46 is the tile 64. */
function joined(table, tile, place) {
  const laid = [...table.laid, [tile, place]], { line, spinner } = table;
  if (!line.length) return { ...table, line: [tile], spinner: double(tile) ? 0 : null, laid };
  const open = openEnds(table);
  const shown = Object.fromEntries(Object.entries(open).map(([name, end]) => [name, end.value]));
  const refused = (why, params) => ({ why, params: { ...params, ends: shown } });
  if (!place) return refused(fitting(table, tile).length ? "place-missing" : "does-not-fit", { tile });
  if (!(place in open)) return refused(spinner === null ? "no-spinner" : "place-closed", { place });
  const { value } = open[place];
  if (!tile.includes(value)) return refused("does-not-fit", { tile });
  const other = Number(tile[0]) === value ? tile[1] : tile[0], outwards = `${value}${other}`;
  if (place === "N") return { ...table, north: [...table.north, outwards], laid };
  if (place === "S") return { ...table, south: [...table.south, outwards], laid };
  const first = spinner === null && double(tile);
  if (place === "R") return { ...table, line: [...line, outwards], spinner: first ? line.length : spinner, laid };
  const further = spinner === null ? null : spinner + 1;
  return { ...table, line: [`${other}${value}`, ...line], spinner: first ? 0 : further, laid };
}

function total(table) {
  return Object.values(openEnds(table)).reduce((sum, end) => sum + end.counts, 0);
}

/* What the ends count; an arm of the spinner only if it does. */
function counting(table) {
  const counted = Object.entries(openEnds(table)).filter(([place, end]) => end.counts || "LR".includes(place));
  return Object.fromEntries(counted.map(([place, end]) => [place, end.counts]));
}

/* The move that has led to a table. */
function scored(table, text, { rack, scores, seat, options: { target } }) {
  const sum = total(table), points = sum % 5 ? 0 : sum;
  const notes = [{ code: points ? "scored" : "no-score", params: { ends: counting(table), sum } }];
  if (scores[seat] + points >= target) notes.push({ code: "zug-target", params: { target } });
  else if (rack.length === 1) notes.push({ code: "zug-out", params: {} });
  return { text, points, notes };
}

function turned(tile) {
  return tile[1] + tile[0];
}

function named(tile) {
  return tile[0] < tile[1] ? turned(tile) : tile;
}

/* ---- where the tiles lie: a pinwheel, in half tiles, y downwards; see rules.py, whose picture this is ---- */

const EAST = [1, 0], SOUTH = [0, 1], WEST = [-1, 0], NORTH = [0, -1];
const FIRST_ACROSS = 6, FIRST_DOWN = 6;
const STEP_ACROSS = 4, STEP_DOWN = 8;
const FAR_ACROSS = 8.5, FAR_DOWN = 13;
const NEAR = 3, LEAST_ROW = 5;

const moved = (point, way, far = 1) => [point[0] + way[0] * far, point[1] + way[1] * far];
const along = (point, way) => point[0] * way[0] + point[1] * way[1];
const same = (one, other) => one[0] === other[0] && one[1] === other[1];
const beyond = (arm) => moved(arm.edge, arm.way);

/* All tiles in the order in which they were laid, and where each arm goes on. */
function layout(table) {
  const bones = [], outwards = outwardsOf(table);
  let arms = {}, spinner = false;
  for (const [tile, place] of table.laid) {
    const isSpinner = double(tile) && !spinner;
    let made;
    if (place) {
      [made, arms[place]] = next(arms[place], outwards[tile], isSpinner, !spinner);
      if (isSpinner) arms = { ...arms, ...spinnerArms(made) };
    } else {
      [made, arms] = firstBone(tile);
    }
    spinner = spinner || isSpinner;
    bones.push({ ...made, spinner: isSpinner });
  }
  return { bones, arms };
}

/* Tile -> its halves, the one nearer to the first tile (or the spinner) first. */
function outwardsOf(table) {
  const left = table.laid.filter(([, place]) => place === "L").length;
  const lying = [...table.line.slice(0, left).map(turned), ...table.line.slice(left), ...table.north, ...table.south];
  return Object.fromEntries(lying.map((tile) => [named(tile), [Number(tile[0]), Number(tile[1])]]));
}

/* Where an arm goes on: edge = the middle of the outer edge of its last tile; way = where it runs now: ahead, back, or
   aside to the next row; from = where it began; room = half tiles until it turns. */
function begin(edge, ahead, aside, afterDouble) {
  return { edge, way: ahead, ahead, aside, from: edge, room: ahead[1] ? FIRST_DOWN : FIRST_ACROSS, afterDouble };
}

function firstBone(tile) {
  const across = double(tile), out = across ? 0.5 : 1;
  const made = { x: 0, y: 0, values: [Number(tile[0]), Number(tile[1])], upright: across };
  const arm = (way, aside) => begin(moved([0, 0], way, out), way, aside, across);
  const arms = { L: arm(WEST, NORTH), R: arm(EAST, SOUTH) };
  return [made, across ? { ...arms, ...spinnerArms(made) } : arms];
}

/* N and S of a spinner. Where the line runs down the picture they begin right and left of it. */
function spinnerArms({ x, y, upright }) {
  const arm = (way, aside) => begin(moved([x, y], way), way, aside, true);
  return upright ? { N: arm(NORTH, EAST), S: arm(SOUTH, WEST) } : { N: arm(EAST, NORTH), S: arm(WEST, SOUTH) };
}

/* How far ahead of the arm's beginning a point lies. */
function far(arm, point) {
  return along(moved(point, arm.from, -1), arm.ahead);
}

/* The next tile of an arm, and where the arm then goes on. */
function next(arm, halves, isSpinner, stairs) {
  const across = halves[0] === halves[1];
  // Behind a double the arm goes straight on, so that a double needs more room than its own.
  if (isSpinner || arm.afterDouble || arm.room >= (across ? 3 : 2)) {
    const [made, after] = straight(arm, halves);
    if (!isSpinner) return [made, after];
    const room = same(after.way, after.ahead) ? Math.max(after.room, LEAST_ROW) : 0;
    return [made, { ...after, from: after.edge, room }];
  }
  if (!same(arm.way, arm.aside)) {
    const edge = moved(moved(arm.edge, arm.way, -0.5), arm.aside, 0.5);
    const room = stairs ? (arm.aside[1] ? STEP_DOWN : STEP_ACROSS) : 0;
    return lengthwise({ ...arm, edge, way: arm.aside, room }, halves);
  }
  const back = !stairs && far(arm, arm.edge) - 1.5 - (across ? 2 : 0) >= NEAR;
  const way = back ? moved([0, 0], arm.ahead, -1) : arm.ahead;
  const edge = moved(moved(arm.edge, arm.way, 0.5), way, -0.5);
  return lengthwise({ ...arm, edge, way, room: rowRoom(arm, edge, back, stairs) }, halves);
}

/* The room of a row that begins at a point. */
function rowRoom(arm, point, back, stairs) {
  if (stairs) return arm.ahead[1] ? STEP_DOWN : STEP_ACROSS;
  if (back) return far(arm, point) - NEAR;
  const most = (arm.ahead[1] ? FAR_DOWN : FAR_ACROSS) - along(point, arm.ahead);
  return Math.max(most, LEAST_ROW - far(arm, point));
}

/* Straight on; a double lies across. */
function straight(arm, halves) {
  if (halves[0] !== halves[1]) return lengthwise(arm, halves);
  const [x, y] = moved(arm.edge, arm.way, 0.5);
  const after = { ...arm, edge: moved(arm.edge, arm.way), room: arm.room - 1, afterDouble: true };
  return [{ x, y, values: halves, upright: !arm.way[1] }, after];
}

/* The whole length in the way of the arm. */
function lengthwise(arm, halves) {
  const [x, y] = moved(arm.edge, arm.way), forward = arm.way[0] + arm.way[1] > 0;
  const values = forward ? halves : [halves[1], halves[0]];
  const after = { edge: moved(arm.edge, arm.way, 2), room: arm.room - 2, afterDouble: halves[0] === halves[1] };
  return [{ x, y, values, upright: Boolean(arm.way[1]) }, { ...arm, ...after }];
}

/* ---- the picture ---- */

const STEP = 2, LABEL_ROOM = 2, MARGIN = 0.4, SMALLEST = [8.5, 4, 8.5, 4];
const GAP = 0.05, PIP = 0.1, SPREAD = 0.26;
const PIPS = [[], [[0, 0]], [[-1, -1], [1, 1]], [[-1, -1], [0, 0], [1, 1]], [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]], [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]]];

/* Left, top, right, bottom in half tiles: it grows in steps, so that it seldom changes its scale. */
function framed(bones) {
  const sides = [0, 0, 0, 0];
  for (const { x, y, upright } of bones) {
    const across = upright ? 0.5 : 1, down = upright ? 1 : 0.5;
    [across - x, down - y, x + across, y + down].forEach((side, at) => { sides[at] = Math.max(sides[at], side); });
  }
  const [left, top, right, bottom] = sides.map((side, at) => {
    const least = SMALLEST[at];
    return least + STEP * Math.max(0, Math.ceil((side + LABEL_ROOM - least) / STEP)) + MARGIN;
  });
  return [-left, -top, right, bottom];
}

function pixels(x, y, frame, unit = UNIT) {
  return [(x - frame[0]) * unit, (y - frame[1]) * unit];
}

/* A tile that lies. */
function lies(bone, frame, spot, last) {
  const label = [{ code: "zug-tile", params: { tile: bone.values.join("") } }];
  if (bone.spinner) label.push({ code: "zug-spinner" });
  if (last) label.push({ code: "zug-last" });
  const at = pixels(bone.x, bone.y, frame), kind = last ? "lies fresh" : "lies";
  return { spot, open: false, kind, at, label, parts: boneParts(bone, frame) };
}

/* The tile that was laid now, in the place of its end, with the ends as they are then. */
function drawnOwn(position, bone, arms, frame) {
  const [spot] = Object.keys(position.laid), before = openEnds(position.table);
  const now = Object.entries(openEnds(position.after));
  const open = now.filter(([place]) => place === spot || !(place in before));
  const labels = open.flatMap(([place, end]) => endParts(beyond(arms[place]), place, end, frame));
  const made = lies(bone, frame, spot, false);
  return { ...made, kind: "lies own", label: [...made.label, { code: "zug-own" }], parts: [...made.parts, ...labels] };
}

/* An open end; what can be tapped is as large as a finger. */
function drawnEnd(place, end, [x, y], frame, fits, picked) {
  const [cx, cy] = pixels(x, y, frame);
  const fit = fits.length ? { code: "zug-fit", params: { tiles: fits } } : { code: "zug-fit-none" };
  return {
    spot: place, open: picked ? fits.includes(picked) : fits.length > 0, kind: "free", at: [cx, cy],
    label: [{ code: PLACES[place] }, { code: "zug-open", params: end }, fit],
    parts: [
      ["circle", { class: "whole", cx, cy, r: 1.05 * UNIT }], ["circle", { class: "edge", cx, cy, r: 0.84 * UNIT }],
      ...endParts([x, y], place, end, frame),
    ],
  };
}

/* L over the number that fits there. */
function endParts([x, y], place, end, frame) {
  return [[place, -0.06, 0.74], [String(end.value), 0.6, 0.68]].map(([text, down, tall]) => {
    const [left, top] = pixels(x, y + down, frame);
    return ["text", { class: "label", x: left, y: top, "font-size": tall * UNIT }, text];
  });
}

/* Where the first tile will lie. */
function drawnFirst(frame) {
  const { at, parts } = lies({ x: 0, y: 0, values: [0, 0], upright: false }, frame, "", false);
  return { spot: "", open: true, kind: "free", at, label: [{ code: "zug-first" }], parts: parts.slice(0, 1) };
}

/* The face, the line between its halves, the pips; a spinner has a second frame and a red dot. */
function boneParts({ x, y, values, upright, spinner }, frame, unit = UNIT) {
  const [cx, cy] = pixels(x, y, frame, unit), [dx, dy] = upright ? [0, 0.5 * unit] : [0.5 * unit, 0];
  const half = { x1: cx - 0.72 * dy, y1: cy - 0.72 * dx, x2: cx + 0.72 * dy, y2: cy + 0.72 * dx };
  const rim = (gap, name) => {
    const across = ((upright ? 0.5 : 1) - gap) * unit, down = ((upright ? 1 : 0.5) - gap) * unit;
    const box = { x: cx - across, y: cy - down, width: 2 * across, height: 2 * down };
    return ["rect", { class: name, ...box, rx: (0.21 - gap) * unit }];
  };
  const dot = [rim(0.13, "rim"), ["circle", { class: "triple", cx, cy, r: 0.17 * unit }]];
  return [
    rim(GAP, "edge"), ["line", { class: "half", ...half }],
    ...pips(values[0], cx - dx, cy - dy, upright, unit), ...pips(values[1], cx + dx, cy + dy, upright, unit),
    ...(spinner ? dot : []),
  ];
}

/* One half. The pips of a lying tile are turned with it. */
function pips(value, x, y, upright, unit) {
  return PIPS[value].map(([column, row]) => {
    const [dx, dy] = upright ? [column, row] : [-row, column];
    return ["circle", { class: "ink", cx: x + dx * SPREAD * unit, cy: y + dy * SPREAD * unit, r: PIP * unit }];
  });
}
