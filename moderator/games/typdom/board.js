/* Kreuzwort-Spiel and Point-Typ-Dom on the touch board (docs/build/touch-board.md): where a tile can go, what a turn is
   called and what it scores. Pure functions of the turn (docs/build/turn.md) and of what was done so far; the referee alone
   judges words. */

import { across, direction, run, textOf } from "./zug_squares.js";
import { asHeld, buying, called, common, face, fetched, middle, numbered, written } from "./tiles.js";

const VALUES = {
  A: 1, B: 4, C: 4, D: 3, E: 1, F: 3, G: 4, H: 3, I: 1, J: 6, K: 4, L: 2, M: 3,
  N: 2, O: 1, P: 4, Q: 9, R: 2, S: 2, T: 3, U: 1, V: 6, W: 6, X: 9, Y: 9, Z: 6,
};
const OUT_POINTS = 10;
const MOST_BOUGHT = { kreuzwort: 1, point: 3 };

export const typdom = {
  games: ["kreuzwort", "point"],
  ...common,

  /* The position that a turn shows, with nothing done yet. squares: what lies, by number; laid: the same of what is laid
     now, "*A" where a jolly stands for A; first: {laid, way} of the first word once a second one is begun; swaps:
     [{letter, square}] jollies taken from the table; rack: with them, as they are held; buys: colours, red ones first. */
  start(turn) {
    return { ...numbered(turn), turn, laid: {}, first: null, swaps: [], rack: turn.rack, buys: [] };
  },

  /* What stands above the table besides who plays: [{code, params}]. */
  about({ turn }) {
    const { stock } = turn.board, some = stock.red + stock.black > 0;
    const strict = turn.options.strict_buy ? [{ code: "zug-strict", params: {} }] : [];
    return [some ? { code: "mail.stock-kinds", params: stock } : { code: "mail.stock-none", params: {} }, ...strict];
  },

  /* A tile as it is drawn, in the rack or on the table: vowels round, with its value where it has one. */
  look: ({ turn }, tile) => face(tile, turn.game === "point" ? VALUES[tile] : undefined),

  shows(position, square) {
    const own = position.laid[square];
    return {
      ...typdom.look(position, own ?? position.squares[square] ?? ""), own: Boolean(own),
      fresh: position.fresh.has(square), centre: square === middle(position.size),
    };
  },

  /* The position with one more tile, or {why, params}. letter: what a jolly stands for. */
  put(position, square, tile, letter = tile) {
    const there = position.squares[square] ?? position.first?.laid[square], name = typdom.name(position, square);
    if (there) return { why: "other-letter", params: { word: letter, square: name, letter: there.slice(-1) } };
    const stands = typdom.stands(tile);
    if (stands && !stands.includes(letter)) return { why: "wrong-jolly", params: { letter } };
    return { ...position, laid: { ...position.laid, [square]: stands ? `*${letter}` : tile } };
  },

  /* Without a tile that is laid now; without the second word if it is one of the first. */
  take(position, square) {
    const whole = Boolean(position.first?.laid[square]);
    const laid = { ...(whole ? position.first.laid : position.laid) };
    delete laid[square];
    return { ...position, laid, first: whole ? null : position.first };
  },

  /* What can be done besides laying. */
  acts: () => ["zug-second", "zug-fetch", "zug-buy-red", "zug-buy-black", "zug-again"],

  /* The position after one of them at the chosen square, or {why, params}. */
  act(position, code, square, way) {
    if (code === "zug-second") return second(position, way);
    if (code === "zug-fetch") return fetched(position, square);
    if (code === "zug-again") return typdom.start(position.turn);
    const buys = [...position.buys, code.slice("zug-buy-".length)].sort().reverse();
    const after = { ...position, buys }, found = typdom.judge(after, way);
    return found.why ? found : after;
  },

  /* What is done, as a move: {text, words: [{word, points}], notes: [{code, params}], points}, or {why, params}; null =
     nothing is. way: in which direction a lone tile makes its word where it makes two. */
  judge(position, way = "w") {
    const { turn, laid, swaps, buys } = position;
    const nothing = !Object.keys(laid).length;
    if (nothing && !buys.length) return swaps.length ? { why: "zug-then", params: {} } : null;
    const layings = nothing ? [] : words(position, way), wrong = layings.find((one) => one.why);
    if (wrong) return wrong;
    const rest = typdom.left(position).length;
    const due = turn.game === "kreuzwort" && layings.length === 1 && layings[0].connects && rest > 0;
    if (layings.length && buys.length && !due) return { why: "no-buy-with-word", params: {} };
    const most = layings.length ? 1 : MOST_BOUGHT[turn.game];
    if (buys.length > most) return { why: "buy-too-many", params: { most } };
    const bonus = !rest && layings.length && turn.game === "point" && turn.board.out === null ? OUT_POINTS : 0;
    const notes = bonus ? [{ code: "went-out", params: { points: bonus } }] : [];
    if (!rest && turn.game === "kreuzwort") notes.push({ code: "out", params: {} });
    if (position.first && layings.length === 1 && !buys.length) notes.push({ code: "zug-second-now", params: {} });
    else if (due) notes.push({ code: "second-missing", params: {} });
    const laidWords = layings.map((one) => ({ word: one.words[0], points: one.points }));
    const crossing = layings.flatMap((one) => one.words.slice(1)).map((word) => ({ word, points: 0 }));
    return {
      text: written(position, [...layings.map((one) => one.text), buying(buys)].filter(Boolean).join(" + ")),
      words: [...laidWords, ...crossing], notes, points: laidWords.reduce((sum, one) => sum + one.points, bonus),
    };
  },

  pass: (position) => ({ text: written(position, "passe") }),
};

/* ---- words ---- */

/* One or two words: [{text, words, points, connects}]; an {why, params} in its place. */
function words(position, way) {
  const { squares, laid, first } = position;
  if (!first) return [laying(position, squares, laid, way)];
  const rest = Object.fromEntries(Object.entries(laid).filter(([square]) => !first.laid[square]));
  const one = laying(position, squares, first.laid, first.way);
  if (!Object.keys(rest).length) return [one];
  return [one, laying(position, { ...squares, ...first.laid }, rest, way)];
}

function laying({ turn, size }, table, laid, wanted) {
  const after = { ...table, ...laid }, squares = Object.keys(laid).map(Number).sort((a, b) => a - b);
  const way = direction(after, squares, wanted, size);
  if (!way) return { why: "zug-one-line", params: {} };
  const whole = run(after, squares[0], way, size), square = called(whole[0], size);
  if (squares.some((one) => !whole.includes(one))) return { why: "zug-gap", params: {} };
  if (whole.length < 2) return { why: "too-short", params: { word: textOf(after, whole) } };
  if (!Object.keys(table).length) {
    const start = middle(size), params = { word: textOf(after, whole), square: called(start, size) };
    if (!whole.includes(start)) return { why: "no-start", params };
  } else if (!whole.some((one) => table[one])) {
    return { why: "not-connected", params: { word: textOf(after, whole), square } };
  }
  const crossing = squares.map((one) => run(after, one, across(way), size)).filter((one) => one.length > 1);
  return {
    way, words: [whole, ...crossing].map((one) => textOf(after, one)),
    text: `${square} ${way} ${whole.map((one) => laid[one] ?? table[one].slice(-1)).join("")}`,
    points: turn.game === "point" ? whole.reduce((sum, one) => sum + (VALUES[after[one]] ?? 0), 0) : 0,
    connects: whole.filter((one, at) => table[one] && !table[whole[at - 1]]).length > 1,
  };
}

/* What is laid now is the first word, what follows the second. */
function second(position, way) {
  if (position.first) return { why: "too-many-words", params: {} };
  if (!Object.keys(position.laid).length) return { why: "zug-second-first", params: {} };
  if (position.buys.length) return { why: "no-buy-with-word", params: {} };
  const [one] = words(position, way);
  if (one.why) return one;
  if (!one.connects) return { why: "no-second-word", params: { word: one.words[0] } };
  return { ...position, first: { laid: position.laid, way: one.way } };
}
