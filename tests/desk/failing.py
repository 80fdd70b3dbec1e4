"""Lets a mail's transaction fail after one step of it: a statement, or a function of ours that returns.

The steps of a command are all that it runs through, found by running it once; none is picked by hand.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from inspect import CO_GENERATOR
from pathlib import Path
from types import FrameType
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlmodel import SQLModel, col, select

import moderator
from moderator import handling
from moderator.desk.live import Shelf
from moderator.handling import Handling
from moderator.intake import keep
from moderator.mail.model import RawMail
from moderator.store.db import open_store
from moderator.store.models import Inbox, Letter
from moderator.summary import Summary
from tests.desk.club import Club

PACKAGE = str(Path(moderator.__file__).parent)
OURS = tuple(
    f"{PACKAGE}/{name}" for name in ("desk", "store", "lexicon/house", "engine/ledger", "engine/table", "mail")
)
Step = tuple[str, str]
"""The function that returned and who called it, or "sql" and the statement's beginning."""
WITHOUT = {"outbox": {"id", "message_id"}, "seat": {"thread"}}
"""Columns that differ from run to run: numbers, Message-IDs."""


class Injected(Exception):
    """What fails."""


@dataclass
class Steps:
    """Counts the steps between the beginning of a mail's transaction and its commit; fails after the last time that
    ``fatal`` is done (``times``: how often that is)."""

    fatal: Step | None = None
    times: int = 0
    seen: dict[Step, int] = field(default_factory=dict)
    inside: bool = False

    def step(self, step: Step) -> None:
        self.seen[step] = self.seen.get(step, 0) + 1
        if step == self.fatal and self.seen[step] == self.times:
            self.inside = False
            sys.setprofile(None)
            raise Injected(f"after {step}")

    def profile(self, frame: FrameType, kind: str, _argument: Any) -> None:
        code = frame.f_code
        # A generator may be closed by whoever collects the garbage: nothing can fail there.
        if kind == "return" and self.inside and code.co_filename.startswith(OURS) and not code.co_flags & CO_GENERATOR:
            caller = frame.f_back.f_code.co_qualname if frame.f_back else ""
            self.step((code.co_qualname, caller))

    def statement(self, _connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if self.inside:
            self.step(("sql", " ".join(statement.split())[:120]))


@contextmanager
def failing(steps: Steps | None, begin: Callable[[Any], None]) -> Iterator[None]:
    """Every mail's work goes past ``steps``, if there are any; ``begin`` is called before it with its desk."""
    act = handling._act

    def watched(desk: Any) -> None:
        begin(desk)
        if steps is None:
            return act(desk)
        steps.inside = True
        sys.setprofile(steps.profile)
        try:
            act(desk)
            desk.session.flush()
        finally:
            sys.setprofile(None)
            steps.inside = False
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
        keep(store, [RawMail(f"m{n}", raw, club.now, len(raw)) for n, raw in enumerate(mails)], club.now)
        with store.transaction() as session:
            first = min(session.exec(select(Inbox.id).where(Inbox.state == "received")).all())
            row = session.get_one(Inbox, first)
            row.state = "received" if steps else "dropped"
        shelf, summary = Shelf(club.config), Summary()
        loop = Handling(club.config, store, shelf, club.clock, summary)
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
    """To whom, subject, text."""
    import email
    import email.policy

    mail = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(mail, EmailMessage)
    part = mail.get_body(("plain",))
    return str(mail["To"]), str(mail["Subject"]), part.get_content() if part else ""
