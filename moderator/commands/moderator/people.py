"""What the moderator decides about players: excuse missed turns, give a seat to somebody else, take one out."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    with_argument_reader,
)
from moderator.common.enums import LogEntryKind, MailKind, MatchStatus, SeatLeftReason
from moderator.common.errors import Impossible, Misused
from moderator.common.message_files import load_synonyms, load_word_pattern, normalize_spelling
from moderator.delivery.compose import build_club_page, build_personal_reply, reader_of
from moderator.delivery.route import Recipient, route
from moderator.language.spelling import HERE as SPELLING
from moderator.notifications.content import CommandReport
from moderator.notifications.pages import LetterView
from moderator.rules.game import Note
from moderator.rules.replay import LogEntry
from moderator.service import create, seat_changes
from moderator.service.create import get_match
from moderator.service.desk import Desk, apply_event
from moderator.service.notify import build_notifications
from moderator.store import matches
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views.loaded_match import LiveMatch
from moderator.views.people import UnclearName, resolve_player
from moderator.views.staff import is_staff_player

_BY = re.compile(rf"\s+{load_word_pattern(HERE, 'boss-by')}\s+", re.IGNORECASE)


def _split_player_names(call: StaffCommandContext) -> tuple[str, str]:
    """Return the old and the new player of ``Anna durch Bert``."""
    old, *new = _BY.split(call.head_without_code, maxsplit=1)
    return old, new[0] if new else ""


SUCCESSOR = CommandArgument("successor", lambda call: _split_player_names(call)[1], ShellParameter("successor"))


@Command(
    "excuse",
    scope=CommandScope.MATCH,
    rank=120,
    who=CommandGiver.MODERATOR,
    reach=CommandReach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, PLAYER),
    shell=ShellCommand("excuse", "The turns that PLAYER has missed in a row do not count any more."),
)
def clear_missed_turns(desk: Desk, match: MatchRow, name: str) -> Outcome:
    """Let the turns missed in a row not count towards giving the seat up. Raises Misused."""
    live = require_running_match(desk, match)
    seat, player = get_seat_by_name(desk, match, name)
    missed = live.ledger.seats[seat.number].in_row
    apply_event(desk, match, live, LogEntry(LogEntryKind.EXCUSE, seat.number))
    if not missed:
        return build_staff_outcome("boss-excused-none", name=player.name, match=match.code)
    return build_staff_outcome("boss-excused", name=player.name, match=match.code, missed=missed)


@Command(
    "replace",
    scope=CommandScope.MATCH,
    rank=130,
    who=CommandGiver.MODERATOR,
    reach=CommandReach.MATCHES,
    pattern=r".*",
    arguments=(
        MATCH,
        with_argument_reader(PLAYER, lambda call: _split_player_names(call)[0]),
        SUCCESSOR,
        WHY,
    ),
    shell=ShellCommand("replace", "Give the seat of PLAYER to SUCCESSOR."),
)
def replace_player_by_staff(desk: Desk, match: MatchRow, name: str, successor: str, why: str = "") -> Outcome:
    """Give the seat to somebody else. Raises Misused, Impossible."""
    live = require_running_match(desk, match)
    seat, player = get_seat_by_name(desk, match, name)
    if not successor:
        raise Misused("boss-by-whom", name=player.name, match=match.code)
    try:
        new = resolve_player(desk.session, successor)
    except UnclearName as error:
        code = "boss-no-player-but" if error.names else "boss-no-player"
        raise Impossible(code, name=successor, names=error.names) from error
    if new.number in (one.number for one in desk.list_players(match)):
        raise Impossible("boss-plays-already", name=new.name, match=match.code)
    if desk.official is not None and is_staff_player(desk.official, new):  # who may look may have looked
        raise Impossible("boss-own-seat", match=match.code)
    seat_changes.hand_over_seat(desk, match, live, seat.number, new)
    _add_reason(desk, match, why)
    build_notifications(desk)
    return build_staff_outcome("boss-replaced", old=player.name, new=new.name, match=match.code)


@Command(
    "eject",
    scope=CommandScope.MATCH,
    rank=140,
    who=CommandGiver.MODERATOR,
    reach=CommandReach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, PLAYER, WHY),
    shell=ShellCommand("eject", "Take PLAYER out of the match; the seat passes from then on."),
)
def eject_player_by_staff(desk: Desk, match: MatchRow, name: str, why: str = "") -> Outcome:
    """Take the player out of the match; the seat passes to the end, and is free where the match has not begun. Raises
    Misused."""
    if match.status == MatchStatus.OPEN and match.tournament_id is None:
        seat, player = get_seat_by_name(desk, match, name)
        create.release_seat(desk, match, seat)
        return build_staff_outcome("boss-ejected-open", name=player.name, match=match.code)
    live = require_running_match(desk, match)
    seat, player = get_seat_by_name(desk, match, name)
    if seat.number in live.table.out:
        raise Impossible("boss-seat-out", name=player.name, match=match.code)
    seat_changes.retire_seat(desk, match, live, seat.number, SeatLeftReason.EJECTED)
    _add_reason(desk, match, why)
    build_notifications(desk)
    ended = match.status == MatchStatus.FINISHED
    return build_staff_outcome("boss-ejected-end" if ended else "boss-ejected", name=player.name, match=match.code)


def _add_reason(desk: Desk, match: MatchRow, why: str) -> None:
    if why:
        desk.events_of(match).notes.append(Note("boss-why", {"line": why}))


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


def _find_typed_addressee(desk: Desk, code: str) -> MatchRow | None:
    return None if normalize_spelling(code) in load_synonyms(HERE, "boss-all") else get_match(desk.session, code)


TO = CommandArgument("match", _parse_addressee, ShellParameter("code", take=_find_typed_addressee))
LINES = CommandArgument(
    "lines",
    lambda call: call.request.body or (call.text,),
    ShellParameter("text", take=lambda _, text: text.splitlines()),
)


@Command(
    "official",
    scope=CommandScope.EITHER,
    rank=150,
    who=CommandGiver.MODERATOR,
    reach=CommandReach.MATCHES,
    pattern=r".*",
    arguments=(TO, LINES),
    body="letter",
    shell=ShellCommand(
        "notice", "Send an official TEXT to the players of match CODE, or of all running matches (CODE = all)."
    ),
)
def announce_to_players(desk: Desk, match: MatchRow | None, lines: Sequence[str]) -> Outcome:
    """Send an official word to the players of a match, or (None) to everybody who plays in one. It stands in the log.
    Raises Misused."""
    said = "\n".join(line.rstrip() for line in lines).strip("\n").split("\n")
    if not any(said):
        raise Misused("boss-no-text")
    told: dict[int, tuple[MatchRow, SeatRow, PlayerRow]] = {}
    for row in [match] if match else matches.list_running(desk.session):
        if row.status in (MatchStatus.RUNNING, MatchStatus.FINISHED):
            _append_notice(desk, row, desk.cache.load_match(desk.session, row), said)
        for seat, player in desk.list_seated(row):
            if player.address:
                told.setdefault(player.number, (row, seat, player))
    if not told:
        raise Impossible("boss-nobody")
    for row, seat, player in told.values():
        _notify_player(desk, player, (row, seat) if match else None, said)
    names = [player.name for _, _, player in told.values()]
    return (
        build_staff_outcome("boss-official", match=match.code, names=names)
        if match
        else build_staff_outcome("boss-official-all", names=names)
    )


def _append_notice(desk: Desk, match: MatchRow, live: LiveMatch, said: Sequence[str]) -> None:
    apply_event(desk, match, live, LogEntry(LogEntryKind.NOTICE, text="\n".join(said)[:4000]))


def _notify_player(desk: Desk, player: PlayerRow, place: tuple[MatchRow, SeatRow] | None, said: Sequence[str]) -> None:
    reply = build_personal_reply(desk, player, *(place or ()))
    content = CommandReport(place[0].code, place[0].name) if place else CommandReport()
    letter = LetterView(desk.config.club.name, "\n".join(said))
    page = build_club_page(desk, MailKind.OFFICIAL, reader_of(player), reply=reply, press=(letter,), content=content)
    route(desk, Recipient(player, *place) if place else Recipient(player), page)
