"""Where triangles lie. Cell (x, y) points up if x + y is even; x counts half tiles to the right, y rows upwards.

Corners are points of a lattice that is doubled in x: an upward cell has (x, y+1), (x+1, y), (x-1, y), a downward one
(x, y), (x-1, y+1), (x+1, y+1), clockwise from the tip.
"""

from __future__ import annotations

from functools import lru_cache

Cell = tuple[int, int]
Point = tuple[int, int]


def points_up(cell: Cell) -> bool:
    return (cell[0] + cell[1]) % 2 == 0


@lru_cache(maxsize=4096)
def corners(cell: Cell) -> tuple[Point, Point, Point]:
    """The three corners, clockwise from the tip."""
    x, y = cell
    if points_up(cell):
        return (x, y + 1), (x + 1, y), (x - 1, y)
    return (x, y), (x - 1, y + 1), (x + 1, y + 1)


@lru_cache(maxsize=4096)
def neighbours(cell: Cell) -> tuple[Cell, Cell, Cell]:
    """The cells over the three sides, clockwise from the tip."""
    x, y = cell
    if points_up(cell):
        return (x + 1, y), (x, y - 1), (x - 1, y)
    return (x - 1, y), (x, y + 1), (x + 1, y)


@lru_cache(maxsize=4096)
def around(point: Point) -> tuple[Cell, ...]:
    """The six cells that meet in a corner."""
    x, y = point
    return (x - 1, y), (x, y), (x + 1, y), (x - 1, y - 1), (x, y - 1), (x + 1, y - 1)


def reading_order(cell: Cell) -> tuple[int, int]:
    """A key that sorts cells from the top row to the bottom one, each from left to right."""
    return -cell[1], cell[0]
