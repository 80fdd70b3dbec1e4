"""What falls due by time alone, in its order: rulings that came, ZATs, reminders, tournaments, the mails of the day.

That the mailbox was not read for too long is found out before any mail is handled (``fetch.detect_outage``): the
deadlines move before anything is done that they could count for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
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


@dataclass
class DeadlineJob:
    """A run at one moment. Each step takes it, does its part in transactions of its own, and fills what the next one
    needs."""

    run: RunContext
    """Its clock stands."""
    late: dict[int, list[int]] = field(default_factory=dict)
    """Match id -> the seats that are late, of each match whose turn is over; [] = all are in, and the round only waited
    for its ZAT."""
    ending: list[int] = field(default_factory=list)
    """Ids of the matches whose turn ends now."""


def run_deadlines(run: RunContext, now: datetime) -> None:
    """Run all that is due.

    A match that fails is suspended, one that lacks its dictionary waits; the others go on. Mostly nothing is due, which
    ``due_work.find_due_work`` tells."""
    job = DeadlineJob(run.stop_clock(now))
    for step in DEADLINE_STEPS:
        step(job)


def resume_rulings(job: DeadlineJob) -> None:
    """Resume the matches on hold whose words were ruled on."""
    with job.run.begin_transaction() as work:
        held = matches.list_on_hold(work.session)
    for _ in job.run.run_for_each(held, word_rulings.resume_held_match):
        pass


def find_due_matches(job: DeadlineJob) -> None:
    """Find the matches whose turn has been over for the settling time, and who is late there."""
    run = job.run
    with run.begin_transaction() as work:
        due = matches.list_due_matches(work.session, run.now - run.config.guard.settling_time)
    found = run.run_for_each(due, deadlines.prepare_due_turn)
    job.late = {number: seats for number, seats in found if seats is not None}


def apply_nmr_breaker(job: DeadlineJob) -> None:
    """Put those off in which somebody is late, where so much is missing that it must be the mail."""
    with job.run.begin_transaction() as work:
        trusted = DeadlineGuard(work).trip_nmr_breaker(job.late)
    job.ending = [number for number, seats in job.late.items() if trusted or not seats]


def end_turns(job: DeadlineJob) -> None:
    """Evaluate the rounds and let the seats that are late pass."""
    for _ in job.run.run_for_each(job.ending, deadlines.end_due_turn):
        job.run.summary.deadlines += 1


def remind_and_report(job: DeadlineJob) -> None:
    """Tell everybody what time alone makes worth a mail."""
    for report in REPORTS:
        report(job.run)


DEADLINE_STEPS: tuple[Callable[[DeadlineJob], None], ...] = (
    resume_rulings,
    find_due_matches,
    apply_nmr_breaker,
    end_turns,
    remind_and_report,
)


# ---- reminders and reports: none needs another's outcome ----


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


REPORTS: tuple[Callable[[RunContext], None], ...] = (
    remind_players,
    advance_robot_matches,
    advance_due_tournaments,
    send_digests,
    send_weekly_puzzle,  # before what ends the day's look: a run may die in between
    report_agenda,
)
