"""What the moderator decides about players: excuse missed turns, give a seat to somebody else, take one out."""

from __future__ import annotations

from moderator.desk import course
from moderator.desk.announce import announce
from moderator.desk.boss.call import Outcome, outcome, running, seat_of
from moderator.desk.create import find_player
from moderator.desk.desk import Desk
from moderator.desk.log import enter
from moderator.engine.contract import Note
from moderator.engine.replay import Entry
from moderator.errors import Misused, OperatorError
from moderator.states import MatchStatus
from moderator.store.models import Match


def excuse(desk: Desk, match: Match, name: str) -> Outcome:
    """The turns missed in a row do not count towards giving the seat up. Raises Misused."""
    live = running(desk, match)
    seat, player = seat_of(desk, match, name)
    missed = live.ledger.seats[seat.number].in_row
    enter(desk, match, live, Entry("excuse", seat.number))
    if not missed:
        return outcome("boss-excused-none", name=player.name, match=match.code)
    return outcome("boss-excused", name=player.name, match=match.code, missed=missed)


def replace(desk: Desk, match: Match, name: str, successor: str, why: str = "") -> Outcome:
    """Somebody else takes the seat over. Raises Misused, or OperatorError where nobody has that name."""
    live = running(desk, match)
    seat, player = seat_of(desk, match, name)
    if not successor:
        raise Misused("boss-by-whom", name=player.name, match=match.code)
    try:
        new = find_player(desk.session, successor)
    except OperatorError as error:
        raise Misused("boss-no-player", name=successor) from error
    if new.number in (one.number for one in desk.players(match)):
        raise Misused("boss-plays-already", name=new.name, match=match.code)
    course.hand_over(desk, match, live, seat.number, new)
    _because(desk, match, why)
    announce(desk)
    return outcome("boss-replaced", old=player.name, new=new.name, match=match.code)


def eject(desk: Desk, match: Match, name: str, why: str = "") -> Outcome:
    """The player is out of the match; the seat passes to the end. Raises Misused."""
    live = running(desk, match)
    seat, player = seat_of(desk, match, name)
    if seat.number in live.table.out:
        raise Misused("boss-seat-out", name=player.name, match=match.code)
    course.retire(desk, match, live, seat.number, "ejected")
    _because(desk, match, why)
    announce(desk)
    ended = match.status == MatchStatus.FINISHED
    return outcome("boss-ejected-end" if ended else "boss-ejected", name=player.name, match=match.code)


def _because(desk: Desk, match: Match, why: str) -> None:
    if why:
        desk.of(match).notes.append(Note("boss-why", {"line": why}))
