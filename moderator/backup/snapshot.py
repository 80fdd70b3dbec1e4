"""The database as it was at one moment, while others go on writing to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moderator.config import Config
from moderator.errors import DamageError, StoreError

if TYPE_CHECKING:
    from sqlmodel import Session

FAULTS_SHOWN = 5


def copy(source: Path, target: Path) -> None:
    """A copy of a SQLite database in a file of its own, made in one piece; then looked over. Raises StoreError,
    TransientError."""
    from moderator.store.db import translated

    with translated(source):
        with closing(sqlite3.connect(source, timeout=60)) as old, closing(sqlite3.connect(target)) as new:
            old.backup(new)
            # Else the copy would want a write-ahead log beside itself.
            new.execute("PRAGMA journal_mode=DELETE")
        sound(target)


def sound(path: Path) -> None:
    """Raises StoreError when SQLite finds anything wrong with the file."""
    from moderator.store.db import translated

    with translated(path), closing(sqlite3.connect(path)) as connection:
        found = [row[0] for row in connection.execute(f"PRAGMA integrity_check({FAULTS_SHOWN})")]
    if found != ["ok"]:
        raise DamageError(f"The database does not read as it was written: {'; '.join(found)}.")


@contextmanager
def reading(config: Config) -> Iterator[Session]:
    """A session that sees one moment of the database and keeps nobody from writing. Raises StoreError."""
    from sqlmodel import Session

    from moderator.store import probe
    from moderator.store.db import open_engine, translated
    from moderator.store.schema import HEAD

    found = probe.version(config.database)
    if found != HEAD:
        raise StoreError(f"The database is of version {found}, this program needs {HEAD}.", "Run `moderator upgrade`.")
    with translated(config.database):
        engine = _reader(config.database) if isinstance(config.database, Path) else open_engine(config.database)
        options = {} if isinstance(config.database, Path) else {"isolation_level": "REPEATABLE READ"}
        try:
            with engine.connect().execution_options(**options) as connection:
                yield Session(connection, expire_on_commit=False, autoflush=False)
        finally:
            engine.dispose()


def _reader(path: Path) -> Any:
    """An engine whose transactions never ask for the writer's lock."""
    from sqlalchemy import event
    from sqlmodel import create_engine

    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 60})

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA query_only=ON")

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine
