"""What happens when time passes: the ZAT of a match, the reminders before it, and what holds a ZAT back because nobody
can be blamed: the moderator was away itself, or too many orders are missing at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from moderator.common.enums import ClockStop, MailKind, MatchStatus, SeatLeftReason
from moderator.rules.game import Note
from moderator.rules.time.clock import count_outage_days
from moderator.service import match_clock, paces, seat_changes
from moderator.service.advance import advance_match
from moderator.service.notifications import notify_chief
from moderator.service.notify import notify_match_events, notify_status
from moderator.service.paces import end_turn_at_deadline
from moderator.service.seat_changes import take_next_standby, vacate_seat
from moderator.store import club_time, key_values, matches, matches_log
from moderator.store.matches import list_current_seats
from moderator.store.tables import MatchRow, SeatRow
from moderator.views.desk import Desk
from moderator.views.loaded_match import LiveMatch, MatchSuspended
from moderator.views.match_state import compute_final_deadline, list_unreachable_awaited


def advance_robots(desk: Desk, match_id: int) -> None:
    """Let a match of robots play on, as far as this run may."""
    match = desk.session.get_one(MatchRow, match_id)
    if match.status == MatchStatus.RUNNING and not match.held and not match.stopped and desk.cache.turns_left > 0:
        advance_match(desk, match, desk.cache.load_match(desk.session, match))
        notify_match_events(desk)


def list_late_seats(desk: Desk, match_id: int) -> list[int] | None:
    """List the seats that are late in a due match and have sent nothing (none, if a round only waited for its ZAT);
    None if the match is not due after all: somebody has extra days left, or never got the board, or cannot be
    reached."""
    match = desk.session.get_one(MatchRow, match_id)
    live = desk.cache.load_match(desk.session, match)
    if live.seats_wanted and list_unreachable_awaited(desk, match, live):
        match.stopped, match.stopped_at = ClockStop.MAIL, desk.now
        match_clock.record_clock_change(desk, match, live, "mail", match.deadline)
        return None
    if match_clock.turn_began_late(desk, match, live) is not False:
        return None
    final = compute_final_deadline(desk, match, live)
    if final is not None and final + desk.config.guard.settling_time > desk.now:
        match.final = final
        desk.session.add(match)
        return None
    return [seat for seat in live.seats_unresponsive if not desk.list_players(match)[seat].robot]


def end_due_turn(desk: Desk, match_id: int) -> None:
    """End the turn: evaluate the round or pass the seat, vacate abandoned seats, and notify everybody."""
    match = desk.session.get_one(MatchRow, match_id)
    live = desk.cache.load_match(desk.session, match)
    if (
        match.status != MatchStatus.RUNNING
        or match.final is None
        or match.final + desk.config.guard.settling_time > desk.now
    ):
        return  # another worker has handled the order that was missing
    settle_turn(desk, match, live)
    notify_match_events(desk)


def settle_turn(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Let the turn end as it stands, whatever the clock says."""
    missing = [seat for seat in live.seats_unresponsive if not desk.list_players(match)[seat].robot]
    if replace_absent(desk, match, live, missing):
        return
    end_turn_at_deadline(desk, match, live)
    if not match.held:
        vacate_abandoned(desk, match, live)


def was_put_off_by_breaker(desk: Desk, match: MatchRow) -> bool:
    """Return whether this turn was put off before because too much was missing: that is done once."""
    since = match.turn_at or desk.now - timedelta(days=2)
    return matches_log.has_clock_move(desk.session, match.number, "breaker", since)


def remind_missing_players(desk: Desk, match_id: int) -> None:
    """Remind those that the match waits for, or end a round that a race has decided."""
    match = desk.session.get_one(MatchRow, match_id)
    live = desk.cache.load_match(desk.session, match)
    if match.remind_at is None or match.remind_at > desk.now:
        return  # another worker has handled the order that was missing
    if live.table.pace == "race" and paces.settle_decided_race(desk, match, live):
        notify_match_events(desk)
        return
    kind = match_clock.get_reminder_kind(desk, match, live)
    for seat, _ in desk.list_seated(match):
        if seat.number in live.seats_wanted:
            left = live.ledger.seats[seat.number].bank
            notes = [Note(f"reminder-{kind}", {"bank": left, "grace": live.terms.grace})]
            notify_status(desk, match, seat, MailKind.REMINDER, notes if kind in ("bank", "grace") else ())
    match.remind_at = match_clock.compute_next_reminder(desk, match, live)
    desk.session.add(match)


def resume_reachable_player(desk: Desk, player_id: int, openings: Collection[int | None]) -> set[int]:
    """Begin the turns anew whose clocks stood because the player's mail did not work. Returns the matches of which the
    player is told by that; of ``openings`` by an opening mail."""
    told: set[int] = set()
    for match, _ in list_current_seats(desk.session, player_id):
        if match.status != MatchStatus.RUNNING or match.stopped != ClockStop.MAIL:
            continue
        live = desk.cache.load_match(desk.session, match)
        if list_unreachable_awaited(desk, match, live):
            continue
        match.turn_at = desk.now
        match_clock.schedule_turn(desk, match, live)
        match_clock.record_clock_change(desk, match, live, "mail-back", None)
        for seat, player in desk.list_seated(match):
            if seat.number in live.seats_wanted:
                mine = player.id == player_id
                resend_status(desk, match, seat, mine and match.number in openings)
                told |= {match.number} if mine else set()
    return told


def resend_status(desk: Desk, match: MatchRow, seat: SeatRow, opening: bool) -> None:
    """Notify a player how the match stands, because mail works again; ``opening``: all that its first mail says, which
    never came."""
    kind, notes = (MailKind.START, (Note("opening-again"),)) if opening else (MailKind.TURN, ())
    notify_status(desk, match, seat, kind, notes)


# ---- who does not answer ----
#
# What becomes of a seat whose player does not answer.
#
# Stored orders were tried before; then the turn is missed (a pass, or what the game makes of it). After
# ``abandon_after`` missed turns in a row, the first ``excused`` ones not counted, the seat is given up: somebody from
# the standby list takes it over, with a new deadline and without the missed turn; else a robot holds it, where the
# terms of the match say so (seat_changes.py), or it passes to the end.


def has_missed_enough(live: LiveMatch, seat: int, more: int = 0) -> bool:
    """Return whether so many missed turns (``more`` = that would come now) are enough to vacate the seat."""
    account, terms = live.ledger.seats[seat], live.terms
    counted = sum(account.missed + n > terms.excused for n in range(1, more + 1))
    return 0 < terms.abandon_after <= account.in_row + counted


def replace_absent(desk: Desk, match: MatchRow, live: LiveMatch, missing: Sequence[int]) -> bool:
    """Let somebody else take over the seats that would be vacated, before turns are missed. True = somebody has, and
    the match waits for them. In a tournament nobody plays for somebody else."""
    done = False
    if match.tournament_id is not None:
        return done
    for seat in missing:
        if has_missed_enough(live, seat, more=1) and (player := take_next_standby(desk, match)) is not None:
            seat_changes.hand_over_seat(desk, match, live, seat, player, SeatLeftReason.ABANDONED)
            done = True
    return done


def vacate_abandoned(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Vacate the seats that nobody plays any more, after turns were missed."""
    for seat, player in desk.list_seated(match):
        if live.table.state.over:
            return
        if seat.number not in live.table.out and not player.robot and has_missed_enough(live, seat.number):
            vacate_seat(desk, match, live, seat.number, SeatLeftReason.ABANDONED)


# ---- when the moderator does not trust what it sees ----


def move_deadlines_after_outage(desk: Desk, before: datetime, now: datetime) -> int:
    """Put off all deadlines that were open when the mailbox was last read, notify those who are awaited and the
    moderator. Returns how many matches it were."""
    days = count_outage_days(now - before)
    settled = before - desk.config.guard.settling_time
    count = 0
    for match in matches.list_matches_before_deadline(desk.session, settled):
        desk.cache.evict_matches()
        try:
            live = desk.cache.load_match(desk.session, match)
        except MatchSuspended:
            continue
        match_clock.move_deadline(desk, match, live, days, "outage")
        count += 1
        for seat, _ in desk.list_seated(match):
            if seat.number in live.seats_wanted:
                notify_status(desk, match, seat, MailKind.STATUS, [Note("deadline-outage", {"days": days})])
    notify_chief(desk, Note("outage", {"days": days, "matches": count, "since": before}))
    return count


def needs_clock_confirmation(desk: Desk, before: datetime, now: datetime) -> bool:
    """Return whether moving the deadlines would put one off further than may be without the moderator's word, with what
    it was put off by before."""
    days = count_outage_days(now - before)
    found = matches.list_matches_before_deadline(desk.session, before - desk.config.guard.settling_time)
    return any(match_clock.count_postponed_days(desk, match) + days > club_time.MOST.days for match in found)


def ask_clock_confirmation(desk: Desk, since: datetime, clock_time: datetime) -> None:
    """Ask the moderator, once for each outage, whether the clock is right, and the deadlines are to move."""
    if key_values.find_value(desk.session, key_values.ASKED) != since.isoformat():
        key_values.save_value(desk.session, key_values.ASKED, since.isoformat())
        notify_chief(
            desk, Note("clock-asks", {"now": clock_time, "since": since, "days": count_outage_days(clock_time - since)})
        )


def undo_postponements(desk: Desk, codes: Collection[str] = (), later_than: datetime | None = None) -> list[MatchRow]:
    """Take back what put off the deadlines of these matches (none named: of all) by itself, notify all players, and
    return the matches. ``later_than``: only what was written later than that; turns that began later begin now."""
    put = []
    for match in matches.list_matches_before_deadline(desk.session, datetime.min.replace(tzinfo=UTC)):
        try:
            live = desk.cache.load_match(desk.session, match) if not codes or match.code in codes else None
        except MatchSuspended:
            live = None
        if live is None:
            continue
        if later_than is not None and match.turn_at is not None and match.turn_at > later_than:
            before, match.turn_at = match.deadline, later_than
            match_clock.schedule_turn(desk, match, live)
            match_clock.record_clock_change(desk, match, live, "clock", before)
        elif not match_clock.undo_postponement(desk, match, live, later_than):
            continue
        put.append(match)
        for seat, _ in desk.list_seated(match):
            if seat.number not in live.table.out:
                said = Note("deadline-back", {"deadline": match.deadline})
                notify_status(desk, match, seat, MailKind.REFEREE, [said])
    return put


def trust_clock(desk: Desk, now: datetime) -> list[MatchRow]:
    """Trust the moderator that it is ``now``. Where something was noted later than that, what moved since then is moved
    back, see ``undo_postponements``; else the next run moves what it has asked about."""
    behind = now < desk.now
    key_values.save_clock_trust(desk.session, now, behind)
    desk.now = now
    return undo_postponements(desk, later_than=now) if behind else []


def check_nmr_breaker(desk: Desk, due: Mapping[int, Sequence[int]]) -> bool:
    """Return whether what is missing in all due matches (match id -> seats that are late) may be adjudicated. If not,
    the deadlines of those that have not waited before move by a day, and the moderator is notified of just those."""
    guard = desk.config.guard
    late = [(desk.session.get_one(MatchRow, number), seats) for number, seats in due.items() if seats]
    waiting = [(match, seats) for match, seats in late if not was_put_off_by_breaker(desk, match)]
    missing = sum(len(seats) for _, seats in waiting)
    if missing < guard.nmr_least:
        return True
    expected = (
        missing
        + _count_waiting_orders(desk, due)
        + matches_log.count_moves_by_mail(desk.session, desk.now - timedelta(days=1))
    )
    if missing <= guard.nmr_breaker * expected:
        return True
    names = []
    for match, seats in waiting:
        match_clock.move_deadline(desk, match, desk.cache.load_match(desk.session, match), 1, "breaker")
        players = desk.list_players(match)
        names.append(f"{match.code} {', '.join(players[seat].name for seat in seats)}")
    notify_chief(desk, Note("many-missing", {"missing": missing, "expected": expected, "matches": names}))
    return False


def _count_waiting_orders(desk: Desk, due: Mapping[int, Sequence[int]]) -> int:
    """Count the orders of people that wait for the ZAT in these matches."""
    count = 0
    for number in due:
        match = desk.session.get_one(MatchRow, number)
        live, players = desk.cache.load_match(desk.session, match), desk.list_players(match)
        if live.table.pace != "sequential":
            count += sum(seat not in live.seats_unresponsive and not players[seat].robot for seat in live.seats_to_act)
    return count
