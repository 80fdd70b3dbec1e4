"""Seats that have left keep no match going for ever.

Whole matches, driven as the desk drives them (``play/play.py``): robots play, now and then one of the others misses a
turn as a person would, and seats leave at random moments; from then on each of their turns is missed as soon as it
comes. No deadline lies between such turns, so a circle of them without an end would hang the desk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from moderator.conformance.endings import MOST_LEAVING, begun, looked_at
from moderator.conformance.subject import Subject
from tests.games.matches import TABLES

QUICK = {"dominos": 40, "tridom": 30, "supertridom": 40, "domijongg": 10, "topwords": 4, "recht": 4}
FEW, TIMES = 2, 2
"""Matches of games that are slow to play; in a slow run so many times as many of each."""
SHORT: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "dominos": ({"target": 60}, {"target": 60, "leader": "round_winner", "blocked_winner": "lowest_hand"}),
    "tridom": ({"target": 60}, {"target": 90, "bonus": "sum"}),
    "supertridom": ({"target": 60}, {"target": 90, "bonus": "sum"}),
    "domijongg": ({"games": 1}, {"games": 2, "max_heads": 3}),
    "topwords": ({}, {"exchange": False, "leftover_penalty": 5}),
    "kreuzwort": ({}, {"games": 2, "strict_buy": True}),
    "point": ({}, {"strict_buy": True}),
    "presto": ({"rounds": 2}, {"target": 4, "finish_with_one_left": True}),
    "recht": ({}, {"games": 2, "strict_buy": True, "buy_before_pass": True}),
}
"""Key -> options of matches that do not take long."""


def ends(key: str, pace: str, seed: int) -> None:
    """A match whose number says how it goes; what is looked at stands in ``moderator/conformance/endings.py``."""
    subject = Subject(key, settings=SHORT.get(key, ({},) * 2)[seed % 2])
    assert list(looked_at(begun(subject, pace, seed, leaving=True, most_seats=MOST_LEAVING), seed)) == []


tables = pytest.mark.parametrize(("key", "pace"), TABLES)


@tables
def test_a_match_ends_though_seats_leave(key: str, pace: str) -> None:
    for seed in range(-(-QUICK.get(key, FEW) // 4)):
        ends(key, pace, seed)


@pytest.mark.matrix("games")
@tables
def test_many_matches_end_though_seats_leave(key: str, pace: str) -> None:
    for seed in range(1000, 1000 + TIMES * QUICK.get(key, FEW)):
        ends(key, pace, seed)
