"""Mails that came in: taken in once, however often the mailbox shows them."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from sqlalchemy import Connection, update
from sqlmodel import Session, col, func, select

from moderator.mail.model import RawMail
from moderator.store import postgres
from moderator.store.models import Inbox, Seen

MAX_ATTEMPTS = 3
"""A mail that has been picked up so often without an end has killed the process; it goes to quarantine."""

_HEAD = 64 * 1024


def digest(data: bytes) -> str:
    """Hash of Message-ID, From and body: equal for copies of one mail, whatever way they took."""
    head, _, body = data[:_HEAD].replace(b"\r\n", b"\n").partition(b"\n\n")
    parts = [_header(head, b"message-id"), _header(head, b"from"), body, data[_HEAD:]]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def lane(data: bytes) -> int:
    """The same number for mails of the same sender; for others hardly ever."""
    head, _, _ = data[:_HEAD].replace(b"\r\n", b"\n").partition(b"\n\n")
    return zlib.crc32(_header(head, b"from").lower()) >> 1


def _header(head: bytes, name: bytes) -> bytes:
    found = re.search(rb"^" + name + rb":(.*(?:\n[ \t].*)*)", head, re.IGNORECASE | re.MULTILINE)
    return b" ".join(found.group(1).split()) if found else b""


def known(session: Session, keys: Sequence[str]) -> set[str]:
    """Which of these places in the mailbox were read by an earlier run."""
    found: set[str] = set()
    for start in range(0, len(keys), 500):
        chunk = list(keys[start : start + 500])
        found.update(session.exec(select(Seen.key).where(col(Seen.key).in_(chunk))))
    return found


def take_in(session: Session, mails: Iterable[RawMail], now: datetime) -> list[int]:
    """Keep the bytes. Returns the ids of those that are new; a copy of a known mail is only noted as seen."""
    rows: list[Inbox] = []
    places: list[tuple[RawMail, Inbox]] = []
    fresh: dict[str, Inbox] = {}
    for mail in mails:
        if session.get(Seen, mail.key) is not None:
            continue
        key = digest(mail.data)
        row = fresh.get(key) or session.exec(select(Inbox).where(Inbox.digest == key)).first()
        if row is None:
            row = Inbox(
                digest=key,
                received_at=mail.received,
                taken_at=now,
                size=mail.size,
                raw=mail.data,
                lane=lane(mail.data),
            )
            fresh[key] = row
            session.add(row)
            rows.append(row)
        places.append((mail, row))
    session.flush()
    for mail, row in places:
        assert row.id is not None
        session.add(Seen(key=mail.key, inbox_id=row.id, filed=mail.key.startswith("pipe:")))
    session.flush()
    return [row.id for row in rows if row.id is not None]


def count(session: Session) -> int:
    """How many mails are not handled yet."""
    return int(session.exec(select(func.count()).where(Inbox.state == "received")).one())


def waiting(session: Session) -> list[tuple[int, int]]:
    """(id, attempts so far) of the mails not handled yet, oldest arrival first. A first attempt is counted here,
    for all of them at once; a later one by ``count_attempt``, right before that mail, so that a mail that kills the
    process does not drag those behind it along."""
    query = select(Inbox.id, Inbox.attempts).where(Inbox.state == "received")
    rows = session.exec(query.order_by(col(Inbox.received_at), col(Inbox.id))).all()
    fresh = update(Inbox).where(col(Inbox.state) == "received", col(Inbox.attempts) == 0)
    session.execute(fresh.values(attempts=1))
    return [(number, attempts) for number, attempts in rows if number is not None]


def held_lane(connection: Connection, but: Collection[int] = (), limit: int | None = None) -> int | None:
    """The sender of the oldest waiting mail that no other worker is at, now held by this one (see ``postgres``); None =
    there is none. Only the first ``limit`` mails are looked at, and none of ``but``."""
    query = select(Inbox.lane).where(Inbox.state == "received")
    if but:
        query = query.where(col(Inbox.id).not_in(but))
    # The inner query says in which order the locks are tried: the outer one ends with the first that is to be had.
    first = query.order_by(col(Inbox.received_at), col(Inbox.id)).limit(limit).subquery()
    held = select(first.c.lane).where(func.pg_try_advisory_lock(postgres.SENDERS, first.c.lane)).limit(1)
    return connection.execute(held).scalar()


def begin_oldest(connection: Connection, lane: int, but: Collection[int] = ()) -> int | None:
    """The mail of this sender that comes next, with one more attempt; None = none waits any more."""
    query = select(Inbox.id).where(Inbox.state == "received", Inbox.lane == lane)
    if but:
        query = query.where(col(Inbox.id).not_in(but))
    first = query.order_by(col(Inbox.received_at), col(Inbox.id)).limit(1).scalar_subquery()
    begun = update(Inbox).where(col(Inbox.id) == first, col(Inbox.state) == "received")
    counted = begun.values(attempts=Inbox.attempts + 1).returning(col(Inbox.id))
    return connection.execute(counted).scalar()


def newest(connection: Connection) -> int:
    """The mail that was taken in last; 0 = there is none."""
    return connection.execute(select(func.max(Inbox.id))).scalar() or 0


def left(connection: Connection, newest: int, but: Collection[int] = ()) -> bool:
    """Whether one of the mails up to ``newest`` still waits, but for these."""
    query = select(Inbox.id).where(Inbox.state == "received", col(Inbox.id) <= newest)
    if but:
        query = query.where(col(Inbox.id).not_in(but))
    return connection.execute(query.limit(1)).scalar() is not None


def count_attempt(session: Session, number: int) -> None:
    """One more attempt at a mail that an earlier run began and did not end."""
    session.execute(update(Inbox).where(col(Inbox.id) == number).values(attempts=Inbox.attempts + 1))


def begin_anew(session: Session, numbers: Sequence[int]) -> None:
    """It was not these mails' fault that they were not handled (a dictionary is missing, the disk is full)."""
    session.execute(update(Inbox).where(col(Inbox.id).in_(list(numbers)[:500])).values(attempts=0))


def unfiled(session: Session) -> tuple[list[str], list[str]]:
    """Places of handled mails that still lie in the mailbox: (to Processed, to Failed)."""
    query = select(Seen.key, Inbox.state).join(Inbox).where(col(Seen.filed).is_(False), Inbox.state != "received")
    processed: list[str] = []
    failed: list[str] = []
    for key, state in session.exec(query):
        (failed if state == "quarantine" else processed).append(key)
    return processed, failed


def set_filed(session: Session, keys: Sequence[str]) -> None:
    """The mailbox has moved them."""
    for start in range(0, len(keys), 500):
        chunk = list(keys[start : start + 500])
        session.execute(update(Seen).where(col(Seen.key).in_(chunk)).values(filed=True))
