/* Dominos on the touch board (docs/build/touch-board.md): what can be laid stands in the turn. */

import { laying } from "./zug_laying.js";

export const dominos = {
  games: ["dominos"],
  ...laying,
  conditional: true,
  whole: true,
  least: [300, 140],
  room: 26,
  says: { v: "zug-tile", h: "zug-tile", V: "zug-spinner", H: "zug-spinner", e: "zug-open", o: "zug-first" },
  named: {},
  rack: () => ({ form: "v", width: 44, height: 84, at: [22, 42], scale: 1.9 }),

  /* The order to lay at the best place after every forced draw. */
  standing: () => ({ text: "nach Ziehen: bester", notes: [{ code: "zug-after-draw" }] }),
};
