"""Pictures of boards as PNG, put together from pieces: a tile, a sign, a line, each drawn once.

What resvg takes goes by the area that it draws, and loading it and Pillow takes longer than a whole picture. So a
piece is kept as rows of numbers of colours, and a picture is put together by copying bytes, packed with four bits a
pixel. Pieces lie at even pixels, so that the packer finds the same bytes wherever the same piece lies."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from io import BytesIO
from math import ceil, floor
from typing import TYPE_CHECKING, NamedTuple

from moderator.render import theme
from moderator.render.boards.grid import LAYERS, Box, Paper, Shape, build_square_around, render_svg_tag
from moderator.render.png import ZOOM, check_glyphs, load_font, render_png_uncached

if TYPE_CHECKING:
    from PIL.Image import Image

PLATE = 512
"""Pixels across the plate on which new pieces are drawn."""
MOST = 4000
"""Pieces at hand; a tile takes 5 kB."""
SEVERAL = 5
"""Pieces of one shape that are sooner laid one by one than joined."""
COLOURS = 16
"""Of a picture."""
EMPTY = 255
"""In a piece that is joined: pixels that nothing lies on."""
_FILL = re.compile(r'<rect(?: x="([-\d.]+)" y="([-\d.]+)")? width="([\d.]+)" height="([\d.]+)" fill="(#\w+)"/>')
_TEXT = re.compile(
    r'<text x="(?P<x>[-\d.]+)" y="(?P<y>[-\d.]+)" font-size="(?P<tall>[\d.]+)"(?P<start> text-anchor="start")? '
    rf'fill="(?P<colour>(?!{theme.GROUND})#\w+)">(?P<text>[^<]*)</text>'
)
_DOT = re.compile(r'<circle cx="([-\d.]+)" cy="([-\d.]+)" (r="([\d.]+)" fill="#\w+"/>)')
_USE = re.compile(r'<use href="#([^"]+)"(?: x="([-\d.]+)" y="([-\d.]+)")?/>')
_MOVED = re.compile(r'<g transform="translate\(([-\d.]+) ([-\d.]+)\)">.*<use')
_DRAWS = re.compile(r"<(?!/?g\b)")
"""An element that draws something, and not only holds others."""
_COLOUR = re.compile(r"#[0-9A-F]{6}")
Colour = tuple[int, ...]


@dataclass(frozen=True)
class Drawing:
    """What a piece shows; the same wherever it lies."""

    svg: str
    box: Box
    zoom: float
    """Pixels per css pixel."""
    ground: str = theme.GROUND
    """The colour that its edges lie on."""

    @property
    def corner(self) -> tuple[int, int]:
        """The pixel at which it begins, counted from that of its origin."""
        return floor(self.box[0] * self.zoom), floor(self.box[1] * self.zoom)

    @property
    def size(self) -> tuple[int, int]:
        left, top = self.corner
        return ceil(self.box[2] * self.zoom) - left, ceil(self.box[3] * self.zoom) - top


class Piece(NamedTuple):
    """A drawing as pixels."""

    rows: tuple[tuple[int, int, bytes], ...]
    """Stretches: row and column of the first pixel, counted from that of the origin, and the colours."""
    columns: tuple[tuple[int, int, bytes], ...]
    """The same from top to bottom."""
    box: tuple[int, int, int, int]
    """Left, top, right, bottom."""
    colours: frozenset[int]


Placed = tuple[tuple[Piece, int, int], ...]
"""Pieces, each with the pixel of its origin."""
_PIECES: dict[tuple[str, float], Placed] = {}
"""By the SVG of a shape and its zoom."""
_DRAWN: dict[Drawing, Piece] = {}
"""What shapes are made of."""


def compose_board_png(paper: Paper, parts: Sequence[Shape], zoom: float = 1) -> bytes:
    """Return the board as PNG, ``zoom`` times as large as on paper, ``ZOOM`` pixels per css pixel. Raises OperatorError
    for a letter that would be blank."""
    size = ZOOM * round(paper.width * zoom), ZOOM * round(paper.height * zoom)
    zoom *= ZOOM
    _make_pieces(parts, zoom)
    canvas = _Canvas(*size, margin=2)  # packed, that is the byte that says that colours follow
    used = {0}
    for layer in LAYERS:
        for part in parts:
            if part.layer == layer:
                x, y = 2 * round((part.at[0] - paper.left) * zoom / 2), round((part.at[1] - paper.top) * zoom)
                for piece, right, down in _PIECES[part.svg, zoom]:
                    canvas.lay(piece, x + right, y + down)
                    used |= piece.colours
    return _encode_png(canvas.pixels, *size, used)


class _Canvas:
    """Pixels that pieces are laid on. ``margin``: pixels before each row."""

    def __init__(self, across: int, down: int, margin: int = 0, ground: int = 0) -> None:
        self.across, self.down, self.margin, self.stride = across, down, margin, across + margin
        self.pixels = bytearray([ground]) * (self.stride * down)

    def lay(self, piece: Piece, x: int, y: int) -> None:
        """Lay a piece with its origin at a pixel; what is outside is cut off."""
        left, top, right, bottom = piece.box
        rows: Iterable[tuple[int, int, bytes]] = piece.rows
        if x + left < 0 or y + top < 0 or x + right > self.across or y + bottom > self.down:
            rows = self._cut_rows(rows, x, y)
        pixels, stride, start = self.pixels, self.stride, y * self.stride + self.margin + x
        for row, column, drawn in rows:
            at = start + row * stride + column
            pixels[at : at + len(drawn)] = drawn
        for row, column, drawn in piece.columns:
            at = start + row * stride + column
            pixels[at : at + len(drawn) * stride : stride] = drawn

    def _cut_rows(self, rows: Iterable[tuple[int, int, bytes]], x: int, y: int) -> Iterator[tuple[int, int, bytes]]:
        for row, column, drawn in rows:
            if 0 <= y + row < self.down:
                cut = max(0, -x - column)
                yield row, column + cut, drawn[cut : max(0, self.across - x - column)]


def forget_pieces() -> None:
    """Forget every piece, as in a new process."""
    _PIECES.clear()
    _DRAWN.clear()


# ---- new pieces ----


def _make_pieces(parts: Sequence[Shape], zoom: float) -> None:
    """Make and keep the pieces that are not at hand."""
    if len(_PIECES) + len(_DRAWN) > MOST:
        forget_pieces()
    defs = {_get_drawing_id(part.svg): part for part in parts if part.layer == "defs"}
    new = {part.svg: part for part in parts if part.layer != "defs" and (part.svg, zoom) not in _PIECES}
    made = {svg: tuple(_iter_drawings(part, defs, 0, 0, zoom, theme.GROUND)) for svg, part in new.items()}
    _draw_pieces({drawing for drawings in made.values() for drawing, _, _ in drawings} - _DRAWN.keys())
    for svg, drawings in made.items():
        _PIECES[svg, zoom] = _join_drawings(drawings)


def _join_drawings(drawings: Sequence[tuple[Drawing, int, int]]) -> Placed:
    """Join what a shape is made of, each with the pixel of its origin, the lowest first, if that is much."""
    if len(drawings) <= SEVERAL:
        return tuple((_DRAWN[drawing], x, y) for drawing, x, y in drawings)
    boxes = [(x + drawing.corner[0], y + drawing.corner[1], *drawing.size) for drawing, x, y in drawings]
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    canvas = _Canvas(max(x + w for x, _, w, _ in boxes) - left, max(y + h for _, y, _, h in boxes) - top, ground=EMPTY)
    for drawing, x, y in drawings:
        canvas.lay(_DRAWN[drawing], x - left, y - top)
    return ((_cut_piece(bytes(canvas.pixels), canvas.across, (left, top), EMPTY), 0, 0),)


def _cut_piece(pixels: bytes, across: int, corner: tuple[int, int], ground: int) -> Piece:
    """Cut what is not of the ground out of pixels. ``corner``: that of the first one, counted from the origin."""
    drawn = re.compile(b"[^" + re.escape(bytes([ground])) + b"]+", re.DOTALL)
    rows = tuple(
        (corner[1] + row, corner[0] + found.start() - at, found[0])
        for row, at in enumerate(range(0, len(pixels), across))
        for found in drawn.finditer(pixels, at, at + across)
    )
    sides = [(column, row, column + len(found), row + 1) for row, column, found in rows]
    left, top, right, bottom = zip(*sides, strict=True) if sides else ((0,),) * 4
    box = min(left), min(top), max(right), max(bottom)
    return Piece(rows, (), box, frozenset(b"".join(found for _, _, found in rows)))


def _iter_drawings(
    part: Shape, defs: Mapping[str, Shape], x: int, y: int, zoom: float, ground: str
) -> Iterator[tuple[Drawing, int, int]]:
    """Yield what a shape is made of, whose origin is at a pixel, as far as it is the same on several."""
    split = _split_svg(part.svg)
    if split.rest:
        yield Drawing(split.rest, part.box, zoom, ground), x, y
    ground = split.ground or ground
    for dx, dy, dot, radius in split.dots:
        yield Drawing(dot, build_square_around(0, 0, radius), zoom, ground), x + round(dx * zoom), y + round(dy * zoom)
    for dx, dy, name in split.used:
        yield from _iter_drawings(defs[name], defs, x + round(dx * zoom), y + round(dy * zoom), zoom, ground)
    for dx, dy, text, box in split.texts:
        yield Drawing(text, box, zoom, ground), 2 * round((x + dx * zoom) / 2), y + round(dy * zoom)


def _get_drawing_id(svg: str) -> str:
    found = re.search(r'id="([^"]+)"', svg)
    assert found, "a drawing that nothing can refer to"
    return found[1]


class _Split(NamedTuple):
    """A shape taken apart: places, and what is drawn there around its own origin."""

    rest: str
    ground: str
    dots: tuple[tuple[float, float, str, float], ...]
    """With their radius."""
    used: tuple[tuple[float, float, str], ...]
    """Names of other drawings."""
    texts: tuple[tuple[float, float, str, Box], ...]


@lru_cache(maxsize=4 * MOST)
def _split_svg(svg: str) -> _Split:
    texts = []
    for found in _TEXT.finditer(svg):
        tall, place = float(found["tall"]), f'x="{found["x"]}" y="{found["y"]}"'
        reach = tall * (0.2 + 0.4 * len(unescape(found["text"])))
        left, right = (-0.1 * tall, 2 * reach) if found["start"] else (-reach, reach)
        text = found[0].replace(place, 'x="0" y="0"')
        texts.append((float(found["x"]), float(found["y"]), text, (left, -tall, right, 0.3 * tall)))
    rest = _TEXT.sub("", svg)
    dots = [] if "<g" in svg else _DOT.findall(rest)
    moved = _MOVED.search(rest)
    right, down = (float(moved[1]), float(moved[2])) if moved else (0, 0)
    used = [(right + float(x or 0), down + float(y or 0), name) for name, x, y in _USE.findall(rest)]
    rest = _USE.sub("", _DOT.sub("", rest) if dots else rest)
    return _Split(
        rest if _DRAWS.search(rest) else "",
        next((colour for colour in reversed(_COLOUR.findall(rest)) if colour in GROUNDS), ""),
        tuple((float(x), float(y), f"<circle {dot}", float(radius)) for x, y, dot, radius in dots),
        tuple(used),
        tuple(texts),
    )


def _draw_pieces(drawings: Set[Drawing]) -> None:
    """Draw and keep pieces: grounds need no drawing, Pillow draws letters in a third of the time that resvg takes."""
    texts, shapes = list[Drawing](), list[Drawing]()
    for drawing in drawings:
        if fill := _FILL.fullmatch(drawing.svg):
            left, top, across, down = (float(part or 0) * drawing.zoom for part in fill.groups()[:4])
            size = round(across + 0.3), round(down + 0.3)  # lines rather too wide than too thin
            _DRAWN[drawing] = _build_fill(round(left), round(top), *size, fill[5])
        else:
            (texts if _TEXT.fullmatch(drawing.svg) else shapes).append(drawing)
    high = {drawing for drawing in shapes if drawing.size[1] > PLATE // 4}
    for together, draw in ((texts, _draw_texts), (list(high), _draw_shapes), (list({*shapes} - high), _draw_shapes)):
        if together:
            size, places = _place_on_plate(together)
            _keep_pieces(draw(size, places), places)


def _build_fill(left: int, top: int, across: int, down: int, colour: str) -> Piece:
    number = NUMBERS[_parse_colour(colour)]
    box = left, top, left + across, top + down
    if across < down:
        pixels = bytes([number]) * down
        return Piece((), tuple((top, left + column, pixels) for column in range(across)), box, frozenset({number}))
    pixels = bytes([number]) * across
    return Piece(tuple((top + row, left, pixels) for row in range(down)), (), box, frozenset({number}))


def _place_on_plate(drawings: list[Drawing]) -> tuple[tuple[int, int], dict[Drawing, tuple[int, int]]]:
    """Return the size of a plate, and where each drawing has its corner: in rows of about the same height."""
    drawings.sort(key=lambda drawing: (drawing.size[1], drawing.svg))
    places: dict[Drawing, tuple[int, int]] = {}
    x = y = row = width = 0
    for drawing in drawings:
        across, down = drawing.size
        if x and x + across > PLATE:
            x, y, row = 0, y + row, 0
        places[drawing] = x, y
        x, row = x + across, max(row, down)
        width = max(width, x)
    return (width, y + row), places


def _draw_shapes(size: tuple[int, int], places: Mapping[Drawing, tuple[int, int]]) -> Image:
    from PIL import PngImagePlugin

    across, down = (side / ZOOM for side in size)
    elements = [f'{render_svg_tag(across, down, 0, 0)}<rect width="100%" height="100%" fill="{theme.GROUND}"/>']
    for drawing, (left, top) in places.items():
        x, y = (left - drawing.corner[0]) / ZOOM, (top - drawing.corner[1]) / ZOOM
        scale = drawing.zoom / ZOOM
        if drawing.ground != theme.GROUND:
            width, height = (side / ZOOM for side in drawing.size)
            place = f'x="{left / ZOOM:g}" y="{top / ZOOM:g}"'
            elements.append(f'<rect {place} width="{width:g}" height="{height:g}" fill="{drawing.ground}"/>')
        elements.append(f'<g transform="translate({x:g} {y:g}) scale({scale:.6f})">{drawing.svg}</g>')
    return PngImagePlugin.PngImageFile(BytesIO(render_png_uncached("".join((*elements, "</svg>"))))).convert("RGB")


def _draw_texts(size: tuple[int, int], places: Mapping[Drawing, tuple[int, int]]) -> Image:
    from PIL import Image, ImageDraw

    plate = Image.new("RGB", size)
    pen = ImageDraw.Draw(plate)
    for drawing, (left, top) in places.items():
        found = _TEXT.fullmatch(drawing.svg)
        assert found
        plate.paste(drawing.ground, (left, top, left + drawing.size[0], top + drawing.size[1]))
        text, anchor = unescape(found["text"]), "ls" if found["start"] else "ms"
        check_glyphs(text)
        font = load_font(float(found["tall"]) * drawing.zoom)
        pen.text((left - drawing.corner[0], top - drawing.corner[1]), text, found["colour"], font, anchor)
    return plate


def _keep_pieces(plate: Image, places: Mapping[Drawing, tuple[int, int]]) -> None:
    """Cut the pieces out of a plate and keep them. What has the colour of the ground is no part of them."""
    from PIL import Image

    for drawing, (left, top) in places.items():
        across, down = drawing.size
        palette, numbers = _build_palette(frozenset((drawing.ground, *_COLOUR.findall(drawing.svg))))
        cut = plate.crop((left, top, left + across, top + down)).quantize(palette=palette, dither=Image.Dither.NONE)
        pixels, ground = cut.tobytes().translate(numbers), NUMBERS[_parse_colour(drawing.ground)]
        _DRAWN[drawing] = _cut_piece(pixels, across, drawing.corner, ground)


# ---- few colours ----


def _parse_colour(colour: str) -> Colour:
    return tuple(bytes.fromhex(colour[1:]))


GROUNDS = (theme.HEIGHTS[0], theme.GROUND, theme.FIELD, *theme.HEIGHTS[1:], theme.CENTRE)
INKS = (theme.INK, theme.VOWEL, theme.GREEN, theme.BLUE, theme.LABEL, theme.LAST, theme.EDGE, *theme.MORE)
NUMBERS: dict[Colour, int] = {}
"""Colour -> its number in pieces: those that are drawn with, and what lies half-way between an ink and its ground, as
edges of letters and lines have it; the more needful first."""
for _colour in (theme.GROUND, *GROUNDS, theme.GRID, theme.CENTRE_MARK, *INKS):
    NUMBERS.setdefault(_parse_colour(_colour), len(NUMBERS))
INSTEAD: dict[int, int] = {}
"""Number of an edge -> that of its ground, or of a thin line's ink, which stands for it where a picture would have too
many colours."""


def _mix(ink: str, ground: str) -> Colour:
    return tuple((a + b) // 2 for a, b in zip(_parse_colour(ink), _parse_colour(ground), strict=True))


for _ground in GROUNDS:
    for _ink in INKS:
        _number = NUMBERS.setdefault(_mix(_ink, _ground), len(NUMBERS))
        INSTEAD.setdefault(_number, NUMBERS[_parse_colour(_ink if _ink == theme.EDGE else _ground)])


@lru_cache(maxsize=256)
def _build_palette(colours: frozenset[str]) -> tuple[Image, bytes]:
    """Return an image with a palette of these colours and their edges, and the table of their ``NUMBERS``."""
    from PIL import Image

    found = [_parse_colour(colour) for colour in sorted(colours)]
    found += [_mix(ink, ground) for ink in INKS if ink in colours for ground in GROUNDS if ground in colours]
    made = Image.new("P", (1, 1))
    made.putpalette([part for colour in found for part in colour])
    return made, bytes(NUMBERS[colour] for colour in found).ljust(256, b"\0")


def _encode_png(canvas: bytearray, across: int, down: int, used: Set[int]) -> bytes:
    """Return the picture as PNG with a palette, two pixels a byte."""
    kept = sorted(used)[:COLOURS]
    places = {number: place for place, number in enumerate(kept)}
    table = bytearray(256)
    for number in used:
        table[number] = places.get(number, places.get(INSTEAD.get(number, 0), 0))
    low = canvas[1::2].translate(table)
    high = canvas[::2].translate(bytes(place << 4 for place in table))
    packed = int.from_bytes(low, "big") | int.from_bytes(high, "big")
    colours = {number: bytes(colour) for colour, number in NUMBERS.items()}
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", across, down, 4, 3, 0, 0, 0)),
        (b"PLTE", b"".join(colours[number] for number in kept)),
        (b"IDAT", zlib.compress(packed.to_bytes(len(low), "big"))),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
