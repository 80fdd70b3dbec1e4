"""What falls due by time alone, in its order: rulings that came, ZATs, reminders, tournaments, the mails of the day.

That the mailbox was not read for too long is found out before any mail is handled (``fetch.detect_outage``): the
deadlines move before anything is done that they could count for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from moderator.delivery.deliver import deliver_notifications
from moderator.inbox.agenda.daily_notice import Agenda
from moderator.run.context import RunContext
from moderator.service import deadlines, word_rulings
from moderator.service.deadlines import DeadlineGuard
from moderator.service.players.wanted_mails import notify_daily
from moderator.service.puzzles import PuzzleWeek
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.store import matches, players, tournaments
from moderator.store.tables import PlayerRow, Tournament
from moderator.views.unit_of_work import UnitOfWork


def run_deadlines(run: RunContext, now: datetime) -> None:
    """Run all that is due.

    A match that fails is suspended, one that lacks its dictionary waits; the others go on. Mostly nothing is due, which
    ``due_work.find_due_work`` tells."""
    run = run.stop_clock(now)
    for step in DEADLINE_STEPS:
        step(run)


def resume_rulings(run: RunContext) -> None:
    """Resume the matches on hold whose words were ruled on."""
    with run.begin_transaction() as work:
        held = matches.list_on_hold(work.session)
    for _ in run.run_for_each(held, word_rulings.resume_held_match):
        pass


def end_due_turns(run: RunContext) -> None:
    """Evaluate the rounds that have been over for the settling time, and let the seats that are late pass. Where so
    much is missing that it must be the mail, the matches in which somebody is late are put off instead."""
    with run.begin_transaction() as work:
        due = matches.list_due_matches(work.session, run.now - run.config.guard.settling_time)
    found = run.run_for_each(due, deadlines.prepare_due_turn)
    late = {number: seats for number, seats in found if seats is not None}
    with run.begin_transaction() as work:
        trusted = DeadlineGuard(work).trip_nmr_breaker(late)
    ending = [number for number, seats in late.items() if trusted or not seats]
    for _ in run.run_for_each(ending, deadlines.end_due_turn):
        run.summary.deadlines += 1


def remind_players(run: RunContext) -> None:
    with run.begin_transaction() as work:
        waiting = matches.list_matches_to_remind(work.session, run.now)
    for _ in run.run_for_each(waiting, deadlines.remind_missing_players):
        run.summary.reminders += 1


def advance_robot_matches(run: RunContext) -> None:
    with run.begin_transaction() as work:
        alone = matches.list_robot_matches(work.session)
    for _ in run.run_for_each(alone, deadlines.advance_robots):
        pass


def advance_due_tournaments(run: RunContext) -> None:
    """Advance each tournament as far as it can be now, a step per transaction. One that our own code fails at waits for
    the moderator."""
    with run.begin_transaction() as work:
        due = tournaments.list_due_tournaments(work.session, run.now)
    for number in due:
        _advance_tournament(run, number)


def _advance_tournament(run: RunContext, number: int) -> None:
    def report(work: UnitOfWork, error: Exception) -> None:
        ClubTournament.load(work, number).report_failed_step(error)

    def advance(work: UnitOfWork, number: int) -> bool:
        return ClubTournament.load(work, number).advance_tournament()

    with run.guard_step(f"tournament {number}", report):
        while any(more for _, more in run.run_for_each([number], advance, Tournament)):
            run.summary.steps += 1


def deliver_daily_mail(work: UnitOfWork, player_id: int) -> bool:
    """Deliver one player's daily mail. Returns False if there was nothing to say, or nobody reads it."""
    notify_daily(work, player_id)
    return bool(deliver_notifications(work))


def send_digests(run: RunContext) -> None:
    with run.begin_transaction() as work:
        daily = players.list_players_due_digest(work.session, run.now)
    for _, made in run.run_for_each(daily, deliver_daily_mail, PlayerRow):
        run.summary.digests += made


def send_weekly_puzzle(run: RunContext) -> None:
    """Set the puzzle of the week, with the first run of a week, then send its mails, each in its own transaction; what
    fails is left out."""
    if not _is_new_day(run):
        return
    with run.begin_transaction() as work:
        due = PuzzleWeek(work).is_due()
    if due:
        with run.guard_step("the puzzle of the week", lambda work, _: PuzzleWeek(work).mark_begun()):
            run.run_action(lambda work: PuzzleWeek(work).begin_week())
    with run.begin_transaction() as work:
        waiting = PuzzleWeek(work).list_recipients()
    for number in waiting:
        _send_puzzle(run, number)
    with run.begin_transaction() as work:
        PuzzleWeek(work).list_recipients()


def _send_puzzle(run: RunContext, player: int) -> None:
    with run.guard_step("the puzzle of the week", lambda work, _: PuzzleWeek(work).mark_mailed(player)):
        run.run_action(lambda work: PuzzleWeek(work).notify_recipient(player))


def report_agenda(run: RunContext) -> None:
    """Notify the moderator of what waits, once a day. A notice that fails is not tried again before tomorrow."""
    if _is_new_day(run):
        with run.guard_step("the notice of the day", lambda work, _: Agenda(work).mark_reported()):
            run.run_action(lambda work: Agenda(work).notify_staff())


def _is_new_day(run: RunContext) -> bool:
    """Return whether the day's look is still to come; ``report_agenda`` ends it."""
    with run.begin_transaction() as work:
        return Agenda(work).is_notice_due()


DEADLINE_STEPS: tuple[Callable[[RunContext], None], ...] = (
    resume_rulings,
    end_due_turns,
    # Reminders and reports: none needs another's outcome.
    remind_players,
    advance_robot_matches,
    advance_due_tournaments,
    send_digests,
    send_weekly_puzzle,  # before what ends the day's look: a run may die in between
    report_agenda,
)
