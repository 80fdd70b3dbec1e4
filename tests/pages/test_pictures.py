"""Boards as SVG, PNG, table and characters: pictures of every game, the square board in words, and the legend, which
says what the signs mean that are drawn, and no others."""

import time
from functools import cache
from io import BytesIO
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageChops

from moderator.common.errors import OperatorError
from moderator.games import REGISTRY, load_game
from moderator.language.messages import render_label
from moderator.render import boards, png, theme
from moderator.render.boards import render_board_lines as board_lines
from moderator.render.boards import render_board_svg
from moderator.render.boards.grid import MARKS, Shape, render_grid_table
from moderator.render.boards.grid import render_grid_characters as board
from moderator.render.mails.position import render_letter_values
from moderator.rules.game import Cell
from moderator.rules.scenes import Grid, Layout, Scene, Snake, Triangles
from moderator.rules.state import view_for
from tests.pages import match_pages
from tests.pages.all_pages import mail, pages
from tests.pages.sample_pages import board as sample
from tests.pages.sample_pages import grid


@cache
def scenes() -> tuple[Scene, ...]:
    """Boards of every game: of the sample mails, and of its sample match from the first to the last."""
    found = [page.scene for page in pages("de").values() if page.scene is not None]
    for key in match_pages.TILE_GAMES:
        match = match_pages.played(key)
        found += [match.game.build_scene(view_for(one.after.state, None)) for one in match.moments[::5]]
    return tuple(dict.fromkeys(found))


def fullest(kind: type) -> Scene:
    return max((scene for scene in scenes() if type(scene) is kind), key=lambda scene: len(repr(scene)))


def image(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data))


@pytest.mark.parametrize("kind", [Grid, Layout, Triangles, Snake])
def test_a_picture_is_opaque_and_says_what_it_shows_and_is_drawn_quickly_and_once(kind: type) -> None:
    scene = fullest(kind)
    root = ElementTree.fromstring(boards.render_board_svg(scene, "Brett", "A < B & \x00 C"))
    shapes = list(root)
    ground = next(shape for shape in root.iter() if shape.tag.endswith("rect"))
    assert (ground.get("width"), ground.get("height")) == (root.get("width"), root.get("height"))
    assert (ground.get("fill"), ground.get("rx")) == (theme.GROUND, None)
    assert [shape.text for shape in shapes[:2]] == ["Brett", "A < B &  C"]
    data = boards.render_board_png(scene)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert image(data).mode == "P"
    assert "transparency" not in image(data).info
    assert boards.render_board_png(scene) is data
    assert len(data) < 150_000
    assert "\n" not in boards.describe_board(scene, "de")
    best = 1.0
    for n in range(5):
        began = time.process_time()
        boards.render_board_svg(scene, str(n))
        best = min(best, time.process_time() - began)
    assert best < 0.03


def test_a_square_board_shows_letters_heights_and_the_last_move():
    shapes = [
        shape for shape in ElementTree.fromstring(render_board_svg(sample())).iter() if not shape.tag.endswith("}g")
    ][1:]
    texts = [shape.text for shape in shapes if shape.tag.endswith("text")]
    assert texts[:20] == [*"ABCDEFGHIJ", *map(str, range(1, 11))]
    assert texts.count("Ü") == 1
    assert texts.count("5") == 2  # row 5, and the stack of five
    dashed = [shape for shape in shapes if shape.get("stroke-dasharray")]
    assert len(dashed) == 2 * 4, "four sides of each word"
    assert sum(shape.get("stroke") == theme.LAST and not shape.get("stroke-dasharray") for shape in shapes) == 2
    assert image(boards.render_board_png(sample())).size == (1044, 1044)
    assert len(boards.render_board_png(sample())) < 30_000


def test_png_draws_umlauts_otherwise_than_plain_letters():
    pictures = {letter: boards.render_board_png(grid([f"E5 {letter}"])) for letter in "AÄOÖUÜẞ"}
    assert len(set(pictures.values())) == 7


@pytest.mark.slow
def test_a_picture_of_pieces_is_the_picture_that_resvg_draws_as_a_whole():
    """So no part is drawn outside its box, or where it does not belong; and with a palette it takes half the bytes.

    Pieces lie at whole pixels, and Pillow draws the letters: edges have other pixels, but no part is missing."""
    sizes = []
    assert len(scenes()) > 40
    for scene in scenes()[::8]:
        whole, pieces = png.render_png_uncached(boards.render_board_svg(scene)), boards.render_board_png(scene)
        one, other = (image(data).convert("L") for data in (whole, pieces))
        small = one.width // 10, one.height // 10
        seen = ImageChops.difference(one.resize(small), other.resize(small)).histogram()
        assert sum(seen[50:]) == 0
        sizes.append((len(pieces), len(whole)))
    assert sum(pieces for pieces, _ in sizes) <= 0.45 * sum(whole for _, whole in sizes)


@pytest.mark.parametrize("letter", ["漢", "★", "Ж", "😀"])
def test_a_letter_that_would_be_blank_is_refused(letter):
    with pytest.raises(OperatorError, match="glyph would come out blank"):
        boards.render_board_png(Grid(("A",), ("1",), (Cell(0, 0, letter),)))


def test_self_test_passes_and_notices_a_font_without_letters(monkeypatch, tmp_path):
    png.check_font()
    empty = tmp_path / "empty.ttf"
    empty.write_bytes(b"")
    monkeypatch.setattr(png, "FONT_FILE", empty)
    with pytest.raises(OperatorError, match="blank"):
        png.check_font()
    monkeypatch.setattr(png, "FONT_FILE", tmp_path / "none.ttf")
    with pytest.raises(OperatorError, match="missing"):
        png.check_font()


def test_the_list_of_covered_letters_is_the_fonts_own():
    fonts = pytest.importorskip("fontTools.ttLib")
    points = fonts.TTFont(png.FONT_FILE).getBestCmap()
    assert png.load_font_characters() == {chr(point) for point in points}
    assert set("ABCXYZÄÖÜẞß„“”‚‘’–…·•0123456789") <= png.load_font_characters()
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


def test_a_letter_of_two_characters_takes_one_place_in_the_text():
    scene = Grid(("A", "B"), ("1",), (Cell(0, 0, "A\u0308"), Cell(1, 0, "B")))
    assert board(scene)[1] == "1\u01c0 Ä   B"


def test_wide_boards_narrow_and_then_only_rows():
    def wide(n):
        return Grid(tuple(f"{i}" for i in range(n)), ("1",), (Cell(n - 1, 0, "E"),))

    assert all(len(line) <= 62 for n in (14, 15, 19) for line in board(wide(n)))
    assert board(wide(40)) == ()
    assert board_lines(wide(40), "de") == ("Reihe 1 ab 39: E",)


def test_html_board_is_small_and_its_alt_text_is_quoted():
    html = render_grid_table(sample(), 'x "quoted"')
    assert len(html.encode()) <= 20_000
    assert "&quot;quoted&quot;" in html
    ElementTree.fromstring(html.replace("&nbsp;", "\u00a0"))


LANGUAGES = ("de", "en")
EXPLAINED = ("word", "fresh", "sign")
"""Layers on which there is nothing but signs."""


def drawn(scene: Scene) -> list[Shape]:
    family = boards.get_board_family(scene)
    return list(family.iter_shapes(scene, family.fit_canvas(scene)))


def test_every_sign_has_a_name() -> None:
    for scene in scenes():
        for shape in drawn(scene):
            assert shape.marks or shape.layer not in EXPLAINED
            if shape.layer == "tile" and "<circle" in shape.svg and theme.VOWEL in shape.svg:
                assert shape.marks


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_drawn_is_explained_and_nothing_else(language: str) -> None:
    seen = set()
    for scene in scenes():
        told = " ".join(boards.render_legend_lines(scene, language)).lower()
        marks = {mark for shape in drawn(scene) for mark in shape.marks}
        seen |= marks
        for mark in MARKS:
            assert (render_label(f"mark-{mark}", language).lower() in told) == (mark in marks), (mark, told)
    assert seen == set(MARKS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", list(REGISTRY))
def test_letters_with_values_show_them_on_tiles_and_in_words(key: str, language: str) -> None:
    game, name = load_game(key), "turn" if key == "topwords" else f"{key}-turn"
    page, made = pages(language)[name], mail(language, name)
    if not game.tile_values:
        assert render_letter_values(page) == ""
        assert "font-size: 11px;font-weight: normal;vertical-align: sub" not in made.html
        return
    told = render_letter_values(page)
    assert told in " ".join(made.text.split())
    for letters in told.split(":", 1)[1].rstrip(".").split(";")[0].split(", "):
        value, *names = letters.replace(" für ", " ").replace(" for ", " ").split()
        assert {game.tile_values[name] for name in names} == {int(value)}
    assert page.rack
    for name in page.rack:
        assert f">{name}<span" in made.html or name not in game.tile_values
    assert any(cell.value == game.tile_values[cell.letter] for cell in page.scene.cells)
    assert all((cell.value is None) == cell.joker for cell in page.scene.cells)
