"""The logs of matches, entry by entry."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlmodel import Session, col, func, select

from moderator.states import EntryKind
from moderator.store.models import Event, Inbox

# ---- one match ----


def rows(
    session: Session, match_id: int, kinds: Collection[EntryKind] = (), since: datetime | None = None
) -> Sequence[Event]:
    """The match's entries, oldest first: only of these kinds, only after ``since``."""
    query = select(Event).where(Event.match_id == match_id)
    if kinds:
        query = query.where(col(Event.kind).in_(kinds))
    if since is not None:
        query = query.where(Event.at > since)
    return session.exec(query.order_by(col(Event.n))).all()


def last(session: Session, match_id: int, kinds: Collection[EntryKind], since: datetime) -> Event | None:
    """The match's latest entry of one of these kinds after ``since``."""
    query = select(Event).where(Event.match_id == match_id, Event.at > since, col(Event.kind).in_(kinds))
    return session.exec(query.order_by(col(Event.n).desc())).first()


def times(session: Session, match_id: int) -> dict[int, datetime]:
    """When each entry of a match was made, by its number, oldest first."""
    query = select(Event.n, Event.at).where(Event.match_id == match_id).order_by(col(Event.n))
    return dict(session.exec(query).all())


def time_of(session: Session, match_id: int, n: int) -> datetime | None:
    """When entry ``n`` of a match was made."""
    return session.exec(select(Event.at).where(Event.match_id == match_id, Event.n == n)).first()


def has(session: Session, match_id: int, kinds: Collection[EntryKind]) -> bool:
    """Whether the match has an entry of one of these kinds."""
    query = select(Event.id).where(Event.match_id == match_id, col(Event.kind).in_(kinds))
    return session.exec(query.limit(1)).first() is not None


def clock_was_moved(session: Session, match_id: int, why: str, since: datetime) -> bool:
    """Whether the clock of a match was moved for this reason since then."""
    query = select(Event.id).where(
        Event.match_id == match_id, Event.kind == EntryKind.CLOCK, Event.text == why, Event.at >= since
    )
    return session.exec(query.limit(1)).first() is not None


def orders(
    session: Session, match_id: int, numbers: Collection[int]
) -> Sequence[tuple[int | None, datetime, datetime | None, int | None]]:
    """Which of these entries are orders: (seat, when it was entered, when its mail came, number of its mail), oldest
    first."""
    query = (
        select(Event.seat, Event.at, Inbox.received_at, Inbox.id)
        .join(Inbox, col(Inbox.id) == col(Event.inbox_id), isouter=True)
        .where(Event.match_id == match_id, Event.kind == EntryKind.ORDER, col(Event.n).in_(numbers))
        .order_by(col(Event.n))
    )
    return [(seat, at, received, number) for seat, at, received, number in session.exec(query)]


# ---- several matches ----


def moves_by_mail(session: Session, since: datetime) -> int:
    """How many turns were answered by mail since then, in matches where each is played as it comes."""
    query = select(func.count()).where(
        Event.kind == EntryKind.MOVE, Event.at >= since, col(Event.inbox_id).is_not(None)
    )
    return session.exec(query).one()


def undone(session: Session, match_ids: Collection[int]) -> list[tuple[int, int, int]]:
    """(match, number of the entry, last entry that still holds) of everything that was taken back in these matches."""
    if not match_ids:
        return []
    query = select(Event.match_id, Event.n, Event.text).where(
        col(Event.match_id).in_(match_ids), Event.kind == EntryKind.UNDO
    )
    return [(match, n, int(text)) for match, n, text in session.exec(query)]


def latest(session: Session) -> datetime | None:
    """When the last entry of all was written; None before the first."""
    return session.exec(select(Event.at).order_by(col(Event.id).desc()).limit(1)).first()
