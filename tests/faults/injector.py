"""The fault injector: it numbers the steps of a run, and at one of them something goes wrong.

A step is what is about to happen: BEGIN (the writer's lock is asked for), a writing statement, COMMIT, a file below
the club's folder that is opened for writing, renamed, made or removed, an fsync, a connection, a command to the IMAP
or SMTP server; each line that the IMAP server says, and each call of a transport. A run that stops before each of them
has stopped everywhere.

What happens at the step is one of the functions below, or any other: ``kill``, ``die``, ``full``, ``readonly``.
"""

import errno
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from moderator.common.mails import Mailbox, RawMail, Sender
from moderator.mail.maildir import MaildirMailbox, MaildirSender
from moderator.mail.transport import OneByOne, Polled, Setup, Way

CHANGING = ("INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "DROP", "ALTER")
RECORDED = "recorded"
"""A note in the log of a plan: the fate of a mail is in the database."""


class Died(BaseException):
    """The process is gone; nobody catches that."""


def kill(name: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die(name: str) -> None:
    """As ``kill``, for a run in this process."""
    raise Died(name)


def full(name: str) -> None:
    _fail(name, "database or disk is full", errno.ENOSPC)


def readonly(name: str) -> None:
    _fail(name, "attempt to write a readonly database", errno.EROFS)


def _fail(name: str, words: str, code: int) -> None:
    if name.startswith((*CHANGING, "COMMIT")):
        raise sqlite3.OperationalError(words)
    raise OSError(code, os.strerror(code))


def is_write(name: str) -> bool:
    """Whether the step needs the disk."""
    return name.startswith((*CHANGING, "COMMIT", "open", "os.", "fsync"))


def is_lock(name: str) -> bool:
    return name == "BEGIN"


@dataclass
class Plan:
    """``act`` happens at step number ``at`` (0 = never), or at the first step whose name begins so. Of the steps only
    those count that are ``only``."""

    at: int | str = 0
    act: Callable[[str], None] = kill
    only: Callable[[str], bool] = lambda name: name != "BEGIN"
    log: Path | None = None
    """A file that gets the names, for a process that may be killed."""
    names: list[str] = field(default_factory=list)
    sprung: bool = False

    def step(self, name: str) -> None:
        if not self.only(name):
            return
        self.names.append(name)
        self.note(name)
        if not self.sprung and (name.startswith(self.at) if isinstance(self.at, str) else len(self.names) == self.at):
            self.sprung = True
            self.act(name)

    def note(self, name: str) -> None:
        """Something to know of, and no step."""
        if self.log:
            with self.log.open("a", encoding="utf-8") as stream:
                stream.write(f"{name}\n")


@contextmanager
def watching(folder: Path, plan: Plan) -> Iterator[Plan]:
    """What this process does with databases, with files below ``folder`` and with servers goes past the plan."""
    with pytest.MonkeyPatch.context() as patched:
        _database(plan, patched)
        _imap(plan, patched)
        _smtp(plan, patched)
        real = os.fsync
        patched.setattr(os, "fsync", lambda handle: (plan.step("fsync"), real(handle))[1])
        _hook()
        _watched[folder.resolve()] = plan
        try:
            yield plan
        finally:
            del _watched[folder.resolve()]


def passing(plan: Plan, patched: pytest.MonkeyPatch, owner: Any, name: str, step: str) -> None:
    """From now on each call of this function is a step, too."""
    real = getattr(owner, name)

    def called(*arguments: Any, **options: Any) -> Any:
        plan.step(step)
        return real(*arguments, **options)

    patched.setattr(owner, name, called)


# ---- files ----

_watched: dict[Path, Plan] = {}


@cache
def _hook() -> None:
    """Python calls an audit hook for each file, import and id() of a whole run, and it cannot be taken away."""
    sys.addaudithook(_audit)


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watched:
        return
    if event == "socket.connect":
        for plan in _watched.values():
            plan.step("connect")
    elif event in ("open", "os.mkdir", "os.rename", "os.remove"):
        name = arguments[0]
        path = Path(os.fsdecode(name)) if isinstance(name, str | bytes | os.PathLike) else None
        for folder, plan in list(_watched.items()):
            if path and path.is_relative_to(folder) and _writes(event, path, arguments):
                plan.step(f"{event} {path.relative_to(folder)}")


def _writes(event: str, path: Path, arguments: tuple[Any, ...]) -> bool:
    if event == "open":
        return bool(arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    # What is there already is not made, and what is not there not removed: that fails before anything is written.
    return os.path.lexists(path) != (event == "os.mkdir")


# ---- the database ----


class _Cursor(sqlite3.Cursor):
    plan: Plan

    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        self._pass(sql)
        return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Any) -> sqlite3.Cursor:
        self._pass(sql)
        return super().executemany(sql, parameters)

    def _pass(self, sql: str) -> None:
        changes = sql.lstrip().upper().startswith(CHANGING)
        if sql.startswith("BEGIN") or (changes and not self.connection.in_transaction):
            self.plan.step("BEGIN")
        if changes:
            self.connection.changed = True  # type: ignore[attr-defined]
            self.plan.step(" ".join(sql.split()[:3]))


class _Connection(sqlite3.Connection):
    plan: Plan
    cursors: type[_Cursor]
    changed = False

    def cursor(self, factory: Any = None) -> Any:
        return super().cursor(self.cursors)

    def execute(self, sql: str, parameters: Any = ()) -> Any:
        return self.cursor().execute(sql, parameters)

    def commit(self) -> None:
        if self.in_transaction and self.changed:
            try:
                self.plan.step("COMMIT")
            except BaseException:
                super().rollback()  # as SQLite does when the disk is full
                raise
        self.changed = False
        super().commit()


def _database(plan: Plan, patched: pytest.MonkeyPatch) -> None:
    """Below everything of ours, in Python's own module."""
    cursors = type("Cursor", (_Cursor,), {"plan": plan})
    connections = type("Connection", (_Connection,), {"plan": plan, "cursors": cursors})
    real = sqlite3.connect

    def connect(*arguments: Any, **options: Any) -> Any:
        return real(*arguments, **{**options, "factory": connections})

    for module in (sqlite3, sqlite3.dbapi2):
        patched.setattr(module, "connect", connect)


# ---- servers ----


def _imap(plan: Plan, patched: pytest.MonkeyPatch) -> None:
    import imaplib

    real_send, real_line = imaplib.IMAP4.send, imaplib.IMAP4._get_line  # type: ignore[attr-defined]

    def send(self: Any, data: bytes) -> None:
        words = data.decode("latin-1").split()
        plan.step("IMAP " + " ".join(words[1:3] or words))
        real_send(self, data)

    def line(self: Any) -> bytes:
        got: bytes = real_line(self)
        plan.step("line of IMAP")
        return got

    patched.setattr(imaplib.IMAP4, "send", send)
    patched.setattr(imaplib.IMAP4, "_get_line", line)


def _smtp(plan: Plan, patched: pytest.MonkeyPatch) -> None:
    from aiosmtplib.protocol import SMTPProtocol

    from moderator.run import send as dispatch

    real_command, real_data = SMTPProtocol.execute_command, SMTPProtocol.execute_data_command
    real_report = dispatch._Outgoing.record_result

    async def command(self: Any, *words: bytes, **options: Any) -> Any:
        plan.step(f"SMTP {words[0].decode('latin-1')}")
        return await real_command(self, *words, **options)

    async def data(self: Any, *words: Any, **options: Any) -> Any:
        plan.step("SMTP DATA")
        return await real_data(self, *words, **options)

    def report(self: Any, sent: Any) -> None:
        real_report(self, sent)
        plan.note(RECORDED)

    patched.setattr(SMTPProtocol, "execute_command", command)
    patched.setattr(SMTPProtocol, "execute_data_command", data)
    patched.setattr(dispatch._Outgoing, "record_result", report)


# ---- the transport of another package ----


def _around(name: str) -> Callable[..., Any]:
    """A method that does what the inner object's does; a step before it and one after."""

    def call(self: Any, *arguments: Any) -> Any:
        with TRANSPORT.around(name):
            return getattr(self.inner, name)(*arguments)

    return call


class _Box(Polled):
    waiting, bring_back, marks, mark = map(_around, ("waiting", "bring_back", "marks", "mark"))

    def __init__(self, inner: MaildirMailbox) -> None:
        self.inner = inner

    def fetch(self, known: Callable[[Sequence[str]], set[str]], max_bytes: int) -> Iterator[list[RawMail]]:
        TRANSPORT.plan.step("call of fetch")
        for batch in self.inner.fetch(known, max_bytes):
            for mail in batch:
                yield [mail]
                TRANSPORT.plan.step("call of fetch, amid")

    def file_away(self, processed: Sequence[str], failed: Sequence[str]) -> None:
        with TRANSPORT.around("file_away"):
            self.inner.file_away(processed[:1], ())
            TRANSPORT.plan.step("call of file_away, amid")
            self.inner.file_away(processed[1:], failed)

    def close(self) -> None:
        TRANSPORT.plan.step("call of close")


class _Out(OneByOne):
    check, deliver = map(_around, ("check", "deliver"))

    def __init__(self, inner: MaildirSender) -> None:
        self.inner = inner
        self.inner.check()


@dataclass
class Failing:
    """Each of its calls is a step, before its work and after it. Its mails lie in the club's folders."""

    plan: Plan = field(default_factory=Plan)
    contract = 1

    @contextmanager
    def around(self, name: str) -> Iterator[None]:
        self.plan.step(f"call of {name}")
        yield
        self.plan.step(f"call of {name}, done")

    def mailbox(self, setup: Setup) -> Mailbox:
        with self.around("mailbox"):
            return _Box(MaildirMailbox(setup.folder / "mail" / "in"))

    def sender(self, setup: Setup) -> Sender:
        with self.around("sender"):
            return _Out(MaildirSender(setup.folder / "mail" / "out"))

    def ways(self, setup: Setup) -> tuple[Way, Way]:
        self.plan.step("call of ways")
        return Way("queue.example:99"), Way("queue.example:98")


TRANSPORT = Failing()
