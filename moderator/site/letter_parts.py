"""What a round letter says, as plain texts, scenes and pictures; the page and the PDF are both laid out from it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from moderator.match.scenes import Scene
from moderator.site.site import Sitting


@dataclass(frozen=True)
class Period:
    """From ``since`` on, before ``until``."""

    name: str
    """``2026-11`` of a whole month, else ""."""
    since: datetime
    until: datetime

    def holds(self, moment: datetime | None) -> bool:
        return moment is not None and self.since <= moment < self.until


@dataclass(frozen=True)
class Standing:
    seat: Sitting
    name: str
    score: int
    place: int | None = None
    """At the end."""


@dataclass(frozen=True)
class PressLine:
    """By a player."""

    by: str
    text: str


@dataclass(frozen=True)
class MatchPart:
    code: str
    title: str
    """``Topwords „Arratia“``."""
    facts: tuple[str, ...]
    """``K7Q2``, ``Runde 5``, ``4 Züge in dieser Zeit``."""
    table: tuple[Standing, ...]
    """The best first; () where it cannot be told."""
    last: str
    """What was played last; "" = nothing yet."""
    scene: Scene | None
    """For the PDF, which draws it otherwise; None where it was not asked for."""
    svg: str
    """Element for a page; its colours are those of the page."""
    defs: tuple[str, ...]
    """Drawings that it refers to."""
    press: tuple[PressLine, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True)
class TournamentPart:
    code: str
    title: str
    facts: tuple[str, ...]
    games: tuple[str, ...]
    """Results of the time."""
    tables: tuple[tuple[tuple[str, str, str], ...], ...]
    """Of each division (place, name, points)."""


@dataclass(frozen=True)
class WordPart:
    word: str
    counts: bool
    ruling: str
    """``gilt``, ``gilt nicht, nur K7Q2``."""
    reason: str


@dataclass(frozen=True)
class RoundLetter:
    club: str
    title: str
    span: str
    running: tuple[MatchPart, ...]
    finished: tuple[MatchPart, ...]
    tournaments: tuple[TournamentPart, ...]
    words: tuple[WordPart, ...]

    @property
    def sections(self) -> tuple[tuple[str, tuple[MatchPart, ...]], ...]:
        """(code of the heading, matches); none that is empty."""
        both = ("letter-running", self.running), ("letter-finished", self.finished)
        return tuple((code, matches) for code, matches in both if matches)

    @property
    def matches(self) -> tuple[MatchPart, ...]:
        return (*self.running, *self.finished)

    @property
    def defs(self) -> tuple[str, ...]:
        """Of all boards, each once."""
        return tuple(dict.fromkeys(drawing for match in self.matches for drawing in match.defs))
