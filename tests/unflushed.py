"""No waiting for the disk: what a process that dies has written stays in the system's memory, and no test here pulls
the plug. That files are flushed, and when, tests see by traps of their own (tests/faults)."""

from __future__ import annotations

import functools
import os
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from moderator.store import sqlite


def begin() -> None:
    """For this process; those that it starts are as ever."""
    os.fsync = _nothing
    sqlite.open_engine = _unflushed(sqlite.open_engine)


def _nothing(descriptor: Any) -> None:
    pass


def _unflushed(open_engine: Any) -> Any:
    @functools.wraps(open_engine)
    def opened(*arguments: Any, **more: Any) -> Engine:
        engine: Engine = open_engine(*arguments, **more)
        event.listen(engine, "connect", _at_once)
        return engine

    return opened


def _at_once(connection: Any, _record: Any) -> None:
    connection.execute("PRAGMA synchronous=OFF")
