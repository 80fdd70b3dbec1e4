"""The snake of Domi Jongg as a picture (the tiles where they lie, how they hang together, a numbered circle at every
head) and in words (one line per head).

The canvas is cut to what lies and to the numbers of the heads; a mail leaves out rows that nobody plays at any more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import cos, pi, sin
from typing import Any, Final

from moderator.games.domijongg.state import NAMES
from moderator.language.messages import render_code
from moderator.render import theme
from moderator.render.boards.grid import Paper, Shape, build_square_around, escape_svg_text
from moderator.rules.game import FENCE
from moderator.rules.scenes import Head, Link, Snake

# ---- Outlines of sixteen Chinese characters: 1 to 9, ten thousand (T), the winds, the red and the green dragon.
#
# From Noto Sans CJK TC Bold 2.004, © 2014-2021 Adobe, SIL Open Font License 1.1 (domijongg_glyphs.OFL.txt beside this
# file), in Debian's fonts-noto-cjk; taken with fontTools, mirrored to y downwards, scaled to an em of 200, the origin
# in its middle.


OUTLINES: Final = {
    # 一
    "1": ("M-92 -15V11H93V-15Z"),
    # 二
    "2": ("M-72 -66V-40H73V-66ZM-89 50V77H89V50Z"),
    # 三
    "3": ("M-76 -75V-50H76V-75ZM-62 -10V14H60V-10ZM-87 57V82H87V57Z"),
    # 四
    "4": (
        "M-85 -77V87H-60V74H59V86H84V-77ZM-60 51V23C-55 28 -49 36 -47 42C-16 25 -11 -5 -11 -54H9V-1"
        "C9 19 13 29 32 29C36 29 46 29 49 29C53 29 56 29 59 28V51ZM-60 22V-54H-34C-35 -14 -36 8 -60 22ZM31 -54H59"
        "V8C56 9 52 9 49 9C46 9 38 9 36 9C32 9 31 6 31 0Z"
    ),
    # 五
    "5": (
        "M-67 -18V6H-32C-36 25 -39 44 -43 61H-89V84H90V61H51C54 35 57 6 58 -17L39 -19L35 -18H-2L3 -52H77V-76H-78"
        "V-52H-24L-29 -18ZM-16 61C-13 44 -9 26 -6 6H31C30 22 28 42 26 61Z"
    ),
    # 六
    "6": (
        "M-42 -1C-55 26 -75 57 -93 76C-87 80 -75 88 -69 92C-51 71 -30 38 -15 7ZM14 8C31 35 55 70 65 91L91 77"
        "C79 56 54 22 38 -3ZM-23 -85C-17 -72 -8 -54 -5 -44H-90V-19H91V-44H-4L22 -53C18 -64 9 -81 2 -94Z"
    ),
    # 七
    "7": (
        "M-36 -89V-26L-92 -17L-88 7L-36 -1V42C-36 74 -25 85 5 85C12 85 40 85 48 85C58 85 70 85 75 83"
        "C74 78 73 67 72 60C66 62 56 62 48 62C40 62 12 62 4 62C-7 62 -10 57 -10 43V-5L89 -20L85 -44L-10 -30V-89Z"
    ),
    # 八
    "8": (
        "M-44 -81C-46 -24 -54 43 -95 78C-89 81 -79 90 -75 95C-31 56 -22 -17 -17 -80ZM-1 -85V-61H14"
        "C21 -1 36 59 70 95C76 90 87 82 94 79C58 45 42 -21 35 -85Z"
    ),
    # 九
    "9": (
        "M-85 -45V-21H-38C-41 21 -54 53 -96 75C-89 79 -82 88 -78 94C-31 69 -17 28 -12 -21H24V58C24 84 31 91 51 91"
        "C55 91 67 91 71 91C89 91 95 80 98 48C91 46 81 42 75 37C74 62 73 68 68 68C66 68 57 68 55 68"
        "C50 68 49 66 49 58V-45H-10C-10 -60 -10 -75 -9 -91H-36C-36 -75 -36 -59 -36 -45Z"
    ),
    # 萬
    "T": (
        "M-44 -13H-12V-4H-44ZM11 -13H44V-4H11ZM-44 -37H-12V-28H-44ZM11 -37H44V-28H11ZM-80 14V20H-88V39H-80V93H-57"
        "V39H-12V54L-49 56L-47 76C-25 75 4 73 32 71C33 75 34 78 35 81L45 79C47 83 49 89 49 94C60 94 68 94 75 91"
        "C81 87 82 82 82 73V20H11V12H68V-53H-67V12H-12V20H-57V14ZM21 43 26 53 11 53V39H38ZM53 75"
        "C51 65 45 50 39 39H59V72C59 74 58 75 56 75ZM-90 -84V-64H-48V-56H-24V-64H-3V-84H-24V-94H-48V-84ZM3 -84"
        "V-64H23V-56H47V-64H89V-84H47V-94H23V-84Z"
    ),
    # 東
    "E": (
        "M-72 -44V33H-31C-47 49 -71 63 -94 71C-89 76 -81 86 -78 92C-54 82 -31 65 -13 46V94H12V45"
        "C30 65 54 82 78 92C82 86 89 76 95 71C72 63 47 49 30 33H73V-44H12V-55H89V-77H12V-94H-13V-77H-88V-55H-13"
        "V-44ZM-48 3H-13V15H-48ZM12 3H49V15H12ZM-48 -26H-13V-14H-48ZM12 -26H49V-14H12Z"
    ),
    # 南
    "S": (
        "M-13 -93V-77H-89V-55H-13V-40H-81V93H-57V-18H-19L-37 -13C-33 -6 -29 2 -27 9H-45V27H-12V40H-49V60H-12V88"
        "H11V60H49V40H11V27H45V9H27C31 3 35 -5 39 -12L19 -18C16 -10 11 1 7 8L8 9H-22L-7 4C-9 -3 -14 -11 -18 -18"
        "H57V69C57 72 56 73 52 73C49 74 36 74 27 73C30 79 33 87 34 93C51 93 62 93 71 90C79 87 81 81 81 69V-40H13"
        "V-55H89V-77H13V-93Z"
    ),
    # 西
    "W": (
        "M-90 -83V-60H-33V-38H-80V93H-57V82H58V93H83V-38H33V-60H90V-83ZM-57 60V30C-54 33 -50 38 -49 40"
        "C-20 27 -13 5 -12 -16H10V5C10 28 14 35 35 35C39 35 53 35 57 35H58V60ZM-57 20V-16H-33"
        "C-34 -3 -39 10 -57 20ZM-11 -38V-60H10V-38ZM33 -16H58V12C57 12 56 13 55 13C52 13 41 13 39 13"
        "C33 13 33 12 33 5Z"
    ),
    # 北
    "N": (
        "M-96 67 -85 91C-61 82 -30 69 -2 57L-6 36L-17 40V-91H-42V-46H-89V-23H-42V49C-63 56 -82 62 -96 67ZM9 -91"
        "V52C9 79 16 88 38 88C42 88 57 88 62 88C84 88 90 72 92 30C86 29 75 24 69 19C68 55 67 64 59 64"
        "C56 64 44 64 41 64C35 64 34 63 34 52V-23H86V-47H34V-91Z"
    ),
    # 中
    "DR": ("M-13 -94V-59H-82V42H-58V31H-13V94H12V31H58V41H83V-59H12V-94ZM-58 8V-36H-13V8ZM58 8H12V-36H58Z"),
    # 發
    "DG": (
        "M-81 -55C-75 -52 -68 -47 -62 -43C-73 -37 -84 -31 -96 -28C-92 -24 -86 -15 -83 -10C-77 -13 -71 -15 -65 -18"
        "V-15H-35V-1H-71C-73 15 -76 35 -79 48H-37C-38 62 -40 68 -42 70C-44 72 -46 72 -50 72C-54 72 -64 72 -74 71"
        "C-70 77 -67 85 -67 92C-56 92 -46 92 -40 91C-33 91 -29 89 -24 85C-19 79 -17 66 -15 39"
        "C-14 36 -14 31 -14 31H-56L-54 17H-14V11C-10 15 -4 20 -2 24C15 13 19 -2 20 -16H39V-4C39 12 42 19 59 19"
        "C62 19 69 19 71 19C75 19 80 19 83 18C82 13 82 6 81 1C79 2 74 2 71 2C69 2 63 2 61 2C59 2 58 1 58 -4V-22"
        "C65 -18 73 -15 81 -12C84 -18 90 -26 95 -31C85 -34 75 -37 67 -42C74 -47 83 -54 90 -61L73 -73"
        "C67 -66 58 -58 51 -52C47 -55 43 -58 40 -61C47 -66 56 -73 65 -81L47 -93C43 -87 35 -80 28 -74"
        "C24 -80 20 -86 17 -93L-2 -87C8 -66 21 -48 39 -34H0V-20C0 -11 -2 -1 -14 7V-33H-40C-24 -45 -11 -61 -3 -81"
        "L-17 -88L-21 -87H-74V-68H-34C-38 -64 -42 -59 -46 -55C-52 -60 -60 -65 -67 -68ZM48 40C44 46 40 50 36 54"
        "L9 40ZM-10 50 18 65C8 71 -4 74 -18 77C-14 81 -9 89 -7 94C9 90 25 85 38 77C48 83 58 89 65 94L77 78"
        "C71 74 63 69 54 64C63 55 71 43 76 28L63 24L59 24H-6V40H-2Z"
    ),
}


ACROSS, DOWN = 60, 76
"""Sides of a cell in css pixels; at 390 pixels a tile is 36 wide."""
WIDE, TALL = 53, 68
TILE = (-WIDE / 2 - 3, -TALL / 2 - 3, WIDE / 2 + 3, TALL / 2 + 3)
"""Room of a tile and its frame, from its middle."""
FACE_DOWN = 10
"""Css pixels from a tile's middle down to the middle of its drawing."""
FACE = (-24, -14, 24, 34)
"""Room of what is drawn on a tile, from its middle."""
MARGIN = 4
MOST_ROWS = 9
"""Rows of a whole snake in a mail; with more of them its tiles could not be read on a phone."""
GAP = 20
"""Css pixels that stand for the rows that are left out."""
NUMBER = 14.5
"""Radius of a head's number, with its edge."""
MARKS = "abcdefghijklmnopqrstuvwxyz"
"""Where a head goes on elsewhere, both tiles carry the same letter."""


@dataclass(frozen=True)
class SnakeCanvas:
    """The rows of cells that are drawn. Of a long snake a mail shows those that are still played at."""

    paper: Paper
    middles: tuple[float, ...]
    """Of each row, in css pixels; rows that are left out share the middle of the gap between the others."""
    shown: frozenset[int]
    gaps: tuple[float, ...] = ()
    """Their middles."""

    def locate(self, x: int, y: int) -> tuple[float, float]:
        """Return the middle of a cell."""
        return MARGIN + ACROSS * (x + 0.5), self.middles[y]


def fit_canvas(*scenes: Snake, margin: float = MARGIN) -> SnakeCanvas:
    """Return a canvas cut to what lies and to the numbers of the heads in all these moments of a snake."""
    rows = max(map(_count_rows, scenes))
    return _cut_canvas(scenes, rows, frozenset(range(rows)), margin)


def cut_canvas(scene: Snake) -> SnakeCanvas:
    """Return such a canvas without the rows that a mail leaves out."""
    rows = _count_rows(scene)
    return _cut_canvas((scene,), rows, _choose_rows(scene) | {rows - 1}, MARGIN)


def _count_rows(scene: Snake) -> int:
    return max(link.y for link in scene.links) + 2  # a number is at most one cell below


def _place_rows(rows: int, shown: frozenset[int]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the middles of all rows, and those of the gaps."""
    middles, gaps, top = list[float](), list[float](), float(MARGIN)
    for row in range(rows):
        if row in shown:
            middles.append(top + DOWN / 2)
            top += DOWN
        else:
            if row == 0 or row - 1 in shown:
                gaps.append(top + GAP / 2)
                top += GAP
            middles.append(gaps[-1])
    return tuple(middles), tuple(gaps)


def _cut_canvas(scenes: Sequence[Snake], rows: int, shown: frozenset[int], margin: float) -> SnakeCanvas:
    middles, gaps = _place_rows(rows, shown)
    whole = SnakeCanvas(Paper(0, 0), middles, shown, gaps)
    links = {(link.x, link.y) for scene in scenes for link in scene.links if link.y in shown}
    boxes = [(*whole.locate(*cell), WIDE / 2, TALL / 2) for cell in links]
    for head in {head for scene in scenes for head in scene.heads}:
        (x, y), (dx, dy) = whole.locate(*head.at), _compute_head_shift(head)
        boxes.append((x + dx, y + dy, NUMBER, NUMBER))
    boxes += [(boxes[0][0], y, 0, GAP / 4) for y in gaps]
    left, top, right, bottom = zip(*((x - a, y - d, x + a, y + d) for x, y, a, d in boxes), strict=True)
    sides = min(left) - margin, min(top) - margin, max(right) + margin, max(bottom) + margin
    return replace(whole, paper=Paper(sides[2] - sides[0], sides[3] - sides[1], sides[0], sides[1], ACROSS / 2))


def _choose_rows(scene: Snake) -> frozenset[int]:
    """Return the rows that a mail shows: all, or those of the heads, their numbers and the last move, and of the others
    as many around them as find room."""
    every = frozenset(link.y for link in scene.links)
    if len(every) <= MOST_ROWS:
        return every
    needed = {row for head in scene.heads for row in (head.at[1], head.y)}
    needed |= {link.y for link in scene.links if link.fresh}
    around = ({row + away for row in needed for away in range(-reach, reach + 1)} & every | needed for reach in (2, 1))
    return frozenset(next((rows for rows in around if len(rows) <= MOST_ROWS), needed))


def measure_paper(canvas: SnakeCanvas) -> Paper:
    return canvas.paper


def iter_shapes(scene: Snake, canvas: SnakeCanvas) -> Iterator[Shape]:
    """Yield the scene as it lies on a canvas that holds it; a row that is left out is a dashed line."""
    links = [link for link in scene.links if link.y in canvas.shown]
    faces = {name: _render_named_face(name) for name in sorted({link.tile for link in links})}
    used = {mark for face in faces.values() for mark in _USED.findall(face)}
    yield from (shape for mark, shape in MARK_SHAPES.items() if mark in used)
    yield from (Shape("defs", f'<g id="tile-{name}">{face}</g>', FACE) for name, face in faces.items())
    for y in canvas.gaps:
        yield _render_gap(canvas.paper, y)
    for link in scene.links:
        ends = {link.joint[0][1], link.joint[-1][1]} if link.joint and _is_beside(link) else set()
        if ends & canvas.shown:
            yield _render_joint(canvas.locate(*link.joint[0]), canvas.locate(*link.joint[-1]))
    yield from (_render_head(head, canvas.locate(*head.at)) for head in scene.heads)
    for link in links:
        at = canvas.locate(link.x, link.y)
        yield Shape("tile", _render_tile(link), TILE, at, ("single",) if link.start else ())
    yield from _iter_jump_signs(scene, canvas)
    frame = _render_body("none", theme.LAST, 4.5)
    yield from (Shape("fresh", frame, TILE, canvas.locate(link.x, link.y), ("fresh",)) for link in links if link.fresh)


def _render_gap(paper: Paper, y: float) -> Shape:
    line = f'<path d="M0 0h{paper.width:g}" stroke="{theme.EDGE}" stroke-width="2.5" stroke-dasharray="2 7"/>'
    return Shape("ground", line, (0, -2, paper.width, 2), (paper.left, y))


def _is_beside(link: Link) -> bool:
    """Return whether a tile lies beside the one that it was laid at."""
    (x0, y0), (x1, y1) = link.joint[0], link.joint[-1]
    return abs(x0 - x1) + abs(y0 - y1) == 1


def _render_joint(start: tuple[float, float], end: tuple[float, float]) -> Shape:
    start, end = sorted((start, end))
    x, y = end[0] - start[0], end[1] - start[1]
    line = f'<path d="M0 0L{x:g} {y:g}" stroke="{theme.JOINT}" stroke-width="14" fill="none"/>'
    return Shape("ground", line, (min(x, 0) - 8, min(y, 0) - 8, max(x, 0) + 8, max(y, 0) + 8), start)


def _iter_jump_signs(scene: Snake, canvas: SnakeCanvas) -> Iterator[Shape]:
    """Yield the same letter for the lower corner of a tile and the upper corner of its follower that lies elsewhere."""
    jumps = [link for link in scene.links if link.joint and not _is_beside(link)]
    seen = set[tuple[int, int]]()
    for letter, link in zip(MARKS, jumps, strict=False):
        (x0, y0), (x1, y1) = canvas.locate(*link.joint[0]), canvas.locate(*link.joint[-1])
        side = -1 if link.joint[0] in seen else 1
        seen.add(link.joint[0])
        mark = (
            f'<circle r="10.5" fill="{theme.INK}" stroke="{theme.GROUND}"/>'
            f'<text x="0" y="5" font-size="15" fill="{theme.GROUND}">{letter}</text>'
        )
        if link.joint[0][1] in canvas.shown:
            at = x0 + side * (WIDE / 2 - 8), y0 + TALL / 2 - 8
            yield Shape("sign", mark, build_square_around(0, 0, 12), at, ("jump",))
        if link.y in canvas.shown:
            at = x1 + WIDE / 2 - 8, y1 - TALL / 2 + 8
            yield Shape("sign", mark, build_square_around(0, 0, 12), at, ("jump",))


def _render_head(head: Head, at: tuple[float, float]) -> Shape:
    """Draw the number in a circle, near the tile that it belongs to, with a dotted line to it."""
    x, y = _compute_head_shift(head)
    circle = (
        f'<path d="M0 0L{x:g} {y:g}" stroke="{theme.JOINT}" stroke-width="4" stroke-dasharray="3 2.5"/>'
        f'<circle cx="{x:g}" cy="{y:g}" r="{NUMBER - 1}" fill="{theme.GROUND}" stroke="{theme.LABEL}" '
        'stroke-width="2"/>'
        f'<text x="{x:g}" y="{y + 6.6:g}" font-size="18.5" fill="{theme.INK}">{head.number}</text>'
    )
    box = (min(x, 0) - 16, min(y, 0) - 16, max(x, 0) + 16, max(y, 0) + 16)
    return Shape("ground", circle, box, at, ("head",))


def _compute_head_shift(head: Head) -> tuple[float, float]:
    """Return how far the middle of a head's number lies from that of its tile."""
    dx, dy = head.x - head.at[0], head.y - head.at[1]
    return dx * (WIDE / 2 + 18), dy * (TALL / 2 + 18)


def _render_tile(link: Link) -> str:
    corner = _render_start_corner() if link.start else ""
    return f'{_render_body(theme.HEIGHTS[0], theme.EDGE, 1.3)}{corner}<use href="#tile-{link.tile}"/>'


def _render_start_corner() -> str:
    return f'<path d="M{WIDE / 2 - 18:g} {-TALL / 2:g}h12q6 0 6 6v12z" fill="{theme.INK}"/>'


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
    return f'{name}<g transform="translate(0 {FACE_DOWN})">{render_tile_face(tile)}</g>'


# ---- faces ----
# What is drawn on a tile: bamboo sticks, circles, characters, flowers, seasons. Own drawings in SVG, centred on (0, 0)
# and about 42 × 42 css pixels; the tile's name stands above them, so that no colour and no form need be known.


INK, RED, GREEN, BLUE, YELLOW = theme.INK, theme.VOWEL, theme.GREEN, theme.BLUE, theme.YELLOW

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
_PETALS = {"1": (5, RED), "2": (6, theme.PURPLE), "3": (8, YELLOW), "4": (4, BLUE)}


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
        return _use_mark(f"character-{number}", 0, -11.5) + _use_mark("character-T", 0, 8.5)
    return {"B": _render_bamboo, "K": _render_circles, "F": _render_flower, "J": _render_season}[kind](number)


def _render_character(name: str, ink: str, size: float, more: str = "") -> str:
    return f'<path {more}transform="scale({size / 200:g})" d="{OUTLINES[name]}" fill="{ink}"/>'


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
    size = "small" if count > 3 else "large"
    return "".join(_use_mark(f"{size}-ring-{n % 3}", x, y) for n, (x, y) in enumerate(places))


def _render_bamboo(number: str) -> str:
    count = int(number)
    if count == 1:
        return _use_mark("bamboo", 0, 0)
    rows = _STICKS[count]
    size, tall = ("large", 19) if len(rows) == 2 else ("small", 13)
    across = 10 if max(rows) > 3 else 13
    sticks = enumerate(_list_row_centres(rows, across, tall + 2.2))
    red = {5: 2, 7: 0, 9: 4}.get(count)
    return "".join(_use_mark(f"{size}-stick-{'red' if n == red else 'green'}", x, y) for n, (x, y) in sticks)


def _use_mark(mark: str, x: float, y: float) -> str:
    return f'<use href="#{mark}" x="{x:g}" y="{y:g}"/>'


def _build_stick(mark: str, tall: float, ink: str, wide: float = 6) -> Shape:
    """Draw a bamboo stick with a bright knot."""
    across, down = wide / 2, tall / 2
    return Shape(
        "defs",
        f'<g id="{mark}"><rect x="{-across:g}" y="{-down:g}" width="{wide:g}" height="{tall:g}" rx="{wide / 2.4:g}" '
        f'fill="{ink}"/><path d="M{-across:g} 0h{wide:g}" stroke="{theme.HEIGHTS[0]}" stroke-width="1.8"/></g>',
        (-across - 1, -down - 1, across + 1, down + 1),
    )


def _build_mark_shapes() -> dict[str, Shape]:
    """Draw what stands on many tiles, by its id."""
    made = {"bamboo": _build_stick("bamboo", 36, RED, 9)}
    for name in "123456789T":
        ink, tall = (RED, 22.0) if name == "T" else (BLUE, 21.0)
        character = _render_character(name, ink, tall, f'id="character-{name}" ')
        made[f"character-{name}"] = Shape("defs", character, build_square_around(0, 0, 12))
    for size, tall, radius in (("small", 13, 4.2), ("large", 19, 5.4)):
        for name, ink in (("red", RED), ("green", GREEN)):
            mark = f"{size}-stick-{name}"
            made[mark] = _build_stick(mark, tall, ink)
        for number, ink in enumerate((BLUE, GREEN, RED)):
            mark = f"{size}-ring-{number}"
            ring = f'<circle id="{mark}" r="{radius:g}" fill="none" stroke="{ink}" stroke-width="3.4"/>'
            made[mark] = Shape("defs", ring, build_square_around(0, 0, radius + 3))
    return made


MARK_SHAPES = _build_mark_shapes()
_USED = re.compile(r'href="#([^"]+)"')


def _list_circle_points(count: int, radius: float) -> list[tuple[float, float]]:
    """Return so many points on a circle, the first at the top."""
    return [(radius * sin(2 * pi * n / count), -radius * cos(2 * pi * n / count)) for n in range(count)]


def _render_flower(number: str) -> str:
    count, ink = _PETALS[number]
    size = 9.0 if count < 6 else 7.5 if count < 8 else 6.2
    petals = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{ink}"/>' for x, y in _list_circle_points(count, 11)
    )
    heart = INK if ink == YELLOW else theme.HEART
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
            f'<path d="{leaf}" fill="{theme.BROWN}"/><path d="M0 -11V20M0 1L6 -5M0 1L-6 -5" '
            f'stroke="{theme.HEIGHTS[0]}" stroke-width="1.8" fill="none"/>'
            f'<path d="M0 14V20" stroke="{theme.BROWN}" stroke-width="3"/>'
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
    """Return lines such as ``Ende 1 (links) ǀ K3 · [J3]``: from the last fork (or the singlestone) outwards, newly laid
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


# ---- in pieces, for the touch board (moderator/render/turn_picture.py) ----


TOUCHED = 39, 49
"""Sides of a cell on that page, in css pixels."""


def build_snake_picture(scene: Snake) -> dict[str, Any]:
    """Return the cells that lie, in the order of laying, each with its tile and how many before it the one lies that it
    was laid at (0: none); and the heads: number, cell, place in that order of the tile at the end."""
    order = {(link.x, link.y): number for number, link in enumerate(scene.links)}
    return {
        "unit": TOUCHED,
        "lies": [
            [link.x, link.y, link.tile, number - order[link.joint[0]] if link.joint else 0]
            for number, link in enumerate(scene.links)
        ],
        "fresh": sum(link.fresh for link in scene.links),
        "free": [[head.number, head.x, head.y, order[head.at]] for head in scene.heads],
    }


def iter_snake_pieces() -> Iterator[tuple[str, str, str]]:
    """Yield the pieces: name, what takes the colours of its place, what keeps its own. ``k``: a tile without its face;
    ``s``: the corner of the singlestone; ``n``: the circle of a head's number; else the face of a tile."""
    short = {mark: str(number) for number, mark in enumerate(MARK_SHAPES)}
    marks = "".join(shape.svg.replace(f'id="{mark}"', f'id="p-{short[mark]}"') for mark, shape in MARK_SHAPES.items())
    yield "marks", "", marks
    yield "k", _render_body("", "", 0), ""
    yield "s", "", _render_start_corner()
    yield "n", f'<circle r="{NUMBER}"/>', ""
    for tile in NAMES:
        yield tile, "", _USED.sub(lambda used: f'href="#p-{short[used[1]]}"', render_tile_face(tile))


PICTURING = build_snake_picture, None, iter_snake_pieces
