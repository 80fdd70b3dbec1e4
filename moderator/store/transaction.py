"""What a transaction leaves behind besides its rows.

What it looked up or worked out and put into memory holds only if it is committed: a ``Cache`` is told when it is not,
also where a savepoint within it is taken back. What is to be done outside the database (a file, say) is done after the
commit, in the order in which it was asked for, and not at all without one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import event
from sqlalchemy.exc import IntegrityError as IntegrityError
from sqlmodel import Session as Session

from moderator.store.models import Match, Tournament

if TYPE_CHECKING:
    from moderator.store.db import Store


class Cache(Protocol):
    """Something that outlives transactions and is filled in them."""

    def rolled_back(self) -> None:
        """What the transaction has written holds no more. Whatever was kept may come from it."""
        ...


@dataclass
class _Work:
    """Beside one session; in its ``info``."""

    caches: list[Cache] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    deeds: list[Callable[[Store], None]] = field(default_factory=list)
    points: list[tuple[Any, int]] = field(default_factory=list)
    """Savepoints, with how many deeds there were at each."""


def _of(session: Session) -> _Work:
    work: _Work = session.info.setdefault("work", _Work())
    return work


def remember(session: Session, cache: Cache) -> None:
    """From now on this transaction may fill ``cache``; if it fails, that is told."""
    caches = _of(session).caches
    if not any(known is cache for known in caches):
        caches.append(cache)


def notes(session: Session) -> dict[str, Any]:
    """What is to be known until the transaction ends, by name; empty again after a savepoint was taken back."""
    return _of(session).notes


def afterwards(session: Session, deed: Callable[[Store], None]) -> None:
    """Have ``deed`` done when the transaction is committed. It must be one that a later run does if this process dies
    before, and that may be done twice."""
    _of(session).deeds.append(deed)


@contextmanager
def watched(session: Session) -> Iterator[list[Callable[[Store], None]]]:
    """A transaction: what it has put into memory goes with it if the block, or the commit in it, fails. Gives what is
    to be done after it."""
    try:
        yield _of(session).deeds
    except BaseException:
        _drop(session)
        raise


def _drop(session: Session) -> None:
    work = _of(session)
    work.notes.clear()
    for cache in work.caches:
        cache.rolled_back()


@event.listens_for(Session, "after_transaction_create")
def _savepoint(session: Session, transaction: Any) -> None:
    if transaction.nested:
        work = _of(session)
        work.points.append((transaction, len(work.deeds)))


@event.listens_for(Session, "after_soft_rollback")
def _taken_back(session: Session, transaction: Any) -> None:
    work = _of(session)
    for point, deeds in work.points:
        if point is transaction:
            del work.deeds[deeds:]
    _drop(session)


class Touched:
    """Listens to a session: whether anything was written, and which matches and tournaments were made."""

    def __init__(self, session: Session) -> None:
        self.written = False
        self.codes: set[str] = set()
        event.listen(session.connection(), "before_cursor_execute", self._execute)
        event.listen(session, "after_flush", self._flushed)

    def _execute(self, _connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        self.written = self.written or statement.lstrip()[:6].upper() in ("INSERT", "UPDATE", "DELETE")

    def _flushed(self, session: Session, _context: Any) -> None:
        self.codes.update(row.code for row in session.new if isinstance(row, Tournament | Match))
