"""The ladder: who may challenge whom, what an answer or none costs, and that it stays a ladder whatever happens."""

import json
import random
from dataclasses import replace
from datetime import date, timedelta

import pytest

from moderator.errors import Illegal, OperatorError
from moderator.tournaments.formats import ladder as rules
from moderator.tournaments.formats.contract import Asked
from moderator.tournaments.formats.ladder import Ladder, Terms

DAY = date(2026, 1, 5)


def later(days: int) -> date:
    return DAY + timedelta(days=days)


def ladder(count: int = 6, **terms: object) -> Ladder:
    return Ladder(tuple(range(1, count + 1)), terms=Terms(**terms))  # type: ignore[arg-type]


def unanswered(standing: Ladder, day: date) -> list[Asked]:
    return [one for one in rules.LADDER.asked(standing.to_json()) if one.late(day)]


def lapsed_by(standing: Ladder, day: date) -> Ladder:
    """Every challenge that is not answered by then is refused, as a club does it day by day."""
    for late in unanswered(standing, day):
        standing = rules.refuse(standing, late.challenged, day)
    return standing


def code(found: pytest.ExceptionInfo[Illegal]) -> str:
    return found.value.code


@pytest.mark.parametrize(
    ("challenger", "challenged", "expected"),
    [(9, 1, "ladder-not-on"), (3, 9, "ladder-not-on"), (3, 4, "ladder-not-above"), (3, 3, "ladder-not-above"),
     (5, 1, "ladder-too-far"), (6, 5, "ladder-away")],
)  # fmt: skip
def test_who_cannot_be_challenged(challenger: int, challenged: int, expected: str) -> None:
    with pytest.raises(Illegal) as found:
        rules.challenge(ladder(), challenger, challenged, DAY, away=[5])
    assert code(found) == expected
    assert challenged not in rules.possible(ladder(), challenger, DAY, away=[5])


def test_one_challenge_each_way() -> None:
    one = rules.challenge(ladder(), 4, 2, DAY)
    for challenger, challenged, expected in [(4, 3, "ladder-busy-challenger"), (5, 2, "ladder-busy-challenged")]:
        with pytest.raises(Illegal) as found:
            rules.challenge(one, challenger, challenged, DAY)
        assert code(found) == expected
    both = rules.challenge(rules.challenge(one, 2, 1, DAY), 6, 4, DAY)
    assert [(c.challenger, c.challenged) for c in both.challenges] == [(4, 2), (2, 1), (6, 4)]
    assert rules.possible(ladder(), 5, DAY) == (2, 3, 4)
    assert rules.possible(one, 5, DAY) == (3, 4)


def test_a_win_swaps_and_the_same_two_wait() -> None:
    running = rules.accept(rules.challenge(ladder(), 4, 2, DAY), 2, later(3))
    won = rules.decide(running, 4, "won", later(30))
    assert won.rungs == (1, 4, 3, 2, 5, 6)
    with pytest.raises(Illegal) as found:
        rules.challenge(won, 2, 4, later(57))
    assert code(found) == "ladder-locked"
    assert found.value.params["day"] == later(58)
    assert rules.challenge(won, 2, 4, later(58)).challenges
    for outcome in ("lost", "drawn"):
        kept = rules.decide(running, 4, outcome, later(30))  # type: ignore[arg-type]
        assert (kept.rungs, kept.challenges, kept.met) == (running.rungs, (), won.met)


@pytest.mark.parametrize(
    ("refusal", "expected"), [("swap", (1, 5, 3, 4, 2, 6)), ("below", (1, 5, 2, 3, 4, 6)), ("none", (1, 2, 3, 4, 5, 6))]
)
def test_no_answer_costs_the_place(refusal: str, expected: tuple[int, ...]) -> None:
    waiting = rules.challenge(ladder(refusal=refusal), 5, 2, DAY)
    assert lapsed_by(waiting, later(7)) == waiting, "the seventh day is the last one"
    lapsed = lapsed_by(waiting, later(8))
    assert (lapsed.rungs, lapsed.challenges) == (expected, ())
    assert lapsed_by(lapsed, later(8)) == lapsed
    assert rules.refuse(waiting, 2, later(2)).rungs == expected
    with pytest.raises(Illegal) as found:
        rules.refuse(lapsed, 2, later(9))
    assert code(found) == "ladder-no-challenge"


def test_an_accepted_challenge_does_not_lapse() -> None:
    running = rules.accept(rules.challenge(ladder(), 5, 2, DAY), 2, later(7))
    assert lapsed_by(running, later(300)) == running
    with pytest.raises(OperatorError):
        rules.decide(rules.challenge(ladder(), 5, 2, DAY), 5, "won", DAY)


def test_join_and_leave() -> None:
    one = rules.challenge(rules.challenge(ladder(), 4, 2, DAY), 3, 1, DAY)
    gone = rules.withdraw(one, 2)
    assert gone.rungs == (1, 3, 4, 5, 6)
    assert [(c.challenger, c.challenged) for c in gone.challenges] == [(3, 1)]
    assert rules.join(gone, 7).rungs == (1, 3, 4, 5, 6, 7)
    assert rules.join(gone, 3) == gone


def test_who_has_passed_the_other_meanwhile_is_not_sent_down() -> None:
    running = rules.accept(rules.challenge(ladder(), 4, 3, DAY), 3, DAY)
    passed = rules.decide(replace(running, rungs=(1, 2, 4, 3, 5, 6)), 4, "won", later(9))
    assert passed.rungs == (1, 2, 4, 3, 5, 6)


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens_it_stays_a_ladder(seed: int) -> None:
    chance = random.Random(seed)
    state = ladder(8, refusal=chance.choice(["swap", "below", "none"]), lock_days=10)
    seen = 0
    for step in range(150):
        day = later(step)
        who = chance.choice(state.rungs)
        before = state
        if (open_ := rules.possible(state, who, day)) and chance.random() < 0.6:
            state = rules.challenge(state, who, chance.choice(open_), day)
            assert state.rung(who) <= state.rung(state.challenges[-1].challenged) + state.terms.reach
            seen += 1
        elif waiting := [c for c in state.challenges if c.accepted is None and chance.random() < 0.5]:
            state = rules.accept(state, waiting[0].challenged, day)
        elif running := [c for c in state.challenges if c.accepted]:
            state = rules.decide(state, running[0].challenger, chance.choice(["won", "lost", "drawn"]), day)
        state = lapsed_by(state, day)
        assert sorted(state.rungs) == sorted(before.rungs)
        for side in ([c.challenger for c in state.challenges], [c.challenged for c in state.challenges]):
            assert len(side) == len(set(side))
        assert not unanswered(state, day)
        assert Ladder.from_json(json.loads(json.dumps(state.to_json()))) == state
    assert seen > 20
