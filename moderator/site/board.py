"""One picture for a whole game: every part of it is tagged with the moment it came and the moment before it went.

Without a script it shows the last moment; the page's script shows another one by hiding and showing parts. A game of
several rounds has a picture for each table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from moderator.match.scenes import Grid, Layout, Scene, Snake, Triangles
from moderator.pages import theme
from moderator.pages.boards import family_of
from moderator.pages.boards.layers import LAYERS, Layer, Paper, Shape
from moderator.pages.boards.paper import FONT

KEPT = 0.5
"""A table on which fewer of the tiles still lie is a new one."""
COLOURS: Final = {
    theme.GROUND: "ground",
    theme.GRID: "grid",
    theme.CENTRE: "centre",
    theme.CENTRE_MARK: "centre-mark",
    theme.EDGE: "edge",
    theme.INK: "ink",
    theme.LABEL: "label",
    theme.LAST: "last",
    theme.FIELD: "field",
    theme.VOWEL: "vowel",
    **{colour: f"tile-{height}" for height, colour in enumerate(theme.HEIGHTS, 1)},
    **{colour: f"seat-{number}" for number, (colour, _) in enumerate(theme.PLAYERS, 1)},
}
"""Colours that are variables of the page's style sheet, so that a board can be dark, too."""
_TAG = re.compile(r"<(\w+)([^>]*?)(/?)>")
_PAINT = re.compile(r' (fill|stroke)="(#[0-9A-F]{6})"')


@dataclass(frozen=True)
class Board:
    """A table from moment ``first`` to moment ``last``."""

    first: int
    last: int
    svg: str
    """An ``<svg>`` element for a page; what is gone at the last moment of the match has the class ``gone``."""
    defs: tuple[str, ...] = ()
    """Drawings that it refers to, by id; the page has them once."""


def boards(scenes: Sequence[Scene]) -> tuple[Board, ...]:
    """The tables of a match, one scene per moment."""
    made, first = [], 0
    for moment in range(1, len(scenes) + 1):
        if moment == len(scenes) or _cleared(scenes[moment - 1], scenes[moment]):
            made.append(_board(scenes[first:moment], first, moment < len(scenes)))
            first = moment
    return tuple(made)


def _cleared(before: Scene, now: Scene) -> bool:
    """Whether a new table has begun."""
    lying = tiles(before)
    return bool(lying) and len(lying & tiles(now)) < KEPT * len(lying)


def tiles(scene: Scene) -> frozenset[Any]:
    """What lies where, in names that stay the same as long as it lies there."""
    match scene:
        case Grid():
            return frozenset((scene.columns[cell.x], scene.rows[cell.y]) for cell in scene.cells)
        case Layout():
            return frozenset(bone.name for bone in scene.bones)
        case Triangles():
            return frozenset((cell.place, cell.x, cell.y) for cell in scene.tiles)
        case Snake():
            return frozenset((link.x, link.y, link.tile) for link in scene.links)


@dataclass
class _Lasting:
    """A part with the moments in which it is there."""

    part: Shape
    first: int
    last: int


def _board(scenes: Sequence[Scene], start: int, gone: bool) -> Board:
    family = family_of(scenes[0])
    canvas = family.canvas(*scenes)
    end = start + len(scenes) - 1
    lasting = merged((family.parts(scene, canvas) for scene in scenes), start)
    layers = "".join(_layer(layer, lasting, start, end) for layer in LAYERS)
    defs = tuple(one.part.svg for one in lasting if one.part.layer == "defs")
    return Board(start, end, _svg(family.paper(canvas), layers, start, end, gone), defs)


def merged(moments: Iterable[Iterable[Shape]], start: int) -> list[_Lasting]:
    """Each part once for each time that it came, in the order of coming."""
    found: list[_Lasting] = []
    here: dict[Shape, _Lasting] = {}
    for moment, parts in enumerate(moments, start):
        now: dict[Shape, _Lasting] = {}
        for part in dict.fromkeys(parts):
            one = here.get(part)
            if one is None:
                one = _Lasting(part, moment, moment)
                found.append(one)
            one.last = moment
            now[part] = one
        here = now
    return found


def _layer(layer: Layer, lasting: Iterable[_Lasting], start: int, end: int) -> str:
    parts = "".join(_group(one, start, end) for one in lasting if one.part.layer == layer)
    return f'<g class="{layer}">{parts}</g>' if parts else ""


def _group(one: _Lasting, start: int, end: int) -> str:
    """``data-from`` and ``data-to``: the moments in which it is there; without them it always is."""
    drawing = painted(one.part.element)
    if (one.first, one.last) == (start, end):
        return drawing
    gone = "" if one.last == end else ' class="gone"'
    return f'<g data-from="{one.first}" data-to="{one.last}"{gone}>{drawing}</g>'


def _svg(paper: Paper, layers: str, first: int, last: int, gone: bool) -> str:
    shown = "board gone" if gone else "board"
    return (
        f'<svg class="{shown}" viewBox="{paper.left:g} {paper.top:g} {paper.width:g} {paper.height:g}" '
        f'data-first="{first}" data-last="{last}" role="img" aria-labelledby="board-says" font-family="{FONT}" '
        f'font-weight="700" text-anchor="middle" style="max-width:{paper.width * 1.3:g}px">{layers}</svg>'
    )


def painted(svg: str) -> str:
    """The same with the page's colours in place of its own."""
    return _TAG.sub(_tag, svg)


def _tag(tag: re.Match[str]) -> str:
    styles = [f"{what}:var(--{COLOURS[colour]})" for what, colour in _PAINT.findall(tag[2]) if colour in COLOURS]
    if not styles:
        return tag[0]
    rest = _PAINT.sub(lambda paint: "" if paint[2] in COLOURS else paint[0], tag[2])
    return f'<{tag[1]}{rest} style="{";".join(styles)}"{tag[3]}>'
