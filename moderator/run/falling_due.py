"""What falls due by time alone: rulings that came, ZATs, reminders, tournaments, the mails of the day."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from moderator.config import Config
from moderator.errors import OperatorError, StoreError, TransientError, place_of
from moderator.run.intake import Summary
from moderator.run.log import stopped

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
    from moderator.outbox import digest
    from moderator.play import deadlines, rulings
    from moderator.store import matches, players
    from moderator.store.models import Match, Player
    from moderator.today import daily_notice

    def each(numbers: Iterable[int], action: Callable[[Desk, int], T], of: type = Match) -> Iterator[tuple[int, T]]:
        for number in numbers:
            yield from apart(config, store, cache, now, summary, number, action, of)

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
    for _, made in each(daily, digest.send, Player):
        summary.digests += made
    with store.transaction() as session:
        due_today = daily_notice.due(Desk(config, session, now, cache))
    if due_today:
        _puzzle(config, store, cache, now, summary)  # before what ends the day's look: a run may die in between
        _notice(config, store, cache, now, summary)


def _notice(config: Config, store: Store, cache: RunCache, now: datetime, summary: Summary) -> None:
    """The moderator's notice of the day; a look that fails is not taken again before tomorrow."""
    from moderator.today import daily_notice

    steps = daily_notice.tell, daily_notice.leave
    _once(config, store, cache, now, summary, "the notice of the day", *steps)


def _puzzle(config: Config, store: Store, cache: RunCache, now: datetime, summary: Summary) -> None:
    """The puzzle of the week, with the first run of a week, then its mails, each in its own transaction; what fails is
    left out."""
    from functools import partial

    from moderator.club.desk import Desk
    from moderator.play import puzzles

    what = "the puzzle of the week"
    with store.transaction() as session:
        due = puzzles.due(Desk(config, session, now, cache))
    if due:
        _once(config, store, cache, now, summary, what, puzzles.begin, puzzles.leave)
    with store.transaction() as session:
        waiting = puzzles.to_mail(Desk(config, session, now, cache))
    for number in waiting:
        steps = partial(puzzles.mail, number=number), partial(puzzles.mailed, number=number)
        _once(config, store, cache, now, summary, what, *steps)
    with store.transaction() as session:
        puzzles.to_mail(Desk(config, session, now, cache))


def _once(
    config: Config,
    store: Store,
    cache: RunCache,
    now: datetime,
    summary: Summary,
    what: str,
    do: Callable[[Desk], object],
    leave: Callable[[Desk], None],
) -> None:
    """What is to be done once. Where our own code fails at it, ``leave`` marks it as done and the operator is told, so
    that it keeps nobody else's mail."""
    from moderator.club.desk import Desk
    from moderator.run.handling import attempt

    try:
        attempt(store, cache, lambda session: do(Desk(config, session, now, cache)))
    except (StoreError, TransientError):
        raise
    except Exception as error:
        import traceback

        with store.transaction() as session:
            leave(Desk(config, session, now, cache))
        summary.trouble(f"{what}: {traceback.format_exc().strip()}", f"{what}: {place_of(error)}")


def _tournaments(config: Config, store: Store, cache: RunCache, now: datetime, summary: Summary) -> None:
    """Every tournament as far as it goes now, a step per transaction. One that our own code fails at waits for the
    moderator; the others go on."""
    from moderator.club.desk import Desk
    from moderator.play.tournaments import steps
    from moderator.store import tournaments
    from moderator.store.models import Tournament

    with store.transaction() as session:
        waiting = tournaments.due(session, now)
    for number in waiting:
        try:
            while any(more for _, more in apart(config, store, cache, now, summary, number, steps.advance, Tournament)):
                summary.steps += 1
        except (StoreError, TransientError):
            raise
        except Exception as error:
            import traceback

            with store.transaction() as session:
                steps.failed(Desk(config, session, now, cache), number, error)
            what = f"tournament {number}"
            summary.trouble(f"{what}: {traceback.format_exc().strip()}", f"{what}: {place_of(error)}")


def apart(
    config: Config,
    store: Store,
    cache: RunCache,
    now: datetime,
    summary: Summary,
    number: int,
    action: Callable[[Desk, int], T],
    of: type,
) -> Iterator[tuple[int, T]]:
    """(number, outcome) of an action on one match, player or tournament (``of``: which table it is in); nothing if it
    failed, which concerns that one only."""
    from moderator.club.desk import Desk
    from moderator.club.live_match import Suspended
    from moderator.play.lifecycle import suspend
    from moderator.run.handling import attempt

    try:
        yield number, attempt(store, cache, lambda session: action(Desk(config, session, now, cache), number))
    except Suspended as error:
        with store.transaction() as session:
            suspend(Desk(config, session, now, cache), error.match_id, error.reason)
        summary.trouble(error.reason, stopped(error), mailed=True)
    except StoreError:
        raise
    except OperatorError as error:
        with store.transaction() as session:
            row: Any = session.get_one(of, number)
        summary.trouble(str(error), about=f"{of.__name__.lower()} {getattr(row, 'code', '') or row.name}")
