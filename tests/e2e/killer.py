"""Run ticks that die by SIGKILL at their k-th step: ``python -m tests.e2e.killer`` reads requests, a JSON list
[CONFIG, K, LATER, LOG] per line, and answers each with the exit status of a process of its own that did it.

The processes are forked from this one, which has imported everything: that is what takes long. A step is every commit
(before and after), every line sent to and received from the IMAP server, and every SMTP command (before it leaves and
after its answer). K = 0 counts them all and writes their names to LOG.
"""

from __future__ import annotations

import imaplib
import importlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

PRELOADED = (
    "moderator.handling",
    "moderator.dispatch",
    "moderator.desk.deadlines",
    "moderator.desk.digest",
    "moderator.mail.imap",
    "moderator.mail.smtp",
    "moderator.games.topwords.rules",
    "imapclient",
    "aiosmtplib",
    "jinja2",
    "css_inline",
    "resvg_py",
)


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


def one_tick(config_file: str, fatal: int, later: int, log: str) -> int:
    """A tick ``later`` seconds ahead of the clock. Returns the exit status; troubles stand in the file LOG.err then."""
    from moderator.config import load
    from moderator.tick import tick

    instrument(Steps(fatal, Path(log)))
    try:
        summary = tick(load(Path(config_file)), lambda: datetime.now(UTC) + timedelta(seconds=later))
    except BaseException:
        Path(f"{log}.err").write_text(traceback.format_exc())
        return 1
    if summary.quarantined or summary.troubles or summary.away:
        Path(f"{log}.err").write_text(f"{summary}")
        return 1
    return 0


def serve() -> None:
    for name in PRELOADED:
        importlib.import_module(name)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(one_tick(*json.loads(line)))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    serve()
