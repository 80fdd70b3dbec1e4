"""What a review says, as notes: a few lines of the whole match, and one for each turn. The sentences stand in
commands/player/asking.messages.en.toml and its translations."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from moderator.match.contract import Note
from moderator.review.review import Balance, Review, Reviewed, lost, moves_made

UNITS = {"points": "", "tiles": "-tiles"}
"""What is behind the code of a sentence about the worth of a turn."""


def summary(review: Review) -> tuple[Note, ...]:
    """The match in a few lines: a line for each seat, the turning point, the find."""
    if review.is_silent():
        return (Note("review-silent"),)
    seats = tuple(_seat(review, seat) for seat in range(review.seats))
    return (*seats, *_turning(review), *_find(review))


LINES = 5


def short(review: Review) -> tuple[Note, ...]:
    """The match in at most five lines: the seats, and what there is room for; () where there is nothing to tell."""
    if review.is_silent():
        return ()
    seats = [_seat(review, seat) for seat in range(review.seats)][: LINES - 1]
    return (*seats, *_turning(review), *_find(review))[:LINES]


def turns(review: Review) -> tuple[tuple[Note, ...], ...]:
    """A line for each turn in which there was a choice, of a sentence or two: what it brought, and where there is more
    to say, what became of it and what it was worth with what may follow."""
    return tuple(
        (_turn(review, number, one), *_counted(review, one), *_ahead(one))
        for number, one in enumerate(review.turns, start=1)
        if one.has_choice() and not review.is_silent()
    )


def notes(review: Review) -> tuple[Note, ...]:
    """How it was worked out: what was searched, by which dictionary, where luck comes from."""
    if review.is_silent():
        return ()
    scopes = {one.scope for one in review.turns}
    found = [Note("review-together")] if review.together else []
    if "single" in scopes:
        found.append(Note("review-scope-single"))
    if scopes - {"all"}:
        found.append(Note("review-scope-some"))
    if review.unit == "tiles":
        found.append(Note("review-unit-tiles"))
    if review.edition:
        found.append(Note("review-dictionary", {"dictionary": review.edition}))
    if any(one.equity is not None for one in review.turns):
        found.append(Note("review-looking-ahead"))
    elif review.unit == "points":
        found.append(Note("review-points-alone"))
    if review.balance:
        found.append(Note("review-expected"))
    if _has_luck(review):
        found.append(Note("review-luck"))
    return tuple(found)


def _has_luck(review: Review) -> bool:
    return any(one.luck is not None for one in review.balance)


def _seat(review: Review, seat: int) -> Note:
    own = [one for one in review.turns if one.seat == seat]
    values: dict[str, Any] = {"left": whole_points(lost(own)), "turns": moves_made(own)}
    if not review.balance:
        code = "review-left" if review.unit == "points" else "review-left-tiles"
        return Note(code, values, seat)
    code = "review-balance" if _has_luck(review) else "review-balance-skill"
    return Note(code, values | _rounded(review.balance[seat]), seat)


def _rounded(one: Balance) -> dict[str, int]:
    """As whole numbers that still add up; the rest takes what rounding leaves."""
    beginning, luck, skill = round(one.beginning), round(one.luck or 0), -whole_points(-one.skill)
    rest = one.end - beginning - luck - skill
    return {"end": one.end, "beginning": beginning, "luck": luck, "skill": skill, "rest": rest}


def whole_points(loss: float | Fraction) -> int:
    """As told in whole points."""
    return int(loss + Fraction(1, 2))


def _turning(review: Review) -> Iterator[Note]:
    """Whose move it was is said only where the new leader made it."""
    found = review.turning
    if found is None:
        return
    one = review.turns[found.turn]
    values: dict[str, Any] = {"turn": found.turn + 1, "move": one.played, "round": one.round, "lead": found.lead}
    if review.together:
        yield Note("review-turning-round", values | {"seat": found.seat})
    elif one.seat == found.seat and one.played:
        yield Note("review-turning", values, one.seat)
    else:
        yield Note("review-turning-after", values | {"seat": found.seat})


def _find(review: Review) -> Iterator[Note]:
    if review.find is not None:
        one = review.turns[review.find]
        code = {"points": "review-find", "tiles": "review-find-tiles"}[review.unit]
        yield Note(code, {"turn": review.find + 1, "move": one.played, "worth": one.worth, "of": one.of}, one.seat)


def _turn(review: Review, number: int, one: Reviewed) -> Note:
    values: dict[str, Any] = {"turn": number, "move": one.played, "worth": one.worth, "most": one.most, "of": one.of}
    values |= {"laid": one.best, "rank": one.rank}
    return Note(f"{_code(one)}{UNITS[review.unit]}", values, one.seat)


def _counted(review: Review, one: Reviewed) -> Iterator[Note]:
    """Where the orders of others came first."""
    if one.played and one.counted != one.worth and review.unit == "points":
        yield Note("review-counted", {"points": one.counted}, one.seat)


def _ahead(one: Reviewed) -> Iterator[Note]:
    more = whole_points(one.loss)
    if one.better and more:
        same = one.left and one.better == one.best
        yield Note("review-ahead-that" if same else "review-ahead", {"laid": one.better, "more": more})
    elif one.equity is not None and one.left and not one.better:
        yield Note("review-ahead-right")


def _code(one: Reviewed) -> str:
    whole = one.scope == "all"
    if not one.played:
        if not one.best:
            return "review-nothing" if whole else "review-nothing-found"
        return "review-missed" if whole else "review-missed-found"
    if one.scope == "some":
        return "review-found" if one.left else "review-most-found"
    if one.left:
        return "review-worse"
    if one.of > 1:
        return "review-best"
    return "review-sole" if whole else "review-most-found"
