"""The board as a mail shows it, in all games: cut to what lies, the same in picture and text, small and quick enough;
and the bench with the tiles in hand."""

from functools import cache
from io import BytesIO

import pytest
from PIL import Image

from moderator.games import REGISTRY
from moderator.render import boards
from moderator.render.boards.bench import DRAWN, ROOM, render_bench
from moderator.render.boards.grid import STEP, Shape
from moderator.rules.scenes import Grid, Layout, Scene, Snake, Triangles
from moderator.rules.state import view_for
from tests.pages import match_pages
from tests.pages.all_pages import pages

GAMES = pytest.mark.parametrize("game", list(REGISTRY))
READABLE = 26
"""Css pixels of a square or a tile of Domi Jongg, where not too much lies."""


@cache
def scenes(game: str) -> tuple[Scene, ...]:
    """Boards from the first move to the last, with and without open ends."""
    found = [page.scene for page in pages("de").values() if page.scene and page.match and page.match.game == game]
    if game in match_pages.TILE_GAMES:
        match = match_pages.played(game)
        found += [match.game.build_scene(view_for(one.after.state, 0)) for one in match.moments[::4]]
    return tuple(dict.fromkeys(found))


def is_inside(shape: Shape, scene: Scene) -> bool:
    paper, _ = boards.draw_board(scene, boards.get_mail_crop(scene))
    left, top, right, bottom = shape.box
    x, y = shape.at[0] - paper.left, shape.at[1] - paper.top
    return x + left >= -2 and y + top >= -2 and x + right <= paper.width + 2 and y + bottom <= paper.height + 2


def count_lying(scene: Scene) -> int:
    match scene:
        case Grid():
            return len(scene.cells)
        case Layout():
            return len(scene.bones)
        case Triangles():
            return len(scene.tiles)
        case Snake():
            return len(scene.links)


def is_long(scene: Scene) -> bool:
    """Whether a mail leaves out rows of a snake that nobody plays at any more."""
    return isinstance(scene, Snake) and len({link.y for link in scene.links}) > 9


@GAMES
def test_what_lies_the_last_move_and_all_that_is_named_is_inside_the_cut(game: str) -> None:
    for scene in scenes(game):
        whole, cut = boards.draw_board(scene)[1], boards.draw_board(scene, boards.get_mail_crop(scene))[1]
        for layer in ("tile", "word", "fresh"):
            kept, all_of_them = ([one for one in shapes if one.layer == layer] for shapes in (cut, whole))
            assert all(is_inside(shape, scene) for shape in kept)
            assert len(kept) == len(all_of_them) or (layer == "tile" and is_long(scene))
        assert count_lying(scene) == sum(shape.layer == "tile" for shape in whole)
        for mark in ("end", "place", "head"):
            named, every = ([one for one in shapes if mark in one.marks] for shapes in (cut, whole))
            assert len(named) == len(every)
            assert all(is_inside(shape, scene) for shape in named)


@GAMES
def test_a_picture_is_small_enough_for_a_phone_and_sharp(game: str) -> None:
    heaviest = 0
    for scene in scenes(game):
        crop = boards.get_mail_crop(scene)
        width, height = boards.compute_picture_size(scene, crop)
        data = boards.render_board_png(scene, crop)
        assert width <= crop.width
        assert height <= crop.height
        assert Image.open(BytesIO(data)).size == (2 * width, 2 * height)
        heaviest = max(heaviest, len(data))
        paper, _ = boards.draw_board(scene, crop)
        if isinstance(scene, Grid):
            cut = boards.cut_scene(scene, crop)
            assert isinstance(cut, Grid)
            if len(cut.columns) <= 10 and len(cut.rows) <= 10:
                assert STEP * crop.compute_zoom(paper) >= READABLE
    assert heaviest < 30_000


@GAMES
def test_picture_and_text_show_the_same_rows_and_columns(game: str) -> None:
    for scene in scenes(game):
        crop = boards.get_mail_crop(scene)
        lines = boards.render_board_lines(boards.cut_scene(scene, crop), "de")
        assert lines
        if not isinstance(scene, Grid) or not boards.render_board_characters(scene):
            continue
        names = [
            shape.svg.partition(">")[2].partition("<")[0]
            for shape in boards.draw_board(scene, crop)[1]
            if shape.layer == "ground" and shape.svg.startswith("<text")
        ]
        head, *rows = lines
        assert names == [*head.split(), *(row.partition("ǀ")[0].strip() for row in rows)]
        assert max(map(len, lines)) <= 66
        for cell in scene.cells:
            assert cell.letter in "".join(rows)


def test_an_empty_board_is_cut_to_its_middle() -> None:
    scene = next(page.scene for page in pages("de").values() if isinstance(page.scene, Grid) and not page.scene.cells)
    cut = boards.cut_scene(scene, boards.get_mail_crop(scene))
    assert isinstance(cut, Grid)
    assert (cut.columns, cut.rows) == (("C", "D", "E", "F", "G", "H"), ("3", "4", "5", "6", "7", "8"))
    assert len(cut.shaded) == len(scene.shaded) == 4


@GAMES
def test_those_who_hear_the_board_hear_all_that_they_can_lay_at(game: str) -> None:
    for scene in scenes(game):
        words = boards.describe_board(scene, "de")
        match scene:
            case Grid():
                assert all(line in words for line in boards.describe_board_lines(scene, "de"))
            case Layout():
                assert all(f"({end.name}): hier passt {end.value}" in words for end in scene.ends)
            case Triangles():
                assert all(f"{cell.place} ▲" in words or f"{cell.place} ▼" in words for cell in scene.free)
            case Snake():
                assert all(head.tile in words for head in scene.heads)


@GAMES
def test_the_bench_shows_exactly_the_hand(game: str) -> None:
    hands = [page.rack for page in pages("de").values() if page.rack and page.match and page.match.game == game]
    assert hands
    for hand in hands:
        rows = render_bench(game, tuple(hand), "de")
        tiles = [tile for row in rows for tile in row]
        assert len(tiles) == len(hand)
        for row in rows:
            assert sum(tile.width + 4 for tile in row) <= ROOM
        if game not in DRAWN:
            assert all(tile.text and not tile.picture for tile in tiles)
            letters = sorted(name for name in hand if name.isalpha())
            assert sorted(tile.text for tile in tiles if tile.text != "★") == letters
            continue
        assert [tile.code for tile in tiles] == list(hand)
        for tile in tiles:
            assert len(tile.picture) <= 1500
            assert Image.open(BytesIO(tile.picture)).size == (2 * tile.width, 2 * tile.height)
