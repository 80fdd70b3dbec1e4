"""How promptly a player answers, over all matches."""

from __future__ import annotations

from sqlmodel import func, select

from moderator.desk.desk import Desk
from moderator.desk.live import log_of, terms_of
from moderator.desk.places import seats_of
from moderator.engine import ledger
from moderator.engine.ledger import SeatClock
from moderator.store.models import Player, Seat


def accounts(desk: Desk, player: Player) -> list[SeatClock]:
    """The player's accounts of time in all matches that have begun; read from the logs, without playing them again."""
    found = []
    for match, seat in seats_of(desk, player.number):
        if match.status == "open":
            continue
        seats = desk.session.exec(select(func.count()).where(Seat.match_id == match.number)).one()
        terms = terms_of(match, desk.config.deadlines)
        found.append(ledger.read(seats, terms, log_of(desk.session, match)).seats[seat.number])
    return found


def promptness(desk: Desk, player: Player) -> int | None:
    """Per cent of all turns that were answered before the ZAT; None before the first."""
    of = accounts(desk, player)
    return SeatClock(
        turns=sum(one.turns for one in of), on_time=sum(one.on_time for one in of), missed=sum(one.missed for one in of)
    ).promptness
