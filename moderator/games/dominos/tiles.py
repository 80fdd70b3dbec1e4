"""The double-six set: names of tiles, their worth, their order for the opening."""

from __future__ import annotations

from collections.abc import Iterable

from moderator.engine.style import FENCE

SET = tuple(f"{high}{low}" for high in range(7) for low in range(high + 1))
"""All 28 tiles, the higher half first: 00 10 11 20 … 66. In this order they are shuffled."""


def named(one: int, other: int) -> str:
    """The tile of two halves: ``named(4, 6) == "64"``."""
    return f"{max(one, other)}{min(one, other)}"


def printed(name: str) -> str:
    """A tile as racks, lists and sentences print it: ``6ǀ4`` for ``64`` or ``6-4``. Anything else stays."""
    halves = name.replace("-", "")
    return FENCE.join(halves) if len(halves) == 2 and halves.isdecimal() else name


def double(tile: str) -> bool:
    """``tile`` may be a name or a tile as it lies (``46``)."""
    return tile[0] == tile[1]


def pips(tiles: Iterable[str]) -> int:
    return sum(int(half) for tile in tiles for half in tile)


def rank(tile: str) -> tuple[bool, int, str]:
    """Key of the opening order: doubles above all others, then by pips, then by the higher half."""
    return double(tile), pips([tile]), tile


def highest(tiles: Iterable[str]) -> str:
    """The tile that opens. ValueError if there is none."""
    return max(tiles, key=rank)
