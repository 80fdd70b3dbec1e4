"""A board as SVG. Plain functions that return strings: 0.1 ms a board.

The picture is an opaque rectangle (a transparent corner turns black where a mail program flattens it) and is
drawn for a width of 340 css pixels on a phone: letters of 18, heights of 10, labels of 11 pixels there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from moderator.engine.contract import Cell, Grid
from moderator.render import theme
from moderator.render.boards.layers import Paper, Part, drawn
from moderator.render.boards.paper import text

STEP = 48
"""Side of a square; a board of ten columns is 522 wide."""
WIDE = 12
"""From more columns on labels and letters fill their squares better, because a phone shows them smaller."""
LEFT, TOP, RIGHT, BOTTOM = 30, 30, 12, 12
INSET = 3.5
LIP = 2.4
"""How far each covered tile shows below its cover."""


@dataclass(frozen=True)
class Sheet:
    """The part of the board that is shown: names of its columns and rows."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]

    @property
    def wide(self) -> bool:
        return len(self.columns) > WIDE


def sheet(*scenes: Grid) -> Sheet:
    """One that holds all these moments of a board."""
    columns, rows = scenes[0].columns, scenes[0].rows
    for scene in scenes[1:]:
        columns, rows = _joined(columns, scene.columns), _joined(rows, scene.rows)
    return Sheet(columns, rows)


def _joined(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Two stretches of the same names in a row, which overlap."""
    if other[0] not in one:
        one, other = other, one
    start = one.index(other[0])
    return one[:start] + max(one[start:], other, key=len)


def paper(sheet: Sheet) -> Paper:
    return Paper(LEFT + STEP * len(sheet.columns) + RIGHT, TOP + STEP * len(sheet.rows) + BOTTOM)


def width(scene: Grid) -> int:
    """Width of the picture in css pixels."""
    return round(paper(sheet(scene)).width)


@lru_cache(maxsize=128)
def svg(scene: Grid, title: str = "", description: str = "") -> str:
    """The scene as an SVG document. ``title`` and ``description`` are for those who hear it."""
    own = sheet(scene)
    return drawn(paper(own), parts(scene, own), title, description)


def parts(scene: Grid, sheet: Sheet) -> Iterator[Part]:
    """The scene as it stands on a sheet that holds it."""
    dx, dy = sheet.columns.index(scene.columns[0]), sheet.rows.index(scene.rows[0])
    yield Part("ground", _labels(sheet))
    yield from (Part("ground", _tint(x + dx, y + dy)) for x, y in sorted(scene.shaded))
    yield Part("ground", _lines(sheet))
    yield from (Part("word", _word((x0 + dx, y0 + dy, x1 + dx, y1 + dy))) for x0, y0, x1, y1 in scene.words)
    for cell in _in_order(scene.cells):
        x, y = LEFT + STEP * (cell.x + dx) + INSET, TOP + STEP * (cell.y + dy) + INSET
        yield Part("tile", _tile(cell, x, y, sheet.wide))
        if cell.fresh:
            yield Part("fresh", _face(x, y, _side(cell), cell, "none", theme.LAST, 4.0))


def _in_order(cells: Sequence[Cell]) -> list[Cell]:
    return sorted(cells, key=lambda cell: (cell.y, cell.x))


def _labels(scene: Sheet) -> str:
    size = 22 if scene.wide else 16
    style = f'font-size="{size}" fill="{theme.LABEL}"'
    top = (
        f'<text x="{LEFT + STEP * x + STEP / 2:g}" y="{TOP - 9}" {style}>{text(name)}</text>'
        for x, name in enumerate(scene.columns)
    )
    side = (
        f'<text x="{LEFT / 2:g}" y="{TOP + STEP * y + STEP / 2 + size * 0.375:g}" {style}>{text(name)}</text>'
        for y, name in enumerate(scene.rows)
    )
    return "".join((*top, *side))


def _tint(x: int, y: int) -> str:
    """A tinted square (with a dot, for eyes and printers without colour)."""
    return (
        f'<rect x="{LEFT + STEP * x}" y="{TOP + STEP * y}" width="{STEP}" height="{STEP}" fill="{theme.CENTRE}"/>'
        f'<circle cx="{LEFT + STEP * x + STEP / 2:g}" cy="{TOP + STEP * y + STEP / 2:g}" r="3.5" '
        f'fill="{theme.CENTRE_MARK}"/>'
    )


def _lines(scene: Sheet) -> str:
    """Between the squares."""
    across, down = len(scene.columns), len(scene.rows)
    lines = "".join(f"M{LEFT + STEP * i} {TOP}v{STEP * down}" for i in range(across + 1))
    lines += "".join(f"M{LEFT} {TOP + STEP * i}h{STEP * across}" for i in range(down + 1))
    return f'<path d="{lines}" stroke="{theme.GRID}" stroke-width="1.2" fill="none"/>'


def _word(run: tuple[int, int, int, int]) -> str:
    """The dashed frame of a word that the last move formed, a little larger than its squares."""
    x0, x1 = sorted((run[0], run[2]))
    y0, y1 = sorted((run[1], run[3]))
    return (
        f'<rect x="{LEFT + STEP * x0 - 1}" y="{TOP + STEP * y0 - 1}" width="{STEP * (x1 - x0 + 1) + 2}" '
        f'height="{STEP * (y1 - y0 + 1) + 2}" rx="7" fill="{theme.FIELD}" stroke="{theme.LAST}" stroke-width="2" '
        'stroke-dasharray="6 4"/>'
    )


def _lips(cell: Cell) -> int:
    """How many covered tiles show."""
    return min(cell.height, 6) - 1


def _side(cell: Cell) -> float:
    return STEP - 2 * INSET - LIP * _lips(cell)


def _tile(cell: Cell, left: float, top: float, wide: bool) -> str:
    """One stack: the lips of the covered tiles, the face on top, its letter, from height 2 on the number."""
    size = _side(cell)
    faces = "".join(
        _face(left + LIP * n, top + LIP * n, size, cell, theme.tile_colour(cell.height - n))
        for n in range(_lips(cell), -1, -1)
    )
    return faces + _letter(cell, left, top, size, wide)


def _face(x: float, y: float, size: float, cell: Cell, fill: str, stroke: str = theme.EDGE, width: float = 1.3) -> str:
    radius = size / 2 if cell.shape == "round" else 2 if cell.shape == "square" else 6
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}" rx="{radius:g}" fill="{fill}" '
        f'stroke="{stroke}" stroke-width="{width:g}"/>'
    )


def _letter(cell: Cell, left: float, top: float, size: float, wide: bool) -> str:
    ink = theme.VOWEL if cell.shape == "round" else theme.INK
    stacked = cell.height > 1
    tall = ((34 if wide else 28) if len(cell.letter) < 2 else 20) - (min(cell.height, 6) - 1)
    x = left + size / 2 - (5.5 if stacked else 0)
    y = top + size / 2 + tall * 0.36 - (2 if stacked else 0)
    outline = f'fill="none" stroke="{ink}" stroke-width="2"' if cell.joker else f'fill="{ink}"'
    parts = f'<text x="{x:g}" y="{y:g}" font-size="{tall}" {outline}>'
    parts += f"{text(cell.letter)}</text>"
    if stacked:
        parts += (
            f'<text x="{left + size - 8:g}" y="{top + size - 4.5:g}" font-size="15" fill="{theme.INK}">'
            f"{cell.height}</text>"
        )
    if cell.joker:
        parts += _star(left + size - 9, top + 9, ink)
    return parts


def _star(x: float, y: float, ink: str) -> str:
    """A small star, drawn: the font has none."""
    points = ((0, -6), (1.5, -2), (5.8, -1.9), (2.4, 0.9), (3.5, 5), (0, 2.6), (-3.5, 5), (-2.4, 0.9), (-5.8, -1.9))
    path = " ".join(f"{x + dx:g},{y + dy:g}" for dx, dy in (*points, (-1.5, -2)))
    return f'<polygon points="{path}" fill="{ink}"/>'
