"""Dominos: what is legal, what is forced, how rounds and matches end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from moderator.errors import Illegal
from moderator.games.dominos.rounds import blocked
from moderator.games.dominos.rules import GAME
from moderator.games.dominos.state import SET, Lay, Options, Public
from moderator.match.conditions import AfterDraw
from moderator.match.contract import Note, State, view_for
from tests.games.dominos_table import ZEROS, board, context, table


def codes(notes: tuple[Note, ...]) -> list[str]:
    return [note.code for note in notes]


def refused(state: State[Public], move: Any, seat: int = 0) -> Illegal:
    with pytest.raises(Illegal) as raised:
        GAME.apply(state, seat, move, context())
    return raised.value


def test_what_is_refused() -> None:
    state = table("64 31 22 65", "00 11", laid="66 63@R")
    assert refused(state, Lay("55", "L")).code == "not-your-tile"
    assert list(GAME.moves(view_for(state, 1), context())) == []
    fits_not = refused(state, Lay("22", "L"))
    assert (fits_not.code, fits_not.params) == ("does-not-fit", {"tile": "22", "ends": {"L": 6, "R": 3}})
    assert refused(state, Lay("22")).code == "does-not-fit"
    assert refused(state, Lay("64", "N")).code == "place-closed"
    assert refused(table("64", "11", laid="65 53@R"), Lay("64", "S")).code == "no-spinner"
    assert refused(table("64 10", "11", laid="65 51@R 16@R"), Lay("64")).code == "place-missing"
    assert refused(state, Lay("64", "L"), seat=1).params == {"seats": [0]}
    assert refused(replace(state, to_move=()), Lay("64", "L")).code == "game-over"


def test_conditions_and_a_place_that_is_not_named() -> None:
    state = table("31 22", "00 10", "", "66 63@R 64@L")
    assert refused(state, Lay("31", "R", at_least=10)).code == "scores-less"
    step = GAME.apply(state, 0, Lay("31", at_least=5), context())
    assert (step.points, step.played) == (5, Lay("31", "R"))


def test_the_public_state_says_how_everything_lies() -> None:
    laid = "64 42@R 66@L 63@L 65@N 55@N"
    public = GAME.export(Public(Options(), board(laid), round=3, gains=((5,), ())))
    assert public["line"] == ["36", "66", "64", "42"]
    assert public["arms"] == {"N": ["65", "55"], "S": []}
    assert (public["spinner"], public["sum"], public["round"]) == ("66", 3 + 2 + 10, 3)
    assert public["laid"] == laid.split()
    assert board(public["laid"]) == board(laid)


def test_after_a_draw_the_best_place_is_found() -> None:
    state = table("65 20", "22 11", "10 53 44", laid="66 63@R 64@L")
    drawn = GAME.apply(state, 0, Lay("65", "S"), context()).state  # L 4, R 3, S 5
    assert drawn.hands[1] == ("22", "11", "10", "53")
    assert dict(GAME.moves(view_for(drawn, 1), context())) == {Lay("53", "R"): 0, Lay("53", "S"): 10}
    step = GAME.apply(drawn, 1, AfterDraw(), context())
    assert (step.played, step.points) == (Lay("53", "S"), 10)


def test_of_equal_places_the_first_of_l_r_n_s_is_taken() -> None:
    state = table("31 20", "55 50", "62 44", laid="66 63@R 64@L")
    drawn = GAME.apply(state, 0, Lay("31", "R"), context()).state
    assert dict(GAME.moves(view_for(drawn, 1), context())) == {Lay("62", "N"): 0, Lay("62", "S"): 0}
    assert GAME.apply(drawn, 1, AfterDraw(), context()).played == Lay("62", "N")


def test_the_standing_order_waits_for_a_draw_of_its_own() -> None:
    state = table("31 20", "55 50", "62 44", laid="66 63@R 64@L")
    assert refused(state, AfterDraw()).code == "no-draw"
    drawn = GAME.apply(state, 0, Lay("31", "R"), context()).state
    assert refused(replace(drawn, to_move=(0,)), AfterDraw()).code == "no-draw"
    laid = GAME.apply(drawn, 1, Lay("62", "S"), context()).state
    assert refused(replace(laid, to_move=(1,)), AfterDraw(), seat=1).code == "no-draw"
    assert GAME.lasting(AfterDraw())
    assert not GAME.lasting(Lay("62", "S"))


def test_a_round_that_only_a_seat_that_has_left_could_go_on_with_is_blocked() -> None:
    state = table("64 31", "55 50", laid="66 63@R")
    late = GAME.miss(state, 0, context(3))
    assert (codes(late.after), late.state.to_move) == (["passed"], (0,))
    left = replace(context(3), out=(0,))
    step = GAME.miss(state, 0, left)
    assert codes(step.after)[:2] == ["blocked", "blocked-last"]
    assert [note.points for note in step.after if note.code == "sum-rests"] == [10 - 15]
    assert step.state.public.round == 2
    can = GAME.miss(table("64 31", "33 50", laid="66 63@R"), 0, left)
    assert (codes(can.after), can.state.to_move) == ([], (1,))
    drawing = GAME.miss(table("64 31", "55 50", "11 32", laid="66 63@R"), 0, left)
    assert codes(drawing.after) == ["drew", "drew-tiles"]


def test_going_out_and_the_next_round() -> None:
    state = table("31", "65 55 20 11", "10", laid="66 63@R")
    step = GAME.apply(state, 0, Lay("31", "R"), context(3))
    assert codes(step.after)[:9] == [
        "went-out", "rest", "sum-laid", "sum-rests", "sum-total", "sum-laid", "sum-total", "next-round", "opened",
    ]  # fmt: skip
    notes = {(note.code, note.seat): note for note in step.after[:8]}
    assert notes["rest", 1].params == {"tiles": ["65", "55", "20", "11"], "pips": 25}
    assert notes["sum-rests", 0].params == {"rests": 25, "rounded": 25, "own": 0, "points": 25}
    assert notes["sum-total", 0].params == {"round": 1, "points": 25, "total": 25}
    assert notes["sum-total", 1].params == {"round": 1, "points": 0, "total": 0}


def blocked_table(mine: str, other: str, scores: tuple[int, int] = (0, 0), last: int = 0, **options: Any) -> Any:
    state = table("60", "11", "", ZEROS, **options)
    public = replace(state.public, last=last)
    state = replace(state, public=public, hands=(tuple(mine.split()), tuple(other.split())), scores=scores)
    notes = blocked(state, context(1))[1]
    return notes[0].seat, notes[1].code


@pytest.mark.parametrize(
    ("hands", "values", "outcome"),
    [
        (("66", "11"), {"scores": (5, 0)}, (0, "blocked-score")),
        (("66", "11"), {"scores": (0, 5)}, (1, "blocked-score")),
        (("66 55", "11"), {"scores": (5, 5)}, (1, "blocked-tiles")),
        (("66", "11"), {"last": 1}, (1, "blocked-last")),
        (("66", "11"), {"last": 0}, (0, "blocked-last")),
        (("66", "11 21"), {"scores": (5, 0), "blocked_winner": "lowest_hand"}, (1, "blocked-pips")),
        (("33 21", "63"), {"blocked_winner": "lowest_hand"}, (1, "blocked-tiles")),
        (("63", "54"), {"last": 1, "blocked_winner": "lowest_hand"}, (1, "blocked-last")),
    ],
)
def test_who_wins_a_blocked_round(hands: tuple[str, str], values: Mapping[str, Any], outcome: tuple[int, str]) -> None:
    assert blocked_table(*hands, **values) == outcome


def test_an_opening_may_win() -> None:
    step = GAME.setup(2, Options(target=10), context(), {"racks": [["55", "10"], ["20"]]})
    assert step.state.over
    assert codes(step.notes) == [
        "opened", "target-reached", "sum-laid", "sum-total", "sum-laid", "sum-total", "match-won",
    ]  # fmt: skip


def test_the_winner_of_a_round_may_lead_any_tile() -> None:
    state = table("31", "65 55 20 11", "10", laid="66 63@R", leader="round_winner")
    step = GAME.apply(state, 0, Lay("31", "R"), context(3))
    assert codes(step.after)[-2:] == ["next-round", "leads"]
    assert (step.state.to_move, step.state.public.leader) == ((0,), 0)
    led = step.state
    moves = dict(GAME.moves(view_for(led, 0), context()))
    assert set(moves) == {Lay(tile) for tile in led.hands[0]}
    tile = led.hands[0][3]
    read = GAME.parse(f"{tile}@L", view_for(led, 0))
    assert read == Lay(tile)
    assert GAME.apply(led, 0, Lay(tile, "N"), context(3)).state.public.board.laid[0] == (tile, "")
    missed = GAME.miss(led, 0, context(3))
    assert missed.state.to_move == (1,)
    assert len(list(GAME.moves(view_for(missed.state, 1), context()))) == 7


def test_a_fixed_deal() -> None:
    step = GAME.setup(2, Options(), context(), {"racks": [["46", "1-0"], ["66"]], "stock": ["55"], "starter": 0})
    assert step.notes[0].params["tile"] == "64"
    assert step.state.hands == (("10",), ("66",))
    by_stock = GAME.setup(2, Options(), context(), {"stock": list(SET)})
    assert by_stock.state.hands[1][0] == "31"
    on_board = GAME.setup(2, Options(), context(5), {"board": ["66", "62@L"], "starter": 1})
    assert on_board.state.to_move == (1,)
    assert len(on_board.state.stock) + sum(map(len, on_board.state.hands)) == 26


def test_the_moves_of_a_position_are_found_quickly() -> None:
    state = table("64 42 21 65 33 10 22", "31", laid="66 62@L 61@R 63@N 60@S")
    view, best = view_for(state, 0), 1.0
    for _ in range(20):
        start = time.perf_counter()
        assert len(list(GAME.moves(view, context()))) > 5
        best = min(best, time.perf_counter() - start)
    assert best < 0.001
