"""One thing that waits for the moderator, and what can be done about it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from typing import TypedDict

from moderator.rules.game import Note


@dataclass(frozen=True)
class StaffMember:
    """Somebody who decides: the chief, or a referee."""

    name: str
    address: str
    language: str
    number: int | None = None
    """Of a referee; None = the chief."""

    @property
    def is_chief(self) -> bool:
        return self.number is None


class TaskKind(Enum):
    """The kinds of tasks, the most urgent first: first what stands still for all, then for a match, then for one
    person."""

    OUTAGE = "outage"
    """The mailbox has not been read for long. Only the command line can say so: whoever answers a mail has read it."""
    CLOCK = "clock"
    """The machine's clock is wrong, or the moderator must say that it is right."""
    DISK = "disk"
    UNREAD = "unread"
    """A mail that the mailbox does not hand out."""
    SUSPENDED = "suspended"
    """A match that cannot go on by itself."""
    NOT_BEGUN = "not-begun"
    """A match all of whose seats are taken, and that could not be dealt."""
    WORD = "word"
    """A match waits for a ruling on a word."""
    TOURNAMENT = "tournament"
    """A step of a tournament that only the moderator can make possible."""
    ADJUDICATION = "adjudication"
    """A game of a tournament is over its latest end."""
    DUE = "due"
    """Moves are missing for a deadline of this day."""
    LATE = "late"
    """A seat has missed its ZAT, or has played nothing for long where there is none."""
    BOUNCED = "bounced"
    """Mail to a player comes back."""
    PROTEST = "protest"
    STRANGER = "stranger"
    """Somebody wants to join."""
    MAIL = "mail"
    """A mail that may be meant, but does not count by itself."""
    QUARANTINE = "quarantine"
    """A mail that our own code could not handle."""
    UNSENT = "unsent"
    """What our own code could not make a mail of."""
    PAUSED = "paused"
    """The moderator stopped the clock of a match long ago."""
    GIVEN_UP = "given-up"
    """A seat was given up in the last week."""
    ROBOT = "robot"
    """What plays for a robot had no answer in the last week."""
    BACKUP = "backup"
    """The last backup is old."""
    SENDERS = "senders"
    """The mail server checks senders, and no setting says that its word is taken. Only the command line lists it."""
    UNKNOWN = "unknown"
    """People whom nobody knows have written. Only the command line lists it; mails count it at their end."""

    @property
    def is_past(self) -> bool:
        """True if it is reported once: nothing is left undone by it, or the day is over with it."""
        return self in (TaskKind.DUE, TaskKind.GIVEN_UP, TaskKind.ROBOT)

    @property
    def urgency_rank(self) -> int:
        """The place among all kinds; 0 = the most urgent."""
        return list(TaskKind).index(self)


class TaskFacts(TypedDict, total=False):
    """Codes and names that a task is about, for programs."""

    match: str
    """Code; of a word also several, parted by blanks."""
    tournament: str
    name: str
    player: str
    players: str
    """Several, parted by commas."""
    word: str
    mail: str
    """Its number; of several their numbers and ranges, parted by blanks."""
    address: str


@dataclass(frozen=True)
class Remedy:
    """A line that does something about it, ready to paste."""

    shell: tuple[str, ...]
    """The words behind `moderator` on the command line."""
    mail: Note | None = None
    """The line of a mail to the moderator that does the same; None where only the command line can."""

    @property
    def shell_line(self) -> str:
        """The line as it is typed."""
        return shlex.join(("moderator", *self.shell))


@dataclass(frozen=True)
class Task:
    """Something that waits."""

    kind: TaskKind
    key: str
    """Tells it from all others of its kind, from day to day."""
    note: Note
    remedies: tuple[Remedy, ...]
    since: datetime | None
    """None = nobody wrote that down."""
    facts: TaskFacts = field(default_factory=TaskFacts)
    told: bool = False
    """The moderator was told of it, in a mail of its own or as its row says."""
    until: datetime | None = None
    """When it will be too late; None = it waits."""
    idle: bool = False
    """Nobody waits for it: it is no cause for a notice."""
    led_by: str = ""
    """The referee in whose charge it is; "" = the chief's."""

    @property
    def sort_key(self) -> tuple[int, datetime]:
        """The key that puts what is most urgent first."""
        return self.kind.urgency_rank, self.until or self.since or datetime.max.replace(tzinfo=UTC)
