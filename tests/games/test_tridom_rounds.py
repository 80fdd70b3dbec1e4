"""What happens by itself in Tridom: draws, penalties, passes, the end of a round with its sums, the next one."""

from __future__ import annotations

import dataclasses

import pytest

from moderator.errors import Illegal
from moderator.games.tridom.board import all_tiles
from moderator.games.tridom.state import Lay, Options, Public, terms
from moderator.match.contract import Context, Note, State, Step, view_for
from moderator.match.table import open_table, submit
from tests.games.tridom_table import GAME, UNMIXED, fixed, play

OPEN = {"(0,0)": "555"}


def codes(notes: tuple[Note, ...]) -> list[tuple[str, int | None, int]]:
    return [(note.code, note.seat, note.points) for note in notes]


# ---- draws and penalties ----


def test_drawing_stops_at_the_first_tile_that_fits() -> None:
    step = fixed("000", "555", stock="001 255 355", board=OPEN)
    assert codes(step.notes) == [("drew", 0, -10), ("drew-tiles", 0, 0)]
    assert step.notes[1].params == {"tiles": ["001", "255"]}
    assert step.notes[1].only == 0
    assert step.state.to_move == (0,)
    assert step.state.hands[0] == ("000", "001", "255")
    assert step.state.stock == ("355",)
    assert step.state.scores == (-10, 0)
    assert [GAME.format(move) for move, _ in GAME.moves(view_for(step.state, 0), UNMIXED)] == [
        "255@2",
        "255@3",
        "255@4",
    ]


def test_several_seats_in_a_row() -> None:
    state = fixed("255 001", "000", "002", "355", stock="003 004 011 555 012", board=OPEN).state
    step = play(GAME, state, "255@2")
    assert codes(step.after) == [
        ("drew", 1, -15),
        ("drew-tiles", 1, 0),
        ("cannot-lay", 1, -10),
        ("drew", 2, -5),
        ("drew-tiles", 2, 0),
    ]
    assert step.state.to_move == (2,)
    assert step.state.public.drawn == 1
    assert step.state.scores == (12, -25, -5, 0)


# ---- after a draw ----


def test_the_standing_order_lays_the_drawn_tile_on_its_best_place() -> None:
    board = {"(0,0)": "211", "(3,0)": "433", "(-2,0)": "111"}
    state = fixed("000 005", "055", stock="055 123", board=board).state
    assert state.public.drawn == 2
    step = play(GAME, state, "nach Ziehen: bester")
    assert step.points == 46
    assert step.played == Lay("123", state.public.board.places[1, 0])
    assert GAME.parse(GAME.format(step.played), view_for(state, 0)) == step.played


def test_of_equal_places_it_takes_the_lowest() -> None:
    state = fixed("000", "055", stock="255", board=OPEN).state
    assert play(GAME, state, "nach Ziehen: bester").played == Lay("255", 2)


def test_without_a_draw_there_is_no_standing_order() -> None:
    state = fixed("255 000", "055", stock="001", board=OPEN).state
    with pytest.raises(Illegal) as caught:
        play(GAME, state, "nach Ziehen: bester")
    assert caught.value.code == "no-draw"


def test_what_another_seat_drew_does_not_count() -> None:
    state = fixed("000", "055 155", stock="255", board=OPEN).state
    asked = dataclasses.replace(state, to_move=(1,))
    with pytest.raises(Illegal) as caught:
        play(GAME, asked, "nach Ziehen: bester")
    assert caught.value.code == "no-draw"


# ---- going out ----


def out() -> tuple[State[Public], Step[Public]]:
    state = fixed("255", "012 333", "001", stock="111", board=OPEN).state
    return state, play(GAME, state, "255@2")


def test_going_out_is_settled_line_by_line() -> None:
    _, step = out()
    ending = [(n.code, n.seat, n.points) for n in step.after[:11]]
    assert ending == [
        ("went-out", 0, 0),
        ("rest", 1, 0),
        ("rest", 2, 0),
        ("sum-laid", 0, 0),
        ("sum-out", 0, 25),
        ("sum-rests", 0, 13),
        ("sum-total", 0, 0),
        ("sum-laid", 1, 0),
        ("sum-total", 1, 0),
        ("sum-laid", 2, 0),
        ("sum-total", 2, 0),
    ]
    said = {(note.code, note.seat): dict(note.params) for note in step.after[:11]}
    assert said["rest", 1] == {"tiles": ["012", "333"], "points": 12}
    assert said["sum-laid", 0] == {"items": "12", "points": 12}
    assert said["sum-laid", 2] == {"items": "0", "points": 0}
    assert said["sum-rests", 0] == {"items": "12 + 1", "points": 13}
    assert said["sum-total", 0] == {"round": 1, "points": 50, "total": 50}
    assert [note.code for note in step.after[11:13]] == ["next-round", "opened"]
    assert step.after[11].params == {"round": 2}


# ---- blocked ----


def test_a_blocked_round() -> None:
    state = fixed("255 000", "001", "011", board=OPEN).state
    step = play(GAME, state, "255@2")
    assert [(n.code, n.seat, n.points) for n in step.after[:16]] == [
        ("passed", 1, -10),
        ("passed", 2, -10),
        ("passed", 0, -10),
        ("blocked", None, 0),
        ("rest", 0, 0),
        ("rest", 1, 0),
        ("rest", 2, 0),
        ("sum-laid", 0, 0),
        ("sum-own-rest", 0, 0),
        ("sum-total", 0, 0),
        ("sum-laid", 1, 0),
        ("sum-own-rest", 1, -1),
        ("sum-total", 1, 0),
        ("sum-laid", 2, 0),
        ("sum-own-rest", 2, -2),
        ("sum-total", 2, 0),
    ]
    totals = [note.params["total"] for note in step.after if note.code == "sum-total"]
    assert totals == [2, -11, -12]
    assert step.state.public.round == 2


def test_who_empties_the_stock_begins_the_circle() -> None:
    state = fixed("255 000", "001", "011", stock="002", board=OPEN).state
    step = play(GAME, state, "255@2")
    assert [(n.code, n.seat) for n in step.after[:5]] == [
        ("drew", 1),
        ("drew-tiles", 1),
        ("cannot-lay", 1),
        ("passed", 2),
        ("passed", 0),
    ]
    assert step.after[5].code == "blocked"


# ---- seats that have left ----


def left(*seats: int) -> Context:
    return dataclasses.replace(UNMIXED, out=seats)


def test_turns_of_a_seat_that_has_left_block_a_round() -> None:
    state = fixed("555 012", "013 014", "355 112", starter=0).state
    assert (state.to_move, state.scores) == ((2,), (35, -10, 0))
    step = GAME.miss(state, 2, left(2))
    assert [(n.code, n.seat, n.points) for n in step.after[:2]] == [("passed", 0, -10), ("blocked", None, 0)]
    totals = [note.params["total"] for note in step.after if note.code == "sum-total"]
    assert totals == [35 - 10 - 3, -10 - 9, -17]
    assert step.state.public.round == 2


def test_every_seat_has_its_turn_before_the_round_is_blocked() -> None:
    state = fixed("255 001", "355 002", "000 011", board=OPEN).state
    step = GAME.miss(state, 0, left(0))
    assert (step.after, step.state.to_move, step.state.public.passes) == ((), (1,), 1)
    assert GAME.miss(step.state, 1, left(0, 1)).state.public.round == 2
    laid = play(GAME, step.state, "355@2", left(0)).state
    assert (laid.to_move, laid.public.passes) == ((0,), 1)


def test_who_is_late_breaks_the_circle_though_others_have_left() -> None:
    state = fixed("255 000", "355 001", "011", board=OPEN).state
    state = GAME.miss(state, 0, left(0)).state
    step = GAME.miss(state, 1, left(0))
    assert codes(step.after) == [("passed", 2, -10)]
    assert (step.state.to_move, step.state.public.passes) == ((0,), 1)


# ---- the end of the match ----


def with_scores(state: State[Public], *scores: int) -> State[Public]:
    return dataclasses.replace(state, scores=scores)


def test_the_highest_score_wins_after_the_round() -> None:
    state = with_scores(fixed("255", "000 001", stock="111", board=OPEN).state, 380, 450)
    step = play(GAME, state, "255@2")
    assert (step.after[-1].code, step.after[-1].seat, step.after[-1].params) == ("match-won", 1, {"points": 450})
    assert step.state.over
    assert GAME.winners(step.state) == (1,)
    assert step.state.hands[1] == ("000", "001")
    with pytest.raises(Illegal) as caught:
        GAME.miss(step.state, 1, UNMIXED)
    assert caught.value.code == "game-over"


def test_a_tie_at_the_target_gives_another_round() -> None:
    state = with_scores(fixed("255", "000 001", "011", stock="111", board=OPEN).state, 380, 420, 1)
    step = play(GAME, state, "255@2")
    tied = next(note for note in step.after if note.code == "tied")
    assert (tied.seat, tied.params) == (None, {"seats": [0, 1], "points": 420})
    assert not step.state.over
    assert step.state.public.round == 2
    assert [note.code for note in step.after].index("tied") < [note.code for note in step.after].index("next-round")


# ---- through the table, as a mail would come ----


def test_the_first_candidate_that_can_be_laid_is_laid() -> None:
    values = {"racks": [["225", "345"], ["111"]], "stock": ["111"], "board": {"(0,0)": "211", "(1,0)": "122"}}
    table, _ = open_table(GAME, 2, Options(), UNMIXED, values)
    _, result = submit(GAME, table, 0, "225@99; sonst 345@4; sonst 225@3 ab 10; sonst 2-2-5 an Platz 3", UNMIXED)
    played = result.moves[0]
    assert (played.played, played.alternative, played.points) == ("225@3", 4, 9)
    assert [refused.code for refused in played.refused] == ["no-such-place", "does-not-fit-down", "scores-less"]


def test_terms() -> None:
    assert [terms(items) for items in ([], [35], [-5], [35, 12, -5, 0], [-5, -10, 3])] == [
        "0",
        "35",
        "-5",
        "35 + 12 - 5 + 0",
        "-5 - 10 + 3",
    ]


# ---- secrets ----


def test_errors_tell_the_same_whatever_others_hold() -> None:
    """Every refusal depends on the board and the seat's own rack only."""
    racks = ["255 344", "123 145"], ["255 344", "001 002"]
    found = []
    for mine, others in racks:
        state = fixed(mine, others, stock="003", board=OPEN).state
        errors = []
        for tile in all_tiles(mirrored=False):
            for place in (0, 1, 2, 9):
                try:
                    GAME.apply(state, 0, Lay(tile, place), UNMIXED)
                except Illegal as error:
                    errors.append((tile, place, error.code, error.params))
        found.append(errors)
    assert found[0] == found[1]
    assert len(found[0]) == 4 * 56 - 1
