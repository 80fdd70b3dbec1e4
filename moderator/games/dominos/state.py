"""Values of Dominos: options, moves and the public state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from moderator.engine.conditions import AfterDraw
from moderator.errors import ConfigError
from moderator.games.dominos.board import Board


@dataclass(frozen=True)
class Options:
    """What may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["sequential"] = "sequential"
    target: int = 100
    leader: Literal["highest_tile", "round_winner"] = "highest_tile"
    spinner_any_time: bool = False
    blocked_winner: Literal["highest_score", "lowest_hand"] = "highest_score"

    def __post_init__(self) -> None:
        if self.target < 1:
            raise ConfigError(f"target = {self.target} is too small.", "At least 1.")


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay a tile. ``place`` is L, R, N or S; "" for the first tile of a round, and where none was named and none
    fits. ``at_least``: only if it scores that many points."""

    tile: str
    place: str = ""
    at_least: int | None = None


Move = Lay | AfterDraw


@dataclass(frozen=True)
class Public:
    """What everybody sees."""

    options: Options
    board: Board
    gains: tuple[tuple[int, ...], ...] = ((), ())
    """Per seat the points won by laying in this round, in order."""
    round: int = 1
    leader: int = 0
    """Seat that opened this round, or is to."""
    last: int = 0
    """Seat that laid the last tile."""
    drew: int | None = None
    """Seat to move that had to draw in this turn."""
