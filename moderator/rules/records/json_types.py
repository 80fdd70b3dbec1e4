"""What is told of a record as JSON: the types of which the schemas ``report``, ``analysis`` and ``verification`` are
made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict


class Formed(TypedDict):
    """A word that a move formed."""

    word: str
    points: int


class Refused(TypedDict):
    """An alternative that was reached and not played."""

    alternative: int
    """From 1 = the main move."""
    text: str
    code: str
    """Why not."""
    params: Mapping[str, Any]


class Moved(TypedDict):
    """The outcome of an order."""

    n: int
    """Number of the entry in the record's moves, from 1."""
    seat: int
    text: str
    """The order as it was sent; "" = nothing."""
    played: str | None
    """The move in canonical notation; null = nothing legal was sent."""
    alternative: int
    """Which was played, from 1; 0 = none."""
    points: int
    words: list[Formed]
    """The laid one first."""
    refused: list[Refused]
    laid: NotRequired[bool]
    """Pace common: whether this move lies on the board."""
    same: NotRequired[int]
    """Pace common: how many other seats sent the same."""


class Event(TypedDict):
    """An event besides the moves."""

    n: int
    """Number of the entry that it belongs to; 0 = the deal."""
    seat: int | None
    """null = all."""
    code: str
    params: Mapping[str, Any]
    points: int


class Legal(TypedDict):
    """A legal move."""

    move: str
    points: int


class Traced(TypedDict):
    """The match after an entry."""

    after: int
    """Number of the entry; 0 = the deal."""
    scores: list[int]
    to_move: list[int]
    public: Mapping[str, Any]
    legal: list[Legal] | None
    """All legal moves of the first seat to move; null where they cannot be listed."""


class Report(TypedDict):
    """The report of `moderator replay` on a record."""

    report: int
    """Version of the format."""
    game: str
    over: bool
    to_move: list[int]
    """Seats awaited, from 0."""
    scores: list[int]
    """By seat."""
    winners: list[int]
    hands: list[list[str]]
    """Tiles by seat; one shared list in pace common."""
    stock: int
    """Number of tiles."""
    moves: list[Moved]
    events: list[Event]
    public: Mapping[str, Any]
    """What lies on the table, by game."""
    trace: NotRequired[list[Traced]]
    """With --trace."""


class Analysis(TypedDict):
    """The moves that the seat to move could make after all entries of a record."""

    seat: int | None
    """null = the match is over."""
    moves: list[Legal]
    """Best first."""


class Check(TypedDict):
    """Something that was compared."""

    check: str
    ok: bool
    detail: str


class Deal(TypedDict):
    """The position after the first deal."""

    hands: list[list[str]]
    stock: list[str]
    """Next first."""


class Shuffled(TypedDict):
    """The tiles of a deal as they were shuffled."""

    label: str
    tiles: list[str]
    """Next first."""


class Verification(TypedDict):
    """A record dealt again and compared with what was published."""

    ok: bool
    """Everything that was compared agrees, and something was."""
    checks: list[Check]
    deal: Deal
    deals: list[Shuffled]
    """By round, where it was dealt from seeds."""
