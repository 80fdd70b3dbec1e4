"""What a survey calls the best is the best: of every position everything is tried that could be laid, by the rules
alone. Where a survey says that it has not searched everything, all that it has found is right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moderator.games import OWN
from moderator.match.survey import survey
from tests.review import compared
from tests.review.played import positions


def looked_at(key: str) -> int:
    return compared.EVERYDAY.get(key, 100)


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(OWN))
def test_the_best_is_the_best_of_everything_that_can_be_tried(key: str) -> None:
    seen = compared.compare(key, looked_at(key))
    assert seen.turns > looked_at(key) // (20 if key in compared.BOUNDED else 1)
    assert seen.left <= looked_at(key)


@pytest.mark.slow
@pytest.mark.parametrize("pace", ["rounds", "common"])
def test_where_all_are_evaluated_together_it_is_no_other(pace: str) -> None:
    for match, state, seat in positions("topwords", looked_at("topwords") // 4, pace=pace):
        found = survey(match.game, alone := replace(state, to_move=(seat,)), seat, match.ctx)
        assert found.scope == "all"
        compared.same(match, alone, seat, found)
