"""A board in characters: fixed cells for fixed-width fonts, row by row for everything else.

Mail programs on phones show plain text in a proportional font, where columns fall apart; the row form is
for them and for screen readers.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from moderator.match.contract import FENCE, Cell, Grid
from moderator.pages.flow import WIDTH
from moderator.pages.messages import label


@lru_cache(maxsize=64)
def characters(scene: Grid) -> tuple[str, ...]:
    """Lines of at most 62 columns: `` R3 `` a stack of three, ``[R3]`` laid by the last move, ``+`` the centre.

    () when the board is too wide even with narrow squares; then only the row form is left.
    """
    margin = max((len(name) for name in scene.rows), default=0) + 1
    step = next((n for n in (4, 3) if margin + 1 + n * len(scene.columns) <= WIDTH), 0)
    if not step:
        return ()
    tiles = {(cell.x, cell.y): cell for cell in scene.cells}
    head = " " * margin + "".join(f" {name:<{step - 1}}" for name in scene.columns)
    lines = [head]
    for y, name in enumerate(scene.rows):
        squares = (_square(tiles.get((x, y)), (x, y) in scene.shaded, step) for x in range(len(scene.columns)))
        lines.append(f"{name:>{margin - 1}}{FENCE}" + "".join(squares))
    return tuple(line.rstrip() for line in lines)


def _square(cell: Cell | None, shaded: bool, step: int) -> str:
    if cell is None:
        return f" {'+' if shaded else '.'}".ljust(step)
    mark = name(cell)[: step - 1]
    return f"[{mark}]".ljust(step) if cell.fresh and len(mark) < step - 1 else f" {mark}".ljust(step)


def name(cell: Cell) -> str:
    """``R3``: the letter, from height 2 on with the height; ``*R`` where a joker stands for it."""
    return (
        ("*" if cell.joker else "")
        + unicodedata.normalize("NFC", cell.letter)
        + (str(cell.height) if cell.height > 1 else "")
    )


def runs(scene: Grid) -> Iterator[tuple[str, str, str]]:
    """(row, first column, tiles) of every unbroken run, top to bottom, e.g. ("5", "D", "R3 Ü H L E")."""
    tiles = {(cell.x, cell.y): cell for cell in scene.cells}
    for y, row in enumerate(scene.rows):
        start: int | None = None
        for x in range(len(scene.columns) + 1):
            if start is None and (x, y) in tiles:
                start = x
            elif start is not None and (x, y) not in tiles:
                yield row, scene.columns[start], " ".join(name(tiles[i, y]) for i in range(start, x))
                start = None


def square_name(scene: Grid, x: int, y: int) -> str:
    """``E5``, or ``5E``-like names in the order the game writes them."""
    column, row = scene.columns[x], scene.rows[y]
    return row + column if scene.row_first else column + row


@lru_cache(maxsize=64)
def lists(scene: Grid, language: str) -> tuple[str, ...]:
    """``Reihe 8 ab D: T2, ab H: E I4 S``: one line for each row that is not empty."""
    rows: dict[str, list[str]] = {}
    for row, column, tiles in runs(scene):
        rows.setdefault(row, []).append(label("row-run", language, column=column, tiles=tiles))
    return tuple(label("row-line", language, row=row, runs=found) for row, found in rows.items())


@lru_cache(maxsize=128)
def alt(scene: Grid, language: str, last: str = "") -> str:
    """Size, last move (``last``, a sentence), new tiles with their squares, heights from two on."""
    parts = [label("alt-size", language, columns=len(scene.columns), rows=len(scene.rows))]
    if last:
        parts.append(label("alt-last", language, what=last))
    cells = sorted(scene.cells, key=lambda cell: (cell.y, cell.x))
    fresh = [f"{'*' * cell.joker}{cell.letter} {square_name(scene, cell.x, cell.y)}" for cell in cells if cell.fresh]
    if fresh:
        parts.append(label("alt-fresh", language, tiles=fresh))
    stacks = [f"{square_name(scene, cell.x, cell.y)} {name(cell)}" for cell in cells if cell.height > 1]
    if stacks:
        parts.append(label("alt-heights", language, stacks=stacks))
    if not cells:
        parts.append(label("alt-empty", language))
    return " ".join(parts)
