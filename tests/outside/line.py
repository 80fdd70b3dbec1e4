"""The command line as the operator has it: the installed program ``moderator``, each command in a process of its own.

Starting Python anew for each of a thousand commands would take ten minutes. So one process loads the program by its
entry point and forks for each command. It also holds the clock: Python's own, moved on by as much as the test says.
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

SERVER = """\
import contextlib, datetime, gc, hashlib, io, json, os, sys, tempfile

class Moved(type):
    def __instancecheck__(cls, thing):
        return isinstance(thing, real)

class Told(datetime.datetime, metaclass=Moved):
    moment = None

    @classmethod
    def now(cls, tz=None):
        return cls.moment.astimezone(tz) if tz else cls.moment.replace(tzinfo=None)

real, datetime.datetime = datetime.datetime, Told
lots = {"seed": b"", "drawn": 0}

def drawn(count):
    lots["drawn"] += 1
    return hashlib.shake_256(lots["seed"] + b"%d" % lots["drawn"]).digest(count)

os.urandom = drawn
import random
random._urandom = drawn
from importlib.metadata import entry_points
(program,) = entry_points(group="console_scripts", name="moderator")
Told.moment = real.now(datetime.UTC)
main = program.load()

def run(asked):
    lots["seed"], lots["drawn"] = asked["lots"].encode(), 0
    random.seed(asked["lots"])
    Told.moment = real.fromisoformat(asked["now"])
    sys.argv = ["moderator", *asked["words"]]
    try:
        main()
        return 0
    except SystemExit as left:
        if isinstance(left.code, str):
            print(left.code, file=sys.stderr)
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        import traceback
        traceback.print_exc()
        return 1

for line in sys.stdin:
    asked = json.loads(line)
    if asked["here"]:  # What is loaded and looked up now is there in every process that is forked later.
        told = io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            code = run(asked)
        gc.collect()
        gc.freeze()
        print(json.dumps([code, told.getvalue()]), flush=True)
        continue
    with tempfile.TemporaryFile() as told:
        if (child := os.fork()) == 0:
            os.dup2(told.fileno(), 1)
            os.dup2(told.fileno(), 2)
            sys.stdout, sys.stderr = (open(n, "w", closefd=False, encoding="utf-8") for n in (1, 2))
            code = run(asked)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        told.seek(0)
        print(json.dumps([code, told.read().decode()]), flush=True)
"""


class CommandFailed(Exception):
    """The program said no; what it printed is the message."""


class Line:
    """Types commands. The same ``seed`` gives the same codes, deals and tokens."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.now = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
        """What the program takes for the time. It stands still while a command runs, and goes on by a second then."""
        self.here = False
        """Whether commands run in the server itself: to have it warm, not to be looked at."""
        self.commands = 0
        self.server = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def __call__(self, folder: Path, *words: str) -> str:
        """What the command prints."""
        self.commands += 1
        self.now += timedelta(seconds=1)
        asked = {
            "words": ["--config", str(folder / "moderator.toml"), *words],
            "now": self.now.isoformat(),
            "lots": f"{self.seed} {self.commands}",
            "here": self.here,
        }
        assert self.server.stdin
        assert self.server.stdout
        self.server.stdin.write(json.dumps(asked) + "\n")
        self.server.stdin.flush()
        code, told = json.loads(self.server.stdout.readline())
        if code:
            raise CommandFailed(f"{' '.join(words)}: {told}")
        return str(told)

    def close(self) -> None:
        assert self.server.stdin
        assert self.server.stdout
        self.server.stdin.close()
        self.server.wait(20)
        self.server.stdout.close()
