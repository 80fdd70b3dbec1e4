"""Mails that came in: taken in once, however often the mailbox shows them."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, insert, update
from sqlalchemy.orm import defer
from sqlmodel import Session, col, delete, func, or_, select

from moderator.common.enums import HeldFor, InboxState
from moderator.common.mails import RawMail
from moderator.store import engines
from moderator.store.audit import Audit
from moderator.store.tables import LOOK, EventRow, InboxRow, MailboxKey, MatchRow, PlayerRow, extract_reason

HEAD = 64 * 1024
_TOKEN = re.compile(rb"(?<![0-9A-Za-z])[A-Za-z][0-9A-Za-z]{1,4}-[0-9A-Za-z]{10}(?![0-9A-Za-z])")
_DELIVERED = (b"delivered-to", b"x-original-to", b"envelope-to", b"x-envelope-to", b"x-forwarded-to")
_ADDRESSED = (b"to", b"cc", b"subject")


@dataclass(frozen=True)
class MailIdentity:
    """The values of a mail that tell it from others."""

    message_id: bytes
    """As it stands there; ``<>`` and the like are none."""
    sender: bytes
    text: tuple[bytes, bytes]
    addressed: tuple[bytes, ...]
    """To, Cc and Subject."""
    seats: tuple[bytes, ...]
    """Tokens that To, Cc and Subject have; where they have none (Bcc), those to which it was delivered. One Message-ID
    for two seats is a mail for each."""
    date: bytes
    trace: tuple[bytes, ...]
    """Received lines, topmost first."""

    @property
    def has_message_id(self) -> bool:
        """True if the mail has a Message-ID."""
        return bool(self.message_id.strip(b"<> "))

    @property
    def is_traceless(self) -> bool:
        """True if nothing but its place tells the mail from others like it."""
        return not self.has_message_id and not self.trace

    @property
    def former_digest(self) -> str:
        """The digest that mails with a Message-ID have, and that others had before 0009, those to a seat until 0.4."""
        return _hash_parts(self.message_id, self.sender, *self.text)

    def compute_digest(self, place: str = "", number: int = 1) -> str:
        """Compute the digest.

        ``place``: see ``RawMail.place``, of a traceless mail only; ``number``: which one it is of those that lie there
        together."""
        if self.has_message_id and not self.seats:
            return self.former_digest
        more = () if self.has_message_id else (*self.addressed, self.date, *self.trace[-1:])
        own = _hash_parts(self.message_id, self.sender, *self.text, b"seats", *self.seats, b"more", *more)
        if not place or not self.is_traceless:
            return own
        there = _hash_parts(place.encode("utf-8", "surrogateescape"), b"%d" % number)
        return f"{own}:{there[:16]}"

    def iter_pipe_digests(self) -> Iterator[str]:
        """Yield the digests that the same mail had if it came through a pipe before, with one Received line less."""
        if not self.has_message_id and len(self.trace) == 1:
            yield replace(self, trace=()).compute_digest()


def parse_mail_identity(data: bytes) -> MailIdentity:
    """Parse the identity of a mail from its bytes."""
    head, _, body = data[:HEAD].replace(b"\r\n", b"\n").partition(b"\n\n")
    addressed = tuple(b"\n".join(list_raw_headers(head, name)) for name in _ADDRESSED)
    delivered = b"\n".join(value for name in _DELIVERED for value in list_raw_headers(head, name))
    named = b"\n".join(addressed)
    seats = sorted({found.upper() for found in _TOKEN.findall(named if _TOKEN.search(named) else delivered)})
    return MailIdentity(
        find_raw_header(head, b"message-id"),
        find_raw_header(head, b"from"),
        (body, data[HEAD:]),
        addressed,
        tuple(seats),
        find_raw_header(head, b"date"),
        tuple(list_raw_headers(head, b"received")),
    )


def is_intact_mail(data: bytes, digest: str) -> bool:
    """Return whether these bytes are those that the digest was made of, by this version or an earlier one."""
    written = parse_mail_identity(data)
    return digest.partition(":")[0] in (written.compute_digest(), written.former_digest)


def is_older_mail(data: bytes, received: datetime, moment: datetime) -> bool:
    """Return whether a mail came before ``moment``, or was written more than a day before it by its own Date.

    A mail that somebody puts into a mailbox today may be years old. A clock may be a day wrong, or in another zone."""
    if received < moment:
        return True
    head, _, _ = data[:HEAD].replace(b"\r\n", b"\n").partition(b"\n\n")
    try:
        written = parsedate_to_datetime(find_raw_header(head, b"date").decode("ascii", "replace"))
        return written.replace(tzinfo=written.tzinfo or UTC) < moment - timedelta(days=1)
    except (ValueError, TypeError, OverflowError):
        return False


def find_raw_header(head: bytes, name: bytes) -> bytes:
    """Find the first header of that name, white space folded; b"" without one. ``head`` has plain newlines."""
    return next(iter(list_raw_headers(head, name)), b"")


def list_raw_headers(head: bytes, name: bytes) -> list[bytes]:
    """List all headers of that name, topmost first, white space folded. ``head`` has plain newlines."""
    found = re.findall(rb"^" + name + rb":(.*(?:\n[ \t].*)*)", head, re.IGNORECASE | re.MULTILINE)
    return [b" ".join(value.split()) for value in found]


def _hash_parts(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


MAX_ATTEMPTS = 3
"""A mail that has been picked up so often without an end has killed the process; it goes to quarantine."""
_RAW: Any = InboxRow.raw


# Questions of every run are written out once: to put one together costs four times what asking it does.
_KNOWN = select(col(MailboxKey.key)).where(col(MailboxKey.key).in_(bindparam("keys", expanding=True)))
_BY_DIGEST = select(InboxRow).where(col(InboxRow.digest).in_(bindparam("digests", expanding=True)))
_DIGESTS = select(col(InboxRow.digest)).where(col(InboxRow.digest).in_(bindparam("digests", expanding=True)))
_INTO_INBOX, _INTO_SEEN = insert(InboxRow), insert(MailboxKey)
_WAITS = col(InboxRow.state) == InboxState.RECEIVED
_BEGUN = select(InboxRow.id, InboxRow.received_at, InboxRow.attempts).where(_WAITS, col(InboxRow.attempts) > 0)
_BEGIN = (
    update(InboxRow)
    .where(_WAITS, col(InboxRow.attempts) == 0)
    .values(attempts=1)
    .returning(col(InboxRow.id), col(InboxRow.received_at))
)
_UNFILED = (
    select(col(MailboxKey.key), col(InboxRow.state))
    .join(InboxRow)
    .where(col(MailboxKey.filed).is_(False), InboxRow.state != InboxState.RECEIVED)
)
_FILED = update(MailboxKey).where(col(MailboxKey.key).in_(bindparam("keys", expanding=True))).values(filed=True)


def sender_key(data: bytes) -> int:
    """Return a number that is the same for mails of one sender; for mails of others hardly ever."""
    head, _, _ = data[:HEAD].replace(b"\r\n", b"\n").partition(b"\n\n")
    return zlib.crc32(find_raw_header(head, b"from").lower()) >> 1


def load_known_keys(connection: Connection, keys: Sequence[str]) -> set[str]:
    """Load which of these places in the mailbox were read by an earlier run."""
    found: set[str] = set()
    for start in range(0, len(keys), 500):
        found.update(connection.execute(_KNOWN, {"keys": list(keys[start : start + 500])}).scalars())
    return found


def insert_mails(session: Session, mails: Sequence[RawMail], now: datetime, unread: bool = False) -> list[int]:
    """Insert the mails that are new, bytes included, and return their ids; a copy of a known mail is only recorded as
    seen.

    ``unread``: their places were just looked up, and none was known; raises IntegrityError where another worker was
    faster."""
    rows: list[InboxRow] = []
    places: list[tuple[RawMail, InboxRow]] = []
    seen = set() if unread else load_known_keys(session.connection(), [mail.key for mail in mails])
    fresh = [(mail, parse_mail_identity(mail.data)) for mail in mails if mail.key not in seen]
    found = _Rows(session, [digest for mail, written in fresh for digest in _list_digests(mail, written)])
    for mail, written in fresh:
        key, row = _find_known_row(session, found, mail, written)
        if row is None:
            row = InboxRow(
                digest=key,
                received_at=mail.received,
                taken_at=now,
                size=mail.size,
                raw=mail.data,
                lane=sender_key(mail.data),
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
        self.of: dict[str, InboxRow | None] = dict.fromkeys(digests)
        for start in range(0, len(digests), 500):
            asked = {"digests": digests[start : start + 500]}
            known = list(session.connection().execute(_DIGESTS, asked).scalars())
            if known:  # seldom
                self.of |= {row.digest: row for row in session.exec(_BY_DIGEST, params={"digests": known})}

    def __call__(self, digest: str) -> InboxRow | None:
        if digest not in self.of:
            self.of[digest] = self.session.exec(_BY_DIGEST, params={"digests": [digest]}).first()
        return self.of[digest]


def _list_digests(mail: RawMail, written: MailIdentity) -> tuple[str, ...]:
    """List the digests under which the mail may be stored, were it not beside another one like it; the newest way
    first."""
    return (
        written.compute_digest(mail.place),
        *(() if mail.place else written.iter_pipe_digests()),
        written.former_digest,
    )


def _find_known_row(
    session: Session, row_of: _Rows, mail: RawMail, written: MailIdentity
) -> tuple[str, InboxRow | None]:
    """Find (the mail's digest, the row of the mail that it is a copy of, or None)."""
    key, *older = _list_digests(mail, written)
    number, row = 1, row_of(key)
    while row is not None and mail.place and written.is_traceless and _has_own_place(session, row, mail):
        number += 1
        key = written.compute_digest(mail.place, number)
        row = row_of(key)
    if row is not None or key == written.former_digest:
        return key, row
    for other in older:
        found = row_of(other)
        if found is not None and (other != written.former_digest or _is_same_by_old_digest(found, written, mail)):
            return key, found
    return key, None


def _has_own_place(session: Session, row: InboxRow, mail: RawMail) -> bool:
    """Return whether the mail of this row lies in the mailbox, too, in a place of its own: then the one at hand is
    another."""
    if row.id is None:  # of the same batch
        return True
    query = select(MailboxKey.key).where(
        MailboxKey.inbox_id == row.id, col(MailboxKey.filed).is_(False), MailboxKey.key != mail.place
    )
    return session.exec(query.limit(1)).first() is not None


def _is_same_by_old_digest(row: InboxRow, written: MailIdentity, mail: RawMail) -> bool:
    """Return whether a mail that was taken in by a version before 0009, which compared less, is the one at hand."""
    old = parse_mail_identity(row.raw)
    return old.compute_digest() == written.compute_digest() and (
        not written.is_traceless or row.received_at == mail.received
    )


# ---- mails that lay in the mailbox before the club was ----


_LEFT = "left where they lie"
"""Digest of the row that stands for all mails that are never read, whose places alone are known."""


def find_club_start(session: Session) -> datetime | None:
    """Find the oldest trace of the club: a player, a match, a command, a mail; None = there is none yet."""
    columns = (col(PlayerRow.created_at), col(MatchRow.created_at), col(Audit.at), col(InboxRow.taken_at))
    return min(filter(None, (session.exec(select(func.min(one))).one() for one in columns)), default=None)


def leave_mails_unread(session: Session, keys: Sequence[str], now: datetime) -> None:
    """Leave the mails in these places, which no run has read yet, unread for ever."""
    row = session.exec(_BY_DIGEST, params={"digests": [_LEFT]}).first()
    if row is None:
        row = InboxRow(
            digest=_LEFT, received_at=now, taken_at=now, size=0, raw=b"", state=InboxState.DROPPED, note=_LEFT
        )
        session.add(row)
        session.flush()
    if keys:
        places = [{"key": key, "inbox_id": row.id, "filed": True} for key in keys]
        session.connection().execute(_INTO_SEEN, places)


def has_old_mails_left(session: Session) -> bool:
    """Return whether mails older than the club stay unread."""
    return bool(session.connection().execute(_DIGESTS, {"digests": [_LEFT]}).scalars().first())


def count_left_mails(session: Session) -> int:
    """Count the mails that stay unread."""
    query = select(func.count()).select_from(MailboxKey).join(InboxRow).where(InboxRow.digest == _LEFT)
    return session.exec(query).one()


def forget_left_mails(session: Session) -> None:
    """Forget which mails were left unread, so that they are as new as any."""
    row = session.exec(_BY_DIGEST, params={"digests": [_LEFT]}).first()
    if row is not None:
        session.execute(delete(MailboxKey).where(col(MailboxKey.inbox_id) == row.id))
        session.delete(row)


# ---- mails that wait to be handled ----


def begin_waiting_mails(connection: Connection, begun: bool) -> list[tuple[int, int]]:
    """List (id, attempts so far) of the mails not handled yet, oldest arrival first, and count their first attempt.

    ``begun``: whether an earlier run may have begun some. First attempts are counted here, for all mails at once; a
    later one by ``add_attempt``, right before that mail, so that a mail that kills the process does not count against
    those behind it."""
    again = connection.execute(_BEGUN).all() if begun else ()
    rows = [(received, number, attempts) for number, received, attempts in again if number is not None]
    rows += [(received, number, 0) for number, received in connection.execute(_BEGIN) if number is not None]
    return [(number, attempts) for _, number, attempts in sorted(rows)]


def lock_oldest_sender(connection: Connection, excluded: Collection[int] = (), limit: int | None = None) -> int | None:
    """Lock the sender of the oldest waiting mail that no other worker is handling (see ``postgres``), and return the
    sender's key; None = there is none.

    Only the first ``limit`` mails are looked at, and none of ``excluded``."""
    query = select(InboxRow.lane).where(InboxRow.state == InboxState.RECEIVED)
    if excluded:
        query = query.where(col(InboxRow.id).not_in(excluded))
    # The inner query says in which order the locks are tried: the outer one ends with the first that is to be had.
    first = query.order_by(col(InboxRow.received_at), col(InboxRow.id)).limit(limit).subquery()
    held = select(first.c.lane).where(func.pg_try_advisory_lock(engines.SENDERS, first.c.lane)).limit(1)
    return connection.execute(held).scalar()


def begin_oldest_mail(connection: Connection, lane: int, excluded: Collection[int] = ()) -> int | None:
    """Begin the next mail of this sender: count one more attempt and return its id; None = none waits any more."""
    query = select(InboxRow.id).where(InboxRow.state == InboxState.RECEIVED, InboxRow.lane == lane)
    if excluded:
        query = query.where(col(InboxRow.id).not_in(excluded))
    first = query.order_by(col(InboxRow.received_at), col(InboxRow.id)).limit(1).scalar_subquery()
    begun = update(InboxRow).where(col(InboxRow.id) == first, col(InboxRow.state) == InboxState.RECEIVED)
    counted = begun.values(attempts=InboxRow.attempts + 1).returning(col(InboxRow.id))
    return connection.execute(counted).scalar()


def get_newest_inbox_id(connection: Connection) -> int:
    """Return the id of the mail that was taken in last; 0 = there is none."""
    return connection.execute(select(func.max(InboxRow.id))).scalar() or 0


def has_waiting_mail(connection: Connection, newest: int, excluded: Collection[int] = ()) -> bool:
    """Return whether one of the mails up to ``get_newest_inbox_id`` still waits, except these."""
    query = select(InboxRow.id).where(InboxRow.state == InboxState.RECEIVED, col(InboxRow.id) <= newest)
    if excluded:
        query = query.where(col(InboxRow.id).not_in(excluded))
    return connection.execute(query.limit(1)).scalar() is not None


def add_attempt(session: Session, number: int) -> None:
    """Count one more attempt at a mail that an earlier run began and did not end."""
    session.execute(update(InboxRow).where(col(InboxRow.id) == number).values(attempts=InboxRow.attempts + 1))


def reset_attempts(session: Session, numbers: Sequence[int]) -> None:
    """Reset the attempts of mails that could not be handled for no fault of theirs (a dictionary is missing, the disk
    is full)."""
    session.execute(update(InboxRow).where(col(InboxRow.id).in_(list(numbers)[:500])).values(attempts=0))


def list_unfiled_keys(connection: Connection) -> tuple[list[str], list[str]]:
    """List the places of handled mails that still lie in the mailbox: (to Processed, to Failed)."""
    processed: list[str] = []
    failed: list[str] = []
    for key, state in connection.execute(_UNFILED):
        (failed if state == InboxState.QUARANTINE else processed).append(key)
    return processed, failed


def mark_filed(connection: Connection, keys: Sequence[str]) -> None:
    """Mark these mails as moved by the mailbox."""
    for start in range(0, len(keys), 500):
        connection.execute(_FILED, {"keys": list(keys[start : start + 500])})


def release_strangers(session: Session, address: str) -> None:
    """Mark the mails of a stranger as done that has become a player: the sender of ``address``."""
    waits = update(InboxRow).where(col(InboxRow.sender) == address, col(InboxRow.state) == InboxState.WAITING)
    session.execute(
        waits.where(col(InboxRow.player_id).is_(None)).values(
            state=InboxState.DONE, held_for=HeldFor.NOTHING, note="is a player now"
        )
    )


# ---- what waits for the moderator, or for another word ----


def find_held_mail_by_token(session: Session, token: str) -> InboxRow | None:
    """Find the mail that is held until its mailbox says yes, by the secret that releases it."""
    return session.exec(select(InboxRow).where(InboxRow.token == token, InboxRow.state == InboxState.CONFIRM)).first()


def list_equal_mails(session: Session, row: InboxRow, span: timedelta) -> dict[int, InboxRow]:
    """Load the handled mails that say what this one says and came at most ``span`` before or after it; by number,
    without their bytes."""
    query = select(InboxRow).where(
        InboxRow.content_digest == row.content_digest,
        col(InboxRow.received_at).between(row.received_at - span, row.received_at + span),
        InboxRow.state == InboxState.DONE,
        InboxRow.id != row.id,
    )
    return {one.id or 0: one for one in session.exec(query.options(defer(_RAW)))}


def list_last_mails_of_sender(session: Session, row: InboxRow, span: timedelta, most: int) -> Sequence[InboxRow]:
    """List the sender's mails that came at most ``span`` before this one and were read to their end, newest first."""
    query = select(InboxRow).where(
        InboxRow.sender == row.sender,
        col(InboxRow.state).in_((InboxState.DONE, InboxState.MACHINE)),
        col(InboxRow.received_at).between(row.received_at - span, row.received_at),
        InboxRow.id != row.id,
    )
    return session.exec(query.order_by(col(InboxRow.id).desc()).limit(most)).all()


def list_repeats_of_player(session: Session, player_id: int) -> Sequence[InboxRow]:
    """List the mails of a player that say what the last one said, and are held, without their bytes."""
    query = select(InboxRow).where(InboxRow.player_id == player_id, InboxRow.held_for == HeldFor.REPEAT)
    return session.exec(query.options(defer(_RAW))).all()


def has_mail_from(session: Session, address: str, since: datetime) -> bool:
    """Return whether a mail from this address has come since then."""
    query = select(InboxRow.id).where(InboxRow.sender == address, InboxRow.received_at >= since)
    return session.exec(query.limit(1)).first() is not None


def list_mails_held_for_match(session: Session, match_id: int) -> Sequence[InboxRow]:
    """List the mails that wait until the match can go on."""
    query = select(InboxRow).where(InboxRow.match_id == match_id, InboxRow.held_for == HeldFor.MATCH)
    return session.exec(query).all()


def list_waiting_mails_of_seat(session: Session, match_id: int, player_id: int) -> Sequence[InboxRow]:
    """List the mails of a player that wait for the moderator, for this match or for none in particular; without their
    bytes, oldest first."""
    mine = or_(col(InboxRow.match_id) == match_id, col(InboxRow.match_id).is_(None))
    query = select(InboxRow).where(col(InboxRow.state).in_(LOOK), InboxRow.player_id == player_id, mine)
    return session.exec(query.options(defer(_RAW)).order_by(col(InboxRow.id))).all()


def list_mail_ids_between(session: Session, first: int, last: int, states: Collection[InboxState]) -> list[int]:
    """List the ids of the mails in these states, from one id to another, as far as their bytes are there."""
    query = select(InboxRow.id).where(
        col(InboxRow.id).between(first, last), col(InboxRow.state).in_(states), InboxRow.size > 0
    )
    return [number for number in session.exec(query.order_by(col(InboxRow.id))) if number is not None]


def list_mails_for_staff(session: Session) -> Sequence[InboxRow]:
    """List the mails that wait for the moderator's look, without their bytes, oldest first; a mail that came twice is
    its writer's matter."""
    states = (InboxState.QUARANTINE, *LOOK)
    query = select(InboxRow).where(col(InboxRow.state).in_(states), InboxRow.held_for != HeldFor.REPEAT)
    return session.exec(query.options(defer(_RAW)).order_by(col(InboxRow.id))).all()


def count_unknown_mails(session: Session, since: datetime) -> int:
    """Count the mails that came since then from unknown senders and ask for nothing."""
    recent = InboxRow.taken_at >= since, InboxRow.received_at >= since
    query = select(func.count()).where(*recent, InboxRow.state == InboxState.UNKNOWN)
    return session.exec(query).one()


def count_handled_mails(session: Session, since: datetime) -> int:
    """Count the mails taken in after that which have been handled."""
    query = select(func.count()).where(InboxRow.taken_at > since, InboxRow.state != InboxState.RECEIVED)
    return session.exec(query).one()


def get_mail_by_key(session: Session, key: str) -> InboxRow:
    """Return the mail that lay at this place in the mailbox."""
    return session.exec(select(InboxRow).join(MailboxKey).where(MailboxKey.key == key)).one()


class InboxSummary(NamedTuple):
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
        """The same as ``InboxRow.reason``."""
        return extract_reason(self.note)


def list_mail_summaries(session: Session, states: Collection[InboxState]) -> list[InboxSummary]:
    """List the mails in one of these states, oldest first."""
    columns = (
        InboxRow.id,
        InboxRow.received_at,
        InboxRow.state,
        InboxRow.sender,
        InboxRow.subject,
        InboxRow.note,
        MatchRow.code,
    )
    query = select(*columns).join(MatchRow, isouter=True)  # type: ignore[call-overload]
    query = query.where(col(InboxRow.state).in_(states)).order_by(col(InboxRow.id))
    return [InboxSummary(*row) for row in session.exec(query)]


def list_mails_without_effect(
    session: Session, since: datetime, subject: str = ""
) -> Sequence[tuple[int, datetime, str, InboxState, str]]:
    """List the mails taken in from then on that led to neither a command nor an entry: (number, time, sender, state,
    note).

    With ``subject`` only those that have it in theirs."""
    effect = or_(
        col(InboxRow.id).in_(select(Audit.inbox_id).where(col(Audit.inbox_id).is_not(None))),
        col(InboxRow.id).in_(select(EventRow.inbox_id).where(col(EventRow.inbox_id).is_not(None))),
    )
    columns = (InboxRow.id, InboxRow.taken_at, InboxRow.sender, InboxRow.state, InboxRow.note)
    query = select(*columns).where(InboxRow.taken_at >= since, ~effect)  # type: ignore[call-overload]
    found: Sequence[tuple[int, datetime, str, InboxState, str]]
    found = session.exec(query.where(col(InboxRow.subject).contains(subject)) if subject else query).all()
    return found
