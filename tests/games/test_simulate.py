"""Playing a round on fast, for the search, comes to the same as by the rules: from any position, with any options."""

from dataclasses import replace
from typing import Any

import pytest

from moderator.games import load_game
from moderator.rules import shuffling
from moderator.rules.game import State
from moderator.rules.robots import choose
from moderator.rules.state import Context, view_for
from moderator.rules.words import AnyWords

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "dominos": [
        {}, {"spinner_any_time": True, "target": 1000}, {"blocked_winner": "lowest_hand", "target": 1000},
        {"leader": "round_winner", "target": 40},
    ],
    "tridom": [{}, {"bonus": "sum", "double_hexagon": 80}, {"target": 40}],
    "supertridom": [{}, {"bonus": "sum", "double_hexagon": 80}, {"target": 40}],
    "domijongg": [{"games": 2}],
}  # fmt: skip
CASES = [(key, options) for key, every in OPTIONS.items() for options in every]
EVERY_SO_MANY_TURNS = {"dominos": 3, "tridom": 2, "supertridom": 2, "domijongg": 4}
LOOKED_AT = 2
"""Moves of each position."""


def dealt(key: str, options: dict[str, Any], seats: int, number: int) -> tuple[State[Any], Context]:
    ctx = Context(AnyWords(), shuffling.build_shuffle(shuffling.build_round_seeds(number.to_bytes(32, "big"))))
    game = load_game(key)
    return game.setup(seats, game.options(**options), ctx).state, ctx


def compare_rounds(key: str, options: dict[str, Any], number: int) -> set[float]:
    """Plays one round; how it would end from each position. Some have a stock that is soon used up, and are blocked."""
    game: Any = load_game(key)
    seats = 2 if key in ("dominos", "domijongg") else (2, 3, 5)[number % 3]
    state, ctx = dealt(key, options, seats, number)
    if "tridom" in key:
        state = replace(state, stock=state.stock[: 9 * (number % 4)])
    ends, turn = set(), 0
    while not state.over and state.public.round == 1:
        seat, turn = state.to_move[0], turn + 1
        moves = [move for move, _ in game.list_moves(view_for(state, seat), ctx)] if key != "domijongg" else []
        moves = moves or [game.choose_reply(view_for(state, seat), ctx)]
        if turn % EVERY_SO_MANY_TURNS[key] == 0 or not state.stock:
            for move in moves[:LOOKED_AT]:
                fast = game.simulate_playout(state, move)
                if fast is not None:
                    ends.add(fast)
                    assert fast == choose.evaluate_playout(game, state, move, ctx, game.effort.turns), (
                        number,
                        state,
                        move,
                    )
        state = game.apply_move(state, seat, moves[number * 7 % len(moves)], ctx).state
    return ends


@pytest.mark.parametrize("many", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("key", "options"), CASES)
def test_a_round_ends_as_by_the_rules(key: str, options: dict[str, Any], many: bool) -> None:
    numbers = range(2, 2 + {"dominos": 20, "domijongg": 2}.get(key, 6)) if many else range(2)
    ends = set[float]().union(*(compare_rounds(key, options, number) for number in numbers))
    assert len(ends) > (5 if many else 2)


def test_a_tile_that_is_there_twice_is_played_on_by_the_rules() -> None:
    """Only a record can deal it so."""
    game: Any = load_game("tridom")
    state, ctx = dealt("tridom", {}, 2, 1)
    move = game.choose_reply(view_for(state, state.to_move[0]), ctx)
    assert game.simulate_playout(state, move) is not None
    twice = replace(state, stock=(*state.stock, state.hands[state.to_move[0]][0]))
    assert game.simulate_playout(twice, move) is None
