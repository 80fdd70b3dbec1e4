"""Who follows a match without a seat in it."""

from __future__ import annotations

from collections.abc import Sequence

from moderator.club.desk import Desk
from moderator.match.contract import Note
from moderator.store import bystanders
from moderator.store.models import Match, Player, Watcher


def sits_down(desk: Desk, match: Match, player: Player) -> None:
    """Nobody follows a match that they play in."""
    row = bystanders.watcher(desk.session, match.number, player.number)
    if row is not None:
        desk.session.delete(row)


def introduced(desk: Desk, following: Sequence[tuple[Watcher, Player]]) -> tuple[Note, ...]:
    """For the next report: who follows the match, as far as the players have not read it yet. They have then."""
    new = [(row, player) for row, player in following if not row.told]
    for row, _ in new:
        row.told = True
        desk.session.add(row)
    return (Note("watched-by", {"names": [player.name for _, player in new]}),) if new else ()
