"""The database, and its transactions with what they leave behind besides their rows.

What it looked up or worked out and put into memory holds only if it is committed: a ``Cache`` is told when it is
not, also where a savepoint within it is taken back. What is to be done outside the database (a file, say) is done
after the commit, in the order in which it was asked for, and not at all without one."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import IntegrityError as IntegrityError
from sqlmodel import Session as Session

from moderator import disk
from moderator.errors import ModeratorError
from moderator.store import postgres, probe, sqlite
from moderator.store.models import Match, Tournament
from moderator.store.probe import Place
from moderator.store.schema import refuse_other

# ---- what a transaction leaves behind ----


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
    """Listens to a session: whether anything was written, and which matches and tournaments were made or deleted."""

    def __init__(self, session: Session) -> None:
        self.written = False
        self.codes: set[str] = set()
        event.listen(session.connection(), "before_cursor_execute", self._execute)
        event.listen(session, "after_flush", self._flushed)

    def _execute(self, _connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        self.written = self.written or statement.lstrip()[:6].upper() in ("INSERT", "UPDATE", "DELETE")

    def _flushed(self, session: Session, _context: Any) -> None:
        self.codes.update(row.code for row in (*session.new, *session.deleted) if isinstance(row, Tournament | Match))


# ---- the database ----


def open_engine(place: Place, marks: bool = False) -> Engine:
    """The engine for a file or a URL. With ``marks``: for statements that commit at once and need not survive a power
    failure."""
    return sqlite.open_engine(place, marks) if isinstance(place, Path) else postgres.open_engine(place, marks)


_IDLE: dict[tuple[Place, bool], Engine] = {}
"""Engines of stores that are closed, for the next store at the same place: an engine remembers how statements are
written out as SQL, which is a third of the work of handling a mail. They have no connections."""
_MOST_IDLE = 4


def _taken(place: Place, marks: bool) -> Engine:
    return _IDLE.pop((place, marks), None) or open_engine(place, marks)


def _given_back(engine: Engine, place: Place, marks: bool) -> None:
    engine.dispose()
    _IDLE[place, marks] = engine
    while len(_IDLE) > _MOST_IDLE:
        del _IDLE[next(iter(_IDLE))]


def _say(line: str) -> None:
    print(f"moderator: {line}", file=sys.stderr)


class Store:
    """An open database. ``transaction()`` is the way to it."""

    def __init__(self, place: Place) -> None:
        self.shared = not isinstance(place, Path)
        """Several workers may be at work on it."""
        self.place = place
        self.engine = _taken(place, marks=False)
        self._marks_engine = _taken(place, marks=True)
        self._marks: Connection | None = None
        self.trouble: Callable[[str], None] = _say
        """Is told, in one line each, what could not be done after a commit."""

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Commit on success, roll back on any error. Raises StoreError or TransientError for the database's own. What
        the transaction put into memory goes with it, and what it wants done after the commit is done then, see
        ``py``."""
        session = Session(self.engine, expire_on_commit=False, autoflush=False, info={"shared": self.shared})
        with translated(self.place), watched(session) as deeds, session, session.begin():
            yield session
        for deed in dict.fromkeys(deeds):
            self.attempt(deed)

    def attempt(self, deed: Callable[[Store], None]) -> None:
        """Do what follows from something that is committed. It holds whether this succeeds or not, so a failure is
        told and raises nothing; the next run tries again."""
        try:
            deed(self)
        except ModeratorError as error:
            self.trouble(str(error))

    @contextmanager
    def marks(self) -> Iterator[Connection]:
        """For marks that may be lost with the machine's power (a mail then goes out again), but not with the
        process: one is written for every mail that is sent, and waiting for the disk each time is what costs."""
        with translated(self.place):
            if self._marks is None:
                self._marks = self._marks_engine.connect()
            try:
                yield self._marks
            finally:
                self._marks.commit()

    @contextmanager
    def turn(self, name: str) -> Iterator[bool]:
        """What only one worker may do at a time; False = another one is doing it. Where workers don't share the
        database this one is alone (see ``lock.only_one``)."""
        if not self.shared:
            yield True
            return
        with translated(self.place), postgres.turn(self.engine, name) as mine:
            yield mine

    def close(self) -> None:
        if self._marks is not None:
            self._marks.close()
        _given_back(self.engine, self.place, marks=False)
        _given_back(self._marks_engine, self.place, marks=True)


@contextmanager
def translated(place: Place | None = None) -> Iterator[None]:
    """Failures of the database, and of the machine below it, as errors that say what to do: too many open files, say,
    are not the fault of the mail at hand."""
    try:
        yield
    except (OSError, ImportError, MemoryError) as error:
        fault = disk.explained(error)
        if fault is None:
            raise
        raise fault from error
    except (DBAPIError, *sqlite.ERRORS) as error:
        cause = getattr(error, "orig", None) or error
        ours = isinstance(cause, sqlite3.Error)
        plain = (
            sqlite.explained(cause, place if isinstance(place, Path) else None) if ours else postgres.explained(cause)
        )
        if plain is None:
            raise
        raise plain from error


def open_store(place: Place, version: str = "") -> Store:
    """The database at ``place``, of this ``version`` ("" = not looked up yet). Raises StoreError when it is missing or
    of another version."""
    found = version or probe.version(place)
    refuse_other(found, str(place) if isinstance(place, Path) else postgres.shown(place))
    return Store(place)
