"""Mails that came in: taken in once, however often the mailbox shows them."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from sqlalchemy import Connection, and_, exists, or_, update
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from moderator.mail.model import RawMail
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


def waiting(session: Session) -> list[tuple[int, int]]:
    """(id, attempts so far) of the mails not handled yet, oldest arrival first. A first attempt is counted here,
    for all of them at once; a later one by ``try_again``, right before that mail, so that a mail that kills the
    process does not drag those behind it along."""
    query = select(Inbox.id, Inbox.attempts).where(Inbox.state == "received")
    rows = session.exec(query.order_by(col(Inbox.received_at), col(Inbox.id))).all()
    fresh = update(Inbox).where(col(Inbox.state) == "received", col(Inbox.attempts) == 0)
    session.execute(fresh.values(attempts=1))
    return [(number, attempts) for number, attempts in rows if number is not None]


def first_of_lanes(connection: Connection, limit: int, but: Collection[int] = ()) -> list[int]:
    """Waiting mails without an older waiting one of the same sender, oldest first; without those in ``but``."""
    older = aliased(Inbox)
    before = or_(
        col(older.received_at) < col(Inbox.received_at),
        and_(col(older.received_at) == col(Inbox.received_at), col(older.id) < col(Inbox.id)),
    )
    first = ~exists().where(col(older.state) == "received", col(older.lane) == col(Inbox.lane), before)
    query = select(Inbox.id).where(Inbox.state == "received", first, col(Inbox.id).not_in(but))
    found = connection.execute(query.order_by(col(Inbox.received_at), col(Inbox.id)).limit(limit)).scalars()
    return [number for number in found if number is not None]


def count_attempt(connection: Connection, number: int) -> bool:
    """One more attempt at a mail; False = it does not wait any more."""
    waiting = (col(Inbox.id) == number) & (col(Inbox.state) == "received")
    return bool(connection.execute(update(Inbox).where(waiting).values(attempts=Inbox.attempts + 1)).rowcount)


def try_again(session: Session, number: int) -> None:
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
