"""Triangles as pictures and in words: nothing jumps, nothing overlaps, no line is a move, all is big enough."""

from __future__ import annotations

import re
import textwrap
import time
from collections.abc import Iterator
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from moderator.games.tridom.rules import draw
from moderator.games.tridom.state import Options, Public
from moderator.mail.model import Line
from moderator.match.contract import State, view_for
from moderator.match.orders import read_lines
from moderator.match.scenes import Triangle, Triangles
from moderator.pages import boards, theme
from moderator.pages.boards import svg, width
from moderator.pages.boards.tridom import DIGIT, canvas
from moderator.pages.flow import WIDTH
from tests.games.tridom_table import GAME, SUPER, Tridom, context
from tests.pages.match_pages import played

GAMES = pytest.mark.parametrize("game", [GAME, SUPER], ids=["tridom", "supertridom"])
PHONE = 340
"""Css pixels that a phone of 390 leaves for a picture."""


def first_round(game: Tridom, seed: int, seats: int = 2) -> Iterator[State[Public]]:
    """Every position of a round in which the first move by its text is played."""
    ctx = context(seed)
    state = game.setup(seats, Options(), ctx).state
    while not state.over and state.public.round == 1:
        yield state
        seat = state.to_move[0]
        move = min(game.moves(view_for(state, seat), ctx), key=lambda found: game.format(found[0]))[0]
        state = game.apply(state, seat, move, ctx).state


def scene(game: Tridom, state: State[Public]) -> Triangles:
    return game.scene(view_for(state, None))


def spots(picture: str) -> dict[str, tuple[float, float]]:
    """Where each free place has its number, in half tiles from the picture's corner."""
    found = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" font-size="([\d.]+)"[^>]*>(\d+)</text>', picture)
    return {text: (float(x), float(y)) for x, y, _, text in found if len(text) > 1}


@GAMES
def test_the_picture_is_opaque_and_well_formed(game: Tridom) -> None:
    *_, last = first_round(game, 1)
    drawn = scene(game, last)
    root = ElementTree.fromstring(svg(drawn, "Tisch", "A < B"))
    ground = next(shape for shape in root if shape.tag.endswith("rect"))
    assert (ground.get("width"), ground.get("height")) == (root.get("width"), root.get("height"))
    assert ground.get("rx") is None
    assert int(root.get("width", "0")) == width(drawn) <= 640
    polygons = [shape for shape in root if shape.tag.endswith("polygon")]
    dashed = [shape for shape in polygons if shape.get("stroke-dasharray")]
    assert (len(polygons), len(dashed)) == (len(drawn.tiles) + len(drawn.free) + 1, len(drawn.free)), "and the frame"
    assert [shape.get("stroke") for shape in polygons].count(theme.LAST) == 1
    assert polygons[-1].get("stroke") == theme.LAST, "nothing covers the frame of the last tile"
    triples = sum(len(set(tile.corners)) == 1 for tile in drawn.tiles)
    assert sum(shape.tag.endswith("circle") for shape in root) == triples
    texts = [shape.text for shape in root if shape.tag.endswith("text")]
    known = sum(number is not None for cell in drawn.free for number in cell.corners)
    assert len(texts) == 3 * len(drawn.tiles) + len(drawn.free) + known
    assert {str(cell.place) for cell in drawn.free} <= set(texts)


@GAMES
def test_everything_lies_inside_the_picture(game: Tridom) -> None:
    for state in first_round(game, 2):
        picture = svg(scene(game, state))
        across, down = map(float, re.search(r'width="([\d.]+)" height="([\d.]+)"', picture).groups())  # type: ignore
        for points in re.findall(r'points="([^"]+)"', picture):
            for point in points.split():
                x, y = map(float, point.split(","))
                assert 0 < x < across
                assert 0 < y < down


@GAMES
@pytest.mark.parametrize("seed", [3, 4])
def test_the_frame_grows_by_steps_and_nothing_moves_in_it(game: Tridom, seed: int) -> None:
    pictures = [svg(scene(game, state)) for state in first_round(game, seed)]
    sizes = [re.search(r'viewBox="([^"]+)"', picture)[1] for picture in pictures]  # type: ignore[index]
    assert len(set(sizes)) <= 9 < len(sizes)
    for (before, size), (after, other) in pairwise(zip(pictures, sizes, strict=True)):
        if size == other:
            one, two = spots(before), spots(after)
            kept = one.keys() & two.keys()
            assert {place: one[place] for place in kept} == {place: two[place] for place in kept}


def test_numbers_are_big_enough_on_a_phone() -> None:
    """Nine of ten positions at the end of a round show corners of 12 pixels or more, nearly all of 10."""
    heights = []
    for game in (GAME, SUPER):
        for seed in range(20):
            *_, last = first_round(game, seed, 2 + seed % 5)
            drawn = scene(game, last)
            heights.append(DIGIT * 2 * canvas(drawn).half * min(1, PHONE / width(drawn)))
    heights.sort()
    assert heights[len(heights) // 10] >= 11.5
    assert heights[1] >= 9.5
    assert heights[0] >= 8.5


def test_the_smallest_and_the_widest() -> None:
    opening = Triangles((Triangle(0, 0, 1, (5, 5, 5), True),), (Triangle(1, 0, 2, (5, 5, None)),))
    assert width(opening) == 420
    far = Triangles((*opening.tiles, Triangle(30, 0, 3, (0, 0, 0))), ())
    assert width(far) <= 640
    ElementTree.fromstring(svg(Triangles((), ())))


@GAMES
def test_png(game: Tridom) -> None:
    *_, last = first_round(game, 5)
    picture = boards.png(scene(game, last))
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(picture) < 200_000


def test_drawing_is_quick() -> None:
    *_, last = first_round(SUPER, 6)
    best = 1.0
    for _ in range(10):
        fresh = scene(SUPER, last)
        start = time.process_time()
        svg.__wrapped__(fresh)
        best = min(best, time.process_time() - start)
    assert best < 0.02


# ---- words ----


SMALL = Triangles(
    (Triangle(0, 0, 1, (5, 5, 5)), Triangle(1, 0, 2, (5, 5, 3), True)),
    (Triangle(-1, 0, 4, (5, None, 5)), Triangle(0, -1, 3, (None, 5, 5)), Triangle(1, 1, 5, (0, 3, 5))),
)


def test_the_board_in_words() -> None:
    assert boards.lists(SMALL, "de") == (
        "Zahlen im Uhrzeigersinn ab der Spitze (▲ oben, ▼ unten), ? = noch keine.",
        "Frei, alle drei Ecken bekannt (mindestens 40 Punkte extra):",
        "  5 ▲ 0·3·5",
        "Frei, zwei Ecken bekannt:",
        "  4 ▼ 5·?·5, 3 ▼ ?·5·5",
        "Zuletzt gelegt: Platz 2 ▼ 5·5·3.",
        "2 Steine liegen auf dem Tisch, Reihe für Reihe von oben:",
        "Reihe 1: 1 ▲ 5·5·5, 2 ▼ 5·5·3",
    )


def test_the_board_in_one_paragraph() -> None:
    assert boards.alt(SMALL, "en", "Anna lays »355@2«, 13 points") == (
        "Table of triangles: 2 tiles lie there, 3 places are free. Last move: Anna lays »355@2«, 13 points. "
        "Laid last: place 2 ▼ 5·5·3. Numbers clockwise from the tip (▲ at the top, ▼ at the bottom), ? = none yet. "
        "Free, all three corners known (at least 40 points extra): 5 ▲ 0·3·5. "
        "Free, two corners known: 4 ▼ 5·?·5, 3 ▼ ?·5·5."
    )


@pytest.mark.slow
@GAMES
@pytest.mark.parametrize("language", ["de", "en"])
def test_no_line_is_a_move(game: Tridom, language: str) -> None:
    for state in first_round(game, 7):
        view = view_for(state, state.to_move[0])
        lines = [*boards.lists(view_scene := game.scene(view), language), boards.alt(view_scene, language)]
        pieces = [piece for line in lines for piece in (line, *line.split(","), *line.split(":"))]
        pieces += [piece for line in lines for width in (20, 40, 62) for piece in textwrap.wrap(line, width)]
        numbered = [Line(n, line) for n, line in enumerate(pieces, 1)]
        canvas = read_lines(numbered, lambda text, view=view: game.parse(text, view), game.format, game.style)
        assert canvas.orders == ()
        assert canvas.errors == ()


@GAMES
def test_lines_are_short_and_complete(game: Tridom) -> None:
    *_, last = first_round(game, 8)
    drawn = scene(game, last)
    lines = boards.lists(drawn, "de")
    assert all(len(line) <= WIDTH or " " in line for line in lines)
    places = [line for line in lines if line.startswith("  ") or re.match(r"Reihe \d+: ", line)]
    assert max(map(len, places)) <= 46
    named = re.findall(r"(\d+) [▲▼]", " ".join(places))
    assert sorted(map(int, named)) == sorted(cell.place for cell in (*drawn.tiles, *drawn.free))


@GAMES
def test_the_words_name_the_places_that_close_a_hexagon(game: Tridom) -> None:
    """As the rules count them, in whole matches."""
    seen = set()
    for one in played(game.key).moments:
        board, scene = one.after.state.public.board, draw(one.after.state.public)
        six = [cell.place for cell in scene.free if board.hexagons((cell.x, cell.y)) and None not in cell.corners]
        told = [line for line in boards.lists(scene, "de") if "Sechseck" in line]
        seen.add(bool(six))
        assert bool(told) == bool(six)
        assert not six or told[0].endswith(f": {', '.join(map(str, six))}.")
    assert seen == {True, False}


@GAMES
def test_each_row_is_named(game: Tridom) -> None:
    scene = draw(played(game.key).moments[-2].after.state.public)
    rows = [line for line in boards.lists(scene, "de") if line.startswith("Reihe ")]
    assert [line.partition(":")[0] for line in rows] == [f"Reihe {n}" for n in range(1, len(rows) + 1)]
    assert len(rows) == len({tile.y for tile in scene.tiles})
