"""All that is stored of one player, as plain values, and nothing about anybody else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlmodel import Session, SQLModel, and_, col, or_, select

from moderator.common.enums import Actor, LogEntryKind, MailKind
from moderator.store import old_results
from moderator.store.audit import Audit
from moderator.store.tables import (
    AddressChange,
    EventRow,
    Leave,
    LetterRow,
    MatchRow,
    OutboxRow,
    PlayerRow,
    Protest,
    PuzzleAnswer,
    ReviewRequest,
    SeatRow,
    StandbyRow,
    Tournament,
    TournamentEntry,
    WatcherRow,
)

SECRET = frozenset({"token", "old_token", "new_token", "unsubscribe", "thread", "return_token", "message_id"})
"""Columns that open something, or say nothing to a person."""
INSIDE = frozenset({
    "id", "player_id", "match_id", "puzzle_id", "tournament_id", "inbox_id", "name_key", "raw", "recipient", "seats",
    "answer",
})  # fmt: skip
"""Columns that number rows, or hold what somebody else has written."""


def load_player_facts(session: Session, player: PlayerRow) -> dict[str, Any]:
    """Load all that is stored of a player, by table; each row with the codes of what it belongs to."""
    number = player.number
    tournaments = session.exec(
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
        "tournaments": [{"code": row.code, "name": row.name, **_to_plain_values(entry)} for entry, row in tournaments],
        "old_results": list(_iter_old_results(session, number)),
        "first_ratings": [
            {"game": one.game, "mu": one.mu, "sigma": one.sigma, "games": one.games}
            for part in old_results.list_old_results(session)
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
    for part in old_results.list_old_results(session):
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
