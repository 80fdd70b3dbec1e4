"""``KALENDER``: the deadlines as a file for the calendar of a phone; ``KALENDER NEU``: another address for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from moderator.commands.call import CommandContext, CommandOutcome, done_with
from moderator.commands.declaration import Command, CommandGroup, CommandScope
from moderator.common.enums import MailKind, MatchStatus
from moderator.common.errors import Impossible
from moderator.common.message_files import load_word_pattern
from moderator.delivery.compose import build_club_page, build_personal_reply, reader_of
from moderator.delivery.route import Recipient, route
from moderator.language.messages import render_label
from moderator.mail.model import File
from moderator.notifications.content import DeadlineLine, DeadlineList
from moderator.render.calendar import CalendarDate, build_calendar_address, build_deadline_uid, change_calendar_address
from moderator.render.calendar import format_calendar as calendar_file
from moderator.render.mails.shown import render_game_name
from moderator.service.desk import Desk
from moderator.store.matches import list_current_seats
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views import links
from moderator.views.loaded_match import MatchSuspended

CONTENT = "text/calendar; charset=utf-8; method=PUBLISH"


@Command(
    "calendar",
    scope=CommandScope.EITHER,
    group=CommandGroup.SHOW,
    rank=70,
    pattern=rf"{load_word_pattern(Path(__file__).parent, 'new-address')}?",
    asks=True,
)
def answer_calendar_request(call: CommandContext) -> CommandOutcome:
    """Send the deadline of the match; without a match those of all matches in which the player is awaited."""
    desk, match, seat = call.desk, call.match, call.seat
    if call.request.argument:
        return _replace_calendar_address(call)
    if match is not None and seat is not None:
        found = (
            [(match, seat.number in desk.cache.load_match(desk.session, match).seats_to_act)]
            if _is_clock_running(match)
            else []
        )
    else:
        if not call.writer.whole:
            raise Impossible("all-matches-need-your-address")
        found = [(one, True) for one in _iter_awaiting_matches(desk, call.player)]
    if not found:
        return done_with("no-date" if match is not None else "no-dates")
    lines = [_build_deadline_line(one, yours) for one, yours in found]
    dates = [_build_calendar_date(desk, one, line, call.player) for (one, _), line in zip(found, lines, strict=True)]
    page = build_club_page(
        desk,
        MailKind.CALENDAR,
        reader_of(call.player),
        reply=build_personal_reply(desk, call.player, match, seat),
        content=DeadlineList(tuple(lines), build_calendar_address(desk, call.player) if call.writer.whole else ""),
        files=(_build_calendar_file(dates, call),),
    )
    route(desk, Recipient(call.player, match, seat), page, answers=True)
    return CommandOutcome(mailed=True)


def _replace_calendar_address(call: CommandContext) -> CommandOutcome:
    """Make another address, for a player whose own has become known."""
    if not call.writer.whole:
        raise Impossible("all-matches-need-your-address")
    if not call.desk.config.site.url:
        return done_with("no-calendar-address")
    change_calendar_address(call.desk, call.player)
    return done_with("calendar-changed", address=build_calendar_address(call.desk, call.player))


def _is_clock_running(match: MatchRow) -> bool:
    """Return whether the match's clock runs."""
    return match.status == MatchStatus.RUNNING and match.deadline is not None and not match.stopped and not match.held


def _iter_awaiting_matches(desk: Desk, player: PlayerRow) -> Iterator[MatchRow]:
    for match, seat in list_current_seats(desk.session, player.number):
        try:
            if _is_clock_running(match) and seat.number in desk.cache.load_match(desk.session, match).seats_to_act:
                yield match
        except MatchSuspended:
            continue


def _build_deadline_line(match: MatchRow, yours: bool) -> DeadlineLine:
    assert match.deadline is not None
    return DeadlineLine(match.code, match.name, match.game, match.deadline, yours)


def _build_calendar_date(desk: Desk, match: MatchRow, line: DeadlineLine, player: PlayerRow) -> CalendarDate:
    uid, sequence = build_deadline_uid(match, desk.config.mail.address.rpartition("@")[2])
    values = {"game": render_game_name(match.game, player.language), "name": match.name, "code": match.code}
    return CalendarDate(
        uid=uid,
        sequence=sequence,
        when=line.deadline,
        title=render_label("ics-yours" if line.yours else "ics-other", player.language, **values),
        text=render_label("ics-text", player.language, club=desk.config.club.name, **values),
        url=links.link_to_match(desk.config, desk.session, match, player.language),
    )


def _build_calendar_file(dates: list[CalendarDate], call: CommandContext) -> File:
    name = f"{call.match.code}-zat.ics" if call.match else "zat.ics"
    club = call.desk.config.club.name
    data = calendar_file(dates, language=call.player.language, name=club, now=call.desk.now)
    return File(name, CONTENT, data)
