"""THE pipeline: fetch, read, apply, record, render, queue, file away, deadlines, send.

One mail is one transaction. Mails are taken in by batches before any is handled, and moved in the mailbox only
after what they led to is committed, so a run that dies anywhere is simply continued by the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from moderator.config import Config
from moderator.errors import OperatorError, StoreError, TransientError
from moderator.mail.model import Mailbox, RawMail, Sender
from moderator.mail.open import open_mailbox, open_sender
from moderator.store import probe
from moderator.summary import Summary

if TYPE_CHECKING:
    from moderator.desk.desk import Desk
    from moderator.desk.live import Shelf
    from moderator.store.db import Store

T = TypeVar("T")


@contextmanager
def only_one(config: Config) -> Iterator[bool]:
    """Hold the lock beside the database file; False = another tick is at work. On PostgreSQL ticks work side by side
    (``Store.turn`` keeps the mailbox to one of them)."""
    if config.store.url:
        yield True
        return
    import fcntl

    path = config.path(config.store.path)
    lock = path.with_name(path.name + ".lock")
    try:
        stream = lock.open("a")
    except OSError as error:
        raise OperatorError(
            f"Cannot write {lock}: {error.strerror}.", "Check the folder's permissions and space."
        ) from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def tick(config: Config, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Summary:
    """One run, as cron starts it. Raises OperatorError and TransientError only when nothing could be done."""
    with only_one(config) as alone:
        if not alone:
            return Summary()
        place = config.database
        began, summary = now(), Summary()
        known = probe.look(place, began, config.guard.settle)
        box = None
        try:
            box = open_mailbox(config)
        except TransientError as error:
            summary.away.append(str(error))
        try:
            if _has_work(config, box, known, began):
                _run(config, box, now, summary)
            elif box:
                probe.polled(place, began)
        finally:
            if box:
                box.close()
        return summary


def _has_work(config: Config, box: Mailbox | None, known: probe.Look, began: datetime) -> bool:
    """Mail in the mailbox or in the database, a time that has come, or so long without a poll that deadlines move."""
    away = known.last_poll is not None and config.guard.outage(known.last_poll, began)
    return (box is not None and (box.waiting() > 0 or away)) or known.due


def _run(config: Config, box: Mailbox | None, now: Callable[[], datetime], summary: Summary) -> None:
    from moderator.desk.live import Shelf
    from moderator.store.db import open_store

    store = open_store(config.database)
    try:
        once(config, store, Shelf(config), box, open_sender(config), now, summary)
    finally:
        store.close()


def once(
    config: Config,
    store: Store,
    shelf: Shelf,
    box: Mailbox | None,
    sender: Sender,
    now: Callable[[], datetime],
    summary: Summary,
) -> None:
    """The steps of a run. Without a mailbox nobody can be late, so deadlines wait for the next good poll; of several
    workers one has the mailbox, and the deadlines with it."""
    with store.turn("mailbox") as mine:
        _once(config, store, shelf, box if mine else None, sender, now, summary)


def _once(
    config: Config,
    store: Store,
    shelf: Shelf,
    box: Mailbox | None,
    sender: Sender,
    now: Callable[[], datetime],
    summary: Summary,
) -> None:
    from moderator.dispatch import send_due
    from moderator.handling import Handling

    began = now()
    polled = False
    if box is not None:
        try:
            take_in(store, box, config.mail.max_bytes, now, summary)
            polled = True
            look_back(config, store, shelf, began, summary)
        except TransientError as error:
            summary.away.append(str(error))
    handling = Handling(config, store, shelf, now, summary)
    # Mails are handled while earlier ones travel: the mail server's answers cost no waiting then.
    go_on = _sent(lambda: send_due(config, store, sender, now, summary, handling.step), summary)
    handling.rest()
    if box is not None and polled:
        try:
            file_away(store, box)
        except TransientError as error:
            summary.away.append(str(error))
    if polled:
        run_deadlines(config, store, shelf, began, summary)
    if go_on:
        _sent(lambda: send_due(config, store, sender, now, summary), summary)


def _sent(send: Callable[[], bool], summary: Summary) -> bool:
    """Whether mails can leave. A wrong setting of the sender's must not keep the incoming mails from being read."""
    try:
        return send()
    except StoreError:
        raise
    except OperatorError as error:
        summary.trouble(str(error))
        return False


def take_in(store: Store, box: Mailbox, max_bytes: int, now: Callable[[], datetime], summary: Summary) -> None:
    """Copy new mails into the inbox, a batch per transaction."""
    from moderator.store import inbox

    def known(keys: Sequence[str]) -> set[str]:
        with store.transaction() as session:
            return inbox.known(session, keys)

    for batch in box.fetch(known, max_bytes):
        summary.taken += keep(store, batch, now())


def keep(store: Store, mails: Sequence[RawMail], now: datetime) -> int:
    """Take mails in; returns how many are new."""
    from sqlalchemy.exc import IntegrityError

    from moderator.store import inbox

    try:
        with store.transaction() as session:
            return len(inbox.take_in(session, mails, now))
    except IntegrityError:  # another worker has just taken in one of them; now that is known
        with store.transaction() as session:
            return len(inbox.take_in(session, mails, now))


def file_away(store: Store, box: Mailbox) -> None:
    """Move the handled mails out of the mailbox's inbox, all at once."""
    from moderator.store import inbox

    with store.transaction() as session:
        processed, failed = inbox.unfiled(session)
    if processed or failed:
        box.file_away(processed, failed)
        with store.transaction() as session:
            inbox.set_filed(session, [*processed, *failed])


def look_back(config: Config, store: Store, shelf: Shelf, began: datetime, summary: Summary) -> None:
    """The mailbox was read to its end. If that had not been so for too long, deadlines move before anything is done
    that they could count for."""
    from moderator.desk import guard
    from moderator.desk.desk import Desk

    before = probe.look(config.database, began, config.guard.settle).last_poll
    if before is not None and config.guard.outage(before, began):
        with store.transaction() as session:
            moved = guard.after_outage(Desk(config, session, began, shelf), before, began)
        summary.trouble(f"no poll since {before:%Y-%m-%d %H:%M} UTC: the deadlines of {moved} matches moved")
    probe.polled(config.database, began)


def run_deadlines(config: Config, store: Store, shelf: Shelf, now: datetime, summary: Summary) -> None:
    """Rulings that came, rounds that are due, reminders, tournaments, daily mails; each in its own transaction. A
    match that fails is suspended, one that lacks its dictionary waits; the others go on."""
    from moderator.desk import deadlines, digest, guard, questions
    from moderator.desk.desk import Desk

    def each(numbers: Iterable[int], action: Callable[[Desk, int], T]) -> Iterator[tuple[int, T]]:
        for number in numbers:
            yield from _one(config, store, shelf, now, summary, number, action)

    with store.transaction() as session:
        desk = Desk(config, session, now, shelf)
        held, due = deadlines.held_matches(desk), deadlines.due_matches(desk)
    for _ in each(held, questions.release):
        pass
    over = {number: seats for number, seats in each(due, deadlines.late) if seats is not None}
    with store.transaction() as session:
        desk = Desk(config, session, now, shelf)
        trusted = guard.trusted(desk, over)
    for _ in each(over if trusted else [n for n, seats in over.items() if not seats], deadlines.zat):
        summary.deadlines += 1
    with store.transaction() as session:
        reminders = deadlines.due_reminders(Desk(config, session, now, shelf))
    for _ in each(reminders, deadlines.remind):
        summary.reminders += 1
    _tournaments(config, store, shelf, now, summary)
    with store.transaction() as session:
        daily = digest.due(Desk(config, session, now, shelf))
    for _, made in each(daily, digest.send):
        summary.digests += made


def _tournaments(config: Config, store: Store, shelf: Shelf, now: datetime, summary: Summary) -> None:
    """Every tournament as far as it goes now, a step per transaction. One that our own code fails at waits for the
    moderator; the others go on."""
    from moderator.desk.cup import steps
    from moderator.desk.desk import Desk

    with store.transaction() as session:
        waiting = steps.due(Desk(config, session, now, shelf))
    for number in waiting:
        try:
            while any(more for _, more in _one(config, store, shelf, now, summary, number, steps.advance)):
                summary.steps += 1
        except (StoreError, TransientError):
            raise
        except Exception as error:
            import traceback

            shelf.matches.clear()
            with store.transaction() as session:
                steps.failed(Desk(config, session, now, shelf), number, error)
            summary.trouble(f"tournament {number}: {traceback.format_exc().strip()}")


def _one(
    config: Config,
    store: Store,
    shelf: Shelf,
    now: datetime,
    summary: Summary,
    number: int,
    action: Callable[[Desk, int], T],
) -> Iterator[tuple[int, T]]:
    """(number, outcome) of an action on one match, player or tournament; nothing if it failed, which concerns that one
    only."""
    from moderator.desk.desk import Desk
    from moderator.desk.handle import suspend
    from moderator.desk.live import Suspended

    try:
        with store.transaction() as session:
            outcome = action(Desk(config, session, now, shelf), number)
        yield number, outcome
    except Suspended as error:
        with store.transaction() as session:
            suspend(Desk(config, session, now, shelf), error.match_id, error.reason)
        summary.trouble(error.reason)
    except StoreError:
        raise
    except OperatorError as error:
        shelf.matches.clear()
        summary.trouble(str(error))
