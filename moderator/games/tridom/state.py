"""Values of Tridom: options, moves and the public state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from moderator.engine.conditions import AfterDraw
from moderator.errors import ConfigError
from moderator.games.tridom.board import HEXAGON, Board


@dataclass(frozen=True)
class Options:
    """What may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["sequential"] = "sequential"
    target: int = 400
    triple_zero: Literal["lowest", "highest"] = "lowest"
    double_hexagon: int = 50
    bonus: Literal["highest", "sum"] = "highest"

    def __post_init__(self) -> None:
        if self.target < 1:
            raise ConfigError(f"target = {self.target} is too small.", "At least 1.")
        if not HEXAGON <= self.double_hexagon <= 2 * HEXAGON:
            raise ConfigError(
                f"double_hexagon = {self.double_hexagon} is out of range.", f"{HEXAGON} to {2 * HEXAGON}, e.g. 60."
            )

    def hexagons(self, count: int) -> int:
        """Bonus for closing ``count`` hexagons with one tile: 50, and what ``double_hexagon`` adds for each further."""
        return HEXAGON + (count - 1) * (self.double_hexagon - HEXAGON) if count else 0


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay a tile on a place. ``at_least``: only if it scores that many points."""

    tile: str
    place: int
    at_least: int | None = None


Move = Lay | AfterDraw


@dataclass(frozen=True)
class Public:
    """What everybody sees."""

    options: Options
    mirrored: bool
    """SuperTridom, where mirror images are tiles of their own."""
    board: Board
    gains: tuple[tuple[int, ...], ...]
    """Per seat what it won and lost in this round so far, in order: opening, tiles, draws, penalties."""
    round: int = 1
    mover: int = 0
    """Seat whose turn it is."""
    drawn: int = 0
    """Tiles that it has drawn in this turn."""
    passes: int = 0
    """Passes in a row after which the stock was empty: forced ones, and missed turns of seats that play no more."""
    last: int | None = None
    """Place of the tile that was laid last."""
