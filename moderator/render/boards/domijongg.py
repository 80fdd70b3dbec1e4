"""The snake of Domi Jongg as a picture (the tiles where they lie, how they hang together, a numbered circle at every
head) and in words (one line per head).

The canvas is always nine cells wide and grows downwards, so that nothing moves from mail to mail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, sin

from moderator.language.messages import render_code
from moderator.render import theme
from moderator.render.boards.domijongg_glyphs import OUTLINES
from moderator.render.boards.layers import Paper, Shape, build_square_around, escape_svg_text
from moderator.rules.game import FENCE
from moderator.rules.scenes import Head, Link, Snake

COLUMNS = 9
ACROSS, DOWN = 60, 76
"""Sides of a cell in css pixels; at 390 pixels a tile is 36 wide."""
WIDE, TALL = 53, 68
TILE = (-WIDE / 2 - 3, -TALL / 2 - 3, WIDE / 2 + 3, TALL / 2 + 3)
"""Room of a tile and its frame, from its middle."""
MARGIN = 4
LEAST_ROWS, ROW_STEP = 3, 2
"""The canvas grows by so many rows at a time."""
JOINT = "#8A8271"
MARKS = "abcdefghijklmnopqrstuvwxyz"
"""Where a head goes on elsewhere, both tiles carry the same letter."""


@dataclass(frozen=True)
class SnakeCanvas:
    """The number of rows of cells that are drawn."""

    rows: int


def fit_canvas(*scenes: Snake) -> SnakeCanvas:
    """Return a canvas that holds all these moments of a snake."""
    lowest = max(link.y for scene in scenes for link in scene.links)
    rows = max(LEAST_ROWS, lowest + 2)  # a number is at most one cell below
    return SnakeCanvas(rows + (rows - LEAST_ROWS) % ROW_STEP)


def measure_paper(canvas: SnakeCanvas) -> Paper:
    return Paper(ACROSS * COLUMNS + 2 * MARGIN, DOWN * canvas.rows + 2 * MARGIN)


def iter_shapes(scene: Snake, canvas: SnakeCanvas) -> Iterator[Shape]:
    """Yield the scene as it lies; it is the same on every canvas."""
    for name in sorted({link.tile for link in scene.links}):
        yield Shape("defs", f'<g id="tile-{name}">{_render_named_face(name)}</g>')
    yield from (_render_joint(link) for link in scene.links if link.joint and _is_beside(link))
    yield from (_render_head(head) for head in scene.heads)
    for link in scene.links:
        yield Shape(
            "tile", _render_tile(link), TILE, _compute_centre(link.x, link.y), ("single",) if link.start else ()
        )
    yield from _iter_jump_signs(scene)
    frame = _render_body("none", theme.LAST, 4.5)
    yield from (
        Shape("fresh", frame, TILE, _compute_centre(link.x, link.y), ("fresh",)) for link in scene.links if link.fresh
    )


def _compute_centre(x: int, y: int) -> tuple[float, float]:
    return MARGIN + ACROSS * (x + 0.5), MARGIN + DOWN * (y + 0.5)


def _is_beside(link: Link) -> bool:
    """Return whether a tile lies beside the one that it was laid at."""
    (x0, y0), (x1, y1) = link.joint[0], link.joint[-1]
    return abs(x0 - x1) + abs(y0 - y1) == 1


def _render_joint(link: Link) -> Shape:
    (x0, y0), (x1, y1) = _compute_centre(*link.joint[0]), _compute_centre(*link.joint[-1])
    line = f'<path d="M0 0L{x1 - x0:g} {y1 - y0:g}" stroke="{JOINT}" stroke-width="14" fill="none"/>'
    box = (min(x1 - x0, 0) - 8, min(y1 - y0, 0) - 8, max(x1 - x0, 0) + 8, max(y1 - y0, 0) + 8)
    return Shape("ground", line, box, (x0, y0))


def _iter_jump_signs(scene: Snake) -> Iterator[Shape]:
    """Yield the same letter for the lower corner of a tile and the upper corner of its follower that lies elsewhere."""
    jumps = [link for link in scene.links if link.joint and not _is_beside(link)]
    seen = set[tuple[int, int]]()
    for letter, link in zip(MARKS, jumps, strict=False):
        (x0, y0), (x1, y1) = _compute_centre(*link.joint[0]), _compute_centre(*link.joint[-1])
        side = -1 if link.joint[0] in seen else 1
        seen.add(link.joint[0])
        mark = (
            f'<circle r="10.5" fill="{theme.INK}" stroke="{theme.GROUND}"/>'
            f'<text x="0" y="5" font-size="15" fill="{theme.GROUND}">{letter}</text>'
        )
        for at in ((x0 + side * (WIDE / 2 - 8), y0 + TALL / 2 - 8), (x1 + WIDE / 2 - 8, y1 - TALL / 2 + 8)):
            yield Shape("sign", mark, build_square_around(0, 0, 12), at, ("jump",))


def _render_head(head: Head) -> Shape:
    """Draw the number in a circle, near the tile that it belongs to, with a dotted line to it."""
    dx, dy = head.x - head.at[0], head.y - head.at[1]
    away = WIDE / 2 + 18 if dx else TALL / 2 + 18
    x, y = dx * away, dy * away
    circle = (
        f'<path d="M0 0L{x:g} {y:g}" stroke="{JOINT}" stroke-width="4" stroke-dasharray="3 2.5"/>'
        f'<circle cx="{x:g}" cy="{y:g}" r="13.5" fill="{theme.GROUND}" stroke="{theme.LABEL}" stroke-width="2"/>'
        f'<text x="{x:g}" y="{y + 6.6:g}" font-size="18.5" fill="{theme.INK}">{head.number}</text>'
    )
    return Shape("ground", circle, build_square_around(0, 0, away + 16), _compute_centre(*head.at), ("head",))


def _render_tile(link: Link) -> str:
    right, top = WIDE / 2, -TALL / 2
    corner = f'<path d="M{right - 18:g} {top:g}h12q6 0 6 6v12z" fill="{theme.INK}"/>' if link.start else ""
    return f'{_render_body(theme.HEIGHTS[0], theme.EDGE, 1.3)}{corner}<use href="#tile-{link.tile}"/>'


def _render_body(fill: str, stroke: str, thick: float) -> str:
    return (
        f'<rect x="{-WIDE / 2:g}" y="{-TALL / 2:g}" width="{WIDE}" height="{TALL}" rx="6" fill="{fill}" '
        f'stroke="{stroke}" stroke-width="{thick}"/>'
    )


def _render_named_face(tile: str) -> str:
    """Draw a tile's face: its name at the top left, the drawing below it."""
    name = (
        f'<text x="{-WIDE / 2 + 6:g}" y="{-TALL / 2 + 18:g}" font-size="17" text-anchor="start" fill="{theme.INK}">'
        f"{escape_svg_text(tile)}</text>"
    )
    return f'{name}<g transform="translate(0 10)">{render_tile_face(tile)}</g>'


# ---- faces ----
# What is drawn on a tile: bamboo sticks, circles, characters, flowers, seasons. Own drawings in SVG, centred on (0, 0)
# and about 42 × 42 css pixels; the tile's name stands above them, so that no colour and no form need be known.


INK, RED, GREEN, BLUE, YELLOW = "#1B1B1B", "#B3261E", "#1B6E3C", "#26406F", "#C98A00"

_ROWS = {
    1: (1,),
    2: (1, 1),
    3: (1, 1, 1),
    4: (2, 2),
    5: (2, 1, 2),
    6: (2, 2, 2),
    7: (2, 3, 2),
    8: (3, 2, 3),
    9: (3, 3, 3),
}
"""Circles of a number, row by row."""
_STICKS = {1: (1,), 2: (1, 1), 3: (1, 2), 4: (2, 2), 5: (2, 1, 2), 6: (3, 3), 7: (1, 3, 3), 8: (4, 4), 9: (3, 3, 3)}
"""Sticks of a number, row by row."""
_PETALS = {"1": (5, RED), "2": (6, "#7A3E9D"), "3": (8, YELLOW), "4": (4, BLUE)}


def render_tile_face(tile: str) -> str:
    """Draw a tile's picture, e.g. of ``B3``, ``DR``."""
    kind, number = tile[0], tile[1:]
    if tile in ("E", "S", "W", "N"):
        return _render_character(tile, INK, 38)
    if kind == "D":
        return {"R": _render_character("DR", RED, 38), "G": _render_character("DG", GREEN, 38), "W": _render_blank()}[
            number
        ]
    if kind == "T":
        return _render_character(number, BLUE, 21, -11.5) + _render_character("T", RED, 22, 8.5)
    return {"B": _render_bamboo, "K": _render_circles, "F": _render_flower, "J": _render_season}[kind](number)


def _render_character(name: str, ink: str, size: float, y: float = 0) -> str:
    return f'<path transform="translate(0 {y:g}) scale({size / 200:g})" d="{OUTLINES[name]}" fill="{ink}"/>'


def _render_blank() -> str:
    """Draw the white dragon: an empty frame."""
    inner = f'<rect x="-11" y="-15" width="22" height="30" rx="2" fill="none" stroke="{BLUE}" stroke-width="1.6"/>'
    return f'<rect x="-15" y="-19" width="30" height="38" rx="3" fill="none" stroke="{BLUE}" stroke-width="3"/>{inner}'


def _list_row_centres(rows: tuple[int, ...], across: float, down: float) -> list[tuple[float, float]]:
    """Return the centres of so many marks per row, in rows that are centred."""
    top = -down * (len(rows) - 1) / 2
    return [(across * (n - (count - 1) / 2), top + down * row) for row, count in enumerate(rows) for n in range(count)]


def _render_circles(number: str) -> str:
    count = int(number)
    if count == 1:
        rings = "".join(
            f'<circle r="{r}" fill="none" stroke="{ink}" stroke-width="3"/>' for r, ink in ((17, BLUE), (10, GREEN))
        )
        return f'{rings}<circle r="4.5" fill="{RED}"/>'
    rows = _ROWS[count]
    places = _list_row_centres(rows, 14.5, 14.5 if len(rows) > 2 else 20)
    if count in (2, 3):  # slanting, as on the boxed tiles
        places = [(y * 0.85, y) for _, y in places]
    radius = 5.2 if count > 3 else 6.4
    inks = (BLUE, GREEN, RED)
    return "".join(
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius - 1:g}" fill="none" stroke="{inks[n % 3]}" stroke-width="3.4"/>'
        for n, (x, y) in enumerate(places)
    )


def _render_bamboo(number: str) -> str:
    count = int(number)
    if count == 1:
        return _render_stick(0, 0, 36, RED, 9)
    rows = _STICKS[count]
    tall = 19 if len(rows) == 2 else 13
    across = 10 if max(rows) > 3 else 13
    sticks = enumerate(_list_row_centres(rows, across, tall + 2.2))
    red = {5: 2, 7: 0, 9: 4}.get(count)
    return "".join(_render_stick(x, y, tall, RED if n == red else GREEN) for n, (x, y) in sticks)


def _render_stick(x: float, y: float, tall: float, ink: str, wide: float = 6) -> str:
    """Draw a bamboo stick with a bright knot."""
    left = x - wide / 2
    knot = f'<path d="M{left:g} {y:g}h{wide:g}" stroke="#FFFDF6" stroke-width="1.8"/>'
    return (
        f'<rect x="{left:g}" y="{y - tall / 2:g}" width="{wide:g}" height="{tall:g}" rx="{wide / 2.4:g}" '
        f'fill="{ink}"/>{knot}'
    )


def _list_circle_points(count: int, radius: float) -> list[tuple[float, float]]:
    """Return so many points on a circle, the first at the top."""
    return [(radius * sin(2 * pi * n / count), -radius * cos(2 * pi * n / count)) for n in range(count)]


def _render_flower(number: str) -> str:
    count, ink = _PETALS[number]
    size = 9.0 if count < 6 else 7.5 if count < 8 else 6.2
    petals = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{ink}"/>' for x, y in _list_circle_points(count, 11)
    )
    heart = INK if ink == YELLOW else "#F5C84B"
    return f'{petals}<circle r="5.5" fill="{heart}"/>'


def _render_season(number: str) -> str:
    """Draw a season: spring a sprout, summer the sun, autumn a leaf, winter a snow star."""
    if number == "1":
        leaves = "M0 4C-4 -8 -14 -10 -19 -9C-18 1 -10 6 0 4ZM0 -2C3 -13 12 -17 19 -17C19 -7 12 0 0 -2Z"
        return f'<path d="{leaves}" fill="{GREEN}"/><path d="M0 19V-2" stroke="{GREEN}" stroke-width="4"/>'
    if number == "2":
        rays = "".join(f"M{x * 0.66:.1f} {y * 0.66:.1f}L{x:.1f} {y:.1f}" for x, y in _list_circle_points(8, 19))
        return f'<path d="{rays}" stroke="{YELLOW}" stroke-width="4"/><circle r="9.5" fill="{YELLOW}"/>'
    if number == "3":
        leaf = "M0 -19C13 -11 15 4 0 14C-15 4 -13 -11 0 -19Z"
        return (
            f'<path d="{leaf}" fill="#A8501C"/><path d="M0 -11V20M0 1L6 -5M0 1L-6 -5" stroke="#FFFDF6" '
            'stroke-width="1.8" fill="none"/><path d="M0 14V20" stroke="#A8501C" stroke-width="3"/>'
        )
    star = "".join(
        f"M0 0L{x:.1f} {y:.1f}M{x * 0.62 - y * 0.22:.1f} {y * 0.62 + x * 0.22:.1f}L{x * 0.45:.1f} {y * 0.45:.1f}"
        f"L{x * 0.62 + y * 0.22:.1f} {y * 0.62 - x * 0.22:.1f}"
        for x, y in _list_circle_points(6, 19)
    )
    return f'<path d="{star}" stroke="{BLUE}" stroke-width="3" fill="none"/>'


# ---- in words ----


GAME = "domijongg"


@lru_cache(maxsize=64)
def describe_lines(scene: Snake, language: str) -> tuple[str, ...]:
    """Return lines such as ``Kopf 1 (links) ǀ K3 · [J3]``: from the last fork (or the singlestone) outwards, newly laid
    tiles in brackets. Then the stretches that end at a fork, and the meaning of the brackets."""
    tree = _SnakeTree(scene)
    lines = [
        f"{_render_head_name(head, language)} {FENCE} {_render_tile_row(tree.list_branch(head.at))}"
        for head in scene.heads
    ]
    behind = render_code("board.inner", language, GAME)
    lines += [f"{behind} {FENCE} {_render_tile_row(tree.list_branch(fork))}" for fork in tree.forks]
    if any(link.fresh for link in scene.links):
        lines.append(render_code("board.note", language, GAME))
    return tuple(lines)


@lru_cache(maxsize=128)
def describe_scene(scene: Snake, language: str, last: str = "") -> str:
    """Describe the snake: size, last move (``last``, a sentence), new tiles, the tile at each head."""
    single = scene.links[0].tile
    parts = [render_code("board.size", language, GAME, count=len(scene.links), heads=len(scene.heads), tile=single)]
    if last:
        parts.append(render_code("board.last", language, GAME, what=last))
    if fresh := [link.tile for link in scene.links if link.fresh]:
        parts.append(render_code("board.fresh", language, GAME, tiles=fresh))
    ends = [f"{_render_head_name(head, language)} {head.tile}" for head in scene.heads]
    parts.append(render_code("board.heads", language, GAME, heads=ends))
    return " ".join(parts)


def _render_head_name(head: Head, language: str) -> str:
    return render_code(
        {1: "board.left", 2: "board.right"}.get(head.number, "board.head"), language, GAME, head=head.number
    )


def _render_tile_row(links: Sequence[Link]) -> str:
    return " · ".join(f"[{link.tile}]" if link.fresh else link.tile for link in links)


class _SnakeTree:
    """The tiles of a snake as a tree, by cell."""

    def __init__(self, scene: Snake) -> None:
        self._links = {(link.x, link.y): link for link in scene.links}
        self._followers = Counter(link.joint[0] for link in scene.links if link.joint)
        self.forks = [cell for cell, link in self._links.items() if not link.start and self._followers[cell] > 1]
        """Cells of the tiles that fork, in the order of laying."""

    def list_branch(self, cell: tuple[int, int]) -> list[Link]:
        """Return the tiles up to ``cell``, from the last fork or the singlestone before it."""
        found = [self._links[cell]]
        while found[-1].joint:
            cell = found[-1].joint[0]
            found.append(self._links[cell])
            if self._followers[cell] > 1:
                break
        return found[::-1]
