"""Press letters to all players of a match, as they become public with its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from moderator.site.site import Listed, discreet
from moderator.store.models import Player, Press


@dataclass(frozen=True)
class Letter:
    name: str
    text: str
    at: datetime


def to_all(session: Session, match: Listed) -> Iterator[Letter]:
    """The oldest first."""
    query = select(Press, Player.name).join(Player, col(Player.id) == col(Press.player_id))
    query = query.where(Press.match_id == match.id, col(Press.delivered_at).is_not(None))
    for row, name in session.exec(query.order_by(col(Press.id))):
        if not row.seats:
            yield Letter(discreet(name), discreet(row.text), row.at)
