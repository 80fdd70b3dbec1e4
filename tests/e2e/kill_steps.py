"""The steps at which a run may die, found by instrumenting the program in this process: every commit of something
written (before and after), every file that is opened for writing, renamed, removed or flushed to the disk (before),
every connection (before), every line sent to and received from the IMAP server, every SMTP command (before it leaves
and after its answer); with ``statements`` also every writing SQL statement (after, inside its transaction).

Nothing is undone: for processes that are about to end.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WRITING = ("INSERT", "UPDATE", "DELETE")
SQLITE_FILES = (".sqlite", ".sqlite-wal", ".sqlite-shm")
RECORDED = "recorded"
"""A note: the fate of a mail is in the database."""


class Steps:
    """Writes down the steps and kills at the chosen one (0 = at none)."""

    def __init__(self, fatal: int, log: Path) -> None:
        self.fatal, self.count = fatal, 0
        self.log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def __call__(self, name: str) -> None:
        self.count += 1
        self.note(name)
        if self.count == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def note(self, name: str) -> None:
        """Something to know of, and no place to die at: it is the same as the step before it."""
        os.write(self.log, f"{name}\n".encode())


def instrument(step: Steps, folder: Path, statements: bool = False) -> None:
    """Put the steps into what the program calls; of files, those in ``folder``."""
    _database(step, statements)
    _probe(step)
    _sending(step)
    _files(step, str(folder.resolve()))
    _imap(step)
    _smtp(step)


def _database(step: Steps, statements: bool) -> None:
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    from moderator.store import db

    written = 0

    def executed(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        nonlocal written
        if statement.lstrip()[:6].upper() in WRITING:
            written += 1
            if statements:
                step("after " + " ".join(statement.split()[:3]))

    event.listen(Engine, "after_cursor_execute", executed)

    def around(real: Callable[[db.Store], Any], name: str) -> Callable[[db.Store], Any]:
        @contextmanager
        def stepped(self: db.Store) -> Iterator[Any]:
            before = written
            with real(self) as opened:
                yield opened
                if flush := getattr(opened, "flush", None):
                    flush()
                if written > before:
                    step(f"before {name}")
            if written > before:
                step(f"after {name}")

        return stepped

    db.Store.transaction = around(db.Store.transaction, "commit")  # type: ignore[method-assign, assignment]
    db.Store.marks = around(db.Store.marks, "mark")  # type: ignore[method-assign, assignment]


def _probe(step: Steps) -> None:
    """The note that the mailbox was read, which the ORM has no part in."""
    from moderator.store import probe

    real = probe.polled

    def polled(*words: Any) -> None:
        step("before poll is noted")
        real(*words)
        step("after poll is noted")

    probe.polled = polled  # type: ignore[assignment]


def _sending(step: Steps) -> None:
    from moderator.run import dispatch

    real = dispatch._Run.report

    def report(self: Any, sent: Any) -> None:
        real(self, sent)
        step.note(RECORDED)

    dispatch._Run.report = report  # type: ignore[method-assign]


def _files(step: Steps, folder: str) -> None:
    """Python tells of most calls by itself (audit events), but not of fsync."""
    names = {"os.rename": "rename", "os.remove": "remove", "os.mkdir": "mkdir", "os.truncate": "truncate"}

    def told(event: str, words: tuple[Any, ...]) -> None:
        if event == "socket.connect":
            step("before connect")
        elif event == "open" and ours(words[0]) and writes(words[1], words[2]):
            step(f"before open {Path(os.fsdecode(words[0])).parent.name}")
        elif event in names and ours(words[0]) and not (event == "os.mkdir" and os.path.isdir(words[0])):
            step(f"before {names[event]} {Path(os.fsdecode(words[0])).parent.name}")

    def ours(path: Any) -> bool:
        if not isinstance(path, str | bytes | os.PathLike):
            return False
        name = os.fsdecode(path)
        return name.startswith(folder) and not name.endswith(SQLITE_FILES)

    real = os.fsync

    def fsync(handle: int) -> None:
        step("before fsync")
        real(handle)

    os.fsync = fsync  # type: ignore[assignment]
    sys.addaudithook(told)


def writes(mode: str | None, flags: int) -> bool:
    """Whether a file is opened for more than reading."""
    return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)) or (mode is not None and not set(mode) <= set("rbt"))


def _imap(step: Steps) -> None:
    import imaplib

    real_send, real_line = imaplib.IMAP4.send, imaplib.IMAP4._get_line  # type: ignore[attr-defined]

    def send(self: Any, data: bytes) -> None:
        words = data.decode("latin-1").split()
        step("before IMAP " + " ".join(words[1:3] or words))
        real_send(self, data)

    def line(self: Any) -> bytes:
        got: bytes = real_line(self)
        step("after IMAP line")
        return got

    imaplib.IMAP4.send = send  # type: ignore[method-assign, assignment]
    imaplib.IMAP4._get_line = line  # type: ignore[attr-defined]


def _smtp(step: Steps) -> None:
    from aiosmtplib.protocol import SMTPProtocol

    real_command, real_data = SMTPProtocol.execute_command, SMTPProtocol.execute_data_command

    async def command(self: Any, *words: bytes, **options: Any) -> Any:
        name = words[0].decode("latin-1")
        step(f"before SMTP {name}")
        answer = await real_command(self, *words, **options)
        step(f"after SMTP {name}")
        return answer

    async def data(self: Any, *words: Any, **options: Any) -> Any:
        step("before SMTP DATA")
        answer = await real_data(self, *words, **options)
        step("after SMTP DATA")
        return answer

    SMTPProtocol.execute_command = command  # type: ignore[method-assign]
    SMTPProtocol.execute_data_command = data  # type: ignore[method-assign]
