"""What becomes of a seat whose player does not answer.

Stored orders were tried before; then the turn is missed (a pass, or what the game makes of it). After
``abandon_after`` missed turns in a row, the first ``excused`` ones not counted, the seat is given up: somebody from the
standby list takes it over, with a new deadline and without the missed turn, else it passes to the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import col, select

from moderator.desk import course
from moderator.desk.desk import Desk
from moderator.desk.live import Live
from moderator.engine.clock import local_day
from moderator.store.models import Match, Player, Standby


def given_up(live: Live, seat: int, more: int = 0) -> bool:
    """Whether so many missed turns (``more`` = that would come now) are enough."""
    account, terms = live.ledger.seats[seat], live.terms
    counted = sum(account.missed + n > terms.excused for n in range(1, more + 1))
    return 0 < terms.abandon_after <= account.in_row + counted


def substitute(desk: Desk, match: Match, live: Live, missing: Sequence[int]) -> bool:
    """Before turns are missed: let somebody else take over the seats that would be given up by it. True = somebody
    has, and the match waits for them. In a tournament nobody plays for somebody else."""
    done = False
    if match.cup_id is not None:
        return done
    for seat in missing:
        if given_up(live, seat, more=1) and (player := next_standby(desk, match)) is not None:
            course.hand_over(desk, match, live, seat, player)
            done = True
    return done


def give_up(desk: Desk, match: Match, live: Live) -> None:
    """After turns were missed: the seats that nobody plays any more pass from now on."""
    for seat, player in desk.seated(match):
        if live.table.state.over:
            return
        if seat.number not in live.table.out and not player.robot and given_up(live, seat.number):
            course.retire(desk, match, live, seat.number, "abandoned")


def next_standby(desk: Desk, match: Match) -> Player | None:
    """Who has waited longest for a seat like this one and can play now; taken off the list."""
    desk.session.flush()
    playing = {player.number for player in desk.players(match)}
    query = (
        select(Standby, Player)
        .join(Player, col(Player.id) == col(Standby.player_id))
        .where(col(Standby.game).in_(("", match.game)), Player.undeliverable == "")
        .order_by(col(Standby.since), col(Standby.id))
    )
    today = local_day(desk.now, desk.config.club.zone)
    for row, player in desk.session.exec(query):
        leaves = desk.shelf.leaves_of(desk.session, player.number)
        if player.number in playing or any(leave.first <= today <= leave.last for leave in leaves):
            continue
        desk.session.delete(row)
        return player
    return None
