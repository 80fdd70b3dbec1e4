/* Wer behält recht? on the page to lay tiles on (docs/build/touch-board.md): where a tile can go, whether an announced word can
   come to lie there, what a move is called and what its author risks. Pure functions of the turn (docs/build/turn.md) and of
   what was done so far; the referee alone judges words. */

import {
  STANDS, VOWELS, asHeld, bought, buying, called, common, exchanged, face, fetched, middle, number, numbered, run, written,
} from "./tiles.js";

const MOST_TILES = 4;
const REST = { red: 3, black: 1, jolly: 10 };
const UMLAUTS = { Ä: "AE", Ö: "OE", Ü: "UE", ẞ: "SS" };
const BUYS = { "zug-buy-red": "red", "zug-buy-black": "black" };

export const recht = {
  games: ["recht"],
  ...common,

  /* The position that a turn shows, with nothing done yet. squares: what lies, by number; laid: the same of what is laid
     now, "*A" where a jolly stands for A, and order: its squares as they were laid; word: as announced; swaps: [{letter,
     square}] jollies taken from the table; rack: with them, as they are held; buys: the colour bought; passes: whether the
     turn is handed on; chosen: the first square of the own word that has gone round; running: the fragment, finished: the
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

  /* What holds besides the tiles, in the sentences of the mails: [{code, params}]. */
  about(position) {
    const { turn } = position, { stock, running, stake, bought: has, completing, gone } = turn.board;
    const some = stock.red + stock.black > 0, mine = named(turn, turn.seat);
    const standing = running?.author === nextSeat(turn) && !completing;
    return [
      situation(position),
      completing && { code: "zug-where", params: { word: running.word, squares: completions(position).map(
        (one) => called(one.place[0], position.size),
      ) } },
      standing && { code: "goes-round", params: { word: running.word, name: named(turn, running.author) } },
      has && { code: "has-bought", params: { name: mine } },
      stake > 1 && { code: "counts-double", params: {} },
      ...gone.map((seat) => ({ code: "is-out", params: { name: named(turn, seat) } })),
      some ? { code: "mail.stock-kinds", params: stock } : { code: "mail.stock-none", params: {} },
      turn.options.strict_buy && { code: "zug-strict", params: {} },
      turn.options.buy_before_pass && { code: "zug-buys-first", params: {} },
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
    if (turn.board.completing) return number(turn.board.running.places[0], size);
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
  acts: ({ turn: { board } }) => [
    ...(board.completing ? ["zug-complete"] : []), "zug-fetch",
    ...(board.completing ? [] : ["zug-buy-red", "zug-buy-black", "zug-report-on"]), "zug-again",
  ],

  /* The position after one of them at the chosen square, or {why, params}. */
  act(position, code, square) {
    const { turn, size, passes, order } = position, { board } = turn;
    if (code === "zug-again") return recht.start(turn);
    if (code === "zug-fetch") return position.order.length ? { why: "zug-fetch-first", params: {} } : fetched(position, square);
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
    const { turn, order, swaps, buys, passes, word } = position;
    if (turn.board.completing) return completed(position);
    if (order.length) return announced(position, way);
    if (buys.length || passes) return handedOn(position);
    if (word.trim()) return { why: "zug-tile-first", params: {} };
    return swaps.length ? { why: "zug-then", params: {} } : null;
  },
};

/* ---- what a move is called ---- */

function announced(position, wanted) {
  const { turn, running, size, word } = position, { seat, board } = turn, standing = board.running?.word ?? "";
  const typed = spelled(word), said = typed || standing, goesOn = said === standing;
  const foreign = typed.match(/[^A-Z]/u);
  if (foreign) return { why: "foreign-letter", params: { letter: foreign[0], word: typed } };
  if (!said) return { why: "zug-announce-first", params: {} };
  if (said.length < 2) return { why: "too-short", params: { word: said } };
  const { problem, way } = inDirection(position, said, wanted);
  if (problem) return problem;
  const author = goesOn ? board.running.author : seat;
  const complete = way.places.length === 1 && way.places[0].join() === way.run.join();
  const letters = way.laid.map(([square, tile], at) => {
    if (running) return `${square < running.run[0] ? "vorn" : "hinten"} ${tile}`;
    return `${tile} an ${called(square, size)}${at ? "" : ` ${way.way}`}`;
  }).join(" + ");
  const words = [...(complete ? [said] : []), ...way.beside].map((one) => ({ word: one, points: 0 }));
  return {
    text: written(position, goesOn ? `weiter ${letters}` : `${letters} = ${said}`), words, points: 0,
    notes: [...premiums(way, size), ...foretold(position, way, { said, goesOn, author, complete })],
  };
}

/* In the wanted direction, where a new word may run in both; in the other one if it goes only there. */
function inDirection(position, word, wanted) {
  const open = position.running ? [""] : newDirections(position);
  const tried = [wanted, ...open.filter((one) => one !== wanted)].filter((one) => open.includes(one));
  const found = tried.map((one) => placed(position, word, one));
  return found.find((one) => one.way) ?? found[0];
}

function premiums({ laid, vowel, squares }, size) {
  const used = squares.filter((square) => square !== laid.at(-1)[0]).map((square) => called(square, size));
  return [
    ...(vowel && laid.length > 1 ? [{ code: "premium-vowel", params: { letter: vowel } }] : []),
    ...(used.length ? [{ code: "premium-square", params: { squares: used } }] : []),
  ];
}

/* What comes of a tile that is laid, as far as it hangs on nothing that is hidden. */
function foretold(position, way, { said, goesOn, author, complete }) {
  const { turn } = position, fragment = textOf(way.table, way.run), next = nextSeat(turn), notes = [];
  const params = { word: said, fragment };
  if (complete) notes.push({ code: "finishes", params: { word: said } });
  else if (goesOn) notes.push({ code: "goes-on", params: { ...params, seat: named(turn, author) } });
  else notes.push({ code: "announces", params });
  if (!recht.left(position).length) return [...notes, { code: "out", params: {} }];
  if (complete) {
    const seat = author !== turn.seat ? author : next;
    return [...notes, { code: "zug-begins", params: { name: named(turn, seat) } }];
  }
  if (!goesOn) return [...notes, risk(position, way, said)];
  if (next === author) notes.push({ code: "zug-round", params: { word: said, name: named(turn, author) } });
  return notes;
}

/* What an announcement asks of its author if it comes back and nobody has laid anything. */
function risk(position, { table, places }, word) {
  const { turn, size } = position, rack = recht.left(position);
  const [done] = waysToComplete({ size, squares: table, rack, places, word });
  if (done) return { code: "zug-can-complete", params: { word, count: done.laid.length } };
  const lacking = places.map((place) => missing(table, place, word, rack).lacking);
  const letters = lacking.reduce((least, one) => (one.length < least.length ? one : least));
  const rest = turn.board.stake * rack.reduce((sum, tile) => sum + REST[colour(tile)], 0);
  return { code: "zug-risks", params: { word, letters, rest, points: rest * (turn.scores.length - 1) } };
}

/* Buying and reporting on. */
function handedOn(position) {
  const { turn, buys, passes, swaps } = position, { board, options } = turn, { stock, running } = board;
  const left = stock.red + stock.black;
  const forced = passes && options.buy_before_pass && !buys.length && !board.bought && left;
  const notes = buys.length || forced ? bought(stock, buys) : [];
  if (passes) notes.push({ code: "reports-on", params: {} });
  else notes.push({ code: "zug-still", params: {} });
  const playing = turn.scores.length - board.gone.length, idle = passes && !left && !board.bought && !swaps.length;
  if (idle && board.passes + 1 >= playing) notes.push({ code: "blocked", params: {} });
  else if (passes && running?.word && nextSeat(turn) === running.author) {
    notes.push({ code: "zug-round", params: { word: running.word, name: named(turn, running.author) } });
  }
  const text = [buying(buys), passes ? "passe" : ""].filter(Boolean).join(", ");
  return { text: written(position, text), words: [], notes, points: 0 };
}

/* ---- an announcement that has gone round ---- */

function refused({ turn: { board } }) {
  return board.completing ? { why: "complete-first", params: { word: board.running.word } } : null;
}

function complete(position, square) {
  const firsts = completions(position).map(({ place }) => place[0]), name = (one) => called(one, position.size);
  if (firsts.includes(square)) return { ...position, chosen: square };
  return { why: "cannot-lie-there", params: { square: name(square), squares: firsts.map(name) } };
}

function completed(position) {
  const { turn, size, chosen } = position, { word } = turn.board.running;
  if (chosen === null) return null;
  const { laid, swaps } = completions(position).find(({ place }) => place[0] === chosen), square = called(chosen, size);
  const out = laid.length === position.rack.length;
  return {
    text: written(position, `vollende ab ${square}`), words: [{ word, points: 0 }], points: 0,
    notes: [
      ...swaps.map((params) => ({ code: "exchanged", params })),
      { code: "zug-completes", params: { word, square, count: laid.length } },
      out ? { code: "out", params: {} } : { code: "zug-you-begin", params: {} },
    ],
  };
}

/* All places where the own announcement can be completed: [{place, laid, swaps}]. */
function completions({ turn, size, squares, rack }) {
  const { word, direction, places } = turn.board.running, step = direction === "w" ? 1 : size;
  const lines = places.map((name) => [...word].map((_, at) => number(name, size) + at * step));
  return waysToComplete({ size, squares, rack, places: lines, word });
}

/* With own tiles; jollies for what is missing, and lying ones only if it does not go without. */
function waysToComplete({ size, squares, rack, places, word }) {
  for (const { squares: table, rack: held, swaps } of exchanged({ size, squares, rack, laid: {}, swaps: [] })) {
    const found = places.map((place) => ({ place, swaps, ...missing(table, place, word, held) }));
    const good = found.filter(({ lacking }) => !lacking.length);
    if (good.length) return good;
  }
  return [];
}

/* The tiles for the free squares of a place, and the letters that the rack lacks for it. */
function missing(table, place, word, rack) {
  const held = [...rack], laid = [], lacking = [];
  place.forEach((square, at) => {
    if (table[square]) return;
    const tile = held.includes(word[at]) ? word[at] : `*${word[at]}`, from = held.indexOf(asHeld(tile));
    if (from < 0) return lacking.push(word[at]);
    held.splice(from, 1);
    return laid.push([square, tile]);
  });
  return { laid, lacking };
}

/* ---- where the tiles of a move come to lie ---- */

/* {way}, the first in which they can lie so that the word can go on ("" = any), or {problem}. The order in which they
   were laid counts for nothing unless it does not go otherwise. */
function placed(position, word, wanted = "") {
  const { order, laid, size } = position, problems = [], unfit = [];
  if (order.length > MOST_TILES) return { problem: { why: "one-tile-only", params: { count: 1 } } };
  for (const tiles of permutations(order.map((square) => [square, laid[square]]))) {
    const start = position.running ? [begun(position, position.running.way)]
      : firstTile(position, tiles.shift(), wanted, problems);
    for (const way of start.flatMap((one) => grown(one, tiles, size, problems))) {
      const places = word ? placesOf(way, word, size) : [way.run];
      if (places.length) return { way: { ...way, places } };
      unfit.push(doesNotFit(way, word, size));
    }
  }
  const tooMany = problems.find(({ why }) => why === "one-tile-only");
  return { problem: unfit[0] ?? tooMany ?? problems[0] };
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

function firstTile(position, [square, tile], wanted, problems) {
  const { squares, finished, size } = position, name = called(square, size), start = middle(size);
  const no = (why, params) => problems.push({ why, params }) && [];
  if (!Object.keys(squares).length) {
    if (square !== start) return no("start-square", { square: called(start, size) });
    return [grow(begun(position, wanted || "w"), square, tile, size)];
  }
  if (squares[square]) return no("taken", { square: name, letter: squares[square].slice(-1) });
  const ways = newDirections(position).filter((one) => !wanted || one === wanted);
  const found = ways.map((way) => crossing(grow(begun(position, way), square, tile, size), square, finished)).filter(Boolean);
  if (found.length) return found;
  if (!finished) return no("touches-nothing", { square: name });
  return no("does-not-cross", { square: name, word: textOf(squares, finished.run) });
}

/* A new word, with the vowel in which it crosses; null if it crosses nothing. */
function crossing(way, square, finished) {
  const crossed = way.run.filter((one) => (finished ? finished.run.includes(one) : one !== square));
  if (!crossed.length) return null;
  return { ...way, vowel: crossed.map((one) => letterOf(way.table, one)).find((letter) => VOWELS.includes(letter)) ?? "" };
}

function grown(way, tiles, size, problems) {
  if (!tiles.length) return [way];
  const allowed = 1 + Boolean(way.vowel) + way.squares.length, [[square, tile], ...rest] = tiles;
  const free = ends(way.way, way.run, size);
  if (way.laid.length >= allowed) problems.push({ why: "one-tile-only", params: { count: allowed } });
  else if (free.includes(square)) return grown(grow(way, square, tile, size), rest, size, problems);
  else {
    const params = { square: called(square, size), squares: free.map((one) => called(one, size)) };
    problems.push({ why: "not-at-fragment", params: { ...params, fragment: textOf(way.table, way.run) } });
  }
  return [];
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

function across(way) {
  return way === "w" ? "s" : "w";
}

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

function letterOf(table, square) {
  return table[square].slice(-1);
}

function textOf(table, squares) {
  return squares.map((square) => letterOf(table, square)).join("");
}

function spelled(word) {
  return word.trim().toUpperCase().replace(/[ÄÖÜẞ]/g, (letter) => UMLAUTS[letter]);
}

function colour(tile) {
  return tile.startsWith("*") ? "jolly" : VOWELS.includes(tile) ? "red" : "black";
}

/* Whether a tile can go to a free square, or the own word that has gone round can begin there. */
function isOpen(position, square) {
  if (position.turn.board.completing) return completions(position).some(({ place }) => place[0] === square);
  return !recht.put(position, square, "E").why;
}

/* ---- seats, and what stands ---- */

function named({ names }, seat) {
  return names?.[seat] ?? String(seat + 1);
}

/* Whose turn comes after a tile: of those who are still in. */
function nextSeat({ seat, scores, board: { gone } }) {
  const seats = scores.map((_, step) => (seat + step + 1) % scores.length);
  return seats.find((one) => !gone.includes(one));
}

/* What is in the making, or where a new word goes. */
function situation({ turn, squares, running, finished, size }) {
  const name = named(turn, turn.seat), { word, author, letters: fragment } = turn.board.running ?? {};
  const where = (line) => ({ square: called(line.run[0], size), direction: line.way });
  if (running && !word) return { code: "unannounced", params: { fragment, ...where(running) } };
  if (running) return { code: "announced", params: { word, fragment, name: named(turn, author), ...where(running) } };
  if (!Object.keys(squares).length) return { code: "first-tile", params: { square: called(middle(size), size), name } };
  if (!finished) return { code: "new-word", params: { name } };
  return { code: "new-word-across", params: { word: textOf(squares, finished.run), name, ...where(finished) } };
}
