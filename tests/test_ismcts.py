"""What open-spiel's search gets to see of our games is what a player in its seat sees (`bench/ismcts.py`)."""

from __future__ import annotations

import hashlib
from random import Random

import pytest

from bench.ismcts import GAMES, Position
from moderator.games import load
from moderator.match import playouts, rng
from moderator.match.contract import Context, view_for
from moderator.match.words import AnyWords


def begun(key: str, number: int) -> Position:
    game = load(key)
    seed = hashlib.sha256(f"peer/{number}".encode()).digest()
    ctx = Context(AnyWords(), rng.shuffler(rng.round_seeds(seed)))
    state = game.setup(2, game.options(), ctx).state
    return Position(game, ctx, state, state.public.round)


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("number", range(5))
def test_a_round_ends_and_is_worth_the_same_to_both_with_another_sign(key: str, number: int) -> None:
    position, dice = begun(key, number), Random(number)
    while not position.is_terminal():
        position.apply_action(dice.choice(position.legal_actions()))
    mine, theirs = position.returns()
    assert mine == -theirs
    assert -1 <= mine <= 1


@pytest.mark.parametrize("key", GAMES)
def test_another_world_looks_the_same_to_the_seat_whose_turn_it_is(key: str) -> None:
    position, dice, others = begun(key, 7), Random(7), 0
    while not position.is_terminal():
        view = view_for(position.state, position.current_player())
        shuffle = playouts.worlds(position.game, view)
        world = Position(
            position.game, position.ctx, playouts.redealt(position.game, view, shuffle, "world1"), position.round
        )
        others += world.state != position.state
        assert world.information_state_string() == position.information_state_string()
        assert world.moves() == position.moves()
        position.apply_action(dice.choice(position.legal_actions()))
    assert others


def test_who_goes_on_with_a_copy_leaves_the_position_alone() -> None:
    position = begun("dominos", 1)
    before, copy = position.information_state_string(), position.clone()
    copy.apply_action(0)
    assert position.information_state_string() == before
