"""What makes a puzzle, and what an answer is worth: by the game's own rules, on the position that its player had."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import log2
from statistics import fmean

import pytest

from bench.losses import dictionary
from moderator.common.errors import PlayerError
from moderator.games.topwords.board import lay_topwords_word
from moderator.review import puzzle
from moderator.review.review import ReviewMaterial
from moderator.rules.robots.choose import Survey, survey_position
from moderator.rules.state import view_for
from tests.review.played import play


@cache
def work() -> ReviewMaterial:
    return play("topwords", 1, who="mixed", most=30).work


def positions() -> Iterator[tuple[puzzle.PuzzlePosition, int]]:
    """Each with the points that were made of it."""
    for one in work().turns:
        there = puzzle.find_turn_position(work(), one.n, one.seat)
        assert there is not None
        yield there, one.worth


def test_the_best_is_the_only_one_and_the_judge_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzle, "FEWEST", 5)  # with so few words there is little choice
    seen = 0
    for there, worth in positions():
        found = puzzle.find_puzzle(there, worth)
        known = survey_position(there.game, there.state, there.seat, there.context).found
        if found is None:
            continue
        seen += 1
        judged = {notation: there.judge_move(notation) for notation, _ in known}
        assert {one.canonical for one in judged.values() if one.points == found.most} == {found.best}
        assert max(one.points or 0 for one in judged.values() if one.canonical != found.best) <= found.most - 2
        assert [points for _, points in known] == [judged[notation].points for notation, _ in known]
        assert found.of == len(known) >= puzzle.FEWEST
    assert seen


@pytest.mark.slow
def test_six_tries_find_one_puzzle_in_ten_at_most() -> None:
    """Of the positions of matches with a large dictionary: by lot, or by laying a single tile."""
    words, chances, alone = dictionary("topwords"), [], 0
    for number in range(3):
        made = play("topwords", number, who="mixed", most=20, late=0.0, words=words).work
        for one in made.turns:
            there = puzzle.find_turn_position(made, one.n, one.seat)
            found = None if there is None else puzzle.find_puzzle(there, one.worth)
            if found is not None:
                view = view_for(one.before, one.seat)
                best = lay_topwords_word(view.public, made.game.parse_move(found.best, view), view.hand)
                chances.append(6 / found.of)
                alone += len(best.laid) == 1
    assert len(chances) >= 10
    assert fmean(chances) <= 0.1
    assert alone <= len(chances) // 10


def test_an_answer_is_refused_as_in_play_and_a_solver_sees_what_the_player_saw() -> None:
    there, _ = next(positions())
    judged = there.judge_move("J10 w HAUS")
    assert judged.points is None
    assert judged.refused is not None
    with pytest.raises(PlayerError):
        there.game.parse_move("J11 w HAUS", there.view)
    assert there.view.hand == there.state.hand(there.seat)
    assert there.view.to_move == (there.seat,)
    assert not hasattr(there.view, "stock")


@pytest.mark.parametrize(("worths", "is_one"), [
    ([20, 18, *[5] * 58], True),
    ([20, 19, *[5] * 58], False),  # not clear: a point less
    ([40, 37, *[5] * 58], False),  # nor three of forty
    ([20, 20, *[5] * 58], False),
    ([20, *[5] * 58], False),  # too few to be hard
    ([1, *[0] * 59], False),
])  # fmt: skip
def test_which_positions_make_one(worths: list[int], is_one: bool) -> None:
    known = Survey(tuple((f"M{n}", worth) for n, worth in enumerate(worths)), "all")
    assert (puzzle._evaluate_survey(known, 0) is not None) is is_one
    assert puzzle._evaluate_survey(replace(known, scope="some"), 0) is None
    assert puzzle._evaluate_survey(known, worths[0] + 1) is None, (
        "a word by a ruling was worth more than any that is known"
    )


def test_hardness_counts_the_turns_that_come_near_and_whether_it_was_missed_and_what_was_no_turn_has_none() -> None:
    known = Survey((("A", 20), ("B", 16), ("C", 14), *((f"M{n}", 1) for n in range(61))), "all")
    missed, seen = puzzle._evaluate_survey(known, 3), puzzle._evaluate_survey(known, 20)
    assert missed is not None and seen is not None  # noqa: PT018 - one thing
    assert seen.hardness == round(log2(64 / 2), 2)
    assert missed.hardness == seen.hardness + puzzle.MISSED
    assert puzzle.find_turn_position(work(), 10_000, 0) is None
