"""Is there anything to do? Asked by the standard library alone, so that an idle tick never loads the ORM."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from moderator.errors import StoreError, TransientError
from moderator.store import postgres

Place = Path | str
"""A SQLite file, or the URL of a PostgreSQL database."""

# One row, found by index, is enough to know that there is work.
_LOOK = """
SELECT (SELECT value FROM memo WHERE key = :key),
    EXISTS(SELECT 1 FROM outbox WHERE state IN ('queued', 'sending') AND next_at <= :now)
    OR EXISTS(SELECT 1 FROM inbox WHERE state = 'received')
    OR EXISTS(SELECT 1 FROM seen WHERE filed = FALSE)
    OR EXISTS(SELECT 1 FROM "match" WHERE status = 'running' AND held = FALSE AND final <= :settled AND stopped = '')
    OR EXISTS(SELECT 1 FROM "match" WHERE status = 'running' AND held = TRUE)
    OR EXISTS(SELECT 1 FROM "match" WHERE status = 'running' AND remind_at <= :now AND stopped = '')
    OR EXISTS(SELECT 1 FROM cup WHERE next_at <= :now)
    OR EXISTS(SELECT 1 FROM player WHERE digest = TRUE AND digest_at <= :now)
"""
_POLLED = "polled"


class Look(NamedTuple):
    last_poll: datetime | None
    """When the mailbox was last read to its end; None = never."""
    due: bool
    """Whether a mail waits to be sent or handled, or a deadline, a reminder, the hour of a daily mail or a step of a
    tournament has come."""


def stamp(now: datetime) -> str:
    """A time as the database writes it."""
    return now.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")


def version(place: Place) -> str:
    """Migration that the database is at. Raises StoreError when there is no database."""
    found = _ask(place, "SELECT version_num FROM alembic_version")
    return str(found[0]) if found else "none"


def look(place: Place, now: datetime, settle: timedelta) -> Look:
    """What a tick has to know before it does anything. Deadlines have come when they are over for so long."""
    polled, due = _ask(place, _LOOK, {"key": _POLLED, "now": stamp(now), "settled": stamp(now - settle)})
    return Look(datetime.fromisoformat(polled) if polled else None, bool(due))


def polled(place: Place, began: datetime) -> None:
    """The mailbox was read to its end by a poll that began then."""
    entry = "INSERT INTO memo (key, value) VALUES (:key, :began) ON CONFLICT (key) DO UPDATE SET value = :began"
    _ask(place, entry, {"key": _POLLED, "began": began.astimezone(UTC).isoformat()})


def _ask(place: Place, query: str, params: dict[str, str] | None = None) -> tuple[Any, ...]:
    """The first row; () if there is none."""
    if not isinstance(place, Path):
        return postgres.ask(place, query, params or {})
    if not place.exists():
        raise StoreError(f"There is no database at {place}.", "Run `moderator init`.")
    try:
        connection = sqlite3.connect(f"file:{place}?mode=rw", uri=True, timeout=20)
        try:
            row: tuple[Any, ...] | None = connection.execute(query, params or {}).fetchone()
            connection.commit()
        finally:
            connection.close()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise TransientError(f"The database is locked by another program ({error}).") from error
        hint = "Run `moderator upgrade`." if "no such" in str(error) else "Check the file and its permissions."
        raise StoreError(f"Cannot read {place}: {error}.", hint) from error
    except sqlite3.DatabaseError as error:
        raise StoreError(
            f"{place} is no database of ours: {error}.", "Check [store] path, or restore a backup."
        ) from error
    return row or ()
