"""Who follows a match without a seat in it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam
from sqlmodel import col, select

from moderator.club.desk import Desk
from moderator.match.contract import Note
from moderator.store.models import Match, Player, Watcher

_OF_MATCH = (
    select(Watcher, Player)
    .join(Player, col(Player.id) == col(Watcher.player_id))
    .where(Watcher.match_id == bindparam("match"))
    .order_by(col(Watcher.id))
)


def watchers(desk: Desk, match: Match) -> Sequence[tuple[Watcher, Player]]:
    """In the order in which they came."""
    return desk.session.exec(_OF_MATCH, params={"match": match.id}).all()


def watched(desk: Desk, player: Player) -> list[Match]:
    """The matches that a player follows, oldest first."""
    query = select(Match).join(Watcher, col(Watcher.match_id) == col(Match.id))
    return list(desk.session.exec(query.where(Watcher.player_id == player.id).order_by(col(Match.id))))


def follows(desk: Desk, match: Match, player: Player) -> Watcher | None:
    """The player's row, if they follow the match."""
    query = select(Watcher).where(Watcher.match_id == match.id, Watcher.player_id == player.id)
    return desk.session.exec(query).first()


def sits_down(desk: Desk, match: Match, player: Player) -> None:
    """Nobody follows a match that they play in."""
    row = follows(desk, match, player)
    if row is not None:
        desk.session.delete(row)


def introduced(desk: Desk, following: Sequence[tuple[Watcher, Player]]) -> tuple[Note, ...]:
    """For the next report: who follows the match, as far as the players have not read it yet. They have then."""
    new = [(row, player) for row, player in following if not row.told]
    for row, _ in new:
        row.told = True
        desk.session.add(row)
    return (Note("watched-by", {"names": [player.name for _, player in new]}),) if new else ()
