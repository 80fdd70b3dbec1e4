"""The logs of matches, entry by entry."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import groupby

from sqlalchemy import and_, or_
from sqlmodel import Session, col, func, select

from moderator.match.replay import Entry
from moderator.states import EntryKind, MatchStatus, SeatLoss
from moderator.store.models import Event, Inbox, Match, Player, Seat

AT_ONCE = 500
"""Matches of one question."""

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


def last_of(session: Session, match_id: int, seat: int, kinds: Collection[EntryKind]) -> Event | None:
    """The last entry of these kinds of one seat."""
    query = select(Event).where(Event.match_id == match_id, Event.seat == seat, col(Event.kind).in_(kinds))
    return session.exec(query.order_by(col(Event.n).desc())).first()


def times(session: Session, match_id: int) -> dict[int, datetime]:
    """When each entry of a match was made, by its number, oldest first."""
    query = select(Event.n, Event.at).where(Event.match_id == match_id).order_by(col(Event.n))
    return dict(session.exec(query).all())


def numbers(session: Session, match_id: int) -> list[int]:
    """Of the match's entries, in order."""
    return list(session.exec(select(Event.n).where(Event.match_id == match_id).order_by(col(Event.n))))


def last_time(session: Session, match_id: int) -> datetime | None:
    """When the match's last entry was made; None before the first."""
    return session.exec(select(func.max(Event.at)).where(Event.match_id == match_id)).one()


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


def behind(session: Session, match_id: int, n: int) -> Sequence[Event]:
    """The match's entries after number ``n``, oldest first."""
    return session.exec(select(Event).where(Event.match_id == match_id, Event.n > n).order_by(col(Event.n))).all()


# ---- several matches ----


def of_mails(
    session: Session, inbox_ids: Collection[int], match_ids: Collection[int], kinds: Collection[EntryKind]
) -> Sequence[Event]:
    """The entries of these kinds that these mails have led to in these matches, oldest first."""
    if not inbox_ids:
        return []
    query = select(Event).where(col(Event.match_id).in_(match_ids), col(Event.inbox_id).in_(inbox_ids))
    return session.exec(query.where(col(Event.kind).in_(kinds)).order_by(col(Event.id))).all()


def given_up(session: Session, since: datetime) -> Sequence[tuple[Event, Match, str]]:
    """(entry, match, who has the seat now) of seats whose players had not answered for too long, and of those that
    robots have taken over in matches that run, oldest first."""
    silent = and_(col(Event.kind) == EntryKind.RETIRE, col(Event.text) == SeatLoss.ABANDONED.value)
    running = and_(col(Match.status) == MatchStatus.RUNNING, col(Match.tournament_id).is_(None))
    held = and_(col(Event.kind) == EntryKind.HAND_OVER, col(Player.robot).is_(True), running)
    query = (
        select(Event, Match, Player.name)
        .join(Match, col(Match.id) == col(Event.match_id))
        .join(Seat, (col(Seat.match_id) == col(Event.match_id)) & (col(Seat.number) == col(Event.seat)))
        .join(Player, col(Player.id) == col(Seat.player_id))
        .where(or_(silent, held), Event.at >= since)
    )
    return [(event, match, name) for event, match, name in session.exec(query.order_by(col(Event.id)))]


def with_hand_overs(session: Session) -> list[int]:
    """Ids of matches in which a seat was taken over, oldest first."""
    query = select(Event.match_id).where(Event.kind == EntryKind.HAND_OVER).distinct()
    return list(session.exec(query.order_by(col(Event.match_id))))


def moves_by_mail(session: Session, since: datetime) -> int:
    """How many turns were answered by mail since then, in matches where each is played as it comes."""
    query = select(func.count()).where(
        Event.kind == EntryKind.MOVE, Event.at >= since, col(Event.inbox_id).is_not(None)
    )
    return session.exec(query).one()


def kinds_since(session: Session, since: datetime) -> dict[EntryKind, int]:
    """How many entries of each kind were made after that."""
    query = select(col(Event.kind), func.count()).where(Event.at > since).group_by(col(Event.kind))
    return dict(session.exec(query).all())


def undone(session: Session, match_ids: Collection[int]) -> list[tuple[int, int, int]]:
    """(match, number of the entry, last entry that still holds) of everything that was taken back in these matches."""
    if not match_ids:
        return []
    query = select(Event.match_id, Event.n, Event.text).where(
        col(Event.match_id).in_(match_ids), Event.kind == EntryKind.UNDO
    )
    return [(match, n, int(text)) for match, n, text in session.exec(query)]


def latest_of_each(session: Session) -> dict[int, datetime]:
    """Match -> when its last entry was made."""
    query = select(Event.match_id, func.max(Event.at)).group_by(col(Event.match_id))
    return dict(session.exec(query).all())


def times_of(session: Session, match_ids: Sequence[int]) -> dict[int, list[datetime]]:
    """Match -> when its entries were made, oldest first."""
    found: dict[int, list[datetime]] = {}
    for first in range(0, len(match_ids), AT_ONCE):
        some = match_ids[first : first + AT_ONCE]
        query = select(Event.match_id, Event.at).where(col(Event.match_id).in_(some))
        for number, at in session.exec(query.order_by(col(Event.match_id), col(Event.n))):
            found.setdefault(number, []).append(at)
    return found


def logs(session: Session, match_ids: Collection[int]) -> Iterator[tuple[int, list[Entry]]]:
    """(match, its log, oldest first) of each of these matches, by number."""
    query = select(Event.match_id, Event.kind, Event.seat, Event.text, Event.outcome)  # type: ignore[call-overload]
    query = query.where(col(Event.match_id).in_(match_ids)).order_by(col(Event.match_id), col(Event.n))
    for number, found in groupby(session.exec(query), key=lambda row: row[0]):
        yield number, [Entry(kind, seat, text, outcome) for _, kind, seat, text, outcome in found]


def notices(session: Session) -> dict[int, list[tuple[str, datetime]]]:
    """Match -> the official words in it, with their times, oldest first."""
    query = select(Event.match_id, Event.text, Event.at).where(Event.kind == EntryKind.NOTICE)
    found: dict[int, list[tuple[str, datetime]]] = {}
    for number, text, at in session.exec(query.order_by(col(Event.match_id), col(Event.n))):
        found.setdefault(number, []).append((text, at))
    return found


def with_senders(session: Session, since: datetime, code: str = "") -> Sequence[tuple[Event, Match, str | None]]:
    """(entry, its match, who sent the mail that led to it) since then, of this match or of all, oldest first."""
    query = select(Event, Match, Inbox.sender).join(Match, col(Match.id) == Event.match_id)
    query = query.join(Inbox, col(Inbox.id) == Event.inbox_id, isouter=True).where(Event.at >= since)
    return session.exec((query.where(Match.code == code) if code else query).order_by(col(Event.id))).all()
