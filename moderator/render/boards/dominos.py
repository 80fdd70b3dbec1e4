"""Dominoes as a picture and in words: halves with pips, the last tile framed, open ends as dashed circles with their
name and number; or one line for each arm, from the middle outwards.

The drawing is cut to what lies and to the open ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from moderator.games.dominos.state import format_domino
from moderator.language.messages import render_code
from moderator.render import theme
from moderator.render.boards.grid import Box, Paper, Shape, build_square_around, escape_svg_text
from moderator.rules.scenes import Bone, Layout, OpenEnd

UNIT = 34
"""Css pixels of a half tile."""
MARGIN = 0.4
GAP = 0.05
"""Between a tile and the edge of its place, in half tiles."""
PIP = 0.1
PIPS = {
    0: (),
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
"""Columns and rows of the pips of an upright half, in units of ``SPREAD``."""
SPREAD = 0.26
END = 0.84
"""Radius of an open end, in half tiles."""
FIRST_PLACE = (-1.0, -0.5, 1.0, 0.5)
"""Span of the place for the first tile."""


@dataclass(frozen=True)
class DominoCanvas:
    """The part of the table that is drawn, in half tiles from the first tile's middle."""

    left: float
    top: float
    right: float
    bottom: float


def fit_canvas(*scenes: Layout, margin: float = MARGIN) -> DominoCanvas:
    """Return a canvas cut to what lies and to the open ends in all these moments of a table."""
    spans = [_compute_span(bone) for scene in scenes for bone in scene.bones] or [FIRST_PLACE]
    spans += [build_square_around(end.x, end.y, END) for scene in scenes for end in scene.ends]
    left, top, right, bottom = zip(*spans, strict=True)
    return DominoCanvas(min(left) - margin, min(top) - margin, max(right) + margin, max(bottom) + margin)


cut_canvas = fit_canvas


def measure_paper(canvas: DominoCanvas) -> Paper:
    across, down = UNIT * (canvas.right - canvas.left), UNIT * (canvas.bottom - canvas.top)
    return Paper(across, down, UNIT * canvas.left, UNIT * canvas.top, unit=2 * UNIT)


def _get_reach(bone: Bone) -> tuple[float, float]:
    """Return how far a tile reaches from its middle, across and down, in half tiles."""
    return (0.5, 1) if bone.upright else (1, 0.5)


def _compute_span(bone: Bone) -> Box:
    across, down = _get_reach(bone)
    return bone.x - across, bone.y - down, bone.x + across, bone.y + down


def iter_shapes(scene: Layout, canvas: DominoCanvas) -> Iterator[Shape]:
    """Yield the scene as it lies on a canvas that holds it."""
    for end in scene.ends:
        at = end.x * UNIT, end.y * UNIT
        yield Shape("ground", _render_open_end(end, UNIT), build_square_around(0, 0, UNIT), at, ("end",))
    if not scene.bones:
        yield Shape("ground", _render_first_place(UNIT), build_square_around(0, 0, 1.1 * UNIT))
    for bone in scene.bones:
        at = bone.x * UNIT, bone.y * UNIT
        across, down = (reach * UNIT + 1 for reach in _get_reach(bone))
        box = (-across, -down, across, down)
        yield Shape("tile", _render_bone(bone, UNIT), box, at, ("spinner",) if bone.spinner else ())
        if bone.fresh:
            yield Shape("fresh", _render_face(bone, UNIT, "none", theme.LAST, 0.13), box, at, ("fresh",))


def _render_bone(bone: Bone, unit: float) -> str:
    """Draw a tile around its middle: the face, the line between its halves, the pips; a spinner has a second frame and
    a red dot."""
    face = _render_face(bone, unit, theme.get_height_colour(1), theme.EDGE, 0.045)
    x, y = (0, 0.5) if bone.upright else (0.5, 0)
    first = _render_pips(bone.values[0], -x, -y, bone.upright, unit)
    second = _render_pips(bone.values[1], x, y, bone.upright, unit)
    return face + first + second + _render_middle(bone, unit)


def _render_middle(bone: Bone, unit: float) -> str:
    """Draw the line between the halves; of a spinner the second frame and the dot, too."""
    half = 0.36 * unit
    line = f"M{-half:.1f} 0h{2 * half:.1f}" if bone.upright else f"M0 {-half:.1f}v{2 * half:.1f}"
    middle = f'<path d="{line}" stroke="{theme.EDGE}" stroke-width="{0.045 * unit:.2f}"/>'
    return middle + (_render_spinner(bone, unit) if bone.spinner else "")


def _render_face(bone: Bone, unit: float, fill: str, stroke: str, thick: float, gap: float = GAP) -> str:
    across, down = ((reach - gap) * unit for reach in _get_reach(bone))
    box = _format_rectangle(-across, -down, across, down, (0.21 - gap) * unit)
    return f'<rect {box} fill="{fill}" stroke="{stroke}" stroke-width="{thick * unit:.2f}"/>'


def _format_rectangle(left: float, top: float, right: float, bottom: float, radius: float) -> str:
    return (
        f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" rx="{max(radius, 0):.1f}"'
    )


def _render_pips(value: int, x: float, y: float, upright: bool, unit: float) -> str:
    """Draw the pips of one half. The pips of a lying tile are turned with it."""
    places = PIPS[value] if upright else tuple((-row, column) for column, row in PIPS[value])
    return "".join(
        f'<circle cx="{(x + column * SPREAD) * unit:.1f}" cy="{(y + row * SPREAD) * unit:.1f}" r="{PIP * unit:.1f}" '
        f'fill="{theme.INK}"/>'
        for column, row in places
    )


def _render_spinner(bone: Bone, unit: float) -> str:
    return (
        f'{_render_face(bone, unit, "none", theme.VOWEL, 0.05, 0.13)}<circle r="{0.17 * unit:.1f}" '
        f'fill="{theme.VOWEL}" stroke="{theme.get_height_colour(1)}" stroke-width="{0.06 * unit:.2f}"/>'
    )


def _render_first_place(unit: float) -> str:
    """Draw the place for the first tile."""
    left, top, right, bottom = (side * unit for side in FIRST_PLACE)
    box = _format_rectangle(left, top, right, bottom, 0.16 * unit)
    return f'<rect {box} fill="none" stroke="{theme.LABEL}" stroke-width="{0.06 * unit:.2f}" {_format_dashes(unit)}/>'


def _format_dashes(unit: float) -> str:
    return f'stroke-dasharray="{0.17 * unit:.1f} {0.12 * unit:.1f}"'


def _render_open_end(end: OpenEnd, unit: float) -> str:
    """Draw an open end: ``L`` over the number that fits there."""
    return (
        f'<circle r="{END * unit:.1f}" fill="none" stroke="{theme.LABEL}" '
        f'stroke-width="{0.06 * unit:.2f}" {_format_dashes(unit)}/>'
        + _render_end_name(end.name, unit)
        + _render_end_value(end.value, unit)
    )


def _render_end_name(name: str, unit: float) -> str:
    return (
        f'<text x="0" y="{-0.06 * unit:.1f}" font-size="{0.74 * unit:.1f}" fill="{theme.LABEL}">'
        f"{escape_svg_text(name)}</text>"
    )


def _render_end_value(value: int, unit: float) -> str:
    return f'<text x="0" y="{0.6 * unit:.1f}" font-size="{0.68 * unit:.1f}" fill="{theme.INK}">{value}</text>'


# ---- in words ----


def describe_ends(scene: Layout, language: str) -> str:
    """Return ``Die Enden zählen L 4, R 6: zusammen 10.``"""
    arms = dict(scene.arms)
    counts = {end.name: end.counts for end in scene.ends if end.name in "LR" or arms.get(end.name)}
    return _render_board_code("ends", language, ends=counts, total=scene.total)


def _render_board_code(code: str, language: str, **params: object) -> str:
    return render_code(f"board.{code}", language, "dominos", **params)


@lru_cache(maxsize=64)
def describe_lines(scene: Layout, language: str) -> tuple[str, ...]:
    """Return lines such as ``Links (L), offen 4, zählt 4: 6ǀ2 · 2ǀ4``: the middle, each arm with its open end, the sum
    of the ends."""
    if not scene.bones:
        return (_render_board_code("empty", language),)
    fresh = next((bone.name for bone in scene.bones if bone.fresh), "")
    spinner = any(bone.spinner for bone in scene.bones)
    middle = "middle-spinner" if spinner else "middle"
    lines = [_render_board_code(middle, language, shown=_render_arm_tiles((scene.middle,), fresh, language))]
    ends = {end.name: end for end in scene.ends}
    for place, arm in scene.arms:
        tiles = _render_arm_tiles(arm, fresh, language) or _render_board_code("none", language)
        name = _render_board_code(f"place.{place}", language)
        if (end := ends.get(place)) is None:
            lines.append(_render_board_code("arm-over", language, place=name, shown=tiles))
        else:
            values = {"place": name, "value": end.value, "counts": end.counts}
            lines.append(_render_board_code("arm", language, **values, shown=tiles))
    return (*lines, _render_board_code("sum", language, total=scene.total)) if ends else tuple(lines)


def _render_arm_tiles(tiles: tuple[str, ...], fresh: str, language: str) -> str:
    """Return the tiles of an arm; the tile laid last is named as new."""
    shown = [format_domino(name) for name in tiles]
    if tiles and fresh in (tiles[-1].replace("-", ""), tiles[-1].replace("-", "")[::-1]):
        shown[-1] = _render_board_code("new", language, shown=shown[-1])
    return " · ".join(shown)


@lru_cache(maxsize=128)
def describe_scene(scene: Layout, language: str, last: str = "") -> str:
    """Describe the table: the number of tiles, the last move (``last``, a sentence), the arms with their open ends, the
    sum."""
    parts = [_render_board_code("lying", language, count=len(scene.bones))]
    if last:
        parts.append(_render_board_code("last", language, what=last))
    lines = describe_lines(scene, language)
    return " ".join([*parts, *(line if line.endswith(".") else f"{line}." for line in lines)])


# ---- in pieces, for the touch board (moderator/render/turn_picture.py) ----


TOUCHED = 21
"""Css pixels of a half tile on that page."""


def build_domino_picture(scene: Layout) -> dict[str, Any]:
    """Return what lies, the last tile last, and the free places, each with its name."""
    free = [[end.name, *place_domino_face(end)] for end in scene.ends] or [["", 0, 0, "o"]]
    return {
        "unit": [TOUCHED, TOUCHED],
        "lies": [place_domino_face(bone) for bone in scene.bones],
        "fresh": len(scene.bones[:1]),
        "free": free,
    }


def place_domino_face(item: Bone | OpenEnd) -> tuple[float, float, str]:
    """Return where an item lies and its face: an upright tile (v, as a spinner V), a lying one (h, H), an end (e)."""
    if isinstance(item, OpenEnd):
        face = f"e{item.name}{item.value}"
    else:
        form = "v" if item.upright else "h"
        face = f"{form.upper() if item.spinner else form}{item.values[0]}{item.values[1]}"
    x, y = (int(at) if at == int(at) else at for at in (item.x, item.y))
    return x, y, face


def iter_domino_pieces() -> Iterator[tuple[str, str, str]]:
    """Yield the pieces of all faces: name, what takes the colours of its place, what keeps its own."""
    unit = TOUCHED
    for form in "vhVH":
        bone = Bone(0, 0, (0, 0), upright=form in "vV", spinner=form in "VH")
        yield form, _render_face(bone, unit, "", "", 0), _render_middle(bone, unit)
    for upright, value, (at, side) in product((True, False), PIPS, enumerate((-0.5, 0.5))):
        x, y = (0.0, side) if upright else (side, 0.0)
        yield f"{'v' if upright else 'h'}{at}{value}", _render_pips(value, x, y, upright, unit), ""
    yield "e", f'<circle r="{END * unit:.1f}"/>', ""
    yield from ((f"e0{name}", _render_end_name(name, unit), "") for name in "LRNS")
    yield from ((f"e1{value}", _render_end_value(value, unit), "") for value in PIPS)
    yield "o", _render_first_place(unit), ""


PICTURING = build_domino_picture, place_domino_face, iter_domino_pieces
