"""What a review says, as notes: a few lines of the whole match, and one for each turn. The sentences stand in
commands/player/asking.messages.en.toml and its translations."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from moderator.review.review import Balance, Review, Reviewed, count_moves_made, sum_losses
from moderator.rules.game import Note

UNITS = {"points": "", "tiles": "-tiles"}
"""What is behind the code of a sentence about the worth of a turn."""


def list_summary_notes(review: Review) -> tuple[Note, ...]:
    """Return the match in a few lines: a line for each seat, the turning points, the find."""
    if review.is_silent():
        return (Note("review-silent"),)
    seats = tuple(_build_seat_note(review, seat) for seat in range(review.seats))
    return (*seats, *list_turning_notes(review), *_iter_find_notes(review))


def list_turn_notes(review: Review) -> tuple[tuple[Note, ...], ...]:
    """Return a line for each turn, of a sentence or two: the points that it brought, and where there is more to say,
    its worth with the turns that may follow."""
    return tuple(
        (_build_turn_note(review, number, one), *_iter_counted_notes(review, one), *_iter_ahead_notes(one))
        for number, one in enumerate(review.turns, start=1)
        if one.has_choice() and not review.is_silent()
    )


def list_method_notes(review: Review) -> tuple[Note, ...]:
    """Return notes on how the review was worked out: how far was searched, by which dictionary, where luck comes
    from."""
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


def _build_seat_note(review: Review, seat: int) -> Note:
    own = [one for one in review.turns if one.seat == seat]
    values: dict[str, Any] = {"left": round_to_points(sum_losses(own)), "turns": count_moves_made(own)}
    if not review.balance:
        code = "review-left" if review.unit == "points" else "review-left-tiles"
        return Note(code, values, seat)
    code = "review-balance" if _has_luck(review) else "review-balance-skill"
    return Note(code, values | _round_balance(review.balance[seat]), seat)


def _round_balance(one: Balance) -> dict[str, int]:
    """Return the balance as whole numbers that still add up; luck takes the rest of rounding."""
    beginning, luck, skill = round(one.beginning), round(one.luck or 0), -round_to_points(-one.skill)
    rest = one.end - beginning - luck - skill
    return {"end": one.end, "beginning": beginning, "luck": luck, "skill": skill, "rest": rest}


def round_to_points(loss: float | Fraction) -> int:
    """Return a loss in whole points."""
    return int(loss + Fraction(1, 2))


def list_turning_notes(review: Review) -> tuple[Note, ...]:
    """Return the note on the turning point. It names the move only where the new leader made it."""
    found = review.turning
    if found is None or review.is_silent():
        return ()
    one = review.turns[found.turn]
    values: dict[str, Any] = {"turn": found.turn + 1, "move": one.played, "round": one.round, "lead": found.lead}
    if review.together:
        return (Note("review-turning-round", values | {"seat": found.seat}),)
    if one.seat == found.seat and one.played:
        return (Note("review-turning", values, one.seat),)
    return (Note("review-turning-after", values | {"seat": found.seat}),)


def _iter_find_notes(review: Review) -> Iterator[Note]:
    """Yield the note on the find; it names all who had it at once."""
    if review.find is not None:
        one = review.turns[review.find]
        code = {"points": "review-find", "tiles": "review-find-tiles"}[review.unit]
        same = (one.n, one.played, one.worth)
        seats = [each.seat for each in review.turns if (each.n, each.played, each.worth) == same]
        values = {"turn": review.find + 1, "move": one.played, "worth": one.worth, "of": one.of}
        yield Note(code, values | {"seats": seats})


def _build_turn_note(review: Review, number: int, one: Reviewed) -> Note:
    values: dict[str, Any] = {"turn": number, "move": one.played, "worth": one.worth, "most": one.most, "of": one.of}
    values |= {"laid": one.best, "rank": one.rank}
    return Note(f"{_choose_turn_code(one)}{UNITS[review.unit]}", values, one.seat)


def _iter_counted_notes(review: Review, one: Reviewed) -> Iterator[Note]:
    """Yield the note that the turn counted otherwise, where the orders of others came first."""
    if one.played and one.counted != one.worth and review.unit == "points":
        yield Note("review-counted", {"points": one.counted}, one.seat)


def _iter_ahead_notes(one: Reviewed) -> Iterator[Note]:
    more = round_to_points(one.loss)
    if one.better and more:
        same = one.left and one.better == one.best
        yield Note("review-ahead-that" if same else "review-ahead", {"laid": one.better, "more": more})
    elif one.equity is not None and one.left and not one.better:
        yield Note("review-ahead-right")


def _choose_turn_code(one: Reviewed) -> str:
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
