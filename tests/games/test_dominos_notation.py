"""How moves of Dominos are read and written."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.errors import Ambiguous, Illegal, PlayerError, Unreadable
from moderator.games.dominos.rules import GAME
from moderator.games.dominos.state import PLACES, SET, Lay, printed
from moderator.match.conditions import AfterDraw
from moderator.match.markers import looks_like_move
from moderator.match.orders import split
from moderator.pages.boards.dominos import lists
from tests.games.dominos_table import context, random_round, table, view
from tests.games.tables import spelled

LAID = "66 62@L 61@R 64@N"
"""L 2, R 1, N 4, S 6."""
HAND = "42 21 65 33 10 22 43"


@pytest.mark.parametrize(
    "line",
    [
        "42@L", "24@L", "42 @ L", "42@l", "42 L", "42L", "L42", "L: 42", "4-2 L", "4:2 L", "4/2 L", "4|2 L", "4.2 L",
        "[4|2] L", "(4-2) links", "4 2 links", "42 links", "LINKS 42", "42 left", "42 li", "42 ←", "42 -> L",
        "42 auf L", "lege 42 links an", "Ich lege den Stein 42 bitte links an.", "lay 4-2 on the left side",
        "play 42 at L", "42 an 2", "42@2", "42 an die 2", "42 an zwei", "vier-zwei links", "four-two left", "42 2",
        "42 an der 2 links", "42 ans linke Ende", "42@L = 8", "42@L, 8 Punkte", "42 L macht 8 Punkte", "»42@L«",
        "*42@L*", "４２@L",
    ],
)  # fmt: skip
def test_spellings_of_one_move(line: str) -> None:
    assert GAME.parse(line, view(LAID, HAND)) == Lay("42", "L")


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("R", "R"), ("rechts", "R"), ("Right", "R"), ("re", "R"), ("→", "R"),
        ("N", "N"), ("Nord", "N"), ("NORTH", "N"), ("oben", "N"), ("top", "N"), ("↑", "N"),
        ("S", "S"), ("Süd", "S"), ("SUED", "S"), ("sued", "S"), ("South", "S"), ("unten", "S"), ("bottom", "S"),
        ("↓", "S"),
    ],
)  # fmt: skip
def test_names_of_ends(line: str, place: str) -> None:
    assert GAME.parse(f"64 {line}", view(LAID, HAND)) == Lay("64", place)


@pytest.mark.parametrize(
    ("line", "move"),
    spelled({
        "66@S": ["Doppelsechs unten", "double six bottom", "Doppel-6 S", "6er Pasch S", "Sechserpasch S"],
        "22@L": ["Pasch 2 links", "22"],
        "00@L": ["doppelnull L"],
        "65@S": ["65 an 6", "65", "6-5", "lege 65"],
        "33": ["33"],
        "22@L ab 5": ["22 ab 5"],
        "42@L ab 10": ["42@L ab 10", "42 links (mindestens 10 Punkte)", "42 left if at least 10"],
        "nach Ziehen: bester": ["nach Ziehen: bester", "After drawing: best"],
    }),
)  # fmt: skip
def test_readings(line: str, move: str) -> None:
    seen = view(LAID, HAND)
    assert GAME.format(GAME.parse(line, seen)) == move
    assert GAME.format(GAME.parse(move, seen)) == move


@pytest.mark.parametrize(
    ("line", "readings"),
    [
        ("42", ["42@L", "42@N"]), ("42 ab 5", ["42@L ab 5", "42@N ab 5"]), ("65 links rechts", ["65@L", "65@R"]),
        ("21", ["21@L", "21@R"]),
    ],
)  # fmt: skip
def test_two_readings_are_both_named(line: str, readings: list[str]) -> None:
    with pytest.raises(Ambiguous) as raised:
        GAME.parse(line, view(LAID, HAND))
    assert raised.value.code == "which-end"
    assert raised.value.params == {"line": line, "readings": readings}


def test_a_number_that_two_ends_show() -> None:
    with pytest.raises(Ambiguous) as raised:
        GAME.parse("63 an 6", view("66", "63"))
    assert raised.value.params["readings"] == ["63@L", "63@R"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("", "empty-line"), ("  »« ", "empty-line"), ("6" * 300, "line-too-long"), ("6ǀ5", "printed-tile"),
        ("6ǀ5@S", "printed-tile"), ("links", "no-tile"), ("6 links", "no-tile"), ("6 5", "no-tile"),
        ("an die 2: 42", "several-tiles"), ("42 21 65", "several-tiles"), ("42@L 21@R", "several-tiles"),
        ("42 an 2 4", "several-tiles"), ("87 L", "no-such-tile"), ("7-1 L", "no-such-tile"),
        ("420 L", "no-such-tile"), ("42@X", "no-such-place"), ("42 L oder so", "extra-words"),
        ("42 Grüße", "extra-words"), ("42 an 5", "no-such-end"), ("31", "tile-not-held"), ("3:1", "tile-not-held"),
        ("24.12.", "several-tiles"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(line: str, code: str) -> None:
    with pytest.raises(Unreadable) as raised:
        GAME.parse(line, view(LAID, HAND))
    assert raised.value.code == code
    assert raised.value.params["line"].rstrip("…") in line


def test_a_tile_that_fits_nowhere_is_refused_by_the_rules() -> None:
    state = table("33 42", "55", "", LAID)
    move = GAME.parse("33", view(LAID, "33 42"))
    assert move == Lay("33")
    with pytest.raises(Illegal) as raised:
        GAME.apply(state, 0, move, context())
    assert raised.value.params["ends"] == {"L": 2, "R": 1, "N": 4, "S": 6}


def test_on_an_empty_table_places_mean_nothing() -> None:
    for line in ("64", "64@L", "64 rechts", "64 an 4"):
        assert GAME.parse(line, view("", "64")) == Lay("64")


@pytest.mark.parametrize(
    ("line", "looks"),
    [
        ("64@L", True), ("6-4 links", True), ("64 an 4", True), ("[6|4] oben", True), ("lege 64 links", True),
        ("64", True), ("12 Uhr passt mir", False), ("6ǀ4", False), ("Gruß Anna", False), ("links ist es schön", False),
    ],
)  # fmt: skip
def test_what_was_meant_as_a_move(line: str, looks: bool) -> None:
    assert looks_like_move(line, GAME.style) is looks


def test_alternatives_come_one_by_one() -> None:
    found = split("64@L ab 10; sonst 6:4 rechts\nErsatz 2: 31 oben", GAME.style)
    assert [alternative.text for alternative in found] == ["64@L ab 10", "6:4 rechts", "31 oben"]


moves = st.one_of(
    st.just(AfterDraw()),
    st.builds(Lay, st.sampled_from(SET), st.sampled_from(PLACES), st.none() | st.integers(0, 999)),
)


@given(move=moves)
def test_what_is_written_is_read(move: Lay | AfterDraw) -> None:
    assert GAME.parse(GAME.format(move), view(LAID, HAND)) == move


@given(tile=st.sampled_from(SET), at_least=st.none() | st.integers(0, 999))
def test_a_lead_is_read(tile: str, at_least: int | None) -> None:
    assert GAME.parse(GAME.format(Lay(tile, "", at_least)), view("", " ".join(SET))) == Lay(tile, "", at_least)


@given(line=st.text(alphabet="0123456789 @-:|LRNSlrnsabdegiknopt.,;ǀÄüß\n", max_size=30))
@settings(max_examples=75)
def test_any_line_is_a_move_or_a_player_error(line: str) -> None:
    seen = view(LAID, HAND)
    try:
        move = GAME.parse(line, seen)
    except PlayerError:
        return
    assert GAME.parse(GAME.format(move), seen) == move


@pytest.mark.parametrize("language", ["de", "en"])
def test_no_line_of_our_lists_and_no_rack_is_a_move(language: str) -> None:
    dice = random.Random(7)
    for _ in range(30):
        laid = random_round(dice)
        now = " ".join(laid[: dice.randint(1, len(laid))])
        seen = view(now, " ".join(SET))
        lines = [
            *lists(GAME.scene(seen), language),
            *map(printed, SET),
            " ".join(map(printed, SET[:7])),
            " ".join(SET[:7]),
        ]
        for line in lines:
            for piece in (line, *line.split(":"), *line.split(" · ")):
                if "ǀ" in piece or piece == line:
                    with pytest.raises(PlayerError):
                        GAME.parse(piece, seen)
