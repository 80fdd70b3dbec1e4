"""What the moderator does to a match's clock, and the official word to its players."""

from __future__ import annotations

from datetime import date

from moderator.club import clock
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.commands.declaration import Command, Reach, Scope, Shell, Who
from moderator.commands.moderator_call import ABOUT_A_MATCH, DAYS, MATCH, WHY, Outcome, outcome, running
from moderator.errors import Impossible, Misused
from moderator.match.contract import Note
from moderator.match.time.calendar import local_day
from moderator.play import moving_in
from moderator.play.announce import announce, send_status
from moderator.play.lifecycle import unsuspend
from moderator.states import MailKind, MatchStatus, Stopped
from moderator.store.models import Match

LONGEST = 60
"""Days by which a deadline is put off at once."""


@Command(
    "extend",
    scope=Scope.MATCH,
    rank=90,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, DAYS, WHY),
    shell=Shell("extend", "Put the deadline off by DAYS: `3`, `2 weeks`, or `until 2026-12-12`."),
)
def extend(desk: Desk, match: Match, days: int | date | None, why: str = "") -> Outcome:
    """Put the deadline off by calendar days, or to a day; all players are told. Raises Misused."""
    live = running(desk, match)
    if match.deadline is None:
        raise Impossible("boss-no-deadline", match=match.code)
    if isinstance(days, date):
        last, days = days, (days - local_day(match.deadline, desk.config.club.zone)).days
        if days < 1:  # the place for moving a deadline to an earlier day
            raise Misused("boss-not-later", match=match.code, last=last, deadline=match.deadline)
    if days is None or not 1 <= days <= LONGEST:
        raise Misused("boss-days", match=match.code, longest=LONGEST)
    clock.move(desk, match, live, days, "extend")
    code = "extended" if why else "extended-plain"
    _tell(desk, match, live, Note(code, {"days": days, "deadline": match.deadline, "line": why}))
    return outcome("boss-extended", match=match.code, days=days, deadline=match.deadline)


@Command(
    "pause",
    scope=Scope.MATCH,
    rank=100,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=rf"{ABOUT_A_MATCH}(?:\s*:.*)?",
    arguments=(MATCH, WHY),
    shell=Shell("pause", "Stop the clock. Moves are still taken; `match go-on` lets it run again."),
)
def pause(desk: Desk, match: Match, why: str = "") -> Outcome:
    """Stop the clock until ``go_on``; orders are still taken. Raises Misused."""
    live = running(desk, match)
    if match.stopped == Stopped.CONFIRM:
        raise Impossible("boss-moving-in", match=match.code)
    if match.stopped == Stopped.PAUSE:
        raise Impossible("boss-paused-already", match=match.code, since=match.stopped_at)
    clock.pause(desk, match, live)
    _tell(desk, match, live, Note("paused" if why else "paused-plain", {"line": why}))
    return outcome("boss-paused", match=match.code)


@Command(
    "resume",
    scope=Scope.MATCH,
    rank=110,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=rf"{ABOUT_A_MATCH}(?:\s*:.*)?",
    arguments=(MATCH, WHY),
    shell=Shell("go-on", "Let the clock of a paused match run again."),
)
def go_on(desk: Desk, match: Match, why: str = "") -> Outcome:
    """End a pause, or let a suspended match go on. Raises Misused, or OperatorError when the reason still holds."""
    if match.status == MatchStatus.SUSPENDED:
        unsuspend(desk, match, accept_lexicon=False)
        return outcome("boss-unsuspended", match=match.code)
    live = running(desk, match)
    if match.stopped == Stopped.CONFIRM:
        moving_in.go_on(desk, match, live)
        announce(desk)
        return outcome("boss-goes-on", match=match.code, deadline=match.deadline)
    if match.stopped != Stopped.PAUSE:
        raise Impossible("boss-not-paused", match=match.code)
    clock.go_on(desk, match, live)
    waits = bool(clock.unreachable(desk, match, live)) and bool(live.missing)
    if waits:
        clock.lay_out(desk, match, live)
    note = Note("goes-on" if why else "goes-on-plain", {"deadline": match.deadline, "line": why})
    _tell(desk, match, live, note)
    return outcome("boss-goes-on", match=match.code, deadline=match.deadline)


def _tell(desk: Desk, match: Match, live: LiveMatch, note: Note) -> None:
    """Board and deadline for all who play, with the news. It answers no mail of theirs."""
    for seat, _ in desk.seated(match):
        if seat.number not in live.table.out:
            send_status(desk, match, seat, MailKind.REFEREE, [note])
