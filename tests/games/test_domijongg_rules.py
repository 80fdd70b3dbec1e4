"""Turns, points, what happens by itself, and how games and series end."""

from __future__ import annotations

from typing import Any

import pytest

from moderator.errors import Illegal, OperatorError
from moderator.games.domijongg.rules import GAME
from moderator.games.domijongg.state import NAMES, WALL, Options
from moderator.match.contract import Context, view_for
from tests.games.domijongg_table import NoWords, context, play, table


def codes(notes: Any) -> list[tuple[str, int | None]]:
    return [(note.code, note.seat) for note in notes if not note.code.startswith("drew")]


def refusal(state: Any, text: str) -> tuple[str, dict[str, Any]]:
    with pytest.raises(Illegal) as raised:
        play(state, text)
    return raised.value.code, raised.value.params


# ---- the tiles and the deal ----


def test_there_are_144_tiles() -> None:
    assert (len(NAMES), len(WALL)) == (42, 144)
    assert [WALL.count(tile) for tile in ("B1", "T9", "E", "DW", "F1", "J4")] == [4, 4, 4, 4, 1, 1]


@pytest.mark.parametrize(("seats", "count"), [(2, 6), (3, 5), (4, 4), (8, 4)])
def test_the_deal(seats: int, count: int) -> None:
    labels: list[tuple[str, int]] = []

    def shuffle(label: str, items: Any) -> tuple[str, ...]:
        labels.append((label, len(items)))
        return tuple(items)

    step = GAME.setup(seats, Options(), Context(NoWords(), shuffle))
    state = step.state
    assert labels == [("round1", 144)]
    assert state.hands[0][:count] == WALL[:count]
    assert state.public.laid[0].tile == WALL[seats * count]
    assert [(n.code, n.seat) for n in step.notes[:2]] == [("opened", 0), ("starts", 1)]
    assert state.public.games == seats
    assert sum(map(len, state.hands)) + len(state.stock) + 1 == 144


def test_a_special_is_no_singlestone() -> None:
    labels: list[str] = []

    def shuffle(label: str, items: Any) -> tuple[str, ...]:
        labels.append(label)
        if label == "round1":
            return ("B1",) * 12 + ("F2", "J3", "B5", "K1", "K2")
        return tuple(items)

    step = GAME.setup(2, Options(), Context(NoWords(), shuffle))
    assert labels == ["round1", "round1/single1", "round1/single2"]
    assert step.state.public.laid[0].tile == "B5"
    assert step.notes[0].params == {"tiles": ["F2", "J3"]}
    assert sorted((*step.state.stock, *step.state.hands[0], *step.state.hands[1])).count("F2") == 1


def test_a_shuffle_that_always_turns_up_a_special_ends_too() -> None:
    def shuffle(label: str, items: Any) -> tuple[str, ...]:
        return (
            tuple(sorted(items, reverse=True))
            if "single" not in label
            else tuple(sorted(items, key=lambda t: t[0] not in "FJ"))
        )

    wall = ["B1"] * 12 + ["F1", "K2", "K3"]
    step = GAME.setup(2, Options(), Context(NoWords(), shuffle), {"stock": wall})
    assert step.state.public.laid[0].tile == "K2"


def test_a_fixed_stock_is_dealt_in_order_and_may_be_too_short() -> None:
    state = GAME.setup(2, Options(start_count=2), context(), {"stock": list(WALL[::4])[:6]}).state
    assert state.hands == (("B1", "B2"), ("B3", "B4"))
    assert (state.public.heads, state.stock, state.to_move) == (("B5", "B5"), ("B6",), (1,))
    with pytest.raises(OperatorError):
        GAME.setup(2, Options(), context(), {"stock": ["B1"] * 11})


# ---- a turn ----


def test_only_one_head_and_what_grows_from_it() -> None:
    state = table("T3 E T2 N DR", "DW", board=["K3", "1: J3", "2: B3"])
    assert refusal(state, "1: T3+E; 2: N") == ("other-head", {"head": 2, "first": 1})
    assert refusal(state, "3: N") == ("no-such-head", {"head": 3, "heads": [1, 2]})
    assert refusal(state, "1: T3+E; 4: N") == ("no-such-head", {"head": 4, "heads": [1, 2]})
    assert refusal(state, "1: T3+N, T9") == ("not-your-tiles", {"tiles": ["T9"]})
    assert play(state, "1: T3+E; 3: N, DR; 1: T2").state.public.heads == ("T2", "B3", "DR")


def test_a_fork_of_a_fork_opens_the_next_free_number() -> None:
    state = table("W E F2 B2 S N", "DW", board=["N", "1: F1"], stock=["K1"] * 9)
    step = play(state, "1: W+E; 3: F2, B2+S; 4: N")
    assert (step.state.public.heads, step.points) == (("W", "N", "B2", "N"), 2 + 1)
    state = table("T3 E", "DW", board=["K3", "1: J3", "1: J4"])  # no fork after a single continuation
    assert refusal(state, "1: T3+E") == ("fork-does-not-fit", {"tile": "T3", "lying": "J4", "head": 1})


def test_never_more_heads_than_agreed() -> None:
    board = ["N", "1: F1", "1: E+S"]
    state = table("F2 W N K1", "DW", board=board, max_heads=3)
    assert refusal(state, "1: F2, W+N") == ("too-many-heads", {"limit": 3})
    assert all(len(item) == 1 for move, _ in GAME.moves(view_for(state, 0), context()) for item in move.parts[0].items)
    assert play(table("F2 W N K1", "DW", board=board, max_heads=4), "1: F2, W+N").points == 1


def test_who_can_only_fork_beyond_the_limit_cannot_lay() -> None:
    board = ["DR", "2: W", "2: F1", "2: E+S", "1: N", "1: F2"]
    assert table("B2 T2", "B5 DW", board=board).to_move == (0,)
    assert table("B2 T2", "B5 DW", board=board, max_heads=3).to_move == (1,)


def test_ending_the_game_adds_two() -> None:
    step = play(table("B3 B3", "DW", board=["K3", "2: B3"], stock=[]), "2: B3, B3")
    assert step.points == 1 + 1 + 2
    assert [note.code for note in step.notes] == ["bonus-same", "bonus-hand", "bonus-last"]
    assert sum(note.points for note in step.notes) == step.points
    large = play(table("B3 B4 B5 B6", "DW", start_count=3, stock=[]), "2: B3, B4, B5, B6")
    assert large.points == 2 + 2


def test_a_condition() -> None:
    state = table("B3 B4 B5", "DW")
    assert refusal(state, "2: B3, B4 ab 1") == ("scores-less", {"points": 0, "at_least": 1})
    step = play(state, "2: B3, B4, B5 ab 1")
    assert (step.points, GAME.format(step.played)) == (1, "2: B3, B4, B5")
    assert step.detail == {"tiles": ["B3", "B4", "B5"]}


# ---- by itself ----


def test_penalty_tiles_until_somebody_can_lay() -> None:
    step = play(table("B3 B4", "DW", "E DR", "K5", stock=["K7"] * 2 + ["DG", "N", "S"] * 4), "2: B3")
    assert codes(step.after) == [("penalty", 1), ("penalty", 2)]
    assert (step.state.scores, step.state.public.penalties) == ((0, -1, -1, 0), (0, 1, 1, 0))
    assert step.state.to_move == (3,)
    fixed = {"racks": [["K4"], ["DW"]], "stock": ["K7"] * 9, "single": "K3"}
    step = GAME.setup(2, Options(), context(), fixed)
    assert codes(step.notes) == [("opened", 0), ("starts", 1), ("penalty", 1)]
    assert (step.state.to_move, step.state.scores) == ((0,), (0, -1))


def test_a_missed_turn_costs_a_penalty_tile() -> None:
    state = table("B3 B4", "B5", board=["B9"], stock=["T1", "T2"])
    step = GAME.miss(state, 0, context())
    assert [note.code for note in step.notes] == ["missed"]
    assert [(n.code, n.points) for n in step.after] == [("penalty-missed", -1), ("drew-tiles", 0)]
    assert (step.points, step.state.scores, step.state.to_move) == (0, (-1, 0), (1,))
    assert step.state.hands[0] == ("B3", "B4", "T1")


def test_two_circles_of_missed_turns_with_the_wall_used_up_end_the_game() -> None:
    step = GAME.miss(table("B3 B4", "B5 B6", board=["B9"], stock=[], games=1), 0, context())
    for seat in (1, 0):
        assert (step.after, step.state.to_move) == ((), (seat,))
        step = GAME.miss(step.state, seat, context())
    step = GAME.miss(step.state, 1, context())
    assert codes(step.after)[:3] == [("all-missed", None), ("rest", 0), ("rest", 1)]
    assert step.state.over


# ---- the end ----


def test_the_game_ends_when_the_wall_is_used_up_and_a_hand_is_empty() -> None:
    step = play(table("B3", "DW B1", "K1", stock=[], games=1), "2: B3")
    assert [(note.code, note.seat) for note in step.after] == [
        ("went-out", 0), ("rest", 1), ("rest", 2), ("sum-laid", 0), ("sum-total", 0), ("sum-laid", 1),
        ("sum-total", 1), ("sum-laid", 2), ("sum-total", 2), ("series-won", None),
    ]  # fmt: skip
    assert step.after[1].params == {"tiles": ["B1", "DW"]}
    assert step.after[-1].params == {"seats": [0], "points": 3}
    assert GAME.winners(step.state) == (0,)
    with pytest.raises(Illegal) as raised:
        GAME.miss(step.state, 1, context())
    assert raised.value.code == "game-over"


def test_the_game_ends_when_nobody_can_lay() -> None:
    step = play(table("B3 DW", "K1 DR", stock=[], games=1), "2: B3")
    assert step.state.to_move == (1,)  # K1 still fits at the K3 on the left
    step = play(step.state, "1: K1")
    assert codes(step.after)[:3] == [("blocked", None), ("rest", 0), ("rest", 1)]


def test_the_sums_of_a_game_line_by_line() -> None:
    state = table("B3 B3 B4", "DW B5", board=["K3", "2: B3"], stock=["DR"], games=1)
    step = play(state, "2: B3")
    step = play(step.state, "2: B5")
    step = play(step.state, "2: B3, B4")
    sums = [(note.code, note.seat, dict(note.params)) for note in step.after if note.code.startswith("sum")]
    assert sums == [
        ("sum-laid", 0, {"items": [1], "points": 1}), ("sum-total", 0, {"round": 1, "points": 1, "total": 1}),
        ("sum-laid", 1, {"items": [], "points": 0}), ("sum-total", 1, {"round": 1, "points": 0, "total": 0}),
    ]  # fmt: skip
    assert all(note.points == 0 for note in step.after if note.code.startswith("sum"))


def test_the_next_game_of_the_series() -> None:
    state = table("B3", "DW B1", "K1", stock=[], starter=0)
    assert state.public.leader == 2
    step = play(state, "2: B3", seed=4)
    following = [note for note in step.after if note.code in ("next-round", "opened", "starts")]
    assert [(note.code, note.seat) for note in following] == [("next-round", None), ("opened", 0), ("starts", 1)]
    public = step.state.public
    assert (public.round, public.leader, public.fresh, len(public.laid)) == (2, 0, 0, 1)
    assert [len(hand) for hand in step.state.hands][1] >= 5
    assert step.state.scores[0] == 3


def test_export() -> None:
    state = table("T3 E T2 N DR", "B5", board=["K3", "1: J3"])
    public = GAME.export(state.public)
    assert public["heads"] == {"1": ["K3", "J3"], "2": ["K3"]}
    public = GAME.export(play(state, "1: T3+E, T2; 3: N, DR").state.public)
    assert public["heads"] == {"1": ["J3", "T3", "T2"], "2": ["K3"], "3": ["J3", "E", "N", "DR"]}
    assert [(one["tile"], one["at"], one["head"]) for one in public["snake"]] == [
        ("K3", None, 0), ("J3", 0, 1), ("T3", 1, 1), ("E", 1, 3), ("T2", 2, 1), ("N", 3, 3), ("DR", 5, 3),
    ]  # fmt: skip
    assert (public["round"], public["leader"]) == (1, 1)
