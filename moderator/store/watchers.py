"""Who follows a match without a seat in it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam
from sqlmodel import Session, col, delete, select

from moderator.store.models import Match, Player, Watcher

_OF_MATCH = (
    select(Watcher, Player)
    .join(Player, col(Player.id) == col(Watcher.player_id))
    .where(Watcher.match_id == bindparam("match"))
    .order_by(col(Watcher.id))
)
"""Asked in every run, so written out once."""


def of_match(session: Session, match_id: int) -> Sequence[tuple[Watcher, Player]]:
    """In the order in which they came."""
    return session.exec(_OF_MATCH, params={"match": match_id}).all()


def watched(session: Session, player_id: int) -> list[Match]:
    """The matches that a player follows, oldest first."""
    query = select(Match).join(Watcher, col(Watcher.match_id) == col(Match.id))
    return list(session.exec(query.where(Watcher.player_id == player_id).order_by(col(Match.id))))


def row_of(session: Session, match_id: int, player_id: int) -> Watcher | None:
    """The player's row, if they follow the match."""
    query = select(Watcher).where(Watcher.match_id == match_id, Watcher.player_id == player_id)
    return session.exec(query).first()


def remove(session: Session, player_id: int) -> None:
    """The player follows no match any more."""
    session.exec(delete(Watcher).where(col(Watcher.player_id) == player_id))
