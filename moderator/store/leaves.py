"""When players are away."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from sqlmodel import Session, col, select

from moderator.store.models import Leave

_ANNOUNCED = select(col(Leave.player_id), col(Leave.first), col(Leave.last), col(Leave.announced_at)).where(
    col(Leave.cancelled_at).is_(None)
)
"""Asked in every run, so written out once."""


def announced(session: Session) -> Sequence[tuple[int, date, date, datetime]]:
    """(player, first day, last day, when it was announced) of what was not taken back, also of what is over."""
    return [(player, first, last, at) for player, first, last, at in session.connection().execute(_ANNOUNCED)]


def to_come(session: Session, player_id: int, today: date) -> list[Leave]:
    """What the player has announced, not taken back and not had yet, soonest first."""
    query = select(Leave).where(Leave.player_id == player_id, col(Leave.cancelled_at).is_(None), Leave.last >= today)
    return list(session.exec(query.order_by(col(Leave.first))))
