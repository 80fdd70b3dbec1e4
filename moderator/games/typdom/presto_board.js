/* Presto on the touch board (docs/build/touch-board.md): a crossword of one's own on an empty table, what is wrong with it,
   how it is drawn in a mail and what it scores. Pure functions of the turn (docs/build/turn.md) and of what was laid so far; the
   referee alone judges words. */

import { across, beside, run, textOf } from "./zug_squares.js";
import { common, face, middle } from "./tiles.js";

const SIZE = 40;
/* Tiles left over -> points of the first and of the second who has finished. */
const POINTS = [[4, 2], [2, 1]];
const WRONG = { "*r": "fault-jolly-red", "*b": "fault-jolly-black" };

const FREE = 2;  // free columns and rows that are shown around what lies
const COLUMNS = 7;  // and rows that are shown at first: so many squares as large as a finger has a phone

export const presto = {
  games: ["presto"],
  ...common,
  stays: true,

  /* The position that a turn shows. laid: what was laid, by number of the square, "*A" where a jolly stands for A; rack:
     as it is held, vowels first, each colour from A to Z. */
  start(turn) {
    const rank = (tile) => `${face(tile).kind ? 1 : 2}${face(tile).letter}`;
    return { turn, size: SIZE, laid: {}, rack: [...turn.rack].sort((one, other) => (rank(one) < rank(other) ? -1 : 1)) };
  },

  /* What stands above the table besides who plays: [{code, params}]. */
  about({ turn }) {
    const { finished, gave_up: gone } = turn.board;
    const names = (seats) => seats.map((seat) => turn.names?.[seat] ?? seat + 1);
    return [
      ...(finished.length ? [{ code: "zug-finished", params: { names: names(finished) } }] : []),
      ...(gone.length ? [{ code: "zug-gone", params: { names: names(gone) } }] : []),
      ...(turn.options.finish_with_one_left ? [{ code: "zug-one-may-stay", params: {} }] : []),
    ];
  },

  /* The part of the table to show: [left, top, right, bottom] around what lies and the chosen square. */
  part({ laid }, chosen) {
    const squares = [middle(SIZE), ...Object.keys(laid).map(Number), chosen];
    const sides = [squares.map((one) => one % SIZE), squares.map((one) => Math.floor(one / SIZE))];
    const from = sides.map((all) => Math.max(0, Math.min(...all) - FREE));
    return [...from, ...sides.map((all, at) => Math.min(SIZE - 1, Math.max(from[at] + COLUMNS, Math.max(...all) + FREE)))];
  },

  /* A kind of tile in the rack, with how many there are of it. */
  look(position, tile) {
    const count = common.left(position).filter((one) => one === tile).length, held = face(tile);
    return count > 1 ? { ...held, mark: count, says: "zug-count" } : held;
  },

  shows: ({ laid }, square) => ({ ...face(laid[square] ?? ""), centre: square === middle(SIZE) }),

  /* The kinds of tiles that are still in the rack. */
  left: (position) => [...new Set(common.left(position))],

  /* The position with one more tile, which takes the place of one that lies there, or {why, params}. letter: what a jolly
     stands for. */
  put(position, square, tile, letter = tile) {
    const stands = presto.stands(tile);
    if (stands && !stands.includes(letter)) return { why: WRONG[tile], params: {} };
    return { ...position, laid: { ...position.laid, [square]: stands ? `*${letter}` : tile } };
  },

  take(position, square) {
    const laid = { ...position.laid };
    delete laid[square];
    return { ...position, laid };
  },

  /* What can be done besides laying. */
  acts: () => ["zug-lift", "zug-again"],

  /* The position after one of them at the chosen square, or {why, params}. */
  act: (position, code, square, way) => (code === "zug-again" ? presto.start(position.turn) : lifted(position, square, way)),

  /* The crossword as a move: {text, words, notes: [{code, params}], points}, or {why, params, notes} with all that is wrong
     with it; null = nothing is laid. points: of who is the next to finish. */
  judge(position) {
    const { turn, laid } = position;
    if (!Object.keys(laid).length) return null;
    const most = Number(turn.options.finish_with_one_left), rest = common.left(position).sort();
    const left = rest.length > most ? rest : [], apart = parts(laid).slice(1).map((part) => longest(laid, part));
    const faults = [
      ...(left.length ? [{ code: most ? "fault-left-many" : "fault-left", tiles: left }] : []),
      ...(apart.length ? [{ code: "fault-apart", words: apart }] : []),
    ];
    const found = words(laid), own = found.length ? [{ code: "own-words", params: { words: found } }] : [];
    if (faults.length) return { why: "not-right", params: { faults, words: [], missing: [], left }, notes: own };
    return {
      text: `Gitter (${rows(laid).join(" / ")})`, words: found.map((word) => ({ word, points: 0 })),
      points: POINTS[rest.length][turn.board.finished.length], notes: rest.length ? [{ code: "one-left", params: {} }] : [],
    };
  },

  pass: () => ({ text: "passe" }),
};

/* ---- the crossword ---- */

function lying(laid) {
  return Object.keys(laid).map(Number).sort((one, other) => one - other);
}

/* All words, across from the top, then down from the top. */
function words(laid) {
  const begun = (way) => lying(laid).map((square) => [square, run(laid, square, way, SIZE)])
    .filter(([square, whole]) => whole.length > 1 && whole[0] === square);
  return [...begun("w"), ...begun("s")].map(([, whole]) => textOf(laid, whole));
}

/* The squares of each connected part, the largest first, of equal ones the upper. */
function parts(laid) {
  const left = new Set(lying(laid)), found = [];
  for (const first of left) {
    const reached = [], waiting = [first];
    while (waiting.length) {
      const square = waiting.pop();
      if (!left.delete(square)) continue;
      reached.push(square);
      waiting.push(...beside(square, SIZE));
    }
    found.push(reached.sort((one, other) => one - other));
  }
  return found.sort((one, other) => other.length - one.length || one[0] - other[0]);
}

/* By its longest run a part is named. */
function longest(laid, part) {
  const runs = part.flatMap((square) => [run(laid, square, "w", SIZE), run(laid, square, "s", SIZE)]);
  return textOf(laid, runs.reduce((best, one) => (one.length > best.length ? one : best)));
}

/* The drawing: rows from the top, a dot for each empty square before a letter. */
function rows(laid) {
  const squares = lying(laid), left = Math.min(...squares.map((square) => square % SIZE));
  const found = [];
  for (const square of squares) {
    const y = Math.floor(square / SIZE) - Math.floor(squares[0] / SIZE), cells = found[y] ??= [];
    while (cells.length < (square % SIZE) - left) cells.push(".");
    cells.push(laid[square]);
  }
  return found.map((cells) => cells.join(""));
}

/* The word at the chosen square, or right before it, goes back to the rack, but for what belongs to others too. */
function lifted(position, square, way) {
  const { laid } = position, level = way === "w", at = level ? square % SIZE : Math.floor(square / SIZE);
  const here = laid[square] || !at ? square : square - (level ? 1 : SIZE);
  const whole = laid[here] ? run(laid, here, way, SIZE) : [];
  if (whole.length < 2) return { why: "zug-lift-none", params: {} };
  const alone = whole.filter((one) => run(laid, one, across(way), SIZE).length < 2);
  return (alone.length ? alone : whole).reduce(presto.take, position);
}
