"""Run ticks, watches and receives that die by SIGKILL at their k-th step (see kill_steps.py): ``python -m
tests.e2e.killer`` reads requests, the fields of ``Request`` as JSON, one per line, and answers each with the exit
status of a process of its own that did it.

The processes are forked from this one, which has imported everything: that is what takes long. ``Killer`` is the
other end of the pipe.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from tests.e2e.kill_steps import Steps, instrument

ROOT = Path(__file__).resolve().parents[2]
PRELOADED = (
    "moderator.run.handling",
    "moderator.run.dispatch",
    "moderator.run.watch",
    "moderator.run.watch",
    "moderator.play.tournaments.steps",
    "moderator.play.deadlines",
    "moderator.outbox.digest",
    "moderator.mail.imap",
    "moderator.mail.maildir",
    "moderator.mail.smtp",
    "moderator.games.topwords.rules",
    "moderator.games.tridom.rules",
    "imapclient",
    "aiosmtplib",
    "jinja2",
    "css_inline",
    "resvg_py",
    "sqlmodel",
)


@dataclass(frozen=True)
class Request:
    """What a process is to do."""

    config: str
    log: str
    """Gets the name of each step; LOG.err says what went wrong."""
    run: str = "tick"
    """tick | watch | receive."""
    fatal: int = 0
    """The step at which it dies; 0 = never."""
    later: int = 0
    """Seconds ahead of the clock."""
    at: str = ""
    """A clock that stands still, instead."""
    mail: str = ""
    """The file that ``receive`` is given."""
    seconds: int = 0
    """How long ``watch`` watches."""
    statements: bool = False

    def now(self) -> datetime:
        return datetime.fromisoformat(self.at) if self.at else datetime.now(UTC) + timedelta(seconds=self.later)


def perform(request: Request) -> int:
    """In a process of its own; its exit status. Mails that are quarantined, servers that are away and anything else
    that the operator would hear of is a failure here."""
    step = Steps(request.fatal, Path(request.log))
    try:
        if request.at:
            _the_same_deals()
        instrument(step, Path(request.config).parent, request.statements)
        _hear(step)
        summaries = {"tick": _tick, "watch": _watch, "receive": _receive}[request.run](request)
        bad = [s for s in summaries if s.quarantined or s.troubles or s.away]
    except BaseException:
        Path(f"{request.log}.err").write_text(traceback.format_exc())
        return 1
    if bad:
        Path(f"{request.log}.err").write_text(f"{bad}")
    return 1 if bad else 0


def _tick(request: Request) -> list[Any]:
    from moderator.config import load
    from moderator.run.tick import tick

    return [tick(load(Path(request.config)), request.now)]


def _watch(request: Request) -> list[Any]:
    from moderator.config import load
    from moderator.run import watch
    from moderator.run.tick import tick

    mock.patch.object(watch, "tick", partial(tick, now=request.now)).start()
    return list(watch.watch(load(Path(request.config)), request.seconds))


def _receive(request: Request) -> list[Any]:
    from moderator.config import Config, load
    from moderator.run import watch

    mock.patch.object(Config, "now", side_effect=request.now).start()
    return [watch.receive(load(Path(request.config)), Path(request.mail).read_bytes())]


def _hear(step: Steps) -> None:
    """Where a watch begins to wait is a step, too."""
    from moderator.run import watch

    real = watch._wait

    def wait(*words: Any, **options: Any) -> None:
        step("before waiting")
        real(*words, **options)
        step("after waiting")

    watch._wait = wait


def _the_same_deals() -> None:
    """Two runs at the same time deal the same tiles in tournaments, so that what they come to can be compared."""
    from moderator.play import create
    from moderator.play.tournaments import judging

    def dealt(desk: Any, match: Any) -> None:
        create.start_match(desk, match, seed=random.Random(match.name).randbytes(32))

    mock.patch.object(judging, "start_match", dealt).start()


def serve() -> None:
    for name in PRELOADED:
        importlib.import_module(name)
    warm()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(perform(Request(**json.loads(line))))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def warm() -> None:
    """Play a little here: templates, tables and questions that this prepares are there for all."""
    from tests.club.club import plain_boards
    from tests.e2e.evening import file_club

    with TemporaryDirectory() as folder:
        club = file_club(Path(folder))
        club.players("Anna", "Bert")
        plain_boards(club)
        code = club.match("Anna", "Bert")
        club.order("Anna", code, 0, "passe")
        club.order("Bert", code, 1, "HILFE")
        club.tick()


class Killer:
    """The process that runs things and lets them die."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.e2e.killer"]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Killer]:
        made = cls()
        with made.process:  # at the end its pipes are closed, which ends it
            yield made

    def begin(self, request: Request) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(asdict(request)) + "\n")
        self.process.stdin.flush()

    def ended(self, seconds: float) -> bool:
        """Whether it is over within these seconds."""
        assert self.process.stdout
        return bool(select.select([self.process.stdout], [], [], seconds)[0])

    def end(self, request: Request) -> bool:
        """Whether it died as it should; False = it came to its end before that step."""
        assert self.process.stdout
        status = int(self.process.stdout.readline())
        error = Path(f"{request.log}.err")
        assert status in (0, -signal.SIGKILL), error.read_text() if error.exists() else status
        return status != 0

    def run(self, request: Request) -> bool:
        self.begin(request)
        return self.end(request)


if __name__ == "__main__":
    serve()
