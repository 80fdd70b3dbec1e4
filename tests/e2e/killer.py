"""Run one tick and die by SIGKILL at its k-th step: ``python -m tests.e2e.killer CONFIG K LATER LOG``.

A step is every commit (before and after), every line sent to and received from the IMAP server, and every SMTP
command (before it leaves and after its answer). K = 0 counts them all and writes their names to LOG.
"""

from __future__ import annotations

import imaplib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any


class Steps:
    """Counts the steps and kills at the chosen one."""

    def __init__(self, fatal: int, log: Path) -> None:
        self.fatal, self.log, self.count = fatal, log, 0

    def __call__(self, name: str) -> None:
        self.count += 1
        with self.log.open("a") as stream:
            stream.write(f"{name}\n")
        if self.count == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)


def instrument(step: Callable[[str], None]) -> None:
    """Put the steps into the database, IMAP and SMTP libraries."""
    _database(step)
    _imap(step)
    _smtp(step)


def _database(step: Callable[[str], None]) -> None:
    from moderator import dispatch
    from moderator.store import db

    def around(real: Callable[[db.Store], Any], name: str) -> Callable[[db.Store], Any]:
        @contextmanager
        def stepped(self: db.Store) -> Iterator[Any]:
            with real(self) as opened:
                yield opened
                step(f"before {name}")
            step(f"after {name}")

        return stepped

    db.Store.transaction = around(db.Store.transaction, "commit")  # type: ignore[method-assign]
    db.Store.marks = around(db.Store.marks, "mark")  # type: ignore[method-assign]
    real_report = dispatch._Run.report

    def report(self: Any, sent: Any) -> None:
        real_report(self, sent)
        step("recorded")

    dispatch._Run.report = report  # type: ignore[method-assign]


def _imap(step: Callable[[str], None]) -> None:
    real_send, real_line = imaplib.IMAP4.send, imaplib.IMAP4._get_line  # type: ignore[attr-defined]

    def send(self: Any, data: bytes) -> None:
        step("before IMAP " + " ".join(data.decode("latin-1").split()[1:3]))
        real_send(self, data)

    def line(self: Any) -> bytes:
        got: bytes = real_line(self)
        step("after IMAP line")
        return got

    imaplib.IMAP4.send = send  # type: ignore[method-assign]
    imaplib.IMAP4._get_line = line  # type: ignore[attr-defined]


def _smtp(step: Callable[[str], None]) -> None:
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


def main() -> None:
    config_file, fatal, later, log = sys.argv[1:5]
    from moderator.config import load
    from moderator.tick import tick

    instrument(Steps(int(fatal), Path(log)))
    summary = tick(load(Path(config_file)), lambda: datetime.now(UTC) + timedelta(seconds=int(later)))
    if summary.quarantined or summary.troubles or summary.away:
        sys.exit(f"{summary}")


if __name__ == "__main__":
    main()
