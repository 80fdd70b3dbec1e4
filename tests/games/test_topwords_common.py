"""Pace ``common``: one rack for all, everybody scores, the best move is laid."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from moderator.errors import Illegal
from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import Exchange, Pass, Place, Public
from moderator.match.contract import Context, State, view_for

Contexts = Callable[..., Context]
Tables = Callable[..., State[Public]]

HAUS = Place("E5", "w", "HAUS")


def start(table: Tables, rack: str = "HAUSMTIE", stock: str = "N" * 20, **options: object) -> State[Public]:
    return table(rack, stock=stock, seats=3, pace="common", **options)


def test_everybody_sees_the_rack(table: Tables) -> None:
    state = start(table)
    assert view_for(state, 2).hand == view_for(state, None).hand == tuple("HAUSMTIE")


def test_all_score_and_the_best_is_laid(table: Tables, context: Contexts) -> None:
    state = start(table)
    choices = {0: Place("E5", "w", "AUS", (), 7), 1: HAUS, 2: HAUS}
    step = GAME.settle(state, choices, context())
    assert step.state.scores == (6, 8, 8)
    assert step.points == 8
    assert step.played == HAUS
    seats = step.detail["seats"]
    assert [(s["seat"], s["points"], s["move"]) for s in seats] == [
        (0, 6, "E5 w AUS"),
        (1, 8, "E5 w HAUS"),
        (2, 8, "E5 w HAUS"),
    ]
    assert seats[0]["words"] == [{"word": "AUS", "points": 6}]
    assert (step.detail["laid"]["move"], step.detail["laid"]["seats"]) == ("E5 w HAUS", [1, 2])
    assert step.state.hands == (tuple("MTIENNNN"),)
    assert step.state.to_move == (0, 1, 2)
    assert step.state.public.round == 2
    assert "".join(step.state.public.board) == "HAUS"
    assert [(n.code, n.only) for n in step.notes] == [("claim-points", 0), ("common-drew", None)]


@pytest.mark.parametrize(
    ("one", "other", "winner"),
    [
        (Place("E5", "w", "MAUS"), Place("E5", "w", "HAUS"), "E5 w HAUS"),
        (Place("E5", "w", "TU"), Place("E5", "w", "ÄH"), "E5 w ÄH"),
        (Place("E5", "w", "AU"), Place("E5", "w", "ÄH"), "E5 w ÄH"),
        (Place("E5", "w", "AH"), Place("E5", "w", "ÄH"), "E5 w AH"),
        (Place("F5", "w", "AH"), Place("E6", "w", "AH"), "E6 w AH"),
        (Place("E6", "w", "AH"), Place("E5", "w", "AH"), "E5 w AH"),
        (Place("E5", "s", "AH"), Place("E5", "w", "AH"), "E5 w AH"),
        (Place("D5", "w", "HAT"), Place("E5", "w", "AU"), "D5 w HAT"),
    ],
)
def test_ties_go_by_alphabet_then_square(
    one: Place, other: Place, winner: str, table: Tables, context: Contexts
) -> None:
    state = start(table, rack="HAUSMTÄE")
    for first, second in ((one, other), (other, one)):
        step = GAME.settle(state, {0: first, 1: second}, context())
        assert step.detail["laid"]["move"] == winner


def test_a_pass_none_and_nothing_are_no_move(table: Tables, context: Contexts) -> None:
    step = GAME.settle(start(table), {0: HAUS, 1: Pass()}, context())
    assert [(n.code, n.seat) for n in step.notes if n.code == "passed"] == [("passed", 1), ("passed", 2)]
    assert step.detail["seats"][1] == {"seat": 1, "points": 0, "words": [], "move": None}
    assert step.state.scores == (8, 0, 0)


def test_a_round_without_a_move_ends_the_game(table: Tables, context: Contexts) -> None:
    step = GAME.settle(start(table), {}, context())
    assert step.state.over
    assert step.notes[-1].code == "common-no-move"
    assert step.detail["laid"] is None
    assert step.played is None
    with pytest.raises(Illegal, match="game-over"):
        GAME.settle(step.state, {}, context())


def test_a_rack_that_cannot_be_filled_ends_the_game(table: Tables, context: Contexts) -> None:
    step = GAME.settle(start(table, stock="NNN", leftover_penalty=5), {0: HAUS}, context())
    assert [n.code for n in step.notes][-1] == "common-rack-short"
    assert step.state.over
    assert step.state.scores == (8, 0, 0)
    assert GAME.winners(step.state) == (0,)


def test_without_common_end_it_goes_on(table: Tables, context: Contexts) -> None:
    state = start(table, stock="", rack="HAUSSO", common_end=False, pass_rounds=2)
    state = GAME.settle(state, {}, context()).state
    assert not state.over
    state = GAME.settle(state, {0: HAUS}, context()).state
    assert (state.over, state.hands) == (False, (("S", "O"),))
    step = GAME.settle(state, {1: Place("H6", "w", "SO")}, context())
    assert step.notes[-1].code == "out-of-tiles"
    assert step.state.scores[1] == 4 + 4 + 10
    again = GAME.settle(GAME.settle(state, {}, context()).state, {}, context())
    assert again.notes[-1].code == "all-passed"


def test_rounds_option(table: Tables, context: Contexts) -> None:
    step = GAME.settle(start(table, rounds=1), {0: HAUS}, context())
    assert step.notes[-1].code == "rounds-reached"
    assert step.state.over


def test_rack_bonus_counts_the_common_rack(table: Tables, context: Contexts) -> None:
    word = Place("B5", "w", "HAUSMTIE")
    assert GAME.settle(start(table), {0: word}, context()).points == 16 + 10
    assert GAME.settle(start(table, rack="HAUS"), {0: HAUS}, context()).points == 8


def test_apply_only_checks(table: Tables, context: Contexts) -> None:
    state = start(table)
    step = GAME.apply(state, 1, Place("E5", "w", "HAUS", ("UX",), 9), context())
    assert step.state is state
    assert (step.points, step.played) == (8, HAUS)
    assert [n.code for n in step.notes] == ["claim-points", "claim-words-extra"]
    with pytest.raises(Illegal, match="not-your-letters"):
        GAME.apply(state, 1, Place("E5", "w", "ROT"), context())
    with pytest.raises(Illegal, match="exchange-off"):
        GAME.apply(state, 1, Exchange(("H",)), context())
    assert GAME.apply(state, 1, Pass(), context()).state is state
    step = GAME.miss(state, 1, context())
    assert (step.state is state, step.notes[0].code) == (True, "missed")


def test_settle_refuses_what_is_not_admissible(table: Tables, context: Contexts) -> None:
    with pytest.raises(Illegal, match="not-a-word"):
        GAME.settle(start(table), {0: HAUS}, context("MAUS"))
