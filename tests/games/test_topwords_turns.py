"""Passing, exchanging, rounds and the end of a game of Topwords."""

from dataclasses import replace
from typing import Any

import pytest

from moderator.common.errors import Illegal
from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import LetterExchange, TopwordsPass, TopwordsPlacement, TopwordsPublic
from moderator.rules.game import State
from moderator.rules.state import view_for
from tests.games.topwords_table import context, table

HAUS = TopwordsPlacement("E5", "w", "HAUS")


@pytest.mark.parametrize("pass_rounds", [1, 2, 3])
def test_all_passed_ends_the_game(pass_rounds: int) -> None:
    state = table("HAUS", "B", pass_rounds=pass_rounds)
    turns = 0
    while not state.over:
        seat = state.to_move[0]
        step = (
            GAME.pass_turn(state, seat, context())
            if turns % 2
            else GAME.apply_move(state, seat, TopwordsPass(), context())
        )
        assert step.notes[0].code == ("missed" if turns % 2 else "passed")
        state = step.state
        turns += 1
    assert turns == 2 * pass_rounds
    assert [n.code for n in step.notes] == ["missed", "all-passed"]
    assert GAME.find_winners(state) == (0, 1)
    with pytest.raises(Illegal, match="game-over"):
        GAME.apply_move(state, 0, TopwordsPass(), context())


@pytest.mark.parametrize("move", [HAUS, LetterExchange(("H",))])
def test_a_move_or_an_exchange_breaks_the_passes(move: TopwordsPlacement | LetterExchange) -> None:
    state = table("HAUS", "B")
    for played in (TopwordsPass(), TopwordsPass(), move, TopwordsPass(), TopwordsPass(), TopwordsPass()):
        state = GAME.apply_move(state, state.to_move[0], played, context()).state
        assert not state.over
    assert GAME.apply_move(state, state.to_move[0], TopwordsPass(), context()).state.over


@pytest.mark.parametrize(
    ("letters", "stock", "option", "code"),
    [
        ("AB", "X", True, "exchange-too-many"), ("A", "", True, "exchange-too-many"),
        ("C", "XYZ", True, "not-your-letters"), ("AAA", "XYZ", True, "not-your-letters"),
        ("", "XYZ", True, "exchange-no-letters"), ("A", "XYZ", False, "exchange-off"),
    ],
)  # fmt: skip
def test_exchange_refused(letters: str, stock: str, option: bool, code: str) -> None:
    state = table("AAB", "CD", stock=stock, exchange=option)
    with pytest.raises(Illegal) as caught:
        GAME.apply_move(state, 0, LetterExchange(tuple(letters)), context())
    assert caught.value.code == code


def test_out_of_tiles_ends_the_game_at_once() -> None:
    state = table("HAUS", "BCD", stock="", leftover_penalty=5)
    step = GAME.apply_move(state, 0, HAUS, context())
    assert step.state.over
    assert step.points == 18
    assert [n.code for n in step.notes] == ["bonus-rack", "out-of-tiles", "leftover"]
    assert step.notes[1].seat == 0
    assert (step.notes[2].seat, step.notes[2].points, step.notes[2].params["count"]) == (1, -15, 3)
    assert step.state.scores == (18, -15)
    assert GAME.find_winners(step.state) == (0,)


def test_rounds_option_ends_after_full_rounds() -> None:
    state = table("HAUS", "B", rounds=1, starter=1)
    state = GAME.apply_move(state, 1, TopwordsPass(), context()).state
    step = GAME.apply_move(state, 0, HAUS, context())
    assert step.state.over
    assert (step.notes[-1].code, step.notes[-1].params) == ("rounds-reached", {"rounds": 1})
    assert GAME.find_winners(step.state) == (0,)


def test_pace_rounds_waits_for_the_close() -> None:
    state = table("HAUSEEE", "SEEEEEE", "AAAAAAA", pace="rounds", rounds=2)
    assert state.to_move == (0, 1, 2)
    state = GAME.apply_move(state, 0, HAUS, context()).state
    state = GAME.apply_move(state, 1, TopwordsPlacement("F5", "s", "AS"), context()).state
    state = GAME.pass_turn(state, 2, context()).state
    assert (state.to_move, state.public.round, state.public.starter) == ((0, 1, 2), 1, 0)
    step = GAME.close_round(state, context())
    assert step.notes == ()
    assert (step.state.public.round, step.state.public.starter) == (2, 1)
    step = GAME.close_round(step.state, context())
    assert [n.code for n in step.notes] == ["rounds-reached"]
    assert step.state.over


def test_closing_does_nothing_in_other_paces_or_after_the_end() -> None:
    state = table("HAUS", "SE")
    assert GAME.close_round(state, context()).state is state
    over = replace(table("HAUS", "SE", pace="rounds"), to_move=())
    assert GAME.close_round(over, context()).state is over


def start(rack: str = "HAUSMTIE", stock: str = "N" * 20, **options: object) -> State[TopwordsPublic]:
    return table(rack, stock=stock, seats=3, pace="common", **options)


def test_all_score_and_the_best_is_laid() -> None:
    state = start()
    choices = {0: TopwordsPlacement("E5", "w", "AUS", (), 7), 1: HAUS, 2: HAUS}
    step = GAME.evaluate_round(state, choices, context())
    assert step.state.scores == (6, 8, 8)
    assert step.points == 8
    assert step.played == HAUS
    seats = step.detail["seats"]
    assert [(s["seat"], s["points"], s["move"]) for s in seats] == [
        (0, 6, "E5 w AUS"), (1, 8, "E5 w HAUS"), (2, 8, "E5 w HAUS"),
    ]  # fmt: skip
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
        ("E5 w MAUS", "E5 w HAUS", "E5 w HAUS"), ("E5 w TU", "E5 w ÄH", "E5 w ÄH"), ("E5 w AU", "E5 w ÄH", "E5 w ÄH"),
        ("E5 w AH", "E5 w ÄH", "E5 w AH"), ("F5 w AH", "E6 w AH", "E6 w AH"), ("E6 w AH", "E5 w AH", "E5 w AH"),
        ("E5 s AH", "E5 w AH", "E5 w AH"), ("D5 w HAT", "E5 w AU", "D5 w HAT"),
    ],
)  # fmt: skip
def test_ties_go_by_alphabet_then_square(one: str, other: str, winner: str) -> None:
    state = start(rack="HAUSMTÄE")
    for texts in ((one, other), (other, one)):
        moves = {seat: GAME.parse_move(text, view_for(state, seat)) for seat, text in enumerate(texts)}
        assert GAME.evaluate_round(state, moves, context()).detail["laid"]["move"] == winner


def test_a_pass_none_and_nothing_are_no_move() -> None:
    step = GAME.evaluate_round(start(), {0: HAUS, 1: TopwordsPass()}, context())
    assert [(n.code, n.seat) for n in step.notes if n.code == "passed"] == [("passed", 1), ("passed", 2)]
    assert step.detail["seats"][1] == {"seat": 1, "points": 0, "words": [], "move": None}
    assert step.state.scores == (8, 0, 0)


def test_a_round_without_a_move_ends_the_game() -> None:
    state = start()
    assert view_for(state, 2).hand == view_for(state, None).hand == tuple("HAUSMTIE")
    step = GAME.evaluate_round(state, {}, context())
    assert step.state.over
    assert step.notes[-1].code == "common-no-move"
    assert (step.detail["laid"], step.played) == (None, None)
    with pytest.raises(Illegal, match="game-over"):
        GAME.evaluate_round(step.state, {}, context())
    with pytest.raises(Illegal, match="not-a-word"):
        GAME.evaluate_round(state, {0: HAUS}, context("MAUS"))


@pytest.mark.parametrize(
    ("code", "values"),
    [("common-rack-short", {"stock": "NNN", "leftover_penalty": 5}), ("rounds-reached", {"rounds": 1})],
)
def test_the_last_round_with_a_common_rack(code: str, values: dict[str, Any]) -> None:
    step = GAME.evaluate_round(start(**values), {0: HAUS}, context())
    assert (step.notes[-1].code, step.state.over, step.state.scores) == (code, True, (8, 0, 0))
    assert GAME.find_winners(step.state) == (0,)


def test_apply_only_checks() -> None:
    state = start()
    step = GAME.apply_move(state, 1, TopwordsPlacement("E5", "w", "HAUS", ("UX",), 9), context())
    assert step.state is state
    assert (step.points, step.played) == (8, HAUS)
    assert [n.code for n in step.notes] == ["claim-points", "claim-words-extra"]
    with pytest.raises(Illegal, match="not-your-letters"):
        GAME.apply_move(state, 1, TopwordsPlacement("E5", "w", "ROT"), context())
    with pytest.raises(Illegal, match="exchange-off"):
        GAME.apply_move(state, 1, LetterExchange(("H",)), context())
    assert GAME.apply_move(state, 1, TopwordsPass(), context()).state is state
    step = GAME.pass_turn(state, 1, context())
    assert (step.state is state, step.notes[0].code) == (True, "missed")
