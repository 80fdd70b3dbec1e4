"""Is there anything to do? Asked by the standard library alone, so that an idle tick never loads the ORM."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

from moderator.errors import StoreError, TransientError

# One row, found by index, is enough to know that there is work.
_DUE = """
SELECT EXISTS(SELECT 1 FROM outbox WHERE state IN ('queued', 'sending') AND next_at <= :now)
    OR EXISTS(SELECT 1 FROM inbox WHERE state = 'received')
    OR EXISTS(SELECT 1 FROM seen WHERE filed = 0)
    OR EXISTS(SELECT 1 FROM "match" WHERE status = 'running' AND held = 0 AND final <= :settled AND stopped = '')
    OR EXISTS(SELECT 1 FROM "match" WHERE status = 'running' AND held = 1)
    OR EXISTS(SELECT 1 FROM "match" WHERE status = 'running' AND remind_at <= :now AND stopped = '')
    OR EXISTS(SELECT 1 FROM player WHERE digest = 1 AND digest_at <= :now)
"""
_POLLED = "polled"


def stamp(now: datetime) -> str:
    """A time as the database writes it."""
    return now.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")


def version(path: Path) -> str:
    """Migration that the database is at. Raises StoreError when there is no database."""
    return str(_ask(path, "SELECT version_num FROM alembic_version"))


def due(path: Path, now: datetime, settle_minutes: int) -> bool:
    """Whether a mail waits to be sent or handled, or a deadline (so many minutes ago), a reminder or the hour of a
    daily mail has come."""
    settled = now - timedelta(minutes=settle_minutes)
    return bool(_ask(path, _DUE, {"now": stamp(now), "settled": stamp(settled)}))


def last_poll(path: Path) -> datetime | None:
    """When the mailbox was last read to its end; None = never."""
    found = _ask(path, "SELECT value FROM memo WHERE key = :key", {"key": _POLLED})
    return datetime.fromisoformat(str(found)) if found else None


def polled(path: Path, began: datetime) -> None:
    """The mailbox was read to its end by a poll that began then."""
    entry = "INSERT INTO memo (key, value) VALUES (:key, :began) ON CONFLICT (key) DO UPDATE SET value = :began"
    _ask(path, entry, {"key": _POLLED, "began": began.astimezone(UTC).isoformat()})


def _ask(path: Path, query: str, params: dict[str, str] | None = None) -> object:
    if not path.exists():
        raise StoreError(f"There is no database at {path}.", "Run `moderator init`.")
    try:
        connection = sqlite3.connect(f"file:{path}?mode=rw", uri=True, timeout=20)
        try:
            row = connection.execute(query, params or {}).fetchone()
            connection.commit()
        finally:
            connection.close()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise TransientError(f"The database is locked by another program ({error}).") from error
        hint = "Run `moderator upgrade`." if "no such" in str(error) else "Check the file and its permissions."
        raise StoreError(f"Cannot read {path}: {error}.", hint) from error
    except sqlite3.DatabaseError as error:
        raise StoreError(
            f"{path} is no database of ours: {error}.", "Check [store] path, or restore a backup."
        ) from error
    return row[0] if row else None
