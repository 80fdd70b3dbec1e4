"""Opening the database, and transactions that turn its failures into plain words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlmodel import Session, create_engine

from moderator.errors import StoreError, TransientError
from moderator.store import models  # noqa: F401 - the tables must be known before the first session
from moderator.store.schema import HEAD

BUSY_SECONDS = 20


def open_engine(path: Path, marks: bool = False) -> Engine:
    """A SQLite engine with write-ahead log; what is committed survives a power failure. Transactions begin with
    BEGIN IMMEDIATE, so that a writer never deadlocks.

    With ``marks`` each statement is its own transaction and survives the end of the process, but perhaps not a
    power failure.
    """
    sync = "NORMAL" if marks else "FULL"
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", f"synchronous={sync}", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    if not marks:

        @event.listens_for(engine, "begin")
        def _begin(connection: Any) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


class Store:
    """An open database. ``transaction()`` is the way to it."""

    def __init__(self, path: Path) -> None:
        self.engine = open_engine(path)
        self._marks_engine = open_engine(path, marks=True)
        self._marks: Connection | None = None

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Commit on success, roll back on any error. Raises StoreError or TransientError for the database's own."""
        session = Session(self.engine, expire_on_commit=False, autoflush=False)
        with translated(), session, session.begin():
            yield session

    @contextmanager
    def marks(self) -> Iterator[Connection]:
        """For marks that may be lost with the machine's power (a mail then goes out again), but not with the
        process: one is written for every mail that is sent, and waiting for the disk each time is what costs."""
        with translated():
            if self._marks is None:
                self._marks = self._marks_engine.connect()
            try:
                yield self._marks
            finally:
                self._marks.commit()

    def close(self) -> None:
        self.engine.dispose()
        if self._marks is not None:
            self._marks.close()
        self._marks_engine.dispose()


@contextmanager
def translated() -> Iterator[None]:
    """Database failures as errors that say what to do."""
    try:
        yield
    except (OperationalError, sqlite3.OperationalError) as error:
        words = str(getattr(error, "orig", None) or error)
        if "locked" in words or "busy" in words:
            raise TransientError(f"The database is locked by another program ({words}); trying again later.") from error
        if "full" in words:
            raise StoreError("The disk is full.", "Make room; nothing is lost, the next tick goes on.") from error
        if "readonly" in words or "unable to open" in words:
            raise StoreError(f"Cannot write the database ({words}).", "Check the permissions of its folder.") from error
        if "no such" in words:
            raise StoreError(f"The database is not up to date ({words}).", "Run `moderator upgrade`.") from error
        raise StoreError(f"The database failed: {words}.", "Run `moderator doctor`.") from error
    except (DatabaseError, sqlite3.DatabaseError) as error:
        words = str(getattr(error, "orig", None) or error)
        if "UNIQUE" in words or "constraint" in words:
            raise
        raise StoreError(f"The database is damaged: {words}.", "Restore the newest backup.") from error


def open_store(path: Path) -> Store:
    """The database at ``path``. Raises StoreError when it is missing or of another version."""
    from moderator.store.probe import version

    found = version(path)
    if found != HEAD:
        raise StoreError(f"{path} is of version {found}, this program needs {HEAD}.", "Run `moderator upgrade`.")
    return Store(path)
