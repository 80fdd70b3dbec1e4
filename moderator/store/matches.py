"""Matches and their seats: what is asked of the database about them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, select

from moderator.store.models import Match, Seat

Place = tuple[Match, Seat]


def seats_of(session: Session, player_id: int) -> Sequence[Place]:
    """All matches in which a player has a seat, oldest first."""
    query = select(Match, Seat).join(Seat, col(Seat.match_id) == col(Match.id)).where(Seat.player_id == player_id)
    return [(match, seat) for match, seat in session.exec(query.order_by(col(Match.id)))]
