"""Random matches of every game, played as ``python -m moderator.conformance`` plays them."""

from functools import cache

from moderator.conformance.subject import GameSubject, SampleMatch, play_sample_match
from moderator.games import REGISTRY, load_game

TABLES = [(key, pace) for key in sorted(REGISTRY) for pace in load_game(key).paces]
STEPS = 24


@cache
def a_match(key: str, pace: str, seed: int) -> SampleMatch:
    """Always the same for the same numbers, and played once."""
    return play_sample_match(GameSubject(key), pace, seed, STEPS)
