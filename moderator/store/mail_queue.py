"""Which mail is handled next: the list of a tick that is alone, or what is free where several workers share the work.

A mail that is picked up is counted before it is handled, so that one that kills the process is known by that.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from sqlalchemy import Connection

from moderator.store import engines, inbox
from moderator.store.database import Store

NEAR = 50
"""So many of the oldest mails are looked at first."""


class MailQueue(Protocol):
    def begin_next_mail(self) -> int | None:
        """Begin the next mail and return its id; None = none is left for this worker."""
        ...

    def finish_mail(self) -> None:
        """Take the mail at hand off the queue: it has been handled."""
        ...

    def defer_mail(self) -> None:
        """Leave the mail at hand to another run."""
        ...

    def requeue_all(self) -> None:
        """Give the mail at hand and those behind it back: they cannot be handled now, and it is not their fault."""
        ...

    def is_settled(self) -> bool:
        """Return whether all mails that were here at the beginning have been handled or deferred."""
        ...


def open_mail_queue(store: Store, begun: bool) -> MailQueue:
    """Open the queue of this worker. ``begun``: whether mails wait that an earlier run has begun, see
    ``due_work.PendingWork``."""
    return SharedQueue(store) if store.shared else LocalQueue(store, begun)


class LocalQueue:
    """All waiting mails, listed once."""

    def __init__(self, store: Store, begun: bool) -> None:
        self._store = store
        # Marks: an attempt that power failure takes back was no fault of its mail.
        with store.autocommit_connection() as connection:
            self._waiting = deque(inbox.begin_waiting_mails(connection, begun))

    def begin_next_mail(self) -> int | None:
        if not self._waiting:
            return None
        number, attempts = self._waiting[0]
        if attempts:
            with self._store.begin_transaction() as session:
                inbox.add_attempt(session, number)
        return number

    def finish_mail(self) -> None:
        self._waiting.popleft()

    def defer_mail(self) -> None:
        number, _ = self._waiting.popleft()
        with self._store.begin_transaction() as session:
            inbox.reset_attempts(session, [number])

    def requeue_all(self) -> None:
        numbers = [number for number, _ in self._waiting]
        self._waiting.clear()
        with self._store.begin_transaction() as session:
            inbox.reset_attempts(session, numbers)

    def is_settled(self) -> bool:
        return not self._waiting


class SharedQueue:
    """The oldest mail whose sender no other worker is handling: mails of one sender stay in order.

    The sender at hand is locked by PostgreSQL, which releases the lock with the connection, so a worker that is killed
    leaves nothing behind."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: tuple[int, int] | None = None
        """Mail and lane."""
        self._aside: set[int] = set()
        with store.autocommit_connection() as connection:
            self._newest = inbox.get_newest_inbox_id(connection)

    def begin_next_mail(self) -> int | None:
        with self._store.autocommit_connection() as connection:
            while (lane := self._lock_sender(connection)) is not None:
                number = inbox.begin_oldest_mail(connection, lane, self._aside)
                if number is not None:
                    self._held = number, lane
                    return number
                engines.release_sender_lock(connection, lane)  # another worker has just handled it
        return None

    def _lock_sender(self, connection: Connection) -> int | None:
        """Lock a sender. Where another worker is handling one with thousands of mails, look for the others."""
        lane = inbox.lock_oldest_sender(connection, self._aside, NEAR)
        return inbox.lock_oldest_sender(connection, self._aside) if lane is None else lane

    def finish_mail(self) -> None:
        if self._held is not None:
            _, lane = self._held
            self._held = None
            with self._store.autocommit_connection() as connection:
                engines.release_sender_lock(connection, lane)

    def defer_mail(self) -> None:
        if self._held is not None:
            number, _ = self._held
            self._aside.add(number)
            try:
                with self._store.begin_transaction() as session:
                    inbox.reset_attempts(session, [number])
            finally:
                self.finish_mail()

    def requeue_all(self) -> None:
        self.defer_mail()

    def is_settled(self) -> bool:
        with self._store.autocommit_connection() as connection:
            return not inbox.has_waiting_mail(connection, self._newest, self._aside)
