"""A program of somebody else that is asked for a line, and can do no harm meanwhile.

It runs under `bwrap` (bubblewrap), which this machine must have: without network, with processes of its own that die
with it and with us (however we die, and whenever), the disk to be read only, and of the club's folder nothing but
``bots/``. How much memory it takes, how many processes it starts and how long it thinks is limited; whoever goes beyond
is ended, and the next question begins the program anew.
"""

from __future__ import annotations

import os
import resource
import select
import shutil
import subprocess
import time
import weakref
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import IO

from moderator.bots.failures import LONGEST, MOST_FAILURES, Failed, Unstarted

SANDBOX = "bwrap"
FOLDER = "bots"
"""Beside the settings: where programs lie, and where they are started."""
INSIDE = "/tmp/bots"
"""The same folder, as a program sees it."""
NOBODY = 1_900_000_000
"""Users whom no machine has, for programs of a club that runs as root: each has one of its own, for how many processes
there are is counted by user."""
_NUMBERS = count()
PROCESSES = 32
ROOM = str(16 << 20)
"""Bytes that it may write into each of its empty folders, which are memory."""
MOST_DROPPED = 16
"""Times ``LONGEST`` bytes of chatter between two questions."""
LINE = 200
"""Letters of a program's complaint that are told."""
NICE = 10
"""Whoever waits for an answer goes first."""
AWAIT = 'echo && read -r go && exec "$@"'
"""What runs first behind the walls. That we die with it all is bwrap's part, and it sees to that a moment after it has
begun: whoever is killed before would leave it running. So the program waits until we know that the walls stand, and say
so; where we are gone by then, its input ends instead, and all ends with it."""
BEGUN = 20
"""Seconds until the walls must stand, on however busy a machine; they are none of the program's time."""


class _Process(subprocess.Popen[bytes]):
    heard = b""
    """The end of what it wrote to standard error."""


class Program:
    """A program that is started when it is first asked, and again when it has died. ``seconds`` for each answer,
    ``mebibytes`` of memory for each of its processes."""

    def __init__(self, command: Sequence[str], folder: Path, seconds: int, mebibytes: int) -> None:
        self.command, self.folder, self.seconds, self.mebibytes = command, folder, seconds, mebibytes
        self._process: _Process | None = None
        self._failures = 0

    def ask(self, line: bytes) -> bytes:
        """The line that the program writes for this one, without its end. Raises Failed, Unstarted."""
        if self._failures >= MOST_FAILURES:
            raise Failed("it is not asked again in this run")
        try:
            process = self._process if self._process is not None and self.running() else self._started()
            until = time.monotonic() + self.seconds
            _drop(process)
            _write(process, line + b"\n", until)
            return _read(process, until)
        except Failed as failed:
            self._failures += 1
            said = _last_said(self._process) if self._process is not None else ""
            self.end()
            raise Failed(str(failed), said) from None

    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def trouble(self) -> str:
        """Why it cannot be started on this machine, and what to do; "" if it can."""
        if shutil.which(SANDBOX) is None:
            return f"it would run under {SANDBOX}, which is not installed. Run: apt install bubblewrap"
        if not self.folder.is_dir():
            return f"there is no folder {self.folder}. Make it, and put the program there."
        if os.geteuid() == 0 and self.folder.stat().st_mode & 0o005 != 0o005:
            return (
                f"root starts it as a user without rights, who cannot read {self.folder}. Run: chmod 755 {self.folder}"
            )
        return ""

    def _started(self) -> _Process:
        if trouble := self.trouble():
            raise Unstarted(trouble)
        self.end()
        try:
            self._process = self._begun()
        except (OSError, subprocess.SubprocessError) as error:
            raise Unstarted(f"it cannot be started: {error}") from error
        for pipe in (*_pipes(self._process), _complaints(self._process)):
            os.set_blocking(pipe.fileno(), False)
        weakref.finalize(self, _end, self._process)
        until = time.monotonic() + BEGUN
        _read(self._process, until)
        _write(self._process, b"\n", until)
        return self._process

    def _begun(self) -> _Process:
        return _Process(
            [SANDBOX, *_walls(self.folder), *self.command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"},
            preexec_fn=_limits(self.mebibytes),
        )

    def end(self) -> None:
        """With all that it has started."""
        if self._process is not None:
            _end(self._process)
            self._process = None


def _walls(folder: Path) -> list[str]:
    """What a program sees of this machine: programs and libraries, and its own folder. A club that runs as root gives
    its rights away first, for root alone may start as many processes as it likes."""
    root = os.geteuid() == 0
    apart = ("net", "pid", "ipc", "uts") if root else ("all",)
    empty = ("/tmp", "/var/tmp", "/dev/shm", "/run", str(folder.parent.resolve()))
    seen = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    seen += [part for path in empty for part in ("--size", ROOM, "--tmpfs", path)]
    seen += ["--ro-bind", str(folder.resolve()), INSIDE, "--chdir", INSIDE, "--die-with-parent", "--new-session"]
    for capability in ("CAP_SETUID", "CAP_SETGID") if root else ():
        seen += ["--cap-add", capability]
    user = NOBODY + os.getpid() * 16 + next(_NUMBERS) % 16
    nobody = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs"] if root else []
    awaiting = ["sh", "-c", AWAIT, "sh"]
    return [*(f"--unshare-{one}" for one in apart), *seen, "--", *nobody, *awaiting, "prlimit", f"--nproc={PROCESSES}"]


def _limits(mebibytes: int) -> Callable[[], None]:
    def confine() -> None:
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = mebibytes << 20 if most == resource.RLIM_INFINITY else min(mebibytes << 20, most)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.nice(NICE)

    return confine


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
    for pipe in (*_pipes(process), _complaints(process)):
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
