"""Robots by level: they know what their seat sees, play the same move each time, and better at each level. And the
shuffles by which all is dealt."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from moderator.common.enums import Level
from moderator.common.errors import OperatorError
from moderator.games import load_game
from moderator.games.dominos.rules import Dominos
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


@pytest.mark.matrix("matches of robots", seconds=2)
@pytest.mark.parametrize("key", THINKING)
def test_a_robot_plays_the_same_in_two_worlds_that_look_alike_to_it(key: str) -> None:
    """All that it cannot see is another: hands, stock, the deals to come. So no hidden tile has a say in its move."""
    differed = 0
    for number, (game, state, ctx) in enumerate(positions(key, 2, 7, 6)):
        seat = state.to_move[0]
        world = redeal_unseen(game, view_for(state, seat), shuffling.build_shuffle(bytes([number]) * 32), "other")
        future = replace(ctx, shuffle=shuffling.build_shuffle(b"another future".ljust(32)))
        differed += sorted(world.hands[1 - seat]) != sorted(state.hands[1 - seat])
        for level in Level:
            assert choose.choose_robot_move(game, world, seat, future, level) == choose.choose_robot_move(
                game, state, seat, ctx, level
            )
    assert differed


@pytest.mark.slow
def test_the_levels_differ() -> None:
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


def lead(deal: int) -> int:
    """By how much the robot that thinks is ahead after a deal of Dominos that is played twice, with seats exchanged."""
    ahead, game = 0, load_game("dominos")
    for strong in (0, 1):
        ctx = Context(AnyWords(), shuffling.build_shuffle(shuffling.build_round_seeds(deal.to_bytes(32, "big"))))
        state = game.setup(2, game.options(), ctx).state
        while not state.over and state.public.round == 1:
            seat = state.to_move[0]
            level = Level.STRONG if seat == strong else Level.CLUB
            text = choose.choose_robot_move(game, state, seat, ctx, level)
            state = game.apply_move(state, seat, game.parse_move(text, view_for(state, seat)), ctx).state
        scores = state.past[-1].scores if state.past else state.scores
        ahead += scores[strong] - scores[1 - strong]
    return ahead


@pytest.mark.slow
def test_thinking_wins_more_deals_of_dominos(monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer worlds than in earnest, for time's sake. The seeds are fixed, so it is the same deals each time."""
    monkeypatch.setattr(Dominos, "effort", replace(Dominos.effort, worlds=(20, 40)))
    deals = [lead(number) for number in range(50)]
    won, lost = sum(points > 0 for points in deals), sum(points < 0 for points in deals)
    assert won > lost, deals


SEED = bytes(range(32))
SALTS = ["anna:herbst", "bert:regen"]
DOMINOES = [f"{high}-{low}" for high in range(7) for low in range(high + 1)]


def test_commitment_and_deal_of_the_vector() -> None:
    assert commit_seed(SEED) == "0f103d4b884b1542ef9419ce2df44e33d0fc3633633b4fcf3915ed2cb391ad09"
    dealt = build_shuffle(SEED, SALTS, "D1")("round1", DOMINOES)
    assert dealt[:7] == ("6-0", "3-0", "3-1", "0-0", "5-1", "6-1", "6-2")
    assert dealt[7:14] == ("5-0", "4-1", "6-3", "3-3", "2-2", "4-3", "6-6")
    assert sorted(dealt) == sorted(DOMINOES)


def test_label_salts_seed_and_match_change_the_order() -> None:
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
