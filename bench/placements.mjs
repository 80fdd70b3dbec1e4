// The second implementation of bench/placements.py: the geometry of the page on which tiles are laid.
//
// In: the module of a game's page, turns.jsonl (docs/build/turn.md, a turn a line). Out, a line each: {"ms": time of the search,
// "moves": {move: points}}.
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";

const [, , module, turns] = process.argv;
const [board] = Object.values(await import(pathToFileURL(module)));
for (const line of readFileSync(turns, "utf8").trim().split("\n")) {
  const turn = JSON.parse(line), began = performance.now(), position = board.start(turn), moves = {};
  const spots = board.draw(position).spots.map((one) => one.spot);
  for (const tile of new Set(turn.rack)) {
    for (const spot of spots) {
      const after = board.put(position, spot, tile), move = !after.why && board.judge(after);
      if (move) moves[move.text] = move.points;
    }
  }
  console.log(JSON.stringify({ ms: performance.now() - began, moves }));
}
