"""``Leitung``, ``Vertretung``, ``Urlaub``: who is in charge of a match, and who is away."""

from __future__ import annotations

import re
from datetime import date

from moderator.club.desk import Desk
from moderator.club.names import Unclear
from moderator.club.referees import commanding, in_charge, named
from moderator.commands.declaration import Argument, Command, Parameter, Reach, Scope, Shell, Who
from moderator.commands.moderator_call import HERE, MATCH, ModeratorCall, Outcome, outcome
from moderator.commands.player.leave import read_span
from moderator.errors import Impossible, Misused, PlayerError
from moderator.match.contract import Note
from moderator.play import refereeing
from moderator.store import referees
from moderator.store.models import Match, Referee
from moderator.texts import heard, pattern, plain

_TO = re.compile(rf"{pattern(HERE, 'boss-to')}\s+", re.IGNORECASE)
_LED = {
    (False, False): "boss-led-chief",
    (False, True): "boss-led-chief-deputy",
    (True, False): "boss-led",
    (True, True): "boss-led-deputy",
}
"""By whether a referee is named, and a deputy."""


def _named(call: ModeratorCall) -> str:
    """``K7Q2 an Karl``, ``K7Q2: Karl``; "" = nobody."""
    return _TO.sub("", call.rest, count=1) or call.text


NAME = Argument("who", _named, Parameter("referee", required=False, take=lambda _, name: name or ""))
DEPUTY = Argument(
    "deputy", lambda call: "", Parameter("--deputy", help="Who is in charge while the referee is away.", default="")
)


@Command(
    "referee",
    scope=Scope.MATCH,
    rank=190,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, NAME, DEPUTY),
    shell=Shell(
        "referee",
        "Put REFEREE in charge of the match; `chief` takes that back (not what a tournament says: `cup referee`). "
        "Without a name: who is.",
    ),
)
def referee(desk: Desk, match: Match, who: str, deputy: str = "") -> Outcome:
    """Who is in charge from now on; without a name only who is. Raises Misused for a name that no referee has."""
    if who:
        refereeing.name_for(desk, match, _found(desk, match, who))
    if deputy:
        refereeing.name_for(desk, match, _found(desk, match, deputy), deputy=True)
    return told(desk, match)


@Command(
    "deputy",
    scope=Scope.MATCH,
    rank=200,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, NAME),
    elsewhere="match referee",
)
def deputy(desk: Desk, match: Match, who: str) -> Outcome:
    """Who is in charge while the referee is away, or plays. Raises Misused for a name that no referee has."""
    return referee(desk, match, "", who)


def told(desk: Desk, match: Match) -> Outcome:
    """Who is in charge of a match, and how that came."""
    first, second = named(desk, match)
    found = in_charge(desk, match)
    facts = {"match": match.code, "name": first.name if first else "", "deputy": second.name if second else ""}
    notes = outcome(_LED[first is not None, second is not None], **facts)
    if found.number != (first.number if first else None):
        notes += outcome("boss-led-now-chief" if found.chief else "boss-led-now", match=match.code, name=found.name)
    return notes


def _found(desk: Desk, match: Match, name: str) -> Referee | None:
    """The referee of that name, which may be cut short; None = the chief."""
    if plain(name) in heard(HERE, "boss-chief"):
        return None
    try:
        return refereeing.referee_called(desk, name)
    except Unclear as error:
        known = [row.name for row in referees.every(desk.session)]
        code = "boss-no-referee" if known else "boss-no-referees"
        raise Misused(code, name=name, match=match.code, names=known) from error


# ---- leave ----


def _span(call: ModeratorCall) -> tuple[date, date] | None:
    """First and last day; None = it is cancelled, or asked for. Raises Misused."""
    text = call.all
    if not text or plain(text) in heard(HERE, "boss-cancel"):
        return None
    try:
        first, last = read_span(text, call.desk.today)
    except PlayerError as error:
        raise Misused(error.code, **error.params) from None
    if last < first:
        raise Misused("leave-backwards", first=first, last=last)
    if last < call.desk.today:
        raise Misused("boss-leave-over", last=last)
    return first, last


@Command(
    "leave",
    scope=Scope.CLUB,
    rank=210,
    who=Who.MODERATOR,
    reach=Reach.SELF,
    pattern=rf".*\d.*|{pattern(HERE, 'boss-cancel')}|",
    arguments=(
        Argument("span", _span),
        Argument("cancels", lambda call: bool(call.all)),
    ),
    elsewhere="referee leave",
)
def leave(desk: Desk, span: tuple[date, date] | None, cancels: bool) -> Outcome:
    """A referee's leave: the deputies are in charge meanwhile, else the chief. Raises Impossible for the chief."""
    number = commanding(desk).number
    if number is None:
        raise Impossible("boss-leave-chief")
    row = desk.session.get_one(Referee, number)
    if span is not None or cancels:
        refereeing.go_on_leave(desk, row, *(span or (None, None)))
    if row.away_from is None or row.away_until is None or row.away_until < desk.today:
        return outcome("boss-leave-none")
    return (Note("boss-leave-told", {"first": row.away_from, "last": row.away_until}),)
