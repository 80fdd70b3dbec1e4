"""Opening the database, and transactions that turn its failures into plain words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from moderator.errors import StoreError
from moderator.store import (
    models,  # noqa: F401 - the tables must be known before the first session
    postgres,
    sqlite,
    sqlite_errors,
)
from moderator.store.probe import Place
from moderator.store.schema import HEAD


def open_engine(place: Place, marks: bool = False) -> Engine:
    """The engine for a file or a URL. With ``marks``: for statements that commit at once and need not survive a power
    failure."""
    return sqlite.open_engine(place, marks) if isinstance(place, Path) else postgres.open_engine(place, marks)


_IDLE: dict[tuple[Place, bool], Engine] = {}
"""Engines of stores that are closed, for the next store at the same place: an engine remembers how statements are
written out as SQL, which is a third of the work of handling a mail. They have no connections."""
_MOST_IDLE = 4


def _taken(place: Place, marks: bool) -> Engine:
    return _IDLE.pop((place, marks), None) or open_engine(place, marks)


def _given_back(engine: Engine, place: Place, marks: bool) -> None:
    engine.dispose()
    _IDLE[place, marks] = engine
    while len(_IDLE) > _MOST_IDLE:
        del _IDLE[next(iter(_IDLE))]


class Store:
    """An open database. ``transaction()`` is the way to it."""

    def __init__(self, place: Place) -> None:
        self.shared = not isinstance(place, Path)
        """Several workers may be at work on it."""
        self._place = place
        self.engine = _taken(place, marks=False)
        self._marks_engine = _taken(place, marks=True)
        self._marks: Connection | None = None

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Commit on success, roll back on any error. Raises StoreError or TransientError for the database's own."""
        session = Session(self.engine, expire_on_commit=False, autoflush=False, info={"shared": self.shared})
        with translated(), session, session.begin():
            yield session

    @contextmanager
    def marks(self) -> Iterator[Connection]:
        """For marks that may be lost with the machine's power (a mail then goes out again), but not with the
        process: one is written for every mail that is sent, and waiting for the disk each time is what costs."""
        with translated():
            if self._marks is None:
                self._marks = self._marks_engine.connect()
            try:
                yield self._marks
            finally:
                self._marks.commit()

    @contextmanager
    def turn(self, name: str) -> Iterator[bool]:
        """What only one worker may do at a time; False = another one is doing it. Where workers don't share the
        database this one is alone (see ``tick.only_one``)."""
        if not self.shared:
            yield True
            return
        with translated(), postgres.turn(self.engine, name) as mine:
            yield mine

    def close(self) -> None:
        if self._marks is not None:
            self._marks.close()
        _given_back(self.engine, self._place, marks=False)
        _given_back(self._marks_engine, self._place, marks=True)


@contextmanager
def translated() -> Iterator[None]:
    """Database failures as errors that say what to do."""
    try:
        yield
    except (DBAPIError, *sqlite_errors.ERRORS) as error:
        cause = getattr(error, "orig", None) or error
        ours = isinstance(cause, sqlite3.Error)
        plain = sqlite_errors.explained(cause) if ours else postgres.explained(cause)
        if plain is None:
            raise
        raise plain from error


def open_store(place: Place) -> Store:
    """The database at ``place``. Raises StoreError when it is missing or of another version."""
    from moderator.store.probe import version

    found = version(place)
    if found != HEAD:
        name = place if isinstance(place, Path) else postgres.shown(place)
        raise StoreError(f"{name} is of version {found}, this program needs {HEAD}.", "Run `moderator upgrade`.")
    return Store(place)
