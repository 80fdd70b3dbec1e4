"""Values of Topwords: options, moves, the public state, and the names of squares."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Literal

from moderator.errors import ConfigError, Illegal
from moderator.games.topwords.tiles import bag

SIZE = 10
LETTERS = "ABCDEFGHIJ"
CENTRE = frozenset(y * SIZE + x for y in (4, 5) for x in (4, 5))

Direction = Literal["w", "s"]
STEP: dict[str, int] = {"w": 1, "s": SIZE}
"""From one square of a word to the next, as a difference of square indices."""


TURNS = {"paces": ("sequential", "rounds")}
COMMON = {"paces": ("common",)}
"""Of an option that means nothing elsewhere."""


@dataclass(frozen=True)
class Options:
    """What may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["sequential", "rounds", "common"] = "sequential"
    rack_size: int = field(default=7, metadata=TURNS)
    common_rack: int = field(default=8, metadata=COMMON)
    max_height: int = 5
    cover_whole_word: bool = True
    exchange: bool = field(default=True, metadata=TURNS)
    letter_axis: Literal["columns", "rows"] = "columns"
    tiles: Literal["german-100", "english-100"] | dict[str, int] = "german-100"
    leftover_penalty: int = field(default=0, metadata=TURNS)
    pass_rounds: int = 2
    rounds: int | None = None
    common_end: bool = field(default=True, metadata=COMMON)
    claims: Literal["advisory", "strict"] = "advisory"
    policy: str = "topwords"
    unknown_words: Literal["reject", "ask"] = "reject"

    def __post_init__(self) -> None:
        least = {
            "rack_size": 1,
            "common_rack": 1,
            "max_height": 1,
            "leftover_penalty": 0,
            "pass_rounds": 1,
            "rounds": 1,
        }
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name in least and value is not None and value < least[one.name]:
                raise ConfigError(f"{one.name} = {value} is too small.", f"At least {least[one.name]}.")
        bag(self.tiles)

    @property
    def full_rack(self) -> int:
        """Tiles of a full rack in this pace."""
        return self.common_rack if self.pace == "common" else self.rack_size


@dataclass(frozen=True, slots=True)
class Place:
    """Lay a word. ``square`` is "E5" (letter first), ``word`` the key in capitals.

    ``named`` are the words in parentheses: claims, or base forms of separable verbs. ``points`` is the claim.
    """

    square: str
    direction: Direction
    word: str
    named: tuple[str, ...] = ()
    points: int | None = None


@dataclass(frozen=True)
class Pass:
    """Do nothing."""


@dataclass(frozen=True)
class Exchange:
    """Give letters back and draw as many."""

    letters: tuple[str, ...]


Move = Place | Pass | Exchange

Run = tuple[int, ...]
"""Squares of one run of letters, in reading order."""


@dataclass(frozen=True)
class Public:
    """What everybody sees."""

    options: Options
    board: tuple[str, ...] = ("",) * (SIZE * SIZE)
    """100 stacks, row by row from the top left; each a string from bottom to top."""
    round: int = 1
    starter: int = 0
    """Seat that began (``sequential``) or is evaluated first in this round (``rounds``)."""
    passes: int = 0
    """Turns in a row in which a seat passed or sent nothing."""
    exchanges: int = 0
    """How many exchanges there were; each has its own shuffle."""
    fresh: tuple[int, ...] = ()
    """Squares that the last laid word covered anew."""
    runs: tuple[Run, ...] = ()
    """Words that the last move formed."""


def index(square: str, options: Options) -> int:
    """Index 0..99 of a square's name. Raises Illegal("square-off-board", square)."""
    letter, number = square[:1], square[1:]
    if letter not in LETTERS or not letter or number not in {str(n) for n in range(1, SIZE + 1)}:
        raise Illegal("square-off-board", square=square)
    a, b = LETTERS.index(letter), int(number) - 1
    return b * SIZE + a if options.letter_axis == "columns" else a * SIZE + b


def name(square: int, options: Options) -> str:
    """Name of the square with that index, letter first."""
    y, x = divmod(square, SIZE)
    a, b = (x, y) if options.letter_axis == "columns" else (y, x)
    return f"{LETTERS[a]}{b + 1}"
