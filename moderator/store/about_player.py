"""All that is stored of one player, as plain values, and nothing about anybody else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlmodel import Session, SQLModel, and_, col, or_, select

from moderator.states import By, EntryKind, MailKind
from moderator.store import old_results
from moderator.store.audit import Audit
from moderator.store.models import (
    AddressChange,
    Event,
    Leave,
    Match,
    Outbox,
    Player,
    Press,
    Protest,
    PuzzleAnswer,
    ReviewRequest,
    Seat,
    Standby,
    Tournament,
    TournamentEntry,
    Watcher,
)

SECRET = frozenset({"token", "old_token", "new_token", "unsubscribe", "thread", "return_token", "message_id"})
"""Columns that open something, or say nothing to a person."""
INSIDE = frozenset({
    "id", "player_id", "match_id", "puzzle_id", "tournament_id", "inbox_id", "name_key", "raw", "recipient", "seats",
    "answer",
})  # fmt: skip
"""Columns that number rows, or hold what somebody else has written."""


def facts(session: Session, player: Player) -> dict[str, Any]:
    """By table; each row with the codes of what it belongs to."""
    number = player.number
    tournaments = session.exec(
        select(TournamentEntry, Tournament).join(Tournament).where(TournamentEntry.player_id == number)
    ).all()
    return {
        "player": _plain(player),
        "matches": [
            {"code": match.code, "name": match.name, "game": match.game, "status": match.status, "seat": seat.number}
            | {"started_at": match.started_at, "finished_at": match.finished_at}
            for match, seat in _seats(session, number)
        ],
        "entries": [
            {"match": code, "n": row.n, "at": row.at, "kind": row.kind, "text": row.text}
            for code, row in _entries(session, number)
        ],
        "tournaments": [{"code": row.code, "name": row.name, **_plain(entry)} for entry, row in tournaments],
        "old_results": list(_old_results(session, number)),
        "first_ratings": [
            {"game": one.game, "mu": one.mu, "sigma": one.sigma, "games": one.games}
            for part in old_results.every(session)
            for one in part.ratings
            if one.player == number
        ],
        "letters": _rows(session, Press, number),
        "protests": _rows(session, Protest, number),
        "leave": _rows(session, Leave, number),
        "stands_by": _rows(session, Standby, number),
        "watches": _rows(session, Watcher, number),
        "waits_for_reviews": _rows(session, ReviewRequest, number),
        "puzzle_answers": _rows(session, PuzzleAnswer, number),
        "new_addresses": _rows(session, AddressChange, number),
        "commands": [_plain(row) for row in session.exec(_commands(player))],
        "mails_sent_to_you": [_plain(row) for row in session.exec(_mails_out(player))],
    }


def _old_results(session: Session, number: int) -> Iterator[dict[str, Any]]:
    """Games that were finished elsewhere: the player's own seat in each."""
    for part in old_results.every(session):
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


def _entries(session: Session, number: int) -> Iterator[tuple[str, Event]]:
    """(code, entry) of the player's own entries: those of a seat while the player had it."""
    taken = select(Event.match_id).where(Event.kind == EntryKind.HAND_OVER, Event.text == str(number))
    seated = select(Seat.match_id).where(Seat.player_id == number)
    mine = or_(col(Match.id).in_(taken), col(Match.id).in_(seated))
    for match in session.exec(select(Match).where(mine).order_by(col(Match.id))).all():
        seats = session.exec(select(Seat.number, Seat.player_id).where(Seat.match_id == match.id)).all()
        log = session.exec(select(Event).where(Event.match_id == match.id).order_by(col(Event.n))).all()
        has = {seat for seat, owner in seats if _first(session, number, match, log, seat, owner)}
        for row in log:
            if row.kind == EntryKind.HAND_OVER and row.seat is not None:
                has = has | {row.seat} if row.text == str(number) else has - {row.seat}
            if row.seat in has:
                yield match.code, row


def _first(session: Session, number: int, match: Match, log: Sequence[Event], seat: int, owner: int) -> bool:
    """Whether the seat was the player's from the start. An entry that hands it over says who has it then, not who had
    it before; one of an undo hands it to the same player."""
    change = next((row for row in log if row.kind == EntryKind.HAND_OVER and row.seat == seat), None)
    if change is None:
        return owner == number
    if change.text != str(number):
        return False
    begun = select(Outbox.id).where(Outbox.match_id == match.id, Outbox.player_id == number)
    begun = begun.where(Outbox.kind == MailKind.START, col(Outbox.created_at) < change.at)
    return session.exec(begun.limit(1)).first() is not None


def _seats(session: Session, number: int) -> Sequence[tuple[Match, Seat]]:
    query = select(Match, Seat).join(Seat, col(Seat.match_id) == col(Match.id)).where(Seat.player_id == number)
    return session.exec(query.order_by(col(Match.id))).all()


def _rows(session: Session, table: Any, number: int) -> list[dict[str, Any]]:
    rows = session.exec(select(table).where(table.player_id == number).order_by(table.id)).all()
    codes = dict(session.exec(select(Match.id, Match.code)).all()) if hasattr(table, "match_id") else {}
    return [({"match": codes[row.match_id]} if codes else {}) | _plain(row) for row in rows]


def _commands(player: Player) -> Any:
    return select(Audit).where(Audit.by == By.PLAYER, Audit.who == player.name).order_by(col(Audit.id))


def _mails_out(player: Player) -> Any:
    there = and_(col(Outbox.player_id).is_(None), col(Outbox.recipient) == player.address)
    mine = or_(col(Outbox.player_id) == player.number, there)
    return select(Outbox).where(mine).order_by(col(Outbox.id))


def _plain(row: SQLModel) -> dict[str, Any]:
    return {name: value for name, value in row.model_dump().items() if name not in SECRET | INSIDE}
