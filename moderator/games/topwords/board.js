/* Topwords on the touch board (docs/build/touch-board.md): where a tile can go, what a move is called and what it scores.
   Pure functions of the turn (docs/build/turn.md) and of what was laid so far; the referee alone judges words. */

import { across, beside, direction, run, textOf } from "./zug_squares.js";

const SIZE = 10;
const LETTERS = "ABCDEFGHIJ";
const CENTRE = [44, 45, 54, 55];
const RARE = "JQXYZ";
const RARE_POINTS = 2;
const RACK_POINTS = 10;

export const topwords = {
  games: ["topwords"],

  /* The position that a turn shows, with nothing laid yet. laid: square -> letter. */
  start(turn) {
    return { turn, stacks: turn.board.rows.flat(), laid: {}, fresh: new Set(turn.board.fresh) };
  },

  name(position, square) {
    const y = Math.floor(square / SIZE), x = square % SIZE;
    const [letter, number] = position.turn.options.letter_axis === "rows" ? [y, x] : [x, y];
    return `${LETTERS[letter]}${number + 1}`;
  },

  /* Names of the columns and of the rows. */
  axes(position) {
    const letters = [...LETTERS], numbers = letters.map((_, n) => String(n + 1));
    return position.turn.options.letter_axis === "rows" ? [numbers, letters] : [letters, numbers];
  },

  /* What a square shows: {letter, height, fresh: by the last move, own: laid now, centre}. */
  shows(position, square) {
    const stack = position.stacks[square], own = position.laid[square];
    return {
      letter: own || stack.slice(-1), height: [...stack].length + (own ? 1 : 0), own: Boolean(own),
      fresh: position.fresh.has(topwords.name(position, square)), centre: CENTRE.includes(square),
    };
  },

  /* The position with one more tile, or {why, params}. */
  put(position, square, letter) {
    const stack = position.stacks[square], name = topwords.name(position, square);
    if (stack.slice(-1) === letter) return { why: "zug-same", params: { letter, square: name } };
    const height = position.turn.options.max_height;
    if ([...stack].length >= height) return { why: "too-high", params: { square: name, height, letter } };
    return { ...position, laid: { ...position.laid, [square]: letter } };
  },

  take(position, square) {
    const laid = { ...position.laid };
    delete laid[square];
    return { ...position, laid };
  },

  /* What is laid, as a move: {text, words: [{word, points}], notes: [{code, params}], points}, or {why, params}; null =
     nothing is laid. */
  judge(position) {
    const squares = Object.keys(position.laid).map(Number).sort((a, b) => a - b);
    if (!squares.length) return null;
    const after = position.stacks.map((stack, square) => stack + (position.laid[square] || ""));
    const way = direction(after, squares, "w", SIZE);
    if (!way) return { why: "zug-one-line", params: {} };
    const whole = run(after, squares[0], way, SIZE), word = textOf(after, whole), first = topwords.name(position, whole[0]);
    if (squares.some((square) => !whole.includes(square))) return { why: "zug-gap", params: {} };
    if (whole.length < 2) return { why: "too-short", params: { word } };
    const wrong = misplaced(position, whole) || covered(position, whole, way);
    if (wrong) return { why: wrong.code, params: { word, square: first, ...wrong.params } };
    const crossing = squares.map((square) => run(after, square, across(way), SIZE)).filter((one) => one.length > 1);
    const words = [whole, ...crossing].map((one) => ({ word: textOf(after, one), points: worth(after, one) }));
    const notes = bonuses(position, squares.length);
    const points = [...words, ...notes.map((note) => note.params)].reduce((sum, one) => sum + one.points, 0);
    return { text: `${first} ${way} ${word}`, words, notes, points };
  },

  exchange(position, letters) {
    const { options, stock } = position.turn, count = letters.length;
    if (options.exchange === false || options.pace === "common") return { why: "exchange-off", params: {} };
    if (count > stock) return { why: "exchange-too-many", params: { count, stock } };
    return { text: `tausche ${letters.join(" ")}` };
  },

  pass: () => ({ text: "passe" }),
};

function misplaced(position, whole) {
  const { stacks } = position;
  if (!stacks.some(Boolean)) {
    if (whole.some((square) => CENTRE.includes(square))) return null;
    return { code: "no-centre", params: { centre: CENTRE.map((square) => topwords.name(position, square)) } };
  }
  const touches = whole.some((square) => stacks[square] || beside(square, SIZE).some((near) => stacks[near]));
  return touches ? null : { code: "not-connected", params: {} };
}

/* Where that was agreed, no standing word may lose all its letters to one move. */
function covered(position, whole, way) {
  if (position.turn.options.cover_whole_word !== false) return null;
  for (const square of whole) {
    if (!position.stacks[square]) continue;
    const standing = run(position.stacks, square, way, SIZE);
    if (standing.length > 1 && standing.every((one) => position.laid[one])) {
      return { code: "covers-whole-word", params: { covered: textOf(position.stacks, standing) } };
    }
  }
  return null;
}

/* Every tile of a word counts, the hidden ones too; double where none is hidden. */
function worth(stacks, whole) {
  const tiles = whole.reduce((sum, square) => sum + [...stacks[square]].length, 0);
  return tiles === whole.length ? 2 * tiles : tiles;
}

function bonuses(position, used) {
  const { options, rack, stock } = position.turn, notes = [];
  const full = options.pace === "common" ? options.common_rack : options.rack_size;
  if (used === rack.length && (rack.length >= full || stock === 0)) {
    notes.push({ code: "bonus-rack", params: { count: used, points: RACK_POINTS } });
  }
  const letters = Object.values(position.laid).filter((letter) => RARE.includes(letter));
  if (letters.length) notes.push({ code: "bonus-rare", params: { letters, points: RARE_POINTS * letters.length } });
  return notes;
}
