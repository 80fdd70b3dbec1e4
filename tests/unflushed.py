"""What thousands of small databases in one process need not do each time.

No waiting for the disk: what a process that dies has written stays in the system's memory, and no test here pulls the
plug. That files are flushed, and when, tests see by traps of their own (tests/faults). And a statement is written out
as SQL once, as for the one database of a real process, not anew for each club: that was a seventh of the run.
"""

from __future__ import annotations

import functools
import os
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from moderator.store import postgres, sqlite

_KNOWN: dict[str, Engine] = {}
"""The first engine of each kind of database that has connected."""


def begin() -> None:
    """For this process; those that it starts are as ever."""
    os.fsync = _nothing
    sqlite.open_engine = _written_once(_unflushed(sqlite.open_engine))
    postgres.open_engine = _written_once(postgres.open_engine)


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


def _written_once(open_engine: Any) -> Any:
    """What is written out is kept by dialect, and each engine makes its own; it is the same for all of a kind."""

    @functools.wraps(open_engine)
    def opened(*arguments: Any, **more: Any) -> Engine:
        engine: Engine = open_engine(*arguments, **more)
        known = _KNOWN.get(engine.name)
        if known is None:
            event.listen(engine, "connect", lambda *_: _KNOWN.setdefault(engine.name, engine))
        else:
            engine.dialect = engine.pool._dialect = known.dialect
            engine._compiled_cache = known._compiled_cache
        return engine

    return opened
