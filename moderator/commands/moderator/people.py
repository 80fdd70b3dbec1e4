"""What the moderator decides about players: excuse missed turns, give a seat to somebody else, take one out."""

from __future__ import annotations

import re

from moderator.club.desk import Desk, enter
from moderator.club.names import Unclear, player_called
from moderator.club.referees import is_player
from moderator.commands.declaration import Argument, Command, Parameter, Reach, Scope, Shell, Who
from moderator.commands.moderator_call import (
    HERE,
    MATCH,
    PLAYER,
    WHY,
    ModeratorCall,
    Outcome,
    outcome,
    reading,
    running,
    seat_of,
)
from moderator.errors import Impossible, Misused
from moderator.match.contract import Note
from moderator.match.replay import Entry
from moderator.play import create, lifecycle
from moderator.play.announce import announce
from moderator.states import EntryKind, MatchStatus, SeatLoss
from moderator.store.models import Match
from moderator.texts import pattern

_BY = re.compile(rf"\s+{pattern(HERE, 'boss-by')}\s+", re.IGNORECASE)


def _names(call: ModeratorCall) -> tuple[str, str]:
    """``Anna durch Bert``."""
    old, *new = _BY.split(call.rest, maxsplit=1)
    return old, new[0] if new else ""


SUCCESSOR = Argument("successor", lambda call: _names(call)[1], Parameter("successor"))


@Command(
    "excuse",
    scope=Scope.MATCH,
    rank=120,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, PLAYER),
    shell=Shell("excuse", "The turns that PLAYER has missed in a row do not count any more."),
)
def excuse(desk: Desk, match: Match, name: str) -> Outcome:
    """The turns missed in a row do not count towards giving the seat up. Raises Misused."""
    live = running(desk, match)
    seat, player = seat_of(desk, match, name)
    missed = live.ledger.seats[seat.number].in_row
    enter(desk, match, live, Entry(EntryKind.EXCUSE, seat.number))
    if not missed:
        return outcome("boss-excused-none", name=player.name, match=match.code)
    return outcome("boss-excused", name=player.name, match=match.code, missed=missed)


@Command(
    "replace",
    scope=Scope.MATCH,
    rank=130,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=r".*",
    arguments=(
        MATCH,
        reading(PLAYER, lambda call: _names(call)[0]),
        SUCCESSOR,
        WHY,
    ),
    shell=Shell("replace", "Give the seat of PLAYER to SUCCESSOR."),
)
def replace(desk: Desk, match: Match, name: str, successor: str, why: str = "") -> Outcome:
    """Somebody else takes the seat over. Raises Misused, Impossible."""
    live = running(desk, match)
    seat, player = seat_of(desk, match, name)
    if not successor:
        raise Misused("boss-by-whom", name=player.name, match=match.code)
    try:
        new = player_called(desk.session, successor)
    except Unclear as error:
        code = "boss-no-player-but" if error.names else "boss-no-player"
        raise Impossible(code, name=successor, names=error.names) from error
    if new.number in (one.number for one in desk.players(match)):
        raise Impossible("boss-plays-already", name=new.name, match=match.code)
    if desk.official is not None and is_player(desk.official, new):  # who may look may have looked
        raise Impossible("boss-own-seat", match=match.code)
    lifecycle.hand_over(desk, match, live, seat.number, new)
    _because(desk, match, why)
    announce(desk)
    return outcome("boss-replaced", old=player.name, new=new.name, match=match.code)


@Command(
    "eject",
    scope=Scope.MATCH,
    rank=140,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, PLAYER, WHY),
    shell=Shell("eject", "Take PLAYER out of the match; the seat passes from then on."),
)
def eject(desk: Desk, match: Match, name: str, why: str = "") -> Outcome:
    """The player is out of the match; the seat passes to the end, and is free where the match has not begun. Raises
    Misused."""
    if match.status == MatchStatus.OPEN and match.tournament_id is None:
        seat, player = seat_of(desk, match, name)
        create.stand_up(desk, match, seat)
        return outcome("boss-ejected-open", name=player.name, match=match.code)
    live = running(desk, match)
    seat, player = seat_of(desk, match, name)
    if seat.number in live.table.out:
        raise Impossible("boss-seat-out", name=player.name, match=match.code)
    lifecycle.retire(desk, match, live, seat.number, SeatLoss.EJECTED)
    _because(desk, match, why)
    announce(desk)
    ended = match.status == MatchStatus.FINISHED
    return outcome("boss-ejected-end" if ended else "boss-ejected", name=player.name, match=match.code)


def _because(desk: Desk, match: Match, why: str) -> None:
    if why:
        desk.of(match).notes.append(Note("boss-why", {"line": why}))
