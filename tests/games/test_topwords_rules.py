"""What the rules of Topwords forbid and allow, option by option."""

from typing import Any

import pytest

from moderator.common.errors import Illegal, OperatorError, Undecided
from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import TopwordsOptions, TopwordsPlacement, TopwordsPublic
from moderator.rules.game import State, Step
from moderator.rules.state import Context, view_for
from tests.games.topwords_table import context, table
from tests.games.typdom_table import codes

FLAT = {"D5": "M", "E5": "O", "F5": "O", "G5": "D"}


def play(state: State[TopwordsPublic], text: str, ctx: Context, seat: int | None = None) -> Step[TopwordsPublic]:
    seat = state.to_move[0] if seat is None and state.to_move else seat or 0
    return GAME.apply_move(state, seat, GAME.parse_move(text, view_for(state, seat)), ctx)


def refused(state: State[TopwordsPublic], text: str, ctx: Context, seat: int | None = None) -> Illegal:
    with pytest.raises(Illegal) as caught:
        play(state, text, ctx, seat)
    return caught.value


def test_the_first_word_lies_on_a_centre_square() -> None:
    state = table("HAUSEEE", "A")
    for text in ("E5 w HAUS", "E6 w HAUS", "E5 s HAUS", "C6 w HAUS", "F2 s HAUSE", "B5 w HAUS"):
        assert play(state, text, context()).points >= 8
    for text in ("A1 w HAUS", "A5 w HAUS", "G5 w HAUS", "E7 s HAUS", "D3 s HAUS"):
        assert refused(state, text, context()).code == "no-centre"


def test_a_word_must_fit_on_the_board() -> None:
    state = table("HAUSEEE", "A")
    error = refused(state, "H5 w HAUS", context())
    assert (error.code, error.params["room"]) == ("off-board", 3)
    assert refused(state, "E8 s HAUS", context()).code == "off-board"
    for move in (
        TopwordsPlacement("Z9", "w", "HAUS"),
        TopwordsPlacement("", "s", "HAUS"),
        TopwordsPlacement("E11", "w", "HAUS"),
    ):
        with pytest.raises(Illegal, match="square-off-board"):
            GAME.apply_move(state, 0, move, context())


def test_the_whole_run_must_be_named() -> None:
    state = table("SEHEEEE", "A", board=FLAT)
    error = refused(state, "H5 w SE", context())
    assert (error.code, error.params["run"], error.params["square"]) == ("not-whole-word", "MOODSE", "D5")
    assert play(state, "D5 w MOODSE", context()).points == 12
    assert refused(state, "D5 w MOOD", context()).code == "nothing-laid"
    for board in (state, table("HAUSEEE", "A")):
        assert refused(board, "E6 w H", context()).code == "too-short"


def test_a_later_word_must_touch() -> None:
    state = table("HAUSEEE", "A", board=FLAT)
    assert refused(state, "A1 w HAUS", context()).code == "not-connected"
    assert refused(state, "H6 w HA", context()).code == "not-connected"  # the corner of a square is no touch
    assert play(state, "G6 w HA", context()).points == 4 + 4  # HA, and DH in column G


def test_a_square_that_shows_the_letter_is_kept() -> None:
    step = play(table("WMOODEE", "A", board=FLAT), "D5 w WOOD", context())
    assert step.points == 5
    assert step.state.public.board[43:47] == ("MW", "O", "O", "D")
    assert step.state.hands[0] == tuple("MOODEEN")


@pytest.mark.parametrize(("limit", "height", "legal"), [(5, 4, True), (5, 5, False), (2, 2, False), (7, 6, True)])
def test_max_height(limit: int, height: int, legal: bool) -> None:
    board = {**FLAT, "D5": ("MN" * 5)[:height]}
    state = table("WEEEEEE", "A", board=board, max_height=limit)
    if legal:
        assert play(state, "D5 w WOOD", context()).points == height + 4
    else:
        error = refused(state, "D5 w WOOD", context())
        assert (error.code, error.params["square"]) == ("too-high", "D5")


@pytest.mark.parametrize("text", ["D5 w HAUS", "D5 w HAUSE"])
def test_covering_a_whole_word_is_an_option(text: str) -> None:
    board = {"D5": "M", "E5": "O"}
    assert play(table("HAUSEEE", "A", board=board), text, context()).points > 0
    error = refused(table("HAUSEEE", "A", board=board, cover_whole_word=False), text, context())
    assert (error.code, error.params["covered"]) == ("covers-whole-word", "MO")


def test_a_word_may_be_covered_but_for_one_letter_and_a_lone_letter_wholly() -> None:
    state = table("HAUSEEE", "A", board={"D5": "M", "E5": "A"}, cover_whole_word=False)
    assert play(state, "D5 w HAUS", context()).points > 0
    lone = table("HAUSEEE", "A", board={"D5": "M"}, cover_whole_word=False)
    assert play(lone, "D5 w HAUS", context()).points > 0


def test_words_to_be_asked_about_hold_the_move() -> None:
    state = table("NETEEEE", "A", board=FLAT)
    with pytest.raises(Undecided) as caught:
        play(state, "F6 w NET", context("NET", ask="ON DE"))
    assert caught.value.words == ("ON", "DE")
    assert refused(state, "F6 w NET", context("NIX", ask="ON DE")).code == "not-a-word"
    assert refused(state, "F6 w NETZ", context("NIX", ask="ON DE")).code == "not-your-letters"


def test_a_base_form_saves_a_part_of_a_separable_verb() -> None:
    ctx = context("HAUS", bases={"IXTE": "AUSIXEN"})
    state = table("IXTEEEE", "A")
    assert refused(state, "E5 w IXTE", ctx).code == "not-a-word"
    assert refused(state, "E5 w IXTE (einixen)", ctx).code == "not-a-word"
    step = play(state, "E5 w IXTE (ausixen) 10", ctx)
    assert step.points == 8 + 2
    assert step.played == TopwordsPlacement("E5", "w", "IXTE", ("AUSIXEN",))
    assert "claim-words-extra" not in codes(step.notes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F6 w NET (ON, DE) 14", []),
        ("F6 w NET (NET, ON, DE)", []),
        ("F6 w NET 14", []),
        ("F6 w NET 15", ["claim-points"]),
        ("F6 w NET (ON)", ["claim-words-missing"]),
        ("F6 w NET (ON, DE, UX) 13", ["claim-points", "claim-words-extra"]),
        ("F6 w NET (OFF)", ["claim-words-extra"]),
    ],
)
def test_claims(text: str, expected: list[str]) -> None:
    step = play(table("NETEEEE", "A", board=FLAT), text, context())
    claims = [note for note in step.notes if note.code.startswith("claim")]
    assert [note.code for note in claims] == expected
    assert all(note.only == 0 for note in claims)
    assert step.points == 14
    assert step.played == TopwordsPlacement("F6", "w", "NET")
    strict = table("NETEEEE", "A", board=FLAT, claims="strict")
    if expected:
        error = refused(strict, text, context())
        assert (error.code, error.params["points"]) == ("wrong-claim", 14)
    else:
        assert play(strict, text, context()).points == 14


def test_rare_letters_count_once_per_tile_from_the_rack() -> None:
    state = table("XYEEEEEE", "EEEEEEE", board={"E5": "J", "F5": "A"})
    step = play(state, "E5 w JAX", context())  # the J lay there already
    assert step.points == 6 + 2
    step = play(state, "D6 w XY", context())  # XY, and JY in column E: the Y is in two words
    assert step.points == 4 + 4 + 4
    note = next(n for n in step.notes if n.code == "bonus-rare")
    assert (note.points, note.params["letters"], note.seat) == (4, ["X", "Y"], 0)


@pytest.mark.parametrize(
    ("rack", "stock", "points"), [("HAUSTIER", "N", 26), ("HAUS", "N", 8), ("HAUS", "", 18), ("REISTEN", "N", 24)]
)
def test_rack_bonus(rack: str, stock: str, points: int) -> None:
    step = play(table(rack, "A", stock=stock), f"C5 w {rack}", context())
    assert step.points == points
    assert ("bonus-rack" in codes(step.notes)) == (points > 2 * len(rack))


def test_scene_shows_the_last_move() -> None:
    step = play(table("NETEEEE", "A", board=FLAT), "F6 w NET", context())
    grid = GAME.build_scene(view_for(step.state, 1))
    assert grid.columns == tuple("ABCDEFGHIJ")
    assert grid.rows == tuple(str(n) for n in range(1, 11))
    assert {(c.x, c.y) for c in grid.cells if c.fresh} == {(5, 5), (6, 5), (7, 5)}
    assert grid.words == ((5, 5, 7, 5), (5, 4, 5, 5), (6, 4, 6, 5))
    assert grid.shaded == frozenset({(4, 4), (5, 4), (4, 5), (5, 5)})
    assert not grid.row_first


@pytest.mark.parametrize(("seats", "options"), [(15, {}), (1, {}), (100, {"rack_size": 1}), (2, {"tiles": {"A": 13}})])
def test_too_few_tiles_or_a_wrong_number_of_seats(seats: int, options: dict[str, Any]) -> None:
    with pytest.raises(OperatorError):
        GAME.setup(seats, TopwordsOptions(**options), context())
