"""The clock of a match: when the turn ends for whom, what an order's time of arrival means, when the clock stands.

The arithmetic is in match/time/clock.py. Here it meets the match's row: ``turn_at`` (when the turn began), ``deadline``
(the ZAT that mails print), ``final`` (after which the missing are late), ``remind_at``, ``stopped``.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from moderator.club.desk import Desk, enter
from moderator.club.live_match import LiveMatch, log_of
from moderator.match import replay
from moderator.match.replay import Entry
from moderator.match.time import calendar, clock
from moderator.match.time.clock import Schedule, Span, first_day, local_day
from moderator.states import EntryKind, MailKind, OutboxState, Stopped
from moderator.store import deferred_news, events, outbox
from moderator.store.models import Match, Player

PUNCTUAL = timedelta(hours=6)
"""A ZAT that was met by then is where the next turn begins, so that hour and weekday stay."""
TURN_ENDS = (EntryKind.MOVE, EntryKind.MISS, EntryKind.EVALUATE, EntryKind.HAND_OVER)
"""Entries after which a new turn begins."""
BOARD_MAILS = (MailKind.START, MailKind.TURN, MailKind.CORRECTION, MailKind.DIGEST, MailKind.BACKLOG)
"""Mails that begin a turn once the server has accepted them."""


def begin_turn(desk: Desk, match: Match, live: LiveMatch) -> None:
    """A new deadline: somebody else is awaited, or a round begins."""
    met = match.deadline
    late = met is not None and not match.stopped and timedelta(0) <= desk.now - met
    final = max(filter(None, (met, match.final)), default=desk.now)
    match.turn_at = met if met is not None and late and desk.now - final < PUNCTUAL else desk.now
    lay_out(desk, match, live)


def lay_out(desk: Desk, match: Match, live: LiveMatch) -> None:
    """The deadlines of the turn that began at ``match.turn_at``. The clock stands while somebody awaited cannot be
    reached."""
    plans = base_plans(desk, match, live)
    if not plans:
        match.deadline = match.final = match.remind_at = None
        desk.session.add(match)
        return
    whole = clock.latest(plans.values())
    match.deadline = match.final = whole.zat
    match.remind_at = next_reminder(desk, match, live)
    if match.stopped == Stopped.PAUSE:
        match.stopped_at = desk.now
    else:
        match.stopped = Stopped.MAIL if unreachable(desk, match, live) else Stopped.NO
        match.stopped_at = desk.now if match.stopped else None
    desk.session.add(match)


def base_plans(desk: Desk, match: Match, live: LiveMatch) -> dict[int, Schedule]:
    """Each awaited person's seat and the ends of its turn, as they were when the turn began."""
    if match.turn_at is None:
        return {}
    players, zone = desk.players(match), desk.config.club.zone
    began = first_day(match.turn_at, live.terms, zone)
    return {
        seat: clock.schedule(began, live.terms, zone, live.ledger.seats[seat].bank, _away(desk, match, live, seat))
        for seat in live.awaited
        if not players[seat].robot
    }


def _away(desk: Desk, match: Match, live: LiveMatch, seat: int) -> tuple[Span, ...]:
    """The seat's leave that counts for the turn that began at ``match.turn_at``."""
    if match.turn_at is None or not live.terms.leave:
        return ()
    return calendar.counting(desk.cache.leaves_of(desk.session, desk.players(match)[seat].number), match.turn_at)


def plans(desk: Desk, match: Match, live: LiveMatch) -> dict[int, Schedule]:
    """The same as they are now: put off by as much as the match's deadline was."""
    found = base_plans(desk, match, live)
    if match.deadline is None or not found:
        return {}
    zone = desk.config.club.zone
    later = (local_day(match.deadline, zone) - local_day(clock.latest(found.values()).zat, zone)).days
    if later <= 0 or match.turn_at is None:
        return found
    began = match.turn_at
    return {
        seat: clock.postponed(plan, began, later, live.terms, zone, _away(desk, match, live, seat))
        for seat, plan in found.items()
    }


def deadline_of(desk: Desk, match: Match, live: LiveMatch, seat: int) -> datetime | None:
    """The deadline as a seat's mails name it: the ZAT, and for a seat that has missed it the end of its extra days and
    grace."""
    if match.deadline is None or desk.now <= match.deadline or seat not in live.missing:
        return match.deadline
    plan = plans(desk, match, live).get(seat)
    return plan.final if plan else match.deadline


def last_moment(desk: Desk, match: Match, live: LiveMatch) -> datetime | None:
    """When the last of those that are missing is late; the ZAT if nobody is; None without a deadline."""
    if match.deadline is None:
        return None
    found = plans(desk, match, live)
    return max((found[seat].final for seat in live.missing if seat in found), default=match.deadline)


def spent(desk: Desk, match: Match, live: LiveMatch, seat: int) -> dict[str, Any]:
    """What the order at hand costs its seat, for the log (see match/time/ledger.py); {} if it is not awaited."""
    plan = plans(desk, match, live).get(seat)
    if plan is None or match.turn_at is None:
        return {}
    days = (local_day(desk.arrived, desk.config.club.zone) - local_day(match.turn_at, desk.config.club.zone)).days
    return {"clock": {str(seat): {"used": clock.bank_used(plan, desk.arrived), "took": max(0, days)}}}


def too_late(desk: Desk, match: Match, live: LiveMatch, seat: int) -> bool:
    """Whether the mail at hand came after the end of its seat's turn."""
    if desk.mail is None or match.stopped or match.held or seat not in live.awaited:
        return False
    plan = plans(desk, match, live).get(seat)
    return plan is not None and clock.late(plan, desk.arrived)


def next_reminder(desk: Desk, match: Match, live: LiveMatch) -> datetime | None:
    """When those that are missing are to be reminded; None if that is over or not wanted."""
    return next((moment for moment, _ in _reminders(desk, match, live) if moment > desk.now), None)


def reminder_kind(desk: Desk, match: Match, live: LiveMatch) -> str:
    """Which reminder is due now: half, day, bank or grace."""
    kinds = [kind for moment, kind in _reminders(desk, match, live) if moment <= desk.now]
    return kinds[-1] if kinds else "day"


def _reminders(desk: Desk, match: Match, live: LiveMatch) -> tuple[tuple[datetime, str], ...]:
    found = plans(desk, match, live)
    waited = [found[seat] for seat in live.missing if seat in found]
    if not waited or match.turn_at is None:
        return ()
    zone = desk.config.club.zone
    return clock.reminders(first_day(match.turn_at, live.terms, zone), clock.latest(waited), live.terms, zone)


def unreachable(desk: Desk, match: Match, live: LiveMatch) -> list[Player]:
    """Awaited players whose mail comes back."""
    players = desk.players(match)
    return [players[seat] for seat in live.awaited if players[seat].undeliverable]


def accepted(desk: Desk, match: Match, player: Player) -> datetime | None:
    """When the mail server took the mail that began this turn for the player; None while it is on its way. Where no
    such mail was made (a turn older than the mails kept), the turn's own time."""
    if match.turn_at is None or deferred_news.waits(desk.session, player.number, match.number):
        return None
    mails = outbox.progress_since(desk.session, match.number, player.number, BOARD_MAILS, match.turn_at)
    taken = [sent for sent, _ in mails if sent is not None]
    if taken:
        return min(taken)
    waits = any(state in (OutboxState.QUEUED, OutboxState.SENDING) for _, state in mails) or (
        player.digest and not mails
    )
    return None if waits else match.turn_at


def began_later(desk: Desk, match: Match, live: LiveMatch) -> bool | None:
    """Whether the turn has to begin anew, because the server took the board mail on a later day than was thought; the
    deadlines are laid out again then. None = somebody's mail is still on its way, and nobody can be late."""
    if match.turn_at is None:
        return False
    zone, players = desk.config.club.zone, desk.players(match)
    moments = []
    for seat in live.missing:
        if players[seat].robot:
            continue
        moment = accepted(desk, match, players[seat])
        if moment is None:
            return None
        moments.append(moment)
    latest = max(moments, default=match.turn_at)
    if latest - match.turn_at < PUNCTUAL and _is_zat(match.turn_at, live, zone):
        return False
    if first_day(latest, live.terms, zone) <= first_day(match.turn_at, live.terms, zone):
        return False
    before = match.deadline
    match.turn_at = latest
    lay_out(desk, match, live)
    note(desk, match, live, "mail-late", before)
    return True


def _is_zat(moment: datetime, live: LiveMatch, zone: str) -> bool:
    return moment == clock.local(local_day(moment, zone), live.terms.hour, ZoneInfo(zone))


def move(desk: Desk, match: Match, live: LiveMatch, days: int, why: str) -> None:
    """Put the deadline off by calendar days (and on to a day that is played). ``why``: extend, outage, breaker."""
    before = match.deadline
    if before is None:
        return
    zone = desk.config.club.zone
    match.deadline = clock.moved(before, days, live.terms, zone)
    match.final = match.deadline if match.final is None else clock.moved(match.final, days, live.terms, zone)
    match.remind_at = next_reminder(desk, match, live)
    note(desk, match, live, why, before)
    desk.session.add(match)


BY_ITSELF = ("outage", "breaker")
"""Why a deadline is put off without anybody's word."""
LAID_ANEW = ("mail-late", "mail-back", "put-back", "clock")
"""After these nothing of that is left."""


def put_off_days(desk: Desk, match: Match, later_than: datetime | None = None) -> int:
    """Calendar days by which the deadline of the turn that runs was put off by itself; only by what was written
    ``later_than`` that, where it is given."""
    zone, days = desk.config.club.zone, 0
    for row in events.rows(desk.session, match.number):
        if row.kind in (*TURN_ENDS, EntryKind.UNDO) or (row.kind == EntryKind.CLOCK and row.text in LAID_ANEW):
            days = 0
        elif row.kind == EntryKind.CLOCK and row.text in BY_ITSELF and (later_than is None or row.at > later_than):
            before, after = (local_day(datetime.fromisoformat(row.outcome[end]), zone) for end in ("from", "to"))
            days += (after - before).days
    return days


def put_back(desk: Desk, match: Match, live: LiveMatch, later_than: datetime | None = None) -> bool:
    """Take back what ``put_off_days`` counts; a deadline that would be over is at its hour tomorrow, so that nobody is
    late by that. False = there is nothing to take back."""
    days, before = put_off_days(desk, match, later_than), match.deadline
    if days <= 0 or before is None:
        return False
    zone = desk.config.club.zone
    back = clock.moved(before, -days, live.terms, zone)
    if back <= desk.now:
        back = min(before, clock.moved(before, (desk.today - local_day(before, zone)).days + 1, live.terms, zone))
    match.deadline = match.final = back
    match.remind_at = next_reminder(desk, match, live)
    note(desk, match, live, "put-back", before)
    desk.session.add(match)
    return True


def keep_extension(desk: Desk, match: Match, live: LiveMatch, entry: int) -> bool:
    """After all since log entry ``entry`` was taken back: whoever was promised more time for that turn, or a later
    one, keeps the day. True = the deadline has moved."""
    log = log_of(desk.session, match)
    began = max((n for n, one in replay.effective(log) if n <= entry and one.kind in TURN_ENDS), default=0)
    promised = [
        datetime.fromisoformat(str(one.outcome["to"]))
        for number, one in enumerate(log, start=1)
        if number > began and one.kind == EntryKind.CLOCK and one.text == "extend" and one.outcome.get("to")
    ]
    if match.deadline is None or not promised or max(promised) <= match.deadline:
        return False
    zone = desk.config.club.zone
    move(desk, match, live, (local_day(max(promised), zone) - local_day(match.deadline, zone)).days, "extend")
    return True


def pause(desk: Desk, match: Match, live: LiveMatch) -> None:
    """The clock stands until ``go_on``; orders are still taken."""
    match.stopped, match.stopped_at = Stopped.PAUSE, desk.now
    note(desk, match, live, "pause", match.deadline)
    desk.session.add(match)


def go_on(desk: Desk, match: Match, live: LiveMatch) -> None:
    """The clock runs again, with as many playing days left as when it stopped."""
    before, since, zone = match.deadline, match.stopped_at, desk.config.club.zone
    match.stopped, match.stopped_at = Stopped.NO, None
    if before is not None and since is not None:
        match.deadline = clock.after_pause(before, since, desk.now, live.terms, zone)
        match.final = clock.after_pause(match.final or before, since, desk.now, live.terms, zone)
        match.remind_at = next_reminder(desk, match, live)
    note(desk, match, live, "go-on", before)
    desk.session.add(match)


def note(desk: Desk, match: Match, live: LiveMatch, why: str, before: datetime | None) -> None:
    """Write into the log that and why the deadline is another one now."""
    shown = [moment.isoformat() if moment else None for moment in (before, match.deadline)]
    enter(desk, match, live, Entry(EntryKind.CLOCK, text=why, outcome={"from": shown[0], "to": shown[1]}))
