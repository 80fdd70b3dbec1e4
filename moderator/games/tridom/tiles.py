"""The tiles: three numbers from 0 to 5, named by reading them clockwise from their lowest rotation, e.g. ``225``."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement, product

Corners = tuple[int, int, int]
"""Numbers of a lying tile, clockwise from the tip of its cell."""
Known = tuple[int | None, int | None, int | None]
"""The same of a free cell; None = no tile touches that corner yet."""
Hands = tuple[tuple[str, ...], ...]
"""The tiles of each seat."""

DEALT = {2: 9, 3: 7, 4: 7, 5: 6, 6: 6}
DEALT_MIRRORED = {2: 11, 3: 9, 4: 9, 5: 8, 6: 8}
"""Tiles on each rack by number of seats; the second line is SuperTridom."""


def rotations(name: str) -> tuple[str, str, str]:
    """The three ways to read a tile clockwise."""
    return name, name[1:] + name[0], name[2] + name[:2]


def named(digits: str, mirrored: bool) -> str | None:
    """The tile that three digits name, or None. With ``mirrored`` (SuperTridom) they are read clockwise and any of them
    may be the first; without, no two tiles share their numbers, so that any order will do."""
    if len(digits) != 3 or not set("012345").issuperset(digits):
        return None
    return min(rotations(digits)) if mirrored else "".join(sorted(digits))


@cache
def all_tiles(mirrored: bool) -> tuple[str, ...]:
    """The 56 tiles of Tridom or the 76 of SuperTridom, by name."""
    if mirrored:
        return tuple(sorted({min(rotations("".join(digits))) for digits in product("012345", repeat=3)}))
    return tuple("".join(digits) for digits in combinations_with_replacement("012345", 3))


def value(name: str) -> int:
    """Sum of a tile's numbers."""
    return sum(map(int, name))


def worth(tiles: tuple[str, ...]) -> int:
    """Sum of all numbers of several tiles."""
    return sum(map(value, tiles))


def is_triple(name: str) -> bool:
    return name[0] == name[1] == name[2]


@cache
def ways() -> dict[Known, dict[str, Corners]]:
    """Known corners of a cell -> the tiles that fit there and how each then lies. Holds every cell with two or three
    known corners that any tile fits; a tile fits a cell in one way at most."""
    found: dict[Known, dict[str, Corners]] = {}
    for name in all_tiles(mirrored=True):
        for turned in rotations(name):
            a, b, c = (int(digit) for digit in turned)
            for known in ((a, b, c), (None, b, c), (a, None, c), (a, b, None)):
                found.setdefault(known, {})[name] = (a, b, c)
    return found


def cut(tiles: tuple[str, ...], seats: int, mirrored: bool) -> tuple[Hands, tuple[str, ...]]:
    """Racks and stock: seat 0 gets the first tiles, seat 1 the next, …, the rest is the stock."""
    size = (DEALT_MIRRORED if mirrored else DEALT)[seats]
    return tuple(tiles[n * size : (n + 1) * size] for n in range(seats)), tiles[seats * size :]
