"""The board as SVG, PNG, table and characters."""

from __future__ import annotations

import struct
import zlib
from xml.etree import ElementTree

import pytest

from moderator.engine.contract import Cell, Grid
from moderator.errors import OperatorError
from moderator.render import png, theme
from moderator.render.boards import lines as board_lines
from moderator.render.boards.grid.svg import svg
from moderator.render.boards.grid.table import table
from moderator.render.boards.grid.text import alt
from moderator.render.boards.grid.text import characters as board
from moderator.render.boards.grid.text import lists as row_lines
from tests.render.sample_pages import board as sample
from tests.render.sample_pages import grid


def pixels(data):
    """(width, height, rows of RGBA bytes) of a PNG with 8 bits per channel; all five line filters."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, raw, head = 8, b"", ()
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, chunk = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        head = struct.unpack(">IIBBBBB", chunk) if kind == b"IHDR" else head
        raw += chunk if kind == b"IDAT" else b""
        at += 12 + size
    width, height, depth, colour = head[:4]
    assert (depth, colour) == (8, 6)
    plain, stride, above, rows = zlib.decompress(raw), width * 4, bytes(width * 4), []
    for y in range(height):
        method, line = plain[y * (stride + 1)], bytearray(plain[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for i in range(stride):
            a, b, c = line[i - 4] if i > 3 else 0, above[i], above[i - 4] if i > 3 else 0
            near = min((a, b, c), key=lambda v, p=a + b - c: abs(p - v))
            line[i] = (line[i] + (0, a, b, (a + b) // 2, near)[method]) & 255
        rows.append(bytes(line))
        above = bytes(line)
    return width, height, rows


def test_svg_is_well_formed_opaque_and_names_what_it_shows():
    root = ElementTree.fromstring(svg(sample(), "Brett", "A < B & \x00 C"))
    shapes = list(root)
    ground = next(shape for shape in shapes if shape.tag.endswith("rect"))
    assert (ground.get("width"), ground.get("height"), ground.get("rx")) == (
        root.get("width"),
        root.get("height"),
        None,
    )
    texts = [shape.text for shape in shapes if shape.tag.endswith("text")]
    assert texts[:20] == [*"ABCDEFGHIJ", *map(str, range(1, 11))]
    assert texts.count("Ü") == 1
    assert texts.count("5") == 2  # row 5, and the stack of five
    dashed = [shape for shape in shapes if shape.get("stroke-dasharray")]
    assert len(dashed) == 2
    assert sum(shape.get("stroke") == theme.LAST and not shape.get("stroke-dasharray") for shape in shapes) == 2


def test_svg_escapes_letters():
    scene = Grid(("<",), ("&",), (Cell(0, 0, '"'),))
    ElementTree.fromstring(svg(scene))


def test_png_has_the_letters_and_no_transparent_pixel():
    data = png.png(svg(sample()))
    width, height, rows = pixels(data)
    assert (width, height) == (1044, 1044)
    assert all(alpha == 255 for row in rows for alpha in row[3::4])
    assert png.png(svg(sample())) is data
    assert len(data) < 100_000


def test_png_draws_umlauts_otherwise_than_plain_letters():
    pictures = {letter: png.png(svg(grid([f"E5 {letter}"]))) for letter in "AÄOÖUÜẞ"}
    assert len(set(pictures.values())) == 7


@pytest.mark.parametrize("letter", ["漢", "★", "Ж", "😀"])
def test_a_letter_that_would_be_blank_is_refused(letter):
    with pytest.raises(OperatorError, match="glyph would come out blank"):
        png.png(svg(Grid(("A",), ("1",), (Cell(0, 0, letter),))))


def test_self_test_passes_and_notices_a_font_without_letters(monkeypatch, tmp_path):
    png.self_test()
    empty = tmp_path / "empty.ttf"
    empty.write_bytes(b"")
    monkeypatch.setattr(png, "FONT_FILE", empty)
    with pytest.raises(OperatorError, match="blank"):
        png.self_test()
    monkeypatch.setattr(png, "FONT_FILE", tmp_path / "none.ttf")
    with pytest.raises(OperatorError, match="missing"):
        png.self_test()


def test_the_list_of_covered_letters_is_the_fonts_own():
    fonts = pytest.importorskip("fontTools.ttLib")
    points = fonts.TTFont(png.FONT_FILE).getBestCmap()
    assert png.covered() == {chr(point) for point in points}
    assert set("ABCXYZÄÖÜẞß„“”‚‘’–…·•0123456789") <= png.covered()
    assert png.FONT_FILE.stat().st_size < 40_000
    assert "SIL OPEN FONT LICENSE" in (png.FOLDER / "OFL.txt").read_text(encoding="utf-8")


def _luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_colours_can_be_read():
    for ground in (*theme.HEIGHTS, theme.FIELD):
        assert contrast(theme.INK, ground) >= 6.5
    assert contrast(theme.LABEL, theme.GROUND) >= 4.5
    assert contrast(theme.LAST, theme.GROUND) >= 4.5
    assert all(contrast(colour, "#FFFFFF") >= 4.5 for colour, _ in theme.PLAYERS)
    lightness = [_luminance(colour) for colour in theme.HEIGHTS]
    assert lightness == sorted(lightness, reverse=True)


def test_text_board():
    lines = board(grid(["E5 Ä !", "F5 H3 !", "G5 R2", "A10 S5"]))
    assert lines[0] == "    A   B   C   D   E   F   G   H   I   J"
    assert lines[5] == " 5\u01c0 .   .   .   .  [Ä] [H3] R2  .   .   ."
    assert lines[6] == " 6\u01c0 .   .   .   .   +   +   .   .   .   ."
    assert lines[10].startswith("10\u01c0 S5  .")


def test_decomposed_letters_keep_their_column():
    scene = Grid(("A", "B"), ("1",), (Cell(0, 0, "A\u0308"), Cell(1, 0, "B")))
    assert board(scene)[1] == "1\u01c0 Ä   B"


def test_wide_boards_narrow_and_then_only_rows():
    def wide(n):
        return Grid(tuple(f"{i}" for i in range(n)), ("1",), (Cell(n - 1, 0, "E"),))

    assert all(len(line) <= 62 for n in (14, 15, 19) for line in board(wide(n)))
    assert board(wide(40)) == ()
    assert board_lines(wide(40), "de") == ("Reihe 1 ab 39: E",)


def test_row_form():
    assert row_lines(grid(["A1 H", "B1 A2", "J1 S"]), "de") == ("Reihe 1 ab A: H A2, ab J: S",)
    assert row_lines(grid(["A1 H"]), "en") == ("Row 1 from A: H",)


def test_alt_text():
    words = alt(grid(["E5 Ä !", "F5 H3"]), "de", "Anna zieht »E5 w ÄH«, 4 Punkte")
    assert words == (
        "Spielbrett mit 10 mal 10 Feldern. Letzter Zug: Anna zieht »E5 w ÄH«, 4 Punkte. Neu gelegt: Ä E5. "
        "Gestapelt (Buchstabe und Höhe): F5 H3."
    )
    assert "still empty" in alt(grid([]), "en")


def test_html_board_is_small_and_complete():
    html = table(sample(), 'x "quoted"')
    assert len(html.encode()) <= 20_000
    assert html.count("<tr") == 11
    assert html.count("<td") == 121
    assert "&quot;quoted&quot;" in html
    ElementTree.fromstring(html.replace("&nbsp;", "\u00a0"))
