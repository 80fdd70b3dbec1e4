"""THE pipeline: fetch, read, apply, record, render, queue, file away, deadlines, send.

One mail is one transaction. Mails are taken in by batches before any is handled, and moved in the mailbox only
after what they led to is committed, so a run that dies anywhere is simply continued by the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from moderator.config import Config
from moderator.errors import OperatorError, StoreError, TransientError
from moderator.mail.model import Mailbox, RawMail, Sender
from moderator.mail.open import open_mailbox, open_sender
from moderator.store import probe
from moderator.summary import Summary

if TYPE_CHECKING:
    from moderator.desk.live import Shelf
    from moderator.store.db import Store


@contextmanager
def only_one(config: Config) -> Iterator[bool]:
    """Hold the lock beside the database; False = another tick is at work."""
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
        path = config.path(config.store.path)
        if not path.exists() or probe.version(path) == "":
            raise OperatorError(f"There is no database at {path}.", "Run `moderator init`.")
        try:
            box = open_mailbox(config)
        except TransientError as error:
            return _run(config, path, None, now, str(error))
        try:
            return _run(config, path, box, now)
        finally:
            box.close()


def _run(config: Config, path: Path, box: Mailbox | None, now: Callable[[], datetime], trouble: str = "") -> Summary:
    summary = Summary(away=[trouble] if trouble else [])
    if not (box and box.waiting()) and not probe.due(path, now()):
        return summary
    from moderator.desk.live import Shelf
    from moderator.store.db import open_store

    store = open_store(path)
    try:
        once(config, store, Shelf(config), box, open_sender(config), now, summary)
    finally:
        store.close()
    return summary


def once(
    config: Config,
    store: Store,
    shelf: Shelf,
    box: Mailbox | None,
    sender: Sender,
    now: Callable[[], datetime],
    summary: Summary,
) -> None:
    """The steps of a run. Without a mailbox nobody can be late, so deadlines wait for the next good poll."""
    from moderator.dispatch import send_due
    from moderator.handling import Handling

    began = now()
    polled = False
    if box is not None:
        try:
            take_in(store, box, config.mail.max_bytes, now, summary)
            polled = True
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
    from moderator.store import inbox

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


def run_deadlines(config: Config, store: Store, shelf: Shelf, now: datetime, summary: Summary) -> None:
    """Rulings that came, rounds that are due, reminders; each in its own transaction. A match that fails is
    suspended, one that lacks its dictionary waits; the others go on."""
    from moderator.desk import deadlines, questions
    from moderator.desk.desk import Desk
    from moderator.desk.handle import suspend
    from moderator.desk.live import Suspended

    with store.transaction() as session:
        desk = Desk(config, session, now, shelf)
        work = [
            *((number, questions.release) for number in deadlines.held_matches(desk)),
            *((number, deadlines.zat) for number in deadlines.due_matches(desk)),
            *((number, deadlines.remind) for number in deadlines.due_reminders(desk)),
        ]
    for number, action in work:
        try:
            with store.transaction() as session:
                action(Desk(config, session, now, shelf), number)
        except Suspended as error:
            with store.transaction() as session:
                suspend(Desk(config, session, now, shelf), number, error.reason)
            summary.trouble(error.reason)
        except StoreError:
            raise
        except OperatorError as error:
            summary.trouble(str(error))
        else:
            summary.deadlines += action is deadlines.zat
            summary.reminders += action is deadlines.remind
