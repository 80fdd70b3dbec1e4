"""Counts every write that a run makes to the database and to files, and makes one of them fail.

The database's are caught in Python's own sqlite3 module, below everything of ours; those to files by an audit hook of
the interpreter's, and where bytes are put on the disk (fsync).
"""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "DROP", "ALTER")
DATABASE = {"full": "database or disk is full", "readonly": "attempt to write a readonly database"}
FILES = {"full": errno.ENOSPC, "readonly": errno.EROFS}


class Trap:
    """Fails at the write number ``fatal`` (0 = never), or at the first one whose name begins so. ``names`` holds what
    was about to be written."""

    def __init__(self, fatal: int | str = 0, kind: str = "full") -> None:
        self.fatal, self.kind = fatal, kind
        self.names: list[str] = []
        self.sprung = False

    def database(self, name: str) -> None:
        if self._sprung(name):
            raise sqlite3.OperationalError(DATABASE[self.kind])

    def file(self, name: str) -> None:
        if self._sprung(name):
            code = FILES[self.kind]
            raise OSError(code, os.strerror(code))

    def begin(self) -> None:
        """A transaction is about to ask for the writer's lock."""

    def _sprung(self, name: str) -> bool:
        self.names.append(name)
        if isinstance(self.fatal, str):
            now = not self.sprung and name.startswith(self.fatal)
        else:
            now = len(self.names) == self.fatal
        self.sprung = self.sprung or now
        return now


_watchers: dict[Path, Trap] = {}


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook cannot be taken away again, so it asks whether somebody watches."""
    if _watchers and event in ("open", "os.mkdir", "os.rename", "os.remove"):
        name = arguments[0]
        path = Path(os.fsdecode(name)) if isinstance(name, str | bytes | os.PathLike) else None
        for folder, trap in _watchers.items():
            if path is not None and path.is_relative_to(folder) and _writes(event, path, arguments):
                trap.file(f"{event} {path.relative_to(folder)}")


def _writes(event: str, path: Path, arguments: tuple[Any, ...]) -> bool:
    if event == "open":
        return bool(arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    # What is there already is not made, and what is not there not removed: that fails before anything is written.
    return os.path.lexists(path) != (event == "os.mkdir")


@cache
def _hooked() -> None:
    """Only once somebody watches: Python calls a hook for each file, each import and each id() of the whole run."""
    sys.addaudithook(_audit)


class _Cursor(sqlite3.Cursor):
    trap: Trap

    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        if sql.startswith("BEGIN"):
            self.trap.begin()
        if sql.lstrip().upper().startswith(WRITES):
            self.trap.database(" ".join(sql.split()[:3]))
        return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Any) -> sqlite3.Cursor:
        self.trap.database(" ".join(sql.split()[:3]))
        return super().executemany(sql, parameters)


class _Connection(sqlite3.Connection):
    trap: Trap
    cursors: type[_Cursor]

    def cursor(self, factory: Any = None) -> Any:
        return super().cursor(self.cursors)

    def execute(self, sql: str, parameters: Any = ()) -> Any:
        return self.cursor().execute(sql, parameters)

    def commit(self) -> None:
        if self.in_transaction:
            try:
                self.trap.database("COMMIT")
            except sqlite3.Error:
                super().rollback()  # as SQLite does when the disk is full
                raise
        super().commit()


@contextmanager
def watching(folder: Path, trap: Trap) -> Iterator[Trap]:
    """Everything that this process writes to databases, and to files below ``folder``, goes past the trap."""
    cursors = type("Cursor", (_Cursor,), {"trap": trap})
    connections = type("Connection", (_Connection,), {"trap": trap, "cursors": cursors})
    real_connect, real_sync = sqlite3.connect, os.fsync

    def connect(*arguments: Any, **options: Any) -> Any:
        return real_connect(*arguments, **{**options, "factory": connections})

    def sync(handle: int) -> None:
        trap.file("fsync")
        real_sync(handle)

    with pytest.MonkeyPatch.context() as patched:
        for module in (sqlite3, sqlite3.dbapi2):
            patched.setattr(module, "connect", connect)
        patched.setattr(os, "fsync", sync)
        _hooked()
        _watchers[folder] = trap
        try:
            yield trap
        finally:
            del _watchers[folder]
