"""SVG to PNG with the bundled font only; boards are put together from parts.

resvg leaves a letter blank, without any error, when the font is missing or has no such letter. A player would
then get a board with holes in it, so both are checked here and refused before a mail is made.

What resvg takes goes by the area that it draws, and a letter costs it as much as a tile. So a board is put together
from pieces that are the same on many tiles, each drawn once: empty tiles, pips, faces by resvg, all that are new on one
canvas; letters and plain grounds by Pillow, which lays them on the paper and writes the picture with the few colours
that its shapes have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from io import BytesIO
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING

from moderator.common.errors import OperatorError
from moderator.render import theme
from moderator.render.boards.grid import LAYERS, Box, Paper, Shape, render_svg_tag

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont


FOLDER = Path(__file__).with_name("fonts")
FONT_FILE = FOLDER / "NotoSans-Bold-subset.ttf"
FAMILY = "Noto Sans"
ZOOM = 2
"""Pixels per css pixel: sharp on a phone."""


@cache
def load_font_characters() -> frozenset[str]:
    """Return the characters that the bundled font can draw, from ``fonts/covered.txt``."""
    points: set[str] = set()
    for entry in (FOLDER / "covered.txt").read_text(encoding="ascii").split():
        first, _, last = entry.partition("-")
        points.update(map(chr, range(int(first, 16), int(last or first, 16) + 1)))
    return frozenset(points)


def check_glyphs(text: str) -> None:
    """Check that no character of ``text`` would be left blank in a picture. Raises OperatorError."""
    missing = sorted({c for c in text if c not in load_font_characters()})
    if missing:
        named = ", ".join(f"{c!r} (U+{ord(c):04X})" for c in missing)
        raise OperatorError(
            f"A glyph would come out blank: the font of the pictures has no {named}.",
            "Set the players' board to text; the game's scene has to use other signs (docs/contract.md lists them).",
        )


@lru_cache(maxsize=64)
def render_png(svg: str) -> bytes:
    """Return the picture as PNG bytes, at twice its css size. Made once per picture, not once per reader.

    Boards are put together from their parts instead (``compose_board_png``). Raises OperatorError for a letter that
    would be blank or when the picture cannot be drawn."""
    return render_png_uncached(svg)


def render_png_uncached(svg: str) -> bytes:
    """Return the picture as PNG bytes as ``render_png`` does, without caching it. Raises OperatorError."""
    check_glyphs(_extract_drawn_text(svg))
    return _render_pixels(svg)


def _extract_drawn_text(svg: str) -> str:
    """Return the text that is drawn (title and description are only spoken)."""
    import re
    from html import unescape

    return unescape("".join(re.findall(r"<text\b[^>]*>([^<]*)</text>", svg)))


def _render_pixels(svg: str) -> bytes:
    import resvg_py

    if not FONT_FILE.is_file():
        raise OperatorError(f"The font of the pictures is missing: {FONT_FILE.name}.", "Install moderator again.")
    try:
        data = resvg_py.svg_to_bytes(
            svg_string=svg,
            skip_system_fonts=True,
            font_files=[str(FONT_FILE)],
            font_family=FAMILY,
            sans_serif_family=FAMILY,
            zoom=ZOOM,
        )
    except ValueError as error:
        raise OperatorError(f"A board could not be drawn: {error}.", "Report this; set the board to text.") from error
    return bytes(data)


def check_font() -> None:
    """Check the font: «Ä» is drawn and compared with an empty picture. Raises OperatorError if no letter shows."""
    frame = '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"><rect width="24" height="24" fill="#fff"/>'
    letter = f'<text x="4" y="20" font-size="20" font-weight="700" font-family="{FAMILY}" fill="#000">Ä</text>'
    if _render_pixels(frame + letter + "</svg>") == _render_pixels(frame + "</svg>"):
        raise OperatorError(
            "Letters come out blank: a glyph would come out blank in every picture.",
            "Install moderator again (its font or resvg-py is damaged), or set the players' board to text.",
        )


# ---- a board, put together from pieces that were drawn before ----


CANVAS = 512
"""Pixels across the canvas on which new pieces are drawn."""
MOST = 2000
"""Pieces at hand; a tile takes 20 kB, a letter 4 kB."""
BLENDS = 2
"""Steps from an ink to what it is drawn on, for the edges of letters and lines."""
GROUNDS = frozenset((theme.GROUND, theme.CENTRE, theme.FIELD, *theme.HEIGHTS))
"""What is drawn on."""
_USE = re.compile(r'<use href="#([^"]+)"(?: x="([-\d.]+)" y="([-\d.]+)")?/>')
_MOVED = re.compile(r'<g transform="translate\(([-\d.]+) ([-\d.]+)\)">(.*)</g>')
_TEXT = re.compile(
    r'<text x="([-\d.]+)" y="([-\d.]+)" font-size="([\d.]+)"( text-anchor="start")? fill="(#\w+)">([^<]*)</text>'
)
_DOT = re.compile(r'<circle cx="([-\d.]+)" cy="([-\d.]+)" (r="([\d.]+)" fill="#\w+"/>)')
_FILL = re.compile(r'<rect width="([\d.]+)" height="([\d.]+)" fill="(#\w+)"/>')
_DRAWS = re.compile(r"<(?!/?g\b)")
"""An element that draws something, and not only holds others."""
_COLOUR = re.compile(r"#[0-9A-F]{6}")


@dataclass(frozen=True)
class Drawing:
    """A drawing as pixels; the same wherever it lies, if only its origin is as far from a pixel's corner."""

    svg: str
    box: Box
    zoom: float
    """Pixels per css pixel."""
    x: float = 0
    y: float = 0
    """How far its origin lies right of and below a pixel's corner, in parts of a pixel."""

    @property
    def corner(self) -> tuple[int, int]:
        """The pixel at which it begins, counted from that of its origin."""
        return floor(self.box[0] * self.zoom + self.x), floor(self.box[1] * self.zoom + self.y)

    @property
    def size(self) -> tuple[int, int]:
        left, top = self.corner
        return ceil(self.box[2] * self.zoom + self.x) - left, ceil(self.box[3] * self.zoom + self.y) - top


@dataclass(frozen=True)
class Letters:
    """A text in one colour, which Pillow draws in a tenth of the time that resvg takes."""

    text: str
    tall: float
    """Pixels."""
    colour: str
    anchor: str
    """Of Pillow."""


@dataclass(frozen=True)
class Fill:
    """A ground in one colour."""

    across: int
    """Pixels, as ``down``."""
    down: int
    colour: str


@dataclass(frozen=True)
class Sprite:
    """A piece that was drawn."""

    image: Image
    left: int
    """Pixels from its origin, as ``top``."""
    top: int


@dataclass(frozen=True)
class _SplitShape:
    """A shape taken apart into what is the same on many tiles."""

    rest: str
    used: tuple[tuple[float, float, str], ...]
    """Place and name of each drawing that it refers to."""
    dots: tuple[tuple[float, float, str, float], ...]
    """Place and radius of each, and the dot around its own origin."""
    texts: tuple[tuple[float, float, Letters], ...]
    fills: tuple[tuple[float, float, str], ...]


_DRAWN: dict[Drawing | Letters, Sprite] = {}


def compose_board_png(paper: Paper, parts: Sequence[Shape], zoom: float = 1) -> bytes:
    """Return the board as PNG, ``zoom`` times as large as on paper, ``ZOOM`` pixels per css pixel. Raises OperatorError
    for a letter that would be blank."""
    from PIL import Image

    size = ZOOM * round(paper.width * zoom), ZOOM * round(paper.height * zoom)
    zoom *= ZOOM
    placed = list(_iter_placed_pieces(paper, parts, zoom))
    new = {piece for piece, _, _ in placed} - _DRAWN.keys()
    _render_new_drawings({piece for piece in new if isinstance(piece, Drawing)})
    _render_new_letters({piece for piece in new if isinstance(piece, Letters)})
    whole = Image.new("RGB", size, theme.GROUND)
    for piece, x, y in placed:
        if isinstance(piece, Fill):
            whole.paste(piece.colour, (x, y, x + piece.across, y + piece.down))
            continue
        drawn = _DRAWN[piece]
        whole.paste(drawn.image, (x + drawn.left, y + drawn.top), drawn.image)
    while len(_DRAWN) > MOST:
        del _DRAWN[next(iter(_DRAWN))]
    return _encode_png(whole, frozenset().union(*(_list_colours(part.svg) for part in parts)))


def _iter_placed_pieces(
    paper: Paper, parts: Sequence[Shape], zoom: float
) -> Iterator[tuple[Drawing | Letters | Fill, int, int]]:
    """Yield the pieces from the lowest to the highest, each with the pixel of its origin."""
    drawings = {_get_drawing_id(part.svg): part for part in parts if part.layer == "defs"}
    for part in (part for layer in LAYERS for part in parts if part.layer == layer):
        x, y = round((part.at[0] - paper.left) * zoom), round((part.at[1] - paper.top) * zoom)
        split = _split_shape(part.svg)
        for across, down, colour in split.fills:
            yield Fill(round(across * zoom), round(down * zoom), colour), x, y
        if split.rest:
            yield Drawing(split.rest, part.box, zoom), x, y
        for dx, dy, dot, radius in split.dots:
            right, down = (round(place * zoom * 4) / 4 for place in (dx, dy))
            left, top = floor(right), floor(down)
            yield Drawing(dot, (-radius, -radius, radius, radius), zoom, right - left, down - top), x + left, y + top
        texts = split.texts
        for dx, dy, name in _list_used(drawings, split):
            face = _split_shape(drawings[name].svg)
            if face.rest:
                yield Drawing(face.rest, drawings[name].box, zoom), x + round(dx * zoom), y + round(dy * zoom)
            texts += face.texts
        for dx, dy, letters in texts:
            yield replace(letters, tall=letters.tall * zoom), x + round(dx * zoom), y + round(dy * zoom)


def _list_used(drawings: Mapping[str, Shape], split: _SplitShape) -> list[tuple[float, float, str]]:
    """List the drawings that a shape refers to, each followed by those that it refers to itself."""
    found = []
    for x, y, name in split.used:
        inner = _split_shape(drawings[name].svg).used
        found += [(x, y, name), *((x + dx, y + dy, one) for dx, dy, one in inner)]
    return found


def _get_drawing_id(drawing: str) -> str:
    found = re.search(r'id="([^"]+)"', drawing)
    assert found, "a drawing that nothing can refer to"
    return found[1]


@lru_cache(maxsize=4 * MOST)
def _split_shape(svg: str) -> _SplitShape:
    from html import unescape

    dots = [] if "<g" in svg else _DOT.findall(svg)
    texts = [
        (float(x), float(y), Letters(unescape(text), float(tall), colour, "ls" if start else "ms"))
        for x, y, tall, start, colour, text in _TEXT.findall(svg)
    ]
    rest = _TEXT.sub("", svg)
    moved = _MOVED.search(rest) if "<use" in rest else None
    right, down = (float(moved[1]), float(moved[2])) if moved else (0, 0)
    used = tuple((right + float(x or 0), down + float(y or 0), name) for name, x, y in _USE.findall(rest))
    fills = [] if "<g" in svg else _FILL.findall(svg)
    rest = _USE.sub("", _FILL.sub("", rest) if fills else rest)
    return _SplitShape(
        rest=(_DOT.sub("", rest) if dots else rest) if _DRAWS.search(rest) else "",
        used=used,
        dots=tuple((float(x), float(y), f"<circle {dot}", float(radius)) for x, y, dot, radius in dots),
        texts=tuple(texts),
        fills=tuple((float(across), float(down), colour) for across, down, colour in fills),
    )


@lru_cache(maxsize=4 * MOST)
def _list_colours(svg: str) -> frozenset[str]:
    return frozenset(_COLOUR.findall(svg))


def _render_new_letters(pieces: Set[Letters]) -> None:
    """Draw and cache texts."""
    from PIL import Image, ImageDraw

    check_glyphs("".join(piece.text for piece in pieces))
    for piece in pieces:
        font = _load_font(FONT_FILE, piece.tall)
        left, top, right, bottom = (round(side) for side in font.getbbox(piece.text, anchor=piece.anchor))
        drawn = Image.new("RGBA", (right - left + 2, bottom - top + 2), f"{piece.colour}00")
        ImageDraw.Draw(drawn).text((1 - left, 1 - top), piece.text, piece.colour, font, piece.anchor)
        _DRAWN[piece] = Sprite(drawn, left - 1, top - 1)


@lru_cache(maxsize=64)
def _load_font(file: Path, tall: float) -> FreeTypeFont:
    from PIL import ImageFont

    try:
        return ImageFont.truetype(str(file), tall, layout_engine=ImageFont.Layout.BASIC)
    except OSError as error:
        raise OperatorError(f"The font of the pictures is missing: {file.name}.", "Install moderator again.") from error


def _render_new_drawings(pieces: Set[Drawing]) -> None:
    """Draw and cache drawings; high ones on a canvas of their own, where they stand close together."""
    high = {piece for piece in pieces if piece.size[1] > CANVAS // 4}
    for together in (high, pieces - high):
        if together:
            _render_drawings(sorted(together, key=lambda piece: (piece.size[1], piece.svg, piece.x, piece.y)))


def _render_drawings(pieces: Sequence[Drawing]) -> None:
    """Draw the pieces on one canvas, in rows of about the same height, and cache them."""
    from PIL import Image

    places: dict[Drawing, tuple[int, int]] = {}
    x = y = row = width = 0
    for piece in pieces:
        across, down = piece.size
        if x and x + across > CANVAS:
            x, y, row = 0, y + row, 0
        places[piece] = x, y
        x, row = x + across, max(row, down)
        width = max(width, x)
    elements = "".join(_render_element(piece, *place) for piece, place in places.items())
    svg = f"{render_svg_tag(width / ZOOM, (y + row) / ZOOM, 0, 0)}{elements}</svg>"
    drawn = Image.open(BytesIO(render_png_uncached(svg))).convert("RGBA")
    for piece, (left, top) in places.items():
        image = drawn.crop((left, top, left + piece.size[0], top + piece.size[1]))
        _DRAWN[piece] = Sprite(image, *piece.corner)


def _render_element(piece: Drawing, x: int, y: int) -> str:
    """Return the piece as SVG, with its corner at a pixel of the canvas."""
    right, down = x - piece.corner[0] + piece.x, y - piece.corner[1] + piece.y
    scale = piece.zoom / ZOOM
    return f'<g transform="translate({right / ZOOM:g} {down / ZOOM:g}) scale({scale:.6f})">{piece.svg}</g>'


# ---- few colours ----


@lru_cache(maxsize=64)
def _build_palette(colours: frozenset[str]) -> Image:
    """Return an image with a palette of these colours and of the steps between each ink and each ground, which the
    edges of letters and lines have."""
    from PIL import Image, ImageColor

    points = {colour: ImageColor.getrgb(colour)[:3] for colour in sorted(colours | {theme.GROUND})}
    grounds = [point for colour, point in points.items() if colour in GROUNDS]
    inks = [point for colour, point in points.items() if colour not in GROUNDS]
    steps = [
        tuple(round(a + (b - a) * step / BLENDS) for a, b in zip(ink, ground, strict=True))
        for step in range(1, BLENDS)
        for ink in inks
        if sum(ink) < 450
        for ground in grounds
    ]
    flat = [part for point in list(dict.fromkeys((*points.values(), *steps)))[:256] for part in point]
    made = Image.new("P", (1, 1))
    made.putpalette(flat)
    return made


def _encode_png(whole: Image, colours: frozenset[str]) -> bytes:
    """Return the picture as PNG with a palette."""
    from PIL import Image

    written = BytesIO()
    palette = _build_palette(colours)
    whole.quantize(palette=palette, dither=Image.Dither.NONE).save(written, "PNG", compress_level=7)
    return written.getvalue()
