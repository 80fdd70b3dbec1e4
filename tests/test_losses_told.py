"""What docs/review.md says of the points that players leave is what was played, as `bench/losses.json` has it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bench import losses
from bench.kept import printed

ROWS = [
    pytest.param(key, who, marks=() if (key, who) == ("dominos", "greedy") else pytest.mark.slow)
    for key in losses.GAMES
    for who in losses.PLAYERS
]


def test_the_table_is_that_of_what_was_played() -> None:
    rows = losses.played_rows()
    assert printed(losses.DOCUMENT, "losses") == losses.table(rows)
    for key in losses.GAMES:
        means = [rows[key][who].mean for who in losses.PLAYERS]
        assert all(more > less for more, less in pairwise(means)), key


@pytest.mark.parametrize(("key", "who"), ROWS)
def test_a_row_is_of_the_players_and_the_review_of_today(key: str, who: losses.Player) -> None:
    """Its first match, played and reviewed again, is the same."""
    again = losses.looked(key, who, 0, losses.dictionary(key))
    assert again.digest == losses.played_rows()[key][who].first, "`python -m bench.losses --write` has to be run again"
