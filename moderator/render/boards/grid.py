"""Squares with tiles, in every form: SVG, characters in fixed columns, lines for everything else, an HTML table.

A picture is made of parts that lie above each other, so that pictures of several moments can share what they have in
common: the archive steps through a match by showing and hiding parts of one picture. Every picture begins with an
opaque canvas (a transparent corner turns black where a mail program flattens it), the font, a title and a description
for those who hear it.

Drawn by plain functions that return strings: 0.1 ms a board. The picture is for a width of 340 css pixels on a
phone: letters of 18, heights of 10, labels of 11 pixels there. Mail programs on phones show plain text in a
proportional font, where columns fall apart; the lines row by row are for them and for screen readers, the table is
for those who hide pictures."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from math import floor
from typing import Final, Literal, get_args

from moderator.language.messages import render_label
from moderator.render import theme
from moderator.render.text import WIDTH
from moderator.rules.game import FENCE, Cell, Grid

# ---- as a picture ----


FONT = "Noto Sans,DejaVu Sans,Segoe UI,Roboto,Helvetica,Arial,sans-serif"


def render_svg_opening(
    width: float, height: float, title: str = "", description: str = "", left: float = 0, top: float = 0
) -> str:
    """Return ``<svg>`` up to its ground, ``width`` × ``height`` css pixels; ``left``, ``top``: coordinates of its
    corner. Letters are bold and centred unless an element says otherwise. The caller closes it with ``</svg>``."""
    return "".join(
        (
            render_svg_tag(width, height, left, top, 'role="img" '),
            f"<title>{escape_svg_text(title)}</title>" if title else "",
            f"<desc>{escape_svg_text(description)}</desc>" if description else "",
            f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" fill="{theme.GROUND}"/>',
        )
    )


def render_svg_tag(width: float, height: float, left: float, top: float, more: str = "") -> str:
    """Return ``<svg>`` without a ground, with the type of all boards. ``more``: further attributes."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="{left:g} {top:g} {width:g} {height:g}" {more}font-family="{FONT}" font-weight="700" '
        'text-anchor="middle">'
    )


def escape_svg_text(words: str) -> str:
    """Return the text escaped, and without the control characters that XML cannot hold."""
    return escape("".join(c for c in words if c >= " "))


Layer = Literal["defs", "ground", "word", "tile", "fresh", "sign"]
LAYERS: Final[tuple[Layer, ...]] = ("ground", "word", "tile", "fresh", "sign")
"""From the lowest to the highest: what is printed on the canvas, grounds of the words just formed, the tiles, frames of
those that were laid last, signs on them. ``defs`` are drawings that tiles refer to."""


Mark = Literal[
    "fresh", "word", "centre", "red", "height", "value", "joker",
    "spinner", "end", "triple", "place", "single", "jump", "head",
]  # fmt: skip
"""Signs in pictures; ``mark-<name>`` says what each means."""
MARKS: Final[tuple[Mark, ...]] = get_args(Mark)
"""In the order in which they are explained."""


Box = tuple[float, float, float, float]
"""Left, top, right, bottom in css pixels."""


@dataclass(frozen=True)
class Shape:
    """A piece of a picture. The same tile at the same place is always the same part."""

    layer: Layer
    svg: str
    """Drawn from its own origin, which is ``at``."""
    box: Box = (0, 0, 0, 0)
    """Nothing of it is drawn outside, from its own origin too. Of ``defs``, which are drawn elsewhere, no matter."""
    at: tuple[float, float] = (0, 0)
    marks: tuple[Mark, ...] = ()
    """What of it is a sign that must be explained beneath the picture."""

    @property
    def element(self) -> str:
        """The SVG element at its place."""
        x, y = self.at
        return f'<g transform="translate({x:g} {y:g})">{self.svg}</g>' if (x, y) != (0, 0) else self.svg


@dataclass(frozen=True)
class Paper:
    """Size of a picture and coordinates of its corner, in css pixels."""

    width: float
    height: float
    left: float = 0
    top: float = 0
    unit: float = 1
    """Of what repeats; in a mail it is a whole number of css pixels wide, so that equal tiles have equal pixels."""


LARGEST = 0.72
"""Of what is drawn on paper: a square of 34 css pixels, as large as a tile on the bench."""


@dataclass(frozen=True)
class Crop:
    """The room that a mail has for a picture, in css pixels: it is cut to what lies and drawn as large as fits."""

    width: int
    height: int
    largest: float = LARGEST

    def compute_zoom(self, paper: Paper) -> float:
        """Return how much smaller than on the paper the picture is."""
        room = min(self.largest, self.width / paper.width, self.height / paper.height)
        return floor(paper.unit * room) / paper.unit


def render_svg_document(paper: Paper, parts: Iterable[Shape], title: str = "", description: str = "") -> str:
    """Return the SVG document of the shapes, layer by layer."""
    of: dict[Layer, list[str]] = {}
    for part in parts:
        of.setdefault(part.layer, []).append(part.element)
    defs = "".join(of.get("defs", ()))
    return "".join(
        (
            render_svg_opening(paper.width, paper.height, title, description, paper.left, paper.top),
            f"<defs>{defs}</defs>" if defs else "",
            *(svg for layer in LAYERS for svg in of.get(layer, ())),
            "</svg>",
        )
    )


def build_square_around(x: float, y: float, reach: float) -> Box:
    """Return the square whose sides are ``reach`` away from a point."""
    return x - reach, y - reach, x + reach, y + reach


STEP = 48
"""Side of a square; a board of ten columns is 522 wide."""
ROOMY = 30
"""Css pixels of a square from which on two squares are shown around what lies."""
WIDE = 12
"""From more columns on labels and letters fill their squares better, because a phone shows them smaller."""
LEFT, TOP, RIGHT, BOTTOM = 30, 30, 12, 12
INSET = 3.5
LIP = 2.4
"""How far each covered tile shows below its cover."""
TILE = (-3, -3, STEP, STEP)
"""Room of a tile and its frame, from its corner."""


@dataclass(frozen=True)
class GridCanvas:
    """The part of the board that is shown: names of its columns and rows."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]

    @property
    def is_wide(self) -> bool:
        return max(len(self.columns), len(self.rows)) > WIDE


def fit_canvas(*scenes: Grid) -> GridCanvas:
    """Return a canvas that holds all these moments of a board."""
    columns, rows = scenes[0].columns, scenes[0].rows
    for scene in scenes[1:]:
        columns, rows = _join_names(columns, scene.columns), _join_names(rows, scene.rows)
    return GridCanvas(columns, rows)


def _join_names(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Join two overlapping stretches of the same row of names."""
    if other[0] not in one:
        one, other = other, one
    start = one.index(other[0])
    return one[:start] + max(one[start:], other, key=len)


cut_canvas = fit_canvas
"""Squares are cut away from the scene itself, for the picture and the text alike."""


def cut_grid(scene: Grid, crop: Crop) -> Grid:
    """Return the part of the board on which something lies, with two squares around it, or one where the squares would
    be small; of an empty board its middle."""
    wide, close = (_cut_around(scene, squares) for squares in (2, 1))
    return wide if crop.compute_zoom(measure_paper(fit_canvas(wide))) * STEP >= ROOMY else close


def _cut_around(scene: Grid, squares: int) -> Grid:
    """Return the board with so many squares around what lies, within its edge."""
    lying = {(cell.x, cell.y) for cell in scene.cells} or scene.shaded
    if not lying:
        return scene
    xs, ys = zip(*lying, strict=True)
    left, top = max(0, min(xs) - squares), max(0, min(ys) - squares)
    columns, rows = scene.columns[left : max(xs) + squares + 1], scene.rows[top : max(ys) + squares + 1]
    shaded = {(x - left, y - top) for x, y in scene.shaded}
    return replace(
        scene,
        columns=columns,
        rows=rows,
        cells=tuple(replace(cell, x=cell.x - left, y=cell.y - top) for cell in scene.cells),
        shaded=frozenset((x, y) for x, y in shaded if 0 <= x < len(columns) and 0 <= y < len(rows)),
        words=tuple((x0 - left, y0 - top, x1 - left, y1 - top) for x0, y0, x1, y1 in scene.words),
    )


def measure_paper(canvas: GridCanvas) -> Paper:
    return Paper(LEFT + STEP * len(canvas.columns) + RIGHT, TOP + STEP * len(canvas.rows) + BOTTOM, unit=STEP)


def iter_shapes(scene: Grid, canvas: GridCanvas) -> Iterator[Shape]:
    """Yield the scene as it stands on a canvas that holds it."""
    dx, dy = canvas.columns.index(scene.columns[0]), canvas.rows.index(scene.rows[0])
    size = 22 if canvas.is_wide else 16
    for x, name in enumerate(canvas.columns):
        yield _render_label(name, size, LEFT + STEP * (x + 0.5), TOP - 9)
    for y, name in enumerate(canvas.rows):
        yield _render_label(name, size, LEFT / 2, TOP + STEP * (y + 0.5) + size * 0.375)
    yield from (_render_tinted_square(x + dx, y + dy) for x, y in sorted(scene.shaded))
    across, down = STEP * len(canvas.columns), STEP * len(canvas.rows)
    for x in range(LEFT, LEFT + across + 1, STEP):
        line = f'<rect x="-0.6" y="0" width="1.2" height="{down}" fill="{theme.GRID}"/>'
        yield Shape("ground", line, (-2, 0, 2, down), (x, TOP))
    for y in range(TOP, TOP + down + 1, STEP):
        line = f'<rect x="0" y="-0.6" width="{across}" height="1.2" fill="{theme.GRID}"/>'
        yield Shape("ground", line, (0, -2, across, 2), (LEFT, y))
    for x0, y0, x1, y1 in scene.words:
        yield from _iter_word_shapes((x0 + dx, y0 + dy, x1 + dx, y1 + dy))
    for cell in sorted(scene.cells, key=lambda cell: (cell.y, cell.x)):
        at = LEFT + STEP * (cell.x + dx) + INSET, TOP + STEP * (cell.y + dy) + INSET
        yield Shape("tile", _render_tile(cell, canvas.is_wide), TILE, at, tuple(_iter_tile_signs(cell)))
        if cell.fresh:
            yield Shape(
                "fresh",
                _render_face(0, 0, _compute_face_side(cell), cell, "none", theme.LAST, 4.0),
                TILE,
                at,
                ("fresh",),
            )


def _iter_tile_signs(cell: Cell) -> Iterator[Mark]:
    """Yield the signs that the tile shows besides its letter."""
    if cell.shape == "round":
        yield "red"
    if cell.height > 1:
        yield "height"
    if cell.value is not None:
        yield "value"
    if cell.joker:
        yield "joker"


def _render_label(name: str, size: int, x: float, y: float) -> Shape:
    label = f'<text x="0" y="0" font-size="{size}" fill="{theme.LABEL}">{escape_svg_text(name)}</text>'
    return Shape("ground", label, (-LEFT / 2, -size, LEFT / 2, size / 2), (x, y))


def _render_tinted_square(x: int, y: int) -> Shape:
    """Draw a tinted square (with a dot, for eyes and printers without colour)."""
    square = (
        f'<rect width="{STEP}" height="{STEP}" fill="{theme.CENTRE}"/>'
        f'<circle cx="{STEP / 2:g}" cy="{STEP / 2:g}" r="3.5" fill="{theme.CENTRE_MARK}"/>'
    )
    return Shape("ground", square, (0, 0, STEP, STEP), (LEFT + STEP * x, TOP + STEP * y), ("centre",))


def _iter_word_shapes(run: tuple[int, int, int, int]) -> Iterator[Shape]:
    """Yield the ground and the dashed frame of a word that the last move formed, a little larger than its squares. Its
    sides are shapes of their own: what resvg takes depends on the area."""
    x0, x1 = sorted((run[0], run[2]))
    y0, y1 = sorted((run[1], run[3]))
    across, down = STEP * (x1 - x0 + 1), STEP * (y1 - y0 + 1)
    left, top = LEFT + STEP * x0, TOP + STEP * y0
    ground = f'<rect width="{across}" height="{down}" fill="{theme.FIELD}"/>'
    yield Shape("word", ground, (0, 0, across, down), (left, top), ("word",))
    style = f'fill="none" stroke="{theme.LAST}" stroke-width="2" stroke-dasharray="6 4"'
    for y in (top - 1, top + down + 1):
        yield Shape("word", f'<path d="M-2 0h{across + 4}" {style}/>', (-3, -3, across + 3, 3), (left, y), ("word",))
    for x in (left - 1, left + across + 1):
        yield Shape("word", f'<path d="M0 -2v{down + 4}" {style}/>', (-3, -3, 3, down + 3), (x, top), ("word",))


def _count_lips(cell: Cell) -> int:
    """Return the number of covered tiles that show."""
    return min(cell.height, 6) - 1


def _compute_face_side(cell: Cell) -> float:
    return STEP - 2 * INSET - LIP * _count_lips(cell)


def _render_tile(cell: Cell, wide: bool) -> str:
    """Draw one stack: the lips of the covered tiles, the face on top, its letter, the height from 2 on or the letter's
    value."""
    size = _compute_face_side(cell)
    faces = "".join(
        _render_face(LIP * n, LIP * n, size, cell, theme.get_height_colour(cell.height - n))
        for n in range(_count_lips(cell), -1, -1)
    )
    return faces + _render_letter(cell, size, wide)


def _render_face(
    x: float, y: float, size: float, cell: Cell, fill: str, stroke: str = theme.EDGE, width: float = 1.3
) -> str:
    radius = size / 2 if cell.shape == "round" else 2 if cell.shape == "square" else 6
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}" rx="{radius:g}" fill="{fill}" '
        f'stroke="{stroke}" stroke-width="{width:g}"/>'
    )


def _render_letter(cell: Cell, size: float, wide: bool) -> str:
    ink = theme.VOWEL if cell.shape == "round" else theme.INK
    number = cell.height if cell.height > 1 else cell.value
    stacked = number is not None
    tall = ((31 if wide else 28) if len(cell.letter) < 2 else 20) - (min(cell.height, 6) - 1)
    x = size / 2 - (5.5 if stacked else 0)
    y = size / 2 + tall * 0.36 - (2 if stacked else 0)
    outline = f'fill="none" stroke="{ink}" stroke-width="2"' if cell.joker else f'fill="{ink}"'
    parts = f'<text x="{x:g}" y="{y:g}" font-size="{tall}" {outline}>'
    parts += f"{escape_svg_text(cell.letter)}</text>"
    if stacked:
        style = f'font-size="{20 if wide else 15}" fill="{theme.INK}"'
        parts += f'<text x="{size - 8:g}" y="{size - 4.5:g}" {style}>{number}</text>'
    if cell.joker:
        parts += _render_star(size - 9, 9, ink)
    return parts


def _render_star(x: float, y: float, ink: str) -> str:
    """Draw a small star: the font has none."""
    points = ((0, -6), (1.5, -2), (5.8, -1.9), (2.4, 0.9), (3.5, 5), (0, 2.6), (-3.5, 5), (-2.4, 0.9), (-5.8, -1.9))
    path = " ".join(f"{x + dx:g},{y + dy:g}" for dx, dy in (*points, (-1.5, -2)))
    return f'<polygon points="{path}" fill="{ink}"/>'


# ---- in characters and in words ----


@lru_cache(maxsize=64)
def render_grid_characters(scene: Grid) -> tuple[str, ...]:
    """Return lines of at most 62 columns: `` R3 `` a stack of three, ``[R3]`` laid by the last move, ``+`` the centre.

    Returns () when the board is too wide even with narrow squares; then only the description by row is left."""
    margin = max((len(name) for name in scene.rows), default=0) + 1
    step = next((n for n in (4, 3) if margin + 1 + n * len(scene.columns) <= WIDTH), 0)
    if not step:
        return ()
    tiles = {(cell.x, cell.y): cell for cell in scene.cells}
    head = " " * margin + "".join(f" {name:<{step - 1}}" for name in scene.columns)
    lines = [head]
    for y, name in enumerate(scene.rows):
        squares = (_format_square(tiles.get((x, y)), (x, y) in scene.shaded, step) for x in range(len(scene.columns)))
        lines.append(f"{name:>{margin - 1}}{FENCE}" + "".join(squares))
    return tuple(line.rstrip() for line in lines)


def _format_square(cell: Cell | None, shaded: bool, step: int) -> str:
    if cell is None:
        return f" {'+' if shaded else '.'}".ljust(step)
    mark = format_cell_name(cell)[: step - 1]
    return f"[{mark}]".ljust(step) if cell.fresh and len(mark) < step - 1 else f" {mark}".ljust(step)


def format_cell_name(cell: Cell) -> str:
    """Return ``R3``: the letter, from height 2 on with the height; ``*R`` where a joker stands for it."""
    return (
        ("*" if cell.joker else "")
        + unicodedata.normalize("NFC", cell.letter)
        + (str(cell.height) if cell.height > 1 else "")
    )


def iter_tile_runs(scene: Grid) -> Iterator[tuple[str, str, str]]:
    """Yield (row, first column, tiles) of every unbroken run, top to bottom, e.g. ("5", "D", "R3 Ü H L E")."""
    tiles = {(cell.x, cell.y): cell for cell in scene.cells}
    for y, row in enumerate(scene.rows):
        start: int | None = None
        for x in range(len(scene.columns) + 1):
            if start is None and (x, y) in tiles:
                start = x
            elif start is not None and (x, y) not in tiles:
                yield row, scene.columns[start], " ".join(format_cell_name(tiles[i, y]) for i in range(start, x))
                start = None


def format_square_name(scene: Grid, x: int, y: int) -> str:
    """Return ``E5``, or ``5E`` in games that write the row first."""
    column, row = scene.columns[x], scene.rows[y]
    return row + column if scene.row_first else column + row


@lru_cache(maxsize=64)
def describe_lines(scene: Grid, language: str) -> tuple[str, ...]:
    """Return ``Reihe 8 ab D: T2, ab H: E I4 S``: one line for each row that is not empty."""
    rows: dict[str, list[str]] = {}
    for row, column, tiles in iter_tile_runs(scene):
        rows.setdefault(row, []).append(render_label("row-run", language, column=column, tiles=tiles))
    return tuple(render_label("row-line", language, row=row, runs=found) for row, found in rows.items())


@lru_cache(maxsize=128)
def describe_scene(scene: Grid, language: str, last: str = "") -> str:
    """Describe the board: size, last move (``last``, a sentence), new tiles with their squares, heights from two on,
    all that lies row by row."""
    parts = [render_label("alt-size", language, columns=len(scene.columns), rows=len(scene.rows))]
    if last:
        parts.append(render_label("alt-last", language, what=last))
    cells = sorted(scene.cells, key=lambda cell: (cell.y, cell.x))
    fresh = [
        f"{'*' * cell.joker}{cell.letter} {format_square_name(scene, cell.x, cell.y)}" for cell in cells if cell.fresh
    ]
    if fresh:
        parts.append(render_label("alt-fresh", language, tiles=fresh))
    stacks = [
        f"{format_square_name(scene, cell.x, cell.y)} {format_cell_name(cell)}" for cell in cells if cell.height > 1
    ]
    if stacks:
        parts.append(render_label("alt-heights", language, stacks=stacks))
    if not cells:
        parts.append(render_label("alt-empty", language))
    return " ".join((*parts, *(f"{line}." for line in describe_lines(scene, language))))


# ---- as an HTML table ----


_BASE = "text-align:center;padding:0;"


@lru_cache(maxsize=128)
def render_grid_table(scene: Grid, alt: str = "") -> str:
    """Return one ``<table>``, at most 20 kB for 10 by 10, readable at 390 px. ``describe_scene`` becomes its spoken
    label."""
    tiles = {(cell.x, cell.y): cell for cell in scene.cells}
    in_words = {
        (x, y)
        for x0, y0, x1, y1 in scene.words
        for x in range(min(x0, x1), max(x0, x1) + 1)
        for y in range(min(y0, y1), max(y0, y1) + 1)
    }
    head = "".join(f"<td>{escape(name)}</td>" for name in scene.columns)
    rows = []
    for y, row in enumerate(scene.rows):
        squares = "".join(
            _render_table_square(tiles.get((x, y)), (x, y) in scene.shaded, (x, y) in in_words)
            for x in range(len(scene.columns))
        )
        label = f'<td style="{_BASE}color:{theme.LABEL};font-size:13px">{escape(row)}{FENCE}</td>'
        rows.append(f'<tr height="32">{label}{squares}</tr>')
    return (
        f'<table aria-label="{escape(alt)}" width="100%" cellspacing="0" cellpadding="0" bgcolor="{theme.GROUND}" '
        f'style="max-width:498px;table-layout:fixed;border-collapse:collapse;background:{theme.GROUND};'
        f'color:{theme.INK};font:bold 17px/1.1 Arial,Helvetica,sans-serif">'
        f'<tr height="24" style="font-size:13px;color:{theme.LABEL};{_BASE}"><td width="7%"></td>{head}</tr>'
        f"{''.join(rows)}</table>"
    )


def _render_table_square(cell: Cell | None, shaded: bool, in_word: bool) -> str:
    """Return a bordered square; laid by the last move: thick frame; part of a formed word: tinted field."""
    if cell is None:
        ground, content = (theme.CENTRE, "+") if shaded else ("", "")
        style = f"border:1px solid {theme.GRID};" + (
            f"background:{ground};color:{theme.CENTRE_MARK};" if shaded else ""
        )
        return f'<td style="{_BASE}{style}">{content or "&nbsp;"}</td>'
    ground = theme.FIELD if in_word and cell.height == 1 and not cell.fresh else theme.get_height_colour(cell.height)
    frame = f"3px solid {theme.LAST}" if cell.fresh else f"1px solid {theme.EDGE}"
    if in_word and not cell.fresh:
        frame = f"1px dashed {theme.LAST}"
    ink = f"color:{theme.VOWEL};" if cell.shape == "round" else ""
    height = f'<sub style="font-size:11px">{cell.height}</sub>' if cell.height > 1 else ""
    letter = ("*" if cell.joker else "") + escape(cell.letter)
    return f'<td bgcolor="{ground}" style="{_BASE}{ink}background:{ground};border:{frame}">{letter}{height}</td>'
