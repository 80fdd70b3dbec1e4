"""What a mail says about a tournament, without words: pairings, results, tables.

``views/tournament_view.py`` fills these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from moderator.common.enums import GameKind, TournamentStatus
from moderator.rules.ending import EndCause
from moderator.tournaments.crosstable import Crosstable

Topic = Literal[
    "invite",  # the registration is open
    "pairings",  # a round begins
    "warning",  # the latest end of the round is near and games of the reader's are open
    "report",  # a round is over
    "final",  # all is over
    "table",  # the reader asked for it, or something has changed and the reader gets one mail a day
    "news",  # only the notes: somebody moved up from the standby list, a challenge, …
]


@dataclass(frozen=True)
class TournamentGameLine:
    """A pairing as the mail shows it."""

    round: int
    board: int
    names: tuple[str, ...]
    """In seat order."""
    you: int | None = None
    """The reader's seat."""
    match: str = ""
    """Code; "" = no match is played (bye, decided without play)."""
    kind: GameKind = GameKind.GAME
    points: tuple[str, ...] = ()
    """Tournament points by seat as text ("1", "½", "0"); () = open."""
    scores: tuple[int, ...] = ()
    """The points that decided it, by seat; () = open, or none did."""
    how: EndCause = EndCause.PLAYED
    """How it came to its result."""
    division: int = 1
    corrected: bool = False
    """It had another result first."""


@dataclass(frozen=True)
class TournamentTie:
    """Two who meet in a round of a knock-out."""

    round: int
    names: tuple[str, ...]
    """One name = bye."""
    points: tuple[str, ...] = ()
    """Tournament points in the tie so far, beside ``names``; () = nothing is finished, or a bye."""
    sums: tuple[int, ...] = ()
    """Game points in all, which decide where ``points`` are equal."""
    through: int | None = None
    """Which of the two goes on; None = open."""
    third: bool = False
    """The match for third place."""


@dataclass(frozen=True)
class TournamentBracket:
    """A knock-out: the loser of a tie is out."""

    ties: tuple[TournamentTie, ...]
    """All that are known, by round."""
    order: tuple[tuple[int, str], ...] = ()
    """(place, name) at its end."""


@dataclass(frozen=True)
class TournamentRungs:
    """A ladder: the order of the players on its rungs, and the challenges."""

    order: tuple[tuple[int, str], ...]
    """(rung, name)."""
    challenges: tuple[tuple[str, str, bool], ...] = ()
    """(challenger, challenged, whether it is accepted)."""


@dataclass(frozen=True)
class TournamentTable:
    """The table of one division."""

    division: int
    table: Crosstable | TournamentBracket | TournamentRungs
    progress: Mapping[int, Sequence[int | None]] | None = None
    """Places by number after each round, for the picture of the final report."""
    you: int | None = None
    """The reader's number in it."""
    up: int = 0
    """Of a league at its end: how many of the first go up."""
    down: int = 0
    """How many of the last go down."""

    @property
    def cross(self) -> Crosstable | None:
        """The table of points, where there is one."""
        return self.table if isinstance(self.table, Crosstable) else None

    @property
    def rungs(self) -> TournamentRungs | None:
        """The ladder, where it is one."""
        return self.table if isinstance(self.table, TournamentRungs) else None

    @property
    def order(self) -> tuple[tuple[int, str], ...]:
        """(place or rung, name) in tables without points."""
        return () if isinstance(self.table, Crosstable) else self.table.order


@dataclass(frozen=True)
class TournamentView:
    """One tournament as one reader sees it."""

    topic: Topic
    code: str
    name: str
    game: str
    """Key of the registry."""
    format: str
    status: TournamentStatus
    round: int = 0
    rounds: int = 0
    """0 = open."""
    entrants: tuple[str, ...] = ()
    """Names of those who take part (before the start in the order of joining)."""
    standby: tuple[str, ...] = ()
    places: int = 0
    """How many may take part; 0 = no limit."""
    closes_at: datetime | None = None
    """End of the registration."""
    ends_at: datetime | None = None
    """Latest end of the round, as published."""
    seats: int = 2
    """Of each game."""
    legs: int = 1
    """Games that two who are paired play in all; of two each has the first seat in one."""
    third: bool = False
    """Who loses the semi-final plays for third place."""
    starter: int | None = None
    """The seat that makes the first move of each game; None = only the deal says."""
    reach: int = 0
    """Of a ladder: how many rungs above one may challenge."""
    division: int = 0
    """Of a league: about so many in each division."""
    at_once: bool = False
    """All games have started together: there is only one "round"."""
    adjudicate: str = "score"
    """What happens to games that are open then: "score" or "moderator"."""
    fields: tuple[tuple[str, ...], ...] = ()
    """The names of each division by number, the highest first; () before the start."""
    own: int = 0
    """The reader's division; 0 = none."""
    challengeable: tuple[str, ...] = ()
    """Of a ladder: whom the reader may challenge now."""
    yours: tuple[TournamentGameLine, ...] = ()
    """The reader's games (of this round)."""
    games: tuple[TournamentGameLine, ...] = ()
    """All games of the round."""
    tables: tuple[TournamentTable, ...] = ()
    you_in: bool = False
    """The reader takes part."""
