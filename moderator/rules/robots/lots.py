"""Choosing among moves of which each is worth something: never by their spelling, equal ones by lot. The lot hangs on
the shuffle that is handed in, so that the same move comes out each time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from moderator.rules.game import Shuffle

T = TypeVar("T")
Worth = float

CHANCES = 10
"""Lots that a beginner draws from ..."""
HITS = 4
"""... of which so many let it find the best move."""


def choose_best(found: Sequence[tuple[T, Worth]], shuffle: Shuffle) -> T:
    """Choose one of the moves that are worth most. ``found`` must not be empty."""
    most = max(worth for _, worth in found)
    return _draw_one([move for move, worth in found if worth == most], shuffle, "best")


def choose_as_learner(found: Sequence[tuple[T, Worth]], shuffle: Shuffle) -> T:
    """Choose the best move with a probability of ``HITS`` in ``CHANCES``, else one of the better half, whichever.
    ``found`` must not be empty."""
    if _draw_one(range(CHANCES), shuffle, "hit") < HITS:
        return choose_best(found, shuffle)
    order = shuffle("half", [str(number) for number in range(len(found))])
    by_worth = sorted(map(int, order), key=lambda number: -found[number][1])
    return found[_draw_one(by_worth[: (len(found) + 1) // 2], shuffle, "one")][0]


def _draw_one(items: Sequence[T], shuffle: Shuffle, label: str) -> T:
    return items[int(shuffle(label, [str(number) for number in range(len(items))])[0])] if len(items) > 1 else items[0]
