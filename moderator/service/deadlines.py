"""What happens when time passes: the ZAT of a match, the reminders before it, and what holds a ZAT back because nobody
can be blamed: the moderator was away itself, or too many orders are missing at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from moderator.common.enums import ClockCause, MailKind, MatchStatus
from moderator.rules.events import describe_moved_deadline
from moderator.rules.game import Note
from moderator.rules.silence import SeatStatus
from moderator.rules.time.calendar import to_local_day
from moderator.rules.time.clock import count_outage_days
from moderator.service.match.clock import count_postponed_days
from moderator.service.match.match import Match, has_missed_enough
from moderator.service.notifications import notify_chief
from moderator.service.notify import notify_match_events, notify_status
from moderator.store import due_work, key_values, matches, matches_log
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import LiveMatch, MatchSuspended, get_status_in_match
from moderator.views.match_state import AwaitedSeats
from moderator.views.unit_of_work import UnitOfWork


def advance_robots(work: UnitOfWork, match_id: int) -> None:
    """Let a match of robots play on, as far as this run may."""
    match = work.session.get_one(MatchRow, match_id)
    if match.status == MatchStatus.RUNNING and not match.held and not match.stopped and work.cache.turns_left > 0:
        Match.load(work, match).advance_match()
        notify_match_events(work)


def prepare_due_turn(work: UnitOfWork, match_id: int) -> list[int] | None:
    """List the seats that are late in a due match and have sent nothing (none, if a round only waited for its ZAT);
    None if the match is not due after all: somebody has extra days left, or never got the board, or cannot be
    reached."""
    match = Match.load(work, work.session.get_one(MatchRow, match_id))
    if match.live.seats_awaited and match.awaited.list_unreachable():
        match.stop_clock_for_mail()
        return None
    if match.restart_late_turn() is not False:
        return None
    final = match.awaited.compute_final_deadline()
    if final is not None and final + work.config.guard.settling_time > work.now:
        match.refresh_final()
        return None
    return match.list_silent_seats()


def end_due_turn(work: UnitOfWork, match_id: int) -> None:
    """End the turn: evaluate the round or pass the seat, vacate abandoned seats, and notify everybody."""
    match = Match.load(work, work.session.get_one(MatchRow, match_id))
    final = match.row.final
    if match.row.status != MatchStatus.RUNNING or final is None or final + work.config.guard.settling_time > work.now:
        return  # another worker has handled the order that was missing
    match.settle_turn()
    notify_match_events(work)


def remind_missing_players(work: UnitOfWork, match_id: int) -> None:
    """Remind those that the match waits for, or end a round that a race has decided."""
    match = Match.load(work, work.session.get_one(MatchRow, match_id))
    if match.row.remind_at is None or match.row.remind_at > work.now:
        return  # another worker has handled the order that was missing
    if match.live.table.pace == "race" and match.settle_decided_race():
        notify_match_events(work)
        return
    kind = match.get_reminder_kind()
    for seat, _ in match.seated:
        if seat.number in match.live.seats_awaited:
            notes = [Note(f"reminder-{kind}")] if kind in ("bank", "grace") else []
            notify_status(work, match.row, seat, MailKind.REMINDER, notes)
    match.schedule_reminder()


@dataclass(frozen=True)
class DeadlineGuard:
    """Holds ZATs back where the moderator does not trust what it sees."""

    work: UnitOfWork

    def move_deadlines_after_outage(self, before: datetime, now: datetime) -> int:
        """Put off all deadlines that were open when the mailbox was last read, notify those who are awaited and the
        moderator. Returns how many matches it were."""
        days = count_outage_days(now - before)
        settled = before - self.work.config.guard.settling_time
        count = 0
        for match in matches.list_matches_before_deadline(self.work.session, settled):
            self.work.cache.evict_matches()
            try:
                playing = Match.load(self.work, match)
            except MatchSuspended:
                continue
            playing.tell_moved_deadline(playing.move_deadline(days, ClockCause.OUTAGE))
            count += 1
        code = "outage" if count else "outage-harmless"
        notify_chief(self.work, Note(code, {"days": days, "matches": count, "since": before}))
        return count

    def needs_clock_confirmation(self, before: datetime, now: datetime) -> bool:
        """Return whether moving the deadlines would put one off further than may be without the moderator's word, with
        what it was put off by before."""
        days = count_outage_days(now - before)
        found = matches.list_matches_before_deadline(self.work.session, before - self.work.config.guard.settling_time)
        zone = self.work.config.club.zone
        return any(count_postponed_days(self.work.session, row, zone) + days > due_work.MOST.days for row in found)

    def ask_clock_confirmation(self, since: datetime, clock_time: datetime) -> None:
        """Ask the moderator, once for each outage, whether the clock is right, and the deadlines are to move."""
        if key_values.find_value(self.work.session, key_values.ASKED) != since.isoformat():
            key_values.save_value(self.work.session, key_values.ASKED, since.isoformat())
            facts = {"now": clock_time, "since": since, "days": count_outage_days(clock_time - since)}
            notify_chief(self.work, Note("clock-asks", facts))

    def undo_postponements(self, codes: Collection[str] = (), later_than: datetime | None = None) -> list[MatchRow]:
        """Take back what put off the deadlines of these matches (none named: of all) by itself, notify all players, and
        return the matches. ``later_than``: only what was written later than that; turns that began later begin now."""
        put = []
        for row in matches.list_matches_before_deadline(self.work.session, datetime.min.replace(tzinfo=UTC)):
            if codes and row.code not in codes:
                continue
            try:
                match = Match.load(self.work, row)
            except MatchSuspended:
                continue
            if later_than is not None and row.turn_at is not None and row.turn_at > later_than:
                moved = match.restart_turn(later_than, ClockCause.CLOCK_JUMP)
            else:
                moved = match.undo_postponement(later_than)
            if moved is None:
                continue
            put.append(row)
            for seat, _ in match.seated:
                if seat.number not in match.live.table.out:
                    notify_status(self.work, row, seat, MailKind.REFEREE, [describe_moved_deadline(moved)])
        return put

    def trust_clock(self, now: datetime) -> list[MatchRow]:
        """Trust the moderator that it is ``now``. Where something was noted later than that, what moved since then is
        moved back, see ``undo_postponements``; else the next run moves what it has asked about."""
        behind = now < self.work.now
        key_values.save_clock_trust(self.work.session, now, behind)
        self.work.now = now
        return self.undo_postponements(later_than=now) if behind else []

    def trip_nmr_breaker(self, due: Mapping[int, Sequence[int]]) -> bool:
        """Return whether what is missing in all due matches (match id -> seats that are late) may be adjudicated. If
        not, the deadlines of those that have not waited before move by a day; those who are missing there are notified,
        and the moderator of just those."""
        guard = self.work.config.guard
        rows = ((self.work.session.get_one(MatchRow, number), seats) for number, seats in due.items() if seats)
        late = [(Match.load(self.work, row), seats) for row, seats in rows]
        waiting = [(match, seats) for match, seats in late if not match.is_put_off_by_breaker()]
        missing = sum(len(seats) for _, seats in waiting)
        if missing < guard.nmr_least:
            return True
        came = matches_log.count_moves_by_mail(self.work.session, self.work.now - timedelta(days=1))
        expected = missing + self._count_waiting_orders(due) + came
        if missing <= guard.nmr_breaker * expected:
            return True
        told: list[dict[str, Any]] = []
        for match, _ in waiting:
            told += list_missing_seats(self.work, match.row, match.live).values()
            match.tell_moved_deadline(match.move_deadline(1, ClockCause.NMR_BREAKER))
        notify_chief(self.work, Note("many-missing", {"missing": len(told), "expected": expected, "seats": told}))
        return False

    def _count_waiting_orders(self, due: Mapping[int, Sequence[int]]) -> int:
        """Count the orders of people that wait for the ZAT in these matches."""
        count = 0
        for number in due:
            match = self.work.session.get_one(MatchRow, number)
            live, players = self.work.cache.load_match(self.work.session, match), self.work.list_players(match)
            if live.table.pace != "sequential":
                count += sum(
                    seat not in live.seats_unresponsive and not players[seat].robot for seat in live.seats_to_act
                )
        return count


# ---- who is missing in a match, for whoever decides about it: by the status of the seats, as the clock and all mails
# have it; for which time, and what it would cost


def list_missing_seats(work: UnitOfWork, match: MatchRow, live: LiveMatch) -> dict[int, dict[str, Any]]:
    """Return the seats of people whose move is missing: each as a code with its parameters, as notes have them."""
    players, found = work.list_players(match), {}
    for seat in live.seats_awaited:
        status = get_status_in_match(match, live, seat)
        if status.is_wanted and not players[seat].robot:
            facts = {"name": players[seat].name, "match": match.code, "title": f"{match.name} ({match.code})"}
            found[seat] = {
                "code": _choose_code(live, seat, status),
                "count": live.ledger.seats[seat].missed + 1,
                **facts,
            }
    return found


def list_missing_today(work: UnitOfWork, match: MatchRow) -> dict[int, dict[str, Any]]:
    """Return the same of those who will miss the deadline of this day; of a match with another one nobody."""
    zone = work.config.club.zone
    if match.status != MatchStatus.RUNNING or match.deadline is None or match.held or match.stopped or match.training:
        return {}
    if not work.now < match.deadline or to_local_day(match.deadline, zone) != work.today:
        return {}
    try:
        live = work.cache.load_readonly(work.session, match)
    except MatchSuspended:
        return {}
    plans = AwaitedSeats(work, match, live).build_schedules()
    return {
        seat: said
        for seat, said in list_missing_seats(work, match, live).items()
        if seat in plans and to_local_day(plans[seat].final, zone) == work.today
    }


def loses_seat(live: LiveMatch, seat: int) -> bool:
    """Return whether the seat is given up if its player sends nothing this time either."""
    return seat in live.seats_unresponsive and has_missed_enough(live, seat, more=1)


def _choose_code(live: LiveMatch, seat: int, status: SeatStatus) -> str:
    if status is SeatStatus.ILLEGAL:
        return "missing-illegal"
    code = "missing-lost" if loses_seat(live, seat) else "missing-seat"
    return code if live.ledger.seats[seat].missed else f"{code}-first"
