"""What happens when time passes: the ZAT of a match, and the reminder before it."""

from __future__ import annotations

from sqlmodel import col, select

from moderator.desk import race
from moderator.desk.announce import announce, send_status
from moderator.desk.desk import Desk
from moderator.desk.paces import meet_deadline
from moderator.store.models import Match


def held_matches(desk: Desk) -> list[int]:
    """Ids of running matches that wait for a ruling."""
    query = select(Match.id).where(Match.status == "running", col(Match.held).is_(True)).order_by(col(Match.id))
    return [i for i in desk.session.exec(query) if i is not None]


def due_matches(desk: Desk) -> list[int]:
    """Ids of running matches whose ZAT has come, longest overdue first."""
    query = (
        select(Match.id)
        .where(Match.status == "running", col(Match.held).is_(False), col(Match.deadline) <= desk.now)
        .order_by(col(Match.deadline))
    )
    return [i for i in desk.session.exec(query) if i is not None]


def due_reminders(desk: Desk) -> list[int]:
    """Ids of running matches whose reminder is due."""
    query = select(Match.id).where(Match.status == "running", col(Match.remind_at) <= desk.now)
    return [i for i in desk.session.exec(query) if i is not None]


def zat(desk: Desk, match_id: int) -> None:
    """Evaluate the round or pass the seat, and mail everybody."""
    match = desk.session.get_one(Match, match_id)
    live = desk.shelf.live(desk.session, match)
    meet_deadline(desk, match, live)
    announce(desk)


def remind(desk: Desk, match_id: int) -> None:
    """Write to those that the match waits for, or end a round that a race has decided."""
    match = desk.session.get_one(Match, match_id)
    live = desk.shelf.live(desk.session, match)
    if live.table.pace == "race" and race.settle(desk, match, live):
        announce(desk)
        return
    for seat, player in desk.seated(match):
        # Where one seat acts at a time, an order of the awaited one was tried already and is not possible now.
        ordered = live.table.pace != "sequential" and seat.number in live.table.orders
        awaited = seat.number in live.table.state.to_move and not ordered
        if awaited and player.address:
            send_status(desk, match, seat, "reminder")
    match.remind_at = None
    desk.session.add(match)
