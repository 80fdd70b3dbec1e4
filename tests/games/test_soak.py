"""Whole matches of the tile games, random and greedy players mixed, each recounted by a second referee.

What is looked at stands in ``tests/games/recount/match.py``. A failure names game and seed: ``Match("tridom",
1042).run()`` plays that match again.
"""

from __future__ import annotations

import pytest

from tests.games.recount.match import MODELS, Match

QUICK = 4
CHUNKS, CHUNK = 4, 50

games = pytest.mark.parametrize("key", sorted(MODELS))


@pytest.mark.slow
@games
def test_a_few_matches_and_everything_about_them(key: str) -> None:
    for seed in range(QUICK):
        Match(key, seed, thorough=seed == 1).run()


@pytest.mark.matrix("games")
@games
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_hundreds_of_matches(key: str, chunk: int) -> None:
    for seed in range(1000 + chunk * CHUNK, 1000 + (chunk + 1) * CHUNK):
        Match(key, seed, thorough=seed % CHUNK == 0).run()
