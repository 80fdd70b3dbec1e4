"""Triangles in words: free places with what is known of their corners, then the lying tiles row by row.

Numbers stand apart by ``·``, which no move has: «12 ▼ 3·5·?» is the place 12, tip down, and its corners clockwise
from the tip.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby

from moderator.match.scenes import Triangle, Triangles
from moderator.pages.messages import label, say

COLUMNS = 46
"""Longest line of places: it fits on a phone."""
_GAME = "tridom"


@lru_cache(maxsize=64)
def lists(scene: Triangles, language: str) -> tuple[str, ...]:
    """Free places first (those with all corners known, then the others), the last tile, all tiles row by row."""
    lines = [say("board.reading", language, _GAME)]
    for code, cells in _groups(scene):
        lines += [say(code, language, _GAME), *_packed(cells)]
    lines += [say("board.last", language, _GAME, tile=_named(tile)) for tile in scene.tiles if tile.fresh]
    if scene.tiles:
        lines.append(say("board.tiles", language, _GAME, count=len(scene.tiles)))
    by_row = sorted(scene.tiles, key=lambda tile: (-tile.y, tile.x))
    for _, row in groupby(by_row, key=lambda tile: tile.y):
        lines += _packed(row)
    return tuple(lines)


@lru_cache(maxsize=128)
def alt(scene: Triangles, language: str, last: str = "") -> str:
    """How many tiles lie, the last move (``last``, a sentence), where its tile lies, every free place."""
    parts = [say("board.alt", language, _GAME, count=len(scene.tiles), free=len(scene.free))]
    if last:
        parts.append(label("alt-last", language, what=last))
    parts += [say("board.last", language, _GAME, tile=_named(tile)) for tile in scene.tiles if tile.fresh]
    parts.append(say("board.reading", language, _GAME))
    parts += [f"{say(code, language, _GAME)} {', '.join(map(_named, cells))}." for code, cells in _groups(scene)]
    return " ".join(parts)


def _groups(scene: Triangles) -> list[tuple[str, list[Triangle]]]:
    """Free places by how much is known of them; empty groups are left out."""
    closed = [cell for cell in scene.free if None not in cell.corners]
    others = [cell for cell in scene.free if None in cell.corners]
    return [(code, cells) for code, cells in (("board.three", closed), ("board.two", others)) if cells]


def _named(cell: Triangle) -> str:
    """``12 ▼ 3·5·?``."""
    numbers = "·".join("?" if number is None else str(number) for number in cell.corners)
    return f"{cell.place} {'▲' if (cell.x + cell.y) % 2 == 0 else '▼'} {numbers}"


def _packed(cells: Iterable[Triangle]) -> list[str]:
    """As many on a line as fit."""
    lines: list[str] = []
    for name in map(_named, cells):
        if lines and len(lines[-1]) + len(name) + 2 <= COLUMNS:
            lines[-1] += f", {name}"
        else:
            lines.append(f"  {name}")
    return lines
