"""Values of »Wer behält recht?«: options, moves, the word in the making, the public state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from moderator.games.typdom import state as common
from moderator.games.typdom.board import Direction, Run
from moderator.games.typdom.state import Exchange
from moderator.games.typdom.tiles import Colour

Side = Literal["front", "back"]
SIDES: tuple[Side, ...] = ("front", "back")


@dataclass(frozen=True)
class Options(common.Options):
    """What may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    buy_before_pass: bool = False


# ---- moves ----


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile to lay. ``letter`` is ``E``, or ``*E`` for a jolly; ``at`` is "front", "back", a square's name, or ""
    where the announced word must tell."""

    letter: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay a tile, or more as a premium, and announce a word.

    ``word`` is the announced one. With ``goes_on`` the standing announcement is kept: then ``word`` is "" or that word,
    as a condition. ``direction`` is that of a new word, "" where it follows from the table.
    """

    tiles: tuple[Tile, ...]
    word: str = ""
    direction: Direction | Literal[""] = ""
    goes_on: bool = False
    exchanges: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Buy:
    """Buy a tile. The seat stays to move, unless it passes at once."""

    colour: Colour
    then_pass: bool = False
    exchanges: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Pass:
    """Report on."""

    exchanges: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Complete:
    """Complete one's own announcement where it can lie in several ways. ``square`` is that of its first letter."""

    square: str
    exchanges: tuple[Exchange, ...] = ()


Move = Lay | Buy | Pass | Complete


# ---- the table ----


@dataclass(frozen=True, slots=True)
class Running:
    """The word in the making."""

    direction: Direction
    run: Run
    """Squares of the fragment."""
    word: str = ""
    """As announced; "" while no announcement stands (its author is out)."""
    author: int | None = None
    places: tuple[Run, ...] = ()
    """Where the announced word may come to lie, in reading order: all its squares."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The word completed last, which the next one has to cross."""

    direction: Direction
    run: Run


@dataclass(frozen=True)
class Public(common.Public):
    """What everybody sees. ``passes``: turns in a row in which nothing was laid, bought or exchanged; ``runs``: words
    that the last move completed."""

    options: Options
    running: Running | None = None
    finished: Finished | None = None
    bought: bool = False
    """The seat to move has bought in this turn."""
    completing: bool = False
    """The seat to move must complete its announcement and may choose where it lies."""
    gone: tuple[int, ...] = ()
    """Seats that could not complete their announcement, in that order."""
