"""The table of Tridom: 56 triangular tiles, the lattice of cells, where a tile fits and what it scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import combinations_with_replacement, product
from typing import Any

from moderator.common.errors import RecordError

Corners = tuple[int, int, int]
"""Numbers of a lying tile, clockwise from the tip of its cell."""
Known = tuple[int | None, int | None, int | None]
"""The same of a free cell; None = no tile touches that corner yet."""
Hands = tuple[tuple[str, ...], ...]
"""The tiles of each seat."""

DEALT = {2: 9, 3: 7, 4: 7, 5: 6, 6: 6}
DEALT_MIRRORED = {2: 11, 3: 9, 4: 9, 5: 8, 6: 8}
"""Tiles on each rack by number of seats; the second line is SuperTridom."""


def list_tile_rotations(name: str) -> tuple[str, str, str]:
    """Return the three ways to read a tile clockwise."""
    return name, name[1:] + name[0], name[2] + name[:2]


def find_tridom_tile(digits: str, mirrored: bool) -> str | None:
    """Return the tile that three digits name, or None. With ``mirrored`` (SuperTridom) they are read clockwise and any
    of them may be the first; without, no two tiles share their numbers, so that any order will do."""
    if len(digits) != 3 or not set("012345").issuperset(digits):
        return None
    return min(list_tile_rotations(digits)) if mirrored else "".join(sorted(digits))


@cache
def list_tridom_tiles(mirrored: bool) -> tuple[str, ...]:
    """Return the 56 tiles of Tridom or the 76 of SuperTridom, by name."""
    if mirrored:
        return tuple(sorted({min(list_tile_rotations("".join(digits))) for digits in product("012345", repeat=3)}))
    return tuple("".join(digits) for digits in combinations_with_replacement("012345", 3))


def get_tile_value(name: str) -> int:
    """Return the sum of a tile's numbers."""
    return sum(map(int, name))


def sum_tile_values(tiles: tuple[str, ...]) -> int:
    """Return the sum of all numbers of several tiles."""
    return sum(map(get_tile_value, tiles))


def is_triple_tile(name: str) -> bool:
    return name[0] == name[1] == name[2]


@cache
def get_fit_table() -> dict[Known, dict[str, Corners]]:
    """Return known corners of a cell -> the tiles that fit there and how each then lies. Holds every cell with two or
    three known corners that any tile fits; a tile fits a cell in one way at most."""
    found: dict[Known, dict[str, Corners]] = {}
    for name in list_tridom_tiles(mirrored=True):
        for turned in list_tile_rotations(name):
            a, b, c = (int(digit) for digit in turned)
            for known in ((a, b, c), (None, b, c), (a, None, c), (a, b, None)):
                found.setdefault(known, {})[name] = (a, b, c)
    return found


def split_into_racks(tiles: tuple[str, ...], seats: int, mirrored: bool) -> tuple[Hands, tuple[str, ...]]:
    """Return racks and stock: seat 0 gets the first tiles, seat 1 the next, …, the rest is the stock."""
    size = (DEALT_MIRRORED if mirrored else DEALT)[seats]
    return tuple(tiles[n * size : (n + 1) * size] for n in range(seats)), tiles[seats * size :]


# ---- the board ----


START: Cell = (0, 0)
HEXAGON = 50
BRIDGE = 40


@dataclass(frozen=True)
class TridomBoard:
    """The tiles that lie, and the free cells beside them. Never changed in place; ``with_tile`` gives the next one."""

    cells: tuple[Cell, ...] = ()
    """Every cell that has a place number, by number: place 1 is ``cells[0]``."""
    places: Mapping[Cell, int] = field(default_factory=dict)
    """The number of each."""
    tiles: Mapping[Cell, Corners] = field(default_factory=dict)
    numbers: Mapping[Point, int] = field(default_factory=dict)
    """Corners that a tile touches."""
    free: Mapping[Cell, Known] = field(default_factory=dict)
    """Cells that share a side with a tile, by place number, with what is known of their corners."""

    def with_tile(self, cell: Cell, lying: Corners) -> TridomBoard:
        """Return the board with one more tile. Its free neighbours that have no number yet get the next ones, clockwise
        from its tip. Nothing is checked."""
        fresh = [near for near in (cell, *get_cell_neighbours(cell)) if near not in self.places]
        places = {**self.places, **{near: n for n, near in enumerate(fresh, start=len(self.cells) + 1)}}
        tiles = {**self.tiles, cell: lying}
        numbers = {**self.numbers, **dict(zip(get_cell_corners(cell), lying, strict=True))}
        free = dict(self.free)
        free.pop(cell, None)
        for near in get_cell_neighbours(cell):
            if near not in tiles:
                free.setdefault(near, (None, None, None))
        for touched in {near for point in get_cell_corners(cell) for near in get_cells_around(point)} & free.keys():
            free[touched] = _get_known_corners(numbers, touched)
        return TridomBoard((*self.cells, *fresh), places, tiles, numbers, free)

    def find_cell(self, place: int) -> Cell | None:
        """Return the cell with that number, if there is one."""
        return self.cells[place - 1] if 0 < place <= len(self.cells) else None

    def has_fit_for(self, tiles: Iterable[str]) -> bool:
        """Return whether any of ``tiles`` can be laid somewhere."""
        hand, ways_of = set(tiles), get_fit_table()
        return any(not hand.isdisjoint(ways_of.get(known, ())) for known in self.free.values())

    def iter_placements(self, tiles: Iterable[str]) -> Iterator[tuple[str, Cell, Corners]]:
        """Yield every way to lay one of ``tiles``, by place number, then by name."""
        hand, ways_of = sorted(set(tiles)), get_fit_table()
        for cell, known in self.free.items():
            here = ways_of.get(known)
            if here:
                yield from ((tile, cell, here[tile]) for tile in hand if tile in here)

    def count_hexagons(self, cell: Cell) -> int:
        """Return how many hexagons (six tiles around a corner) a tile in ``find_cell`` would close."""
        return sum(
            all(near in self.tiles for near in get_cells_around(point) if near != cell)
            for point in get_cell_corners(cell)
        )

    def count_touching_sides(self, cell: Cell) -> int:
        """Return how many sides of ``find_cell`` lie against a tile."""
        return sum(near in self.tiles for near in get_cell_neighbours(cell))


def _get_known_corners(numbers: Mapping[Point, int], cell: Cell) -> Known:
    a, b, c = get_cell_corners(cell)
    return numbers.get(a), numbers.get(b), numbers.get(c)


def build_board_from_tiles(tiles: Mapping[Cell, Corners]) -> TridomBoard:
    """Build the board of a record: the tiles get the first place numbers, then the free cells, both from the top row to
    the bottom one and from left to right. Raises ValueError(point) where tiles show different numbers at one corner."""
    numbers: dict[Point, int] = {}
    for cell, lying in tiles.items():
        for point, number in zip(get_cell_corners(cell), lying, strict=True):
            if numbers.setdefault(point, number) != number:
                raise ValueError(point)
    free = sorted({near for cell in tiles for near in get_cell_neighbours(cell)} - tiles.keys(), key=get_reading_order)
    cells = (*sorted(tiles, key=get_reading_order), *free)
    places = {cell: n for n, cell in enumerate(cells, start=1)}
    return TridomBoard(cells, places, dict(tiles), numbers, {cell: _get_known_corners(numbers, cell) for cell in free})


# ---- geometry ----
# Where triangles lie. Cell (x, y) points up if x + y is even; x counts half tiles to the right, y rows upwards.
#
# Corners are points of a lattice that is doubled in x: an upward cell has (x, y+1), (x+1, y), (x-1, y), a downward one
# (x, y), (x-1, y+1), (x+1, y+1), clockwise from the tip.


Cell = tuple[int, int]
Point = tuple[int, int]


def is_pointing_up(cell: Cell) -> bool:
    return (cell[0] + cell[1]) % 2 == 0


@lru_cache(maxsize=4096)
def get_cell_corners(cell: Cell) -> tuple[Point, Point, Point]:
    """Return the three corners, clockwise from the tip."""
    x, y = cell
    if is_pointing_up(cell):
        return (x, y + 1), (x + 1, y), (x - 1, y)
    return (x, y), (x - 1, y + 1), (x + 1, y + 1)


@lru_cache(maxsize=4096)
def get_cell_neighbours(cell: Cell) -> tuple[Cell, Cell, Cell]:
    """Return the cells over the three sides, clockwise from the tip."""
    x, y = cell
    if is_pointing_up(cell):
        return (x + 1, y), (x, y - 1), (x - 1, y)
    return (x - 1, y), (x, y + 1), (x + 1, y)


@lru_cache(maxsize=4096)
def get_cells_around(point: Point) -> tuple[Cell, ...]:
    """Return the six cells that meet in a corner."""
    x, y = point
    return (x - 1, y), (x, y), (x + 1, y), (x - 1, y - 1), (x, y - 1), (x + 1, y - 1)


def get_reading_order(cell: Cell) -> tuple[int, int]:
    """Return a key that sorts cells from the top row to the bottom one, each from left to right."""
    return -cell[1], cell[0]


# ---- the fixed deals of records: racks, stock, a starting board ----


_CELL = re.compile(r"\(?\s*(-?\d{1,3})\s*,\s*(-?\d{1,3})\s*\)?")


def parse_tridom_board(values: Any, mirrored: bool) -> TridomBoard:
    """Return the board of ``{"(0,0)": "211", …}``: cell -> digits clockwise from its tip. Raises RecordError."""
    hint = 'Expected: {"(0,0)": "211", …}, cells and the numbers clockwise from the tip.'
    if not isinstance(values, Mapping) or not values:
        raise RecordError("board is no table of cells.", hint)
    tiles: dict[Cell, Corners] = {}
    for where, digits in values.items():
        found = _CELL.fullmatch(str(where))
        name = find_tridom_tile(digits, mirrored) if isinstance(digits, str) else None
        if found is None or name is None:
            raise RecordError(f"board: {where!r}: {digits!r} is no tile on a cell.", hint)
        if min(list_tile_rotations(digits)) != name:
            raise RecordError(f"board: {digits!r} is a mirror image.", "It exists in SuperTridom only.")
        tiles[int(found[1]), int(found[2])] = (int(digits[0]), int(digits[1]), int(digits[2]))
    try:
        return build_board_from_tiles(tiles)
    except ValueError as error:
        raise RecordError(f"board: the numbers at corner {error.args[0]} differ.", hint) from error
