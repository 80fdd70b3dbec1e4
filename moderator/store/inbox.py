"""Mails that came in: taken in once, however often the mailbox shows them."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, insert, update
from sqlalchemy.orm import defer
from sqlmodel import Session, col, delete, func, or_, select

from moderator.mail.model import RawMail
from moderator.states import InboxState
from moderator.store import copies, postgres
from moderator.store.models import LOOK, Audit, Event, Inbox, Match, Player, Seen, reason

MAX_ATTEMPTS = 3
"""A mail that has been picked up so often without an end has killed the process; it goes to quarantine."""
_RAW: Any = Inbox.raw


# Questions of every run are written out once: to put one together costs four times what asking it does.
_KNOWN = select(col(Seen.key)).where(col(Seen.key).in_(bindparam("keys", expanding=True)))
_BY_DIGEST = select(Inbox).where(col(Inbox.digest).in_(bindparam("digests", expanding=True)))
_DIGESTS = select(col(Inbox.digest)).where(col(Inbox.digest).in_(bindparam("digests", expanding=True)))
_INTO_INBOX, _INTO_SEEN = insert(Inbox), insert(Seen)
_WAITS = col(Inbox.state) == InboxState.RECEIVED
_BEGUN = select(Inbox.id, Inbox.received_at, Inbox.attempts).where(_WAITS, col(Inbox.attempts) > 0)
_BEGIN = (
    update(Inbox)
    .where(_WAITS, col(Inbox.attempts) == 0)
    .values(attempts=1)
    .returning(col(Inbox.id), col(Inbox.received_at))
)
_UNFILED = (
    select(col(Seen.key), col(Inbox.state))
    .join(Inbox)
    .where(col(Seen.filed).is_(False), Inbox.state != InboxState.RECEIVED)
)
_FILED = update(Seen).where(col(Seen.key).in_(bindparam("keys", expanding=True))).values(filed=True)


def lane(data: bytes) -> int:
    """The same number for mails of the same sender; for others hardly ever."""
    head, _, _ = data[: copies.HEAD].replace(b"\r\n", b"\n").partition(b"\n\n")
    return zlib.crc32(copies.header(head, b"from").lower()) >> 1


def known(connection: Connection, keys: Sequence[str]) -> set[str]:
    """Which of these places in the mailbox were read by an earlier run."""
    found: set[str] = set()
    for start in range(0, len(keys), 500):
        found.update(connection.execute(_KNOWN, {"keys": list(keys[start : start + 500])}).scalars())
    return found


def take_in(session: Session, mails: Sequence[RawMail], now: datetime, unread: bool = False) -> list[int]:
    """Keep the bytes. Returns the ids of those that are new; a copy of a known mail is only noted as seen. ``unread``:
    their places were just looked up, and none was known; raises IntegrityError where another worker was faster."""
    rows: list[Inbox] = []
    places: list[tuple[RawMail, Inbox]] = []
    seen = set() if unread else known(session.connection(), [mail.key for mail in mails])
    fresh = [(mail, copies.read(mail.data)) for mail in mails if mail.key not in seen]
    found = _Rows(session, [digest for mail, written in fresh for digest in _digests(mail, written)])
    for mail, written in fresh:
        key, row = _recognised(session, found, mail, written)
        if row is None:
            row = Inbox(
                digest=key,
                received_at=mail.received,
                taken_at=now,
                size=mail.size,
                raw=mail.data,
                lane=lane(mail.data),
            )
            found.of[key] = row
            rows.append(row)
        places.append((mail, row))
    for row in rows:
        inserted = session.connection().execute(_INTO_INBOX, row.model_dump(exclude={"id"})).inserted_primary_key
        row.id = inserted[0] if inserted else None
    if places:
        seen_at = [{"key": m.key, "inbox_id": row.id, "filed": m.key.startswith("pipe:")} for m, row in places]
        session.connection().execute(_INTO_SEEN, seen_at)
    return [row.id for row in rows if row.id is not None]


class _Rows:
    """Mails by their digests: those of the same batch, and those that are stored."""

    def __init__(self, session: Session, digests: Sequence[str]) -> None:
        self.session = session
        self.of: dict[str, Inbox | None] = dict.fromkeys(digests)
        for start in range(0, len(digests), 500):
            asked = {"digests": digests[start : start + 500]}
            known = list(session.connection().execute(_DIGESTS, asked).scalars())
            if known:  # seldom
                self.of |= {row.digest: row for row in session.exec(_BY_DIGEST, params={"digests": known})}

    def __call__(self, digest: str) -> Inbox | None:
        if digest not in self.of:
            self.of[digest] = self.session.exec(_BY_DIGEST, params={"digests": [digest]}).first()
        return self.of[digest]


def _digests(mail: RawMail, written: copies.Written) -> tuple[str, ...]:
    """Under which the mail may be stored, were it not beside another one like it; the newest way first."""
    return written.digest(mail.place), *(() if mail.place else written.before()), written.former


def _recognised(session: Session, row_of: _Rows, mail: RawMail, written: copies.Written) -> tuple[str, Inbox | None]:
    """(the mail's digest, the row of the mail that it is a copy of, or None)."""
    key, *older = _digests(mail, written)
    number, row = 1, row_of(key)
    while row is not None and mail.place and written.traceless and _lies_beside(session, row, mail):
        number += 1
        key = written.digest(mail.place, number)
        row = row_of(key)
    if row is not None or key == written.former:
        return key, row
    for other in older:
        found = row_of(other)
        if found is not None and (other != written.former or _same_of_old(found, written, mail)):
            return key, found
    return key, None


def _lies_beside(session: Session, row: Inbox, mail: RawMail) -> bool:
    """Whether the mail of this row lies in the mailbox, too, in a place of its own: then the one at hand is another."""
    if row.id is None:  # of the same batch
        return True
    query = select(Seen.key).where(Seen.inbox_id == row.id, col(Seen.filed).is_(False), Seen.key != mail.place)
    return session.exec(query.limit(1)).first() is not None


def _same_of_old(row: Inbox, written: copies.Written, mail: RawMail) -> bool:
    """Whether a mail that was taken in by a version before 0009, which looked at less, is the one at hand."""
    old = copies.read(row.raw)
    return old.digest() == written.digest() and (not written.traceless or row.received_at == mail.received)


# ---- mails that lay in the mailbox before the club was ----


_LEFT = "left where they lie"
"""Digest of the row that stands for all mails that are never read, whose places alone are known."""


def club_began(session: Session) -> datetime | None:
    """The oldest trace of the club: a player, a match, a command, a mail; None = there is none yet."""
    columns = (col(Player.created_at), col(Match.created_at), col(Audit.at), col(Inbox.taken_at))
    return min(filter(None, (session.exec(select(func.min(one))).one() for one in columns)), default=None)


def leave(session: Session, keys: Sequence[str], now: datetime) -> None:
    """Have the mails in these places, which no run has read yet, stay there unread."""
    row = session.exec(_BY_DIGEST, params={"digests": [_LEFT]}).first()
    if row is None:
        row = Inbox(digest=_LEFT, received_at=now, taken_at=now, size=0, raw=b"", state=InboxState.DROPPED, note=_LEFT)
        session.add(row)
        session.flush()
    if keys:
        places = [{"key": key, "inbox_id": row.id, "filed": True} for key in keys]
        session.connection().execute(_INTO_SEEN, places)


def leaves_old(session: Session) -> bool:
    """Whether mails older than the club stay unread."""
    return bool(session.connection().execute(_DIGESTS, {"digests": [_LEFT]}).scalars().first())


def count_left(session: Session) -> int:
    """How many mails stay unread."""
    query = select(func.count()).select_from(Seen).join(Inbox).where(Inbox.digest == _LEFT)
    return session.exec(query).one()


def take_up(session: Session) -> None:
    """The mails that were left are as new as any."""
    row = session.exec(_BY_DIGEST, params={"digests": [_LEFT]}).first()
    if row is not None:
        session.execute(delete(Seen).where(col(Seen.inbox_id) == row.id))
        session.delete(row)


# ---- mails that wait to be handled ----


def waiting(connection: Connection, begun: bool) -> list[tuple[int, int]]:
    """(id, attempts so far) of the mails not handled yet, oldest arrival first. ``begun``: whether an earlier run may
    have begun some. A first attempt is counted here, for all of them at once; a later one by ``count_attempt``, right
    before that mail, so that a mail that kills the process does not drag those behind it along."""
    again = connection.execute(_BEGUN).all() if begun else ()
    rows = [(received, number, attempts) for number, received, attempts in again if number is not None]
    rows += [(received, number, 0) for number, received in connection.execute(_BEGIN) if number is not None]
    return [(number, attempts) for _, number, attempts in sorted(rows)]


def held_lane(connection: Connection, but: Collection[int] = (), limit: int | None = None) -> int | None:
    """The sender of the oldest waiting mail that no other worker is at, now held by this one (see ``postgres``); None =
    there is none. Only the first ``limit`` mails are looked at, and none of ``but``."""
    query = select(Inbox.lane).where(Inbox.state == InboxState.RECEIVED)
    if but:
        query = query.where(col(Inbox.id).not_in(but))
    # The inner query says in which order the locks are tried: the outer one ends with the first that is to be had.
    first = query.order_by(col(Inbox.received_at), col(Inbox.id)).limit(limit).subquery()
    held = select(first.c.lane).where(func.pg_try_advisory_lock(postgres.SENDERS, first.c.lane)).limit(1)
    return connection.execute(held).scalar()


def begin_oldest(connection: Connection, lane: int, but: Collection[int] = ()) -> int | None:
    """The mail of this sender that comes next, with one more attempt; None = none waits any more."""
    query = select(Inbox.id).where(Inbox.state == InboxState.RECEIVED, Inbox.lane == lane)
    if but:
        query = query.where(col(Inbox.id).not_in(but))
    first = query.order_by(col(Inbox.received_at), col(Inbox.id)).limit(1).scalar_subquery()
    begun = update(Inbox).where(col(Inbox.id) == first, col(Inbox.state) == InboxState.RECEIVED)
    counted = begun.values(attempts=Inbox.attempts + 1).returning(col(Inbox.id))
    return connection.execute(counted).scalar()


def newest(connection: Connection) -> int:
    """The mail that was taken in last; 0 = there is none."""
    return connection.execute(select(func.max(Inbox.id))).scalar() or 0


def left(connection: Connection, newest: int, but: Collection[int] = ()) -> bool:
    """Whether one of the mails up to ``newest`` still waits, but for these."""
    query = select(Inbox.id).where(Inbox.state == InboxState.RECEIVED, col(Inbox.id) <= newest)
    if but:
        query = query.where(col(Inbox.id).not_in(but))
    return connection.execute(query.limit(1)).scalar() is not None


def count_attempt(session: Session, number: int) -> None:
    """One more attempt at a mail that an earlier run began and did not end."""
    session.execute(update(Inbox).where(col(Inbox.id) == number).values(attempts=Inbox.attempts + 1))


def begin_anew(session: Session, numbers: Sequence[int]) -> None:
    """It was not these mails' fault that they were not handled (a dictionary is missing, the disk is full)."""
    session.execute(update(Inbox).where(col(Inbox.id).in_(list(numbers)[:500])).values(attempts=0))


def unfiled(connection: Connection) -> tuple[list[str], list[str]]:
    """Places of handled mails that still lie in the mailbox: (to Processed, to Failed)."""
    processed: list[str] = []
    failed: list[str] = []
    for key, state in connection.execute(_UNFILED):
        (failed if state == InboxState.QUARANTINE else processed).append(key)
    return processed, failed


def set_filed(connection: Connection, keys: Sequence[str]) -> None:
    """The mailbox has moved them."""
    for start in range(0, len(keys), 500):
        connection.execute(_FILED, {"keys": list(keys[start : start + 500])})


def settle(session: Session, address: str) -> None:
    """Who has written from this address is a player now: what asked for it waits no more."""
    waits = update(Inbox).where(col(Inbox.sender) == address, col(Inbox.state) == InboxState.WAITING)
    session.execute(waits.where(col(Inbox.player_id).is_(None)).values(state=InboxState.DONE, note="is a player now"))


# ---- what waits for the moderator, or for another word ----


def by_token(session: Session, token: str) -> Inbox | None:
    """The mail that is held until its mailbox says yes, by the secret that releases it."""
    return session.exec(select(Inbox).where(Inbox.token == token, Inbox.state == InboxState.CONFIRM)).first()


def lately(session: Session, row: Inbox, span: timedelta) -> dict[int, Inbox]:
    """By number, without their bytes: what was done of the same sender's mails that came at most so long before or
    after this one; those under another subject are none of them."""
    query = select(Inbox).where(
        Inbox.sender == row.sender,
        Inbox.taken_at >= row.received_at - span,
        col(Inbox.received_at).between(row.received_at - span, row.received_at + span),
        Inbox.subject == row.subject,
        Inbox.state == InboxState.DONE,
        Inbox.id != row.id,
    )
    return {one.id or 0: one for one in session.exec(query.options(defer(_RAW)))}


def last_of_sender(session: Session, row: Inbox, span: timedelta, most: int) -> Sequence[Inbox]:
    """The sender's mails that came at most so long before this one and were read to their end, newest first."""
    query = select(Inbox).where(
        Inbox.sender == row.sender,
        col(Inbox.state).in_((InboxState.DONE, InboxState.MACHINE)),
        col(Inbox.received_at).between(row.received_at - span, row.received_at),
        Inbox.id != row.id,
    )
    return session.exec(query.order_by(col(Inbox.id).desc()).limit(most)).all()


def held_of(session: Session, note: str, player_id: int) -> Sequence[Inbox]:
    """Mails of a player that are held for this reason, without their bytes."""
    query = select(Inbox).where(Inbox.player_id == player_id, Inbox.state == InboxState.CONFIRM, Inbox.note == note)
    return session.exec(query.options(defer(_RAW))).all()


def with_note(session: Session, note: str) -> Sequence[Inbox]:
    """Mails of which the note says just this."""
    return session.exec(select(Inbox).where(Inbox.note == note)).all()


def of_seat(session: Session, match_id: int, player_id: int) -> Sequence[Inbox]:
    """What waits of a player for this match or for none in particular, without its bytes, oldest first."""
    mine = or_(col(Inbox.match_id) == match_id, col(Inbox.match_id).is_(None))
    query = select(Inbox).where(col(Inbox.state).in_(LOOK), Inbox.player_id == player_id, mine)
    return session.exec(query.options(defer(_RAW)).order_by(col(Inbox.id))).all()


def numbers_between(session: Session, first: int, last: int, states: Collection[InboxState]) -> list[int]:
    """Numbers of the mails in these states, from one number to another, as far as their bytes are there."""
    query = select(Inbox.id).where(col(Inbox.id).between(first, last), col(Inbox.state).in_(states), Inbox.size > 0)
    return [number for number in session.exec(query.order_by(col(Inbox.id))) if number is not None]


def to_look_at(session: Session, but: str) -> Sequence[Inbox]:
    """What waits for the moderator's look, without its bytes, oldest first; ``but``: a note whose mails do not."""
    states = (InboxState.QUARANTINE, *LOOK)
    query = select(Inbox).where(col(Inbox.state).in_(states), Inbox.note != but)
    return session.exec(query.options(defer(_RAW)).order_by(col(Inbox.id))).all()


def unknown_since(session: Session, since: datetime) -> int:
    """Mails taken in since then from senders whom nobody knows, and that ask for nothing."""
    query = select(func.count()).where(Inbox.taken_at >= since, Inbox.state == InboxState.UNKNOWN)
    return session.exec(query).one()


def handled_since(session: Session, since: datetime) -> int:
    """How many of the mails that were taken in after that have been handled."""
    query = select(func.count()).where(Inbox.taken_at > since, Inbox.state != InboxState.RECEIVED)
    return session.exec(query).one()


def by_key(session: Session, key: str) -> Inbox:
    """The mail that lay at this place in the mailbox."""
    return session.exec(select(Inbox).join(Seen).where(Seen.key == key)).one()


class Shown(NamedTuple):
    """A mail without its bytes."""

    id: int
    received_at: datetime
    state: InboxState
    sender: str
    subject: str
    note: str
    code: str | None
    """Of the match that it seems to be for."""

    @property
    def reason(self) -> str:
        """See ``Inbox.reason``."""
        return reason(self.note)


def in_states(session: Session, states: Collection[InboxState]) -> list[Shown]:
    """Mails in one of these states, oldest first."""
    columns = (Inbox.id, Inbox.received_at, Inbox.state, Inbox.sender, Inbox.subject, Inbox.note, Match.code)
    query = select(*columns).join(Match, isouter=True)  # type: ignore[call-overload]
    query = query.where(col(Inbox.state).in_(states)).order_by(col(Inbox.id))
    return [Shown(*row) for row in session.exec(query)]


def without_effect(
    session: Session, since: datetime, subject: str = ""
) -> Sequence[tuple[int, datetime, str, InboxState, str]]:
    """Mails taken in from then on that led to neither a command nor an entry: number, when, sender, state, note; with
    ``subject`` those that have it in theirs."""
    effect = or_(
        col(Inbox.id).in_(select(Audit.inbox_id).where(col(Audit.inbox_id).is_not(None))),
        col(Inbox.id).in_(select(Event.inbox_id).where(col(Event.inbox_id).is_not(None))),
    )
    columns = (Inbox.id, Inbox.taken_at, Inbox.sender, Inbox.state, Inbox.note)
    query = select(*columns).where(Inbox.taken_at >= since, ~effect)  # type: ignore[call-overload]
    found: Sequence[tuple[int, datetime, str, InboxState, str]]
    found = session.exec(query.where(col(Inbox.subject).contains(subject)) if subject else query).all()
    return found
