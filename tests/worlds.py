"""Worlds that look alike to a seat, for tests that nothing hidden leaves a trace."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

from moderator.match.contract import State


def looks_alike(state: State[Any], seat: int, dice: random.Random) -> State[Any]:
    """A world in which all that the seat cannot see is another: the hands of the others (where each has one), the
    stock, what is private to them."""
    own = 0 if len(state.hands) == 1 else seat
    piles = [[*hand] for hand in state.hands] + [[*state.stock]]
    hidden = [tile for number, pile in enumerate(piles) if number != own for tile in pile]
    dice.shuffle(hidden)
    for number, pile in enumerate(piles):
        if number != own:
            pile[:], hidden = hidden[: len(pile)], hidden[len(pile) :]
    private = tuple(kept if other == seat else object() for other, kept in enumerate(state.private))
    *hands, stock = map(tuple, piles)
    return dataclasses.replace(state, hands=tuple(hands), stock=stock, private=private)
