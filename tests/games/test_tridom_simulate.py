"""The fast round of the search against the rules: the same lead at the end, from any position, with any options."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from moderator.games.tridom.rules import GAME, SUPER, Tridom
from moderator.games.tridom.simulate import BITS, Round
from moderator.games.tridom.state import Options
from moderator.match import playouts, rng
from moderator.match.contract import Context, State, view_for
from moderator.match.outcome import lead
from moderator.match.words import AnyWords

OPTIONS = [
    Options(),
    Options(bonus="sum", double_hexagon=80),
    Options(target=40),
]
LOOKED_AT = 2
"""Moves of each position."""


def dealt(game: Tridom, seats: int, options: Options, number: int) -> tuple[State[Any], Context]:
    ctx = Context(AnyWords(), rng.shuffler(rng.round_seeds(number.to_bytes(32, "big"))))
    return game.setup(seats, options, ctx).state, ctx


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("game", [GAME, SUPER])
def test_it_ends_as_by_the_rules(game: Tridom, options: Options) -> None:
    """With a stock that is soon used up, too, so that rounds end blocked."""
    ends, blocked = set(), 0
    for number, seats in [*[(number, seats) for number in range(4) for seats in (2, 3, 5)]][::4]:
        state, ctx = dealt(game, seats, options, number)
        state = replace(state, stock=state.stock[: 9 * number])
        while not state.over and state.public.round == 1:
            seat = state.to_move[0]
            moves = [move for move, _ in game.moves(view_for(state, seat), ctx)]
            for move in moves[:LOOKED_AT]:
                after = playouts.played_out(game, state, move, ctx, game.effort.turns)
                ends.add(after)
                table = Round(state)
                table.lay(seat, BITS[move.tile], state.public.board.cells[move.place - 1])
                table.play(seat)
                blocked += all(table.hands)
                assert lead(table.scores, seat) == after, (number, state, move)
            state = game.apply(state, seat, moves[number * 7 % len(moves)], ctx).state
    assert len(ends) > 20
    assert blocked


def test_a_tile_that_is_there_twice_is_played_on_by_the_rules() -> None:
    """Only a record can deal it so."""
    state, _ = dealt(GAME, 2, Options(), 1)
    seat = state.to_move[0]
    move = GAME.reply(view_for(state, seat), Context(AnyWords(), rng.unshuffled))
    assert move is not None
    assert GAME.simulated(state, move) is not None
    twice = replace(state, stock=(*state.stock, state.hands[seat][0]))
    assert GAME.simulated(twice, move) is None
