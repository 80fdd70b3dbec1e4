"""Who follows a match without a seat in it."""

from __future__ import annotations

from collections.abc import Sequence

from moderator.rules.game import Note
from moderator.service.desk import Desk
from moderator.store import players
from moderator.store.tables import MatchRow, PlayerRow, WatcherRow


def stop_watching(desk: Desk, match: MatchRow, player: PlayerRow) -> None:
    """Delete the player's row as a watcher: nobody follows a match that they play in."""
    row = players.find_watcher(desk.session, match.number, player.number)
    if row is not None:
        desk.session.delete(row)


def announce_watchers(desk: Desk, following: Sequence[tuple[WatcherRow, PlayerRow]]) -> tuple[Note, ...]:
    """Build the note for the next report that names the watchers whom the players have not read of yet, and mark these
    as read."""
    new = [(row, player) for row, player in following if not row.told]
    for row, _ in new:
        row.told = True
        desk.session.add(row)
    return (Note("watched-by", {"names": [player.name for _, player in new]}),) if new else ()
