"""The clock of a match: when the turn ends for whom, what an order's time of arrival means, when the clock stands.

The arithmetic is in rules/time/clock.py. Here it meets the match's row: ``turn_at`` (when the turn began), ``deadline``
(the ZAT that mails print), ``final`` (after which the missing are late), ``remind_at``, ``stopped``.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from moderator.common.enums import ClockStop, LogEntryKind, MailKind, OutboxState
from moderator.rules import replay
from moderator.rules.replay import LogEntry
from moderator.rules.time import clock
from moderator.rules.time.clock import compute_first_day, to_local_day
from moderator.store import matches_log, notifications, outbox
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.desk import Desk, apply_event
from moderator.views.loaded_match import LiveMatch, load_log_entries
from moderator.views.match_state import build_base_schedules, list_unreachable_awaited, seat_schedules

PUNCTUAL = timedelta(hours=6)
"""A ZAT that was met by then is where the next turn begins, so that hour and weekday stay."""
TURN_ENDS = (LogEntryKind.MOVE, LogEntryKind.MISS, LogEntryKind.EVALUATE, LogEntryKind.HAND_OVER)
"""Entries after which a new turn begins."""
BOARD_MAILS = (MailKind.START, MailKind.TURN, MailKind.CORRECTION, MailKind.DIGEST, MailKind.BACKLOG)
"""Mails that begin a turn once the server has accepted them."""


def begin_turn(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Set a new deadline, because somebody else is awaited or a round begins."""
    met = match.deadline
    late = met is not None and not match.stopped and timedelta(0) <= desk.now - met
    final = max(filter(None, (met, match.final)), default=desk.now)
    match.turn_at = met if met is not None and late and desk.now - final < PUNCTUAL else desk.now
    schedule_turn(desk, match, live)


def schedule_turn(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Set the deadlines of the turn that began at ``match.turn_at``. The clock stands while somebody awaited cannot be
    reached."""
    plans = build_base_schedules(desk, match, live)
    if not plans:
        match.deadline = match.final = match.remind_at = None
        desk.session.add(match)
        return
    whole = clock.merge_schedules(plans.values())
    match.deadline = match.final = whole.zat
    match.remind_at = compute_next_reminder(desk, match, live)
    if match.stopped == ClockStop.PAUSE:
        match.stopped_at = desk.now
    else:
        match.stopped = ClockStop.MAIL if list_unreachable_awaited(desk, match, live) else ClockStop.NO
        match.stopped_at = desk.now if match.stopped else None
    desk.session.add(match)


def time_spent(desk: Desk, match: MatchRow, live: LiveMatch, seat: int) -> dict[str, Any]:
    """Compute what the order at hand costs its seat, for the log (see rules/time/ledger.py); {} if the seat is not
    awaited."""
    plan = seat_schedules(desk, match, live).get(seat)
    if plan is None or match.turn_at is None:
        return {}
    days = (
        to_local_day(desk.received_at, desk.config.club.zone) - to_local_day(match.turn_at, desk.config.club.zone)
    ).days
    return {"clock": {str(seat): {"used": clock.count_bank_used(plan, desk.received_at), "took": max(0, days)}}}


def is_mail_too_late(desk: Desk, match: MatchRow, live: LiveMatch, seat: int) -> bool:
    """Return whether the mail at hand came after the end of its seat's turn."""
    if desk.mail is None or match.stopped or match.held or seat not in live.seats_to_act:
        return False
    plan = seat_schedules(desk, match, live).get(seat)
    return plan is not None and clock.is_late(plan, desk.received_at)


def compute_next_reminder(desk: Desk, match: MatchRow, live: LiveMatch) -> datetime | None:
    """Compute when the missing seats are to be reminded; None if that is over or not wanted."""
    return next((moment for moment, _ in _list_turn_reminders(desk, match, live) if moment > desk.now), None)


def get_reminder_kind(desk: Desk, match: MatchRow, live: LiveMatch) -> str:
    """Return the kind of reminder that is due now: half, day, bank or grace."""
    kinds = [kind for moment, kind in _list_turn_reminders(desk, match, live) if moment <= desk.now]
    return kinds[-1] if kinds else "day"


def _list_turn_reminders(desk: Desk, match: MatchRow, live: LiveMatch) -> tuple[tuple[datetime, str], ...]:
    found = seat_schedules(desk, match, live)
    waited = [found[seat] for seat in live.seats_wanted if seat in found]
    if not waited or match.turn_at is None:
        return ()
    zone = desk.config.club.zone
    return clock.list_reminders(
        compute_first_day(match.turn_at, live.terms, zone), clock.merge_schedules(waited), live.terms, zone
    )


def delivered_at(desk: Desk, match: MatchRow, player: PlayerRow) -> datetime | None:
    """Find when the mail server took the mail that began this turn for the player; None while it is on its way. Where
    no such mail was made (a turn older than the mails kept), the turn's own time."""
    if match.turn_at is None or notifications.has_deferred_news(desk.session, player.number, match.number):
        return None
    mails = outbox.list_delivery_progress(desk.session, match.number, player.number, BOARD_MAILS, match.turn_at)
    taken = [sent for sent, _ in mails if sent is not None]
    if taken:
        return min(taken)
    waits = any(state in (OutboxState.QUEUED, OutboxState.SENDING) for _, state in mails) or (
        player.digest and not mails
    )
    return None if waits else match.turn_at


def turn_began_late(desk: Desk, match: MatchRow, live: LiveMatch) -> bool | None:
    """Return whether the turn begins anew, because the server took the board mail on a later day than was thought; the
    deadlines are set again then. None = somebody's mail is still on its way, and nobody can be late."""
    if match.turn_at is None:
        return False
    zone, players = desk.config.club.zone, desk.list_players(match)
    moments = []
    for seat in live.seats_wanted:
        if players[seat].robot:
            continue
        moment = delivered_at(desk, match, players[seat])
        if moment is None:
            return None
        moments.append(moment)
    latest = max(moments, default=match.turn_at)
    if latest - match.turn_at < PUNCTUAL and _is_deadline_hour(match.turn_at, live, zone):
        return False
    if compute_first_day(latest, live.terms, zone) <= compute_first_day(match.turn_at, live.terms, zone):
        return False
    before = match.deadline
    match.turn_at = latest
    schedule_turn(desk, match, live)
    record_clock_change(desk, match, live, "mail-late", before)
    return True


def _is_deadline_hour(moment: datetime, live: LiveMatch, zone: str) -> bool:
    return moment == clock.resolve_local_hour(to_local_day(moment, zone), live.terms.hour, ZoneInfo(zone))


def move_deadline(desk: Desk, match: MatchRow, live: LiveMatch, days: int, why: str) -> None:
    """Put the deadline off by calendar days (and on to a day that is played). ``why``: extend, outage, breaker."""
    before = match.deadline
    if before is None:
        return
    zone = desk.config.club.zone
    match.deadline = clock.shift_deadline(before, days, live.terms, zone)
    match.final = match.deadline if match.final is None else clock.shift_deadline(match.final, days, live.terms, zone)
    match.remind_at = compute_next_reminder(desk, match, live)
    record_clock_change(desk, match, live, why, before)
    desk.session.add(match)


BY_ITSELF = ("outage", "breaker")
"""Why a deadline is put off without anybody's word."""
LAID_ANEW = ("mail-late", "mail-back", "put-back", "clock")
"""After these nothing of that is left."""


def count_postponed_days(desk: Desk, match: MatchRow, later_than: datetime | None = None) -> int:
    """Count the calendar days by which the deadline of the running turn was put off by itself; only by what was written
    ``later_than`` that, where it is given."""
    zone, days = desk.config.club.zone, 0
    for row in matches_log.list_match_events(desk.session, match.number):
        if row.kind in (*TURN_ENDS, LogEntryKind.UNDO) or (row.kind == LogEntryKind.CLOCK and row.text in LAID_ANEW):
            days = 0
        elif row.kind == LogEntryKind.CLOCK and row.text in BY_ITSELF and (later_than is None or row.at > later_than):
            before, after = (to_local_day(datetime.fromisoformat(row.outcome[end]), zone) for end in ("from", "to"))
            days += (after - before).days
    return days


def undo_postponement(desk: Desk, match: MatchRow, live: LiveMatch, later_than: datetime | None = None) -> bool:
    """Take back the days that ``count_postponed_days`` counts; a deadline that would be over is at its hour tomorrow,
    so that nobody is late by that. False = there is nothing to take back."""
    days, before = count_postponed_days(desk, match, later_than), match.deadline
    if days <= 0 or before is None:
        return False
    zone = desk.config.club.zone
    back = clock.shift_deadline(before, -days, live.terms, zone)
    if back <= desk.now:
        back = min(
            before, clock.shift_deadline(before, (desk.today - to_local_day(before, zone)).days + 1, live.terms, zone)
        )
    match.deadline = match.final = back
    match.remind_at = compute_next_reminder(desk, match, live)
    record_clock_change(desk, match, live, "put-back", before)
    desk.session.add(match)
    return True


def keep_promised_extension(desk: Desk, match: MatchRow, live: LiveMatch, entry: int) -> bool:
    """Keep the day that somebody was promised for that turn or a later one, after all since log entry ``entry`` was
    taken back. True = the deadline has moved."""
    log = load_log_entries(desk.session, match)
    began = max((n for n, one in replay.drop_undone(log) if n <= entry and one.kind in TURN_ENDS), default=0)
    promised = [
        datetime.fromisoformat(str(one.outcome["to"]))
        for number, one in enumerate(log, start=1)
        if number > began and one.kind == LogEntryKind.CLOCK and one.text == "extend" and one.outcome.get("to")
    ]
    if match.deadline is None or not promised or max(promised) <= match.deadline:
        return False
    zone = desk.config.club.zone
    move_deadline(
        desk, match, live, (to_local_day(max(promised), zone) - to_local_day(match.deadline, zone)).days, "extend"
    )
    return True


def pause_clock(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Stop the clock until ``resume_clock``; orders are still taken."""
    match.stopped, match.stopped_at = ClockStop.PAUSE, desk.now
    record_clock_change(desk, match, live, "pause", match.deadline)
    desk.session.add(match)


def resume_clock(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Let the clock run again, with as many playing days left as when it stopped."""
    before, since, zone = match.deadline, match.stopped_at, desk.config.club.zone
    match.stopped, match.stopped_at = ClockStop.NO, None
    if before is not None and since is not None:
        match.deadline = clock.shift_after_pause(before, since, desk.now, live.terms, zone)
        match.final = clock.shift_after_pause(match.final or before, since, desk.now, live.terms, zone)
        match.remind_at = compute_next_reminder(desk, match, live)
    record_clock_change(desk, match, live, "go-on", before)
    desk.session.add(match)


def record_clock_change(desk: Desk, match: MatchRow, live: LiveMatch, why: str, before: datetime | None) -> None:
    """Write into the log that the deadline is another one now, and why."""
    shown = [moment.isoformat() if moment else None for moment in (before, match.deadline)]
    apply_event(desk, match, live, LogEntry(LogEntryKind.CLOCK, text=why, outcome={"from": shown[0], "to": shown[1]}))
