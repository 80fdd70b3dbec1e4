"""Domi Jongg tables for tests: fixed deals, and matches that play themselves."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from moderator.games.domijongg.rules import GAME
from moderator.games.domijongg.state import DomiJonggOptions, DomiJonggPublic, JonggTurn
from moderator.rules.game import State, Step, Verdict
from moderator.rules.state import Context, Words, view_for
from tests.games import dominos_table

PLENTY = ("DW", "K9") * 20
"""A wall that is not used up."""


class NoWords(Words):
    def judge(self, word: str, base: str | None = None) -> Verdict:
        raise AssertionError("Domi Jongg asks for no words")

    def playable(self, max_length: int) -> Sequence[str]:
        raise AssertionError("Domi Jongg asks for no words")


def context(seed: int | None = None) -> Context:
    return Context(NoWords(), dominos_table.context(seed).shuffle)


def table(
    *racks: str, board: Sequence[str] = ("K3",), stock: Sequence[str] = PLENTY, starter: int = 0, **options: Any
) -> State[DomiJonggPublic]:
    """A fixed deal; the hands as words, ``board`` the singlestone and turns."""
    fixed = {"racks": [r.split() for r in racks], "stock": list(stock), "board": list(board), "starter": starter}
    return GAME.setup(len(racks), DomiJonggOptions(**options), context(), fixed).state


def play(state: State[DomiJonggPublic], text: str, seed: int | None = None) -> Step[DomiJonggPublic]:
    seat = state.to_move[0]
    return GAME.apply_move(state, seat, GAME.parse_move(text, view_for(state, seat)), context(seed))


def match(
    seed: int, seats: int, pick: Callable[[random.Random, list[JonggTurn]], JonggTurn] | None = None, **options: Any
) -> list[Step[DomiJonggPublic]]:
    """A whole match of random turns, the forking ones preferred: every step from the deal to the end."""
    dice, ctx = random.Random(seed), context(seed)
    steps = [GAME.setup(seats, DomiJonggOptions(**options), ctx)]
    while not (state := steps[-1].state).over:
        seat = state.to_move[0]
        turns = [move for move, _ in GAME.list_moves(view_for(state, seat), ctx)]
        if pick is not None:
            move = pick(dice, turns)
        else:
            forks = [move for move in turns if any(len(item) == 2 for part in move.parts for item in part.items)]
            move = dice.choice(forks or turns)
        steps.append(GAME.apply_move(state, seat, move, ctx))
    return steps
