"""The list of legal turns and the robot's turn, compared with trying everything."""

import itertools
import random
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from moderator.games.domijongg import generate
from moderator.games.domijongg.rules import GAME
from moderator.games.domijongg.state import WALL, DomiJonggPublic
from moderator.rules.robots.choose import choose_robot_move, rank_moves
from moderator.rules.state import View, view_for
from tests.games.domijongg_table import context, match, table


def positions(seed: int, hand: int) -> Iterator[View[DomiJonggPublic]]:
    """Views of seat 0 in the middle of games, with hands of so many tiles, rich in winds and specials."""
    dice = random.Random(seed)
    rich = [*WALL, *("E", "S", "F1", "F2", "J1", "J2") * 6]
    for step in match(seed, 2, games=1)[dice.randrange(4, 12) :: 9]:
        if not step.state.over:
            held = tuple(dice.sample(rich, hand))
            yield replace(view_for(step.state, 0), hand=held, to_move=(0,))


def test_shorter_turns_come_first() -> None:
    for view in positions(1, 7):
        lengths = [len(move.tiles) for move, _ in generate.iter_jongg_turns(view)]
        assert lengths == sorted(lengths)


def test_the_last_points_and_both_orders_of_a_fork_are_seen() -> None:
    state = table("B3 B3", "DW", board=["K3", "2: B3"], stock=[])
    assert rank_moves(GAME, state, 0, context())[0] == ("2: B3, B3", 4)
    best = GAME.choose_greedy(view_for(state, 0), context())
    assert best is not None
    assert generate.score_jongg_turn(view_for(state, 0), best) == 4
    assert choose_robot_move(GAME, state, 0, context()) == GAME.format_move(best)
    state = table("T3 E E DW", "DW", board=["K3", "1: J3"])
    texts = [text for text, _ in rank_moves(GAME, state, 0, context())]
    assert {"1: T3+E", "1: E+T3", "1: E+E"} <= set(texts)
    assert texts.count("1: E+E") == 1


@pytest.mark.slow
def test_a_large_hand_neither_hangs_nor_hides_its_best_turn() -> None:
    suit = "B1 B2 B3 B4 B5 B6 B7 B8 B9 B1 B2 B3"
    mixed = "B1 B2 B3 B4 B5 B6 B7 B8 K1 F1 E N W DR J1 F2 T2 K2 J2 DW B9 T9 K9 S"
    for hand in (suit, mixed):
        state = table(hand, "DW", board=["B5"])
        began = time.process_time()
        listed = rank_moves(GAME, state, 0, context())
        best = GAME.choose_greedy(view_for(state, 0), context())
        assert time.process_time() - began < 5
        assert len(listed) == generate.LISTED + 1
        assert best is not None
        assert generate.score_jongg_turn(view_for(state, 0), best) == listed[0][1] >= 2


def test_the_first_turns_come_without_the_others() -> None:
    view = view_for(table("B1 B2 B3 B4 B5 B6 B7 B8 B9 B1 B2 B3", "DW", board=["B5"]), 0)
    began = time.process_time()
    assert len(list(itertools.islice(GAME.list_moves(view, context()), 2))) == 2
    assert time.process_time() - began < 1  # all of them would take minutes
