"""Dominoes, triangles and the snake of Domi Jongg as pictures and in words: nothing jumps, nothing overlaps, all is big
enough on a telephone, and what is drawn is said."""

import re
from collections.abc import Iterator
from statistics import median
from xml.etree import ElementTree

import pytest

from moderator.games.domijongg.rules import GAME as DOMIJONGG
from moderator.games.domijongg.state import NAMES
from moderator.games.dominos.rounds import lay_domino_in_state
from moderator.games.dominos.rules import GAME as DOMINOS
from moderator.games.dominos.rules import build_dominoes_scene as draw_bones
from moderator.games.dominos.state import DominosOptions as DominosOptions
from moderator.games.tridom.rules import build_triangles_scene as draw_triangles
from moderator.games.tridom.state import TridomOptions, TridomPublic
from moderator.render import boards, theme
from moderator.render.boards import compute_picture_size, describe_board_lines, render_board_svg
from moderator.render.boards.domijongg import ACROSS, TALL, WIDE, render_tile_face
from moderator.render.boards.dominos import UNIT
from moderator.render.boards.tridom import DIGIT, HALF
from moderator.rules.game import State
from moderator.rules.robots.choose import choose_robot_move
from moderator.rules.scenes import Layout, Scene, Snake, Triangles
from moderator.rules.state import view_for
from tests.games.domijongg_table import match, play
from tests.games.domijongg_table import table as dealt
from tests.games.dominos_table import board, context
from tests.games.tridom_table import GAME, SUPER, Tridom
from tests.games.tridom_table import context as tridom_context
from tests.pages.match_pages import TILE_GAMES, played

LAID = "66 62@L 61@R 64@N 22@L 13@R"
EMPTY = Layout((), (), ())


def bones(entries: str) -> Layout:
    return draw_bones(board(entries))


def test_dominoes_name_their_ends_and_mark_the_last_tile_and_the_spinner() -> None:
    found = [shape for shape in ElementTree.fromstring(render_board_svg(bones(LAID))).iter() if shape.tag[-2:] != "}g"]
    texts = [shape.text for shape in found if shape.tag.endswith("text")]
    assert texts == ["L", "2", "R", "3", "N", "4", "S", "6"]
    assert len([shape for shape in found if shape.get("stroke") == theme.LAST]) == 1
    spinner = [shape.tag.rpartition("}")[2] for shape in found if theme.VOWEL in shape.attrib.values()]
    assert spinner == ["rect", "circle"]
    pips = [shape for shape in found if shape.tag.endswith("circle") and shape.get("fill") == theme.INK]
    assert len(pips) == 12 + 8 + 7 + 10 + 4 + 4
    assert render_board_svg(EMPTY).count("stroke-dasharray") == 1


def phone_zoom(scene: Scene) -> float:
    """How much smaller than on paper a picture is in a mail on a phone."""
    crop = boards.get_mail_crop(scene)
    return crop.compute_zoom(boards.draw_board(scene, crop)[0])


def finished_rounds(seed: int) -> Iterator[Layout]:
    """The last table of each round of a match that two greedy players play."""
    ctx = context(seed)
    state = DOMINOS.setup(2, DominosOptions(), ctx).state
    while not state.over:
        seat, before = state.to_move[0], state
        move = DOMINOS.parse_move(choose_robot_move(DOMINOS, state, seat, ctx), view_for(state, seat))
        state = DOMINOS.apply_move(state, seat, move, ctx).state
        if state.over or state.public.round > before.public.round:
            yield draw_bones(lay_domino_in_state(before, seat, move.tile, move.place)[0].public.board)


def test_half_dominoes_are_large_enough_on_a_phone() -> None:
    """At the end of every round, when most lies."""
    scenes = [one for seed in range(15) for one in finished_rounds(seed)]
    halves = [UNIT * phone_zoom(one) for one in scenes]
    assert len(halves) > 40
    assert min(halves) >= 12
    assert median(halves) > 18


def test_what_the_ends_of_dominoes_count_stands_under_the_picture() -> None:
    """What fits there is drawn, which is not what a double counts."""
    assert boards.render_legend_lines(bones("66 62@L 61@R 22@L"), "de")[0] == "Die Enden zählen L 4, R 1: zusammen 5."
    assert boards.render_legend_lines(bones("66 62@L 61@R 60@N"), "en")[0] == "The ends count L 2, R 1, N 0: 3 in all."
    assert not any("zählen" in line for line in boards.render_legend_lines(EMPTY, "de"))
    for one in map(bones, ("66", "60", LAID)):
        assert re.search(rf"\b{one.total}\b", boards.render_legend_lines(one, "de")[0])


GAMES = pytest.mark.parametrize("game", [GAME, SUPER], ids=["tridom", "supertridom"])


def first_round(game: Tridom, seed: int, seats: int = 2) -> Iterator[State[TridomPublic]]:
    """Every position of a round in which the first move by its text is played."""
    ctx = tridom_context(seed)
    state = game.setup(seats, TridomOptions(), ctx).state
    while not state.over and state.public.round == 1:
        yield state
        seat = state.to_move[0]
        move = min(game.list_moves(view_for(state, seat), ctx), key=lambda found: game.format_move(found[0]))[0]
        state = game.apply_move(state, seat, move, ctx).state


def triangles(game: Tridom, state: State[TridomPublic]) -> Triangles:
    return game.build_scene(view_for(state, None))


@GAMES
def test_triangles_have_their_numbers_and_the_last_one_its_frame(game: Tridom) -> None:
    *_, last = first_round(game, 1)
    drawn = triangles(game, last)
    root = ElementTree.fromstring(render_board_svg(drawn))
    assert int(root.get("width", "0")) == compute_picture_size(drawn)[0]
    polygons = [shape for shape in root.iter() if shape.tag.endswith("polygon")]
    dashed = [shape for shape in polygons if shape.get("stroke-dasharray")]
    assert (len(polygons), len(dashed)) == (len(drawn.tiles) + len(drawn.free) + 1, len(drawn.free)), "and the frame"
    assert [shape.get("stroke") for shape in polygons].count(theme.LAST) == 1
    assert polygons[-1].get("stroke") == theme.LAST, "nothing covers the frame of the last tile"
    triples = sum(len(set(tile.corners)) == 1 for tile in drawn.tiles)
    assert sum(shape.tag.endswith("circle") for shape in root.iter()) == triples
    texts = [shape.text for shape in root.iter() if shape.tag.endswith("text")]
    known = sum(number is not None for cell in drawn.free for number in cell.corners)
    assert len(texts) == 3 * len(drawn.tiles) + len(drawn.free) + known
    assert {str(cell.place) for cell in drawn.free} <= set(texts)


@pytest.mark.parametrize("game", TILE_GAMES)
def test_the_canvas_of_a_match_holds_each_moment_and_nothing_beside(game: str) -> None:
    match = played(game)
    scenes = [match.game.build_scene(view_for(one.after.state, None)) for one in match.moments]
    family = boards.get_board_family(scenes[0])
    for shown in (scenes, [scene.close() for scene in scenes]):
        canvas = family.fit_canvas(*shown)
        paper = family.measure_paper(canvas)
        shapes = [one for scene in shown for one in family.iter_shapes(scene, canvas) if one.layer != "defs"]
        for at, corner, size in ((0, paper.left, paper.width), (1, paper.top, paper.height)):
            near = min(one.at[at] + one.box[at] for one in shapes) - corner
            far = max(one.at[at] + one.box[at + 2] for one in shapes) - corner
            assert -3 < near < 16
            assert -3 < size - far < 16


def test_numbers_of_triangles_are_big_enough_on_a_phone() -> None:
    """At the end of a round, when most lies."""
    heights = []
    for game in (GAME, SUPER):
        for seed in range(10):
            *_, last = first_round(game, seed, 2 + seed % 5)
            heights.append(DIGIT * 2 * HALF * phone_zoom(triangles(game, last)))
    heights.sort()
    assert heights[len(heights) // 10] >= 11
    assert heights[0] >= 10
    ElementTree.fromstring(render_board_svg(Triangles((), ())))


@GAMES
def test_the_lines_about_triangles_name_each_row_place_and_hexagon(game: Tridom) -> None:
    """Of hexagons as the rules count them, in whole matches."""
    seen = set()
    for one in played(game.key).moments:
        state = one.after.state.public
        scene = draw_triangles(state)
        six = [cell for cell in scene.free if state.board.count_hexagons((cell.x, cell.y)) and None not in cell.corners]
        lines = describe_board_lines(scene, "de")
        told = [line for line in lines if "Sechseck" in line]
        seen.add(bool(six))
        assert bool(told) == bool(six)
        assert not six or told[0].endswith(f": {', '.join(str(cell.place) for cell in six)}.")
    assert seen == {True, False}
    rows = [line for line in lines if line.startswith("Reihe ")]
    assert [line.partition(":")[0] for line in rows] == [f"Reihe {n}" for n in range(1, len(rows) + 1)]
    places = [line for line in lines if line.startswith("  ") or re.match(r"Reihe \d+: ", line)]
    assert max(map(len, places)) <= 46
    named = re.findall(r"(\d+) [▲▼]", " ".join(places))
    assert sorted(map(int, named)) == sorted(cell.place for cell in (*scene.tiles, *scene.free))


def snake() -> Snake:
    state = dealt("T3 E T2 N DR", "B5", board=["K3", "1: J3"])
    scene = DOMIJONGG.build_scene(view_for(play(state, "1: T3+E, T2; 3: N, DR").state, None))
    assert isinstance(scene, Snake)
    return scene


def snakes(seed: int) -> list[Snake]:
    return [DOMIJONGG.build_scene(view_for(step.state, None)) for step in match(seed, 2, games=1)]  # type: ignore[misc]


def placed(root: ElementTree.Element, shape: str, of: str = "") -> list[tuple[float, float, ElementTree.Element]]:
    """Every such element with its middle on the sheet: where its part lies, and where it is drawn in it."""
    found = []
    for group in root:
        x, y = map(float, re.findall(r"[-\d.]+", group.get("transform") or "0 0"))
        for e in group.iter():
            if e.tag.endswith(shape) and of in (e.get("r") or ""):
                found.append((x + float(e.get("cx") or 0), y + float(e.get("cy") or 0), e))
    return found


def test_no_number_of_a_head_covers_a_tile_or_another() -> None:
    for scene in snakes(4):
        root = ElementTree.fromstring(render_board_svg(scene))
        tiles = [(x, y, e.get("href")) for x, y, e in placed(root, "use") if "#tile-" in (e.get("href") or "")]
        assert [name for _, _, name in tiles] == [f"#tile-{link.tile}" for link in scene.links]
        names = {e.get("id") or "" for e in root.iter()}
        assert {name for name in names if "tile-" in name} == {f"tile-{link.tile}" for link in scene.links}
        circles = [(x, y) for x, y, _ in placed(root, "circle", "13.5")]
        assert len(circles) == len(scene.heads)
        for at, (x, y) in enumerate(circles):
            assert not any(abs(x - tx) < WIDE / 2 + 13 and abs(y - ty) < TALL / 2 + 13 for tx, ty, _ in tiles)
            assert all(abs(x - ox) >= 27 or abs(y - oy) >= 27 for ox, oy in circles[:at])


def test_the_last_turn_of_the_snake_is_framed_and_the_singlestone_marked() -> None:
    drawn = render_board_svg(snake())
    assert drawn.count(f'stroke="{theme.LAST}"') == 5
    assert len(re.findall(r"h12q6 0 6 6v12z", drawn)) == 1
    assert ACROSS * phone_zoom(snake()) >= 36, "readable on a phone"


def test_a_head_that_goes_on_elsewhere_carries_a_letter_at_both_tiles_and_lists_hold_every_tile() -> None:
    found = 0
    for seed in range(5):
        scene = snakes(seed)[-1]
        jumps = sum(
            abs(link.joint[0][0] - link.x) + abs(link.joint[0][1] - link.y) > 1 for link in scene.links if link.joint
        )
        drawn = ElementTree.fromstring(render_board_svg(scene)).iter()
        letters = [e.text for e in drawn if e.tag.endswith("text") and (e.text or "").islower()]
        assert letters == [letter for letter in "abcdefghij"[:jumps] for _ in range(2)]
        found += jumps
        listed = re.findall(r"\b(?:[BKT][1-9]|D[RGW]|[FJ][1-4]|[ESWN])\b", " ".join(describe_board_lines(scene, "de")))
        assert len(listed) >= len(scene.links) + 2 * (len(scene.heads) - 2)
        assert set(listed) == {link.tile for link in scene.links}
    assert found


def test_every_tile_of_the_snake_has_a_drawing_of_its_own() -> None:
    faces = [render_tile_face(tile) for tile in NAMES]
    assert len(set(faces)) == len(NAMES)
    for drawing in faces:
        ElementTree.fromstring(f"<svg>{drawing}</svg>")
        assert "<text" not in drawing
    for suit, mark in (("K", "-ring-"), ("B", "-stick-")):
        assert [render_tile_face(f"{suit}{n}").count(mark) for n in range(2, 10)] == list(range(2, 10))
