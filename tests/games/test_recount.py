"""Whole matches of the tile games, random and greedy players mixed, each recounted by a second referee.

What is looked at stands in ``tests/games/recount/match.py``. A failure names game and seed: ``Match("tridom",
1042).run()`` plays that match again.
"""

import pytest

from tests.games.recount.match import Match

EVERYDAY = {"dominos": range(14), "tridom": range(12), "supertridom": range(6), "domijongg": range(1, 9)}
CHUNK, CHUNKS = 10, 20


@pytest.mark.slow
@pytest.mark.parametrize("key", EVERYDAY)
def test_matches_are_played_as_the_second_referee_plays_them(key: str) -> None:
    for seed in EVERYDAY[key]:
        Match(key, seed).run()


@pytest.mark.slow
@pytest.mark.parametrize("key", EVERYDAY)
def test_a_match_is_right_after_every_single_event(key: str) -> None:
    Match(key, 1, thorough=True).run()


@pytest.mark.matrix("game matches", seconds=1)
@pytest.mark.parametrize("key", EVERYDAY)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_hundreds_of_matches(key: str, chunk: int) -> None:
    for seed in range(1000 + chunk * CHUNK, 1000 + (chunk + 1) * CHUNK):
        Match(key, seed, thorough=seed % 50 == 0).run()
