"""The same as ``printed`` for tournaments: what their commands print with ``--json``."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, NotRequired, TypedDict

from moderator.common.enums import EntryState, MatchStatus, TournamentStatus


class TournamentLine(TypedDict):
    """A tournament."""

    tournament: str
    """Its code."""
    format: str
    game: str
    name: str
    status: TournamentStatus
    entrants: int
    round: int
    """0 = it has not begun."""
    phase: str
    """What it is at, or waits for."""
    trouble: str | None
    """Code of what only the moderator can mend."""


class EntrantLine(TypedDict):
    """An entrant of a tournament."""

    number: int | None
    """null = not numbered yet."""
    name: str
    division: int
    state: EntryState
    left: int | None
    """Last round that was played; null = still in."""
    rating: float | None
    """At the beginning."""
    rated: float | None
    """At the end."""
    place: int | None
    """At the end."""


class OpenGame(TypedDict):
    """A game of a tournament that is not over."""

    division: int
    round: int
    board: int
    players: list[str]
    match: str | None
    """null = not dealt yet."""
    status: MatchStatus | None
    trouble: str | None
    deadline: datetime | None


class ChallengeLine(TypedDict):
    """A challenge of a ladder that waits for an answer."""

    challenger: str
    challenged: str
    until: date


class TournamentStep(TypedDict):
    """A step that was done."""

    at: datetime
    step: str


class TournamentWhole(TournamentLine):
    """A tournament with its settings, entrants and open games."""

    settings: Mapping[str, Any]
    options: Mapping[str, Any]
    """Of the game, as far as they differ from its defaults."""
    terms: Mapping[str, Any]
    """Time rules of its matches, as far as they differ from the club's."""
    seed: str
    """Of all lots."""
    entered: list[EntrantLine]
    games: list[OpenGame]
    """That are open."""
    challenges: list[ChallengeLine]
    played_again: list[str]
    """Codes of matches that are played again although something was built on how they ended."""
    corrected: list[str]
    """Codes of matches whose result here was another one first."""
    steps: list[TournamentStep] | None
    """null without --log."""


class TableRow(TypedDict):
    """A line of a table."""

    place: int | None
    """null = left early, does not count."""
    number: int
    name: str
    played: int
    points: str
    """A number, of a half as 7/2."""
    ties: list[str]
    """Beside `ties` of the table; values parted by blanks."""
    left: bool
    best: NotRequired[int]
    """Possible final places, while it runs: the best …"""
    worst: NotRequired[int]
    """… and the worst."""


class MeetingLine(TypedDict):
    """Two who meet in a round of a knock-out; one = a bye."""

    round: int
    players: list[str]
    points: list[str]
    """So far; empty = none."""
    winner: str | None
    third: bool
    """The match for third place."""


class PlaceLine(TypedDict):
    """A place that is known."""

    place: int
    name: str


class StandingsLine(TypedDict):
    """The standings of a tournament, or of a division of it."""

    tournament: str
    division: int
    rounds: int | None
    """After so many; null = now."""
    ties: NotRequired[list[str]]
    """Codes of the tie-breaks, in the order applied."""
    table: NotRequired[list[TableRow]]
    rungs: NotRequired[list[str]]
    """Of a ladder: names, the top first."""
    meetings: NotRequired[list[MeetingLine]]
    """Of a knock-out."""
    places: NotRequired[list[PlaceLine]]
    """Of a knock-out, as far as they are known."""


class SettingLine(TypedDict):
    """A setting of a format of tournaments."""

    format: str
    setting: str
    default: str
    """As it is written behind --set."""
    own: bool
    """Only this format has it, or it means something of its own here."""
    text: str
    """What it means; "" = see docs/run/tournaments.md."""


class InCharge(TypedDict):
    """The referee and the deputy of a tournament."""

    tournament: str
    referee: str | None
    """null = the chief."""
    deputy: str | None
