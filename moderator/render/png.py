"""SVG to PNG with the bundled font only; boards are put together from parts.

resvg leaves a letter blank, without any error, when the font is missing or has no such letter. A player would
then get a board with holes in it, so both are checked here and refused before a mail is made.

Most of what a whole board costs in resvg is writing a million pixels as PNG. So resvg draws each part only once, for
all places where it lies, and all that are new on one canvas; Pillow lays them on the ground and writes the picture
with a palette, which halves it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
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


COLOURS = 128
"""Of the palette; a board has one or two dozen, the others are for the edges of letters."""
CANVAS = 1024
"""Pixels across the canvas on which new pieces are drawn."""
MOST = 1000
"""Pieces at hand; a tile takes 40 kB."""
_DRAWING = re.compile(r'href="#([^"]+)"')


@dataclass(frozen=True)
class PicturePiece:
    """A part as pixels; the same wherever it lies, for its origin lies at a pixel's corner."""

    svg: str
    drawings: str
    """What it refers to."""
    box: Box
    zoom: float
    """Pixels per css pixel."""

    @property
    def corner(self) -> tuple[int, int]:
        """The pixel at which it begins, counted from that of its origin."""
        return floor(self.box[0] * self.zoom), floor(self.box[1] * self.zoom)

    @property
    def size(self) -> tuple[int, int]:
        left, top = self.corner
        return ceil(self.box[2] * self.zoom) - left, ceil(self.box[3] * self.zoom) - top


_DRAWN: dict[PicturePiece, Image] = {}


def compose_board_png(paper: Paper, parts: Sequence[Shape], zoom: float = 1) -> bytes:
    """Return the board as PNG, ``zoom`` times as large as on paper, ``ZOOM`` pixels per css pixel. Raises OperatorError
    for a letter that would be blank."""
    from PIL import Image

    zoom *= ZOOM
    placed = list(_iter_placed_pieces(paper, parts, zoom))
    _render_new_pieces({piece for piece, _, _ in placed} - _DRAWN.keys())
    whole = Image.new("RGB", (round(paper.width * zoom), round(paper.height * zoom)), theme.GROUND)
    for piece, x, y in placed:
        drawn = _DRAWN[piece]
        whole.paste(drawn, (x + piece.corner[0], y + piece.corner[1]), drawn)
    while len(_DRAWN) > MOST:
        del _DRAWN[next(iter(_DRAWN))]
    return _encode_png(whole)


def _iter_placed_pieces(paper: Paper, parts: Sequence[Shape], zoom: float) -> Iterator[tuple[PicturePiece, int, int]]:
    """Yield the pieces from the lowest to the highest, each with the pixel of its origin."""
    drawings = {_get_drawing_id(part.svg): part.svg for part in parts if part.layer == "defs"}
    for part in (part for layer in LAYERS for part in parts if part.layer == layer):
        needed = "".join(drawings[name] for name in _DRAWING.findall(part.svg))
        x, y = (part.at[0] - paper.left) * zoom, (part.at[1] - paper.top) * zoom
        yield PicturePiece(part.svg, needed, part.box, zoom), round(x), round(y)


def _get_drawing_id(drawing: str) -> str:
    found = re.search(r'id="([^"]+)"', drawing)
    assert found, "a drawing that nothing can refer to"
    return found[1]


def _render_new_pieces(pieces: Set[PicturePiece]) -> None:
    """Draw pieces that are not cached; high ones on a canvas of their own, where they stand close together."""
    high = {piece for piece in pieces if piece.size[1] > CANVAS // 4}
    for together in (high, pieces - high):
        if together:
            _render_pieces(sorted(together, key=lambda piece: (piece.size[1], piece.svg)))


def _render_pieces(pieces: Sequence[PicturePiece]) -> None:
    """Draw the pieces on one canvas, in rows of about the same height, and cache them."""
    from PIL import Image

    places: dict[PicturePiece, tuple[int, int]] = {}
    x = y = row = width = 0
    for piece in pieces:
        across, down = piece.size
        if x and x + across > CANVAS:
            x, y, row = 0, y + row, 0
        places[piece] = x, y
        x, row = x + across, max(row, down)
        width = max(width, x)
    drawings = "".join(sorted({piece.drawings for piece in pieces}))
    elements = "".join(_render_element(piece, *place) for piece, place in places.items())
    svg = f"{render_svg_tag(width / ZOOM, (y + row) / ZOOM, 0, 0)}<defs>{drawings}</defs>{elements}</svg>"
    drawn = Image.open(BytesIO(render_png_uncached(svg))).convert("RGBA")
    for piece, (left, top) in places.items():
        _DRAWN[piece] = drawn.crop((left, top, left + piece.size[0], top + piece.size[1]))


def _render_element(piece: PicturePiece, x: int, y: int) -> str:
    """Return the piece as SVG, with its corner at a pixel of the canvas."""
    right, down = x - piece.corner[0], y - piece.corner[1]
    scale = piece.zoom / ZOOM
    return f'<g transform="translate({right / ZOOM:g} {down / ZOOM:g}) scale({scale:.6f})">{piece.svg}</g>'


def _encode_png(whole: Image) -> bytes:
    """Return the picture as PNG with a palette; its colours are taken from every other pixel."""
    from PIL import Image

    half = whole.resize((whole.width // 2, whole.height // 2), Image.Resampling.NEAREST)
    palette = half.quantize(COLOURS, Image.Quantize.FASTOCTREE)
    written = BytesIO()
    whole.quantize(palette=palette, dither=Image.Dither.NONE).save(written, "PNG", compress_level=6)
    return written.getvalue()
