"""What letters are worth that are kept in Topwords, from robots that play each other: writes the table that the strong
robot reads.

    python -m bench.kept_letters --games 300

Each turn of a robot that takes the most points tells what was kept and what its next turn then brought. A letter's
value is its part in that, by least squares: one for the first of a kind, one for every further tile that is there
already.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import moderator.games.topwords as package
from bench.robots import dictionary
from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import ALPHABET, TopwordsOptions
from moderator.games.topwords.strong import AGAIN, count_leave_features
from moderator.rules import shuffling
from moderator.rules.state import Context, Words, view_for

FILE = Path(package.__file__).with_name("kept.toml")
RIDGE = 20.0
"""As if every letter had been kept so often before and been worth nothing: rare ones stay near it."""
NAMES = (*sorted(ALPHABET), AGAIN, "")
"""Of the columns; the last is what a turn brings anyhow."""

Row = tuple[Counter[str], float]


def kept(number: int, words: Words) -> Iterator[Row]:
    """(what was kept, what the next turn brought) of one match."""
    seed = hashlib.sha256(f"leaves/{number}".encode()).digest()
    ctx = Context(words, shuffling.build_shuffle(shuffling.build_round_seeds(seed)))
    state, before = GAME.setup(2, TopwordsOptions(), ctx).state, dict[int, Sequence[str]]()
    while not state.over and state.stock:
        seat = state.to_move[0]
        found = sorted(GAME.list_moves(view_for(state, seat), ctx), key=lambda one: (-one[1], GAME.format_move(one[0])))
        if not found:
            return
        if seat in before:
            yield count_leave_features(before[seat]), float(found[0][1])
        held = state.hands[seat]
        state = GAME.apply_move(state, seat, found[0][0], ctx).state
        laid = len(state.public.fresh)
        before[seat] = state.hands[seat][: len(held) - laid]


def solved(rows: Sequence[Row]) -> dict[str, float]:
    """Least squares with ``RIDGE``, by Gauss."""
    size = len(NAMES)
    matrix = [[RIDGE * (row == column < size - 1) for column in range(size + 1)] for row in range(size)]
    for counts, points in rows:
        values = {NAMES.index(name): float(count) for name, count in counts.items()} | {size - 1: 1.0}
        for row, one in values.items():
            for column, other in values.items():
                matrix[row][column] += one * other
            matrix[row][size] += one * points
    for pivot in range(size):
        for row in range(size):
            if row != pivot and (factor := matrix[row][pivot] / matrix[pivot][pivot]):
                matrix[row] = [a - factor * b for a, b in zip(matrix[row], matrix[pivot], strict=True)]
    return {name: matrix[n][size] / matrix[n][n] for n, name in enumerate(NAMES) if name}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=300)
    games = parser.parse_args().games
    words = dictionary("topwords")
    rows = [row for number in range(games) for row in kept(number, words)]
    lines = [f'"{name}" = {value:.2f}' for name, value in solved(rows).items()]
    made = f"python -m bench.kept_letters --games {games}"
    head = f"# Made by {made}, from {len(rows)} turns: points that a kept letter is worth."
    FILE.write_text("\n".join([head, *lines, ""]), encoding="utf-8")
    print(FILE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
