"""``KALENDER``: the deadlines as a file for the calendar of a phone; ``KALENDER NEU``: another address for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from moderator.club import archive
from moderator.club.desk import Desk
from moderator.club.ical import Date, calendar_address, change_calendar, zat
from moderator.club.ical import calendar as calendar_file
from moderator.club.live_match import Suspended
from moderator.commands.call import Answer, Call, said
from moderator.commands.declaration import Command, Group, Scope
from moderator.errors import Impossible
from moderator.mail.model import File
from moderator.outbox.post import new_page, personal_reply, reader
from moderator.outbox.tell import To, tell
from moderator.pages.asked import game_name
from moderator.pages.content import Dates, ZatLine
from moderator.pages.messages import label
from moderator.states import MailKind, MatchStatus
from moderator.store.matches import seats_of
from moderator.store.models import Match, Player
from moderator.texts import pattern

CONTENT = "text/calendar; charset=utf-8; method=PUBLISH"


@Command(
    "calendar",
    scope=Scope.EITHER,
    group=Group.SHOW,
    rank=70,
    pattern=rf"{pattern(Path(__file__).parent, 'new-address')}?",
    asks=True,
)
def calendar(call: Call) -> Answer:
    """The ZAT of the match; without a match those of all matches in which the player is awaited."""
    desk, match, seat = call.desk, call.match, call.seat
    if call.request.argument:
        return _renew(call)
    if match is not None and seat is not None:
        found = [(match, seat.number in desk.cache.live(desk.session, match).awaited)] if _runs(match) else []
    else:
        if not call.writer.whole:
            raise Impossible("all-matches-need-your-address")
        found = [(one, True) for one in _awaiting(desk, call.player)]
    if not found:
        return said("no-date" if match is not None else "no-dates")
    lines = [_zat(one, yours) for one, yours in found]
    dates = [_date(desk, one, line, call.player) for (one, _), line in zip(found, lines, strict=True)]
    page = new_page(
        desk,
        MailKind.CALENDAR,
        reader(call.player),
        reply=personal_reply(desk, call.player, match, seat),
        content=Dates(tuple(lines), calendar_address(desk, call.player) if call.writer.whole else ""),
        files=(_file(dates, call),),
    )
    tell(desk, To(call.player, match, seat), page, answers=True)
    return Answer(mailed=True)


def _renew(call: Call) -> Answer:
    """Another address, for somebody whose own has become known."""
    if not call.writer.whole:
        raise Impossible("all-matches-need-your-address")
    if not call.desk.config.site.url:
        return said("no-calendar-address")
    change_calendar(call.desk, call.player)
    return said("calendar-changed", address=calendar_address(call.desk, call.player))


def _runs(match: Match) -> bool:
    """Whether its clock does."""
    return match.status == MatchStatus.RUNNING and match.deadline is not None and not match.stopped and not match.held


def _awaiting(desk: Desk, player: Player) -> Iterator[Match]:
    for match, seat in seats_of(desk.session, player.number):
        try:
            if _runs(match) and seat.number in desk.cache.live(desk.session, match).awaited:
                yield match
        except Suspended:
            continue


def _zat(match: Match, yours: bool) -> ZatLine:
    assert match.deadline is not None
    return ZatLine(match.code, match.name, match.game, match.deadline, yours)


def _date(desk: Desk, match: Match, line: ZatLine, player: Player) -> Date:
    uid, sequence = zat(match, desk.config.mail.address.rpartition("@")[2])
    values = {"game": game_name(match.game, player.language), "name": match.name, "code": match.code}
    return Date(
        uid=uid,
        sequence=sequence,
        when=line.deadline,
        title=label("ics-yours" if line.yours else "ics-other", player.language, **values),
        text=label("ics-text", player.language, club=desk.config.club.name, **values),
        url=archive.link_to_match(desk.config, desk.session, match, player.language),
    )


def _file(dates: list[Date], call: Call) -> File:
    name = f"{call.match.code}-zat.ics" if call.match else "zat.ics"
    club = call.desk.config.club.name
    data = calendar_file(dates, language=call.player.language, name=club, now=call.desk.now)
    return File(name, CONTENT, data)
