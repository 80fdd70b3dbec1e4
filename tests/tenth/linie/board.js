/* Linie on the touch board (docs/build/touch-board.md): the row, and a free place at each of its ends. */

const SIDE = 44;
const ENDS = ["L", "R"];

export const linie = {
  games: ["linie"],
  whole: true,
  printed: (tile) => tile.toLowerCase(),

  start(turn) {
    return { turn, row: turn.board.row, laid: {} };
  },

  first() {
    return "R";
  },

  name({ row }, spot) {
    return row[spot] ?? spot;
  },

  step({ row }, spot, dx) {
    const places = ["L", ...row.keys(), "R"], at = places.indexOf(spot) + dx;
    return places[Math.max(0, Math.min(at, places.length - 1))];
  },

  put(position, spot, tile) {
    if (!position.turn.rack.includes(tile)) return { why: "not-your-tile", params: { tile } };
    if (!fits(position, spot, tile)) return { why: "does-not-fit", params: { tile } };
    return { ...position, laid: { [spot]: tile } };
  },

  take(position) {
    return { ...position, laid: {} };
  },

  judge({ laid }) {
    const [move] = Object.entries(laid);
    return move ? { text: `${move[1]}@${move[0]}`, words: [], notes: [], points: move[1].charCodeAt(0) - 64 } : null;
  },

  /* What a tile scores is the same everywhere. */
  worth(position, spot, tile) {
    return fits(position, spot, tile) ? true : null;
  },

  draw(position, picked) {
    const { turn, row, laid } = position, places = ["L", ...row.keys(), "R"];
    const spots = places.map((spot, at) => {
      const tile = laid[spot] ?? row[spot] ?? "", fit = turn.rack.filter((one) => fits(position, spot, one));
      return {
        spot, open: !tile && (picked ? fit.includes(picked) : fit.length > 0),
        kind: laid[spot] ? "lies own" : tile ? "lies" : "free", at: [(at + 0.5) * SIDE, SIDE / 2],
        label: [tile ? { code: "zug-stone", params: { tile } } : { code: "zug-place", params: {} }],
        parts: [
          ["rect", { class: "edge", x: at * SIDE + 3, y: 3, width: SIDE - 6, height: SIDE - 6, rx: 6 }],
          ["text", { class: "ink", x: (at + 0.5) * SIDE, y: 29, "font-size": 20 }, tile],
        ],
      };
    });
    return { width: places.length * SIDE, height: SIDE, spots };
  },

  face(tile) {
    return { width: SIDE, height: SIDE, parts: [
      ["rect", { class: "edge", x: 3, y: 3, width: SIDE - 6, height: SIDE - 6, rx: 6 }],
      ["text", { class: "ink", x: SIDE / 2, y: 29, "font-size": 20 }, tile],
    ] };
  },
};

function fits({ row }, spot, tile) {
  const beside = spot === "L" ? row[0] : row.at(-1);
  return ENDS.includes(spot) && (!row.length || Math.abs(beside.charCodeAt(0) - tile.charCodeAt(0)) <= 2);
}
