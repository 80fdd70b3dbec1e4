"""What falls due by time alone: rulings that came, ZATs, reminders, tournaments, daily mails, mails that wait."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from moderator.config import Config
from moderator.errors import OperatorError, StoreError, TransientError
from moderator.run.intake import Summary

if TYPE_CHECKING:
    from moderator.club.desk import Desk
    from moderator.club.run_cache import RunCache
    from moderator.store.db import Store

T = TypeVar("T")


def run_deadlines(config: Config, store: Store, cache: RunCache, now: datetime, summary: Summary) -> None:
    """Rulings that came, rounds that are due, reminders, tournaments, daily mails; each in its own transaction. A
    match that fails is suspended, one that lacks its dictionary waits; the others go on. Mostly nothing has come, which
    ``probe.come`` tells."""
    from moderator.club.desk import Desk
    from moderator.inbox import accepting
    from moderator.outbox import digest
    from moderator.play import deadlines, rulings
    from moderator.store import matches, players

    def each(numbers: Iterable[int], action: Callable[[Desk, int], T]) -> Iterator[tuple[int, T]]:
        for number in numbers:
            yield from apart(config, store, cache, now, summary, number, action)

    with store.transaction() as session:
        held, due = matches.held(session), matches.over_by(session, now - config.guard.settle)
    for _ in each(held, rulings.release):
        pass
    over = {number: seats for number, seats in each(due, deadlines.late) if seats is not None}
    with store.transaction() as session:
        desk = Desk(config, session, now, cache)
        trusted = deadlines.trusted(desk, over)
    for _ in each(over if trusted else [n for n, seats in over.items() if not seats], deadlines.zat):
        summary.deadlines += 1
    with store.transaction() as session:
        reminders = matches.to_remind(session, now)
    for _ in each(reminders, deadlines.remind):
        summary.reminders += 1
    with store.transaction() as session:
        alone = matches.among_robots(session)
    for _ in each(alone, deadlines.go_on_by_itself):
        pass
    _tournaments(config, store, cache, now, summary)
    with store.transaction() as session:
        daily = players.due_daily(session, now)
    for _, made in each(daily, digest.send):
        summary.digests += made
    with store.transaction() as session:
        desk = Desk(config, session, now, cache)
        if accepting.due(desk):
            accepting.tell_daily(desk)


def _tournaments(config: Config, store: Store, cache: RunCache, now: datetime, summary: Summary) -> None:
    """Every tournament as far as it goes now, a step per transaction. One that our own code fails at waits for the
    moderator; the others go on."""
    from moderator.club.desk import Desk
    from moderator.play.tournaments import steps
    from moderator.store import tournaments

    with store.transaction() as session:
        waiting = tournaments.due(session, now)
    for number in waiting:
        try:
            while any(more for _, more in apart(config, store, cache, now, summary, number, steps.advance)):
                summary.steps += 1
        except (StoreError, TransientError):
            raise
        except Exception as error:
            import traceback

            with store.transaction() as session:
                steps.failed(Desk(config, session, now, cache), number, error)
            summary.trouble(f"tournament {number}: {traceback.format_exc().strip()}")


def apart(
    config: Config,
    store: Store,
    cache: RunCache,
    now: datetime,
    summary: Summary,
    number: int,
    action: Callable[[Desk, int], T],
) -> Iterator[tuple[int, T]]:
    """(number, outcome) of an action on one match, player or tournament; nothing if it failed, which concerns that one
    only."""
    from moderator.club.desk import Desk
    from moderator.club.live_match import Suspended
    from moderator.play.lifecycle import suspend
    from moderator.run.handling import attempt

    try:
        yield number, attempt(store, cache, lambda session: action(Desk(config, session, now, cache), number))
    except Suspended as error:
        with store.transaction() as session:
            suspend(Desk(config, session, now, cache), error.match_id, error.reason)
        summary.trouble(error.reason)
    except StoreError:
        raise
    except OperatorError as error:
        summary.trouble(str(error))
