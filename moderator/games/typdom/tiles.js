/* What the pages of the games of Typ-Dom share (docs/build/touch-board.md): squares of the table, tiles and what a jolly stands for,
   jollies taken from the table, buying. Pure functions. */

import { beside } from "./zug_squares.js";

export const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
export const VOWELS = "AEIOUY";
export const STANDS = { "*r": [...VOWELS], "*b": [...LETTERS].filter((letter) => !VOWELS.includes(letter)) };
const NAMES = { "*r": "tile.*r", "*b": "tile.*b" };
const WRITTEN = { red: "rot", black: "schwarz" };
const BUILT_UP = 3;
const AROUND = 6;

/* What a family is asked for, and these games answer alike. */
export const common = {
  name: (position, square) => called(square, position.size),

  axes({ size }) {
    const numbers = [...Array(size).keys()];
    return [numbers.map(column), numbers.map((row) => String(row + 1))];
  },

  /* The part of the table to show: [left, top, right, bottom] around what lies and the chosen square. */
  part({ size, squares }, chosen) {
    const lying = [middle(size), ...Object.keys(squares).map(Number)].map((square) => [square, AROUND]);
    const reach = (at, sign) => [...lying, [chosen, 1]].map(([square, ring]) => at(square) + sign * ring);
    const x = (square) => square % size, y = (square) => Math.floor(square / size);
    return [
      Math.max(0, Math.min(...reach(x, -1))), Math.max(0, Math.min(...reach(y, -1))),
      Math.min(size - 1, Math.max(...reach(x, 1))), Math.min(size - 1, Math.max(...reach(y, 1))),
    ];
  },

  /* What is still in the rack. */
  left: ({ rack, laid }) => without(rack, Object.values(laid).map(asHeld)),

  /* Letters that a tile of the rack may stand for; nothing for one that shows its own. */
  stands: (tile) => STANDS[tile],
};

/* ---- squares ---- */

export function column(at) {
  return (at >= LETTERS.length ? LETTERS[Math.floor(at / LETTERS.length) - 1] : "") + LETTERS[at % LETTERS.length];
}

export function called(square, size) {
  return `${column(square % size)}${Math.floor(square / size) + 1}`;
}

export function number(name, size) {
  const [, letters, row] = name.match(/^([A-Z]+)(\d+)$/);
  const at = [...letters].reduce((sum, letter) => sum * LETTERS.length + LETTERS.indexOf(letter) + 1, 0) - 1;
  return (Number(row) - 1) * size + at;
}

/* The square that the first word covers. */
export function middle(size) {
  return (Math.floor(size / 2) - 1) * (size + 1);
}

/* What a turn shows: the size of the table, what lies on it and what was laid last, by number. */
export function numbered({ options, board }) {
  const size = options.table_size;
  const squares = Object.entries(board.squares).map(([name, tile]) => [number(name, size), tile]);
  return { size, squares: Object.fromEntries(squares), fresh: new Set(board.fresh.map((name) => number(name, size))) };
}

/* ---- tiles ---- */

/* A tile as it is drawn: vowels round, with its value where it has one. */
export function face(tile, value = "") {
  const held = tile in STANDS, jolly = tile.startsWith("*"), letter = held ? "★" : tile.slice(-1);
  const red = tile === "*r" || VOWELS.includes(letter);
  return {
    letter, height: tile ? 1 : 0, kind: tile && red ? "round" : "", mark: jolly ? (held ? "" : "★") : value,
    says: held ? NAMES[tile] : jolly ? "zug-jolly" : "zug-tile",
  };
}

export function asHeld(tile) {
  return !tile.startsWith("*") ? tile : VOWELS.includes(tile[1]) ? "*r" : "*b";
}

export function without(rack, gone) {
  const kept = [...rack];
  for (const tile of gone) kept.splice(kept.indexOf(tile), 1);
  return kept;
}

/* ---- jollies on the table, buying ---- */

export function fetched(position, square) {
  const { squares, size, rack, swaps } = position, name = called(square, size), tile = squares[square] ?? "";
  if (!tile.startsWith("*")) return { why: "no-jolly-there", params: { square: name } };
  const built = beside(square, size).filter((near) => squares[near]).length >= BUILT_UP, letter = tile[1];
  if (built) return { why: "jolly-built-up", params: { square: name } };
  if (!common.left(position).includes(letter)) return { why: "not-your-letters", params: { letters: [letter], word: "" } };
  return {
    ...position, squares: { ...squares, [square]: letter }, rack: [...without(rack, [letter]), asHeld(tile)],
    swaps: [...swaps, { letter, square: name }],
  };
}

export function buying(buys) {
  const colours = Object.keys(WRITTEN).filter((colour) => buys.includes(colour));
  const count = (colour) => buys.filter((one) => one === colour).length;
  if (!buys.length) return "";
  return `kaufe ${colours.map((one) => (buys.length > 1 ? `${count(one)} ` : "") + WRITTEN[one]).join(" ")}`;
}

/* The jollies that were taken stand before what is laid or bought. */
export function written({ swaps }, text) {
  if (!swaps.length) return text;
  return `tausche ${swaps.map(({ letter, square }) => `${letter} an ${square}`).join(", ")}; ${text}`;
}
