"""Finished mails on their way out.

queued → sending (a lease) → sent | queued again (4xx with a later time, what the server refuses us at once) | dead (its
recipient is refused for good); sent → returned; dead or returned → repeated, when a later mail said it anew.
A row's bytes and Message-ID are fixed when it is queued, so a repeated mail is recognisable as the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, case, delete, insert, or_, update
from sqlmodel import Session, col, func, select

from moderator.mail.model import LOOK_AT, Ready, Sent
from moderator.states import MailKind, OutboxState
from moderator.store.models import Letter, Outbox
from moderator.store.probe import PUT_OFF

LEASE = timedelta(minutes=20)
"""Longer than the slowest answer to a mail's final dot; a row still ``sending`` after it is sent again."""
MOST_BYTES = 8_000_000
"""Of mails that are held in memory at once, unless a single one is larger."""
RETRY_MINUTES = (1, 5, 15, 60, 120, 240)
GIVE_UP = timedelta(days=5)
LATELY = timedelta(days=1)
PLAIN_AFTER = 2
"""Attempts, after which a mail leaves under the plain address: a server that does not like its return path may say so
in words that promise better times."""

# Questions of every run are written out once: to put one together costs four times what asking it does.
_INTO_OUTBOX = insert(Outbox).returning(col(Outbox.id), col(Outbox.message_id))
_INTO_LETTER = insert(Letter).returning(col(Letter.outbox_id))
"""With what comes back, so that any number of mails is one statement."""
_COME = or_(col(Outbox.next_at) <= bindparam("until"), col(Outbox.next_at) > bindparam("far"))
"""Their time has come, or was written under a clock that was far ahead."""
_OPEN = col(Outbox.state).in_((OutboxState.QUEUED, OutboxState.SENDING))
_TOKEN = case((col(Outbox.attempts) < PLAIN_AFTER, col(Outbox.return_token)), else_="")
_DUE = (
    select(Outbox.id, Outbox.recipient, _TOKEN, Outbox.kind, func.length(Letter.raw))  # type: ignore[call-overload]
    .join(Letter)
    .where(_OPEN, _COME, col(Outbox.id).not_in(bindparam("but", expanding=True)))
    .order_by(col(Outbox.next_at), col(Outbox.id))
    .limit(bindparam("most"))
)
_LETTERS = select(Letter.outbox_id, Letter.raw).where(col(Letter.outbox_id).in_(bindparam("rows", expanding=True)))
_LEASE = (
    update(Outbox)
    .where(col(Outbox.id).in_(bindparam("rows", expanding=True)), _OPEN, _COME)
    .values(state=OutboxState.SENDING, next_at=bindparam("over"), attempts=Outbox.attempts + 1)
    .returning(col(Outbox.id))
)
_SENT = (
    update(Outbox)
    .where(col(Outbox.id) == bindparam("row"))
    .values(state=OutboxState.SENT, sent_at=bindparam("at"), answer=bindparam("said"))
)
_SENT_PLAIN = _SENT.values(return_token="")
REPLIES = select(func.count()).where(
    Outbox.recipient == bindparam("to"), Outbox.created_at >= bindparam("since"), col(Outbox.inbox_id).is_not(None)
)


@dataclass(frozen=True)
class Made:
    """A finished mail."""

    raw: bytes
    message_id: str
    recipient: str
    kind: MailKind
    now: datetime
    match_id: int | None = None
    player_id: int | None = None
    inbox_id: int | None = None
    round: int = 0
    return_token: str = ""


def put(session: Session, mails: Sequence[Made]) -> list[int]:
    """Queue mails; returns the ids of their rows, in the same order."""
    if not mails:
        return []
    rows = [
        {
            "message_id": made.message_id,
            "recipient": made.recipient,
            "kind": made.kind,
            "match_id": made.match_id,
            "player_id": made.player_id,
            "inbox_id": made.inbox_id,
            "round": made.round,
            "state": OutboxState.QUEUED,
            "attempts": 0,
            "next_at": made.now,
            "created_at": made.now,
            "answer": "",
            "return_token": made.return_token,
        }
        for made in mails
    ]
    # Plain inserts: the unit of work would cost as much as making the mail's text.
    connection = session.connection()
    numbers = {message_id: number for number, message_id in connection.execute(_INTO_OUTBOX, rows)}
    queued = [int(numbers[made.message_id] or 0) for made in mails]
    letters = [{"outbox_id": number, "raw": made.raw} for number, made in zip(queued, mails, strict=True)]
    connection.execute(_INTO_LETTER, letters)
    return queued


def due(
    connection: Connection, return_path: Callable[[str], str], now: datetime, limit: int, but: Collection[int] = ()
) -> list[Ready]:
    """The next mails to send, those that wait longest first, so that one that the server refused lets others pass; no
    more than fit into memory well, and none of ``but``. [] = none is due. ``return_path`` makes the envelope sender of
    a token, and of "" the plain one."""
    envelopes: dict[int, tuple[str, str]] = {}
    kinds: dict[int, str] = {}
    weight = 0
    found = connection.execute(_DUE, {"but": list(but), "most": limit, **_times(now)}).all()
    for row, recipient, token, kind, size in found:
        weight += size
        if envelopes and weight > MOST_BYTES:
            break
        envelopes[row], kinds[row] = (return_path(token), recipient), kind.value
    letters = dict(iter(connection.execute(_LETTERS, {"rows": list(envelopes)}))) if envelopes else {}
    plain = return_path("")
    return [Ready(row, *envelopes[row], letters[row], plain, kinds[row]) for row in envelopes if row in letters]


def _times(now: datetime) -> dict[str, datetime]:
    """For ``_COME``."""
    return {"until": now, "far": now + PUT_OFF}


def lease(connection: Connection, rows: Sequence[int], now: datetime) -> set[int]:
    """These mails are being handed to the server. Returns which of them are ours to send: not those that another
    worker has leased, or sent, in the meantime."""
    leased = connection.execute(_LEASE, {"rows": list(rows), "over": now + LEASE, **_times(now)})
    return {number for number in leased.scalars() if number is not None}


def release(session: Session, rows: Sequence[int], now: datetime) -> None:
    """These were leased but never handed over: no attempt is counted."""
    session.execute(
        update(Outbox)
        .where(col(Outbox.id).in_(rows), Outbox.state == OutboxState.SENDING)  # type: ignore[arg-type]
        .values(state=OutboxState.QUEUED, next_at=now, attempts=Outbox.attempts - 1)
    )


def sent_well(connection: Connection, sent: Sent, now: datetime, plain: str = "") -> None:
    """Record that a mail was accepted; its return path is none where it left under the ``plain`` address."""
    done = _SENT_PLAIN if plain and sent.sender == plain else _SENT
    connection.execute(done, {"row": sent.row, "at": now, "said": sent.answer})


def settle(session: Session, sent: Sent, now: datetime) -> Outbox | None:
    """Record that a mail was not accepted. Returns the row if it is dead, so that somebody can be told."""
    row = session.get(Outbox, sent.row)
    if row is None:
        return None
    row.answer = sent.answer[:1000]
    own = sent.result == "retry" and not sent.of_us
    given_up = now - row.created_at >= GIVE_UP and (own or _takes_others(session, row, now))
    if sent.result == "dead" or given_up:
        row.state = OutboxState.DEAD
    elif sent.result in ("auth", "refused"):
        row.state, row.attempts, row.next_at = OutboxState.QUEUED, row.attempts - 1, now
    else:
        minutes = RETRY_MINUTES[min(row.attempts, len(RETRY_MINUTES)) - 1]
        row.state, row.next_at = OutboxState.QUEUED, now + timedelta(minutes=minutes)
    session.add(row)
    return row if row.state == OutboxState.DEAD else None


def _takes_others(session: Session, row: Outbox, now: datetime) -> bool:
    """Whether the server has lately taken mails to others; else nothing is known against this one, however old."""
    lately = col(Outbox.sent_at) >= now - LATELY, Outbox.recipient != row.recipient
    return session.exec(select(Outbox.id).where(*lately).limit(1)).first() is not None


def refused(session: Session) -> tuple[int, str]:
    """How many mails wait because the server took none of ours when they were tried last, and its words then."""
    waiting = col(Outbox.state) == OutboxState.QUEUED, col(Outbox.answer).contains(LOOK_AT)
    found = session.exec(select(Outbox.answer).where(*waiting).order_by(col(Outbox.next_at).desc())).all()
    return len(found), found[0] if found else ""


def lost(session: Session, player_id: int) -> list[tuple[Outbox, bytes]]:
    """Mails that a player never had, with their bytes, oldest first."""
    query = select(Outbox, Letter.raw).join(Letter, col(Letter.outbox_id) == col(Outbox.id))
    gone = col(Outbox.state).in_((OutboxState.DEAD, OutboxState.RETURNED))
    return list(session.exec(query.where(Outbox.player_id == player_id, gone).order_by(col(Outbox.id))))


def is_newest(session: Session, mail: Outbox, kinds: Collection[MailKind]) -> bool:
    """Whether its player has had no later mail of these kinds about the same match."""
    had = col(Outbox.state).in_((OutboxState.QUEUED, OutboxState.SENDING, OutboxState.SENT))
    same = Outbox.player_id == mail.player_id, Outbox.match_id == mail.match_id, col(Outbox.kind).in_(kinds)
    later = select(Outbox.id).where(*same, had, col(Outbox.id) > mail.id).limit(1)
    return session.exec(later).first() is None


def letter(session: Session, mail: Outbox) -> bytes:
    """The bytes of a mail."""
    return session.exec(select(Letter.raw).where(Letter.outbox_id == mail.id)).one()


def withdraw(session: Session, match_id: int) -> set[int]:
    """Take back the mails about a match that have not left; ids of the players to whom others have, or may have."""
    waiting = col(Outbox.match_id) == match_id, col(Outbox.state) == OutboxState.QUEUED
    numbers = select(Outbox.id).where(*waiting)
    session.execute(delete(Letter).where(col(Letter.outbox_id).in_(numbers)))
    session.execute(delete(Outbox).where(*waiting))
    left = select(Outbox.player_id).where(Outbox.match_id == match_id).distinct()
    return {number for number in session.exec(left) if number is not None}


def replies_since(session: Session, recipient: str, since: datetime) -> int:
    """How many mails of ours answered a mail of this address since then."""
    return session.connection().execute(REPLIES, {"to": recipient, "since": since}).scalar_one()


# ---- what was sent ----


def by_return_token(session: Session, tokens: Collection[str]) -> Sequence[Outbox]:
    """Mails that left with one of these secret parts in their return path."""
    return session.exec(select(Outbox).where(col(Outbox.return_token).in_(tokens))).all() if tokens else ()


def by_message_id(session: Session, ids: Collection[str]) -> Sequence[Outbox]:
    """Mails that have one of these Message-IDs."""
    return session.exec(select(Outbox).where(col(Outbox.message_id).in_(ids))).all() if ids else ()


def is_ours(session: Session, message_id: str) -> bool:
    """Whether a mail of ours has this Message-ID."""
    return session.exec(select(Outbox.id).where(Outbox.message_id == message_id)).first() is not None


def latest_rounds(session: Session, ids: Collection[str]) -> dict[int, int]:
    """Match -> the latest round that one of the mails with these Message-IDs was about."""
    ours = col(Outbox.message_id).in_(ids)
    query = select(Outbox.match_id, func.max(Outbox.round)).where(ours).group_by(col(Outbox.match_id))
    return {match: round for match, round in session.exec(query) if match is not None}


def letters(session: Session, ids: Collection[str]) -> Sequence[bytes]:
    """The bytes of the mails that have one of these Message-IDs."""
    if not ids:
        return ()
    return session.exec(select(Letter.raw).join(Outbox).where(col(Outbox.message_id).in_(ids))).all()


def made_since(session: Session, kinds: Collection[MailKind], since: datetime, recipient: str = "") -> int:
    """How many mails of these kinds were made since then, to this address or (without one) in all."""
    query = select(func.count()).where(Outbox.created_at >= since, col(Outbox.kind).in_(kinds))
    return session.exec(query.where(Outbox.recipient == recipient) if recipient else query).one()


def kinds_since(session: Session, since: datetime) -> dict[str, int]:
    """How many mails of each kind were made after that."""
    query = select(col(Outbox.kind), func.count()).where(Outbox.created_at > since).group_by(col(Outbox.kind))
    return {str(kind): count for kind, count in session.exec(query)}


def reports(session: Session, match_id: int, player_id: int, kinds: Collection[MailKind]) -> list[tuple[Outbox, bytes]]:
    """What the player was sent about a match in mails of these kinds, oldest first."""
    query = select(Outbox, Letter.raw).join(Letter, col(Letter.outbox_id) == col(Outbox.id))
    query = query.where(Outbox.match_id == match_id, Outbox.player_id == player_id, col(Outbox.kind).in_(kinds))
    return list(session.exec(query.order_by(col(Outbox.id))))


def times_made(session: Session, match_id: int, player_id: int, kinds: Collection[MailKind]) -> set[datetime]:
    """When mails of these kinds were made about a match for the player."""
    query = select(Outbox.created_at).where(
        Outbox.player_id == player_id, Outbox.match_id == match_id, col(Outbox.kind).in_(kinds)
    )
    return set(session.exec(query))


def last_made(session: Session, player_id: int, kind: MailKind, until: datetime) -> datetime | None:
    """When the last mail of this kind was made for the player, none after ``until`` counted."""
    query = select(Outbox.created_at).where(
        Outbox.player_id == player_id, Outbox.kind == kind, col(Outbox.created_at) <= until
    )
    return session.exec(query.order_by(col(Outbox.id).desc())).first()


def progress_since(
    session: Session, match_id: int, player_id: int, kinds: Collection[MailKind], since: datetime
) -> list[tuple[datetime | None, OutboxState]]:
    """(when it was accepted, state) of the mails of these kinds that were made since then for the player about this
    match, or about no single one; oldest first."""
    query = select(col(Outbox.sent_at), col(Outbox.state)).where(
        Outbox.player_id == player_id,
        Outbox.created_at >= since,
        col(Outbox.kind).in_(kinds),
        or_(col(Outbox.match_id) == match_id, col(Outbox.match_id).is_(None)),
    )
    return list(session.exec(query.order_by(col(Outbox.id))))


def latest_letter(session: Session, match_id: int, kind: MailKind) -> bytes | None:
    """The bytes of the last mail of this kind that was made about a match."""
    query = select(Letter.raw).join(Outbox).where(Outbox.match_id == match_id, Outbox.kind == kind)
    query = query.where(Outbox.recipient != "")  # whose player was forgotten, they say nothing any more
    return session.exec(query.order_by(col(Outbox.id).desc()).limit(1)).first()


def newest(session: Session) -> int:
    """Number of the mail that was made last; 0 = there is none."""
    return session.exec(select(func.max(Outbox.id))).one() or 0


def unsent(session: Session) -> list[tuple[Outbox, bytes]]:
    """Mails that wait to be sent, with their bytes, oldest first."""
    query = select(Outbox, Letter.raw).join(Letter)
    query = query.where(col(Outbox.state).in_((OutboxState.QUEUED, OutboxState.SENDING)))
    return list(session.exec(query.order_by(col(Outbox.id))))
