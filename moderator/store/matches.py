"""Matches, their seats and logs: what is asked of the database about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, insert
from sqlmodel import Session, col, func, select

from moderator.states import EntryKind
from moderator.store import transaction
from moderator.store.models import Event, Match, Player, Seat

Place = tuple[Match, Seat]
Seated = list[tuple[Seat, Player]]
Logged = tuple[EntryKind, int | None, str, dict[str, Any]]
"""Kind, seat, text and outcome."""

# Questions of every run are written out once: to put one together costs as much as asking it does.
_OF_PLAYER = (
    select(Match, Seat)
    .join(Seat, col(Seat.match_id) == col(Match.id))
    .where(Seat.player_id == bindparam("player"))
    .order_by(col(Match.id))
)
_SEATED = select(Seat, Player).join(Player).where(Seat.match_id == bindparam("match")).order_by(col(Seat.number))
_WITH_SEATS = (
    select(Match, Seat, Player)
    .join(Seat, col(Seat.match_id) == col(Match.id))
    .join(Player, col(Player.id) == col(Seat.player_id))
    .where(Match.code == bindparam("code"))
    .order_by(col(Seat.number))
)
_SEATS = select(func.count()).where(Seat.match_id == bindparam("match"))
_LOG = (
    select(col(Event.kind), col(Event.seat), col(Event.text), col(Event.outcome))
    .where(Event.match_id == bindparam("match"))
    .order_by(col(Event.n))
)
_INTO_LOG = insert(Event)


def seats_of(session: Session, player_id: int) -> Sequence[Place]:
    """All matches in which a player has a seat, oldest first."""
    return [(match, seat) for match, seat in session.exec(_OF_PLAYER, params={"player": player_id})]


def seated(session: Session, match: Match) -> Seated:
    """Seats with their players, in seat order."""
    found = list(session.exec(_SEATED, params={"match": match.id}))
    _numbers(session)[match.number] = len(found)
    return found


def with_seats(session: Session, code: str) -> tuple[Match, Seated] | None:
    """The match with this code, if somebody has a seat there."""
    found = list(session.exec(_WITH_SEATS, params={"code": code}))
    if not found:
        return None
    match = found[0][0]
    _numbers(session)[match.number] = len(found)
    return match, [(seat, player) for _, seat, player in found]


def seat_count(session: Session, match: Match) -> int:
    """How many seats there are; not asked again where the transaction has seen them."""
    known = _numbers(session).get(match.number)
    return int(session.exec(_SEATS, params={"match": match.id}).one()) if known is None else known


def _numbers(session: Session) -> dict[int, int]:
    """Match id -> its seats, as far as this transaction knows."""
    known: dict[int, int] = transaction.notes(session).setdefault("seats", {})
    return known


def log(session: Session, match: Match) -> list[Logged]:
    """What the match's log says, oldest first."""
    return [(kind, seat, text, outcome) for kind, seat, text, outcome in session.exec(_LOG, params={"match": match.id})]


def enter(session: Session, values: dict[str, Any]) -> None:
    """One more line of a log."""
    session.connection().execute(_INTO_LOG, values)
