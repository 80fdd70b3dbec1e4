"""``Amtlich``: the moderator's official word to players."""

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
from moderator.commands.moderator_call import HERE, Outcome, StaffCommandContext, build_staff_outcome
from moderator.common.enums import LogEntryKind, MailKind, MatchStatus
from moderator.common.errors import Impossible, Misused
from moderator.common.message_files import load_synonyms, load_word_pattern, normalize_spelling
from moderator.delivery.compose import build_club_page, build_personal_reply, reader_of
from moderator.delivery.route import Recipient, route
from moderator.language.spelling import HERE as SPELLING
from moderator.notifications.content import CommandReport
from moderator.notifications.pages import LetterView
from moderator.rules.replay import LogEntry
from moderator.service.create import get_match
from moderator.service.desk import Desk, apply_event
from moderator.store import matches
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views.loaded_match import LiveMatch

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
