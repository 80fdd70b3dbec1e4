"""Dominoes in pictures and in words."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from statistics import mean, median
from xml.etree import ElementTree

import pytest

from moderator.games.dominos.rounds import laid
from moderator.games.dominos.rules import GAME, draw
from moderator.games.dominos.state import Options, printed
from moderator.match.contract import view_for
from moderator.match.robot import choose
from moderator.match.scenes import Layout
from moderator.pages import boards, theme
from moderator.pages.boards import svg
from moderator.pages.boards.dominos import LEAST, MARGIN, STEP, WIDTH, alt, canvas, frame, lists
from tests.games.dominos_table import board, context, random_round

LAID = "66 62@L 61@R 64@N 22@L 13@R"
EMPTY = Layout((), (), ())


def scene(entries: str) -> Layout:
    return draw(board(entries))


def shapes(drawing: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(drawing))


def test_the_picture_names_the_ends_and_marks_the_last_tile_and_the_spinner() -> None:
    root = ElementTree.fromstring(svg(scene(LAID), "Tisch", "a < b"))
    found = list(root)
    ground = next(shape for shape in found if shape.tag.endswith("rect"))
    assert (ground.get("width"), ground.get("height")) == (root.get("width"), root.get("height"))
    texts = [shape.text for shape in found if shape.tag.endswith("text")]
    assert texts == ["L", "2", "R", "3", "N", "4", "S", "6"]
    last = [shape for shape in found if shape.get("stroke") == theme.LAST]
    assert len(last) == 1
    assert [shape.tag.rpartition("}")[2] for shape in found if theme.VOWEL in shape.attrib.values()] == [
        "rect",
        "circle",
    ]
    pips = [shape for shape in found if shape.tag.endswith("circle") and shape.get("fill") == theme.INK]
    assert len(pips) == 12 + 8 + 7 + 10 + 4 + 4


def test_pictures_can_be_made_of_everything() -> None:
    for one in (EMPTY, scene("66"), scene("60"), scene(LAID)):
        data = boards.png(one)
        assert data.startswith(b"\x89PNG")
        assert len(data) < 30_000
    assert svg(EMPTY).count("stroke-dasharray") == 1
    assert boards.width(EMPTY) == WIDTH


def test_the_frame_holds_everything_and_never_shrinks() -> None:
    dice = random.Random(3)
    for _ in range(40):
        entries = random_round(dice)
        before = (0.0, 0.0, 0.0, 0.0)
        for length in range(1, len(entries) + 1):
            one = draw(board(entries[:length]))
            left, top, right, bottom = now = frame(one)
            for bone in one.bones:
                across, down = (0.5, 1) if bone.upright else (1, 0.5)
                assert left < bone.x - across < bone.x + across < right
                assert top < bone.y - down < bone.y + down < bottom
            for end in one.ends:
                assert left < end.x - 1 < end.x + 1 < right
                assert top < end.y - 1 < end.y + 1 < bottom
            sizes = tuple(map(abs, now))
            assert all(round(a - b - MARGIN, 6) % STEP == 0 for a, b in zip(sizes, (*LEAST, *LEAST), strict=True))
            assert all(a >= b for a, b in zip(sizes, before, strict=True))
            before = sizes


def finished_rounds(seed: int) -> Iterator[Layout]:
    """The last table of each round of a match that two greedy players play."""
    ctx = context(seed)
    state = GAME.setup(2, Options(), ctx).state
    while not state.over:
        seat, before = state.to_move[0], state
        move = GAME.parse(choose(GAME, state, seat, ctx), view_for(state, seat))
        state = GAME.apply(state, seat, move, ctx).state
        if state.over or state.public.round > before.public.round:
            yield draw(laid(before, seat, move.tile, move.place)[0].public.board)


def test_half_tiles_are_large_enough_on_a_phone() -> None:
    """At 390 css pixels, at the end of every round, when most lies."""
    halves = []
    for seed in range(25):
        for one in finished_rounds(seed):
            left, _, right, _ = frame(one)
            halves.append(390 / (right - left))
    assert len(halves) > 60
    assert min(halves) > 14
    assert median(halves) > 20


def test_the_scale_changes_seldom_in_a_round() -> None:
    dice = random.Random(5)
    changes = []
    for _ in range(40):
        entries = random_round(dice)
        units = [canvas(draw(board(entries[:length]))).unit for length in range(1, len(entries) + 1)]
        changes.append(len(set(units)) - 1)
    assert max(changes) <= 8
    assert mean(changes) < 4


def test_the_picture_uses_the_width_of_the_mail() -> None:
    for entries in ("66", "60", LAID):
        assert boards.width(scene(entries)) >= 0.98 * WIDTH


@pytest.mark.parametrize("language", ["de", "en"])
def test_what_the_ends_count_stands_under_the_picture(language: str) -> None:
    """What fits there is drawn, which is not what a double counts."""
    assert boards.beneath(scene("66 62@L 61@R 22@L"), "de")[0] == "Die Enden zählen L 4, R 1: zusammen 5."
    assert boards.beneath(scene("66 62@L 61@R 60@N"), "en")[0] == "The ends count L 2, R 1, N 0: 3 in all."
    for entries in ("66", "60", LAID):
        one = scene(entries)
        assert re.search(rf"\b{one.total}\b", boards.beneath(one, language)[0])
    assert not any("zählen" in line for line in boards.beneath(EMPTY, "de"))


def test_it_is_drawn_quickly() -> None:
    one = draw(board(max((random_round(random.Random(n)) for n in range(20)), key=len)))
    best = 1.0
    for _ in range(10):
        start = time.process_time()
        svg.__wrapped__(one)
        best = min(best, time.process_time() - start)
    assert best < 0.02


def test_the_list_names_each_arm_from_the_middle_outwards() -> None:
    assert lists(scene(LAID), "de") == (
        "Mitte (Spinner): 6ǀ6",
        "Links (L), offen 2, zählt 4: 6ǀ2 · 2ǀ2",
        "Rechts (R), offen 3, zählt 3: 6ǀ1 · 1ǀ3 (neu)",
        "Oben (N), offen 4, zählt 4: 6ǀ4",
        "Unten (S), offen 6, zählt 0: noch nichts",
        "Summe der Enden: 11",
    )
    assert lists(scene("65"), "en") == (
        "Middle: 6ǀ5 (new)",
        "Left (L), open 6, counts 6: nothing yet",
        "Right (R), open 5, counts 5: nothing yet",
        "Sum of the ends: 11",
    )
    assert lists(EMPTY, "de") == ("Der Tisch ist noch leer.",)


def test_the_longest_arm_is_listed_whole() -> None:
    entries = "66 65@R 54@R 43@R 32@R 21@R 10@R 00@R 02@R 22@R 24@R 44@R 46@R 63@R 33@R 31@R 11@R 16@R 62@R 25@R 55@R"
    line = lists(scene(entries), "de")[2]
    assert line.count("ǀ") == 20
    assert "…" not in line


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_paragraph_says_the_same(language: str) -> None:
    words = alt(scene(LAID), language, "Anna legt »31@R«, 0 Punkte")
    assert "Anna legt »31@R«, 0 Punkte." in words
    for line in lists(scene(LAID), language):
        assert line in words
    assert "\n" not in words
    assert lists(EMPTY, language)[0] in alt(EMPTY, language)


def test_a_tile_in_a_rack() -> None:
    assert [printed(name) for name in ("64", "6-4", "?", "xy")] == ["6ǀ4", "6ǀ4", "?", "xy"]
