"""A club in memory that stops after the decision: no files, no mail server, and nothing is laid out. For tests that ask
what was decided and who is told of it, not in which words."""

import os
import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn
from unittest.mock import patch

import pytest
from sqlalchemy import event
from sqlalchemy.pool import StaticPool
from sqlmodel import create_engine

from moderator.common.mails import RawMail
from moderator.delivery import deliver
from moderator.notifications.pages import Page
from moderator.run.log import RunSummary
from moderator.run.rehearsal import MailList
from moderator.run.steps import run_steps
from moderator.store import database, due_work
from moderator.store.database import Store
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import Notification, UnitOfWork
from moderator.words.dictionary import Dictionary
from tests import machine
from tests.club.club import Club, club_of, kept_club
from tests.servers import postgres

NOBODY: Any = object()
"""Sends nothing: what would be sent fails."""


@dataclass
class MemoryClub(Club):
    """Its runs are those of ``run_steps``; commands of the command line do not find it."""

    source: Club | None = None
    """The club in files that it began as."""
    image: bytes = b""
    """Its database, as it was when it was copied."""
    pages: list[Page] = field(default_factory=list)
    """What would have been mailed, oldest first."""
    box: MailList = field(default_factory=MailList)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.connection.deserialize(self.image)
        self.connection.execute("PRAGMA foreign_keys=ON")
        weakref.finalize(self, self.connection.close)
        self.store = self._open_store()

    def _open_store(self) -> Store:
        place = self.config.database
        assert isinstance(place, Path)
        place.touch()
        for autocommit in (False, True):
            engine = machine.share_statements(
                create_engine("sqlite://", creator=lambda: self.connection, poolclass=StaticPool)
            )
            if not autocommit:
                event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
            database._IDLE[place, autocommit] = engine
        return Store(place)

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """What is asked of the database's place is asked of the one in memory, and nobody is mailed."""
        assert isinstance(self.store.place, Path)
        token = due_work._AT_HAND.set({self.store.place: self.connection})
        try:
            with patch.object(deliver, "compose_notification", self._keep_page):
                yield
        finally:
            due_work._AT_HAND.reset(token)

    def _keep_page(self, work: UnitOfWork, one: Notification, page: Page) -> None:
        self.pages.append(page)

    @contextmanager
    def work(self) -> Iterator[UnitOfWork]:
        with (
            self.deciding(),
            self.store.begin_transaction() as session,
            deliver.open_delivering_work(self.config, session, self.now, MatchCache(self.config)) as work,
        ):
            yield work

    def wait(self, *, away: bool = False, **span: float) -> None:
        with self.deciding():
            super().wait(away=away, **span)

    def tick(self) -> RunSummary:
        run = self.context(self.store)
        with self.deciding():
            run_steps(run, self.box, NOBODY)
        return run.summary

    def deliver(self, data: bytes, at: datetime) -> None:
        self.box.waits.append(RawMail(f"memory:{self.sent}", data, at, len(data)))

    def told(self, name: str = "") -> list[Page]:
        """What ``name``, or anybody, would have been mailed since the last call."""
        found, self.pages = self.pages, []
        return [page for page in found if name in ("", page.reader.name)]

    def copy(self, folder: Path) -> "MemoryClub":
        folder.mkdir(parents=True, exist_ok=True)
        config, image = self.config_at(folder / "moderator.toml"), self.connection.serialize()
        return MemoryClub(folder, config, self.now, sent=self.sent, source=self.source, image=image)

    def skip_mails(self) -> None:
        self.pages.clear()

    def mails(self, name: str = "") -> NoReturn:
        raise AssertionError("nothing is mailed: look at ``told``")

    def dictionary(self, options: Any, code: str = "") -> Dictionary:
        if self.source is None or self.config.resolve_path(self.config.words.house).exists():
            return MatchCache(self.config).get_dictionary(options, code)
        return self.source.dictionary(options, code)


def club_for(request: pytest.FixtureRequest, folder: Path, *names: str, **languages: str) -> Club:
    """What ``club_of`` makes, for a fixture of that name: in memory for a test that asks for a ``MemoryClub``."""
    asked = request.function.__annotations__.get("club")
    return (memory_club_of if asked is MemoryClub else club_of)(folder, *names, **languages)


def memory_club_of(folder: Path, *names: str, **languages: str) -> MemoryClub:
    """What ``club_of`` makes, in memory."""
    if os.environ.get(postgres.VARIABLE):
        pytest.skip("in the memory of SQLite")
    return _kept_image(names, tuple(languages.items())).copy(folder)


@lru_cache
def _kept_image(names: tuple[str, ...], languages: tuple[tuple[str, str], ...]) -> MemoryClub:
    made = kept_club(names, "", languages, "")
    connection = sqlite3.connect(made.config.database)
    connection.execute("PRAGMA journal_mode=DELETE")
    config = made.config_at(made.folder / "memory.toml")
    object.__setattr__(config, "words", replace(config.words, folder=made.folder / "lexicons"))
    object.__setattr__(config, "store", replace(config.store, path=Path("memory.sqlite")))
    return MemoryClub(made.folder, config, made.now, sent=made.sent, source=made, image=connection.serialize())
