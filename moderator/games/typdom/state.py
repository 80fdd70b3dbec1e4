"""Values of the games where whole words are laid: their options and what everybody sees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from moderator.errors import ConfigError
from moderator.games.typdom.board import SIZE, Place, Run, Table
from moderator.games.typdom.tiles import BLACK, RED, Colour
from moderator.match.contract import BEFORE

SMALLEST, LARGEST = 15, 60
"""Squares along a side of the table."""


@dataclass(frozen=True)
class Options:
    """What may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["sequential"] = "sequential"
    games: int = 1
    strict_buy: bool = False
    table_size: int = SIZE
    policy: str = "typdom"
    unknown_words: Literal["reject", "ask"] = "reject"

    def __post_init__(self) -> None:
        check("games", self.games, 1, 99)
        check("table_size", self.table_size, SMALLEST, LARGEST)

    @property
    def hand(self) -> tuple[int, int]:
        """(red, black) tiles that are dealt to each seat."""
        return 5, 8


@dataclass(frozen=True)
class RestOptions(Options):
    """Of the games in which the winner gets what the others have left."""

    losers_pay: bool = field(default=True, metadata={BEFORE: False})


@dataclass(frozen=True)
class PointOptions(Options):
    """Of Point-Typ-Dom, where larger hands may be agreed."""

    red: int = 5
    black: int = 8
    pass_buys: bool = field(default=False, metadata={BEFORE: True})

    def __post_init__(self) -> None:
        super().__post_init__()
        check("red", self.red, 1, len(RED) // 2)
        check("black", self.black, 1, len(BLACK) // 2)

    @property
    def hand(self) -> tuple[int, int]:
        return self.red, self.black


def check(name: str, value: int, least: int, most: int) -> None:
    """Raises ConfigError for an option out of range."""
    if not least <= value <= most:
        raise ConfigError(f"{name} = {value} is out of range.", f"{least} to {most}.")


@dataclass(frozen=True)
class Public:
    """What everybody sees."""

    options: Options
    table: Table
    round: int = 1
    """The game of the match, from 1."""
    starter: int = 0
    """Seat that opened this game."""
    stake: int = 1
    """2 after a game that nobody won."""
    passes: int = 0
    """Turns in a row in which nothing was laid, bought or exchanged."""
    left: dict[Colour, int] = field(default_factory=dict)
    """Tiles of each colour in the stock."""
    out: int | None = None
    """Point-Typ-Dom: the seat that got rid of its tiles first; the round is still finished."""
    gains: tuple[tuple[int, ...], ...] = ()
    """Per seat the points of its turns in this game."""
    fresh: tuple[int, ...] = ()
    """Squares of the tiles that the last turn laid."""
    runs: tuple[Run, ...] = ()
    """Words that it formed."""


# ---- a turn in the games where whole words are laid: Kreuzwort-Spiel and Point-Typ-Dom ----


@dataclass(frozen=True, slots=True)
class Exchange:
    """Take the jolly from ``square`` for the letter that it stands for."""

    letter: str
    square: str


@dataclass(frozen=True, slots=True)
class Turn:
    """Everything that a seat does in its turn, in this order; nothing at all = pass."""

    places: tuple[Place, ...] = ()
    """One or two words."""
    exchanges: tuple[Exchange, ...] = ()
    """Before the words."""
    buys: tuple[Colour, ...] = ()
    """Red ones first. Instead of a word, or of the second one that is due."""
    points: int | None = None
    """What the player counts for the words in all."""
