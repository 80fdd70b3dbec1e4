"""The stored reviews for `moderator doctor --deep`: each turn of one can be read and is a turn of its match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlmodel import Session

from moderator.common.enums import MatchStatus
from moderator.common.errors import ConfigError
from moderator.review import REVIEWER
from moderator.review.review import Reviewed, count_moves_made, decode_review, decode_turn_comparison, sum_losses
from moderator.rules.replay import drop_undone
from moderator.store import reviews
from moderator.store.tables import MatchReview, MatchRow
from moderator.views.loaded_match import ReplayedMatch


def iter_review_faults(session: Session, match: MatchRow, walked: ReplayedMatch) -> Iterator[tuple[str, str]]:
    """Yield (what, fix) of a match's review, where there is one. One that an older version has made, or of a shorter
    log, is read by nobody and made anew."""
    row = session.get(MatchReview, match.number)
    anew = f"Run `moderator review {match.code} --anew`."
    if row is None or (row.version, row.entries) != (REVIEWER, match.entries):
        return
    if match.status != MatchStatus.FINISHED:
        yield "it has a review, and is not over", "Keep a copy of the database and report it."
        return
    if row.trouble:
        yield f"its review cannot be made: {row.trouble}", anew
    turns = reviews.list_turn_reviews(session, match.number)
    try:
        made = [decode_turn_comparison(content) for content in turns]
        if row.due_at is None:
            decode_review((row.content or {}) | {"turns": turns})
    except (ConfigError, LookupError, TypeError, ValueError) as error:
        yield f"its review cannot be read ({type(error).__name__}: {error})", anew
        return
    yield from ((what, anew) for what in _iter_foreign_turns(made, walked))
    if row.due_at is None and (what := _describe_wrong_sums(made, row.content or {})):
        yield what, anew


def _iter_foreign_turns(made: list[Reviewed], walked: ReplayedMatch) -> Iterator[str]:
    """Yield the turns that the match has not."""
    together = walked.live.table.pace == "rounds"
    played = {
        (number, move.seat): ("" if together else move.played or "", move.points)
        for number, _ in drop_undone(walked.entries)
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


def _describe_wrong_sums(made: list[Reviewed], content: Mapping[str, Any]) -> str:
    """Describe how the sums of a complete review differ from its turns; "" = they do not."""
    seats = range(int(content["seats"]))
    left = [sum(one.left for one in made if one.seat == seat) for seat in seats]
    moves = [count_moves_made(one for one in made if one.seat == seat) for seat in seats]
    if (list(content["left"]), list(content["moves"])) != (left, moves):
        return f"its review counts {content['left']} left in {content['moves']} turns, its turns {left} in {moves}"
    loss = [float(sum_losses(one for one in made if one.seat == seat)) for seat in seats]
    if list(content["loss"]) != loss:
        return f"its review counts {content['loss']} lost looking ahead, its turns {loss}"
    return ""
