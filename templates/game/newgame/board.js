/* New Game on the page to lay tiles on (docs/zugbrett.md of moderator). Pure functions of the turn (docs/turn.md) and of the
   tile that was laid. */

const SIZE = 5;
const COLUMNS = "ABCDE";

export const newgameBoard = {
  games: ["newgame"],

  /* laid: {square, letter} of the tile that was laid now, null = none. */
  start(turn) {
    return { turn, board: turn.board.rows.join(""), laid: null };
  },

  name(position, square) {
    return `${COLUMNS[square % SIZE]}${Math.floor(square / SIZE) + 1}`;
  },

  axes() {
    return [[...COLUMNS], [...COLUMNS].map((_, n) => String(n + 1))];
  },

  shows(position, square) {
    const own = position.laid?.square === square, lies = position.board[square] !== ".";
    return {
      letter: own ? position.laid.letter : lies ? position.board[square] : "", height: own || lies ? 1 : 0, own,
      fresh: position.turn.board.fresh === newgameBoard.name(position, square),
    };
  },

  put(position, square, letter) {
    if (position.laid) return { why: "zug-one-tile", params: {} };
    if (position.board[square] !== ".") return { why: "taken", params: { square: newgameBoard.name(position, square) } };
    return { ...position, laid: { square, letter } };
  },

  take(position) {
    return { ...position, laid: null };
  },

  judge(position) {
    if (!position.laid) return null;
    const { square, letter } = position.laid;
    return {
      text: `lege ${letter} auf ${newgameBoard.name(position, square)}`, words: [], notes: [], points: worth(position, square, letter),
    };
  },

  left(position) {
    const rack = [...position.turn.rack];
    if (position.laid) rack.splice(rack.indexOf(position.laid.letter), 1);
    return rack;
  },
};

function worth(position, square, letter) {
  const x = square % SIZE, beside = [square - SIZE, square + SIZE];
  if (x > 0) beside.push(square - 1);
  if (x < SIZE - 1) beside.push(square + 1);
  return 1 + beside.filter((near) => position.board[near] === letter).length;
}
