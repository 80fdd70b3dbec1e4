"""The snake of Domi Jongg as SVG: the tiles where they lie, how they hang together, a numbered circle at every head.

The sheet is always nine cells wide and grows downwards, so that nothing moves from mail to mail.
"""

from __future__ import annotations

from functools import lru_cache

from moderator.engine.scenes import Head, Link, Snake
from moderator.render import theme
from moderator.render.boards.domijongg.faces import face
from moderator.render.boards.paper import opening, text

COLUMNS = 9
ACROSS, DOWN = 60, 76
"""Sides of a cell in css pixels; at 390 pixels a tile is 36 wide."""
WIDE, TALL = 53, 68
MARGIN = 4
LEAST_ROWS, ROW_STEP = 3, 2
"""The sheet grows by so many rows at a time."""
JOINT = "#8A8271"
MARKS = "abcdefghijklmnopqrstuvwxyz"
"""Where a head goes on elsewhere, both tiles carry the same letter."""


def width(scene: Snake) -> int:
    """Width of the picture in css pixels."""
    return ACROSS * COLUMNS + 2 * MARGIN


@lru_cache(maxsize=128)
def svg(scene: Snake, title: str = "", description: str = "") -> str:
    """The scene as an SVG document. ``title`` and ``description`` are for those who hear it."""
    rows = max(LEAST_ROWS, max(link.y for link in scene.links) + 2)  # a number is at most one cell below
    rows += (rows - LEAST_ROWS) % ROW_STEP
    faces = "".join(f'<g id="{name}">{_face(name)}</g>' for name in sorted({link.tile for link in scene.links}))
    parts = [
        opening(width(scene), DOWN * rows + 2 * MARGIN, title, description),
        f"<defs>{faces}</defs>",
        _joints(scene),
        *map(_head, scene.heads),
        *map(_tile, scene.links),
        _marks(scene),
        "</svg>",
    ]
    return "".join(parts)


def _centre(x: int, y: int) -> tuple[float, float]:
    return MARGIN + ACROSS * (x + 0.5), MARGIN + DOWN * (y + 0.5)


def _beside(link: Link) -> bool:
    """Whether a tile lies beside the one that it was laid at."""
    (x0, y0), (x1, y1) = link.joint[0], link.joint[-1]
    return abs(x0 - x1) + abs(y0 - y1) == 1


def _joints(scene: Snake) -> str:
    lines = ""
    for link in scene.links:
        if link.joint and _beside(link):
            (x0, y0), (x1, y1) = _centre(*link.joint[0]), _centre(*link.joint[-1])
            lines += f"M{x0:g} {y0:g}L{x1:g} {y1:g}"
    return f'<path d="{lines}" stroke="{JOINT}" stroke-width="14" fill="none"/>' if lines else ""


def _marks(scene: Snake) -> str:
    """The same letter at the lower corner of a tile and the upper one of its follower that lies elsewhere."""
    parts = []
    jumps = [link for link in scene.links if link.joint and not _beside(link)]
    seen = set[tuple[int, int]]()
    for letter, link in zip(MARKS, jumps, strict=False):
        (x0, y0), (x1, y1) = _centre(*link.joint[0]), _centre(*link.joint[-1])
        side = -1 if link.joint[0] in seen else 1
        seen.add(link.joint[0])
        for x, y in ((x0 + side * (WIDE / 2 - 8), y0 + TALL / 2 - 8), (x1 + WIDE / 2 - 8, y1 - TALL / 2 + 8)):
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="10.5" fill="{theme.INK}" stroke="{theme.GROUND}"/>')
            parts.append(f'<text x="{x:g}" y="{y + 5:g}" font-size="15" fill="{theme.GROUND}">{letter}</text>')
    return "".join(parts)


def _head(head: Head) -> str:
    """The number in a circle, near the tile that it belongs to, with a dotted line to it."""
    dx, dy = head.x - head.at[0], head.y - head.at[1]
    x, y = _centre(*head.at)
    away = WIDE / 2 + 18 if dx else TALL / 2 + 18
    cx, cy = x + dx * away, y + dy * away
    return (
        f'<path d="M{x:g} {y:g}L{cx:g} {cy:g}" stroke="{JOINT}" stroke-width="4" stroke-dasharray="3 2.5"/>'
        f'<circle cx="{cx:g}" cy="{cy:g}" r="13.5" fill="{theme.GROUND}" stroke="{theme.LABEL}" stroke-width="2"/>'
        f'<text x="{cx:g}" y="{cy + 6.6:g}" font-size="18.5" fill="{theme.INK}">{head.number}</text>'
    )


def _tile(link: Link) -> str:
    x, y = _centre(link.x, link.y)
    stroke, thick = (theme.LAST, 4.5) if link.fresh else (theme.EDGE, 1.3)
    left, top = x - WIDE / 2, y - TALL / 2
    body = (
        f'<rect x="{left:g}" y="{top:g}" width="{WIDE}" height="{TALL}" rx="6" fill="{theme.HEIGHTS[0]}" '
        f'stroke="{stroke}" stroke-width="{thick}"/>'
    )
    corner = f'<path d="M{left + WIDE - 18:g} {top:g}h12q6 0 6 6v12z" fill="{theme.INK}"/>' if link.start else ""
    return f'{body}{corner}<use href="#{link.tile}" x="{x:g}" y="{y:g}"/>'


def _face(tile: str) -> str:
    """The name at the top left, the drawing below it."""
    name = (
        f'<text x="{-WIDE / 2 + 6:g}" y="{-TALL / 2 + 18:g}" font-size="17" text-anchor="start" fill="{theme.INK}">'
        f"{text(tile)}</text>"
    )
    return f'{name}<g transform="translate(0 10)">{face(tile)}</g>'
