"""Every way to write a Tridom move, and what is said about the wrong ones."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.errors import PlayerError, Unreadable
from moderator.games.tridom.board import all_tiles
from moderator.games.tridom.notation import STYLE
from moderator.games.tridom.state import Lay, Move
from moderator.mail.model import Line
from moderator.match.conditions import AfterDraw
from moderator.match.markers import looks_like_move
from moderator.match.orders import pieces, read_lines
from tests.games.tridom_table import GAME, SUPER, fixed, view

BOARD = {"(0,0)": "555", "(1,0)": "553", "(2,0)": "335", "(3,0)": "330", "(0,-1)": "155", "(-1,0)": "545"}
"""Tiles on the places 1 to 6, free cells 7 to 14; 8 is (1,1)."""
STATE = fixed("225 345 123", "001 002", stock="003", board=BOARD).state
SUPER_STATE = fixed("225 345 123", "001 002", stock="003", board=BOARD, game=SUPER).state
PLACES = len(STATE.public.board.cells)


def read(line: str) -> Move:
    return GAME.parse(line, view(STATE))


def code(line: str) -> str:
    with pytest.raises(Unreadable) as caught:
        read(line)
    assert "line" in caught.value.params
    return caught.value.code


@pytest.mark.parametrize(
    "line",
    [
        "225@8", "225 @ 8", "225@ 8", "522@8", "252@8", "225@08", "225 an 8", "225 AN 8", "225 at 8", "225 auf 8",
        "225 on 8", "225 bei 8", "225 to 8", "225 8", "225: 8", "225 : 8", "225 -> 8", "225 → 8", "2-2-5 an 8",
        "2-2-5@8", "2/2/5@8", "2.2.5@8", "2,2,5 an 8", "2:2:5 an 8", "2|2|5 an 8", "2 2 5 an 8", "2 - 2 - 5 an 8",
        "2–2–5 an 8", "(2,2,5) an 8", "[225] an 8", "225 an Platz 8", "225 auf Platz 8", "225 auf den Platz 8",
        "225 auf Platz Nr. 8", "225 an PLATZ 8!", "225 Platz 8", "225 at place 8", "225 on place no. 8",
        "225 place #8", "225, Platz 8", "lege 225 an 8", "Ich lege 225 an 8 an.",
        "ich lege den Stein 225 an Platz 8 an", "Lege die 225 auf Platz 8 bitte", "lay 225 at place 8",
        "I lay the tile 225 at 8", "place 225 on 8", "play 225 at 8 please", "Stein 225 an Platz 8",
        "tile 225 at place 8", "225 stein an 8", "an 8 225", "an 8: 225", "auf Platz 8 die 225", "Platz 8: 225",
        "place 8 = 2-2-5", "at 8: lay 225", "225@8 (9 Punkte)", "225 an 8 = 9", "225 an 8 (9)", "»225@8«",
        "„225 an 8“", " 225\u00a0an\t8 ", "２２５＠８", "22\u00ad5@8", "225@(1,1)", "225 an Platz (1, 1)",
    ],
)  # fmt: skip
def test_one_move_in_many_ways(line: str) -> None:
    assert read(line) == Lay("225", 8)


def test_cells_by_their_coordinates() -> None:
    assert read("225@(-2,0)") == read("225 an ( −2 , 0 )") == Lay("225", 10)


@pytest.mark.parametrize(
    ("line", "points"),
    [
        ("225@8 ab 10", 10), ("2-2-5 an 8, mindestens 40 Punkte", 40), ("225 at place 8 if at least 40 points", 40),
        ("225 8 ab 9", 9), ("225 an 8 (ab 40)", 40), ("lege 225 an 8 an, nur ab 12 P", 12), ("225@8 >= 46", 46),
    ],
)  # fmt: skip
def test_conditions(line: str, points: int) -> None:
    assert read(line) == Lay("225", 8, points)


@pytest.mark.parametrize(
    "line",
    [
        "nach Ziehen: bester", "Nach dem Ziehen immer der beste Platz", "after drawing: best",
        "AFTER DRAW: THE BEST PLACE",
    ],
)  # fmt: skip
def test_the_standing_order(line: str) -> None:
    assert read(line) == AfterDraw()
    assert GAME.lasting(read(line))
    assert not GAME.lasting(read("225@8"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", "empty-line"), ("  ", "empty-line"), ("225@8" + " " * 300, "line-too-long"), ("225", "no-place"),
        ("lege 2-2-5", "no-place"), ("225 @", "no-place"), ("678@8", "no-such-tile"), ("226 an 8", "no-such-tile"),
        ("225@99", "no-such-place"), ("225@0", "no-such-place"), ("225@(9,9)", "no-such-place"),
        ("225 344 355", "no-move"), ("225 344", "no-move"), ("001 112", "no-move"), ("225, 344, 355", "no-move"),
        ("2ǀ2ǀ5@8", "no-move"), ("2ǀ2ǀ5 an 8", "no-move"), ("8 ▲ 2·2·5", "no-move"), ("2·2·5 8", "no-move"),
        ("225@1,0", "no-move"), ("225@8 344@3", "no-move"), ("225 passt an 8", "no-move"), ("225@acht", "no-move"),
        ("22@8", "no-move"), ("2255@8", "no-move"), ("225 8 9", "no-move"), ("225 8 Punkte", "no-move"),
        ("22 5 an 8", "no-move"), ("passe", "no-pass"), ("hallo zusammen", "no-move"), ("225@٨", "no-move"),
    ],
)  # fmt: skip
def test_what_is_no_move(line: str, expected: str) -> None:
    assert code(line) == expected


def test_an_unknown_place_names_free_ones() -> None:
    with pytest.raises(Unreadable) as caught:
        read("225@99")
    free = caught.value.params["free"]
    board = STATE.public.board
    assert 1 <= len(free) <= 12
    assert free == sorted(free)
    assert all(board.cells[place - 1] in board.free for place in free)


@pytest.mark.parametrize(("digits", "tile"), [("132", "132"), ("321", "132"), ("213", "132"), ("123", "123")])
def test_supertridom_reads_clockwise(digits: str, tile: str) -> None:
    assert SUPER.parse(f"{digits}@8", view(SUPER_STATE)) == Lay(tile, 8)
    assert read(f"{digits}@8") == Lay("123", 8)


tiles = st.sampled_from(all_tiles(mirrored=False))
mirrored = st.sampled_from(all_tiles(mirrored=True))
places = st.integers(1, PLACES)
conditions = st.none() | st.integers(0, 999)


@given(tile=tiles, place=places, at_least=conditions)
def test_round_trip(tile: str, place: int, at_least: int | None) -> None:
    move = Lay(tile, place, at_least)
    assert GAME.parse(GAME.format(move), view(STATE)) == move


@given(tile=mirrored, place=st.integers(1, len(SUPER_STATE.public.board.cells)), at_least=conditions)
def test_round_trip_of_mirror_images(tile: str, place: int, at_least: int | None) -> None:
    move = Lay(tile, place, at_least)
    assert SUPER.parse(SUPER.format(move), view(SUPER_STATE)) == move


def test_the_canonical_notation() -> None:
    assert GAME.format(Lay("225", 8)) == "225@8"
    assert GAME.format(Lay("225", 8, 10)) == "225@8 ab 10"
    assert GAME.format(AfterDraw()) == "nach Ziehen: bester"
    assert read(GAME.format(AfterDraw())) == AfterDraw()


@given(racks=st.lists(mirrored, min_size=1, max_size=14), parted=st.sampled_from([" ", "  ", ", ", " · ", " | ", "\t"]))
def test_a_printed_rack_is_no_move(racks: list[str], parted: str) -> None:
    for line in (parted.join(racks), "Deine Steine: " + parted.join(racks)):
        with pytest.raises(PlayerError):
            GAME.parse(line, view(STATE))


@given(text=st.text(alphabet="0123456789-/.,: @()[]anplzeg=→«", max_size=30))
def test_what_is_read_can_be_written(text: str) -> None:
    try:
        move = read(text)
    except PlayerError:
        return
    assert read(GAME.format(move)) == move


def test_reading_takes_no_time_whatever_the_line() -> None:
    lines = [
        "den " * 49,
        "225 " * 49,
        "2-" * 99,
        "ich lege " * 22,
        "an platz " * 22,
        "( " * 99,
        "2 2 5 " * 33,
        "= " * 99,
    ]
    start = time.process_time()
    for line in lines:
        with pytest.raises(PlayerError):
            read(line)
    assert time.process_time() - start < 0.5


# ---- in a mail ----


def orders(*lines: str) -> list[str]:
    sheet = read_lines([Line(n, line) for n, line in enumerate(lines, 1)], read, GAME.format, GAME.style)
    return [line.canonical for line in sheet.orders]


@pytest.mark.parametrize(
    "lines",
    [
        ["225@8; sonst 345@3"], ["225@8", "345@3"], ["1. 225@8", "2. 3-4-5 an 3"],
        ["- 225 an Platz 8", "- 345 an Platz 3"], ["Ersatz: 345 3", "225 8"], ["2-2-5 an 8, sonst 3-4-5 an 3"],
        ["2.2.5@8 oder 3.4.5@3"], ["Zug: 225 8", "Ersatz 1: 345 3"], ["lay 225 at 8 else lay 345 at 3"],
        ["Hallo,", "225@8", "falls das nicht geht: 345@3", "Gruß, Anna"],
    ],
)  # fmt: skip
def test_candidates(lines: list[str]) -> None:
    assert orders(*lines) == ["225@8", "345@3"]


def test_a_condition_and_a_standing_order_among_candidates() -> None:
    assert orders("225@8 ab 40; sonst 345@3; sonst nach Ziehen: bester") == [
        "225@8 ab 40",
        "345@3",
        "nach Ziehen: bester",
    ]


@pytest.mark.parametrize(
    "text", ["225@", "2-2-5 an 88", "225 8", "225: 8", "225", "lege 225 an 99", "225 place x", "Platz", "225 auf x"]
)
def test_what_was_meant_as_a_move(text: str) -> None:
    assert looks_like_move(text, STYLE) is (text != "Platz")


@pytest.mark.parametrize("text", ["225 344 355", "Deine Steine: 225 344", "8 ▲ 2·2·5", "12 ▼ 3·5·?, 14 ▲ 0·0·?"])
def test_what_was_not(text: str) -> None:
    assert [looks_like_move(piece.text, STYLE) for piece in pieces(text, STYLE)] == [False]
