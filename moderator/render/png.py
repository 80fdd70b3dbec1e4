"""SVG to PNG with the bundled font only.

resvg leaves a letter blank, without any error, when the font is missing or has no such letter. A player would
then get a board with holes in it, so both are checked here and refused before a mail is made."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from moderator.common.errors import OperatorError

if TYPE_CHECKING:
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
            "Set the players' board to text; the game's scene has to use other signs (docs/build/contract.md lists "
            "them).",
        )


@lru_cache(maxsize=64)
def render_png(svg: str) -> bytes:
    """Return the picture as PNG bytes, at twice its css size. Made once per picture, not once per reader.

    Boards are put together from their parts instead (render/pieces.py). Raises OperatorError for a letter that
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
        raise _describe_missing_font()
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


@lru_cache(maxsize=64)
def load_font(tall: float) -> FreeTypeFont:
    """Load the font at a size in pixels, for Pillow. Raises OperatorError."""
    from PIL import ImageFont

    try:
        return ImageFont.truetype(str(FONT_FILE), tall, layout_engine=ImageFont.Layout.BASIC)
    except OSError as error:
        raise _describe_missing_font() from error


def _describe_missing_font() -> OperatorError:
    return OperatorError(f"The font of the pictures is missing: {FONT_FILE.name}.", "Install moderator again.")
