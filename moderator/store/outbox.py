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

from moderator.common.enums import MailKind, OutboxState
from moderator.common.mails import LOOK_AT, Ready, Sent
from moderator.store.due_work import PUT_OFF
from moderator.store.tables import OutboxBody, OutboxRow

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
_INTO_OUTBOX = insert(OutboxRow).returning(col(OutboxRow.id), col(OutboxRow.message_id))
_INTO_LETTER = insert(OutboxBody).returning(col(OutboxBody.outbox_id))
"""With what comes back, so that any number of mails is one statement."""
_COME = or_(col(OutboxRow.next_at) <= bindparam("until"), col(OutboxRow.next_at) > bindparam("far"))
"""Their time has come, or was written under a clock that was far ahead."""
_OPEN = col(OutboxRow.state).in_((OutboxState.QUEUED, OutboxState.SENDING))
_TOKEN = case((col(OutboxRow.attempts) < PLAIN_AFTER, col(OutboxRow.return_token)), else_="")
_DUE = (
    select(OutboxRow.id, OutboxRow.recipient, _TOKEN, OutboxRow.kind, func.length(OutboxBody.raw))  # type: ignore[call-overload]
    .join(OutboxBody)
    .where(_OPEN, _COME, col(OutboxRow.id).not_in(bindparam("but", expanding=True)))
    .order_by(col(OutboxRow.next_at), col(OutboxRow.id))
    .limit(bindparam("most"))
)
_LETTERS = select(OutboxBody.outbox_id, OutboxBody.raw).where(
    col(OutboxBody.outbox_id).in_(bindparam("rows", expanding=True))
)
_LEASE = (
    update(OutboxRow)
    .where(col(OutboxRow.id).in_(bindparam("rows", expanding=True)), _OPEN, _COME)
    .values(state=OutboxState.SENDING, next_at=bindparam("over"), attempts=OutboxRow.attempts + 1)
    .returning(col(OutboxRow.id))
)
_SENT = (
    update(OutboxRow)
    .where(col(OutboxRow.id) == bindparam("row"))
    .values(state=OutboxState.SENT, sent_at=bindparam("at"), answer=bindparam("said"))
)
_SENT_PLAIN = _SENT.values(return_token="")
REPLIES = select(func.count()).where(
    OutboxRow.recipient == bindparam("to"),
    OutboxRow.created_at >= bindparam("since"),
    col(OutboxRow.inbox_id).is_not(None),
)


@dataclass(frozen=True)
class NewOutboxRow:
    """A finished mail that is to be queued."""

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


def add_mails(session: Session, mails: Sequence[NewOutboxRow]) -> list[int]:
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


def list_due_mails(
    connection: Connection, return_path: Callable[[str], str], now: datetime, limit: int, excluded: Collection[int] = ()
) -> list[Ready]:
    """List the next mails to send, those that wait longest first, so that one that the server refused lets others pass;
    [] = none is due.

    No more than fit into memory well, and none of ``excluded``. ``return_path`` makes the envelope sender of a token,
    and of "" the plain one."""
    envelopes: dict[int, tuple[str, str]] = {}
    kinds: dict[int, str] = {}
    weight = 0
    found = connection.execute(_DUE, {"but": list(excluded), "most": limit, **_build_due_times(now)}).all()
    for row, recipient, token, kind, size in found:
        weight += size
        if envelopes and weight > MOST_BYTES:
            break
        envelopes[row], kinds[row] = (return_path(token), recipient), kind.value
    letters = dict(iter(connection.execute(_LETTERS, {"rows": list(envelopes)}))) if envelopes else {}
    plain = return_path("")
    return [Ready(row, *envelopes[row], letters[row], plain, kinds[row]) for row in envelopes if row in letters]


def _build_due_times(now: datetime) -> dict[str, datetime]:
    """Build the parameters of ``_COME``."""
    return {"until": now, "far": now + PUT_OFF}


def lease_mails(connection: Connection, rows: Sequence[int], now: datetime) -> set[int]:
    """Lease mails that are about to be handed to the server. Returns which of them are ours to send: not those that
    another worker has leased, or sent, in the meantime."""
    leased = connection.execute(_LEASE, {"rows": list(rows), "over": now + LEASE, **_build_due_times(now)})
    return {number for number in leased.scalars() if number is not None}


def release_leases(session: Session, rows: Sequence[int], now: datetime) -> None:
    """Release mails that were leased but never handed over: no attempt is counted."""
    session.execute(
        update(OutboxRow)
        .where(col(OutboxRow.id).in_(rows), OutboxRow.state == OutboxState.SENDING)  # type: ignore[arg-type]
        .values(state=OutboxState.QUEUED, next_at=now, attempts=OutboxRow.attempts - 1)
    )


def mark_sent(connection: Connection, sent: Sent, now: datetime, plain: str = "") -> None:
    """Record that a mail was accepted; its return path is deleted where it left under the ``plain`` address."""
    done = _SENT_PLAIN if plain and sent.sender == plain else _SENT
    connection.execute(done, {"row": sent.row, "at": now, "said": sent.answer})


def record_result_of_send(session: Session, sent: Sent, now: datetime) -> OutboxRow | None:
    """Record that a mail was not accepted. Returns the row if it is dead, so that somebody can be notified."""
    row = session.get(OutboxRow, sent.row)
    if row is None:
        return None
    row.answer = sent.answer[:1000]
    own = sent.result == "retry" and not sent.of_us
    given_up = now - row.created_at >= GIVE_UP and (own or _has_sent_to_others(session, row, now))
    if sent.result == "dead" or given_up:
        row.state = OutboxState.DEAD
    elif sent.result in ("auth", "refused"):
        row.state, row.attempts, row.next_at = OutboxState.QUEUED, row.attempts - 1, now
    else:
        minutes = RETRY_MINUTES[min(row.attempts, len(RETRY_MINUTES)) - 1]
        row.state, row.next_at = OutboxState.QUEUED, now + timedelta(minutes=minutes)
    session.add(row)
    return row if row.state == OutboxState.DEAD else None


def _has_sent_to_others(session: Session, row: OutboxRow, now: datetime) -> bool:
    """Return whether the server has taken mails to others within a day; else nothing is known against this one, however
    old."""
    lately = col(OutboxRow.sent_at) >= now - LATELY, OutboxRow.recipient != row.recipient
    return session.exec(select(OutboxRow.id).where(*lately).limit(1)).first() is not None


def summarize_refused_mails(session: Session) -> tuple[int, str]:
    """Return how many mails wait because the server took none of ours when they were tried last, and its words then."""
    waiting = col(OutboxRow.state) == OutboxState.QUEUED, col(OutboxRow.answer).contains(LOOK_AT)
    found = session.exec(select(OutboxRow.answer).where(*waiting).order_by(col(OutboxRow.next_at).desc())).all()
    return len(found), found[0] if found else ""


def list_undelivered_mails(session: Session, player_id: int) -> list[tuple[OutboxRow, bytes]]:
    """List the mails that never reached a player, with their bytes, oldest first."""
    query = select(OutboxRow, OutboxBody.raw).join(OutboxBody, col(OutboxBody.outbox_id) == col(OutboxRow.id))
    gone = col(OutboxRow.state).in_((OutboxState.DEAD, OutboxState.RETURNED))
    return list(session.exec(query.where(OutboxRow.player_id == player_id, gone).order_by(col(OutboxRow.id))))


def is_newest_mail(session: Session, mail: OutboxRow, kinds: Collection[MailKind]) -> bool:
    """Return whether its player has had no later mail of these kinds about the same match."""
    had = col(OutboxRow.state).in_((OutboxState.QUEUED, OutboxState.SENDING, OutboxState.SENT))
    same = OutboxRow.player_id == mail.player_id, OutboxRow.match_id == mail.match_id, col(OutboxRow.kind).in_(kinds)
    later = select(OutboxRow.id).where(*same, had, col(OutboxRow.id) > mail.id).limit(1)
    return session.exec(later).first() is None


def get_mail_bytes(session: Session, mail: OutboxRow) -> bytes:
    """Return the bytes of a mail."""
    return session.exec(select(OutboxBody.raw).where(OutboxBody.outbox_id == mail.id)).one()


def withdraw_match_mails(session: Session, match_id: int) -> set[int]:
    """Withdraw the mails about a match that have not left; returns the ids of the players to whom others have left, or
    may have."""
    waiting = col(OutboxRow.match_id) == match_id, col(OutboxRow.state) == OutboxState.QUEUED
    numbers = select(OutboxRow.id).where(*waiting)
    session.execute(delete(OutboxBody).where(col(OutboxBody.outbox_id).in_(numbers)))
    session.execute(delete(OutboxRow).where(*waiting))
    left = select(OutboxRow.player_id).where(OutboxRow.match_id == match_id).distinct()
    return {number for number in session.exec(left) if number is not None}


def count_replies(session: Session, recipient: str, since: datetime) -> int:
    """Count our mails that answered a mail of this address since then."""
    return session.connection().execute(REPLIES, {"to": recipient, "since": since}).scalar_one()


# ---- what was sent ----


def list_mails_by_return_token(session: Session, tokens: Collection[str]) -> Sequence[OutboxRow]:
    """List the mails that left with one of these secret parts in their return path."""
    return session.exec(select(OutboxRow).where(col(OutboxRow.return_token).in_(tokens))).all() if tokens else ()


def list_mails_by_message_id(session: Session, ids: Collection[str]) -> Sequence[OutboxRow]:
    """List the mails that have one of these Message-IDs."""
    return session.exec(select(OutboxRow).where(col(OutboxRow.message_id).in_(ids))).all() if ids else ()


def is_own_message_id(session: Session, message_id: str) -> bool:
    """Return whether a mail of ours has this Message-ID."""
    return session.exec(select(OutboxRow.id).where(OutboxRow.message_id == message_id)).first() is not None


def load_latest_rounds(session: Session, ids: Collection[str]) -> dict[int, int]:
    """Load the latest round that one of the mails with these Message-IDs was about, by the match's id."""
    ours = col(OutboxRow.message_id).in_(ids)
    query = select(OutboxRow.match_id, func.max(OutboxRow.round)).where(ours).group_by(col(OutboxRow.match_id))
    return {match: round for match, round in session.exec(query) if match is not None}


def list_mail_bytes(session: Session, ids: Collection[str]) -> Sequence[bytes]:
    """List the bytes of the mails that have one of these Message-IDs."""
    if not ids:
        return ()
    return session.exec(select(OutboxBody.raw).join(OutboxRow).where(col(OutboxRow.message_id).in_(ids))).all()


def count_created_mails(session: Session, kinds: Collection[MailKind], since: datetime, recipient: str = "") -> int:
    """Count the mails of these kinds that were made since then, to this address or (without one) in all."""
    query = select(func.count()).where(OutboxRow.created_at >= since, col(OutboxRow.kind).in_(kinds))
    return session.exec(query.where(OutboxRow.recipient == recipient) if recipient else query).one()


def count_mails_by_kind(session: Session, since: datetime) -> dict[str, int]:
    """Count the mails of each kind that were made after that."""
    query = select(col(OutboxRow.kind), func.count()).where(OutboxRow.created_at > since).group_by(col(OutboxRow.kind))
    return {str(kind): count for kind, count in session.exec(query)}


def list_mails_to_player(
    session: Session, match_id: int, player_id: int, kinds: Collection[MailKind]
) -> list[tuple[OutboxRow, bytes]]:
    """List the mails of these kinds about a match that the player was sent, with their bytes, oldest first."""
    query = select(OutboxRow, OutboxBody.raw).join(OutboxBody, col(OutboxBody.outbox_id) == col(OutboxRow.id))
    query = query.where(
        OutboxRow.match_id == match_id, OutboxRow.player_id == player_id, col(OutboxRow.kind).in_(kinds)
    )
    return list(session.exec(query.order_by(col(OutboxRow.id))))


def load_creation_times(session: Session, match_id: int, player_id: int, kinds: Collection[MailKind]) -> set[datetime]:
    """Load the times at which mails of these kinds were made about a match for the player."""
    query = select(OutboxRow.created_at).where(
        OutboxRow.player_id == player_id, OutboxRow.match_id == match_id, col(OutboxRow.kind).in_(kinds)
    )
    return set(session.exec(query))


def find_last_creation_time(session: Session, player_id: int, kind: MailKind, until: datetime) -> datetime | None:
    """Find the time at which the last mail of this kind was made for the player, up to ``until``."""
    query = select(OutboxRow.created_at).where(
        OutboxRow.player_id == player_id, OutboxRow.kind == kind, col(OutboxRow.created_at) <= until
    )
    return session.exec(query.order_by(col(OutboxRow.id).desc())).first()


def list_delivery_progress(
    session: Session, match_id: int, player_id: int, kinds: Collection[MailKind], since: datetime
) -> list[tuple[datetime | None, OutboxState]]:
    """List (time of acceptance, state) of the mails of these kinds that were made since then for the player about this
    match, or about no single one; oldest first."""
    query = select(col(OutboxRow.sent_at), col(OutboxRow.state)).where(
        OutboxRow.player_id == player_id,
        OutboxRow.created_at >= since,
        col(OutboxRow.kind).in_(kinds),
        or_(col(OutboxRow.match_id) == match_id, col(OutboxRow.match_id).is_(None)),
    )
    return list(session.exec(query.order_by(col(OutboxRow.id))))


def find_latest_mail_bytes(session: Session, match_id: int, kind: MailKind) -> bytes | None:
    """Find the bytes of the last mail of this kind that was made about a match."""
    query = select(OutboxBody.raw).join(OutboxRow).where(OutboxRow.match_id == match_id, OutboxRow.kind == kind)
    query = query.where(OutboxRow.recipient != "")  # whose player was forgotten, they say nothing any more
    return session.exec(query.order_by(col(OutboxRow.id).desc()).limit(1)).first()


def get_newest_outbox_id(session: Session) -> int:
    """Return the id of the mail that was made last; 0 = there is none."""
    return session.exec(select(func.max(OutboxRow.id))).one() or 0


def list_unsent_mails(session: Session) -> list[tuple[OutboxRow, bytes]]:
    """List the mails that wait to be sent, with their bytes, oldest first."""
    query = select(OutboxRow, OutboxBody.raw).join(OutboxBody)
    query = query.where(col(OutboxRow.state).in_((OutboxState.QUEUED, OutboxState.SENDING)))
    return list(session.exec(query.order_by(col(OutboxRow.id))))
