"""What a survey calls the best is the best: of every position everything is tried that could be laid, by the rules
alone. Where a survey says that it has not searched everything, all that it has found is right."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from moderator.games import OWN
from moderator.match.contract import State, view_for
from moderator.match.survey import Survey, survey
from tests.review.brute import every, rest
from tests.review.played import Match, opened, positions
from tests.slow import SLOW

FEW = {"presto": 60, "kreuzwort": 25, "point": 25}
"""Everyday; of the others a hundred."""
LARGEST = {"domijongg": 7}
"""Tiles on the rack: penalty tiles make hands of which there are millions of turns."""
SECOND = " + "
"""Between two words of one turn."""


def looked_at(key: str) -> int:
    return 1000 if SLOW else FEW.get(key, 100)


def same(key: str, match: Match, state: State[Any], seat: int) -> Survey:
    found = survey(match.game, state, seat, match.ctx)
    tried = every(match.game, state, seat, match.ctx)
    listed = dict(found.found)
    assert found.most == max(listed.values(), default=0)
    if key == "kreuzwort":
        tried = {turn: rest(laid(match, state, seat, turn)) for turn in tried}
    if found.scope == "all":
        assert listed == tried
    elif found.scope == "single":
        assert {turn: worth for turn, worth in listed.items() if SECOND not in turn} == tried
    return found


def laid(match: Match, state: State[Any], seat: int, turn: str) -> list[str]:
    """The tiles that a turn takes from the rack, as the table shows them."""
    game: Any = match.game
    step = game.apply(state, seat, game.parse(turn, view_for(state, seat)), match.ctx)
    after = step.state.past[-1] if len(step.state.past) > len(state.past) else step.state
    now, before = (Counter(game.on_table(one.public)) for one in (after, state))
    return list((now - before).elements())


@pytest.mark.parametrize("key", sorted({*OWN} - {"recht", "presto"}))
def test_the_best_is_the_best_of_everything_that_can_be_tried(key: str) -> None:
    scopes: Counter[str] = Counter()
    turns = 0
    for match, state, seat in positions(key, looked_at(key), LARGEST.get(key, 99)):
        found = same(key, match, state, seat)
        scopes[found.scope] += 1
        turns += len(found.found)
    assert turns > 2 * looked_at(key)
    wholly = scopes["all"] + scopes["single"]
    assert wholly >= looked_at(key) // 2, scopes


@pytest.mark.parametrize("pace", ["rounds", "common"])
def test_where_all_are_evaluated_together_it_is_no_other(pace: str) -> None:
    for match, state, seat in positions("topwords", looked_at("topwords") // 4, pace=pace):
        assert same("topwords", match, replace(state, to_move=(seat,)), seat).scope == "all"


def test_no_announcement_lays_more_than_the_best_that_was_found() -> None:
    for match, state, seat in positions("recht", looked_at("recht")):
        found = survey(match.game, state, seat, match.ctx)
        assert found.scope == "some"
        view = view_for(state, seat)
        for turn in every(match.game, state, seat, match.ctx):
            tiles = [tile.letter for tile in match.game.parse(turn, view).tiles]
            assert rest(tiles) <= found.most
        for turn, worth in found.found[:: max(1, len(found.found) // 5)]:
            match.game.apply(state, seat, match.game.parse(turn, view), match.ctx)
            assert worth <= 20


def test_a_crossword_of_four_tiles_is_found_where_there_is_one() -> None:
    solvable = 0
    for seed in range(looked_at("presto")):
        game, options, ctx = opened("presto", seed)
        tiles = ctx.shuffle("round1", [*"AEIOUSTNRDHM"])[:8]
        state = game.setup(2, options, ctx, {"racks": [list(tiles[:4]), list(tiles[4:])]}).state
        found = survey(game, state, 0, ctx)
        tried = every(game, state, 0, ctx)
        assert bool(found.found) == bool(tried)
        assert found.scope == "some"
        solvable += bool(tried)
    assert solvable > looked_at("presto") // 20
