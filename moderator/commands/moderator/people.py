"""What the moderator decides about players: excuse missed turns, give a seat to somebody else, take one out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import partial

from moderator.commands.declaration import (
    Command,
    CommandArgument,
    CommandGiver,
    CommandReach,
    CommandScope,
    ShellCommand,
    ShellParameter,
)
from moderator.commands.moderator_call import (
    HERE,
    MATCH,
    PLAYER,
    WHY,
    Outcome,
    StaffCommandContext,
    build_staff_outcome,
    get_seat_by_name,
    require_running_match,
)
from moderator.commands.player.leave import parse_day_span
from moderator.common.enums import LogEntryKind, MailKind, MatchStatus, SeatLeftReason
from moderator.common.errors import Impossible, Misused, PlayerError
from moderator.common.message_files import load_synonyms, load_word_pattern, normalize_spelling
from moderator.language.spelling import HERE as SPELLING
from moderator.notifications.content import CommandReport
from moderator.notifications.pages import LetterView
from moderator.rules.game import Note
from moderator.rules.replay import LogEntry
from moderator.service import create, staff
from moderator.service.create import get_match
from moderator.service.match.match import Match
from moderator.service.notifications import notify_reader
from moderator.service.notify import notify_match_events
from moderator.service.staff import RefereeRoster
from moderator.store import matches, players
from moderator.store.club_tables import Referee
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views.links import build_personal_reply, build_player_page
from moderator.views.people import (
    MatchCharge,
    UnclearName,
    find_named_referees,
    get_commander,
    is_staff_player,
    resolve_player,
)
from moderator.views.unit_of_work import Recipient, UnitOfWork

_BY = re.compile(rf"\s+{load_word_pattern(HERE, 'boss-by')}\s+", re.IGNORECASE)


def _split_player_names(call: StaffCommandContext) -> tuple[str, str]:
    """Return the old and the new player of ``Anna durch Bert``."""
    old, *new = _BY.split(call.head_without_code, maxsplit=1)
    return old, new[0] if new else ""


SUCCESSOR = CommandArgument("successor", lambda call: _split_player_names(call)[1], ShellParameter("successor"))


_declare = partial(
    Command, scope=CommandScope.MATCH, who=CommandGiver.MODERATOR, reach=CommandReach.MATCHES, pattern=".*"
)


@_declare(
    "excuse",
    rank=120,
    arguments=(MATCH, PLAYER),
    shell=ShellCommand("excuse", "Forget the turns that a player has missed in a row: they no longer count."),
)
def clear_missed_turns(work: UnitOfWork, match: MatchRow, name: str) -> Outcome:
    """Let the turns missed in a row not count towards giving the seat up. Raises Misused."""
    playing = require_running_match(work, match)
    seat, player = get_seat_by_name(work, match, name)
    missed = playing.live.ledger.seats[seat.number].in_row
    playing.apply_entry(LogEntry(LogEntryKind.EXCUSE, seat.number))
    if not missed:
        return build_staff_outcome("boss-excused-none", name=player.name, match=match.code)
    return build_staff_outcome("boss-excused", name=player.name, match=match.code, missed=missed)


@_declare(
    "replace",
    rank=130,
    arguments=(MATCH, replace(PLAYER, read=lambda call: _split_player_names(call)[0]), SUCCESSOR, WHY),
    shell=ShellCommand("replace", "Give a player's seat to somebody else."),
)
def replace_player_by_staff(work: UnitOfWork, match: MatchRow, name: str, successor: str, why: str = "") -> Outcome:
    """Give the seat to somebody else. Raises Misused, Impossible."""
    playing = require_running_match(work, match)
    seat, player = get_seat_by_name(work, match, name)
    if not successor:
        raise Misused("boss-by-whom", name=player.name, match=match.code)
    try:
        new = resolve_player(work.session, successor)
    except UnclearName as error:
        code = "boss-no-player-but" if error.names else "boss-no-player"
        raise Impossible(code, name=successor, names=error.names) from error
    if new.number in (one.number for one in work.list_players(match)):
        raise Impossible("boss-plays-already", name=new.name, match=match.code)
    if work.official is not None and is_staff_player(work.official, new):  # who may look may have looked
        raise Impossible("boss-own-seat", match=match.code)
    playing.hand_over_seat(seat.number, new)
    _add_reason(work, match, why)
    notify_match_events(work)
    return build_staff_outcome("boss-replaced", old=player.name, new=new.name, match=match.code)


@_declare(
    "eject",
    rank=140,
    arguments=(MATCH, PLAYER, WHY),
    shell=ShellCommand("eject", "Take a player out of the match; from then on the seat passes."),
)
def eject_player_by_staff(work: UnitOfWork, match: MatchRow, name: str, why: str = "") -> Outcome:
    """Take the player out of the match; the seat passes to the end, and is free where the match has not begun. Raises
    Misused."""
    if match.status == MatchStatus.OPEN and match.tournament_id is None:
        seat, player = get_seat_by_name(work, match, name)
        create.release_seat(work, match, seat)
        return build_staff_outcome("boss-ejected-open", name=player.name, match=match.code)
    playing = require_running_match(work, match)
    seat, player = get_seat_by_name(work, match, name)
    if seat.number in playing.live.table.out:
        raise Impossible("boss-seat-out", name=player.name, match=match.code)
    playing.retire_seat(seat.number, SeatLeftReason.EJECTED)
    _add_reason(work, match, why)
    notify_match_events(work)
    ended = match.status == MatchStatus.FINISHED
    return build_staff_outcome("boss-ejected-end" if ended else "boss-ejected", name=player.name, match=match.code)


def _add_reason(work: UnitOfWork, match: MatchRow, why: str) -> None:
    if why:
        work.events_of(match).notes.append(Note("boss-why", {"line": why}))


# ---- ``Amtlich``: the moderator's official word to players.


_TO_ALL = re.compile(
    rf"(?:{load_word_pattern(HERE, 'boss-to')}\s+)?{load_word_pattern(HERE, 'boss-all')}", re.IGNORECASE
)


def _parse_addressee(call: StaffCommandContext) -> MatchRow | None:
    """Return the match whose players are meant; None = everybody. Raises Misused, also where the text may not be
    whole."""
    if call.request.body and not call.request.closed:
        raise Misused("boss-not-closed")
    if not call.request.body and any(line.number == call.request.line.number + 1 for line in call.unread):
        raise Impossible("boss-text-goes-on")
    if _TO_ALL.fullmatch(call.head_without_code) and not call.match_code:
        return None
    match = call.find_match()
    if normalize_spelling(call.head_without_code) not in {
        "",
        *load_synonyms(HERE, "boss-to"),
        *load_synonyms(SPELLING, "in"),
    }:
        raise Misused("boss-to-whom", name=call.head_without_code)
    return match


def _find_typed_addressee(work: UnitOfWork, code: str) -> MatchRow | None:
    return None if normalize_spelling(code) in load_synonyms(HERE, "boss-all") else get_match(work.session, code)


TO = CommandArgument("match", _parse_addressee, ShellParameter("code", take=_find_typed_addressee))
LINES = CommandArgument(
    "lines",
    lambda call: call.request.body or (call.text,),
    ShellParameter("text", take=lambda _, text: text.splitlines()),
)


@_declare(
    "official",
    scope=CommandScope.EITHER,
    rank=150,
    arguments=(TO, LINES),
    body="letter",
    shell=ShellCommand("notice", "Send a notice to the players of a match, or of all (CODE = all)."),
)
def announce_to_players(work: UnitOfWork, match: MatchRow | None, lines: Sequence[str]) -> Outcome:
    """Send an official word to the players of a match, or (None) to everybody who plays in one. It stands in the log.
    Raises Misused."""
    said = "\n".join(line.rstrip() for line in lines).strip("\n").split("\n")
    if not any(said):
        raise Misused("boss-no-text")
    told: dict[int, tuple[MatchRow, SeatRow, PlayerRow]] = {}
    for row in [match] if match else matches.list_running(work.session):
        if row.status in (MatchStatus.RUNNING, MatchStatus.FINISHED):
            Match.load(work, row).apply_entry(LogEntry(LogEntryKind.NOTICE, text="\n".join(said)[:4000]))
        for seat, player in work.list_seated(row):
            if player.address:
                told.setdefault(player.number, (row, seat, player))
    if not told:
        raise Impossible("boss-nobody")
    for row, seat, player in told.values():
        place = (row, seat) if match else None
        reply = build_personal_reply(work.session, work.config, player, *(place or ()))
        content = CommandReport(place[0].code, place[0].name) if place else CommandReport()
        letter = LetterView(work.config.club.name, "\n".join(said))
        page = build_player_page(work, MailKind.OFFICIAL, player, reply=reply, press=(letter,), content=content)
        notify_reader(work, Recipient(player, *place) if place else Recipient(player), page)
    names = [player.name for _, _, player in told.values()]
    return (
        build_staff_outcome("boss-official", match=match.code, names=names)
        if match
        else build_staff_outcome("boss-official-all", names=names)
    )


# ---- ``Leitung``, ``Vertretung``, ``Urlaub``: who is in charge of a match, and who is away.


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


@_declare(
    "referee",
    rank=190,
    arguments=(MATCH, NAME, DEPUTY),
    shell=ShellCommand(
        "referee",
        "Name the referee of a match; `chief` takes that back (for a tournament: `cup referee`). "
        "Without a name: show who it is.",
    ),
)
def name_match_referee(work: UnitOfWork, match: MatchRow, who: str, deputy: str = "") -> Outcome:
    """Put a referee in charge from now on; without a name only tell who is. Raises Misused for a name that no referee
    has."""
    if who:
        RefereeRoster(work).assign_referee(match, _find_typed_referee(work.session, match, who))
    if deputy:
        RefereeRoster(work).assign_referee(match, _find_typed_referee(work.session, match, deputy), deputy=True)
    return report_match_charge(work, match)


@_declare("deputy", rank=200, arguments=(MATCH, NAME), elsewhere="match referee")
def name_match_deputy(work: UnitOfWork, match: MatchRow, who: str) -> Outcome:
    """Put a deputy in charge for the time while the referee is away, or plays. Raises Misused for a name that no
    referee has."""
    return name_match_referee(work, match, "", who)


def report_match_charge(work: UnitOfWork, match: MatchRow) -> Outcome:
    """Return who is in charge of a match, and how that came."""
    first, second = find_named_referees(work.session, match)
    found = MatchCharge(work, match).find_staff()
    facts = {"match": match.code, "name": first.name if first else "", "deputy": second.name if second else ""}
    notes = build_staff_outcome(_LED[first is not None, second is not None], **facts)
    if found.number != (first.number if first else None):
        notes += build_staff_outcome(
            "boss-led-now-chief" if found.is_chief else "boss-led-now", match=match.code, name=found.name
        )
    return notes


def _find_typed_referee(session: Session, match: MatchRow, name: str) -> Referee | None:
    """Return the referee of that name, which may be cut short; None = the chief. Raises Misused."""
    if normalize_spelling(name) in load_synonyms(HERE, "boss-chief"):
        return None
    try:
        return staff.resolve_referee(session, name)
    except UnclearName as error:
        known = [row.name for row in players.list_all_referees(session)]
        code = "boss-no-referee" if known else "boss-no-referees"
        raise Misused(code, name=name, match=match.code, names=known) from error


# ---- leave ----


def _parse_leave_span(call: StaffCommandContext) -> tuple[date, date] | None:
    """Return the first and the last day; None = it is cancelled, or asked for. Raises Misused."""
    text = call.whole_argument
    if not text or normalize_spelling(text) in load_synonyms(HERE, "boss-cancel"):
        return None
    try:
        first, last = parse_day_span(text, call.work.today)
    except PlayerError as error:
        raise Misused(error.code, **error.params) from None
    if last < first:
        raise Misused("leave-backwards", first=first, last=last)
    if last < call.work.today:
        raise Misused("boss-leave-over", last=last)
    return first, last


@_declare(
    "leave",
    scope=CommandScope.CLUB,
    rank=210,
    reach=CommandReach.SELF,
    pattern=rf".*\d.*|{load_word_pattern(HERE, 'boss-cancel')}|",
    arguments=(
        CommandArgument("span", _parse_leave_span),
        CommandArgument("cancels", lambda call: bool(call.whole_argument)),
    ),
    elsewhere="referee leave",
)
def set_leave_by_referee(work: UnitOfWork, span: tuple[date, date] | None, cancels: bool) -> Outcome:
    """Set a referee's leave: the deputies are in charge meanwhile, else the chief. Raises Impossible for the chief."""
    number = get_commander(work).number
    if number is None:
        raise Impossible("boss-leave-chief")
    row = work.session.get_one(Referee, number)
    if span is not None or cancels:
        RefereeRoster(work).set_leave(row, *(span or (None, None)))
    if row.away_from is None or row.away_until is None or row.away_until < work.today:
        return build_staff_outcome("boss-leave-none")
    return (Note("boss-leave-told", {"first": row.away_from, "last": row.away_until}),)
