/* New Game on the touch board (docs/build/touch-board.md of moderator). Pure functions of the turn (docs/build/turn.md) and of the
   tile that was laid. */

const SIZE = 5;
const COLUMNS = "ABCDE";

export const newgameBoard = {
  games: ["newgame"],
  undirected: true,

  /* laid: {square: letter} of the tile that was laid now. */
  start(turn) {
    return { turn, board: turn.board.rows.join(""), laid: {} };
  },

  name(position, square) {
    return `${COLUMNS[square % SIZE]}${Math.floor(square / SIZE) + 1}`;
  },

  axes() {
    return [[...COLUMNS], [...COLUMNS].map((_, n) => String(n + 1))];
  },

  shows(position, square) {
    const own = square in position.laid, lies = position.board[square] !== ".";
    return {
      letter: own ? position.laid[square] : lies ? position.board[square] : "", height: own || lies ? 1 : 0, own,
      fresh: position.turn.board.fresh === newgameBoard.name(position, square),
    };
  },

  put(position, square, letter) {
    if (Object.keys(position.laid).length) return { why: "zug-one-tile", params: {} };
    if (position.board[square] !== ".") return { why: "taken", params: { square: newgameBoard.name(position, square) } };
    return { ...position, laid: { [square]: letter } };
  },

  take(position) {
    return { ...position, laid: {} };
  },

  judge(position) {
    const [laid] = Object.entries(position.laid);
    if (!laid) return null;
    const square = Number(laid[0]), letter = laid[1];
    return {
      text: `lege ${letter} auf ${newgameBoard.name(position, square)}`, words: [], notes: [], points: worth(position, square, letter),
    };
  },
};

function worth(position, square, letter) {
  const x = square % SIZE, beside = [square - SIZE, square + SIZE];
  if (x > 0) beside.push(square - 1);
  if (x < SIZE - 1) beside.push(square + 1);
  return 1 + beside.filter((near) => position.board[near] === letter).length;
}
