"""The triangles on the table: which cells are free, what fits there, what a tile scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from moderator.games.tridom.tiles import Corners, Known, ways

START: Cell = (0, 0)
HEXAGON = 50
BRIDGE = 40


@dataclass(frozen=True)
class Board:
    """What lies, and the free cells beside it. Never changed in place; ``lay`` gives the next one."""

    cells: tuple[Cell, ...] = ()
    """Every cell that has a place number, by number: place 1 is ``cells[0]``."""
    places: Mapping[Cell, int] = field(default_factory=dict)
    """The number of each."""
    tiles: Mapping[Cell, Corners] = field(default_factory=dict)
    numbers: Mapping[Point, int] = field(default_factory=dict)
    """Corners that a tile touches."""
    free: Mapping[Cell, Known] = field(default_factory=dict)
    """Cells that share a side with a tile, by place number, with what is known of their corners."""

    def lay(self, cell: Cell, lying: Corners) -> Board:
        """The board with one more tile. Its free neighbours that have no number yet get the next ones, clockwise from
        its tip. Nothing is checked."""
        fresh = [near for near in (cell, *neighbours(cell)) if near not in self.places]
        places = {**self.places, **{near: n for n, near in enumerate(fresh, start=len(self.cells) + 1)}}
        tiles = {**self.tiles, cell: lying}
        numbers = {**self.numbers, **dict(zip(corners(cell), lying, strict=True))}
        free = dict(self.free)
        free.pop(cell, None)
        for near in neighbours(cell):
            if near not in tiles:
                free.setdefault(near, (None, None, None))
        for touched in {near for point in corners(cell) for near in around(point)} & free.keys():
            free[touched] = _known(numbers, touched)
        return Board((*self.cells, *fresh), places, tiles, numbers, free)

    def cell(self, place: int) -> Cell | None:
        """The cell with that number, if there is one."""
        return self.cells[place - 1] if 0 < place <= len(self.cells) else None

    def fits(self, tiles: Iterable[str]) -> bool:
        """Whether any of ``tiles`` can be laid somewhere."""
        hand, ways_of = set(tiles), ways()
        return any(not hand.isdisjoint(ways_of.get(known, ())) for known in self.free.values())

    def placements(self, tiles: Iterable[str]) -> Iterator[tuple[str, Cell, Corners]]:
        """Every way to lay one of ``tiles``, by place number, then by name."""
        hand, ways_of = sorted(set(tiles)), ways()
        for cell, known in self.free.items():
            here = ways_of.get(known)
            if here:
                yield from ((tile, cell, here[tile]) for tile in hand if tile in here)

    def hexagons(self, cell: Cell) -> int:
        """How many hexagons (six tiles around a corner) a tile in ``cell`` would close."""
        return sum(all(near in self.tiles for near in around(point) if near != cell) for point in corners(cell))

    def sides(self, cell: Cell) -> int:
        """How many sides of ``cell`` lie against a tile."""
        return sum(near in self.tiles for near in neighbours(cell))


def _known(numbers: Mapping[Point, int], cell: Cell) -> Known:
    a, b, c = corners(cell)
    return numbers.get(a), numbers.get(b), numbers.get(c)


def from_tiles(tiles: Mapping[Cell, Corners]) -> Board:
    """A board from a record: the tiles get the first place numbers, then the free cells, both from the top row to the
    bottom one and from left to right. Raises ValueError(point) where tiles show different numbers at one corner."""
    numbers: dict[Point, int] = {}
    for cell, lying in tiles.items():
        for point, number in zip(corners(cell), lying, strict=True):
            if numbers.setdefault(point, number) != number:
                raise ValueError(point)
    free = sorted({near for cell in tiles for near in neighbours(cell)} - tiles.keys(), key=reading_order)
    cells = (*sorted(tiles, key=reading_order), *free)
    places = {cell: n for n, cell in enumerate(cells, start=1)}
    return Board(cells, places, dict(tiles), numbers, {cell: _known(numbers, cell) for cell in free})


# ---- geometry ----
# Where triangles lie. Cell (x, y) points up if x + y is even; x counts half tiles to the right, y rows upwards.
#
# Corners are points of a lattice that is doubled in x: an upward cell has (x, y+1), (x+1, y), (x-1, y), a downward one
# (x, y), (x-1, y+1), (x+1, y+1), clockwise from the tip.


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
