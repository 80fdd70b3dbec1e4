"""When players are away."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sqlmodel import Session, col, select

from moderator.store.models import Leave


def announced(session: Session) -> Sequence[Leave]:
    """What was not taken back, of all players, also what is over."""
    return session.exec(select(Leave).where(col(Leave.cancelled_at).is_(None))).all()


def to_come(session: Session, player_id: int, today: date) -> list[Leave]:
    """What the player has announced, not taken back and not had yet, soonest first."""
    query = select(Leave).where(Leave.player_id == player_id, col(Leave.cancelled_at).is_(None), Leave.last >= today)
    return list(session.exec(query.order_by(col(Leave.first))))
