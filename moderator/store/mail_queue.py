"""Which mail is handled next: the list of a tick that is alone, or what is free where several workers share the work.

A mail that is picked up is counted before it is handled, so that one that kills the process is known by that.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from sqlalchemy import Connection

from moderator.store import inbox, postgres
from moderator.store.db import Store

NEAR = 50
"""So many of the oldest mails are looked at first."""


class Queue(Protocol):
    def next(self) -> int | None:
        """The next mail's id; None = none is left for this worker."""
        ...

    def done(self) -> None:
        """That mail has been dealt with."""
        ...

    def put_aside(self) -> None:
        """That mail waits for another run."""
        ...

    def give_back(self) -> None:
        """Neither that mail nor those behind it can be handled now, and it is not their fault."""
        ...

    def settled(self) -> bool:
        """Whether all mails that were here at the beginning have been dealt with or put aside."""
        ...


def open_queue(store: Store, begun: bool) -> Queue:
    """``begun``: whether mails wait that an earlier run has begun, see ``probe.Left``."""
    return Shared(store) if store.shared else Alone(store, begun)


class Alone:
    """All waiting mails, listed once."""

    def __init__(self, store: Store, begun: bool) -> None:
        self._store = store
        # Marks: an attempt that power failure takes back was no fault of its mail.
        with store.marks() as connection:
            self._waiting = deque(inbox.waiting(connection, begun))

    def next(self) -> int | None:
        if not self._waiting:
            return None
        number, attempts = self._waiting[0]
        if attempts:
            with self._store.transaction() as session:
                inbox.count_attempt(session, number)
        return number

    def done(self) -> None:
        self._waiting.popleft()

    def put_aside(self) -> None:
        number, _ = self._waiting.popleft()
        with self._store.transaction() as session:
            inbox.begin_anew(session, [number])

    def give_back(self) -> None:
        numbers = [number for number, _ in self._waiting]
        self._waiting.clear()
        with self._store.transaction() as session:
            inbox.begin_anew(session, numbers)

    def settled(self) -> bool:
        return not self._waiting


class Shared:
    """The oldest mail whose sender no other worker is at: mails of one sender keep their order.

    The sender at hand is held by a lock that PostgreSQL gives up with the connection, so a worker that is killed leaves
    nothing behind.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: tuple[int, int] | None = None
        """Mail and lane."""
        self._aside: set[int] = set()
        with store.marks() as connection:
            self._newest = inbox.newest(connection)

    def next(self) -> int | None:
        with self._store.marks() as connection:
            while (lane := self._hold(connection)) is not None:
                number = inbox.begin_oldest(connection, lane, self._aside)
                if number is not None:
                    self._held = number, lane
                    return number
                postgres.let_go(connection, lane)  # another worker has just handled it
        return None

    def _hold(self, connection: Connection) -> int | None:
        """Some sender; among thousands of mails of one whom another worker is at, the others are looked for."""
        lane = inbox.held_lane(connection, self._aside, NEAR)
        return inbox.held_lane(connection, self._aside) if lane is None else lane

    def done(self) -> None:
        if self._held is not None:
            _, lane = self._held
            self._held = None
            with self._store.marks() as connection:
                postgres.let_go(connection, lane)

    def put_aside(self) -> None:
        if self._held is not None:
            number, _ = self._held
            self._aside.add(number)
            try:
                with self._store.transaction() as session:
                    inbox.begin_anew(session, [number])
            finally:
                self.done()

    def give_back(self) -> None:
        self.put_aside()

    def settled(self) -> bool:
        with self._store.marks() as connection:
            return not inbox.left(connection, self._newest, self._aside)
