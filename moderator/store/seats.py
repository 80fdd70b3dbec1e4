"""Seats: who sits at which match."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlmodel import Session, col, delete, func, select

from moderator.states import MatchStatus
from moderator.store.models import Match, Player, Seat


def count(session: Session, match_id: int) -> int:
    """How many seats of a match are taken by now."""
    return session.exec(select(func.count()).where(Seat.match_id == match_id)).one()


def names(session: Session, match_id: int) -> list[str]:
    """The players' names in seat order."""
    query = select(Player.name).join(Seat).where(Seat.match_id == match_id).order_by(col(Seat.number))
    return list(session.exec(query))


def names_in_any(session: Session, match_ids: Collection[int]) -> list[str]:
    """Everybody who sits at one of these matches, each once."""
    query = select(Player.name).join(Seat, col(Seat.player_id) == col(Player.id)).distinct()
    return list(session.exec(query.where(col(Seat.match_id).in_(match_ids))))


def players_of_finished(session: Session, game: str = "") -> dict[int, list[int]]:
    """Finished match -> its players in seat order; of this game or of any."""
    query = select(Seat.match_id, Seat.player_id).join(Match, col(Match.id) == col(Seat.match_id))
    query = query.where(Match.status == MatchStatus.FINISHED)
    if game:
        query = query.where(Match.game == game)
    found: dict[int, list[int]] = {}
    for match, player in session.exec(query.order_by(col(Seat.match_id), col(Seat.number))):
        found.setdefault(match, []).append(player)
    return found


def all_of_all(session: Session) -> Sequence[tuple[int, int, int]]:
    """(match, number, player) of every seat, match by match in seat order."""
    query = select(Seat.match_id, Seat.number, Seat.player_id)
    return session.exec(query.order_by(col(Seat.match_id), col(Seat.number))).all()


def remove(session: Session, match_id: int, number: int | None = None) -> None:
    """Take one seat of a match away, or all."""
    every = delete(Seat).where(col(Seat.match_id) == match_id)
    session.exec(every if number is None else every.where(col(Seat.number) == number))
