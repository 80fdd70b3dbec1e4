"""``Leitung``, ``Vertretung``, ``Urlaub``: who is in charge of a match, and who is away."""

from __future__ import annotations

import re
from datetime import date

from moderator.commands.declaration import (
    Command,
    CommandArgument,
    CommandGiver,
    CommandReach,
    CommandScope,
    ShellCommand,
    ShellParameter,
)
from moderator.commands.moderator_call import HERE, MATCH, Outcome, StaffCommandContext, build_staff_outcome
from moderator.commands.player.leave import parse_day_span
from moderator.common.errors import Impossible, Misused, PlayerError
from moderator.common.message_files import load_synonyms, load_word_pattern, normalize_spelling
from moderator.rules.game import Note
from moderator.service import staff
from moderator.service.desk import Desk
from moderator.store import referees
from moderator.store.tables import MatchRow, Referee
from moderator.views.people import UnclearName
from moderator.views.staff import find_named_referees, find_staff_in_charge, get_commander

_TO = re.compile(rf"{load_word_pattern(HERE, 'boss-to')}\s+", re.IGNORECASE)
_LED = {
    (False, False): "boss-led-chief",
    (False, True): "boss-led-chief-deputy",
    (True, False): "boss-led",
    (True, True): "boss-led-deputy",
}
"""By whether a referee is named, and a deputy."""


def _parse_referee_name(call: StaffCommandContext) -> str:
    """Return the name in ``K7Q2 an Karl``, ``K7Q2: Karl``; "" = nobody."""
    return _TO.sub("", call.head_without_code, count=1) or call.text


NAME = CommandArgument(
    "who", _parse_referee_name, ShellParameter("referee", required=False, take=lambda _, name: name or "")
)
DEPUTY = CommandArgument(
    "deputy",
    lambda call: "",
    ShellParameter("--deputy", help="Who is in charge while the referee is away.", default=""),
)


@Command(
    "referee",
    scope=CommandScope.MATCH,
    rank=190,
    who=CommandGiver.MODERATOR,
    reach=CommandReach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, NAME, DEPUTY),
    shell=ShellCommand(
        "referee",
        "Put REFEREE in charge of the match; `chief` takes that back (not what a tournament says: `cup referee`). "
        "Without a name: who is.",
    ),
)
def name_match_referee(desk: Desk, match: MatchRow, who: str, deputy: str = "") -> Outcome:
    """Put a referee in charge from now on; without a name only tell who is. Raises Misused for a name that no referee
    has."""
    if who:
        staff.assign_referee(desk, match, _find_typed_referee(desk, match, who))
    if deputy:
        staff.assign_referee(desk, match, _find_typed_referee(desk, match, deputy), deputy=True)
    return report_match_charge(desk, match)


@Command(
    "deputy",
    scope=CommandScope.MATCH,
    rank=200,
    who=CommandGiver.MODERATOR,
    reach=CommandReach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, NAME),
    elsewhere="match referee",
)
def name_match_deputy(desk: Desk, match: MatchRow, who: str) -> Outcome:
    """Put a deputy in charge for the time while the referee is away, or plays. Raises Misused for a name that no
    referee has."""
    return name_match_referee(desk, match, "", who)


def report_match_charge(desk: Desk, match: MatchRow) -> Outcome:
    """Return who is in charge of a match, and how that came."""
    first, second = find_named_referees(desk, match)
    found = find_staff_in_charge(desk, match)
    facts = {"match": match.code, "name": first.name if first else "", "deputy": second.name if second else ""}
    notes = build_staff_outcome(_LED[first is not None, second is not None], **facts)
    if found.number != (first.number if first else None):
        notes += build_staff_outcome(
            "boss-led-now-chief" if found.is_chief else "boss-led-now", match=match.code, name=found.name
        )
    return notes


def _find_typed_referee(desk: Desk, match: MatchRow, name: str) -> Referee | None:
    """Return the referee of that name, which may be cut short; None = the chief. Raises Misused."""
    if normalize_spelling(name) in load_synonyms(HERE, "boss-chief"):
        return None
    try:
        return staff.resolve_referee(desk, name)
    except UnclearName as error:
        known = [row.name for row in referees.list_all_referees(desk.session)]
        code = "boss-no-referee" if known else "boss-no-referees"
        raise Misused(code, name=name, match=match.code, names=known) from error


# ---- leave ----


def _parse_leave_span(call: StaffCommandContext) -> tuple[date, date] | None:
    """Return the first and the last day; None = it is cancelled, or asked for. Raises Misused."""
    text = call.whole_argument
    if not text or normalize_spelling(text) in load_synonyms(HERE, "boss-cancel"):
        return None
    try:
        first, last = parse_day_span(text, call.desk.today)
    except PlayerError as error:
        raise Misused(error.code, **error.params) from None
    if last < first:
        raise Misused("leave-backwards", first=first, last=last)
    if last < call.desk.today:
        raise Misused("boss-leave-over", last=last)
    return first, last


@Command(
    "leave",
    scope=CommandScope.CLUB,
    rank=210,
    who=CommandGiver.MODERATOR,
    reach=CommandReach.SELF,
    pattern=rf".*\d.*|{load_word_pattern(HERE, 'boss-cancel')}|",
    arguments=(
        CommandArgument("span", _parse_leave_span),
        CommandArgument("cancels", lambda call: bool(call.whole_argument)),
    ),
    elsewhere="referee leave",
)
def set_leave_by_referee(desk: Desk, span: tuple[date, date] | None, cancels: bool) -> Outcome:
    """Set a referee's leave: the deputies are in charge meanwhile, else the chief. Raises Impossible for the chief."""
    number = get_commander(desk).number
    if number is None:
        raise Impossible("boss-leave-chief")
    row = desk.session.get_one(Referee, number)
    if span is not None or cancels:
        staff.set_referee_leave(desk, row, *(span or (None, None)))
    if row.away_from is None or row.away_until is None or row.away_until < desk.today:
        return build_staff_outcome("boss-leave-none")
    return (Note("boss-leave-told", {"first": row.away_from, "last": row.away_until}),)
