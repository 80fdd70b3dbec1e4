/* Wer behält recht? on the touch board (docs/build/touch-board.md): where a tile can go, whether an announced word can
   come to lie there, and what a move is called. Pure functions of the turn (docs/build/turn.md) and of what was done so far; the
   referee alone judges words. */

import { across, run, textOf } from "./zug_squares.js";
import {
  STANDS, VOWELS, asHeld, buying, called, common, face, fetched, middle, number, numbered, written,
} from "./tiles.js";

const MOST_TILES = 4;
const UMLAUTS = { Ä: "AE", Ö: "OE", Ü: "UE", ẞ: "SS" };
const BUYS = { "zug-buy-red": "red", "zug-buy-black": "black" };

export const recht = {
  games: ["recht"],
  ...common,

  /* The position that a turn shows, with nothing done yet. squares: what lies, by number; laid: the same of what is laid
     now, "*A" where a jolly stands for A, and order: its squares as they were laid; word: as announced; swaps: [{letter,
     square}] jollies taken from the table; rack: with them, as they are held; buys: the colour bought; passes: whether the
     turn is handed on; chosen: where the own word lies that has gone round; running: the fragment, finished: the
     word completed last, each {way, run}. */
  start(turn) {
    const shown = numbered(turn), { running, finished } = turn.board;
    const line = (one) => one && {
      way: one.direction, run: run(shown.squares, number(one.square, shown.size), one.direction, shown.size),
    };
    return {
      ...shown, turn, running: line(running), finished: line(finished), laid: {}, order: [], word: "", swaps: [],
      rack: turn.rack, buys: [], passes: false, chosen: null,
    };
  },

  /* What holds besides the tiles: [{code, params}]; sentences of the mail, too. */
  about({ turn: { situation = [], board: { stock }, options } }) {
    return [
      ...situation.map((code) => ({ code, params: {} })),
      stock.red + stock.black ? { code: "mail.stock-kinds", params: stock } : { code: "mail.stock-none", params: {} },
      options.strict_buy && { code: "zug-strict", params: {} },
      options.buy_before_pass && { code: "zug-buys-first", params: {} },
    ].filter(Boolean);
  },

  look: (position, tile) => face(tile),

  shows(position, square) {
    const own = position.laid[square], { running, size } = position;
    const shown = face(own ?? position.squares[square] ?? "");
    const kind = running?.run.includes(square) ? "fragment" : !shown.letter && isOpen(position, square) ? "open" : "";
    return {
      ...shown, kind: `${shown.kind} ${kind}`.trim(), own: Boolean(own), fresh: position.fresh.has(square),
      centre: square === middle(size),
    };
  },

  /* Where the cursor is at first: behind the fragment, or at the word that a new one has to cross. */
  first({ running, finished, size, turn }) {
    if (turn.board.completing) return number(goals(turn)[0].place, size);
    if (running) return ends(running.way, running.run, size).at(-1);
    return finished ? ends(across(finished.way), [finished.run[0]], size).at(-1) : middle(size);
  },

  /* In which direction the next word runs, as far as that is known. */
  way: ({ running, finished }) => running?.way ?? (finished ? across(finished.way) : "w"),

  /* The label of the field for the announced word; null where none is announced. */
  asks({ turn: { board } }) {
    const word = board.running?.word;
    if (board.completing) return null;
    return word ? { code: "zug-announce-else", params: { word } } : { code: "zug-announce", params: {} };
  },

  /* The position with the word that is announced. */
  said: (position, word) => ({ ...position, word }),

  /* The position with one more tile, or {why, params}. letter: what a jolly stands for. */
  put(position, square, tile, letter = tile) {
    const busy = refused(position) ?? (position.buys.length ? { why: "buy-first", params: {} } : null);
    if (busy) return busy;
    const stands = STANDS[tile], own = position.laid[square];
    if (own) return { why: "taken", params: { square: called(square, position.size), letter: own.slice(-1) } };
    if (stands && !stands.includes(letter)) return { why: "wrong-jolly", params: { letter, word: letter } };
    const laid = { ...position.laid, [square]: stands ? `*${letter}` : tile };
    const after = { ...position, laid, order: [...position.order, square], passes: false };
    const { problem } = placed(after, "");
    return problem ?? after;
  },

  /* Without a tile that is laid now, and without those that do not hold without it. */
  take(position, square) {
    let after = { ...position, laid: {}, order: [] };
    for (const one of position.order.filter((other) => other !== square)) {
      const tile = position.laid[one], next = recht.put(after, one, asHeld(tile), tile.slice(-1));
      if (!next.why) after = next;
    }
    return after;
  },

  /* What can be done besides laying. */
  acts: ({ turn: { board } }) => (
    board.completing ? ["zug-complete"] : ["zug-fetch", "zug-buy-red", "zug-buy-black", "zug-report-on", "zug-again"]
  ),

  /* The position after one of them at the chosen square, or {why, params}. */
  act(position, code, square) {
    const { turn, passes, order } = position, { board } = turn;
    if (code === "zug-again") return recht.start(turn);
    if (code === "zug-fetch") return order.length ? { why: "zug-fetch-first", params: {} } : fetched(position, square);
    if (code === "zug-complete") return complete(position, square);
    const busy = refused(position);
    if (busy) return busy;
    if (code === "zug-report-on") return { ...position, laid: {}, order: [], word: "", passes: !passes };
    if (board.bought) return { why: "bought-already", params: {} };
    if (!(board.stock.red + board.stock.black)) return { why: "stock-empty", params: {} };
    if (order.length) return { why: "buy-first", params: {} };
    const colour = BUYS[code];
    return { ...position, buys: position.buys[0] === colour ? [] : [colour] };
  },

  /* What is done, as a move: {text, words: [{word, points}], notes: [{code, params}], points}, or {why, params}; null =
     nothing is. way: in which direction a new word runs where that is open. */
  judge(position, way = "w") {
    const { turn, order, swaps, buys, passes, word, chosen } = position;
    if (turn.board.completing) return chosen;
    if (order.length) return announced(position, way);
    if (buys.length || passes) return handedOn(position);
    if (word.trim()) return { why: "zug-tile-first", params: {} };
    return swaps.length ? { why: "zug-then", params: {} } : null;
  },
};

/* ---- what a move is called ---- */

function announced(position, wanted) {
  const { turn, running, size, word } = position, standing = turn.board.running?.word ?? "";
  const typed = spelled(word), said = typed || standing, goesOn = said === standing;
  const foreign = typed.match(/[^A-Z]/u);
  if (foreign) return { why: "foreign-letter", params: { letter: foreign[0], word: typed } };
  if (!said) return { why: "zug-announce-first", params: {} };
  if (said.length < 2) return { why: "too-short", params: { word: said } };
  const { problem, way } = inDirection(position, said, wanted);
  if (problem) return problem;
  const complete = way.places.length === 1 && way.places[0].join() === way.run.join();
  const letters = way.laid.map(([square, tile], at) => {
    if (running) return `${square < running.run[0] ? "vorn" : "hinten"} ${tile}`;
    return `${tile} an ${called(square, size)}${at ? "" : ` ${way.way}`}`;
  }).join(" + ");
  const words = [...(complete ? [said] : []), ...way.beside].map((one) => ({ word: one, points: 0 }));
  return {
    text: written(position, goesOn ? `weiter ${letters}` : `${letters} = ${said}`), words, points: 0,
    notes: premiums(way, size),
  };
}

/* In the wanted direction, where a new word may run in both; in the other one if it goes only there. */
function inDirection(position, word, wanted) {
  const open = position.running ? [""] : newDirections(position);
  const tried = [wanted, ...open.filter((one) => one !== wanted)].filter((one) => open.includes(one));
  const found = tried.map((one) => placed(position, word, one));
  return found.find((one) => one.way) ?? found.find(({ problem }) => problem.why !== "zug-fits-not") ?? found[0];
}

function premiums({ laid, vowel, squares }, size) {
  const used = squares.filter((square) => square !== laid.at(-1)[0]).map((square) => called(square, size));
  return [
    ...(vowel && laid.length > 1 ? [{ code: "premium-vowel", params: { letter: vowel } }] : []),
    ...(used.length ? [{ code: "premium-square", params: { squares: used } }] : []),
  ];
}

/* Buying and reporting on. */
function handedOn(position) {
  const { buys, passes } = position, text = [buying(buys), passes ? "passe" : ""].filter(Boolean).join(", ");
  const notes = [{ code: passes ? "reports-on" : "zug-still", params: {} }];
  return { text: written(position, text), words: [], notes, points: 0 };
}

/* ---- an announcement that has gone round ---- */

function refused({ turn: { board } }) {
  return board.completing ? { why: "complete-first", params: { word: board.running.word } } : null;
}

/* Where it can be completed, as moves. */
function goals({ moves = [] }) {
  return moves.map(([text, points, , word, place]) => ({ text, points, words: [{ word, points }], notes: [], place }));
}

function complete(position, square) {
  const found = goals(position.turn), name = called(square, position.size);
  const chosen = found.find(({ place }) => place === name);
  if (chosen) return { ...position, chosen };
  return { why: "cannot-lie-there", params: { square: name, squares: found.map(({ place }) => place) } };
}

/* ---- where the tiles of a move come to lie ---- */

/* {way}, the first in which they can lie so that the word can go on ("" = any), or {problem}. The order in which they were
   laid counts for nothing unless it does not go otherwise. */
function placed(position, word, wanted = "") {
  const { order, laid, size, running } = position, orders = order.length > MOST_TILES ? [] : permutations(order);
  const ways = orders.map((squares) => squares.map((square) => [square, laid[square]])).flatMap(([first, ...rest]) => (
    running ? grown(begun(position, running.way), [first, ...rest], size)
      : firstTile(position, first, wanted).flatMap((one) => grown(one, rest, size))
  ));
  const fits = ways.map((way) => ({ ...way, places: word ? placesOf(way, word, size) : [way.run] }));
  const found = fits.find(({ places }) => places.length), params = { tile: asHeld(laid[order.at(-1)]) };
  if (found) return { way: found };
  return { problem: ways.length ? doesNotFit(ways[0], word, size) : { why: "zug-fits-not", params } };
}

function permutations(all) {
  if (!all.length) return [[]];
  return all.flatMap((one, at) => permutations(all.filter((_, other) => other !== at)).map((rest) => [one, ...rest]));
}

/* A line with nothing laid by this move yet. */
function begun({ squares, running }, way) {
  return { way, table: squares, run: running?.run ?? [], laid: [], vowel: "", squares: [], beside: [] };
}

function newDirections({ finished }) {
  return finished ? [across(finished.way)] : ["w", "s"];
}

function firstTile(position, [square, tile], wanted) {
  const { squares, finished, size } = position, empty = !Object.keys(squares).length;
  if (squares[square] || (empty && square !== middle(size))) return [];
  if (empty) return [grow(begun(position, wanted || "w"), square, tile, size)];
  const ways = newDirections(position).filter((one) => !wanted || one === wanted);
  return ways.map((way) => crossing(grow(begun(position, way), square, tile, size), square, finished)).filter(Boolean);
}

/* A new word, with the vowel in which it crosses; null if it crosses nothing. */
function crossing(way, square, finished) {
  const crossed = way.run.filter((one) => (finished ? finished.run.includes(one) : one !== square));
  if (!crossed.length) return null;
  return { ...way, vowel: crossed.map((one) => way.table[one].slice(-1)).find((letter) => VOWELS.includes(letter)) ?? "" };
}

function grown(way, [tile, ...rest], size) {
  if (!tile) return [way];
  const allowed = 1 + Boolean(way.vowel) + way.squares.length;
  const fits = way.laid.length < allowed && ends(way.way, way.run, size).includes(tile[0]);
  return fits ? grown(grow(way, ...tile, size), rest, size) : [];
}

function grow(way, square, tile, size) {
  const table = { ...way.table, [square]: tile }, beside = run(table, square, across(way.way), size);
  return {
    ...way, table, run: run(table, square, way.way, size), laid: [...way.laid, [square, tile]],
    squares: makesSquare(table, square, size) ? [...way.squares, square] : way.squares,
    beside: beside.length > 1 ? [...way.beside, textOf(table, beside)] : way.beside,
  };
}

function makesSquare(table, square, size) {
  const x = square % size, lies = (dx, dy) => x + dx >= 0 && x + dx < size && table[square + dx + dy * size];
  return [-1, 1].some((dx) => [-1, 1].some((dy) => lies(dx, 0) && lies(0, dy) && lies(dx, dy)));
}

/* ---- the line of a word ---- */

/* The squares right before and right behind a run, where the table has them. */
function ends(way, squares, size) {
  const step = way === "w" ? 1 : size, at = (square) => (way === "w" ? square % size : Math.floor(square / size));
  const [first, last] = [squares[0], squares.at(-1)];
  return [...(at(first) > 0 ? [first - step] : []), ...(at(last) < size - 1 ? [last + step] : [])];
}

/* All ways in which a word can come to lie over a run: what lies in its line fits, and it touches nothing at its ends. */
function placesOf({ way, table, run: lying }, word, size) {
  const step = way === "w" ? 1 : size, text = textOf(table, lying), found = [];
  const at = way === "w" ? lying[0] % size : Math.floor(lying[0] / size);
  for (let offset = word.length - lying.length; offset >= 0; offset -= 1) {
    if (!word.startsWith(text, offset) || at < offset || at - offset + word.length > size) continue;
    const squares = [...word].map((_, n) => lying[0] + (n - offset) * step);
    if (ends(way, squares, size).some((square) => table[square])) continue;
    if (squares.every((square, n) => [undefined, word[n]].includes(table[square]?.slice(-1)))) found.push(squares);
  }
  return found;
}

function doesNotFit({ table, run: lying }, word, size) {
  const fragment = textOf(table, lying), why = word.includes(fragment) ? "no-room" : "lacks-fragment";
  return { why, params: { word, fragment, square: called(lying[0], size) } };
}

function spelled(word) {
  return word.trim().toUpperCase().replace(/[ÄÖÜẞ]/g, (letter) => UMLAUTS[letter]);
}

/* Whether a tile can go to a free square, or the own word that has gone round can begin there. */
function isOpen(position, square) {
  const { turn, size } = position;
  if (turn.board.completing) return goals(turn).some(({ place }) => place === called(square, size));
  return !recht.put(position, square, "E").why;
}
