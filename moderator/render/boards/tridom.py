"""Triangles as a picture and in words: lying tiles with a number in each corner, free cells with their place number.

The picture is cut to what lies and to the free cells. At 340 css pixels, as on a phone, a number in a corner is 12
pixels high on 20 half tiles, 10 on 24, of which hardly a round needs more.

In words, numbers stand apart by ``·``, which no move has: «12 ▼ 3·5·?» is the place 12, tip down, and its corners
clockwise from the tip.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, product
from math import hypot, sqrt
from typing import Any

from moderator.language.messages import render_code, render_label
from moderator.render import theme
from moderator.render.boards.grid import Box, Paper, Shape, escape_svg_text
from moderator.rules.scenes import Triangle, Triangles

HALF = 34
"""Half the side of a triangle in css pixels."""
ROW = HALF * sqrt(3)
MARGIN = 6
DIGIT, PLACE, LONG_PLACE, KNOWN = 0.35, 0.33, 0.26, 0.21
"""Heights of type as parts of a triangle's side: corners of tiles, place numbers of up to two digits, of three, known
corners of free cells."""
Spot = tuple[float, float]
Points = tuple[Spot, Spot, Spot]
"""Corners on the picture, clockwise from the tip."""
UPWARDS, DOWNWARDS = ((0, -ROW), (HALF, 0), (-HALF, 0)), ((0, 0), (-HALF, -ROW), (HALF, -ROW))
"""As seen from the cell's foot."""


@dataclass(frozen=True)
class TriangleCanvas:
    """The part of the lattice that is drawn."""

    left: int
    right: int
    bottom: int
    top: int
    margin: float = MARGIN

    def locate_foot(self, cell: Triangle) -> Spot:
        """Return the place on the picture of the middle of a cell's lower edge, or of its tip if that points down."""
        return self.margin + (cell.x - self.left) * HALF, self.margin + (self.top - cell.y) * ROW


def fit_canvas(*scenes: Triangles, margin: float = MARGIN) -> TriangleCanvas:
    """Return a canvas cut to what lies and to the free places in all these moments of a table."""
    cells = [cell for scene in scenes for cell in (*scene.tiles, *scene.free)] or [Triangle(0, 0, 0, (None,) * 3)]
    xs, ys = [cell.x for cell in cells], [cell.y for cell in cells]
    return TriangleCanvas(min(xs) - 1, max(xs) + 1, min(ys), max(ys) + 1, margin)


cut_canvas = fit_canvas


def measure_paper(canvas: TriangleCanvas) -> Paper:
    across, down = (canvas.right - canvas.left) * HALF, (canvas.top - canvas.bottom) * ROW
    return Paper(round(across + 2 * canvas.margin), round(down + 2 * canvas.margin), unit=2 * HALF)


def iter_shapes(scene: Triangles, canvas: TriangleCanvas) -> Iterator[Shape]:
    """Yield the scene as it lies on a canvas that holds it."""
    side = 2 * HALF
    for cell in scene.free:
        points, at = _get_corners(cell), canvas.locate_foot(cell)
        yield Shape("ground", _render_free_cell(cell, points, side), _compute_box(points), at, ("place",))
    for tile in scene.tiles:
        points, at = _get_corners(tile), canvas.locate_foot(tile)
        box = _compute_box(points)
        yield Shape("tile", _render_tile(tile, points, side), box, at, ("triple",) if _is_triple(tile) else ())
        if tile.fresh:
            frame = _render_face(points, 0.02 * side, "none", theme.LAST, 0.065 * side)
            yield Shape("fresh", frame, box, at, ("fresh",))


def _get_corners(cell: Triangle) -> Points:
    return UPWARDS if (cell.x + cell.y) % 2 == 0 else DOWNWARDS


def _compute_box(points: Points) -> Box:
    xs, ys = zip(*points, strict=True)
    return min(xs) - 1, min(ys) - 1, max(xs) + 1, max(ys) + 1


def _render_tile(tile: Triangle, points: Points, side: float) -> str:
    """Draw a lying tile; a triple has a dot in the middle."""
    parts = [_render_face(points, 1.5, theme.HEIGHTS[0], theme.EDGE, 1.3)]
    if _is_triple(tile):
        parts.append(_render_triple_dot(points, side))
    parts += _render_corner_numbers(tile, points, DIGIT * side, 0.37 * side, theme.INK)
    return "".join(parts)


def _render_triple_dot(points: Points, side: float) -> str:
    x, y = _compute_middle(points)
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{side * 0.045:.1f}" fill="{theme.VOWEL}"/>'


def _is_triple(tile: Triangle) -> bool:
    return len(set(tile.corners)) == 1


def _render_face(points: Points, gap: float, fill: str, stroke: str, thick: float) -> str:
    return (
        f'<polygon points="{_format_outline(points, gap)}" fill="{fill}" stroke="{stroke}" '
        f'stroke-width="{thick:.1f}" stroke-linejoin="round"/>'
    )


def _render_free_cell(cell: Triangle, points: Points, side: float) -> str:
    """Draw a free cell: dashed, its place number in the middle, the corners that are known in small type."""
    x, y = _compute_middle(points)
    number = str(cell.place)
    tall = side * (PLACE if len(number) < 3 else LONG_PLACE)
    return "".join(
        (
            f'<polygon points="{_format_outline(points, 2.5)}" fill="none" stroke="{theme.EDGE}" stroke-width="1.2" '
            'stroke-dasharray="3 3" stroke-linejoin="round"/>',
            f'<text x="{x:.1f}" y="{y + tall * 0.36:.1f}" font-size="{tall:.1f}" fill="{theme.LABEL}">'
            f"{escape_svg_text(number)}</text>",
            *_render_corner_numbers(cell, points, KNOWN * side, 0.23 * side, theme.LABEL),
        )
    )


def _render_corner_numbers(cell: Triangle, points: Points, tall: float, inwards: float, ink: str) -> list[str]:
    """Return the known numbers, each ``inwards`` pixels from its corner towards the middle."""
    parts = []
    for point, number in zip(points, cell.corners, strict=True):
        if number is not None:
            x, y = _move_towards(point, _compute_middle(points), inwards)
            parts.append(
                f'<text x="{x:.1f}" y="{y + tall * 0.36:.1f}" font-size="{tall:.1f}" fill="{ink}">{number}</text>'
            )
    return parts


def _format_outline(points: Points, gap: float) -> str:
    """Return the points of the triangle, every side ``gap`` pixels further in."""
    middle = _compute_middle(points)
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in (_move_towards(point, middle, 2 * gap) for point in points))


def _compute_middle(points: Points) -> Spot:
    return sum(x for x, _ in points) / 3, sum(y for _, y in points) / 3


def _move_towards(start: Spot, end: Spot, length: float) -> Spot:
    dx, dy = end[0] - start[0], end[1] - start[1]
    part = length / hypot(dx, dy)
    return start[0] + dx * part, start[1] + dy * part


# ---- in words ----


COLUMNS = 46
"""Longest line of places: it fits on a phone."""
_GAME = "tridom"


@lru_cache(maxsize=64)
def describe_lines(scene: Triangles, language: str) -> tuple[str, ...]:
    """Return free places first (those with all corners known, then the others), the last tile, all tiles row by row."""
    lines = [render_code("board.reading", language, _GAME)]
    for code, cells in _group_free_cells(scene):
        lines += [render_code(code, language, _GAME), *_pack_lines(cells)]
        if code == "board.three" and (six := [cell.place for cell in cells if can_close_hexagon(cell, scene)]):
            lines.append(render_code("board.six", language, _GAME, places=six))
    lines += [
        render_code("board.last", language, _GAME, tile=_format_place(tile)) for tile in scene.tiles if tile.fresh
    ]
    if scene.tiles:
        lines.append(render_code("board.tiles", language, _GAME, count=len(scene.tiles)))
    by_row = sorted(scene.tiles, key=lambda tile: (-tile.y, tile.x))
    for number, (_, row) in enumerate(groupby(by_row, key=lambda tile: tile.y), start=1):
        lines += _pack_lines(row, f"{render_code('board.row', language, _GAME, row=number)} ")
    return tuple(lines)


@lru_cache(maxsize=128)
def describe_scene(scene: Triangles, language: str, last: str = "") -> str:
    """Describe the table: the number of tiles, the last move (``last``, a sentence), the place of its tile, every free
    place."""
    alt = "board.alt" if scene.free else "board.alt-over"
    parts = [render_code(alt, language, _GAME, count=len(scene.tiles), free=len(scene.free))]
    if last:
        parts.append(render_label("alt-last", language, what=last))
    parts += [
        render_code("board.last", language, _GAME, tile=_format_place(tile)) for tile in scene.tiles if tile.fresh
    ]
    parts.append(render_code("board.reading", language, _GAME))
    parts += [
        f"{render_code(code, language, _GAME)} {', '.join(map(_format_place, cells))}."
        for code, cells in _group_free_cells(scene)
    ]
    return " ".join(parts)


def can_close_hexagon(cell: Triangle, scene: Triangles) -> bool:
    """Return whether a tile on this free cell is the sixth around one of its corners."""
    lying = {(tile.x, tile.y) for tile in scene.tiles} | {(cell.x, cell.y)}
    x, y = cell.x, cell.y
    corners = ((x, y + 1), (x + 1, y), (x - 1, y)) if (x + y) % 2 == 0 else ((x, y), (x - 1, y + 1), (x + 1, y + 1))
    return any({(a + dx, b + dy) for dx in (-1, 0, 1) for dy in (0, -1)} <= lying for a, b in corners)


def _group_free_cells(scene: Triangles) -> list[tuple[str, list[Triangle]]]:
    """Group the free places by how much is known of them; empty groups are left out."""
    closed = [cell for cell in scene.free if None not in cell.corners]
    others = [cell for cell in scene.free if None in cell.corners]
    return [(code, cells) for code, cells in (("board.three", closed), ("board.two", others)) if cells]


def _format_place(cell: Triangle) -> str:
    """Return ``12 ▼ 3·5·?``."""
    numbers = "·".join("?" if number is None else str(number) for number in cell.corners)
    return f"{cell.place} {'▲' if (cell.x + cell.y) % 2 == 0 else '▼'} {numbers}"


def _pack_lines(cells: Iterable[Triangle], first: str = "  ") -> list[str]:
    """Pack as many places on a line as fit; the first line begins with ``first``."""
    lines: list[str] = []
    for name in map(_format_place, cells):
        if lines and len(lines[-1]) + len(name) + 2 <= COLUMNS:
            lines[-1] += f", {name}"
        else:
            lines.append(f"{'  ' if lines else first}{name}")
    return lines


# ---- in pieces, for the touch board (moderator/render/turn_picture.py) ----


TOUCHED = 40
"""Half the side of a triangle on that page, in css pixels."""


def build_triangle_picture(scene: Triangles) -> dict[str, Any]:
    """Return what lies, the last tile last, and the free places, each with its number."""
    lies = sorted(scene.tiles, key=lambda tile: tile.fresh)
    return {
        "unit": [TOUCHED, round(TOUCHED / sqrt(3), 2)],
        "lies": [place_triangle_face(tile) for tile in lies],
        "fresh": sum(tile.fresh for tile in lies),
        "free": [[cell.place, *place_triangle_face(cell, "ab")] for cell in scene.free],
    }


def place_triangle_face(cell: Triangle, forms: str = "") -> tuple[int, int, str]:
    """Return the middle of a cell, in half sides and thirds of a row, and its face: tip up (u, a triple U, free a) or
    down (d, D, b), then the numbers."""
    down = (cell.x + cell.y) % 2
    numbers = "".join("?" if number is None else str(number) for number in cell.corners)
    form = (forms or ("UD" if _is_triple(cell) else "ud"))[down]
    return cell.x, -3 * cell.y - 1 - down, f"{form}{numbers}"


def iter_triangle_pieces() -> Iterator[tuple[str, str, str]]:
    """Yield the pieces of all faces: name, what takes the colours of its place, what keeps its own."""
    side, scale = 2 * TOUCHED, TOUCHED / HALF
    for x, (forms, foot) in enumerate((("uUa", UPWARDS), ("dDb", DOWNWARDS))):
        middle = _compute_middle(foot)
        one, two, three = (((px - middle[0]) * scale, (py - middle[1]) * scale) for px, py in foot)
        points = one, two, three
        for form in forms:
            dot = _render_triple_dot(points, side) if form.isupper() else ""
            yield form, _render_face(points, 2.5 if form in "ab" else 1.5, "", "", 0), dot
            if form.isupper():
                continue  # the same numbers as on others
            tall, inwards = (KNOWN, 0.23) if form in "ab" else (DIGIT, 0.37)
            for at, number in product(range(3), range(6)):
                corners = tuple(number if corner == at else None for corner in range(3))
                cell = Triangle(x, 0, 0, (corners[0], corners[1], corners[2]))
                yield (
                    f"{form}{at}{number}",
                    "".join(_render_corner_numbers(cell, points, tall * side, inwards * side, "")),
                    "",
                )


PICTURING = build_triangle_picture, place_triangle_face, iter_triangle_pieces
