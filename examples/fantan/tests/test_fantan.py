"""The positions of RULES.md, and whole matches. Needs moderator and pytest: `python -m pytest` in the folder above."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from fantan.rules import GAME, Lay, Options
from fantan.table import CARDS, Table

from moderator.common.errors import Illegal
from moderator.rules.game import Context, State, view_for
from moderator.rules.words import AnyWords

RULES = (Path(__file__).parent.parent / "fantan" / "RULES.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| (empty|B 5–9) \| ([^|]*?)(?:, and (\d) cards with the others)? \| `lege (\w+)` \| (.*) \|$", re.M
)


def context(seed: int) -> Context:
    def shuffle(label: str, items: Sequence[str]) -> tuple[str, ...]:
        return tuple(random.Random(f"{seed} {label}").sample(items, len(items)))

    return Context(AnyWords(), shuffle)


def position(table: str, hand: str, others: int) -> State[Table]:
    lying = Table() if table == "empty" else Table((None, (5, 9), None, None), "B9")
    theirs = tuple(card for card in CARDS if card[0] == "D")[:others]
    return State(lying, (tuple(hand.split()), theirs), (), (0, 0), (0,))


def test_the_positions_of_the_rules_come_out() -> None:
    found = ROW.findall(RULES)
    assert len(found) == 6
    for table, hand, others, card, told in found:
        state = position(table, hand, int(others or 1))
        view = view_for(state, 0)
        if code := re.search(r"refused: `([\w-]+)`", told):
            with pytest.raises(Illegal) as refused:
                GAME.apply_move(state, 0, GAME.parse_move(f"lege {card}", view), context(1))
            assert refused.value.code == code[1]
            continue
        step = GAME.apply_move(state, 0, GAME.parse_move(f"lay {card.lower()}", view), context(1))
        assert f"{step.points} point" in told
        assert (step.state.hands[0] == ()) == ("over" in told)
        assert card in step.state.public.cards()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_match_ends_whoever_is_silent(seats: int) -> None:
    for seed in range(60):
        dice, ctx = random.Random(seed), context(seed)
        state = GAME.setup(seats, Options(cards=1 + seed % 13), ctx).state
        silent = seed % (seats + 1)  # nobody, in some
        turns = 0
        while not state.over:
            seat = state.to_move[0]
            moves = list(GAME.list_moves(view_for(state, seat), ctx))
            assert moves
            move, points = dice.choice(moves)
            step = GAME.pass_turn(state, seat, ctx) if seat == silent else GAME.apply_move(state, seat, move, ctx)
            assert step.points == (0 if seat == silent else points)
            state, turns = step.state, turns + 1
            assert sorted(
                [*state.stock, *state.public.cards(), *(card for hand in state.hands for card in hand)]
            ) == sorted(CARDS)
        assert turns <= len(CARDS)
        assert not all(state.hands)
        assert GAME.find_winners(state)


def test_who_cannot_lay_draws_and_lays_the_next_time_at_the_earliest() -> None:
    state = State(Table(), (("B7", "A1"), ("C3", "C4"), ("D7",)), ("C7", "A2"), (0, 0, 0), (0,))
    step = GAME.apply_move(state, 0, Lay("B7"), context(1))
    assert [(note.code, note.seat, note.only) for note in step.after] == [("drew", 1, None), ("drew-card", 1, 1)]
    assert (step.state.to_move, step.state.hands[1], step.state.stock) == ((2,), ("C3", "C4", "C7"), ("A2",))


def test_with_an_empty_stock_the_turn_passes() -> None:
    state = State(Table(), (("B7", "A1"), ("C3", "C4"), ("D7",)), (), (0, 0, 0), (0,))
    step = GAME.apply_move(state, 0, Lay("B7"), context(1))
    assert ([note.code for note in step.after], step.state.to_move) == (["passed"], (2,))


def test_where_cards_are_missing_a_match_ends_when_nobody_can_lay() -> None:
    state = State(Table(), (("B7", "A1"), ("C3", "C4")), (), (0, 0), (0,))
    step = GAME.apply_move(state, 0, Lay("B7"), context(1))
    assert (step.state.over, step.after) == (True, ())


def test_a_table_is_read_back_as_it_was_written_and_nothing_else_is() -> None:
    table = Table((None, (5, 9), (7, 7), None), "C7")
    assert GAME.placed(GAME.table(table), Options(), 2, 1) == table
    for wrong in ([5], [9, 5], [0, 8], [5, 14], [True, 8], ["5", "8"], [8, 9]):
        with pytest.raises((ValueError, TypeError)):
            GAME.placed({"rows": [None, wrong, None, None], "fresh": ""}, Options(), 2, 1)
    with pytest.raises(ValueError, match="no table"):
        GAME.placed({"rows": [None] * 4, "fresh": "B7"}, Options(), 2, 1)
