"""Where a player is named in the tables, and how that is taken out. ``FREE`` are the columns that people's words or
names stand in; what a match was played with is none of them, so a log replays as before."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlmodel import Session, SQLModel, col, delete, or_, select, update

from moderator.states import EntryKind, InboxState, OutboxState
from moderator.store.audit import Audit
from moderator.store.db import translated
from moderator.store.deferred_news import DeferredNews
from moderator.store.models import (
    AddressChange,
    Event,
    Inbox,
    KeyValue,
    Letter,
    Match,
    MatchReview,
    Outbox,
    Player,
    Press,
    Protest,
    PuzzleAnswer,
    Referee,
    ReviewRequest,
    Seat,
    Standby,
    Tournament,
    Watcher,
)
from moderator.store.probe import Place

Change = Callable[[str], str]
TOLD = (EntryKind.CONFIRM, EntryKind.NOTICE, EntryKind.PROTEST, EntryKind.RULING)
"""Entries whose text plays no part in the game. (That of TRIED comes back in the outcome of a turn or round.)"""
NOTED = ("today-told", "wrong-tokens")
"""Values by key that tell of people."""
FREE: tuple[tuple[type[SQLModel], tuple[str, ...], Any], ...] = (
    (Audit, ("who", "detail", "outcome"), None),
    (DeferredNews, ("said",), None),
    (Event, ("text",), col(Event.kind).in_(TOLD)),
    (Inbox, ("sender", "subject", "note"), None),
    (KeyValue, ("value",), col(KeyValue.key).in_(NOTED)),
    (Match, ("name", "trouble"), None),
    (MatchReview, ("trouble",), None),
    (Outbox, ("answer",), None),
    (Press, ("text",), None),
    (Protest, ("text", "answer"), None),
    (Tournament, ("name",), None),
)
"""(table, its columns, which rows)."""


def rewrite(session: Session, change: Change) -> None:
    """Put what ``change`` makes of it in place of every free text."""
    _rewrite_tried(session, change)
    for table, columns, which in FREE:
        key: Any = next(iter(table.__table__.primary_key))  # type: ignore[attr-defined]
        fields = [getattr(table, name) for name in columns]
        query: Any = select(key, *fields)
        for number, *values in session.exec(query if which is None else query.where(which)).all():
            changed = {
                name: new
                for name, old, new in zip(columns, values, (_changed(one, change) for one in values), strict=True)
                if new != old
            }
            if changed:
                session.execute(update(table).where(key == number).values(**changed))


def _rewrite_tried(session: Session, change: Change) -> None:
    """What was sent in vain is told again by the outcome of the turn or round that it was sent for: both change alike,
    or the log would not replay. What an order begins with stays, here as there: it may be what lies on the board."""
    said: dict[int, dict[tuple[int | None, str], str]] = {}
    tried = select(Event.match_id, Event.seat, Event.text).where(Event.kind == EntryKind.TRIED)
    for match_id, seat, text in session.exec(tried).all():
        if (new := change(text)) != text:
            said.setdefault(match_id, {})[seat, text] = new
    for match_id, texts in said.items():
        log = session.exec(select(Event).where(Event.match_id == match_id)).all()
        given = [(row.seat, " ".join(row.text.split())) for row in log if row.kind in (EntryKind.ORDER, EntryKind.MOVE)]
        ordered = {one for one in texts for seat, text in given if seat == one[0] and text.startswith(one[1])}
        free = {one: new for one, new in texts.items() if one not in ordered}
        for row in log:
            if row.kind == EntryKind.TRIED:
                row.text = free.get((row.seat, row.text), row.text)
            elif row.kind in (EntryKind.MISS, EntryKind.EVALUATE):
                row.outcome = _retold(row.outcome, free)
            session.add(row)
    session.flush()


def _retold(outcome: dict[str, Any], texts: Mapping[tuple[int | None, str], str]) -> dict[str, Any]:
    moves = [
        move | {"text": texts.get((move["seat"], move["text"]), move["text"])} if move.get("played") is None else move
        for move in outcome.get("moves", ())
    ]
    return outcome | {"moves": moves} if "moves" in outcome else outcome


def _changed(value: Any, change: Change) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _changed(item, change) for key, item in value.items()}
    return [_changed(item, change) for item in value] if isinstance(value, list) else value


def addresses(session: Session, player_id: int, address: str | None) -> set[str]:
    """All that the player has, wished for, or had when a mail was sent there, but for those that are somebody else's
    now."""
    wished = session.exec(select(AddressChange.address).where(AddressChange.player_id == player_id)).all()
    sent = session.exec(select(Outbox.recipient).where(Outbox.player_id == player_id).distinct()).all()
    others = session.exec(select(Player.address).where(Player.id != player_id)).all()
    taken = {*others, *session.exec(select(Referee.address)).all()}
    return {one for one in (address, *wished, *sent) if one and one not in taken}


def is_referee(session: Session, player: Player) -> bool:
    """Whether the same person is in charge of matches."""
    same = or_(col(Referee.name_key) == player.name_key, col(Referee.address) == player.address)
    return session.exec(select(Referee.id).where(same)).first() is not None


HELD = (InboxState.CONFIRM, InboxState.WAITING, InboxState.QUARANTINE)
"""States of mails that may still have to be handled, word for word, when somebody says so."""


def waits(session: Session) -> bool:
    """Whether a mail has still to be handled."""
    return session.exec(select(Inbox.id).where(Inbox.state == InboxState.RECEIVED).limit(1)).first() is not None


def incoming(session: Session) -> Iterator[Inbox]:
    """All mails that came, oldest first."""
    for number in session.exec(select(Inbox.id).order_by(col(Inbox.id))).all():
        yield session.get_one(Inbox, number)


def outgoing(session: Session) -> Iterator[tuple[Outbox, Letter]]:
    """All mails of ours, oldest first."""
    for number in session.exec(select(Letter.outbox_id).order_by(col(Letter.outbox_id))).all():
        yield session.get_one(Outbox, number), session.get_one(Letter, number)


def drop(session: Session, row: Outbox, letter: Letter) -> None:
    """A mail that shall not leave."""
    session.delete(letter)
    session.flush()
    session.delete(row)


def is_open(row: Outbox) -> bool:
    """Whether this mail may still have to leave."""
    return row.state in (OutboxState.QUEUED, OutboxState.SENDING)


def remove(session: Session, player_id: int) -> None:
    """What would still be wanted of the player, or asked, and what they have answered to puzzles."""
    tables: tuple[Any, ...] = (AddressChange, DeferredNews, PuzzleAnswer, ReviewRequest, Standby, Watcher)
    for table in tables:
        session.execute(delete(table).where(table.player_id == player_id))


def leave_seat(session: Session, seat: Seat) -> None:
    """Of a match that has not begun; those behind move up."""
    later = select(Seat).where(Seat.match_id == seat.match_id, Seat.number > seat.number).order_by(col(Seat.number))
    behind = session.exec(later).all()
    session.delete(seat)
    session.flush()
    for one in behind:
        one.number -= 1
        session.add(one)
        session.flush()


def scrub(place: Place) -> None:
    """What was changed or deleted is gone from the file of SQLite, too, and not only from its tables. PostgreSQL does
    the same in time (VACUUM). Raises StoreError."""
    if not isinstance(place, Path):
        return
    with translated(place), closing(sqlite3.connect(place, timeout=60)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
