"""The board as SVG, PNG, table and characters."""

from __future__ import annotations

from io import BytesIO
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageChops

from moderator.errors import OperatorError
from moderator.match.contract import Cell, Grid
from moderator.pages import boards, png, theme
from moderator.pages.boards import lines as board_lines
from moderator.pages.boards import svg
from moderator.pages.boards.grid import alt, table
from moderator.pages.boards.grid import characters as board
from moderator.pages.boards.grid import lists as row_lines
from tests.pages import match_pages
from tests.pages.sample_pages import board as sample
from tests.pages.sample_pages import grid


def test_svg_is_well_formed_opaque_and_names_what_it_shows():
    root = ElementTree.fromstring(svg(sample(), "Brett", "A < B & \x00 C"))
    shapes = [shape for shape in root.iter() if not shape.tag.endswith("}g")][1:]
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


def image(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data))


def test_png_has_no_transparent_pixel_and_is_made_once():
    data = boards.png(sample())
    assert (image(data).size, image(data).mode) == ((1044, 1044), "P")
    assert "transparency" not in image(data).info
    assert boards.png(sample()) is data
    assert len(data) < 30_000


def test_png_draws_umlauts_otherwise_than_plain_letters():
    pictures = {letter: boards.png(grid([f"E5 {letter}"])) for letter in "AÄOÖUÜẞ"}
    assert len(set(pictures.values())) == 7


def scenes():
    """Of every game: each board of the sample mails."""
    yield "sample", sample()
    for name, page in match_pages.pages("de").items():
        if page.scene is not None:
            yield name, page.scene


@pytest.mark.slow
def test_a_picture_of_pieces_is_the_picture_that_resvg_draws_as_a_whole():
    """So no part is drawn outside its box, or where it does not belong; and with a palette it takes half the bytes."""
    sizes = []

    boards_of = dict(scenes())

    def looks_the_same(name):
        scene = boards_of[name]
        whole, pieces = png.draw(boards.svg(scene)), boards.png(scene)
        difference = ImageChops.difference(image(whole).convert("RGB"), image(pieces).convert("RGB")).convert("L")
        seen = difference.histogram()
        assert sum(seen[32:]) == 0
        assert sum(seen[20:]) < 100
        sizes.append((len(pieces), len(whole)))

    assert len(boards_of) > 40
    for case in [*boards_of][::4]:
        looks_the_same(case)
    assert sum(pieces for pieces, _ in sizes) <= 0.55 * sum(whole for _, whole in sizes)


@pytest.mark.parametrize("letter", ["漢", "★", "Ж", "😀"])
def test_a_letter_that_would_be_blank_is_refused(letter):
    with pytest.raises(OperatorError, match="glyph would come out blank"):
        boards.png(Grid(("A",), ("1",), (Cell(0, 0, letter),)))


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
    words = alt(grid(["E5 Ä !", "F5 H3"]), "de", "Anna legt »E5 w ÄH«, 4 Punkte")
    assert words == (
        "Spielbrett mit 10 mal 10 Feldern. Letzter Zug: Anna legt »E5 w ÄH«, 4 Punkte. Neu gelegt: Ä E5. "
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
