"""Values of the games where whole words are laid: their options and what everybody sees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from moderator.common.errors import ConfigError
from moderator.games.typdom.board import SIZE, Placement, Run, TypdomTable
from moderator.games.typdom.tiles import BLACK, RED, Colour
from moderator.rules.game import BEFORE

SMALLEST, LARGEST = 15, 60
"""Squares along a side of the table."""


@dataclass(frozen=True)
class TypdomOptions:
    """The options that may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["sequential"] = "sequential"
    games: int = 1
    strict_buy: bool = False
    table_size: int = SIZE
    policy: str = "typdom"
    unknown_words: Literal["reject", "ask"] = "reject"

    def __post_init__(self) -> None:
        check_option_range("games", self.games, 1, 99)
        check_option_range("table_size", self.table_size, SMALLEST, LARGEST)

    @property
    def dealt_colours(self) -> tuple[int, int]:
        """(red, black) tiles that are dealt to each seat."""
        return 5, 8


@dataclass(frozen=True)
class RestOptions(TypdomOptions):
    """The options of the games in which the winner gets what the others have left."""

    losers_pay: bool = field(default=True, metadata={BEFORE: False})


@dataclass(frozen=True)
class PointOptions(TypdomOptions):
    """The options of Point-Typ-Dom, where larger hands may be agreed."""

    red: int = 5
    black: int = 8
    pass_buys: bool = field(default=False, metadata={BEFORE: True})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_option_range("red", self.red, 1, len(RED) // 2)
        check_option_range("black", self.black, 1, len(BLACK) // 2)

    @property
    def dealt_colours(self) -> tuple[int, int]:
        return self.red, self.black


def check_option_range(name: str, value: int, least: int, most: int) -> None:
    """Check an option. Raises ConfigError for one out of range."""
    if not least <= value <= most:
        raise ConfigError(f"{name} = {value} is out of range.", f"{least} to {most}.")


@dataclass(frozen=True)
class TypdomPublic:
    """The state that everybody sees."""

    options: TypdomOptions
    table: TypdomTable
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
class JollyExchange:
    """An exchange: the jolly from ``square`` for the letter that it stands for."""

    letter: str
    square: str


@dataclass(frozen=True, slots=True)
class TypdomTurn:
    """All that a seat does in its turn, in this order; nothing at all = pass."""

    places: tuple[Placement, ...] = ()
    """One or two words."""
    exchanges: tuple[JollyExchange, ...] = ()
    """Before the words."""
    buys: tuple[Colour, ...] = ()
    """Red ones first. Instead of a word, or of the second one that is due."""
    points: int | None = None
    """What the player counts for the words in all."""
