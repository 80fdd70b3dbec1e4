"""What the contract promises of values, whatever game: a view hides what others hold, any text is a move or refused.

What every registered game has to do stands in ``moderator/conformance``; ``tests/conformance`` looks at all games.
"""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.conformance.subject import Subject
from moderator.errors import OperatorError, PlayerError
from moderator.games import REGISTRY, load
from moderator.match.contract import Adjudicable, view_for
from tests.games.matches import TABLES, a_match

table = pytest.mark.parametrize(("key", "pace"), TABLES)


@table
def test_a_view_hides_what_others_hold(key: str, pace: str) -> None:
    for seed in range(2):
        for state in a_match(key, pace, seed).states[::5]:
            shared = len(state.hands) == 1
            for seat in range(state.seats):
                hidden = tuple(h if shared or s == seat else ("?",) * len(h) for s, h in enumerate(state.hands))
                secret = tuple(own if s == seat else "?" for s, own in enumerate(state.private))
                masked = dataclasses.replace(state, hands=hidden, stock=("?",) * len(state.stock), private=secret)
                assert view_for(masked, seat) == view_for(state, seat)
                assert view_for(state, seat).hand == state.hand(seat)
            assert shared or view_for(state, None).hand == ()


@table
@given(text=st.text(max_size=40), seed=st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_any_line_is_a_move_or_a_player_error(key: str, pace: str, text: str, seed: int) -> None:
    """Beside the rubbish of the conformance suite: whatever Hypothesis comes upon."""
    subject = Subject(key)
    game = subject.game
    state = game.setup(game.min_seats, subject.options(pace), subject.context(seed)).state
    view = view_for(state, state.to_move[0])
    try:
        move = game.parse(text, view)
    except PlayerError:
        return
    assert game.parse(game.format(move), view) == move


@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_each_of_our_games_can_be_adjudicated(key: str) -> None:
    assert isinstance(load(key), Adjudicable)


def test_an_unknown_game_names_the_known_ones() -> None:
    with pytest.raises(OperatorError, match="topwords"):
        load("chess")
