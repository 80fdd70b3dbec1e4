"""What an error of SQLite's means, with the fix. Light, because an idle tick asks, too."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from moderator import disk
from moderator.errors import DamageError, ModeratorError, StoreError, TransientError

BUSY_SECONDS = 20
"""So long another program's lock is waited for."""
ERRORS = (sqlite3.OperationalError, sqlite3.DatabaseError)
_BUSY = ("locked", "busy", "locking protocol")
"""The last one is what SQLite says when too many open the write-ahead log at once."""


def explained(error: BaseException, place: Path | None = None) -> ModeratorError | None:
    """The error of ours; None for a fault of our own (a broken constraint). ``place``: the database's file."""
    words = str(error)
    path = place or Path()
    if isinstance(error, sqlite3.OperationalError):
        if any(busy in words for busy in _BUSY):
            return TransientError(f"The database is locked by another program ({words}); trying again later.")
        return _fault(words, path)
    if "UNIQUE" in words or "constraint" in words:
        return None
    if "not a database" in words:
        return DamageError(f"This is no database of ours: {words}.", "Correct [store] path.")
    return DamageError(f"The database could not be read: {words}.")


def _fault(words: str, place: Path) -> StoreError:
    """SQLite tells what it could not do, seldom why: the rest is looked up."""
    name = f"the database {place}" if place.name else "the database"
    left = disk.free(place)
    if "full" in words or ("I/O" in words and left is not None and left < disk.SCANT):
        why, fix = disk.full(place)
        return StoreError(f"Cannot write {name}: {why}.", fix)
    if "I/O" in words or "unable to open" in words:
        found = _tried(place)
        if found is not None:
            return StoreError(*disk.told(found, "open", place, "Check the permissions of its folder."))
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


def _tried(place: Path) -> OSError | None:
    """What is in the way of opening the file; None if nothing is."""
    try:
        os.close(os.open(place, os.O_RDWR))
    except OSError as error:
        return error
    return None
