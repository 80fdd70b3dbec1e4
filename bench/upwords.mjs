// The peer of bench/peers.py: upwords-solver and upwords-toolkit (npm, MIT) read the same positions.
//
// In: words.txt (a word a line), positions.jsonl (a position a line: {"board": ten rows of ten stacks, bottom to top,
// "rack": letters}). Out, a line each: {"ms": time of the search, "plays": {"row column w|s WORD": points}}.
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { UpwordsWordFinder } from "upwords-solver";
import { TileRack, UpwordsBoard } from "upwords-toolkit";

const lines = (file) => readFileSync(file, "utf8").trim().split("\n");
const words = lines("words.txt");
UpwordsWordFinder.init(words);
// Our rule sheets do not forbid a plural S; everything else that this package refuses, it may refuse.
UpwordsBoard.boardValidations = UpwordsBoard.boardValidations.filter((rule) => rule.name !== "onlyAddsPlural");
const referee = new UpwordsBoard(words);

function whole(play, board) {
  const [row, column] = play.start;
  return [...play.tiles].map((tile, n) =>
    tile !== " " ? tile : play.direction === 0 ? board[row][column + n][1] : board[row + n][column][1]).join("");
}

for (const line of lines("positions.jsonl")) {
  const { board: stacks, rack: letters } = JSON.parse(line);
  const board = stacks.map((row) => row.map((stack) => `${stack.length}${stack.at(-1) ?? " "}`));
  const rack = new TileRack();
  for (const letter of letters) rack.addTile(letter, 1);
  const began = performance.now();
  const found = UpwordsWordFinder.findAllPossiblePlays(board, rack);
  const ms = performance.now() - began;
  referee.ubfBoard = board;
  const plays = {};
  for (const play of found) {
    const { isValid, points } = referee.checkPlay(play);
    if (isValid) plays[`${play.start.join(" ")} ${play.direction === 0 ? "w" : "s"} ${whole(play, board)}`] = points;
  }
  console.log(JSON.stringify({ ms, plays }));
}
