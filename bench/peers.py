"""Topwords beside another program: 96 positions, read by us and by upwords-solver of npm in one run.

`python -m bench peers` needs `node` and `npm`, takes the package from the registry that npm is set to, and puts what
both read and what the peer answers into bench/out/peers/. The rules differ in three things, which are put aside: their
Q is a Qu (no Q here), a full rack is 20 points there and 10 here, and J, X, Y, Z are worth more only here. They also
forbid to lay nothing but a plural S, which their own list of rules lets us leave out. Whole words may not be covered
(``cover_whole_word`` is off), as there; only that upwords-toolkit 0.1.38 does not see a word that ends at the edge of
the board, and lets it be covered: moves that we lack for that reason are counted by themselves.

Targets: no other difference in any list of moves and points, and at least ten times their speed.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from bench.target import at_least, at_most
from bench.topwords import ListedWords, german_words
from moderator.games.topwords.generate import index_for, list_topwords_placements
from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import (
    RACK_POINTS,
    RARE,
    RARE_POINTS,
    SIZE,
    TopwordsOptions,
    TopwordsPlacement,
    TopwordsPublic,
    get_stack_index,
)
from moderator.rules.game import State
from moderator.rules.state import Context, View, view_for

PACKAGES = ("upwords-solver@0.1.1", "upwords-toolkit@0.1.38")
OUT = Path(__file__).parent / "out" / "peers"
POSITIONS = 96
WORDS = 60_000
THEIR_RACK_POINTS = 20
PLAIN = frozenset("ABCDEFGHIJKLMNOPRSTUVWXYZ")
TILES = dict.fromkeys(PLAIN, 4) | {
    "E": 14,
    "N": 9,
    "S": 7,
    "I": 6,
    "R": 6,
    "T": 6,
    "A": 6,
    "X": 1,
    "Y": 1,
    "J": 1,
}
OPTIONS = TopwordsOptions(tiles=TILES, cover_whole_word=False)


def positions(words: ListedWords, wanted: int) -> Iterator[tuple[View[TopwordsPublic], Context]]:
    """Of games in which every move is one of the ten best, every second position, the empty board first."""
    for number in range(wanted):
        dice = random.Random(number)
        ctx = Context(words, lambda label, items, dice=dice: tuple(dice.sample(list(items), len(items))))
        state: State[TopwordsPublic] = GAME.setup(2, OPTIONS, ctx).state
        for turn in range(16):
            view = view_for(state, state.to_move[0])
            best = sorted(list_topwords_placements(view, ctx), key=lambda move: (-move[1], str(move[0])))[:10]
            if not best or state.over:
                break
            if turn % 2 == number % 2:
                yield view, ctx
            state = GAME.apply_move(state, state.to_move[0], dice.choice(best)[0], ctx).state


def as_json(view: View[TopwordsPublic]) -> dict[str, Any]:
    board = [list(view.public.board[row * SIZE : (row + 1) * SIZE]) for row in range(SIZE)]
    return {"board": board, "rack": "".join(view.hand)}


def laid(view: View[TopwordsPublic], move: TopwordsPlacement) -> list[str]:
    """The letters that come from the rack."""
    start, step = get_stack_index(move.square, view.public.options), 1 if move.direction == "w" else SIZE
    return [letter for n, letter in enumerate(move.word) if view.public.board[start + n * step][-1:] != letter]


def without_bonus(view: View[TopwordsPublic], move: TopwordsPlacement, points: int) -> int:
    """Only what both programs count: the sums of the words."""
    letters = laid(view, move)
    full = RACK_POINTS if len(letters) == len(view.hand) else 0
    return points - full - RARE_POINTS * sum(letter in RARE for letter in letters)


def ours(view: View[TopwordsPublic], ctx: Context) -> tuple[float, dict[str, int]]:
    """Milliseconds, and the sums of all moves."""
    began = time.perf_counter()
    found = list_topwords_placements(view, ctx)
    spent = (time.perf_counter() - began) * 1000
    plays = {}
    for move, points in found:
        row, column = divmod(get_stack_index(move.square, view.public.options), SIZE)
        plays[f"{row} {column} {move.direction} {move.word}"] = without_bonus(view, move, points)
    return spent, plays


def theirs(cases: Sequence[View[TopwordsPublic]], words: Sequence[str]) -> list[tuple[float, dict[str, int]]]:
    """The same of the peer, a process of its own."""
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "words.txt").write_text("\n".join(words) + "\n", encoding="ascii")
    lines = [json.dumps(as_json(view)) for view in cases]
    (OUT / "positions.jsonl").write_text("\n".join(lines) + "\n", encoding="ascii")
    (OUT / "package.json").write_text('{"private": true}\n', encoding="ascii")
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *PACKAGES], cwd=OUT, check=True)
    script = OUT / "upwords.mjs"
    script.write_bytes(Path(__file__).with_name("upwords.mjs").read_bytes())
    done = subprocess.run(["node", script.name], cwd=OUT, check=True, capture_output=True, text=True)
    (OUT / "answers.jsonl").write_text(done.stdout, encoding="ascii")
    found = []
    for line, view in zip(done.stdout.splitlines(), cases, strict=True):
        answer = json.loads(line)
        found.append((answer["ms"], {play: points - _rack(view, play) for play, points in answer["plays"].items()}))
    return found


def _rack(view: View[TopwordsPublic], play: str) -> int:
    row, column, direction, word = play.split()
    square = f"{'ABCDEFGHIJ'[int(column)]}{int(row) + 1}"
    full = len(laid(view, TopwordsPlacement(square, "w" if direction == "w" else "s", word))) == OPTIONS.rack_size
    return THEIR_RACK_POINTS if full else 0


def covers_a_word_at_the_edge(view: View[TopwordsPublic], play: str) -> bool:
    """Whether the play lays a tile on every letter of a word that ends with its line."""
    row, column, direction, word = play.split()
    step = 1 if direction == "w" else SIZE
    start, along = int(row) * SIZE + int(column), int(column) if direction == "w" else int(row)
    ends = start + (SIZE - 1 - along) * step
    first = ends
    while first >= start and view.public.board[first]:
        first -= step
    run = range(first + step, ends + step, step)
    return len(run) > 1 and all(at >= start and view.public.board[at][-1] != word[(at - start) // step] for at in run)


def run() -> None:
    """Compare and print."""
    words = ListedWords([word for word in german_words(WORDS) if set(word) <= PLAIN])
    index_for(words)
    cases = list(islice(positions(words, POSITIONS), POSITIONS))
    peer = theirs([view for view, _ in cases], words.words)
    times, peer_times, agreed, known, differences = [], [], 0, 0, []
    for (view, ctx), (peer_ms, peer_plays) in zip(cases, peer, strict=True):
        spent, plays = ours(view, ctx)
        times.append(spent)
        peer_times.append(peer_ms)
        agreed += max(plays.values(), default=0) == max(peer_plays.values(), default=0)
        for play, points in sorted(plays.items() ^ peer_plays.items()):
            if play not in plays and covers_a_word_at_the_edge(view, play):
                known += 1
            else:
                differences.append(f"{play} {points} {'ours' if play in plays else 'theirs'} {as_json(view)}")
    print(
        f"  {len(cases)} positions, {len(words.words)} words, {sum(len(plays) for _, plays in peer)} moves of the peer"
    )
    print(f"  {known} of them cover a word at the edge of the board")
    for line in differences[:10]:
        print(f"  differs: {line}")
    at_least("positions in which the best points agree", agreed, POSITIONS)
    at_most("other differences in the lists of moves", len(differences), 0)
    at_least("their time as multiple of ours", statistics.median(peer_times) / statistics.median(times), 10, " ×")
