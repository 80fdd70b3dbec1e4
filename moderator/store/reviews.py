"""Reviews of finished matches: what is due, what is made of each, who waits for one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, delete, func, or_, select

from moderator.review import REVIEWER
from moderator.states import MatchStatus
from moderator.store.models import Match, MatchReview, ReviewRequest, TurnReview

CHUNK = 500
"""Matches asked about in one statement."""


def queue(session: Session, match: Match, now: datetime) -> MatchReview:
    """The match is over, or its log has become longer since, or a review is wanted anew: what was made is gone."""
    drop(session, match.number)
    row = MatchReview(match_id=match.number, version=REVIEWER, entries=match.entries, due_at=now)
    session.add(row)
    session.flush()
    return row


def drop(session: Session, match_id: int, requests: bool = False) -> None:
    """The match is not over any more. Who waits for its review goes on waiting, unless the ``requests`` go, too."""
    session.flush()
    if requests:
        session.execute(delete(ReviewRequest).where(col(ReviewRequest.match_id) == match_id))
    session.execute(delete(TurnReview).where(col(TurnReview.match_id) == match_id))
    session.execute(delete(MatchReview).where(col(MatchReview.match_id) == match_id))


def of(session: Session, match: Match) -> MatchReview | None:
    """What is kept of the match as it is now, whole or not; None where nothing is."""
    if match.status != MatchStatus.FINISHED:
        return None
    found = session.get(MatchReview, match.number)
    return found if found is not None and (found.entries, found.version) == (match.entries, REVIEWER) else None


def next_due(session: Session, now: datetime) -> int | None:
    """The match whose review is to be worked on; what somebody waits for comes first, then what was due first."""
    waited = select(ReviewRequest.id).where(ReviewRequest.match_id == MatchReview.match_id).exists()
    due = or_(col(MatchReview.due_at) <= now, col(MatchReview.version) < REVIEWER)
    query = select(MatchReview.match_id).where(due)
    order = (waited.desc(), col(MatchReview.due_at), col(MatchReview.match_id))
    return session.exec(query.order_by(*order).limit(1)).first()


def turns(session: Session, match_id: int) -> list[dict[str, Any]]:
    """What is made of its turns so far, in the order of play."""
    query = select(TurnReview.content).where(TurnReview.match_id == match_id)
    return [dict(content) for content in session.exec(query.order_by(col(TurnReview.number)))]


def kept(session: Session, match_id: int) -> int:
    """How many of its turns are made."""
    return session.exec(select(func.count()).where(TurnReview.match_id == match_id)).one()


def turn(session: Session, match_id: int, number: int) -> dict[str, Any] | None:
    """What is made of one turn."""
    found = session.get(TurnReview, (match_id, number))
    return None if found is None else dict(found.content)


def add_turns(session: Session, match_id: int, after: int, contents: Sequence[dict[str, Any]]) -> None:
    """The next turns; ``after``: how many there are already."""
    for number, content in enumerate(contents, start=after + 1):
        session.add(TurnReview(match_id=match_id, number=number, content=content))
    session.flush()


def put_off(session: Session, match_id: int, why: str, until: datetime) -> bool:
    """It could not be made; it is tried again then. Returns whether that is new: it failed otherwise, or not at all,
    when it was last tried."""
    row = session.get(MatchReview, match_id)
    new = row is None or row.trouble != why
    if row is not None:
        session.execute(delete(TurnReview).where(col(TurnReview.match_id) == match_id))
        row.trouble, row.due_at, row.version, row.content = why, until, REVIEWER, None
        session.add(row)
    return new


def whole(session: Session, matches: Collection[int]) -> dict[int, dict[str, Any]]:
    """Match id -> content of its review, of those matches that have one that holds; the turns are left out."""
    found: dict[int, dict[str, Any]] = {}
    wanted = sorted(matches)
    for start in range(0, len(wanted), CHUNK):
        query = select(MatchReview.match_id, MatchReview.content).join(Match, col(Match.id) == MatchReview.match_id)
        query = query.where(col(MatchReview.match_id).in_(wanted[start : start + CHUNK]))
        query = query.where(MatchReview.entries == Match.entries, Match.status == MatchStatus.FINISHED)
        query = query.where(col(MatchReview.due_at).is_(None), MatchReview.version == REVIEWER)
        found |= {number: dict(content) for number, content in session.exec(query) if content is not None}
    return found


# ---- who waits for one ----


def request(session: Session, match_id: int, player_id: int, now: datetime) -> None:
    """The player gets the review when it is whole, once, however often it was asked for."""
    query = select(ReviewRequest.id).where(ReviewRequest.match_id == match_id, ReviewRequest.player_id == player_id)
    if session.exec(query).first() is None:
        session.add(ReviewRequest(match_id=match_id, player_id=player_id, at=now))
        session.flush()


def requests(session: Session, match_id: int) -> list[int]:
    """Ids of the players who wait for it, in the order in which they asked."""
    query = select(ReviewRequest.player_id).where(ReviewRequest.match_id == match_id)
    return list(session.exec(query.order_by(col(ReviewRequest.id))))


def answered(session: Session, match_id: int) -> None:
    """Nobody waits for it any more."""
    session.execute(delete(ReviewRequest).where(col(ReviewRequest.match_id) == match_id))
