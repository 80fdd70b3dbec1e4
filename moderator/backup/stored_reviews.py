"""The stored reviews for `moderator doctor --deep`: each turn of one can be read and is a turn of its match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlmodel import Session

from moderator.club.live_match import Walked
from moderator.errors import ConfigError
from moderator.match.replay import effective
from moderator.review import REVIEWER
from moderator.review.review import Reviewed, lost, moves_made, read, read_turn
from moderator.states import MatchStatus
from moderator.store import reviews
from moderator.store.models import Match, MatchReview


def faults(session: Session, match: Match, walked: Walked) -> Iterator[tuple[str, str]]:
    """(what, fix) of a match's review, where there is one. What an older version has made, or of a shorter log, is read
    by nobody and made anew."""
    row = session.get(MatchReview, match.number)
    anew = f"Run `moderator review {match.code} --anew`."
    if row is None or (row.version, row.entries) != (REVIEWER, match.entries):
        return
    if match.status != MatchStatus.FINISHED:
        yield "it has a review, and is not over", "Keep a copy of the database and report it."
        return
    if row.trouble:
        yield f"its review cannot be made: {row.trouble}", anew
    turns = reviews.turns(session, match.number)
    try:
        made = [read_turn(content) for content in turns]
        if row.due_at is None:
            read((row.content or {}) | {"turns": turns})
    except (ConfigError, LookupError, TypeError, ValueError) as error:
        yield f"its review cannot be read ({type(error).__name__}: {error})", anew
        return
    yield from ((what, anew) for what in _strangers(made, walked))
    if row.due_at is None and (what := _summed(made, row.content or {})):
        yield what, anew


def _strangers(made: list[Reviewed], walked: Walked) -> Iterator[str]:
    """Turns that the match has not. In pace ``rounds`` what was played may be another alternative than the one that
    was chosen."""
    together = walked.live.table.pace == "rounds"
    played = {
        (number, move.seat): ("" if together else move.played or "", move.points)
        for number, _ in effective(walked.entries)
        for move in walked.results[number - 1].moves
    }
    for at, one in enumerate(made, start=1):
        there = played.get((one.n, one.seat))
        if there is None:
            yield f"turn {at} of its review is of entry {one.n}, where seat {one.seat + 1} had no turn"
        elif (one.played if not together else "", one.counted) != there:
            yield f"turn {at} of its review is {one.played!r}, by the log it was {there[0]!r}"
    if len({(one.n, one.seat) for one in made}) < len(made):
        yield "its review has a turn twice"


def _summed(made: list[Reviewed], content: Mapping[str, Any]) -> str:
    """How what a whole review says in sum differs from its turns; "" = it does not."""
    seats = range(int(content["seats"]))
    left = [sum(one.left for one in made if one.seat == seat) for seat in seats]
    moves = [moves_made(one for one in made if one.seat == seat) for seat in seats]
    if (list(content["left"]), list(content["moves"])) != (left, moves):
        return f"its review counts {content['left']} left in {content['moves']} turns, its turns {left} in {moves}"
    loss = [float(lost(one for one in made if one.seat == seat)) for seat in seats]
    if list(content["loss"]) != loss:
        return f"its review counts {content['loss']} lost looking ahead, its turns {loss}"
    return ""
