"""What falls due by time alone: rulings that came, ZATs, reminders, tournaments, the mails of the day."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from moderator.common.errors import OperatorError, StoreError, TransientError, format_error_place
from moderator.run.fetch import RunSummary
from moderator.run.log import get_suspension_reason
from moderator.settings import Config

if TYPE_CHECKING:
    from moderator.service.desk import Desk
    from moderator.store.database import Store
    from moderator.views.match_cache import MatchCache

T = TypeVar("T")


def run_deadlines(config: Config, store: Store, cache: MatchCache, now: datetime, summary: RunSummary) -> None:
    """Run all that is due by time: rulings that were made, rounds, reminders, tournaments, daily mails; each in its own
    transaction.

    A match that fails is suspended, one that lacks its dictionary waits; the others go on. Mostly nothing is due, which
    ``probe.find_due_work`` tells."""
    from moderator.delivery import digest
    from moderator.service import deadlines, word_rulings
    from moderator.service.agenda import daily_notice
    from moderator.service.desk import Desk
    from moderator.store import matches, players
    from moderator.store.tables import MatchRow, PlayerRow

    def run_for_each(
        numbers: Iterable[int], action: Callable[[Desk, int], T], of: type = MatchRow
    ) -> Iterator[tuple[int, T]]:
        for number in numbers:
            yield from run_isolated(config, store, cache, now, summary, number, action, of)

    with store.begin_transaction() as session:
        held, due = matches.list_on_hold(session), matches.list_due_matches(session, now - config.guard.settling_time)
    for _ in run_for_each(held, word_rulings.resume_held_match):
        pass
    over = {number: seats for number, seats in run_for_each(due, deadlines.list_late_seats) if seats is not None}
    with store.begin_transaction() as session:
        desk = Desk(config, session, now, cache)
        trusted = deadlines.check_nmr_breaker(desk, over)
    for _ in run_for_each(over if trusted else [n for n, seats in over.items() if not seats], deadlines.end_due_turn):
        summary.deadlines += 1
    with store.begin_transaction() as session:
        reminders = matches.list_matches_to_remind(session, now)
    for _ in run_for_each(reminders, deadlines.remind_missing_players):
        summary.reminders += 1
    with store.begin_transaction() as session:
        alone = matches.list_robot_matches(session)
    for _ in run_for_each(alone, deadlines.advance_robots):
        pass
    _advance_tournaments(config, store, cache, now, summary)
    with store.begin_transaction() as session:
        daily = players.list_players_due_digest(session, now)
    for _, made in run_for_each(daily, digest.build_digest, PlayerRow):
        summary.digests += made
    with store.begin_transaction() as session:
        due_today = daily_notice.is_notice_due(Desk(config, session, now, cache))
    if due_today:
        _send_weekly_puzzle(
            config, store, cache, now, summary
        )  # before what ends the day's look: a run may die in between
        _send_daily_notice(config, store, cache, now, summary)


def _send_daily_notice(config: Config, store: Store, cache: MatchCache, now: datetime, summary: RunSummary) -> None:
    """Send the moderator's notice of the day; one that fails is not tried again before tomorrow."""
    from moderator.service.agenda import daily_notice

    steps = daily_notice.notify_daily_tasks, daily_notice.mark_reported
    _run_once(config, store, cache, now, summary, "the notice of the day", *steps)


def _send_weekly_puzzle(config: Config, store: Store, cache: MatchCache, now: datetime, summary: RunSummary) -> None:
    """Set the puzzle of the week, with the first run of a week, then send its mails, each in its own transaction; what
    fails is left out."""
    from functools import partial

    from moderator.service import puzzles
    from moderator.service.desk import Desk

    what = "the puzzle of the week"
    with store.begin_transaction() as session:
        due = puzzles.is_puzzle_week_due(Desk(config, session, now, cache))
    if due:
        _run_once(config, store, cache, now, summary, what, puzzles.begin_puzzle_week, puzzles.mark_puzzle_week)
    with store.begin_transaction() as session:
        waiting = puzzles.list_puzzle_recipients(Desk(config, session, now, cache))
    for number in waiting:
        steps = (
            partial(puzzles.notify_puzzle_recipient, number=number),
            partial(puzzles.mark_puzzle_mailed, number=number),
        )
        _run_once(config, store, cache, now, summary, what, *steps)
    with store.begin_transaction() as session:
        puzzles.list_puzzle_recipients(Desk(config, session, now, cache))


def _run_once(
    config: Config,
    store: Store,
    cache: MatchCache,
    now: datetime,
    summary: RunSummary,
    what: str,
    do: Callable[[Desk], object],
    leave: Callable[[Desk], None],
) -> None:
    """Run a step that is to be done once. Where our own code fails at it, ``leave`` marks it as done and the operator
    is notified, so that it holds up nobody else's mail."""
    from moderator.run.handle import retry_on_clash
    from moderator.service.desk import Desk

    try:
        retry_on_clash(store, cache, lambda session: do(Desk(config, session, now, cache)))
    except (StoreError, TransientError):
        raise
    except Exception as error:
        import traceback

        with store.begin_transaction() as session:
            leave(Desk(config, session, now, cache))
        summary.add_trouble(f"{what}: {traceback.format_exc().strip()}", f"{what}: {format_error_place(error)}")


def _advance_tournaments(config: Config, store: Store, cache: MatchCache, now: datetime, summary: RunSummary) -> None:
    """Advance every tournament as far as it can be now, a step per transaction. One that our own code fails at waits
    for the moderator; the others go on."""
    from moderator.service.desk import Desk
    from moderator.service.tournaments import steps
    from moderator.store import tournaments
    from moderator.store.tables import Tournament

    with store.begin_transaction() as session:
        waiting = tournaments.list_due_tournaments(session, now)
    for number in waiting:
        try:
            while any(
                more
                for _, more in run_isolated(
                    config, store, cache, now, summary, number, steps.advance_tournament, Tournament
                )
            ):
                summary.steps += 1
        except (StoreError, TransientError):
            raise
        except Exception as error:
            import traceback

            with store.begin_transaction() as session:
                steps.report_failed_step(Desk(config, session, now, cache), number, error)
            what = f"tournament {number}"
            summary.add_trouble(f"{what}: {traceback.format_exc().strip()}", f"{what}: {format_error_place(error)}")


def run_isolated(
    config: Config,
    store: Store,
    cache: MatchCache,
    now: datetime,
    summary: RunSummary,
    number: int,
    action: Callable[[Desk, int], T],
    of: type,
) -> Iterator[tuple[int, T]]:
    """Run an action on one match, player or tournament (``of``: the table it is in), so that a failure concerns that
    one only.

    Yields (number, outcome); nothing if it failed."""
    from moderator.run.handle import retry_on_clash
    from moderator.service.desk import Desk
    from moderator.service.seat_changes import suspend_match
    from moderator.views.loaded_match import MatchSuspended

    try:
        yield number, retry_on_clash(store, cache, lambda session: action(Desk(config, session, now, cache), number))
    except MatchSuspended as error:
        with store.begin_transaction() as session:
            suspend_match(Desk(config, session, now, cache), error.match_id, error.reason)
        summary.add_trouble(error.reason, get_suspension_reason(error), mailed=True)
    except StoreError:
        raise
    except OperatorError as error:
        with store.begin_transaction() as session:
            row: Any = session.get_one(of, number)
        summary.add_trouble(
            str(error), about=f"{of.__name__.removesuffix('Row').lower()} {getattr(row, 'code', '') or row.name}"
        )
