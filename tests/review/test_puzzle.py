"""What makes a puzzle, and what an answer is worth: by the game's own rules, on the position that its player had."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import log2

import pytest

from moderator.errors import PlayerError
from moderator.games import OWN
from moderator.match.survey import Survey, survey
from moderator.review import puzzle
from moderator.review.review import turn
from moderator.review.turns import Work
from tests.review.played import play

NO_PUZZLES = {"point": "single", "kreuzwort": "single", "recht": "some", "presto": "some"}
"""Games of which nobody knows the best turn."""


@cache
def work(key: str) -> Work:
    return play(key, 1, who="mixed", most=30).work


def positions(key: str) -> Iterator[tuple[puzzle.Position, int]]:
    """Each with the points that were made of it."""
    for one in work(key).turns:
        there = puzzle.position(work(key), one.n, one.seat)
        assert there is not None
        yield there, one.worth


@pytest.mark.parametrize("key", ["dominos", "tridom", "supertridom", "topwords"])
def test_the_best_is_the_only_one_and_the_judge_finds_the_same(key: str) -> None:
    seen = 0
    for there, worth in positions(key):
        found = puzzle.found(there, worth)
        known = survey(there.game, there.state, there.seat, there.context).found
        if found is None:
            continue
        seen += 1
        judged = {notation: there.judge(notation) for notation, _ in known}
        assert {one.canonical for one in judged.values() if one.points == found.most} == {found.best}
        assert max(one.points or 0 for one in judged.values() if one.canonical != found.best) <= found.most - 2
        assert [points for _, points in known] == [judged[notation].points for notation, _ in known]
        assert found.of == len(known) >= puzzle.FEWEST
    assert seen or key in ("tridom", "topwords")  # which leave little choice, the latter with so few words


def test_in_domi_jongg_hardly_any_turn_stands_clear() -> None:
    """Most score nothing, so the docs promise none: what would make one is found all the same."""
    clear = 0
    for there, worth in positions("domijongg"):
        known = survey(there.game, there.state, there.seat, there.context)
        points = [score for _, score in known.found]
        alone = len(points) >= puzzle.FEWEST and known.scope == "all" and points[0] - points[1] >= 2
        clear += alone and points[1] <= points[0] * 0.9
        assert (puzzle.found(there, worth) is not None) is (alone and points[1] <= points[0] * 0.9)
    assert clear <= len(work("domijongg").turns) // 20


def test_an_answer_is_refused_as_in_play() -> None:
    there, _ = next(positions("dominos"))
    judged = there.judge("00@Z")
    assert judged.points is None
    assert judged.refused is not None
    with pytest.raises(PlayerError):
        there.game.parse("00@Z", there.view)


def test_what_a_solver_is_shown_is_what_the_player_saw() -> None:
    there, _ = next(positions("dominos"))
    assert there.view.hand == there.state.hand(there.seat)
    assert there.view.to_move == (there.seat,)
    assert not hasattr(there.view, "stock")


@pytest.mark.parametrize(("worths", "is_one"), [
    ([20, 18, 5, 4, 3], True),
    ([20, 19, 5, 4, 3], False),  # not clear: a point less
    ([40, 37, 5, 4, 3], False),  # nor three of forty
    ([20, 20, 5, 4, 3], False),
    ([20, 5, 4, 3], False),  # too few to be hard
    ([1, 0, 0, 0, 0], False),
])  # fmt: skip
def test_which_positions_make_one(worths: list[int], is_one: bool) -> None:
    known = Survey(tuple((f"M{n}", worth) for n, worth in enumerate(worths)), "all")
    assert (puzzle._weighed(known, 0) is not None) is is_one
    assert puzzle._weighed(replace(known, scope="some"), 0) is None
    assert puzzle._weighed(known, worths[0] + 1) is None, "a word by a ruling was worth more than any that is known"


def test_hardness_counts_the_turns_that_come_near_and_whether_it_was_missed() -> None:
    known = Survey((("A", 20), ("B", 16), ("C", 14), *((f"M{n}", 1) for n in range(13))), "all")
    missed, seen = puzzle._weighed(known, 3), puzzle._weighed(known, 20)
    assert missed is not None and seen is not None  # noqa: PT018 - one thing
    assert seen.hardness == round(log2(16 / 2), 2)
    assert missed.hardness == seen.hardness + puzzle.MISSED


@pytest.mark.parametrize("key", OWN)
def test_every_game_gives_puzzles_or_it_is_known_why_not(key: str) -> None:
    one = turn(play(key, 1, who="mixed", most=2).work, 0)
    assert (one.scope == "all" and one.par is not None) is (key not in NO_PUZZLES), (key, one.scope, one.par)


def test_there_is_no_position_of_what_was_no_turn() -> None:
    assert puzzle.position(work("dominos"), 10_000, 0) is None
