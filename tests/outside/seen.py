"""What anybody can see of a match: whom it waits for (`match missing`), and what happened (`match log`)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

Status = Literal["missing", "in-vain", "put-off", "here", "ahead", "ahead-in-vain", "idle"]
STATUSES: tuple[tuple[str, Status], ...] = (
    # As the README says under "Time, leave, and players who do not answer" and `match missing` prints.
    ("MISSING (wants to wait", "put-off"),
    ("MISSING (stored move not possible", "in-vain"),
    ("MISSING (what was sent was not possible", "missing"),
    ("MISSING", "missing"),
    ("Order is here ahead of the turn, but not possible now", "ahead-in-vain"),
    ("Order is here ahead of the turn", "ahead"),
    ("Order is here", "here"),
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


def missing(told: str) -> dict[str, Seen]:
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


def log(told: str) -> tuple[Entry, ...]:
    """`match log`."""
    found = [ENTRY.match(line) for line in told.splitlines() if line.strip()]
    return tuple(Entry(int(each["number"]), each["kind"], each["rest"].strip()) for each in found if each)


def _moment(found: re.Match[str]) -> Moment:
    return found[1], found[2], found[3]
