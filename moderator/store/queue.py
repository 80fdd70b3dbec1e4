"""Which mail is handled next: the list of a tick that is alone, or what is free where several workers share the work.

A mail that is picked up is counted before it is handled, so that one that kills the process is known by that.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from sqlalchemy import Connection, text

from moderator.store import inbox
from moderator.store.db import Store

CANDIDATES = 20


class Queue(Protocol):
    def next(self) -> int | None:
        """The next mail's id; None = none is left for this worker."""
        ...

    def done(self) -> None:
        """That mail has been dealt with, or is put aside."""
        ...

    def give_back(self) -> None:
        """Neither that mail nor those behind it can be handled now, and it is not their fault."""
        ...


def open_queue(store: Store) -> Queue:
    return Shared(store) if store.shared else Alone(store)


class Alone:
    """All waiting mails, listed once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        with store.transaction() as session:
            self._waiting = deque(inbox.waiting(session))

    def next(self) -> int | None:
        if not self._waiting:
            return None
        number, attempts = self._waiting[0]
        if attempts:
            with self._store.transaction() as session:
                inbox.try_again(session, number)
        return number

    def done(self) -> None:
        self._waiting.popleft()

    def give_back(self) -> None:
        numbers = [number for number, _ in self._waiting]
        self._waiting.clear()
        with self._store.transaction() as session:
            inbox.begin_anew(session, numbers)


class Shared:
    """The oldest mail that no other worker is at; mails of one sender keep their order.

    The mail at hand is held by a lock that PostgreSQL gives up with the connection, so a worker that is killed leaves
    nothing behind.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: int | None = None
        self._tried: set[int] = set()
        """Put aside by this worker in this run."""

    def next(self) -> int | None:
        with self._store.marks() as connection:
            for number in inbox.first_of_lanes(connection, CANDIDATES, self._tried):
                if _lock(connection, number):
                    if inbox.count_attempt(connection, number):
                        self._held = number
                        return number
                    _unlock(connection, number)  # another worker has just handled it
        return None

    def done(self) -> None:
        number, self._held = self._held, None
        if number is not None:
            self._tried.add(number)
            with self._store.marks() as connection:
                _unlock(connection, number)

    def give_back(self) -> None:
        if self._held is not None:
            number = self._held
            with self._store.transaction() as session:
                inbox.begin_anew(session, [number])
        self.done()


_CLASS = 1
"""Locks of mails, apart from those by name (postgres.turn)."""


def _lock(connection: Connection, number: int) -> bool:
    query = text("SELECT pg_try_advisory_lock(:kind, :number)")
    return bool(connection.execute(query, {"kind": _CLASS, "number": number}).scalar())


def _unlock(connection: Connection, number: int) -> None:
    connection.execute(text("SELECT pg_advisory_unlock(:kind, :number)"), {"kind": _CLASS, "number": number})
