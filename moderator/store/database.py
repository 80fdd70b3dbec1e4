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
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import IntegrityError as IntegrityError
from sqlmodel import Session as Session
from sqlmodel import create_engine

from moderator.common import disk
from moderator.common.errors import ModeratorError
from moderator.store import due_work, engines
from moderator.store.due_work import Place
from moderator.store.schema import refuse_other_version
from moderator.store.tables import MatchRow, Tournament

# ---- what a transaction leaves behind ----


class Cache(Protocol):
    """Something that outlives transactions and is filled in them."""

    def discard_uncommitted(self) -> None:
        """Discard whatever may come from the transaction: what it has written holds no more."""
        ...


@dataclass
class _Work:
    """The caches, notes and callbacks of one session; lies in its ``info``."""

    caches: list[Cache] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    deeds: list[Callable[[Store], None]] = field(default_factory=list)
    points: list[tuple[Any, int]] = field(default_factory=list)
    """Savepoints, with how many deeds there were at each."""


def _get_work(session: Session) -> _Work:
    work: _Work = session.info.setdefault("work", _Work())
    return work


def attach_cache(session: Session, cache: Cache) -> None:
    """Attach a cache that this transaction may fill; if the transaction fails, the cache is told."""
    caches = _get_work(session).caches
    if not any(known is cache for known in caches):
        caches.append(cache)


def transaction_notes(session: Session) -> dict[str, Any]:
    """Return the notes that hold until the transaction ends, by name; empty again after a savepoint was taken back."""
    return _get_work(session).notes


def on_commit(session: Session, callback: Callable[[Store], None]) -> None:
    """Run ``callback`` after the transaction is committed.

    It must be one that a later run makes up for if this process dies before, and that may run twice."""
    _get_work(session).deeds.append(callback)


@contextmanager
def run_transaction(session: Session) -> Iterator[list[Callable[[Store], None]]]:
    """Discard from the attached caches what the transaction has put there if the block, or the commit in it, fails.

    Yields the callbacks to run after the commit."""
    try:
        yield _get_work(session).deeds
    except BaseException:
        _discard_uncommitted(session)
        raise


def _discard_uncommitted(session: Session) -> None:
    work = _get_work(session)
    work.notes.clear()
    for cache in work.caches:
        cache.discard_uncommitted()


@event.listens_for(Session, "after_transaction_create")
def _record_savepoint(session: Session, transaction: Any) -> None:
    if transaction.nested:
        work = _get_work(session)
        work.points.append((transaction, len(work.deeds)))


@event.listens_for(Session, "after_soft_rollback")
def _discard_savepoint(session: Session, transaction: Any) -> None:
    work = _get_work(session)
    for point, deeds in work.points:
        if point is transaction:
            del work.deeds[deeds:]
    _discard_uncommitted(session)


class ChangeRecorder:
    """A listener on a session: records whether anything was written, and which matches and tournaments were created or
    deleted."""

    def __init__(self, session: Session) -> None:
        self.written = False
        self.codes: set[str] = set()
        event.listen(session.connection(), "before_cursor_execute", self._record_write)
        event.listen(session, "after_flush", self._record_codes)

    def _record_write(self, _connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        self.written = self.written or statement.lstrip()[:6].upper() in ("INSERT", "UPDATE", "DELETE")

    def _record_codes(self, session: Session, _context: Any) -> None:
        self.codes.update(
            row.code for row in (*session.new, *session.deleted) if isinstance(row, Tournament | MatchRow)
        )


# ---- the database ----


def open_engine(place: Place, autocommit: bool = False) -> Engine:
    """Open the engine for a file or a URL. With ``autocommit``: for statements that commit at once and need not survive
    a power failure."""
    return (
        engines.open_sqlite_engine(place, autocommit)
        if isinstance(place, Path)
        else engines.open_postgres_engine(place, autocommit)
    )


_IDLE: dict[tuple[Place, bool], Engine] = {}
"""Engines of stores that are closed, for the next store at the same place: an engine remembers how statements are
written out as SQL, which is a third of the work of handling a mail. They have no connections."""
_MOST_IDLE = 4


def _take_engine(place: Place, autocommit: bool) -> Engine:
    return _IDLE.pop((place, autocommit), None) or open_engine(place, autocommit)


def _return_engine(engine: Engine, place: Place, autocommit: bool) -> None:
    engine.dispose()
    _IDLE[place, autocommit] = engine
    while len(_IDLE) > _MOST_IDLE:
        del _IDLE[next(iter(_IDLE))]


def _print_trouble(line: str) -> None:
    print(f"moderator: {line}", file=sys.stderr)


class Store:
    """An open database. ``begin_transaction()`` is the way to it."""

    def __init__(self, place: Place) -> None:
        self.shared = not isinstance(place, Path)
        """Several workers may be at work on it."""
        self.place = place
        self.engine = _take_engine(place, autocommit=False)
        self._marks_engine = _take_engine(place, autocommit=True)
        self._marks: Connection | None = None
        self.trouble: Callable[[str], None] = _print_trouble
        """Is told, in one line each, what could not be done after a commit."""

    @contextmanager
    def begin_transaction(self) -> Iterator[Session]:
        """Commit on success, roll back on any error.

        On failure the attached caches discard what the transaction put there; the callbacks of ``on_commit`` run after
        the commit. Raises StoreError or TransientError for the database's own errors."""
        session = Session(self.engine, expire_on_commit=False, autoflush=False, info={"shared": self.shared})
        with translate_database_errors(self.place), run_transaction(session) as deeds, session, session.begin():
            yield session
        for deed in dict.fromkeys(deeds):
            self.run_callback(deed)

    def run_callback(self, callback: Callable[[Store], None]) -> None:
        """Run a callback after a commit. The commit holds whether it succeeds or not, so a failure is reported to
        ``trouble`` and raises nothing; the next run tries again."""
        try:
            callback(self)
        except ModeratorError as error:
            self.trouble(str(error))

    @contextmanager
    def autocommit_connection(self) -> Iterator[Connection]:
        """Open a connection for marks that may be lost with the machine's power (a mail then goes out again), but not
        with the process.

        A mark is written for every mail that is sent, and waiting for the disk each time would cost the most."""
        with translate_database_errors(self.place):
            if self._marks is None:
                self._marks = self._marks_engine.connect()
            try:
                yield self._marks
            finally:
                self._marks.commit()

    @contextmanager
    def advisory_lock(self, name: str) -> Iterator[bool]:
        """Hold a lock on work that only one worker may do at a time; yields False where another worker holds it.

        Where workers don't share the database this one is the only one (see ``hold_tick_lock``)."""
        if not self.shared:
            yield True
            return
        with translate_database_errors(self.place), engines.hold_named_lock(self.engine, name) as mine:
            yield mine

    def close(self) -> None:
        if self._marks is not None:
            self._marks.close()
        _return_engine(self.engine, self.place, autocommit=False)
        _return_engine(self._marks_engine, self.place, autocommit=True)


@contextmanager
def translate_database_errors(place: Place | None = None) -> Iterator[None]:
    """Translate failures of the database, and of the machine below it, into errors that say what to do.

    Too many open files, say, are not the fault of the mail at hand."""
    try:
        yield
    except (OSError, ImportError, MemoryError) as error:
        fault = disk.find_machine_fault(error)
        if fault is None:
            raise
        raise fault from error
    except (DBAPIError, *engines.ERRORS) as error:
        cause = error.orig or error if isinstance(error, DBAPIError) else error
        ours = isinstance(cause, sqlite3.Error)
        plain = (
            engines.explain_sqlite_error(cause, place if isinstance(place, Path) else None)
            if ours
            else engines.explain_postgres_error(cause)
        )
        if plain is None:
            raise
        raise plain from error


def open_store(place: Place, version: str = "") -> Store:
    """Open the database at ``place``, of this ``version`` ("" = not looked up yet). Raises StoreError when it is
    missing or of another version."""
    found = version or due_work.load_schema_version(place)
    refuse_other_version(found, str(place) if isinstance(place, Path) else engines.mask_url_password(place))
    return Store(place)


@contextmanager
def open_reading_session(place: Place) -> Iterator[Session]:
    """Open a session that sees one moment of the database and prevents nobody from writing. Raises StoreError."""
    refuse_other_version(due_work.load_schema_version(place), "The database")
    with translate_database_errors(place):
        engine = _build_reader_engine(place) if isinstance(place, Path) else open_engine(place)
        options = {} if isinstance(place, Path) else {"isolation_level": "REPEATABLE READ"}
        try:
            with engine.connect().execution_options(**options) as connection:
                yield Session(connection, expire_on_commit=False, autoflush=False)
        finally:
            engine.dispose()


@lru_cache(maxsize=2)
def _build_reader_engine(path: Path) -> Any:
    """Build an engine whose transactions never ask for the writer's lock. It is kept without a connection: it knows
    the statements that it has compiled."""
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 60})

    @event.listens_for(engine, "connect")
    def _configure_connection(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA query_only=ON")

    @event.listens_for(engine, "begin")
    def _begin_reading(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine
