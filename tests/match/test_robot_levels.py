"""Robots by level: they know what their seat sees, play the same move each time, and better at each level. And the
shuffles by which all is dealt."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from moderator.common.enums import Level
from moderator.common.errors import OperatorError
from moderator.games import load_game
from moderator.rules import shuffling
from moderator.rules.game import Game, State
from moderator.rules.robots import choose
from moderator.rules.robots.choose import redeal_unseen
from moderator.rules.shuffling import build_round_seeds, build_shuffle, commit_seed, keep_order
from moderator.rules.state import Context, view_for
from moderator.rules.words import AnyWords

THINKING = ("dominos", "tridom", "supertridom", "domijongg")
SEATS = {"dominos": (2,), "tridom": (2, 3), "supertridom": (2,), "domijongg": (2, 3)}


def positions(key: str, seats: int, number: int, every: int) -> Iterator[tuple[Game[Any, Any], State[Any], Context]]:
    """Each so many turns of a match of robots, to the end of its first round."""
    game = load_game(key)
    ctx = Context(AnyWords(), shuffling.build_shuffle(shuffling.build_round_seeds(number.to_bytes(32, "big"))))
    state, turn = game.setup(seats, game.options(), ctx).state, 0
    while not state.over and state.public.round == 1:
        if turn % every == 0:
            yield game, state, ctx
        seat, turn = state.to_move[0], turn + 1
        text = choose.choose_robot_move(game, state, seat, ctx)
        state = game.apply_move(state, seat, game.parse_move(text, view_for(state, seat)), ctx).state


@pytest.mark.parametrize("key", THINKING)
def test_a_world_dealt_anew_looks_like_the_true_one(key: str) -> None:
    for seats in SEATS[key]:
        for game, state, _ in positions(key, seats, 1, 5):
            for seat in range(seats):
                view = view_for(state, seat)
                world = redeal_unseen(game, view, shuffling.build_shuffle(bytes(32)), "other")
                assert view_for(world, seat) == view
                held = sorted([*world.stock, *(tile for hand in world.hands for tile in hand)])
                assert held == sorted([*state.stock, *(tile for hand in state.hands for tile in hand)])


@pytest.mark.slow
def test_each_level_plays_otherwise() -> None:
    chosen: dict[Level, list[str]] = {level: [] for level in Level}
    for game, state, ctx in positions("tridom", 2, 3, 2):
        for level in Level:
            chosen[level].append(choose.choose_robot_move(game, state, state.to_move[0], ctx, level))
    assert len({tuple(texts) for texts in chosen.values()}) == len(Level)


def test_a_position_with_tiles_that_are_nowhere_is_thought_about_or_played_as_at_the_club() -> None:
    """A record may deal fewer tiles than the box holds, or name more."""
    game = load_game("dominos")
    ctx = Context(AnyWords(), shuffling.keep_order)
    few = {"racks": [["64", "61", "11"], ["66", "31"]], "stock": ["22"], "board": ["63"], "starter": 0}
    state = game.setup(2, game.options(), ctx, few).state
    assert game.parse_move(choose.choose_robot_move(game, state, 0, ctx, Level.STRONG), view_for(state, 0))
    many = replace(state, stock=state.stock * 30)
    assert choose.choose_robot_move(game, many, 0, ctx, Level.STRONG) == choose.choose_robot_move(game, many, 0, ctx)


SEED = bytes(range(32))
SALTS = ["anna:herbst", "bert:regen"]
DOMINOES = [f"{high}-{low}" for high in range(7) for low in range(high + 1)]


def test_a_deal_follows_from_seed_salts_label_and_match_alone() -> None:
    assert commit_seed(SEED) == "0f103d4b884b1542ef9419ce2df44e33d0fc3633633b4fcf3915ed2cb391ad09"
    dealt = build_shuffle(SEED, SALTS, "D1")("round1", DOMINOES)
    assert dealt[:7] == ("6-0", "3-0", "3-1", "0-0", "5-1", "6-1", "6-2")
    assert dealt[7:14] == ("5-0", "4-1", "6-3", "3-3", "2-2", "4-3", "6-6")
    assert sorted(dealt) == sorted(DOMINOES)
    one = build_shuffle(SEED, SALTS, "D1")("round1", DOMINOES)
    others = [
        build_shuffle(SEED, SALTS, "D1")("round2", DOMINOES),
        build_shuffle(SEED, SALTS, "D2")("round1", DOMINOES),
        build_shuffle(SEED, SALTS[::-1], "D1")("round1", DOMINOES),
        build_shuffle(SEED[::-1], SALTS, "D1")("round1", DOMINOES),
        build_shuffle(SEED, SALTS)("round1", DOMINOES),
    ]
    assert len({one, *others}) == 6
    assert keep_order("deal", ["B", "A"]) == ("B", "A")
    assert build_shuffle(SEED, SALTS)("D1/round1", DOMINOES) == build_shuffle(SEED, SALTS, "D1")("round1", DOMINOES)


@pytest.mark.parametrize("label", ["deal2", "exchange1", "around2", "round", "round0", "round02", "round1234567"])
def test_a_label_that_names_no_round_is_no_label_where_each_round_has_a_seed(label: str) -> None:
    with pytest.raises(OperatorError, match=label):
        build_shuffle(build_round_seeds(SEED))(label, DOMINOES)
    assert sorted(build_shuffle(SEED)(label, DOMINOES)) == sorted(DOMINOES)
