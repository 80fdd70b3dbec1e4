"""Random matches of every game, played as ``python -m moderator.conformance`` plays them."""

from __future__ import annotations

from functools import cache

from moderator.conformance.subject import Match, Subject, played
from moderator.games import REGISTRY, load

TABLES = [(key, pace) for key in sorted(REGISTRY) for pace in load(key).paces]
STEPS = 24


@cache
def a_match(key: str, pace: str, seed: int) -> Match:
    """Always the same for the same numbers, and played once."""
    return played(Subject(key), pace, seed, STEPS)
