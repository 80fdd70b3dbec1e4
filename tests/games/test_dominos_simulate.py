"""The fast round of the search against the rules: the same scores at the end, from any position, with any options."""

from __future__ import annotations

import pytest

from moderator.games.dominos.rules import GAME
from moderator.games.dominos.simulate import scores_after
from moderator.games.dominos.state import Options
from moderator.match import rng
from moderator.match.contract import Context, State, view_for
from moderator.match.words import AnyWords

OPTIONS = [
    Options(),
    Options(spinner_any_time=True, target=1000),
    Options(blocked_winner="lowest_hand", target=1000),
    Options(leader="round_winner", target=40),
]


def by_the_rules(state: State, ctx: Context) -> tuple[int, ...]:
    round = 1
    while not state.over and state.public.round == round:
        seat = state.to_move[0]
        state = GAME.apply(state, seat, GAME.reply(view_for(state, seat), ctx), ctx).state
    return state.scores if state.public.round == round else state.past[-1].scores


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS)
def test_it_ends_as_by_the_rules(options: Options) -> None:
    ends = set()
    for number in [*range(80)][::4]:
        ctx = Context(AnyWords(), rng.shuffler(rng.round_seeds(number.to_bytes(32, "big"))))
        state = GAME.setup(2, options, ctx).state
        while not state.over and state.public.round == 1:
            seat = state.to_move[0]
            for move, _ in GAME.moves(view_for(state, seat), ctx):
                after = by_the_rules(GAME.apply(state, seat, move, ctx).state, ctx) if state.public.board.line else None
                if after is not None and state.public.round == 1:
                    ends.add(after)
                    assert scores_after(state, move) == after, (number, state, move)
            moves = [move for move, _ in GAME.moves(view_for(state, seat), ctx)]
            state = GAME.apply(state, seat, moves[number % len(moves)], ctx).state
    assert len(ends) > 20
