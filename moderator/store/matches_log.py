"""The logs of matches, entry by entry."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import groupby

from sqlalchemy import and_, or_
from sqlmodel import Session, col, func, select

from moderator.common.enums import LogEntryKind, MatchStatus, SeatLeftReason
from moderator.rules.replay import LogEntry
from moderator.store.tables import EventRow, InboxRow, MatchRow, PlayerRow, SeatRow

AT_ONCE = 500
"""Matches of one question."""

# ---- one match ----


def list_match_events(
    session: Session, match_id: int, kinds: Collection[LogEntryKind] = (), since: datetime | None = None
) -> Sequence[EventRow]:
    """List the match's entries, oldest first: only of these kinds, only after ``since``."""
    query = select(EventRow).where(EventRow.match_id == match_id)
    if kinds:
        query = query.where(col(EventRow.kind).in_(kinds))
    if since is not None:
        query = query.where(EventRow.at > since)
    return session.exec(query.order_by(col(EventRow.n))).all()


def find_last_event(
    session: Session, match_id: int, kinds: Collection[LogEntryKind], since: datetime
) -> EventRow | None:
    """Find the match's latest entry of one of these kinds after ``since``."""
    query = select(EventRow).where(EventRow.match_id == match_id, EventRow.at > since, col(EventRow.kind).in_(kinds))
    return session.exec(query.order_by(col(EventRow.n).desc())).first()


def find_last_seat_event(
    session: Session, match_id: int, seat: int, kinds: Collection[LogEntryKind]
) -> EventRow | None:
    """Find the last entry of these kinds of one seat."""
    query = select(EventRow).where(EventRow.match_id == match_id, EventRow.seat == seat, col(EventRow.kind).in_(kinds))
    return session.exec(query.order_by(col(EventRow.n).desc())).first()


def load_event_times(session: Session, match_id: int) -> dict[int, datetime]:
    """Load the time of each entry of a match, by its number, oldest first."""
    query = select(EventRow.n, EventRow.at).where(EventRow.match_id == match_id).order_by(col(EventRow.n))
    return dict(session.exec(query).all())


def list_event_numbers(session: Session, match_id: int) -> list[int]:
    """List the numbers of the match's entries, in order."""
    return list(session.exec(select(EventRow.n).where(EventRow.match_id == match_id).order_by(col(EventRow.n))))


def find_last_event_time(session: Session, match_id: int) -> datetime | None:
    """Find the time of the match's last entry; None before the first."""
    return session.exec(select(func.max(EventRow.at)).where(EventRow.match_id == match_id)).one()


def find_event_time(session: Session, match_id: int, n: int) -> datetime | None:
    """Find the time of entry ``n`` of a match."""
    return session.exec(select(EventRow.at).where(EventRow.match_id == match_id, EventRow.n == n)).first()


def has_event_of_kind(session: Session, match_id: int, kinds: Collection[LogEntryKind]) -> bool:
    """Return whether the match has an entry of one of these kinds."""
    query = select(EventRow.id).where(EventRow.match_id == match_id, col(EventRow.kind).in_(kinds))
    return session.exec(query.limit(1)).first() is not None


def has_clock_move(session: Session, match_id: int, why: str, since: datetime) -> bool:
    """Return whether the clock of a match was moved for this reason since then."""
    query = select(EventRow.id).where(
        EventRow.match_id == match_id, EventRow.kind == LogEntryKind.CLOCK, EventRow.text == why, EventRow.at >= since
    )
    return session.exec(query.limit(1)).first() is not None


def list_order_events(
    session: Session, match_id: int, numbers: Collection[int]
) -> Sequence[tuple[int | None, datetime, datetime | None, int | None]]:
    """List the orders among these entries, oldest first: (seat, time of the entry, time at which its mail came, number
    of its mail)."""
    query = (
        select(EventRow.seat, EventRow.at, InboxRow.received_at, InboxRow.id)
        .join(InboxRow, col(InboxRow.id) == col(EventRow.inbox_id), isouter=True)
        .where(EventRow.match_id == match_id, EventRow.kind == LogEntryKind.ORDER, col(EventRow.n).in_(numbers))
        .order_by(col(EventRow.n))
    )
    return [(seat, at, received, number) for seat, at, received, number in session.exec(query)]


def list_events_after(session: Session, match_id: int, n: int) -> Sequence[EventRow]:
    """List the match's entries after number ``n``, oldest first."""
    return session.exec(
        select(EventRow).where(EventRow.match_id == match_id, EventRow.n > n).order_by(col(EventRow.n))
    ).all()


# ---- several matches ----


def list_events_of_mails(
    session: Session, inbox_ids: Collection[int], match_ids: Collection[int], kinds: Collection[LogEntryKind]
) -> Sequence[EventRow]:
    """List the entries of these kinds that these mails have led to in these matches, oldest first."""
    if not inbox_ids:
        return []
    query = select(EventRow).where(col(EventRow.match_id).in_(match_ids), col(EventRow.inbox_id).in_(inbox_ids))
    return session.exec(query.where(col(EventRow.kind).in_(kinds)).order_by(col(EventRow.id))).all()


def list_vacated_seats(session: Session, since: datetime) -> Sequence[tuple[EventRow, MatchRow, str]]:
    """List the seats that were vacated since then, oldest first: (entry, match, name of the owner now).

    These are seats whose players had not answered for too long, and those that robots have taken over in matches that
    run."""
    silent = and_(col(EventRow.kind) == LogEntryKind.RETIRE, col(EventRow.text) == SeatLeftReason.ABANDONED.value)
    running = and_(col(MatchRow.status) == MatchStatus.RUNNING, col(MatchRow.tournament_id).is_(None))
    held = and_(col(EventRow.kind) == LogEntryKind.HAND_OVER, col(PlayerRow.robot).is_(True), running)
    query = (
        select(EventRow, MatchRow, PlayerRow.name)
        .join(MatchRow, col(MatchRow.id) == col(EventRow.match_id))
        .join(SeatRow, (col(SeatRow.match_id) == col(EventRow.match_id)) & (col(SeatRow.number) == col(EventRow.seat)))
        .join(PlayerRow, col(PlayerRow.id) == col(SeatRow.player_id))
        .where(or_(silent, held), EventRow.at >= since)
    )
    return [(event, match, name) for event, match, name in session.exec(query.order_by(col(EventRow.id)))]


def list_handed_over_match_ids(session: Session) -> list[int]:
    """List the ids of the matches in which a seat was taken over, oldest first."""
    query = select(EventRow.match_id).where(EventRow.kind == LogEntryKind.HAND_OVER).distinct()
    return list(session.exec(query.order_by(col(EventRow.match_id))))


def count_moves_by_mail(session: Session, since: datetime) -> int:
    """Count the turns that were answered by mail since then, in matches where each is played as it comes."""
    query = select(func.count()).where(
        EventRow.kind == LogEntryKind.MOVE, EventRow.at >= since, col(EventRow.inbox_id).is_not(None)
    )
    return session.exec(query).one()


def count_events_by_kind(session: Session, since: datetime) -> dict[LogEntryKind, int]:
    """Count the entries of each kind that were made after that."""
    query = select(col(EventRow.kind), func.count()).where(EventRow.at > since).group_by(col(EventRow.kind))
    return dict(session.exec(query).all())


def list_undo_events(session: Session, match_ids: Collection[int]) -> list[tuple[int, int, int]]:
    """List all that was taken back in these matches: (match, number of the entry, last entry that still holds)."""
    if not match_ids:
        return []
    query = select(EventRow.match_id, EventRow.n, EventRow.text).where(
        col(EventRow.match_id).in_(match_ids), EventRow.kind == LogEntryKind.UNDO
    )
    return [(match, n, int(text)) for match, n, text in session.exec(query)]


def load_latest_event_times(session: Session) -> dict[int, datetime]:
    """Load the time of the last entry of each match, by the match's id."""
    query = select(EventRow.match_id, func.max(EventRow.at)).group_by(col(EventRow.match_id))
    return dict(session.exec(query).all())


def load_event_times_by_match(session: Session, match_ids: Sequence[int]) -> dict[int, list[datetime]]:
    """Load the times of the entries of these matches, oldest first, by the match's id."""
    found: dict[int, list[datetime]] = {}
    for first in range(0, len(match_ids), AT_ONCE):
        some = match_ids[first : first + AT_ONCE]
        query = select(EventRow.match_id, EventRow.at).where(col(EventRow.match_id).in_(some))
        for number, at in session.exec(query.order_by(col(EventRow.match_id), col(EventRow.n))):
            found.setdefault(number, []).append(at)
    return found


def iter_match_logs(session: Session, match_ids: Collection[int]) -> Iterator[tuple[int, list[LogEntry]]]:
    """Yield (match, its log, oldest first) of each of these matches, by number."""
    query = select(EventRow.match_id, EventRow.kind, EventRow.seat, EventRow.text, EventRow.outcome)  # type: ignore[call-overload]
    query = query.where(col(EventRow.match_id).in_(match_ids)).order_by(col(EventRow.match_id), col(EventRow.n))
    for number, found in groupby(session.exec(query), key=lambda row: row[0]):
        yield number, [LogEntry(kind, seat, text, outcome) for _, kind, seat, text, outcome in found]


def load_official_notices(session: Session) -> dict[int, list[tuple[str, datetime]]]:
    """Load the official notices of each match with their times, oldest first, by the match's id."""
    query = select(EventRow.match_id, EventRow.text, EventRow.at).where(EventRow.kind == LogEntryKind.NOTICE)
    found: dict[int, list[tuple[str, datetime]]] = {}
    for number, text, at in session.exec(query.order_by(col(EventRow.match_id), col(EventRow.n))):
        found.setdefault(number, []).append((text, at))
    return found


def list_events_with_senders(
    session: Session, since: datetime, code: str = ""
) -> Sequence[tuple[EventRow, MatchRow, str | None]]:
    """List (entry, its match, sender of the mail that led to it) since then, of this match or of all, oldest first."""
    query = select(EventRow, MatchRow, InboxRow.sender).join(MatchRow, col(MatchRow.id) == EventRow.match_id)
    query = query.join(InboxRow, col(InboxRow.id) == EventRow.inbox_id, isouter=True).where(EventRow.at >= since)
    return session.exec((query.where(MatchRow.code == code) if code else query).order_by(col(EventRow.id))).all()
