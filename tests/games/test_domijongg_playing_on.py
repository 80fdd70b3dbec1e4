"""Playing on without asking where the tiles would lie comes to the same as by the rules."""

from __future__ import annotations

from moderator.games.domijongg.rules import GAME
from moderator.games.domijongg.state import Options
from moderator.match import playouts, rng
from moderator.match.contract import Context, view_for
from moderator.match.words import AnyWords


def test_it_comes_to_the_same() -> None:
    """Also over forks, and over the end of a game."""
    found, forks = set(), 0
    for number in [*range(4)][::4]:
        ctx = Context(AnyWords(), rng.shuffler(rng.round_seeds(number.to_bytes(32, "big"))))
        state, turn = GAME.setup(2, Options(games=2), ctx).state, 0
        while state.public.round == 1:
            seat, turn = state.to_move[0], turn + 1
            move = GAME.reply(view_for(state, seat), ctx)
            assert move is not None
            if turn % 4 == 0 or not state.stock:
                by_the_rules = playouts.played_out(GAME, state, move, ctx, GAME.effort.turns)
                found.add(by_the_rules)
                assert GAME.simulated(state, move) == by_the_rules
            forks += any(len(item) == 2 for part in move.parts for item in part.items)
            state = GAME.apply(state, seat, move, ctx).state
    assert len(found) > 3
    assert forks
