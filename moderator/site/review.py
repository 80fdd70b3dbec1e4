"""The review of a finished match as its page shows it: the whole in a few sentences, a table of its turns, and how that
was worked out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moderator.club import reviews
from moderator.pages.review import content
from moderator.review.review import Review, Reviewed, read_turn
from moderator.site.site import Listed, Site, View
from moderator.store import reviews as store
from moderator.store.models import Match


@dataclass(frozen=True)
class ReviewRow:
    """A turn in which there was a choice."""

    number: int
    seat: int
    played: str
    worth: int
    best: str
    """What brought most, if it was more; "" = nothing did."""
    most: int
    better: str
    """What was worth more with what may follow, if it is another one than ``best``; "" = nothing was."""
    left: str
    """Points by what may follow, in tenths; where nobody knows that, by what the turn brought."""
    place: str
    """``3 of 422``; "" where not everything was searched."""
    telling: bool
    """A turning point, or the find."""


@dataclass(frozen=True)
class ShownReview:
    summary: tuple[str, ...]
    rows: tuple[ReviewRow, ...]
    explained: tuple[str, ...]


def shown(site: Site, match: Listed, view: View) -> ShownReview | None:
    """None while the match runs, and before its review is whole."""
    if not match.over or match.id not in site.reviews:
        return None
    found = reviews.whole(site.desk.session, site.desk.session.get_one(Match, match.id))
    if found is None:
        return None
    names, said = tuple(seat.name for seat in match.seats), content(found)
    summary = tuple(view.say(note, match.game, names) for note in said.summary)
    explained = tuple(view.say(note, match.game, names) for note in said.explained)
    return ShownReview(summary, tuple(_rows(found, view)), explained)


def _rows(review: Review, view: View) -> Sequence[ReviewRow]:
    telling = {review.turning and review.turning.turn, review.find}
    turns = [] if review.is_silent() else list(enumerate(review.turns))
    return [_row(review.game, at, one, at in telling, view) for at, one in turns if one.has_choice()]


def _row(game: str, at: int, one: Reviewed, telling: bool, view: View) -> ReviewRow:
    best = view.move(one.best, game) if one.left and one.best else ""
    if best and one.scope == "some":
        best = view.t("site.review-found", move=best)
    better = view.move(one.better, game) if one.better not in ("", one.best if one.left else "") else ""
    left = str(one.left) if one.equity is None else view.number(f"{one.loss:.1f}".removesuffix(".0"))
    place = "" if one.rank is None else view.t("site.review-place-of", rank=one.rank, of=one.of)
    played = view.move(one.played, game)
    return ReviewRow(at + 1, one.seat, played, one.worth, best, one.most, better, left, place, telling)


def best_find(view: View, matches: Sequence[Listed]) -> str:
    """The find that was the best of most moves, of those of the matches; of equals the one with more points. "" where
    none of them has a find."""
    session, found = view.site.desk.session, []
    for match in matches:
        at: int | None = view.site.reviews.get(match.id, {}).get("find")
        turn = None if at is None else store.turn(session, match.id, at + 1)
        if at is not None and turn is not None:
            one = read_turn(turn)
            found.append((one.of, one.worth, match.code, at + 1, match, one))
    if not found:
        return ""
    *_, number, match, one = max(found, key=lambda entry: entry[:4])
    title = view.t("site.quoted", name=match.title)
    values = {"name": match.seats[one.seat].name, "move": view.move(one.played, match.game), "turn": number}
    values |= {"title": f"{view.game(match.game)} {title} ({match.code})", "of": one.of}
    return view.t("site.letter-find-said", **values)
