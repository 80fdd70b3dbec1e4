"""What is this game's own; what every game must pass, ``python -m moderator.conformance newgame`` looks at."""

from __future__ import annotations

import pytest
from newgame.rules import GAME, Lay, Public

from moderator.common.errors import Illegal
from moderator.rules.game import Context, State
from moderator.rules.words import AnyWords

CONTEXT = Context(AnyWords(), lambda label, items: tuple(items))


def state(rows: str, hand: str = "AB") -> State[Public]:
    return State(Public("".join(rows.split())), (tuple(hand), ("C",)), (), (0, 0), (0,))


def test_a_neighbour_with_the_same_letter_is_worth_a_point() -> None:
    before = state("..... ..A.. .A... ..... .....")
    assert GAME.apply_move(before, 0, Lay("A", "B2"), CONTEXT).points == 3
    assert GAME.apply_move(before, 0, Lay("B", "B2"), CONTEXT).points == 1


def test_a_square_is_taken_once() -> None:
    with pytest.raises(Illegal, match="taken"):
        GAME.apply_move(state("A.... ..... ..... ..... ....."), 0, Lay("B", "A1"), CONTEXT)


def test_a_full_board_is_the_end() -> None:
    after = GAME.apply_move(state("ABCDE EDCBA ABCDE EDCBA ABCD."), 0, Lay("A", "E5"), CONTEXT).state
    assert after.over
    assert GAME.find_winners(after) == (0,)
