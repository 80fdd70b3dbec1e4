"""What a review says, as notes: a few lines of the whole match, and one for each turn. The sentences stand in
commands/player/asking.messages.en.toml and its translations."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from moderator.match.contract import Note
from moderator.review.review import Balance, Review, Reviewed, leader, lost

UNITS = {"points": "", "tiles": "-tiles"}
"""What is behind the code of a sentence about the worth of a turn."""


def summary(review: Review) -> tuple[Note, ...]:
    """The match in a few lines: a line for each seat, the turning points, the find."""
    seats = tuple(_seat(review, seat) for seat in range(review.seats))
    return (*seats, *(_turning(review, at) for at in review.turning), *_find(review))


LINES = 5


def short(review: Review) -> tuple[Note, ...]:
    """The match in at most five lines: the seats, the find, and as many turning points, the last ones, as there is
    room for."""
    seats = [_seat(review, seat) for seat in range(review.seats)][: LINES - 1]
    find = list(_find(review))
    room = LINES - len(seats) - len(find)
    turning = [_turning(review, at) for at in review.turning[len(review.turning) - min(room, len(review.turning)) :]]
    return (*seats, *turning, *find)


def turns(review: Review) -> tuple[tuple[Note, ...], ...]:
    """A line for each turn, of a sentence or two: what it brought, and where there is more to say, what it was worth
    with what may follow."""
    return tuple((_turn(review, number, one), *_ahead(one)) for number, one in enumerate(review.turns, start=1))


def notes(review: Review) -> tuple[Note, ...]:
    """How it was worked out: what was searched, by which dictionary, where luck comes from."""
    scopes = {one.scope for one in review.turns}
    found: list[Note] = []
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
        found.append(Note("review-luck"))
    return tuple(found)


def _seat(review: Review, seat: int) -> Note:
    own = [one for one in review.turns if one.seat == seat]
    values: dict[str, Any] = {"left": whole_points(lost(own)), "turns": len(own)}
    if not review.balance:
        code = "review-left" if review.unit == "points" else "review-left-tiles"
        return Note(code, values, seat)
    return Note("review-balance", values | _rounded(review.balance[seat]), seat)


def _rounded(one: Balance) -> dict[str, int]:
    """As whole numbers that still add up; luck takes what rounding leaves."""
    beginning, skill = round(one.beginning), -whole_points(-one.skill)
    return {"end": one.end, "beginning": beginning, "skill": skill, "luck": one.end - beginning - skill}


def whole_points(loss: float | Fraction) -> int:
    """As told in whole points."""
    return int(loss + Fraction(1, 2))


def _turning(review: Review, at: int) -> Note:
    one = review.turns[at]
    first = leader(one.scores)
    values: dict[str, Any] = {"turn": at + 1, "move": one.played}
    if first is None:
        code = "review-turning-tied" if one.played else "review-turning-tied-missed"
        return Note(code, values, one.seat)
    lead = one.scores[first] - sorted(one.scores)[-2]
    code = "review-turning" if one.played else "review-turning-missed"
    return Note(code, values | {"seat": first, "lead": lead}, one.seat)


def _find(review: Review) -> Iterator[Note]:
    if review.find is not None:
        one = review.turns[review.find]
        code = {"points": "review-find", "tiles": "review-find-tiles"}[review.unit]
        yield Note(code, {"turn": review.find + 1, "move": one.played, "worth": one.worth, "of": one.of}, one.seat)


def _turn(review: Review, number: int, one: Reviewed) -> Note:
    values: dict[str, Any] = {"turn": number, "move": one.played, "worth": one.worth, "most": one.most, "of": one.of}
    values |= {"laid": one.best, "rank": one.rank}
    return Note(f"{_code(one)}{UNITS[review.unit]}", values, one.seat)


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
