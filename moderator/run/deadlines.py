"""What falls due by time alone: rulings that came, ZATs, reminders, tournaments, the mails of the day."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from moderator.common.errors import OperatorError, StoreError, TransientError, format_error_place
from moderator.delivery.deliver import deliver_daily_mail, open_unit_of_work
from moderator.run.handle import retry_on_clash
from moderator.run.log import RunSummary
from moderator.service import deadlines, puzzles, word_rulings
from moderator.service.agenda import daily_notice
from moderator.service.match.halt import suspend_match
from moderator.service.tournaments import steps
from moderator.settings import Config
from moderator.store import matches, players, tournaments
from moderator.store.database import Session, Store
from moderator.store.tables import MatchRow, PlayerRow, Tournament
from moderator.views.desk import Desk
from moderator.views.loaded_match import MatchSuspended
from moderator.views.match_cache import MatchCache

T = TypeVar("T")


@dataclass(frozen=True)
class Transactions:
    """The transactions of a run at one moment, each for one thing: what fails concerns that one only."""

    config: Config
    store: Store
    cache: MatchCache
    now: datetime
    summary: RunSummary

    @contextmanager
    def begin_transaction(self) -> Iterator[Desk]:
        with (
            self.store.begin_transaction() as session,
            open_unit_of_work(self.config, session, self.now, self.cache) as desk,
        ):
            yield desk

    def run_action(self, action: Callable[..., T], *more: int) -> T:
        """Return what the action returns; it is run anew where another worker came in between."""

        def act(session: Session) -> T:
            with open_unit_of_work(self.config, session, self.now, self.cache) as desk:
                return action(desk, *more)

        return retry_on_clash(self.store, self.cache, act)

    def run_for_each(
        self, numbers: Iterable[int], action: Callable[[Desk, int], T], of: type = MatchRow
    ) -> Iterator[tuple[int, T]]:
        """Run an action on matches, players or tournaments (``of``: the table they are in).

        Yields (number, outcome); nothing of one that failed."""
        for number in numbers:
            try:
                yield number, self.run_action(action, number)
            except MatchSuspended as error:
                with self.begin_transaction() as desk:
                    suspend_match(desk, error.match_id, error.reason)
                self.summary.add_trouble(error.reason, error.logged_reason, mailed=True)
            except StoreError:
                raise
            except OperatorError as error:
                with self.store.begin_transaction() as session:
                    row: Any = session.get_one(of, number)
                about = f"{of.__name__.removesuffix('Row').lower()} {getattr(row, 'code', '') or row.name}"
                self.summary.add_trouble(str(error), about=about)

    @contextmanager
    def guard_step(self, what: str, leave: Callable[[Desk, Exception], None] | None = None) -> Iterator[None]:
        """Go on where our own code fails at the block: the operator is notified, and ``leave`` marks it as done, so
        that it holds up nobody else's mail."""
        try:
            yield
        except (StoreError, TransientError):
            raise
        except Exception as error:
            if leave is not None:
                with self.begin_transaction() as desk:
                    leave(desk, error)
            trace = traceback.format_exc().strip()
            self.summary.add_trouble(f"{what}: {trace}", f"{what}: {format_error_place(error)}")


def run_deadlines(config: Config, store: Store, cache: MatchCache, now: datetime, summary: RunSummary) -> None:
    """Run all that is due by time: rulings that were made, rounds, reminders, tournaments, daily mails; each in its own
    transaction.

    A match that fails is suspended, one that lacks its dictionary waits; the others go on. Mostly nothing is due, which
    ``due_work.find_due_work`` tells."""
    work = Transactions(config, store, cache, now, summary)
    with store.begin_transaction() as session:
        held, due = matches.list_on_hold(session), matches.list_due_matches(session, now - config.guard.settling_time)
    for _ in work.run_for_each(held, word_rulings.resume_held_match):
        pass
    over = {number: seats for number, seats in work.run_for_each(due, deadlines.list_late_seats) if seats is not None}
    with work.begin_transaction() as desk:
        trusted = deadlines.check_nmr_breaker(desk, over)
    ending = over if trusted else [n for n, seats in over.items() if not seats]
    for _ in work.run_for_each(ending, deadlines.end_due_turn):
        summary.deadlines += 1
    with store.begin_transaction() as session:
        reminders = matches.list_matches_to_remind(session, now)
    for _ in work.run_for_each(reminders, deadlines.remind_missing_players):
        summary.reminders += 1
    with store.begin_transaction() as session:
        alone = matches.list_robot_matches(session)
    for _ in work.run_for_each(alone, deadlines.advance_robots):
        pass
    with store.begin_transaction() as session:
        waiting = tournaments.list_due_tournaments(session, now)
    for number in waiting:
        _advance_tournament(work, number)
    with store.begin_transaction() as session:
        daily = players.list_players_due_digest(session, now)
    for _, made in work.run_for_each(daily, deliver_daily_mail, PlayerRow):
        summary.digests += made
    with work.begin_transaction() as desk:
        due_today = daily_notice.is_notice_due(desk)
    if due_today:
        _send_weekly_puzzle(work)  # before what ends the day's look: a run may die in between
        # One that fails is not tried again before tomorrow.
        with work.guard_step("the notice of the day", lambda desk, _: daily_notice.mark_reported(desk)):
            work.run_action(daily_notice.notify_daily_tasks)


def _send_weekly_puzzle(work: Transactions) -> None:
    """Set the puzzle of the week, with the first run of a week, then send its mails, each in its own transaction; what
    fails is left out."""
    with work.begin_transaction() as desk:
        due = puzzles.is_puzzle_week_due(desk)
    if due:
        with work.guard_step("the puzzle of the week", lambda desk, _: puzzles.mark_puzzle_week(desk)):
            work.run_action(puzzles.begin_puzzle_week)
    with work.begin_transaction() as desk:
        waiting = puzzles.list_puzzle_recipients(desk)
    for number in waiting:
        _send_puzzle(work, number)
    with work.begin_transaction() as desk:
        puzzles.list_puzzle_recipients(desk)


def _send_puzzle(work: Transactions, player: int) -> None:
    with work.guard_step("the puzzle of the week", lambda desk, _: puzzles.mark_puzzle_mailed(desk, player)):
        work.run_action(puzzles.notify_puzzle_recipient, player)


def _advance_tournament(work: Transactions, number: int) -> None:
    """Advance a tournament as far as it can be now, a step per transaction. One that our own code fails at waits for
    the moderator."""
    with work.guard_step(f"tournament {number}", lambda desk, error: steps.report_failed_step(desk, number, error)):
        while any(more for _, more in work.run_for_each([number], steps.advance_tournament, Tournament)):
            work.summary.steps += 1
