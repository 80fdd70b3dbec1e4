"""The usual database: one SQLite file, one writer at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlmodel import create_engine

from moderator.store import sqlite_errors


def open_engine(path: Path, marks: bool = False) -> Engine:
    """With write-ahead log; what is committed survives a power failure. Transactions begin with BEGIN IMMEDIATE, so
    that a writer never deadlocks.

    With ``marks`` each statement is its own transaction and survives the end of the process, but perhaps not a
    power failure.
    """
    sync = "NORMAL" if marks else "FULL"
    engine = create_engine(f"sqlite:///{path}")

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        patience = f"busy_timeout={sqlite_errors.BUSY_SECONDS * 1000:.0f}"
        for pragma in (patience, "journal_mode=WAL", f"synchronous={sync}", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    if not marks:

        @event.listens_for(engine, "begin")
        def _begin(connection: Any) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine
