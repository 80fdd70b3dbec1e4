"""Who is there without a seat: who would take over one that is given up, and who follows a match."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam
from sqlmodel import Session, col, delete, select

from moderator.store.models import Match, Player, Standby, Watcher


def waits_for(session: Session, player_id: int) -> Sequence[Standby]:
    """What the player waits for: a row for each game."""
    return session.exec(select(Standby).where(Standby.player_id == player_id)).all()


def waiting_for(session: Session, game: str) -> Sequence[tuple[Standby, Player]]:
    """Who waits for a seat in this game and can be reached; who has waited longest comes first."""
    query = (
        select(Standby, Player)
        .join(Player, col(Player.id) == col(Standby.player_id))
        .where(col(Standby.game).in_(("", game)), Player.undeliverable == "")
    )
    return session.exec(query.order_by(col(Standby.since), col(Standby.id))).all()


def wait_no_more(session: Session, player_id: int) -> None:
    """The player waits for nothing any more."""
    session.exec(delete(Standby).where(col(Standby.player_id) == player_id))


_OF_MATCH = (
    select(Watcher, Player)
    .join(Player, col(Player.id) == col(Watcher.player_id))
    .where(Watcher.match_id == bindparam("match"))
    .order_by(col(Watcher.id))
)
"""Asked in every run, so written out once."""


def watchers_of(session: Session, match_id: int) -> Sequence[tuple[Watcher, Player]]:
    """In the order in which they came."""
    return session.exec(_OF_MATCH, params={"match": match_id}).all()


def watched(session: Session, player_id: int) -> list[Match]:
    """The matches that a player follows, oldest first."""
    query = select(Match).join(Watcher, col(Watcher.match_id) == col(Match.id))
    return list(session.exec(query.where(Watcher.player_id == player_id).order_by(col(Match.id))))


def watcher(session: Session, match_id: int, player_id: int) -> Watcher | None:
    """The player's row, if they follow the match."""
    query = select(Watcher).where(Watcher.match_id == match_id, Watcher.player_id == player_id)
    return session.exec(query).first()


def follow_no_more(session: Session, player_id: int, match_id: int | None = None) -> None:
    """The player does not follow this match any more; without one, none."""
    gone = delete(Watcher).where(col(Watcher.player_id) == player_id)
    session.exec(gone if match_id is None else gone.where(col(Watcher.match_id) == match_id))
