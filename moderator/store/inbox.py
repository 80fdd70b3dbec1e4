"""Mails that came in: taken in once, however often the mailbox shows them."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from sqlalchemy import Connection, bindparam, insert, update
from sqlmodel import Session, col, func, select

from moderator.mail.model import RawMail
from moderator.states import InboxState
from moderator.store import copies, postgres
from moderator.store.db import Store
from moderator.store.models import DeferredNews, Inbox, KeyValue, Seen
from moderator.store.probe import RULING

MAX_ATTEMPTS = 3
"""A mail that has been picked up so often without an end has killed the process; it goes to quarantine."""


# Questions of every run are written out once: to put one together costs four times what asking it does.
_KNOWN = select(col(Seen.key)).where(col(Seen.key).in_(bindparam("keys", expanding=True)))
_BY_DIGEST = select(Inbox).where(col(Inbox.digest).in_(bindparam("digests", expanding=True)))
_INTO_SEEN = insert(Seen)
_WAITS = col(Inbox.state) == InboxState.RECEIVED
_LEFT = select(
    select(func.count()).where(_WAITS).scalar_subquery(),
    select(DeferredNews.id).exists(),
    select(KeyValue.key).where(col(KeyValue.key).startswith(RULING)).exists(),
)
_WAITING = select(Inbox.id, Inbox.attempts).where(_WAITS).order_by(col(Inbox.received_at), col(Inbox.id))
_BEGIN = update(Inbox).where(_WAITS, col(Inbox.attempts) == 0).values(attempts=1)
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


def take_in(session: Session, mails: Sequence[RawMail], now: datetime) -> list[int]:
    """Keep the bytes. Returns the ids of those that are new; a copy of a known mail is only noted as seen."""
    rows: list[Inbox] = []
    places: list[tuple[RawMail, Inbox]] = []
    seen = known(session.connection(), [mail.key for mail in mails])
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
            session.add(row)
            rows.append(row)
        places.append((mail, row))
    session.flush()
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
            self.of |= {row.digest: row for row in session.exec(_BY_DIGEST, params=asked)}

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


class Left(NamedTuple):
    """What earlier runs, and this one's look into the mailbox, have left to do."""

    mails: int
    """Not handled yet."""
    deferred_news: bool
    """Whether somebody has still to be told of something after a backlog."""
    rulings: bool
    """Whether the house list lacks some."""


def left_over(connection: Connection) -> Left:
    """Asked at once, at the beginning of a run."""
    found = connection.execute(_LEFT).one()
    return Left(found[0], bool(found[1]), bool(found[2]))


def waiting(connection: Connection) -> list[tuple[int, int]]:
    """(id, attempts so far) of the mails not handled yet, oldest arrival first. A first attempt is counted here,
    for all of them at once; a later one by ``count_attempt``, right before that mail, so that a mail that kills the
    process does not drag those behind it along."""
    rows = connection.execute(_WAITING).all()
    connection.execute(_BEGIN)
    return [(number, attempts) for number, attempts in rows if number is not None]


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


# ---- which mail is next ----
#
# Which mail is handled next: the list of a tick that is alone, or what is free where several workers share the work.
#
# A mail that is picked up is counted before it is handled, so that one that kills the process is known by that.


NEAR = 50
"""So many of the oldest mails are looked at first."""


class Queue(Protocol):
    def next(self) -> int | None:
        """The next mail's id; None = none is left for this worker."""
        ...

    def done(self) -> None:
        """That mail has been dealt with."""
        ...

    def put_aside(self) -> None:
        """That mail waits for another run."""
        ...

    def give_back(self) -> None:
        """Neither that mail nor those behind it can be handled now, and it is not their fault."""
        ...

    def settled(self) -> bool:
        """Whether all mails that were here at the beginning have been dealt with or put aside."""
        ...


def open_queue(store: Store) -> Queue:
    return Shared(store) if store.shared else Alone(store)


class Alone:
    """All waiting mails, listed once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # Marks: an attempt that power failure takes back was no fault of its mail.
        with store.marks() as connection:
            self._waiting = deque(waiting(connection))

    def next(self) -> int | None:
        if not self._waiting:
            return None
        number, attempts = self._waiting[0]
        if attempts:
            with self._store.transaction() as session:
                count_attempt(session, number)
        return number

    def done(self) -> None:
        self._waiting.popleft()

    def put_aside(self) -> None:
        number, _ = self._waiting.popleft()
        with self._store.transaction() as session:
            begin_anew(session, [number])

    def give_back(self) -> None:
        numbers = [number for number, _ in self._waiting]
        self._waiting.clear()
        with self._store.transaction() as session:
            begin_anew(session, numbers)

    def settled(self) -> bool:
        return not self._waiting


class Shared:
    """The oldest mail whose sender no other worker is at: mails of one sender keep their order.

    The sender at hand is held by a lock that PostgreSQL gives up with the connection, so a worker that is killed leaves
    nothing behind.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: tuple[int, int] | None = None
        """Mail and lane."""
        self._aside: set[int] = set()
        with store.marks() as connection:
            self._newest = newest(connection)

    def next(self) -> int | None:
        with self._store.marks() as connection:
            while (lane := self._hold(connection)) is not None:
                number = begin_oldest(connection, lane, self._aside)
                if number is not None:
                    self._held = number, lane
                    return number
                postgres.let_go(connection, lane)  # another worker has just handled it
        return None

    def _hold(self, connection: Connection) -> int | None:
        """Some sender; among thousands of mails of one whom another worker is at, the others are looked for."""
        lane = held_lane(connection, self._aside, NEAR)
        return held_lane(connection, self._aside) if lane is None else lane

    def done(self) -> None:
        if self._held is not None:
            _, lane = self._held
            self._held = None
            with self._store.marks() as connection:
                postgres.let_go(connection, lane)

    def put_aside(self) -> None:
        if self._held is not None:
            number, _ = self._held
            self._aside.add(number)
            try:
                with self._store.transaction() as session:
                    begin_anew(session, [number])
            finally:
                self.done()

    def give_back(self) -> None:
        self.put_aside()

    def settled(self) -> bool:
        with self._store.marks() as connection:
            return not left(connection, self._newest, self._aside)
