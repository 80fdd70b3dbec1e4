"""Lets a mail's transaction fail after one step of it: a statement, or a function of ours that returns.

The steps of a command are all that it runs through, found by running it once; none is picked by hand.
"""

from __future__ import annotations

import email
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache
from inspect import CO_GENERATOR
from pathlib import Path
from types import FrameType
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlmodel import SQLModel, col, select

import moderator
from moderator.club.run_cache import RunCache
from moderator.mail.model import RawMail
from moderator.run import handling
from moderator.run.handling import Handling
from moderator.run.intake import Summary, store_mails
from moderator.store.db import open_store
from moderator.store.models import Inbox, Letter
from tests.club.club import Club

PACKAGE = str(Path(moderator.__file__).parent)
PURE = tuple(f"{PACKAGE}/{name}/" for name in ("games", "pages", "site", "tournaments"))
"""What is worked out there from what it is given; nothing is looked up, written or kept."""
Step = tuple[str, str]
"""The function that returned and who called it, or "sql" and the statement's beginning."""
Moment = tuple[Step, int]
"""A step, and how often it has been done by then."""
NEVER: Moment = (("", ""), 0)
DEEP = 6
"""So far into a run's cache it is looked for changes: its matches, their tables, the orders on those."""
PLAIN = {str, int, bool, type(None)}
READING = ("SELECT", "SAVEPOINT", "RELEASE")
"""How statements begin that change no row."""
WITHOUT = {"outbox": {"id", "message_id"}, "seat": {"thread"}}
"""Columns that differ from run to run: numbers, Message-IDs."""


class Injected(Exception):
    """What fails."""


@dataclass
class Steps:
    """Watches the steps between the beginning of a mail's transaction and its commit; fails at ``fatal``.

    A failure is the same one at every step until something is changed that it could leave behind: a row, or what the
    run's cache holds. ``telling`` are the first moments at which something is another than before. What only reads
    changes no row.
    """

    fatal: Moment | None = None
    seen: Counter[Step] = field(default_factory=Counter)
    telling: list[Moment] = field(default_factory=list)
    cache: RunCache | None = None
    """Of the desk at work; None = nobody is."""
    before: Held | None = None

    def step(self, step: Step, telling: bool) -> None:
        self.seen[step] += 1
        moment = step, self.seen[step]
        if telling:
            self.telling.append(moment)
        if moment == self.fatal:
            self.cache = None
            sys.setprofile(None)
            raise Injected(f"after {step}")

    def profile(self, frame: FrameType, kind: str, _argument: Any) -> None:
        code = frame.f_code
        name = code.co_filename
        # A generator may be closed by whoever collects the garbage: nothing can fail there.
        if kind != "return" or self.cache is None or code.co_flags & CO_GENERATOR:
            return
        if not name.startswith(PACKAGE) or name.startswith(PURE):
            return
        caller = frame.f_back.f_code.co_qualname if frame.f_back else ""
        self.step((code.co_qualname, caller), self._holds_another())

    def statement(self, _connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if self.cache is not None:
            reads = statement.split()[0].upper() in READING
            self.step(("sql", " ".join(statement.split())[:120]), self._holds_another() or not reads)

    def _holds_another(self) -> bool:
        """Whether the cache holds something else than at the step before."""
        if self.fatal is not None or self.cache is None:
            return False
        held = Held(self.cache)
        changed, self.before = held != self.before, held
        return changed


@lru_cache
def _names(kind: type) -> tuple[str, ...] | None:
    """Of the fields of a dataclass; None for what is none."""
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else None


class Held:
    """What a run's cache holds at one moment: the same as at another if it is built the same of the same objects."""

    def __init__(self, cache: RunCache) -> None:
        self.values: list[object] = []
        """Kept, so that no other object gets the number of one of them."""
        self.form = tuple(
            self._form(value, 0) for name, value in vars(cache).items() if name not in ("config", "session")
        )

    def _form(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind in PLAIN:
            return value
        if depth < DEEP:
            deeper = depth + 1
            if isinstance(value, dict):
                return tuple([(key, self._form(each, deeper)) for key, each in value.items()])
            if isinstance(value, list | tuple):
                return tuple([self._form(each, deeper) for each in value])
            if isinstance(value, set | frozenset):
                return frozenset(value)
            if (names := _names(kind)) is not None:
                return tuple([self._form(getattr(value, name), deeper) for name in names])
        if isinstance(value, str | int):
            return value
        self.values.append(value)
        return id(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and self.form == other.form

    __hash__ = None  # type: ignore[assignment]


@contextmanager
def failing(steps: Steps | None, begin: Callable[[Any], None]) -> Iterator[None]:
    """Every mail's work goes past ``steps``, if there are any; ``begin`` is called before it with its desk."""
    act = handling._act

    def watched(desk: Any) -> None:
        begin(desk)
        if steps is None:
            return act(desk)
        steps.cache = desk.cache
        sys.setprofile(steps.profile)
        try:
            act(desk)
            desk.session.flush()
        finally:
            sys.setprofile(None)
            steps.cache = None
        return None

    handling._act = watched
    counted = steps.statement if steps else _nothing
    event.listen(Engine, "after_cursor_execute", counted)
    try:
        yield
    finally:
        event.remove(Engine, "after_cursor_execute", counted)
        handling._act = act


def _nothing(*_more: Any) -> None:
    """Of no interest."""


def _hurry(connection: Any, _record: Any) -> None:
    """The disk is not waited for: nobody dies here."""
    connection.execute("PRAGMA synchronous=OFF")


def run(
    club: Club, model: Path, mails: Sequence[bytes], steps: Steps | None, begin: Callable[[Any], None]
) -> tuple[str, dict[str, Any]]:
    """Handle the mails in one process; the first one fails at ``steps``, or (None) is left out. Returns the state of
    the first one, and the database afterwards without what that mail, and the word about it, have left."""
    place = Path(club.config.database)
    for ending in ("-wal", "-shm"):
        place.with_name(place.name + ending).unlink(missing_ok=True)
    club.config.path(club.config.words.house).unlink(missing_ok=True)
    shutil.copyfile(model, place)
    store = open_store(place)
    if not event.contains(store.engine, "connect", _hurry):
        event.listen(store.engine, "connect", _hurry)
    try:
        store_mails(store, [RawMail(f"m{n}", raw, club.now, len(raw)) for n, raw in enumerate(mails)], club.now)
        with store.transaction() as session:
            first = min(session.exec(select(Inbox.id).where(Inbox.state == "received")).all())
            row = session.get_one(Inbox, first)
            row.state = "received" if steps else "dropped"
        cache, summary = RunCache(club.config), Summary()
        loop = Handling(club.config, store, cache, club.clock, summary)
        if steps:
            with failing(steps, begin):
                loop.step()
        with failing(None, begin):
            loop.rest()
        with store.transaction() as session:
            state = session.get_one(Inbox, first).state
            return state, _dump(session, first)
    finally:
        store.close()


def _dump(session: Any, first: int) -> dict[str, Any]:
    """Table -> rows, as texts; "letters" -> what each mail says."""
    letters = {row.outbox_id: _said(row.raw) for row in session.exec(select(Letter).order_by(col(Letter.outbox_id)))}
    about_it = {number for number, (_, _, said) in letters.items() if Injected.__name__ in said}
    gone = {"inbox": {first}, "outbox": about_it, "letter": set(letters)}
    found: dict[str, Any] = {"letters": [said for number, said in letters.items() if number not in about_it]}
    for table in SQLModel.metadata.sorted_tables:
        rows = session.connection().execute(select(table).order_by(*table.primary_key)).mappings()
        away, without = gone.get(table.name, set()), WITHOUT.get(table.name, set())
        found[table.name] = [
            {name: str(value) for name, value in row.items() if name not in without}
            for row in rows
            if next(iter(row.values())) not in away
        ]
    return found


def _said(raw: bytes) -> tuple[str, str, str]:
    """To whom, subject, text; the first two as they are written (the policy that decodes them takes ten times as
    long)."""
    mail = email.message_from_bytes(raw)
    text = next((part for part in mail.walk() if part.get_content_type() == "text/plain"), None)
    said = text.get_payload(decode=True) if text else b""
    assert isinstance(said, bytes)
    return mail["To"], mail["Subject"], said.decode()
