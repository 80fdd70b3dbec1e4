"""The snake of Domi Jongg as SVG: the tiles where they lie, how they hang together, a numbered circle at every head.

The sheet is always nine cells wide and grows downwards, so that nothing moves from mail to mail.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from moderator.engine.scenes import Head, Link, Snake
from moderator.render import theme
from moderator.render.boards.domijongg.faces import face
from moderator.render.boards.layers import Paper, Part, around, drawn
from moderator.render.boards.paper import text

COLUMNS = 9
ACROSS, DOWN = 60, 76
"""Sides of a cell in css pixels; at 390 pixels a tile is 36 wide."""
WIDE, TALL = 53, 68
TILE = (-WIDE / 2 - 3, -TALL / 2 - 3, WIDE / 2 + 3, TALL / 2 + 3)
"""Room of a tile and its frame, from its middle."""
MARGIN = 4
LEAST_ROWS, ROW_STEP = 3, 2
"""The sheet grows by so many rows at a time."""
JOINT = "#8A8271"
MARKS = "abcdefghijklmnopqrstuvwxyz"
"""Where a head goes on elsewhere, both tiles carry the same letter."""


@dataclass(frozen=True)
class Sheet:
    """How many rows of cells are drawn."""

    rows: int


def sheet(*scenes: Snake) -> Sheet:
    """One that holds all these moments of a snake."""
    lowest = max(link.y for scene in scenes for link in scene.links)
    rows = max(LEAST_ROWS, lowest + 2)  # a number is at most one cell below
    return Sheet(rows + (rows - LEAST_ROWS) % ROW_STEP)


def paper(sheet: Sheet) -> Paper:
    return Paper(ACROSS * COLUMNS + 2 * MARGIN, DOWN * sheet.rows + 2 * MARGIN)


def width(scene: Snake) -> int:
    """Width of the picture in css pixels."""
    return round(paper(sheet(scene)).width)


@lru_cache(maxsize=128)
def svg(scene: Snake, title: str = "", description: str = "") -> str:
    """The scene as an SVG document. ``title`` and ``description`` are for those who hear it."""
    own = sheet(scene)
    return drawn(paper(own), parts(scene, own), title, description)


def parts(scene: Snake, sheet: Sheet) -> Iterator[Part]:
    """The scene as it lies; that is the same on every sheet."""
    for name in sorted({link.tile for link in scene.links}):
        yield Part("defs", f'<g id="tile-{name}">{_face(name)}</g>')
    yield from (_joint(link) for link in scene.links if link.joint and _beside(link))
    yield from (_head(head) for head in scene.heads)
    yield from (Part("tile", _tile(link), TILE, _centre(link.x, link.y)) for link in scene.links)
    yield from _marks(scene)
    frame = _body("none", theme.LAST, 4.5)
    yield from (Part("fresh", frame, TILE, _centre(link.x, link.y)) for link in scene.links if link.fresh)


def _centre(x: int, y: int) -> tuple[float, float]:
    return MARGIN + ACROSS * (x + 0.5), MARGIN + DOWN * (y + 0.5)


def _beside(link: Link) -> bool:
    """Whether a tile lies beside the one that it was laid at."""
    (x0, y0), (x1, y1) = link.joint[0], link.joint[-1]
    return abs(x0 - x1) + abs(y0 - y1) == 1


def _joint(link: Link) -> Part:
    (x0, y0), (x1, y1) = _centre(*link.joint[0]), _centre(*link.joint[-1])
    line = f'<path d="M0 0L{x1 - x0:g} {y1 - y0:g}" stroke="{JOINT}" stroke-width="14" fill="none"/>'
    box = (min(x1 - x0, 0) - 8, min(y1 - y0, 0) - 8, max(x1 - x0, 0) + 8, max(y1 - y0, 0) + 8)
    return Part("ground", line, box, (x0, y0))


def _marks(scene: Snake) -> Iterator[Part]:
    """The same letter at the lower corner of a tile and the upper one of its follower that lies elsewhere."""
    jumps = [link for link in scene.links if link.joint and not _beside(link)]
    seen = set[tuple[int, int]]()
    for letter, link in zip(MARKS, jumps, strict=False):
        (x0, y0), (x1, y1) = _centre(*link.joint[0]), _centre(*link.joint[-1])
        side = -1 if link.joint[0] in seen else 1
        seen.add(link.joint[0])
        mark = (
            f'<circle r="10.5" fill="{theme.INK}" stroke="{theme.GROUND}"/>'
            f'<text x="0" y="5" font-size="15" fill="{theme.GROUND}">{letter}</text>'
        )
        for at in ((x0 + side * (WIDE / 2 - 8), y0 + TALL / 2 - 8), (x1 + WIDE / 2 - 8, y1 - TALL / 2 + 8)):
            yield Part("sign", mark, around(0, 0, 12), at)


def _head(head: Head) -> Part:
    """The number in a circle, near the tile that it belongs to, with a dotted line to it."""
    dx, dy = head.x - head.at[0], head.y - head.at[1]
    away = WIDE / 2 + 18 if dx else TALL / 2 + 18
    x, y = dx * away, dy * away
    circle = (
        f'<path d="M0 0L{x:g} {y:g}" stroke="{JOINT}" stroke-width="4" stroke-dasharray="3 2.5"/>'
        f'<circle cx="{x:g}" cy="{y:g}" r="13.5" fill="{theme.GROUND}" stroke="{theme.LABEL}" stroke-width="2"/>'
        f'<text x="{x:g}" y="{y + 6.6:g}" font-size="18.5" fill="{theme.INK}">{head.number}</text>'
    )
    return Part("ground", circle, around(0, 0, away + 16), _centre(*head.at))


def _tile(link: Link) -> str:
    right, top = WIDE / 2, -TALL / 2
    corner = f'<path d="M{right - 18:g} {top:g}h12q6 0 6 6v12z" fill="{theme.INK}"/>' if link.start else ""
    return f'{_body(theme.HEIGHTS[0], theme.EDGE, 1.3)}{corner}<use href="#tile-{link.tile}"/>'


def _body(fill: str, stroke: str, thick: float) -> str:
    return (
        f'<rect x="{-WIDE / 2:g}" y="{-TALL / 2:g}" width="{WIDE}" height="{TALL}" rx="6" fill="{fill}" '
        f'stroke="{stroke}" stroke-width="{thick}"/>'
    )


def _face(tile: str) -> str:
    """The name at the top left, the drawing below it."""
    name = (
        f'<text x="{-WIDE / 2 + 6:g}" y="{-TALL / 2 + 18:g}" font-size="17" text-anchor="start" fill="{theme.INK}">'
        f"{text(tile)}</text>"
    )
    return f'{name}<g transform="translate(0 10)">{face(tile)}</g>'
