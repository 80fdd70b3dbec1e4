"""Who is there without a seat: who would take over one that is given up, and who follows a match."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam
from sqlmodel import Session, col, delete, select

from moderator.store.tables import MatchRow, PlayerRow, StandbyRow, WatcherRow


def list_standbys_of_player(session: Session, player_id: int) -> Sequence[StandbyRow]:
    """List the games in which the player waits for a seat, a row for each."""
    return session.exec(select(StandbyRow).where(StandbyRow.player_id == player_id)).all()


def list_standbys_for_game(session: Session, game: str) -> Sequence[tuple[StandbyRow, PlayerRow]]:
    """List the players who wait for a seat in this game and can be reached; those who have waited longest come
    first."""
    query = (
        select(StandbyRow, PlayerRow)
        .join(PlayerRow, col(PlayerRow.id) == col(StandbyRow.player_id))
        .where(col(StandbyRow.game).in_(("", game)), PlayerRow.undeliverable == "")
    )
    return session.exec(query.order_by(col(StandbyRow.since), col(StandbyRow.id))).all()


def delete_standbys(session: Session, player_id: int) -> None:
    """Delete all rows by which the player waits for a seat."""
    session.exec(delete(StandbyRow).where(col(StandbyRow.player_id) == player_id))


_OF_MATCH = (
    select(WatcherRow, PlayerRow)
    .join(PlayerRow, col(PlayerRow.id) == col(WatcherRow.player_id))
    .where(WatcherRow.match_id == bindparam("match"))
    .order_by(col(WatcherRow.id))
)
"""Asked in every run, so written out once."""


def list_watchers(session: Session, match_id: int) -> Sequence[tuple[WatcherRow, PlayerRow]]:
    """List the players who follow a match, in the order in which they began to."""
    return session.exec(_OF_MATCH, params={"match": match_id}).all()


def list_watched_matches(session: Session, player_id: int) -> list[MatchRow]:
    """List the matches that a player follows, oldest first."""
    query = select(MatchRow).join(WatcherRow, col(WatcherRow.match_id) == col(MatchRow.id))
    return list(session.exec(query.where(WatcherRow.player_id == player_id).order_by(col(MatchRow.id))))


def find_watcher(session: Session, match_id: int, player_id: int) -> WatcherRow | None:
    """Find the player's row, if they follow the match."""
    query = select(WatcherRow).where(WatcherRow.match_id == match_id, WatcherRow.player_id == player_id)
    return session.exec(query).first()


def delete_watchers(session: Session, player_id: int, match_id: int | None = None) -> None:
    """Delete the rows by which the player follows this match; without ``match_id``, any match."""
    gone = delete(WatcherRow).where(col(WatcherRow.player_id) == player_id)
    session.exec(gone if match_id is None else gone.where(col(WatcherRow.match_id) == match_id))
