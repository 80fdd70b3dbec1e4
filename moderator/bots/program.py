"""A program of somebody else that is asked for a line, and can do no harm meanwhile.

It runs under `bwrap` (bubblewrap), which this machine must have: without network, with processes of its own that die
with it and with us (however we die, and whenever), and of the disk nothing but what an interpreter needs and ``bots/``
(walls.py). How much memory it takes, how many processes it starts and how long it thinks is limited; whoever goes
beyond is ended, and the next question begins the program anew.

Whatever goes wrong before the walls stand is no fault of the program: the robot plays by itself.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import tempfile
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import IO

from moderator.bots import walls
from moderator.bots.failures import LONGEST, MOST_FAILURES, Failed, Unstarted

FOLDER = "bots"
"""Beside the settings: where programs lie, and where they are started."""
MOST_DROPPED = 16
"""Times ``LONGEST`` bytes of chatter between two questions."""
LINE = 200
"""Letters of a program's complaint that are told."""
BEGUN = 20
"""Seconds until the walls must stand, on however busy a machine; they are none of the program's time."""
LOOK = 0.03
"""Seconds between two looks at how much memory it holds."""


class _Process(subprocess.Popen[bytes]):
    told: IO[bytes]
    """What bwrap says of it: the number of the first process behind the walls."""
    first = 0
    heard = b""
    """The end of what it wrote to standard error."""
    too_much = ""
    """That it held more memory than it may, in words."""

    def stood(self) -> None:
        """The walls stand."""
        self.first = int(json.loads(os.pread(self.told.fileno(), LONGEST, 0))["child-pid"])

    def look(self, mebibytes: int) -> bool:
        """Whether it holds no more than that; else it is ended."""
        try:
            if walls.memory(self.first) <= mebibytes << 20:
                return True
            self.too_much = f"it took more than {mebibytes} MiB of memory"
        except Unstarted as unseen:
            self.too_much = str(unseen)
        self.kill()
        return False

    def watch(self, mebibytes: int) -> None:
        """Look again and again, as long as it runs."""
        while self.poll() is None and self.look(mebibytes):
            time.sleep(LOOK)


class Program:
    """A program that is started when it is first asked, and again when it has died. ``seconds`` for each answer,
    ``mebibytes`` of memory with all that it starts."""

    def __init__(self, command: Sequence[str], folder: Path, seconds: int, mebibytes: int) -> None:
        self.command, self.folder, self.seconds, self.mebibytes = command, folder, seconds, mebibytes
        self._process: _Process | None = None
        self._failures: list[str] = []
        self._unstarted = ""

    def ask(self, line: bytes) -> bytes:
        """The line that the program writes for this one, without its end. Raises Failed, Unstarted."""
        if len(self._failures) >= MOST_FAILURES:
            raise Failed(f"{self._failures[-1]}; it is not asked again in this run")
        process = self._process if self._process is not None and self.running() else self._started()
        try:
            until = time.monotonic() + self.seconds
            _drop(process)
            _write(process, line + b"\n", until)
            answer = _read(process, until)
            if not process.look(self.mebibytes):
                raise Failed(process.too_much)
            return answer
        except Failed as failed:
            why, said = process.too_much or str(failed), _last_said(process)
            self._failures.append(why)
            self.end()
            raise Failed(why, said) from None

    def said(self) -> str:
        """The last line that it has written to standard error; "" where it said nothing."""
        return "" if self._process is None else _last_said(self._process)

    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def trouble(self) -> str:
        """Why it cannot be started on this machine, and what to do; "" if it can. The walls are raised for that, around
        a program that does nothing."""
        nothing = Program(("true",), self.folder, self.seconds, self.mebibytes)
        try:
            self._check()
            nothing._started()
        except Unstarted as unstarted:
            return str(unstarted)
        finally:
            nothing.end()
        return ""

    def _check(self) -> None:
        """Raises Unstarted for what can be seen without starting it."""
        name = self.command[0]
        if shutil.which(walls.SANDBOX) is None:
            raise Unstarted(f"it would run under {walls.SANDBOX}, which is not installed. Run: apt install bubblewrap")
        if not self.folder.is_dir():
            raise Unstarted(f"there is no folder {self.folder}. Make it, and put the program there.")
        if os.geteuid() == 0 and self.folder.stat().st_mode & 0o005 != 0o005:
            raise Unstarted(
                f"root starts it as a user without rights, who cannot read {self.folder}. Run: chmod 755 {self.folder}"
            )
        if not ((self.folder / name).exists() if "/" in name else shutil.which(name)):
            raise Unstarted(f"there is no program {name}. Install it, or correct the command.")

    def _started(self) -> _Process:
        """The process, which waits for its first line. Raises Unstarted; then, in this run, each time."""
        try:
            if self._unstarted:
                raise Unstarted(self._unstarted)
            self._check()
            self.end()
            self._process = self._begun()
            self._let_in(self._process)
        except Unstarted as unstarted:
            self._unstarted = str(unstarted)
            self.end()
            raise
        return self._process

    def _begun(self) -> _Process:
        """With its pipes; it waits behind the walls, or they do not stand. Raises Unstarted."""
        try:
            told = tempfile.TemporaryFile()  # noqa: SIM115 - it ends with the process
            with tempfile.TemporaryFile() as refused:
                refused.write(walls.refused())
                refused.seek(0)
                process = _Process(
                    walls.raised(self.command, self.folder, self.mebibytes, told.fileno(), refused.fileno()),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    pass_fds=(told.fileno(), refused.fileno()),
                )
        except (OSError, subprocess.SubprocessError) as error:
            raise Unstarted(f"it cannot be started: {error}") from error
        process.told = told
        weakref.finalize(self, _end, process)
        for pipe in (*_pipes(process), _complaints(process)):
            os.set_blocking(pipe.fileno(), False)
        return process

    def _let_in(self, process: _Process) -> None:
        """Once the walls stand, and it is seen how much memory is held behind them. Raises Unstarted."""
        until = time.monotonic() + BEGUN
        try:
            _read(process, until)
            process.stood()
            if not walls.memory(process.first):
                raise Failed("nothing is behind them")
            _write(process, b"\n", until)
        except (Failed, OSError, ValueError, LookupError) as error:
            said = (_last_said(process) or str(error)).rstrip(".")
            raise Unstarted(f"its walls cannot be raised here: {said}. docs/bots.md says what they need.") from error
        Thread(target=process.watch, args=(self.mebibytes,), daemon=True).start()

    def end(self) -> None:
        """With all that it has started."""
        if self._process is not None:
            _end(self._process)
            self._process = None


def _drop(process: _Process) -> None:
    """What it has said without being asked answers nothing."""
    _, pipe = _pipes(process)
    for _ in range(MOST_DROPPED):
        if not pipe.read(LONGEST):
            return
    raise Failed("it writes without end")


def _write(process: _Process, line: bytes, until: float) -> None:
    """All of it, to a program that may read slowly or not at all."""
    pipe, _ = _pipes(process)
    while line:
        _wait(process, until, writing=True)
        try:
            line = line[pipe.write(line) or 0 :]
        except (BrokenPipeError, ConnectionResetError):
            raise Failed("it has ended") from None


def _read(process: _Process, until: float) -> bytes:
    """Up to the end of a line."""
    _, pipe = _pipes(process)
    found = b""
    while b"\n" not in found:
        _wait(process, until, writing=False)
        more = pipe.read(LONGEST)
        if more == b"":
            raise Failed("it has ended")
        found += more or b""
        if len(found) > LONGEST:
            raise Failed(f"its answer is longer than {LONGEST} bytes")
    return found.split(b"\n")[0]


def _wait(process: _Process, until: float, *, writing: bool) -> None:
    """Until the pipe is ready. What it complains of meanwhile is taken off, or it would wait for that."""
    into, out_of = _pipes(process)
    reading, written = ([], [into]) if writing else ([out_of], [])
    complaints: list[IO[bytes]] = [_complaints(process)]
    while True:
        ready, free, _ = select.select([*reading, *complaints], written, [], max(0, until - time.monotonic()))
        if free or any(pipe in ready for pipe in reading):
            return
        if not ready or time.monotonic() > until:
            raise Failed("it took too long")
        if _hear(process) == b"":
            complaints = []


def _hear(process: _Process) -> bytes | None:
    """Some of what it complains of; None = nothing now, empty = nothing more."""
    more: bytes | None = _complaints(process).read(LONGEST)
    process.heard = (process.heard + (more or b""))[-LONGEST:]
    return more


def _last_said(process: _Process) -> str:
    """The last line that is no blank one; "" where it said nothing."""
    for _ in range(MOST_DROPPED):
        if not _hear(process):
            break
    lines = process.heard.decode("utf-8", "replace").split("\n")
    return next((line.strip()[-LINE:] for line in reversed(lines) if line.strip()), "")


def _end(process: _Process) -> None:
    """The sandbox's first process takes all others with it."""
    process.kill()
    process.wait()
    for pipe in (*_pipes(process), _complaints(process), process.told):
        pipe.close()


def _pipes(process: _Process) -> tuple[IO[bytes], IO[bytes]]:
    """Into the program, and out of it."""
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _complaints(process: _Process) -> IO[bytes]:
    """What it writes to standard error."""
    assert process.stderr is not None
    return process.stderr
