"""What an error of SQLite's means, with the fix. Light, because an idle tick asks, too."""

from __future__ import annotations

import sqlite3

from moderator.errors import ModeratorError, StoreError, TransientError

BUSY_SECONDS = 20
"""So long another program's lock is waited for."""
ERRORS = (sqlite3.OperationalError, sqlite3.DatabaseError)
_BUSY = ("locked", "busy", "locking protocol")
"""The last one is what SQLite says when too many open the write-ahead log at once."""


def explained(error: BaseException) -> ModeratorError | None:
    """The error of ours; None for a fault of our own (a broken constraint)."""
    words = str(error)
    if isinstance(error, sqlite3.OperationalError):
        if any(busy in words for busy in _BUSY):
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
    if "not a database" in words:
        return StoreError(f"This is no database of ours: {words}.", "Check [store] path, or restore a backup.")
    return StoreError(f"The database is damaged: {words}.", "Restore the newest backup.")
