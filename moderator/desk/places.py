"""Which match and seat a player's lines mean."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import col, select

from moderator.desk.desk import Desk
from moderator.desk.identify import Identity
from moderator.engine.contract import Note
from moderator.store.models import Match, Seat

Place = tuple[Match, Seat]


def seats_of(desk: Desk, player_id: int) -> Sequence[Place]:
    """All matches of a player, oldest first."""
    query = select(Match, Seat).join(Seat, col(Seat.match_id) == col(Match.id)).where(Seat.player_id == player_id)
    return [(match, seat) for match, seat in desk.session.exec(query.order_by(col(Match.id)))]


def find_place(desk: Desk, writer: Identity, code: str, orders: bool) -> Place | Note:
    """The match and seat that lines under the heading ``code`` ("" = none) mean, or why there is none. ``orders``:
    there are orders among them, which a match that is over does not take."""
    if writer.match and writer.seat and code in ("", writer.match.code) and writer.match.status == "running":
        return writer.match, writer.seat
    mine = {match.code: (match, seat) for match, seat in seats_of(desk, writer.player.number)}
    code = code or (writer.match.code if writer.match else "")
    running = [found for found in mine.values() if found[0].status in ("running", "suspended")]
    if not code and len(running) == 1:
        return running[0]
    if code in mine and (writer.whole or (writer.seat and writer.seat.id == mine[code][1].id)):
        match, seat = mine[code]
        if match.status in ("running", "suspended") or (match.status == "finished" and not orders):
            return match, seat
        return Note(f"match-{match.status}", {"match": match.code, "name": match.name})
    if code in mine:
        return Note("other-match-needs-its-own-address", {"match": code})
    if code:
        return Note("no-such-match", {"match": code})
    if running:
        return Note("which-match", {"matches": [f"{m.code} ({m.name})" for m, _ in running]})
    return Note("no-match-at-all")
