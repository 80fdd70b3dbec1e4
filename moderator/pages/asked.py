"""What a player has asked to see besides the match as it stands, without words: overview, history, commands, …

The desk fills these, asking.py puts them into words.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal

from moderator.games.rules_text import RulesText
from moderator.match.contract import Note

if TYPE_CHECKING:
    from moderator.pages.pages import MoveReport, Reply


@dataclass(frozen=True)
class MatchLine:
    """One running match of the reader's."""

    code: str
    name: str
    game: str
    """Key of the registry."""
    reply: Reply
    round: int = 0
    your_turn: bool = False
    awaited: tuple[str, ...] = ()
    """Names of those whose orders are missing."""
    score: int = 0
    rank: int = 1
    """1 = nobody has more points."""
    seats: int = 2
    deadline: datetime | None = None
    stored: Literal["none", "possible", "impossible"] = "none"
    """What of the reader's is kept, and whether it is possible as things stand."""
    state: str = ""
    """"" | suspended | held | pause | mail | out: why nothing goes on, or not for the reader."""


@dataclass(frozen=True)
class OpenMatch:
    """A match that has free seats."""

    code: str
    name: str
    game: str
    players: tuple[str, ...]
    free: int


@dataclass(frozen=True)
class Overview:
    matches: tuple[MatchLine, ...] = ()
    open: tuple[OpenMatch, ...] = ()
    leaves: tuple[tuple[date, date], ...] = ()
    """First and last days of leave that is not over."""
    tournaments: tuple[Note, ...] = ()
    """One for each tournament of the reader's, as club/tournaments/for_player.py has them."""
    open_tournaments: tuple[Note, ...] = ()
    """Tournaments that the reader could join."""


@dataclass(frozen=True)
class Turn:
    """What one seat's order or its absence led to."""

    report: MoveReport
    total: int
    """Points of the seat when the turn, or its round, was over."""


@dataclass(frozen=True)
class Undone:
    """A place where turns were taken back."""

    turns: int


@dataclass(frozen=True)
class Round:
    number: int
    lines: tuple[Turn | Undone | Note, ...]
    """In order; a note tells what else happened (a seat was given up)."""
    totals: tuple[tuple[str, int], ...]
    """Name and points of each seat after it."""


@dataclass(frozen=True)
class Figures:
    """How promptly one player answers."""

    name: str
    percent: int | None
    """Turns answered before the ZAT; None before the first."""
    turns: int = 0
    """Answered turns."""
    days: int = 0
    """From board mail to answer, all of them together."""
    missed: int = 0
    bank: int = 0
    """Extra days left."""


@dataclass(frozen=True)
class Promptness:
    players: tuple[Figures, ...]


@dataclass(frozen=True)
class History:
    rounds: tuple[Round, ...]
    promptness: Promptness


@dataclass(frozen=True)
class CommandLine:
    """A command as the help tells of it, in the reader's language."""

    said: str
    twin: str
    """The same in another language."""
    what: str
    """What it does."""


@dataclass(frozen=True)
class Commands:
    """The commands by group: (``turn``, its commands) and so on."""

    groups: tuple[tuple[str, tuple[CommandLine, ...]], ...]


@dataclass(frozen=True)
class ZatLine:
    """One date in the attached calendar."""

    code: str
    name: str
    game: str
    deadline: datetime
    yours: bool


@dataclass(frozen=True)
class Dates:
    matches: tuple[ZatLine, ...]
    address: str = ""
    """Where the reader's calendar is on the web; "" = nowhere."""


Asked = Overview | Promptness | History | Commands | Dates | RulesText
