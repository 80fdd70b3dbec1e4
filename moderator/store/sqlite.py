"""The usual database: one SQLite file, one writer at a time; and what an error of SQLite's means, with the fix.

Light, because an idle tick asks for the meaning of errors, too.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moderator.common import disk
from moderator.common.errors import DamageError, ModeratorError, StoreError, TransientError

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

BUSY_SECONDS = 20
"""So long another program's lock is waited for."""
ERRORS = (sqlite3.OperationalError, sqlite3.DatabaseError)
_BUSY = ("locked", "busy", "locking protocol")
"""The last one is what SQLite says when too many open the write-ahead log at once."""


def open_sqlite_engine(path: Path, autocommit: bool = False) -> Engine:
    """Open the engine, with write-ahead log; what is committed survives a power failure. Transactions begin with BEGIN
    IMMEDIATE, so that a writer never deadlocks.

    With ``autocommit`` each statement is its own transaction and survives the end of the process, but perhaps not a
    power failure."""
    from sqlalchemy import event
    from sqlmodel import create_engine

    sync = "NORMAL" if autocommit else "FULL"
    engine = create_engine(f"sqlite:///{path}")

    @event.listens_for(engine, "connect")
    def _configure_connection(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        patience = f"busy_timeout={BUSY_SECONDS * 1000:.0f}"
        for pragma in (patience, "journal_mode=WAL", f"synchronous={sync}", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    if not autocommit:

        @event.listens_for(engine, "begin")
        def _begin_immediate(connection: Any) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def explain_sqlite_error(error: BaseException, place: Path | None = None) -> ModeratorError | None:
    """Return the error of ours; None for a fault of our own (a broken constraint). ``place``: the database's file."""
    words = str(error)
    path = place or Path()
    if isinstance(error, sqlite3.OperationalError):
        if any(busy in words for busy in _BUSY):
            return TransientError(f"The database is locked by another program ({words}); trying again later.")
        return _explain_fault(words, path)
    if "UNIQUE" in words or "constraint" in words:
        return None
    if "not a database" in words:
        return DamageError(f"This is no database of ours: {words}.", "Correct [store] path.")
    return DamageError(f"The database could not be read: {words}. It is damaged, or the disk failed (see `dmesg`).")


def _explain_fault(words: str, place: Path) -> StoreError:
    """Explain what is wrong. SQLite tells what it could not do, seldom why: the rest is looked up."""
    name = f"the database {place}" if place.name else "the database"
    left = disk.find_free_bytes(place)
    if "full" in words or ("I/O" in words and left is not None and left < disk.SCANT):
        why, fix = disk.describe_full_disk(place)
        return StoreError(f"Cannot write {name}: {why}.", fix)
    if "I/O" in words or "unable to open" in words:
        found = _find_open_error(place)
        if found is not None:
            return StoreError(*disk.describe_os_error(found, "open", place, "Check the permissions of its folder."))
    if "readonly" in words or "unable to open" in words:
        fix = "Check the permissions of the file and its folder (`ls -ld`), and that its disk can be written (`mount`)."
        return StoreError(f"Cannot write {name} ({words}).", fix)
    if "no such" in words:
        return StoreError(f"The database is not up to date ({words}).", "Run `moderator upgrade`.")
    known = "" if left is None else f"; {left / 1e6:.0f} MB are free, so it is not full"
    return StoreError(
        f"Cannot use {name}: {words}{known}.",
        "Try again; if it stays, look at the disk (`dmesg`) and at what may be written there (`quota`, `ulimit -f`).",
    )


def _find_open_error(place: Path) -> OSError | None:
    """Find the error that opening the file meets; None if there is none."""
    try:
        os.close(os.open(place, os.O_RDWR))
    except OSError as error:
        return error
    return None
