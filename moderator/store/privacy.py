"""Where a player is named in the tables, and how that is taken out. ``FREE`` are the columns that people's words or
names stand in; what a match was played with is none of them, so a log replays as before."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlmodel import Session, SQLModel, and_, col, delete, or_, select, update

from moderator.common.enums import Actor, InboxState, LogEntryKind, MailKind, OutboxState
from moderator.store import tournaments
from moderator.store.audit import Audit
from moderator.store.club_tables import DeferredNews
from moderator.store.database import translate_database_errors
from moderator.store.due_work import Place
from moderator.store.tables import (
    AddressChange,
    EventRow,
    InboxRow,
    KeyValue,
    Leave,
    LetterRow,
    MatchReview,
    MatchRow,
    OutboxBody,
    OutboxRow,
    PlayerRow,
    Protest,
    PuzzleAnswer,
    Referee,
    ReviewRequest,
    SeatRow,
    StandbyRow,
    Tournament,
    TournamentEntry,
    WatcherRow,
)

Change = Callable[[str], str]
TOLD = (LogEntryKind.CONFIRM, LogEntryKind.NOTICE, LogEntryKind.PROTEST, LogEntryKind.RULING)
"""Entries whose text plays no part in the game. (That of TRIED comes back in the outcome of a turn or round.)"""
NOTED = ("today-told", "wrong-tokens")
"""Values by key that tell of people."""
FREE: tuple[tuple[type[SQLModel], tuple[str, ...], Any], ...] = (
    (Audit, ("who", "detail", "outcome"), None),
    (DeferredNews, ("said",), None),
    (EventRow, ("text",), col(EventRow.kind).in_(TOLD)),
    (InboxRow, ("sender", "subject", "note", "offered"), None),
    (KeyValue, ("value",), col(KeyValue.key).in_(NOTED)),
    (MatchRow, ("name", "trouble"), None),
    (MatchReview, ("trouble",), None),
    (OutboxRow, ("answer",), None),
    (LetterRow, ("text",), None),
    (Protest, ("text", "answer"), None),
    (Tournament, ("name",), None),
)
"""(table, its columns, which rows)."""


def rewrite_free_texts(session: Session, change: Change) -> None:
    """Replace every free text by what ``change`` makes of it."""
    _rewrite_refused_orders(session, change)
    for table, columns, which in FREE:
        key: Any = next(iter(table.__table__.primary_key))  # type: ignore[attr-defined]
        fields = [getattr(table, name) for name in columns]
        query: Any = select(key, *fields)
        for number, *values in session.exec(query if which is None else query.where(which)).all():
            changed = {
                name: new
                for name, old, new in zip(columns, values, (_apply_change(one, change) for one in values), strict=True)
                if new != old
            }
            if changed:
                session.execute(update(table).where(key == number).values(**changed))


def _rewrite_refused_orders(session: Session, change: Change) -> None:
    """Rewrite the orders that were refused.

    The outcome of the turn or round repeats them: both change alike, or the log would not replay. The beginning of an
    order that was played stays, here as there: it may be what lies on the board."""
    said: dict[int, dict[tuple[int | None, str], str]] = {}
    tried = select(EventRow.match_id, EventRow.seat, EventRow.text).where(EventRow.kind == LogEntryKind.TRIED)
    for match_id, seat, text in session.exec(tried).all():
        if (new := change(text)) != text:
            said.setdefault(match_id, {})[seat, text] = new
    for match_id, texts in said.items():
        log = session.exec(select(EventRow).where(EventRow.match_id == match_id)).all()
        given = [
            (row.seat, " ".join(row.text.split())) for row in log if row.kind in (LogEntryKind.ORDER, LogEntryKind.MOVE)
        ]
        ordered = {one for one in texts for seat, text in given if seat == one[0] and text.startswith(one[1])}
        free = {one: new for one, new in texts.items() if one not in ordered}
        for row in log:
            if row.kind == LogEntryKind.TRIED:
                row.text = free.get((row.seat, row.text), row.text)
            elif row.kind in (LogEntryKind.MISS, LogEntryKind.EVALUATE):
                row.outcome = _replace_move_texts(row.outcome, free)
            session.add(row)
    session.flush()


def _replace_move_texts(outcome: dict[str, Any], texts: Mapping[tuple[int | None, str], str]) -> dict[str, Any]:
    moves = [
        move | {"text": texts.get((move["seat"], move["text"]), move["text"])} if move.get("played") is None else move
        for move in outcome.get("moves", ())
    ]
    return outcome | {"moves": moves} if "moves" in outcome else outcome


def _apply_change(value: Any, change: Change) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _apply_change(item, change) for key, item in value.items()}
    return [_apply_change(item, change) for item in value] if isinstance(value, list) else value


def collect_player_addresses(session: Session, player_id: int, address: str | None) -> set[str]:
    """Collect all addresses that the player has, wished for, or had when a mail was sent there, except those that are
    somebody else's now."""
    wished = session.exec(select(AddressChange.address).where(AddressChange.player_id == player_id)).all()
    sent = session.exec(select(OutboxRow.recipient).where(OutboxRow.player_id == player_id).distinct()).all()
    others = session.exec(select(PlayerRow.address).where(PlayerRow.id != player_id)).all()
    taken = {*others, *session.exec(select(Referee.address)).all()}
    return {one for one in (address, *wished, *sent) if one and one not in taken}


def is_referee(session: Session, player: PlayerRow) -> bool:
    """Return whether the same person is in charge of matches."""
    same = or_(col(Referee.name_key) == player.name_key, col(Referee.address) == player.address)
    return session.exec(select(Referee.id).where(same)).first() is not None


HELD = (InboxState.CONFIRM, InboxState.WAITING, InboxState.QUARANTINE)
"""States of mails that may still have to be handled, word for word, when somebody says so."""


def has_unhandled_mail(session: Session) -> bool:
    """Return whether a mail has still to be handled."""
    return session.exec(select(InboxRow.id).where(InboxRow.state == InboxState.RECEIVED).limit(1)).first() is not None


def iter_incoming_mails(session: Session) -> Iterator[InboxRow]:
    """Yield all mails that came in, oldest first."""
    for number in session.exec(select(InboxRow.id).order_by(col(InboxRow.id))).all():
        yield session.get_one(InboxRow, number)


def iter_outgoing_mails(session: Session) -> Iterator[tuple[OutboxRow, OutboxBody]]:
    """Yield all our own mails, oldest first: (row, bytes)."""
    for number in session.exec(select(OutboxBody.outbox_id).order_by(col(OutboxBody.outbox_id))).all():
        yield session.get_one(OutboxRow, number), session.get_one(OutboxBody, number)


def delete_outgoing_mail(session: Session, row: OutboxRow, letter: OutboxBody) -> None:
    """Delete a mail that shall not leave."""
    session.delete(letter)
    session.flush()
    session.delete(row)


def is_unsent_mail(row: OutboxRow) -> bool:
    """Return whether this mail may still have to leave."""
    return row.state in (OutboxState.QUEUED, OutboxState.SENDING)


def delete_open_requests(session: Session, player_id: int) -> None:
    """Delete what would still be asked of the player, what the player has asked for, and their answers to puzzles."""
    tables: tuple[Any, ...] = (AddressChange, DeferredNews, PuzzleAnswer, ReviewRequest, StandbyRow, WatcherRow)
    for table in tables:
        session.execute(delete(table).where(table.player_id == player_id))


def remove_seat_before_start(session: Session, seat: SeatRow) -> None:
    """Remove a seat of a match that has not begun; the seats behind it move up."""
    later = (
        select(SeatRow)
        .where(SeatRow.match_id == seat.match_id, SeatRow.number > seat.number)
        .order_by(col(SeatRow.number))
    )
    behind = session.exec(later).all()
    session.delete(seat)
    session.flush()
    for one in behind:
        one.number -= 1
        session.add(one)
        session.flush()


def vacuum_database(place: Place) -> None:
    """Remove what was changed or deleted from the file of SQLite, too, and not only from its tables.

    PostgreSQL does the same in time (VACUUM). Raises StoreError."""
    if not isinstance(place, Path):
        return
    with translate_database_errors(place), closing(sqlite3.connect(place, timeout=60)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


# ---- All that is stored of one player, as plain values, and nothing about anybody else.


SECRET = frozenset({"token", "old_token", "new_token", "unsubscribe", "thread", "return_token", "message_id"})
"""Columns that open something, or say nothing to a person."""
INSIDE = frozenset({
    "id", "player_id", "match_id", "puzzle_id", "tournament_id", "inbox_id", "name_key", "raw", "recipient", "seats",
    "answer", "content_digest",
})  # fmt: skip
"""Columns that number rows, or hold what somebody else has written."""


def load_player_facts(session: Session, player: PlayerRow) -> dict[str, Any]:
    """Load all that is stored of a player, by table; each row with the codes of what it belongs to."""
    number = player.number
    entered = session.exec(
        select(TournamentEntry, Tournament).join(Tournament).where(TournamentEntry.player_id == number)
    ).all()
    return {
        "player": _to_plain_values(player),
        "matches": [
            {"code": match.code, "name": match.name, "game": match.game, "status": match.status, "seat": seat.number}
            | {"started_at": match.started_at, "finished_at": match.finished_at}
            for match, seat in _list_player_seats(session, number)
        ],
        "entries": [
            {"match": code, "n": row.n, "at": row.at, "kind": row.kind, "text": row.text}
            for code, row in _iter_own_entries(session, number)
        ],
        "tournaments": [{"code": row.code, "name": row.name, **_to_plain_values(entry)} for entry, row in entered],
        "old_results": list(_iter_old_results(session, number)),
        "first_ratings": [
            {"game": one.game, "mu": one.mu, "sigma": one.sigma, "games": one.games}
            for part in tournaments.list_old_results(session)
            for one in part.ratings
            if one.player == number
        ],
        "letters": _list_table_rows(session, LetterRow, number),
        "protests": _list_table_rows(session, Protest, number),
        "leave": _list_table_rows(session, Leave, number),
        "stands_by": _list_table_rows(session, StandbyRow, number),
        "watches": _list_table_rows(session, WatcherRow, number),
        "waits_for_reviews": _list_table_rows(session, ReviewRequest, number),
        "puzzle_answers": _list_table_rows(session, PuzzleAnswer, number),
        "new_addresses": _list_table_rows(session, AddressChange, number),
        "commands": [_to_plain_values(row) for row in session.exec(_select_commands(player))],
        "mails_sent_to_you": [_to_plain_values(row) for row in session.exec(_select_sent_mails(player))],
    }


def _iter_old_results(session: Session, number: int) -> Iterator[dict[str, Any]]:
    """Yield the player's own seat in each game that was finished elsewhere."""
    for part in tournaments.list_old_results(session):
        for one in part.results:
            if number in one.players:
                seat = one.players.index(number)
                own = {name: one.outcome[name][seat] for name in ("scores", "places", "moves") if one.outcome[name]}
                yield {
                    "finished_at": one.finished_at,
                    "game": one.game,
                    "seat": seat,
                    **own,
                    "out": seat in one.outcome["out"],
                }


def _iter_own_entries(session: Session, number: int) -> Iterator[tuple[str, EventRow]]:
    """Yield (code of the match, entry) of the player's own entries: those of a seat while the player had it."""
    taken = select(EventRow.match_id).where(EventRow.kind == LogEntryKind.HAND_OVER, EventRow.text == str(number))
    seated = select(SeatRow.match_id).where(SeatRow.player_id == number)
    mine = or_(col(MatchRow.id).in_(taken), col(MatchRow.id).in_(seated))
    for match in session.exec(select(MatchRow).where(mine).order_by(col(MatchRow.id))).all():
        seats = session.exec(select(SeatRow.number, SeatRow.player_id).where(SeatRow.match_id == match.id)).all()
        log = session.exec(select(EventRow).where(EventRow.match_id == match.id).order_by(col(EventRow.n))).all()
        has = {seat for seat, owner in seats if _is_first_owner(session, number, match, log, seat, owner)}
        for row in log:
            if row.kind == LogEntryKind.HAND_OVER and row.seat is not None:
                has = has | {row.seat} if row.text == str(number) else has - {row.seat}
            if row.seat in has:
                yield match.code, row


def _is_first_owner(
    session: Session, number: int, match: MatchRow, log: Sequence[EventRow], seat: int, owner: int
) -> bool:
    """Return whether the player had the seat from the start.

    An entry that hands a seat over names the new owner, not the one before; an entry of an undo hands it to the same
    player."""
    change = next((row for row in log if row.kind == LogEntryKind.HAND_OVER and row.seat == seat), None)
    if change is None:
        return owner == number
    if change.text != str(number):
        return False
    begun = select(OutboxRow.id).where(OutboxRow.match_id == match.id, OutboxRow.player_id == number)
    begun = begun.where(OutboxRow.kind == MailKind.START, col(OutboxRow.created_at) < change.at)
    return session.exec(begun.limit(1)).first() is not None


def _list_player_seats(session: Session, number: int) -> Sequence[tuple[MatchRow, SeatRow]]:
    query = (
        select(MatchRow, SeatRow)
        .join(SeatRow, col(SeatRow.match_id) == col(MatchRow.id))
        .where(SeatRow.player_id == number)
    )
    return session.exec(query.order_by(col(MatchRow.id))).all()


def _list_table_rows(session: Session, table: Any, number: int) -> list[dict[str, Any]]:
    rows = session.exec(select(table).where(table.player_id == number).order_by(table.id)).all()
    codes = dict(session.exec(select(MatchRow.id, MatchRow.code)).all()) if hasattr(table, "match_id") else {}
    return [({"match": codes[row.match_id]} if codes else {}) | _to_plain_values(row) for row in rows]


def _select_commands(player: PlayerRow) -> Any:
    return select(Audit).where(Audit.by == Actor.PLAYER, Audit.who == player.name).order_by(col(Audit.id))


def _select_sent_mails(player: PlayerRow) -> Any:
    there = and_(col(OutboxRow.player_id).is_(None), col(OutboxRow.recipient) == player.address)
    mine = or_(col(OutboxRow.player_id) == player.number, there)
    return select(OutboxRow).where(mine).order_by(col(OutboxRow.id))


def _to_plain_values(row: SQLModel) -> dict[str, Any]:
    return {name: value for name, value in row.model_dump().items() if name not in SECRET | INSIDE}
