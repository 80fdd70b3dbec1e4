"""Reviews of finished matches: what is due, what is made of each, who waits for one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, delete, func, or_, select

from moderator.common.enums import MatchStatus
from moderator.review import REVIEWER
from moderator.store.tables import MatchReview, MatchRow, ReviewRequest, TurnReview

CHUNK = 500
"""Matches asked about in one statement."""


def queue_review(session: Session, match: MatchRow, now: datetime) -> MatchReview:
    """Queue the review of a match and drop the old one: the match is over, or its log has become longer since, or a
    review is wanted anew."""
    delete_review(session, match.number)
    row = MatchReview(match_id=match.number, version=REVIEWER, entries=match.entries, due_at=now)
    session.add(row)
    session.flush()
    return row


def delete_review(session: Session, match_id: int, requests: bool = False) -> None:
    """Delete the review of a match that is not over any more. Players who wait for it go on waiting, unless the
    ``list_review_requests`` are deleted, too."""
    session.flush()
    if requests:
        session.execute(delete(ReviewRequest).where(col(ReviewRequest.match_id) == match_id))
    session.execute(delete(TurnReview).where(col(TurnReview.match_id) == match_id))
    session.execute(delete(MatchReview).where(col(MatchReview.match_id) == match_id))


def find_current_review(session: Session, match: MatchRow) -> MatchReview | None:
    """Find the stored review of the match as it is now, complete or not; None where there is none."""
    if match.status != MatchStatus.FINISHED:
        return None
    found = session.get(MatchReview, match.number)
    return found if found is not None and (found.entries, found.version) == (match.entries, REVIEWER) else None


def find_next_due_review(session: Session, now: datetime) -> int | None:
    """Find the match whose review is to be worked on next; one that somebody waits for comes first, then the one that
    was due first."""
    waited = select(ReviewRequest.id).where(ReviewRequest.match_id == MatchReview.match_id).exists()
    due = or_(col(MatchReview.due_at) <= now, col(MatchReview.version) < REVIEWER)
    query = select(MatchReview.match_id).where(due)
    order = (waited.desc(), col(MatchReview.due_at), col(MatchReview.match_id))
    return session.exec(query.order_by(*order).limit(1)).first()


def list_turn_reviews(session: Session, match_id: int) -> list[dict[str, Any]]:
    """List the reviews of the match's turns so far, in the order of play."""
    query = select(TurnReview.content).where(TurnReview.match_id == match_id)
    return [dict(content) for content in session.exec(query.order_by(col(TurnReview.number)))]


def count_turn_reviews(session: Session, match_id: int) -> int:
    """Count the match's turns that are reviewed."""
    return session.exec(select(func.count()).where(TurnReview.match_id == match_id)).one()


def find_turn_review(session: Session, match_id: int, number: int) -> dict[str, Any] | None:
    """Find the review of one turn."""
    found = session.get(TurnReview, (match_id, number))
    return None if found is None else dict(found.content)


def add_turn_reviews(session: Session, match_id: int, after: int, contents: Sequence[dict[str, Any]]) -> None:
    """Add the next turns; ``after``: how many there are already."""
    for number, content in enumerate(contents, start=after + 1):
        session.add(TurnReview(match_id=match_id, number=number, content=content))
    session.flush()


def defer_review(session: Session, match_id: int, why: str, until: datetime) -> bool:
    """Defer a review that failed; it is tried again then. Returns whether the failure is new: it failed otherwise, or
    not at all, when it was last tried."""
    row = session.get(MatchReview, match_id)
    new = row is None or row.trouble != why
    if row is not None:
        session.execute(delete(TurnReview).where(col(TurnReview.match_id) == match_id))
        row.trouble, row.due_at, row.version, row.content = why, until, REVIEWER, None
        session.add(row)
    return new


def load_complete_reviews(session: Session, matches: Collection[int]) -> dict[int, dict[str, Any]]:
    """Load the content of the reviews of these matches, by the match's id, as far as they are complete and hold; the
    turns are left out."""
    found: dict[int, dict[str, Any]] = {}
    wanted = sorted(matches)
    for start in range(0, len(wanted), CHUNK):
        query = select(MatchReview.match_id, MatchReview.content).join(
            MatchRow, col(MatchRow.id) == MatchReview.match_id
        )
        query = query.where(col(MatchReview.match_id).in_(wanted[start : start + CHUNK]))
        query = query.where(MatchReview.entries == MatchRow.entries, MatchRow.status == MatchStatus.FINISHED)
        query = query.where(col(MatchReview.due_at).is_(None), MatchReview.version == REVIEWER)
        found |= {number: dict(content) for number, content in session.exec(query) if content is not None}
    return found


# ---- who waits for one ----


def request_review(session: Session, match_id: int, player_id: int, now: datetime) -> None:
    """Record that the player gets the review when it is complete, once, however often it was asked for."""
    query = select(ReviewRequest.id).where(ReviewRequest.match_id == match_id, ReviewRequest.player_id == player_id)
    if session.exec(query).first() is None:
        session.add(ReviewRequest(match_id=match_id, player_id=player_id, at=now))
        session.flush()


def list_review_requests(session: Session, match_id: int) -> list[int]:
    """List the ids of the players who wait for the review, in the order in which they asked."""
    query = select(ReviewRequest.player_id).where(ReviewRequest.match_id == match_id)
    return list(session.exec(query.order_by(col(ReviewRequest.id))))


def delete_review_requests(session: Session, match_id: int) -> None:
    """Delete all requests for the review."""
    session.execute(delete(ReviewRequest).where(col(ReviewRequest.match_id) == match_id))
