"""Where a Tridom tile fits, what it scores, how places are numbered, who opens."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import pytest

from moderator.errors import Illegal
from moderator.games.tridom.board import all_tiles, around, corners, is_triple, named, neighbours
from moderator.games.tridom.state import Lay, Options, Public, terms
from moderator.match.contract import Context, Note, State, view_for
from tests.games.tridom_table import GAME, UNMIXED, context, fixed, play


def illegal(state: State[Public], line: str) -> Illegal:
    before = state
    with pytest.raises(Illegal) as caught:
        play(GAME, state, line)
    assert state == before
    return caught.value


# ---- tiles and cells ----


def test_the_tiles_and_their_names() -> None:
    plain, both = all_tiles(mirrored=False), all_tiles(mirrored=True)
    assert (len(plain), len(both)) == (56, 76)
    assert set(plain) < set(both)
    assert list(both) == sorted(both)
    assert all(tile == "".join(sorted(tile)) for tile in plain)
    assert {n: sum(len(set(tile)) == n for tile in both) for n in (1, 2, 3)} == {1: 6, 2: 30, 3: 40}
    assert sum(map(is_triple, both)) == 6
    assert [named(digits, mirrored=False) for digits in ("522", "132", "000")] == ["225", "123", "000"]
    assert [named(digits, mirrored=True) for digits in ("522", "321", "312")] == ["225", "132", "123"]
    assert [named(digits, mirrored=True) for digits in ("62a", "12", "1234", "126")] == [None] * 4


@pytest.mark.parametrize("cell", [(0, 0), (1, 0), (-3, 4), (5, -2)])
def test_cells_and_corners_agree(cell: tuple[int, int]) -> None:
    own = corners(cell)
    for n, near in enumerate(neighbours(cell)):
        assert set(own) & set(corners(near)) == {own[n], own[(n + 1) % 3]}, "over the side from corner n to the next"
        assert cell in neighbours(near)
    for point in own:
        assert cell in around(point)
        assert all(point in corners(near) for near in around(point))
    assert len({near for point in own for near in around(point)}) == 13


# ---- fitting ----


@pytest.mark.parametrize(
    ("line", "code", "params"),
    [
        ("345@6", "not-your-tile", {"tile": "345"}),
        ("133@1", "taken", {"place": 1, "free": [6, 7, 8, 9, 10, 11, 12, 13]}),
        ("225@7", "does-not-fit-up", {"tile": "225", "place": 7, "corners": "0 · 3 · ?"}),
        ("225@9", "does-not-fit-down", {"tile": "225", "place": 9, "corners": "1 · ? · 3"}),
        ("nach Ziehen: bester", "no-draw", {}),
    ],
)
def test_what_the_rules_forbid(line: str, code: str, params: dict[str, Any]) -> None:
    board = {"(0,0)": "311", "(0,1)": "303", "(1,1)": "333", "(1,-1)": "121", "(0,-1)": "111"}
    state = fixed("133 225", "001", stock="000", board=board).state
    error = illegal(state, line)
    assert (error.code, error.params) == (code, params)


def test_places_that_are_not_there_and_seats_that_are_not_to_move() -> None:
    state = fixed("344", "001", stock="000", board={"(0,0)": "345"}).state
    for place in (0, -1, 5, 99):
        with pytest.raises(Illegal, match="no-such-place"):
            GAME.apply(state, 0, Lay("344", place), UNMIXED)
    with pytest.raises(Illegal, match="not-your-turn"):
        GAME.apply(state, 1, Lay("001", 2), UNMIXED)
    for seat in (1, None):
        assert GAME.moves(view_for(state, seat), UNMIXED) == []


def test_a_condition_holds_a_move_back() -> None:
    board = {"(0,0)": "211", "(3,0)": "433"}
    state = fixed("123 000", "001", stock="000", board=board).state
    error = illegal(state, "123@(1,0) ab 47")
    assert (error.code, error.params) == ("scores-less", {"points": 46, "at_least": 47})
    step = play(GAME, state, "123@(1,0) ab 46")
    assert step.points == 46
    assert GAME.format(step.played) == f"123@{state.public.board.places[1, 0]}"


# ---- bonuses ----


@pytest.mark.parametrize(
    ("options", "missing", "points"),
    [
        ({}, [], 50), ({}, ["(0,1)"], 50), ({"double_hexagon": 60}, [], 70), ({"double_hexagon": 60}, ["(0,1)"], 60),
        ({"double_hexagon": 60}, ["(0,1)", "(2,0)"], 50), ({"double_hexagon": 60, "bonus": "sum"}, ["(0,1)"], 100),
        ({"double_hexagon": 75}, [], 100),
    ],
)  # fmt: skip
def test_several_hexagons(options: dict[str, Any], missing: list[str], points: int) -> None:
    """A tile in the middle of twelve closes three; (0,1) and (2,0) touch one corner of it each."""
    near = {other for point in corners((0, 0)) for other in around(point)} - {(0, 0)}
    board = {cell: "000" for x, y in near if (cell := f"({x},{y})") not in missing}
    step = play(GAME, fixed("000 111", "001", stock="002", board=board, **options).state, "000@(0,0)")
    assert step.points == points
    assert (step.notes[0].code, step.notes[0].params["count"]) == ("bonus-hexagon", 3 - len(missing))


# ---- places ----


def test_a_fixed_deal() -> None:
    state = fixed("345", "001", stock="000", board={"(1,0)": "553", "(0,0)": "555"}).state
    assert state.public.board.cells == ((0, 0), (1, 0), (1, 1), (-1, 0), (2, 0), (0, -1))
    assert fixed("345", "001", stock="000", board={"0,0": "555", "(1, 0)": "553"}).state == state
    step = fixed("555 344", "002 012 345", stock="003", starter=1)  # it opens with its own best tile
    assert (step.notes[0].seat, step.notes[0].params["tile"]) == (1, "345")
    assert step.state.public.gains == ((), (22,))
    step = GAME.setup(2, Options(), UNMIXED, {"stock": list(all_tiles(mirrored=False)[:20])})
    assert step.notes[0].params["tile"] == "000"


# ---- speed ----


def test_listing_the_moves_of_a_full_table_is_quick() -> None:
    ctx = context(5)
    state = GAME.setup(4, Options(target=10_000), ctx).state
    for _ in range(30):
        seat = state.to_move[0]
        move = min(GAME.moves(view_for(state, seat), ctx), key=lambda found: GAME.format(found[0]))[0]
        state = GAME.apply(state, seat, move, ctx).state
    view = dataclasses.replace(view_for(state, state.to_move[0]), hand=all_tiles(mirrored=False)[::5])
    times = []
    for _ in range(20):
        start = time.process_time()
        assert list(GAME.moves(view, ctx))
        times.append(time.process_time() - start)
    assert min(times) < 0.004


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
        "255@2", "255@3", "255@4",
    ]  # fmt: skip


def test_several_seats_in_a_row() -> None:
    state = fixed("255 001", "000", "002", "355", stock="003 004 011 555 012", board=OPEN).state
    step = play(GAME, state, "255@2")
    assert codes(step.after) == [
        ("drew", 1, -15), ("drew-tiles", 1, 0), ("cannot-lay", 1, -10), ("drew", 2, -5), ("drew-tiles", 2, 0),
    ]  # fmt: skip
    assert step.state.to_move == (2,)
    assert step.state.public.drawn == 1
    assert step.state.scores == (12, -25, -5, 0)


# ---- after a draw ----


def test_the_standing_order_lays_the_drawn_tile_on_its_best_place() -> None:
    board = {"(0,0)": "211", "(3,0)": "433", "(-2,0)": "111"}
    state = fixed("000 005", "055", stock="055 123", board=board).state
    assert state.public.drawn == 2
    step = play(GAME, state, "nach Ziehen: bester")
    assert (step.points, step.played) == (46, Lay("123", state.public.board.places[1, 0]))
    others = dataclasses.replace(fixed("000", "055 155", stock="255", board=OPEN).state, to_move=(1,))
    with pytest.raises(Illegal, match="no-draw"):  # what another seat drew does not count
        play(GAME, others, "nach Ziehen: bester")


# ---- going out ----


def test_going_out_is_settled_line_by_line() -> None:
    step = play(GAME, fixed("255", "012 333", "001", stock="111", board=OPEN).state, "255@2")
    assert codes(step.after[:11]) == [
        ("went-out", 0, 0), ("rest", 1, 0), ("rest", 2, 0), ("sum-laid", 0, 0), ("sum-out", 0, 25),
        ("sum-rests", 0, 13), ("sum-total", 0, 0), ("sum-laid", 1, 0), ("sum-total", 1, 0), ("sum-laid", 2, 0),
        ("sum-total", 2, 0),
    ]  # fmt: skip
    said = {(note.code, note.seat): dict(note.params) for note in step.after[:11]}
    assert said["rest", 1] == {"tiles": ["012", "333"], "points": 12}
    assert said["sum-laid", 0] == {"items": "12", "points": 12}
    assert said["sum-laid", 2] == {"items": "0", "points": 0}
    assert said["sum-rests", 0] == {"items": "12 + 1", "points": 13}
    assert said["sum-total", 0] == {"round": 1, "points": 50, "total": 50}
    assert [note.code for note in step.after[11:13]] == ["next-round", "opened"]
    assert step.after[11].params == {"round": 2}
    assert terms([35, 12, -5, 0]) == "35 + 12 - 5 + 0"
    assert terms([-5, -10, 3]) == "-5 - 10 + 3"


# ---- blocked ----


def test_a_blocked_round() -> None:
    state = fixed("255 000", "001", "011", board=OPEN).state
    step = play(GAME, state, "255@2")
    assert [(n.code, n.seat, n.points) for n in step.after[:16]] == [
        ("passed", 1, -10), ("passed", 2, -10), ("passed", 0, -10), ("blocked", None, 0), ("rest", 0, 0),
        ("rest", 1, 0), ("rest", 2, 0), ("sum-laid", 0, 0), ("sum-own-rest", 0, 0), ("sum-total", 0, 0),
        ("sum-laid", 1, 0), ("sum-own-rest", 1, -1), ("sum-total", 1, 0), ("sum-laid", 2, 0),
        ("sum-own-rest", 2, -2), ("sum-total", 2, 0),
    ]  # fmt: skip
    totals = [note.params["total"] for note in step.after if note.code == "sum-total"]
    assert totals == [2, -11, -12]
    assert step.state.public.round == 2


# ---- seats that have left ----


def left(*seats: int) -> Context:
    return dataclasses.replace(UNMIXED, out=seats)


def test_turns_of_a_seat_that_has_left_block_a_round() -> None:
    state = fixed("555 012", "013 014", "355 112", starter=0).state
    assert (state.to_move, state.scores) == ((2,), (35, -10, 0))
    step = GAME.miss(state, 2, left(2))
    assert codes(step.after[:2]) == [("passed", 0, -10), ("blocked", None, 0)]
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
    late = GAME.miss(step.state, 1, left(0))  # who is late breaks the circle
    assert (codes(late.after), late.state.to_move, late.state.public.passes) == ([("passed", 2, -10)], (0,), 1)


# ---- the end of the match ----


def test_the_highest_score_wins_after_the_round() -> None:
    state = dataclasses.replace(fixed("255", "000 001", stock="111", board=OPEN).state, scores=(380, 450))
    step = play(GAME, state, "255@2")
    assert (step.after[-1].code, step.after[-1].seat, step.after[-1].params) == ("match-won", 1, {"points": 450})
    assert (step.state.over, GAME.winners(step.state), step.state.hands[1]) == (True, (1,), ("000", "001"))
    with pytest.raises(Illegal, match="game-over"):
        GAME.miss(step.state, 1, UNMIXED)


def test_a_tie_at_the_target_gives_another_round() -> None:
    state = fixed("255", "000 001", "011", stock="111", board=OPEN).state
    step = play(GAME, dataclasses.replace(state, scores=(380, 420, 1)), "255@2")
    assert [note.code for note in step.after if note.code in ("tied", "next-round", "match-won")] == [
        "tied",
        "next-round",
    ]
    tied = next(note for note in step.after if note.code == "tied")
    assert (tied.seat, tied.params) == (None, {"seats": [0, 1], "points": 420})
    assert (step.state.over, step.state.public.round) == (False, 2)


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
