"""Who has said of a match that was moved in that it stands here as it stood elsewhere: its log says so."""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, log_of
from moderator.match import replay
from moderator.match.seats import active
from moderator.states import EntryKind, Stopped
from moderator.store.models import Match


def unconfirmed(desk: Desk, match: Match, live: LiveMatch) -> list[int]:
    """Seats of people who have not said yet that all is right; none where nobody is asked."""
    if match.stopped != Stopped.CONFIRM:
        return []
    desk.session.flush()
    said: dict[int, bool] = {}
    for _, entry in replay.effective(log_of(desk.session, match)):
        if entry.seat is not None and entry.kind in (EntryKind.CONFIRM, EntryKind.HAND_OVER):
            said[entry.seat] = entry.kind == EntryKind.CONFIRM and not entry.text
    players = desk.players(match)
    return [seat for seat in active(live.table) if not players[seat].robot and not said.get(seat)]
