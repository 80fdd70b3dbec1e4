"""Who has said of a match that was moved in that it stands here as it stood elsewhere: its log says so."""

from __future__ import annotations

from moderator.common.enums import ClockStop, LogEntryKind
from moderator.rules import replay
from moderator.rules.seats import list_active_seats
from moderator.service.desk import Desk
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import LiveMatch, load_log_entries


def list_unconfirmed_seats(desk: Desk, match: MatchRow, live: LiveMatch) -> list[int]:
    """List the seats of people who have not said yet that all is right; none where nobody is asked."""
    if match.stopped != ClockStop.CONFIRM:
        return []
    desk.session.flush()
    said: dict[int, bool] = {}
    for _, entry in replay.drop_undone(load_log_entries(desk.session, match)):
        if entry.seat is not None and entry.kind in (LogEntryKind.CONFIRM, LogEntryKind.HAND_OVER):
            said[entry.seat] = entry.kind == LogEntryKind.CONFIRM and not entry.text
    players = desk.list_players(match)
    return [seat for seat in list_active_seats(live.table) if not players[seat].robot and not said.get(seat)]
