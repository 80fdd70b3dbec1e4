"""The table as a neutral drawing: the part in use and one ring around it, under its real coordinates."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from moderator.engine.contract import Cell, Grid
from moderator.games.typdom.board import Run, Table, columns
from moderator.games.typdom.tiles import STAR, VOWELS

AROUND_START = 4
"""Squares that an empty table shows on each side of the start."""


def draw(table: Table, fresh: Collection[int] = (), runs: Iterable[Run] = ()) -> Grid:
    """Vowels round, consonants square, jollies marked. ``fresh``: squares of the last move's tiles; ``runs``: the words
    that it formed. An empty table shows the squares around the start."""
    left, top, right, bottom = _part(table)
    new = frozenset(fresh)
    cells = (
        Cell(
            x=square % table.size - left,
            y=square // table.size - top,
            letter=tile[-1],
            fresh=square in new,
            shape="round" if tile[-1] in VOWELS else "square",
            joker=tile.startswith(STAR),
        )
        for square, tile in sorted(table.squares.items())
    )
    start = (table.start % table.size - left, table.start // table.size - top)
    return Grid(
        columns=columns(table.size)[left : right + 1],
        rows=tuple(str(y + 1) for y in range(top, bottom + 1)),
        cells=tuple(cells),
        shaded=frozenset() if table.squares else frozenset({start}),
        words=tuple(_frame(run, table.size, left, top) for run in runs),
    )


def _part(table: Table) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of what is shown."""
    ring = 1 if table.squares else AROUND_START
    squares = table.squares or (table.start,)
    xs, ys = [square % table.size for square in squares], [square // table.size for square in squares]
    last = table.size - 1
    return max(0, min(xs) - ring), max(0, min(ys) - ring), min(last, max(xs) + ring), min(last, max(ys) + ring)


def _frame(run: Run, size: int, left: int, top: int) -> tuple[int, int, int, int]:
    return run[0] % size - left, run[0] // size - top, run[-1] % size - left, run[-1] // size - top
