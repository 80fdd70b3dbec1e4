"""The clock of a match: when the turn ends for whom, what an order's time of arrival means, when the clock stands.

The arithmetic is in rules/time/clock.py. Here it meets the match's row: ``turn_at`` (when the turn began), ``deadline``
(the ZAT that mails print), ``final`` (after which the missing are late), ``remind_at``, ``stopped``.

A turn that begins has its deadline by the rules (``schedule_turn``). Whatever moves it later is a ``DeadlineMoved``,
whose cause everybody can read.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from moderator.common.enums import ClockCause, ClockStop, LogEntryKind, MailKind, OutboxState
from moderator.rules import replay
from moderator.rules.events import DeadlineMoved, describe_moved_deadline
from moderator.rules.replay import LogEntry
from moderator.rules.time import clock
from moderator.rules.time.clock import compute_first_day, to_local_day
from moderator.service.match.log import MatchLog
from moderator.service.notify import notify_status
from moderator.store import club_tables, matches_log, outbox
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.loaded_match import LiveMatch
from moderator.views.match_state import AwaitedSeats

PUNCTUAL = timedelta(hours=6)
"""A ZAT that was met by then is where the next turn begins, so that hour and weekday stay."""
TURN_ENDS = (LogEntryKind.MOVE, LogEntryKind.MISS, LogEntryKind.EVALUATE, LogEntryKind.HAND_OVER)
"""Entries after which a new turn begins."""
BOARD_MAILS = (MailKind.START, MailKind.TURN, MailKind.CORRECTION, MailKind.DIGEST, MailKind.BACKLOG)
"""Mails that begin a turn once the server has accepted them."""


def _is_deadline_hour(moment: datetime, live: LiveMatch, zone: str) -> bool:
    return moment == clock.resolve_local_hour(to_local_day(moment, zone), live.terms.hour, ZoneInfo(zone))


BY_ITSELF = (ClockCause.OUTAGE, ClockCause.NMR_BREAKER)
"""Why a deadline is put off without anybody's word."""
LAID_ANEW = (ClockCause.MAIL_LATE, ClockCause.MAIL_BACK, ClockCause.PUT_BACK, ClockCause.CLOCK_JUMP)
"""Entries that lay the deadline anew: days put off before them count no longer."""


def count_postponed_days(session: Session, match: MatchRow, zone: str, later_than: datetime | None = None) -> int:
    """Count the calendar days by which the deadline of the running turn was put off by itself; only by what was written
    ``later_than`` that, where it is given."""
    days = 0
    for row in matches_log.list_match_events(session, match.number):
        if row.kind in (*TURN_ENDS, LogEntryKind.UNDO) or (row.kind == LogEntryKind.CLOCK and row.text in LAID_ANEW):
            days = 0
        elif row.kind == LogEntryKind.CLOCK and row.text in BY_ITSELF and (later_than is None or row.at > later_than):
            before, after = (to_local_day(datetime.fromisoformat(row.outcome[end]), zone) for end in ("from", "to"))
            days += (after - before).days
    return days


def set_deadline(row: MatchRow, deadline: datetime | None, final: datetime | None = None) -> None:
    """Set the ZAT, and after what the last of the missing seats is late; nothing else writes them."""
    row.deadline, row.final = deadline, final or deadline


class MatchClock(MatchLog):
    """The match and its clock."""

    @property
    def awaited(self) -> AwaitedSeats:
        """The seats that the match waits for, and until when."""
        return AwaitedSeats(self.work, self.row, self.live)

    def begin_turn(self) -> None:
        """Set a new deadline, because somebody else is awaited or a round begins."""
        met = self.row.deadline
        late = met is not None and not self.row.stopped and timedelta(0) <= self.now - met
        final = max(filter(None, (met, self.row.final)), default=self.now)
        self.row.turn_at = met if met is not None and late and self.now - final < PUNCTUAL else self.now
        self.schedule_turn()

    def schedule_turn(self) -> None:
        """Set the deadlines of the turn that began at ``row.turn_at``. The clock stands while somebody awaited cannot
        be reached."""
        plans = self.awaited.build_base_schedules()
        if not plans:
            self.clear_deadline()
            return
        set_deadline(self.row, clock.merge_schedules(plans.values()).zat)
        self.schedule_reminder()
        if self.row.stopped == ClockStop.PAUSE:
            self.row.stopped_at = self.now
            return
        self.row.stopped = ClockStop.MAIL if self.awaited.list_unreachable() else ClockStop.NO
        self.row.stopped_at = self.now if self.row.stopped else None

    def clear_deadline(self) -> None:
        """Let nobody be awaited: the match is over, or its turn is about to begin anew."""
        set_deadline(self.row, None)
        self.row.remind_at = None

    def refresh_final(self) -> None:
        """Set after what the last of the missing seats is late, because others are missing now."""
        set_deadline(self.row, self.row.deadline, self.awaited.compute_final_deadline())

    def schedule_reminder(self, moment: datetime | None = None) -> None:
        """Set when somebody is to look at the match again: at that moment, else with the next reminder."""
        self.row.remind_at = moment or self.compute_next_reminder()

    def compute_time_spent(self, seat: int) -> dict[str, Any]:
        """Compute what the order at hand costs its seat, for the log (see rules/time/clock.py); {} if the seat is not
        awaited."""
        plan = self.awaited.build_schedules().get(seat)
        if plan is None or self.row.turn_at is None:
            return {}
        days = (to_local_day(self.work.received_at, self.zone) - to_local_day(self.row.turn_at, self.zone)).days
        return {
            "clock": {str(seat): {"used": clock.count_bank_used(plan, self.work.received_at), "took": max(0, days)}}
        }

    def is_mail_too_late(self, seat: int) -> bool:
        """Return whether the mail at hand came after the end of its seat's turn."""
        if self.work.mail is None or self.row.stopped or self.row.held or seat not in self.live.seats_to_act:
            return False
        plan = self.awaited.build_schedules().get(seat)
        return plan is not None and clock.is_late(plan, self.work.received_at)

    def compute_next_reminder(self) -> datetime | None:
        """Compute when the missing seats are to be reminded; None if that is over or not wanted."""
        return next((moment for moment, _ in self._list_turn_reminders() if moment > self.now), None)

    def get_reminder_kind(self) -> str:
        """Return the kind of reminder that is due now: half, day, bank or grace."""
        kinds = [kind for moment, kind in self._list_turn_reminders() if moment <= self.now]
        return kinds[-1] if kinds else "day"

    def _list_turn_reminders(self) -> tuple[tuple[datetime, str], ...]:
        found = self.awaited.build_schedules()
        waited = [found[seat] for seat in self.live.seats_awaited if seat in found]
        if not waited or self.row.turn_at is None:
            return ()
        zone = self.zone
        return clock.list_reminders(
            compute_first_day(self.row.turn_at, self.live.terms, zone),
            clock.merge_schedules(waited),
            self.live.terms,
            zone,
        )

    def find_delivery_time(self, player: PlayerRow) -> datetime | None:
        """Find when the mail server took the mail that began this turn for the player; None while it is on its way.
        Where no such mail was made (a turn older than the mails kept), the turn's own time."""
        if self.row.turn_at is None or club_tables.has_deferred_news(self.session, player.number, self.row.number):
            return None
        mails = outbox.list_delivery_progress(
            self.session, self.row.number, player.number, BOARD_MAILS, self.row.turn_at
        )
        taken = [sent for sent, _ in mails if sent is not None]
        if taken:
            return min(taken)
        waits = any(state in (OutboxState.QUEUED, OutboxState.SENDING) for _, state in mails) or (
            player.digest and not mails
        )
        return None if waits else self.row.turn_at

    def restart_late_turn(self) -> bool | None:
        """Return whether the turn begins anew, because the server took the board mail on a later day than was thought;
        the deadlines are set again then. None = somebody's mail is still on its way, and nobody can be late."""
        if self.row.turn_at is None:
            return False
        zone, players = self.zone, self.players
        moments = []
        for seat in self.live.seats_awaited:
            if players[seat].robot:
                continue
            moment = self.find_delivery_time(players[seat])
            if moment is None:
                return None
            moments.append(moment)
        latest = max(moments, default=self.row.turn_at)
        if latest - self.row.turn_at < PUNCTUAL and _is_deadline_hour(self.row.turn_at, self.live, zone):
            return False
        if compute_first_day(latest, self.live.terms, zone) <= compute_first_day(
            self.row.turn_at, self.live.terms, zone
        ):
            return False
        self.tell_moved_deadline(self.restart_turn(latest, ClockCause.MAIL_LATE))
        return True

    def restart_turn(self, began: datetime, cause: ClockCause) -> DeadlineMoved | None:
        """Let the turn that is being played begin at another moment; None where its deadline stays."""
        before = self.row.deadline
        self.row.turn_at = began
        self.schedule_turn()
        return self._record_move(before, cause)

    def move_deadline(
        self, to: int | datetime, cause: ClockCause, final: datetime | None = None
    ) -> DeadlineMoved | None:
        """Move the deadline of the turn that is being played, by calendar days (and on to a day that is played) or to a
        moment; ``final``: after that the last of the missing seats is late then. None where there is no deadline, or it
        stays."""
        before = self.row.deadline
        if before is None:
            return None
        if isinstance(to, int):
            final = clock.shift_deadline(self.row.final or before, to, self.live.terms, self.zone)
            to = clock.shift_deadline(before, to, self.live.terms, self.zone)
        set_deadline(self.row, to, final)
        self.schedule_reminder()
        return self._record_move(before, cause)

    def _record_move(self, before: datetime | None, cause: ClockCause) -> DeadlineMoved | None:
        """Record that the deadline is another one now, and why: in the log, and among what has happened."""
        # Where the clock stood until now, the log has never said when the turn would have ended.
        self._log_clock_change(cause, None if cause is ClockCause.MAIL_BACK else before)
        if before is None or self.row.deadline in (None, before):
            return None
        moved = DeadlineMoved(before, self.row.deadline, cause)
        self.events.happened.append(moved)
        return moved

    def tell_moved_deadline(self, moved: DeadlineMoved | None) -> None:
        """Tell whoever the match waits for that the deadline is another one, and why."""
        if moved is None:
            return
        for seat, _ in self.seated:
            if seat.number in self.live.seats_awaited:
                notify_status(self.work, self.row, seat, MailKind.STATUS, [describe_moved_deadline(moved)])

    def undo_postponement(self, later_than: datetime | None = None) -> DeadlineMoved | None:
        """Take back the days that ``count_postponed_days`` counts; a deadline that would be over is at its hour
        tomorrow, so that nobody is late by that. None = there is nothing to take back."""
        days, before = count_postponed_days(self.session, self.row, self.zone, later_than), self.row.deadline
        if days <= 0 or before is None:
            return None
        back = clock.shift_deadline(before, -days, self.live.terms, self.zone)
        if back <= self.now:
            gone = (self.work.today - to_local_day(before, self.zone)).days
            back = min(before, clock.shift_deadline(before, gone + 1, self.live.terms, self.zone))
        return self.move_deadline(back, ClockCause.PUT_BACK)

    def keep_promised_extension(self, entry: int) -> bool:
        """Keep the day that somebody was promised for that turn or a later one, after all since log entry ``entry`` was
        taken back. True = the deadline has moved."""
        log = self.load_log()
        began = max((n for n, one in replay.drop_undone(log) if n <= entry and one.kind in TURN_ENDS), default=0)
        promised = [
            datetime.fromisoformat(str(one.outcome["to"]))
            for number, one in enumerate(log, start=1)
            if number > began
            and one.kind == LogEntryKind.CLOCK
            and one.text == ClockCause.STAFF
            and one.outcome.get("to")
        ]
        return bool(promised) and self.postpone_until(max(promised))

    def postpone_until(self, promised: datetime) -> bool:
        """Put the deadline off to the day that the moderator has promised, if it is a later one. True = it is."""
        if self.row.deadline is None:
            return False
        days = (to_local_day(promised, self.zone) - to_local_day(self.row.deadline, self.zone)).days
        return days > 0 and self.move_deadline(days, ClockCause.STAFF) is not None

    def pause_clock(self) -> None:
        """Stop the clock until ``resume_clock``; orders are still taken."""
        self._stop_clock(ClockStop.PAUSE)

    def stop_clock_for_mail(self) -> None:
        """Stop the clock, because somebody awaited cannot be reached, until they can."""
        self._stop_clock(ClockStop.MAIL)

    def _stop_clock(self, why: ClockStop) -> None:
        self.row.stopped, self.row.stopped_at = why, self.now
        self._log_clock_change(why, self.row.deadline)

    def resume_clock(self) -> None:
        """Let the clock run again, with as many playing days left as when it stopped."""
        before, since = self.row.deadline, self.row.stopped_at
        self.row.stopped, self.row.stopped_at = ClockStop.NO, None
        if before is None or since is None:
            self._log_clock_change(ClockCause.PAUSE_ENDED, before)
            return
        ends = (before, self.row.final or before)
        deadline, final = (clock.shift_after_pause(end, since, self.now, self.live.terms, self.zone) for end in ends)
        self.move_deadline(deadline, ClockCause.PAUSE_ENDED, final)

    def _log_clock_change(self, why: ClockCause | ClockStop, before: datetime | None) -> None:
        """Write into the log what has happened to the clock, and what the deadline was and is."""
        shown = [moment.isoformat() if moment else None for moment in (before, self.row.deadline)]
        self.apply_entry(LogEntry(LogEntryKind.CLOCK, text=why, outcome={"from": shown[0], "to": shown[1]}))
