"""Runs in processes of their own that die by SIGKILL at their k-th step (see injector.py): ``python -m
tests.faults.killer`` reads requests, the fields of ``Request`` as JSON, one per line, and answers each with the exit
status of the process that did it.

The processes are forked from this one, which has imported everything: that is what takes long. ``Killer`` is the
other end of the pipe.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import pytest

from tests.faults.injector import RECORDED, Died, Plan, passing, watching

ROOT = Path(__file__).resolve().parents[2]
WAITS = "waiting"
"""The step at which a watch begins to wait."""
SETTLED = 0.1
"""Seconds in which a watch that says so really waits."""
PRELOADED = """moderator.run.handle moderator.run.send moderator.run.watch moderator.run.steps
    moderator.service.tournaments.steps moderator.service.deadlines moderator.delivery.pages moderator.mail.imap
    moderator.mail.maildir moderator.mail.smtp moderator.games.topwords.rules moderator.games.tridom.rules
    imapclient aiosmtplib jinja2 css_inline resvg_py sqlmodel"""


@dataclass(frozen=True)
class Request:
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
    stop: str = ""
    """The run ends well when it comes to a step of this name for the second time."""

    def now(self) -> datetime:
        return datetime.fromisoformat(self.at) if self.at else datetime.now(UTC) + timedelta(seconds=self.later)

    def steps(self) -> list[str]:
        """What the log has, without notes."""
        return [step for step in self.lines() if step != RECORDED]

    def lines(self) -> list[str]:
        log = Path(self.log)
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


@dataclass
class Stopping(Plan):
    stop: str = ""

    def step(self, name: str) -> None:
        super().step(name)
        if name == self.stop and self.names.count(name) == 2:
            raise Died(name)


def perform(request: Request) -> int:
    """In a process of its own; its exit status. Mails that are quarantined, servers that are away and anything else
    that the operator would hear of is a failure here."""
    from moderator.run import watch
    from tests.faults.evening import same_deals

    plan = Stopping(request.fatal, log=Path(request.log), stop=request.stop)
    try:
        with (
            pytest.MonkeyPatch.context() as patched,
            watching(Path(request.config).parent, plan),
            same_deals() if request.at else nullcontext(),
        ):
            passing(plan, patched, watch, "_wait_for_mail", WAITS)
            summaries = {"tick": _tick, "watch": _watch, "receive": _receive}[request.run](request)
        bad = [s for s in summaries if s.quarantined or s.troubles or s.away]
    except Died:
        return 0
    except BaseException:
        Path(f"{request.log}.err").write_text(traceback.format_exc())
        return 1
    if bad:
        Path(f"{request.log}.err").write_text(f"{bad}")
    return 1 if bad else 0


def _tick(request: Request) -> list[Any]:
    from moderator.run.tick import run_tick
    from moderator.settings import load_config

    return [run_tick(load_config(Path(request.config)), request.now)]


def _watch(request: Request) -> list[Any]:
    from moderator.run import watch
    from moderator.run.tick import run_tick
    from moderator.settings import load_config

    mock.patch.object(watch, "run_tick", partial(run_tick, now=request.now)).start()
    return list(watch.watch_mailbox(load_config(Path(request.config)), request.seconds))


def _receive(request: Request) -> list[Any]:
    from moderator.run import watch
    from moderator.settings import Config, load_config

    mock.patch.object(Config, "read_clock", side_effect=request.now).start()
    return [watch.receive_mail(load_config(Path(request.config)), Path(request.mail).read_bytes())]


def serve() -> None:
    warm()
    for line in sys.stdin:
        request, child = Request(**json.loads(line)), os.fork()
        if child == 0:
            os._exit(perform(request))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def warm() -> None:
    """Import everything and play a little here: templates, tables and questions are then there for all."""
    for name in PRELOADED.split():
        importlib.import_module(name)
    from tests.faults.evening import file_club

    with TemporaryDirectory() as folder:
        club = file_club(Path(folder))
        club.players("Anna", "Bert")
        code = club.match("Anna", "Bert")
        club.order("Anna", code, 0, "passe")
        club.order("Bert", code, 1, "HILFE")
        club.tick()


class Killer:
    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.faults.killer"]
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

    def watch(self, request: Request, waiting: str, deliver: Callable[[], None]) -> bool:
        """Run a watch that gets a mail when it has begun to wait (when its log has that step). Whether it died."""
        self.begin(request)
        there = False
        while not self.ended(0.02):
            if not there and waiting in request.lines():
                time.sleep(SETTLED)
                deliver()
                there = True
        if not there:
            deliver()
        return self.end(request)


if __name__ == "__main__":
    serve()
