"""Who would take over a seat that is given up."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, delete, select

from moderator.store.models import Player, Standby


def of_player(session: Session, player_id: int) -> Sequence[Standby]:
    """What the player waits for: a row for each game."""
    return session.exec(select(Standby).where(Standby.player_id == player_id)).all()


def for_game(session: Session, game: str) -> Sequence[tuple[Standby, Player]]:
    """Who waits for a seat in this game and can be reached; who has waited longest comes first."""
    query = (
        select(Standby, Player)
        .join(Player, col(Player.id) == col(Standby.player_id))
        .where(col(Standby.game).in_(("", game)), Player.undeliverable == "")
    )
    return session.exec(query.order_by(col(Standby.since), col(Standby.id))).all()


def remove(session: Session, player_id: int) -> None:
    """The player waits for nothing any more."""
    session.exec(delete(Standby).where(col(Standby.player_id) == player_id))
