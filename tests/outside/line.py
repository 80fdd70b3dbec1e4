"""The command line as the operator has it: the installed program ``moderator``, each command in a process of its own;
several that only look may share one.

Starting Python anew for each of a thousand commands would take ten minutes. So one process loads the program by its
entry point and forks for each command, or for all that only look: a process that was forked copies whatever memory it
touches, and that takes four times as long as the looking. The program also holds the clock: Python's own, moved on by
as much as the test says.
"""

import email
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Literal

from tests.helpers import READ, WRITE

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
    told = [tempfile.TemporaryFile() for _ in asked["commands"]]
    if asked["here"]:  # What is loaded and looked up now is there in every process that is forked later.
        for command, file in zip(asked["commands"], told):
            out = io.TextIOWrapper(file, encoding="utf-8", write_through=True)
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                code = run(command)
            out.detach()
        gc.collect()
        gc.freeze()
    else:
        if (child := os.fork()) == 0:
            for command, file in zip(asked["commands"], told):
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
                sys.stdout, sys.stderr = (open(n, "w", closefd=False, encoding="utf-8") for n in (1, 2))
                code = run(command)
                sys.stdout.flush()
                sys.stderr.flush()
                if code:
                    break
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    answers = []
    for file in told:
        with file:
            file.seek(0)
            answers.append(file.read().decode())
    print(json.dumps([code, answers]), flush=True)
"""


class CommandFailed(Exception):
    """The program said no; what it printed is the message."""


class Program:
    """The process that has loaded the program."""

    def __init__(self) -> None:
        self.server = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def run(self, commands: Sequence[dict[str, Any]], here: bool) -> list[str]:
        """What they print, one after the other in one process: in that of the program itself if it is ``here``."""
        assert self.server.stdin
        assert self.server.stdout
        self.server.stdin.write(json.dumps({"commands": commands, "here": here}) + "\n")
        self.server.stdin.flush()
        code, told = json.loads(self.server.stdout.readline())
        if code:
            raise CommandFailed(f"{[' '.join(command['words']) for command in commands]}: {''.join(told)}")
        return [str(each) for each in told]

    def close(self) -> None:
        assert self.server.stdin
        assert self.server.stdout
        self.server.stdin.close()
        self.server.wait(20)
        self.server.stdout.close()


class Line:
    """Types commands. The same ``seed`` gives the same codes, deals and tokens."""

    def __init__(self, program: Program, seed: str) -> None:
        self.program, self.seed = program, seed
        self.now = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
        """What the program takes for the time. It stands still while a command runs, and goes on by a second then."""
        self.here = False
        """Whether commands run in the program's own process: to have it warm, not to be looked at."""
        self.commands = 0

    def __call__(self, folder: Path, *words: str) -> str:
        """What the command prints."""
        return self.several(folder, [words])[0]

    def several(self, folder: Path, commands: Sequence[Sequence[str]]) -> list[str]:
        """What each of these prints that only look, in one process."""
        return self.program.run([self._asked(folder, words) for words in commands], self.here) if commands else []

    def _asked(self, folder: Path, words: Sequence[str]) -> dict[str, Any]:
        self.commands += 1
        self.now += timedelta(seconds=1)
        return {
            "words": ["--config", str(folder / "moderator.toml"), *words],
            "now": self.now.isoformat(),
            "lots": f"{self.seed} {self.commands}",
        }


CODE = re.compile(r" \[(?P<code>[A-Z0-9]{4})-[A-Z0-9]+\]$")
BLANK = re.compile(r"\r?\n\r?\n")


@dataclass(frozen=True)
class Letter:
    """A mail that somebody got."""

    reader: str
    code: str
    """Of the match; "" = about none."""
    subject: str
    """Without the token at its end."""
    first: str
    """The first paragraph: what a phone shows before the mail is opened."""
    body: str
    reply_to: str
    answers: str
    """Message-ID of the mail that it answers."""

    def __str__(self) -> str:
        return f"To {self.reader} [{self.code}]\n  Subject: {self.subject}\n  First line: {self.first}"


class Post:
    """The two folders of mail of a club."""

    def __init__(self, club: Path) -> None:
        self.out = club / "mail" / "out" / "new"
        self.into = club / "mail" / "in"
        for part in ("new", "cur", "tmp"):
            (self.into / part).mkdir(parents=True, exist_ok=True)
        self.known: set[str] = set()
        self.written = 0

    def write(self, sender: str, to: str, text: str, at: datetime) -> str:
        """Leave a mail in the inbox, as if it had come ``at`` that time; its Message-ID."""
        self.written += 1
        mail = EmailMessage(policy=WRITE)
        mail["From"], mail["To"], mail["Subject"] = f"{sender} <{sender.lower()}@home.example>", to, "Re: moderator"
        mail["Message-ID"], mail["Date"] = f"<{self.written}.{sender.lower()}@home.example>", at
        mail.set_content(text + "\n")
        file = self.into / "new" / f"{self.written:06}.eml"
        file.write_bytes(mail.as_bytes())
        os.utime(file, (at.timestamp(), at.timestamp()))
        return str(mail["Message-ID"])

    def fetch(self) -> list[Letter]:
        """What came out since the last time, in order."""
        fresh = sorted(file for file in self.out.iterdir() if file.name not in self.known) if self.out.is_dir() else []
        self.known.update(file.name for file in fresh)
        return [_letter(file.read_bytes()) for file in fresh]


def _letter(data: bytes) -> Letter:
    mail = email.message_from_bytes(data, policy=READ)
    assert isinstance(mail, EmailMessage)
    part = mail.get_body(("plain",))
    body = str(part.get_content()) if part else ""
    subject = " ".join(str(mail["Subject"]).split())
    token = CODE.search(subject)
    return Letter(
        reader=str(mail["To"]).split()[0],
        code=token["code"] if token else "",
        subject=CODE.sub("", subject),
        first=" ".join(BLANK.split(body)[0].split()),
        body=body.replace("\r\n", "\n"),
        reply_to=str(mail["Reply-To"] or ""),
        answers=str(mail["In-Reply-To"] or "").strip(),
    )


Status = Literal["missing", "in-vain", "put-off", "here", "ahead", "ahead-in-vain", "idle"]
STATUSES: tuple[tuple[str, Status], ...] = (
    # As the README says under "Time, leave, and players who do not answer" and `match missing` prints.
    ("MISSING (wants to wait", "put-off"),
    ("MISSING (the stored move can’t be played", "in-vain"),
    ("MISSING (what was sent can’t be played", "missing"),
    ("MISSING", "missing"),
    ("Move is here ahead of the turn, but can’t be played now", "ahead-in-vain"),
    ("Move is here ahead of the turn", "ahead"),
    ("Move is here", "here"),
)
HEAD = re.compile(r"^“(?P<name>.*)” \((?P<code>\w{4})\), round (?P<round>\d+), (?P<clock>.*):$")
SEAT = re.compile(r"^(?P<name>\w+): (?P<told>.*)$")
UNTIL = re.compile(r"Has until \w+, (\d+) (\w+)(?: \d{4})?, (\d+:\d\d)")
DEADLINE = re.compile(r"deadline \w+, (\d+) (\w+)(?: \d{4})?, (\d+:\d\d)")
ENTRY = re.compile(r"^ *(?P<number>\d+)  \d{4}-\d\d-\d\d \d\d:\d\d  (?P<kind>\S+) *(?P<rest>.*?)(?: \(by [^()]*\))?$")
POINTS = re.compile(r" [+-]\d+$")

Moment = tuple[str, str, str]
"""Day, English name of the month, time of day."""


@dataclass(frozen=True)
class Entry:
    """A line of the log."""

    number: int
    kind: str
    rest: str

    @property
    def who(self) -> str:
        return self.rest.split()[0] if self.rest else ""

    @property
    def results(self) -> dict[str, str]:
        """Of an evaluation: what was played, by name; "" = nothing."""
        found = {}
        for part in self.rest.split("; "):
            name, _, text = part.partition(" ")
            found[name] = POINTS.sub("", text).replace("(nothing)", "")
        return found


@dataclass(frozen=True)
class Seen:
    """A match at a moment. A match that is over waits for nobody."""

    round: int = 0
    status: dict[str, Status] = field(default_factory=dict)
    until: dict[str, Moment] = field(default_factory=dict)
    deadline: Moment | None = None
    log: tuple[Entry, ...] = ()
    running: bool = False

    def of(self, name: str) -> Status:
        return self.status.get(name, "idle")

    @property
    def movers(self) -> set[str]:
        """Of whom nothing is here that will be played."""
        return {name for name, status in self.status.items() if status in ("missing", "in-vain", "put-off")}


def read_missing(told: str) -> dict[str, Seen]:
    """`match missing`, by code."""
    found: dict[str, Seen] = {}
    code = ""
    for line in told.splitlines():
        if head := HEAD.match(line):
            code = head["code"]
            clock = DEADLINE.search(head["clock"])
            found[code] = Seen(int(head["round"]), {}, {}, _moment(clock) if clock else None, (), running=True)
        elif code and (seat := SEAT.match(line)):
            status = next((status for words, status in STATUSES if seat["told"].startswith(words)), None)
            if status:
                found[code].status[seat["name"]] = status
            if until := UNTIL.search(seat["told"]):
                found[code].until[seat["name"]] = _moment(until)
    return found


def read_log(told: str) -> tuple[Entry, ...]:
    """`match log`."""
    found = [ENTRY.match(line) for line in told.splitlines() if line.strip()]
    return tuple(Entry(int(each["number"]), each["kind"], each["rest"].strip()) for each in found if each)


def _moment(found: re.Match[str]) -> Moment:
    return found[1], found[2], found[3]
