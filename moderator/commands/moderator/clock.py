"""What the moderator does to a match's clock, and the official word to its players."""

from __future__ import annotations

from collections.abc import Sequence
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
    ABOUT_A_MATCH,
    DAYS,
    EXTENDED,
    MATCH,
    WHY,
    Outcome,
    build_staff_outcome,
    require_running_match,
)
from moderator.common.enums import ClockCause, ClockStop, MailKind, MatchStatus
from moderator.common.errors import Impossible, Misused
from moderator.rules.game import Note
from moderator.rules.time.calendar import to_local_day
from moderator.service.match.halt import resume_suspended_match
from moderator.service.match.match import Match
from moderator.service.notify import notify_match_events, notify_status
from moderator.store.tables import MatchRow
from moderator.views.unit_of_work import UnitOfWork

LONGEST = 60
"""Days by which a deadline is put off at once."""


ACCEPT_LEXICON = CommandArgument(
    "accept_lexicon",
    lambda call: False,
    ShellParameter("--accept-lexicon", bool, "Go on with the dictionary that is installed now.", default=False),
)
_declare = partial(Command, scope=CommandScope.MATCH, who=CommandGiver.MODERATOR, reach=CommandReach.MATCHES)


@_declare(
    "extend",
    rank=90,
    pattern=r".*",
    arguments=(EXTENDED, DAYS, WHY),
    shell=ShellCommand("extend", "Move the deadline by DAYS: `3`, `2 weeks`, or `until 2026-12-12`."),
)
def extend_deadlines_by_staff(
    work: UnitOfWork, matches: Sequence[MatchRow], days: int | date | None, why: str = ""
) -> Outcome:
    """Put the deadlines off by calendar days, or to a day; all players are told. Raises Misused."""
    return tuple(note for match in matches for note in _extend_deadline(work, match, days, why))


def _extend_deadline(work: UnitOfWork, match: MatchRow, days: int | date | None, why: str) -> Outcome:
    playing = require_running_match(work, match)
    if match.deadline is None:
        raise Impossible("boss-no-deadline", match=match.code)
    if isinstance(days, date):
        last, days = days, (days - to_local_day(match.deadline, work.config.club.zone)).days
        if days < 1:  # the place for moving a deadline to an earlier day
            raise Misused("boss-not-later", match=match.code, last=last, deadline=match.deadline)
    if days is None or not 1 <= days <= LONGEST:
        raise Misused("boss-days", match=match.code, longest=LONGEST)
    playing.move_deadline(days, ClockCause.STAFF)
    code = "extended" if why else "extended-plain"
    _notify_seats(playing, Note(code, {"days": days, "deadline": match.deadline, "line": why}))
    return build_staff_outcome("boss-extended", match=match.code, days=days, deadline=match.deadline)


@_declare(
    "pause",
    rank=100,
    pattern=rf"{ABOUT_A_MATCH}(?:\s*:.*)?",
    arguments=(MATCH, WHY),
    shell=ShellCommand("pause", "Stop the clock. Moves are still taken; `match resume` starts it again."),
)
def pause_clock_by_staff(work: UnitOfWork, match: MatchRow, why: str = "") -> Outcome:
    """Stop the clock until ``resume_match_by_staff``; orders are still taken. Raises Misused."""
    playing = require_running_match(work, match)
    if match.stopped == ClockStop.CONFIRM:
        raise Impossible("boss-moving-in", match=match.code)
    if match.stopped == ClockStop.PAUSE:
        raise Impossible("boss-paused-already", match=match.code, since=match.stopped_at)
    playing.pause_clock()
    _notify_seats(playing, Note("paused" if why else "paused-plain", {"line": why}))
    return build_staff_outcome("boss-paused", match=match.code)


@_declare(
    "resume",
    rank=110,
    pattern=rf"{ABOUT_A_MATCH}(?:\s*:.*)?",
    arguments=(MATCH, WHY, ACCEPT_LEXICON),
    shell=ShellCommand("resume", "Let a match go on that you paused, or that is suspended because of a fault."),
)
def resume_match_by_staff(work: UnitOfWork, match: MatchRow, why: str = "", accept_lexicon: bool = False) -> Outcome:
    """End a pause, or let a suspended match go on. Raises Misused, or OperatorError when the reason still holds."""
    if match.status == MatchStatus.SUSPENDED:
        resume_suspended_match(work, match, accept_lexicon)
        return build_staff_outcome("boss-unsuspended", match=match.code)
    playing = require_running_match(work, match)
    if match.stopped == ClockStop.CONFIRM:
        playing.resume_imported_match()
        notify_match_events(work)
        return build_staff_outcome("boss-goes-on", match=match.code, deadline=match.deadline)
    if match.stopped != ClockStop.PAUSE:
        raise Impossible("boss-not-paused", match=match.code)
    playing.resume_clock()
    if playing.awaited.list_unreachable() and playing.live.seats_awaited:
        playing.schedule_turn()
    note = Note("goes-on" if why else "goes-on-plain", {"deadline": match.deadline, "line": why})
    _notify_seats(playing, note)
    return build_staff_outcome("boss-goes-on", match=match.code, deadline=match.deadline)


def _notify_seats(match: Match, note: Note) -> None:
    """Send the board, the deadline and the news to all who play. It answers no mail of theirs."""
    for seat, _ in match.seated:
        if seat.number not in match.live.table.out:
            notify_status(match.work, match.row, seat, MailKind.REFEREE, [note])
