/* Tridom and SuperTridom on the touch board (docs/build/touch-board.md): what can be laid stands in the turn. */

import { laying } from "./zug_laying.js";

export const tridom = {
  games: ["tridom", "supertridom"],
  ...laying,
  conditional: true,
  least: [0, 0],
  room: 50,
  says: {
    u: "zug-tile-up", U: "zug-tile-up", d: "zug-tile-down", D: "zug-tile-down", a: "zug-place-up", b: "zug-place-down",
  },
  named: { a: 24, b: 24 },
  rack: (tile) => ({ form: new Set(tile).size > 1 ? "u" : "U", width: 60, height: 54, at: [30, 35], scale: 0.72 }),

  /* The order to lay at the best place after every forced draw. */
  standing: () => ({ text: "nach Ziehen: bester", notes: [{ code: "zug-after-draw" }] }),
};
