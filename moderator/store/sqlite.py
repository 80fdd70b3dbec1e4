"""The usual database: one SQLite file, one writer at a time."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlmodel import create_engine

from moderator.errors import ModeratorError, StoreError, TransientError

BUSY_SECONDS = 20
ERRORS = (sqlite3.OperationalError, sqlite3.DatabaseError)


def open_engine(path: Path, marks: bool = False) -> Engine:
    """With write-ahead log; what is committed survives a power failure. Transactions begin with BEGIN IMMEDIATE, so
    that a writer never deadlocks.

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


def explained(error: BaseException) -> ModeratorError | None:
    """What a failure means, with the fix; None for one that is ours (a broken constraint)."""
    words = str(error)
    if isinstance(error, sqlite3.OperationalError):
        if "locked" in words or "busy" in words:
            return TransientError(f"The database is locked by another program ({words}); trying again later.")
        if "full" in words:
            return StoreError("The disk is full.", "Make room; nothing is lost, the next tick goes on.")
        if "readonly" in words or "unable to open" in words:
            return StoreError(f"Cannot write the database ({words}).", "Check the permissions of its folder.")
        if "no such" in words:
            return StoreError(f"The database is not up to date ({words}).", "Run `moderator upgrade`.")
        return StoreError(f"The database failed: {words}.", "Run `moderator doctor`.")
    if "UNIQUE" in words or "constraint" in words:
        return None
    return StoreError(f"The database is damaged: {words}.", "Restore the newest backup.")
