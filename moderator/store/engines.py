"""The database's own ways. SQLite is the usual one: one file, one writer at a time. PostgreSQL is for a club that one
process cannot serve: several workers share the work.

A worker locks the rows that it changes: the mail that it handles (run/handle.py), the match (views/loaded_match.py).
What only one worker may do at a time is under a lock that PostgreSQL gives up with the connection, so that a worker
that dies leaves nothing behind: ``hold_named_lock`` by name, for reading the mailbox; ``SENDERS`` by number, for the
mails of one sender.

Light on purpose: a tick with nothing to do asks by psycopg alone, and for the meaning of errors, too."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moderator.common import disk
from moderator.common.errors import ClashError, DamageError, ModeratorError, StoreError, TransientError
from moderator.common.secret_settings import remove_secrets

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine

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


CONNECT_SECONDS = 10
OPTIONS = (
    "-c timezone=UTC -c lock_timeout=60000"
    # A machine that loses its power says no goodbye: what it holds is free after two minutes, not after two hours.
    " -c tcp_keepalives_idle=60 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=6"
    " -c idle_in_transaction_session_timeout=600000"
)
_SCHEME = re.compile(r"^postgres(?:ql)?(?:\+psycopg)?://")
_CLASH = ("40001", "40P01")
"""SQLSTATEs of two workers in each other's way: a change in between, a deadlock."""
_AWAY = ("08", "25P03", "53300", "55P03", "57P")
"""SQLSTATEs (or beginnings) that pass by themselves: connection lost or refused, a process that stood still for too
long, too many connections, a lock that was not to be had, the server shutting down or starting."""
SENDERS = 1
"""Locks by number, apart from the names of ``hold_named_lock``."""


def is_postgres_url(text: str) -> bool:
    """Return whether the text names a PostgreSQL database."""
    return _SCHEME.match(text) is not None


def mask_url_password(url: str) -> str:
    """Return the URL without its password."""
    return remove_secrets(url)


def open_postgres_engine(url: str, autocommit: bool = False) -> Engine:
    """Open the engine. With ``autocommit`` each statement is its own transaction, and the disk is not waited for."""
    from sqlmodel import create_engine

    options = OPTIONS + (" -c synchronous_commit=off" if autocommit else "")
    arguments: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS, "options": options}
    more: dict[str, Any] = {"isolation_level": "AUTOCOMMIT"} if autocommit else {}
    try:
        return create_engine(_SCHEME.sub("postgresql+psycopg://", url), connect_args=arguments, pool_size=2, **more)
    except ModuleNotFoundError as error:
        raise build_missing_driver_error() from error


def build_missing_driver_error() -> StoreError:
    return StoreError(
        "PostgreSQL needs the package psycopg.", f"Run `{sys.executable} -m pip install 'psycopg[binary]'`."
    )


@contextmanager
def hold_named_lock(engine: Engine, name: str) -> Iterator[bool]:
    """Hold the lock ``name`` until the end of the block, or of the process; yields False where another worker holds
    it."""
    from sqlalchemy import text

    key = {"key": zlib.crc32(name.encode())}
    with engine.connect() as connection:
        held = bool(connection.execute(text("SELECT pg_try_advisory_lock(:key)"), key).scalar())
        connection.commit()
        try:
            yield held
        finally:
            if held:
                from sqlalchemy import text

                connection.execute(text("SELECT pg_advisory_unlock(:key)"), key)
                connection.commit()


def release_sender_lock(connection: Connection, number: int) -> None:
    """Release the lock ``number`` of ``SENDERS``."""
    from sqlalchemy import text

    connection.execute(text("SELECT pg_advisory_unlock(:kind, :number)"), {"kind": SENDERS, "number": number})


def advance_sequence(connection: Connection, table: str) -> None:
    """Advance the table's sequence, so that rows added from now on get numbers above those that are there."""
    from sqlalchemy import text

    highest = f"SELECT setval(pg_get_serial_sequence(:table, 'id'), max(id)) FROM \"{table}\""
    connection.execute(text(highest), {"table": f'"{table}"'})


def query_postgres(url: str, query: str, params: Mapping[str, str]) -> list[tuple[Any, ...]]:
    """Return the rows of one statement; ``:name`` in it stands for a parameter. Raises
    StoreError, TransientError."""
    try:
        import psycopg
    except ModuleNotFoundError as error:
        raise build_missing_driver_error() from error
    placed = re.sub(r"(?<!:):(\w+)", r"%(\1)s", query)
    try:
        with psycopg.connect(
            _SCHEME.sub("postgresql://", url), autocommit=True, connect_timeout=CONNECT_SECONDS, options=OPTIONS
        ) as connection:
            done = connection.execute(placed.encode(), params)
            return done.fetchall() if done.description else []
    except psycopg.Error as error:
        raise explain_postgres_error(error) or _build_failure(str(error)) from error


def explain_postgres_error(error: BaseException) -> ModeratorError | None:
    """Return the error of ours for a failure, with the fix; None for one that is our own fault (a broken
    constraint)."""
    state = str(getattr(error, "sqlstate", None) or "")
    words = " ".join(str(error).split())[:300]
    if state.startswith("23"):
        return None
    if state in ("42P01", "42703"):
        return StoreError(f"The database is not up to date ({words}).", "Run `moderator upgrade`.")
    if state == "53100":
        return StoreError("The disk of the database is full.", "Make room; nothing is lost, the next tick goes on.")
    if state.startswith("28") or "authentication failed" in words:
        return StoreError(f"The database refuses the login ({words}).", "Correct user and password in [store] url.")
    if state == "3D000" or ("database" in words and "does not exist" in words):
        return StoreError(f"There is no such database ({words}).", "Make it with `createdb`, then `moderator init`.")
    if state in ("25006", "42501"):
        return StoreError(f"Cannot write the database ({words}).", "Grant this user the right to write.")
    if state in _CLASH:
        return ClashError(f"Two workers were in each other's way ({words}); trying again later.")
    if not state or state.startswith(_AWAY):
        return TransientError(f"The database does not answer ({words}); trying again later.")
    return _build_failure(f"{state}: {words}")


def _build_failure(words: str) -> StoreError:
    return StoreError(f"The database failed ({words}).", "Try again; if it stays, read the log of PostgreSQL.")
