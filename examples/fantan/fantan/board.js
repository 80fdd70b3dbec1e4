/* Fan Tan on the touch board (docs/build/touch-board.md): four rows of thirteen squares, one for each card. Pure functions of
   the turn (docs/build/turn.md) and of the card that was laid. */

const ROWS = "ABCD";
const HIGHEST = 13;
const SEVEN = 7;

export const fantan = {
  games: ["fantan"],
  undirected: true,

  /* laid: {square: card} of the card that was laid now. */
  start(turn) {
    return { turn, rows: turn.board.rows, laid: {} };
  },

  name(position, square) {
    return `${ROWS[Math.floor(square / HIGHEST)]}${(square % HIGHEST) + 1}`;
  },

  axes() {
    return [[...Array(HIGHEST).keys()].map((n) => String(n + 1)), [...ROWS]];
  },

  shows(position, square) {
    const run = position.rows[Math.floor(square / HIGHEST)], number = (square % HIGHEST) + 1;
    const lies = Boolean(run) && run[0] <= number && number <= run[1], own = square in position.laid;
    return {
      letter: lies || own ? String(number) : "", height: lies || own ? 1 : 0, own,
      fresh: position.turn.board.fresh === fantan.name(position, square), centre: number === SEVEN,
    };
  },

  /* A card goes to its own square, wherever it is put, and only one is laid in a turn. */
  put(position, _, tile) {
    const square = ROWS.indexOf(tile[0]) * HIGHEST + Number(tile.slice(1)) - 1;
    if (!fits(position, square)) return { why: "does-not-fit", params: { card: tile, seven: `${tile[0]}${SEVEN}` } };
    return { ...position, laid: { [square]: tile } };
  },

  take(position) {
    return { ...position, laid: {} };
  },

  judge(position) {
    const [card] = Object.values(position.laid), { rack, tiles } = position.turn;
    if (!card) return null;
    const others = rack.length > 1 ? 0 : tiles.reduce((sum, count) => sum + count, 0) - 1;
    const notes = others ? [{ code: "out", params: { count: others } }] : [];
    return { text: `lege ${card}`, words: [], notes, points: 1 + others };
  },
};

function fits(position, square) {
  const run = position.rows[Math.floor(square / HIGHEST)], number = (square % HIGHEST) + 1;
  return run ? number === run[0] - 1 || number === run[1] + 1 : number === SEVEN;
}
