"""Values of Domi Jongg: the 144 tiles and which may lie at which, options, a turn, and what lies on the table.

Names: suits ``B1``–``B9`` (bamboo), ``K1``–``K9`` (circles), ``T1``–``T9`` (thousands), winds ``E`` ``S`` ``W`` ``N``,
dragons ``DR`` ``DG`` ``DW``, flowers ``F1``–``F4``, seasons ``J1``–``J4``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from moderator.common.errors import ConfigError
from moderator.games.domijongg.layout import SnakePlan
from moderator.rules.game import BEFORE

SUITS: Final = "BKT"
WINDS: Final = ("E", "S", "W", "N")
DRAGONS: Final = ("DR", "DG", "DW")
SPECIAL_KINDS: Final = "FJ"

SUITED: Final = tuple(f"{suit}{number}" for suit in SUITS for number in range(1, 10))
SPECIALS: Final = tuple(f"{kind}{number}" for kind in SPECIAL_KINDS for number in range(1, 5))
NAMES: Final = (*SUITED, *WINDS, *DRAGONS, *SPECIALS)
"""Every tile once, in the order in which hands are sorted and turns are tried."""
WALL: Final = (*(name for name in (*SUITED, *WINDS, *DRAGONS) for _ in range(4)), *SPECIALS)
"""All 144 in the order that the shuffle begins with."""
RANK: Final = {name: place for place, name in enumerate(NAMES)}


def is_special_tile(tile: str) -> bool:
    """Return whether a tile is a flower or a season."""
    return tile[0] in SPECIAL_KINDS


def get_tile_kind(tile: str) -> str:
    """Return ``suit``, ``wind``, ``dragon`` or ``special``."""
    return "wind" if tile in WINDS else "dragon" if tile in DRAGONS else "special" if is_special_tile(tile) else "suit"


def _may_follow(lying: str, new: str) -> bool:
    if lying in DRAGONS:
        return new in DRAGONS or new in WINDS
    if lying in WINDS:
        return new in WINDS or new in DRAGONS or is_special_tile(new)
    if is_special_tile(lying):
        return is_special_tile(new) and (new[0] == lying[0] or new[1] == lying[1])
    numbered = new not in WINDS and new not in DRAGONS
    return new[0] == lying[0] or (numbered and new[1] == lying[1])


def _may_branch(lying: str, new: str) -> bool:
    return is_special_tile(lying) and (new in WINDS or (new in SUITED and new[1] == lying[1]))


FOLLOWERS: Final = {lying: frozenset(new for new in NAMES if _may_follow(lying, new)) for lying in NAMES}
"""Lying tile -> what may be laid at it by itself."""
BRANCHES: Final = {lying: frozenset(new for new in NAMES if _may_branch(lying, new)) for lying in NAMES}
"""Lying tile -> what may be one of the two tiles of a fork at it; nothing but at flowers and seasons."""


# ---- options, a turn, the table ----


_RANGES = {"games": (1, 24), "start_count": (2, 12), "max_heads": (2, 10)}


@dataclass(frozen=True)
class DomiJonggOptions:
    """The options that may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["sequential"] = "sequential"
    games: int | None = None
    """None: as many as there are seats."""
    start_count: int | None = None
    """None: 6, 5, 4 tiles for 2, 3, 4 and more seats."""
    max_heads: int = 10
    first: Literal["lot", "seat"] = field(default="lot", metadata={BEFORE: "seat"})

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise ConfigError(f"{name} = {value} is out of range.", f"From {least} to {most}.")

    def get_full_hand_size(self, seats: int) -> int:
        """Return the start count: so many tiles are dealt to each seat, and drawn up to after a turn."""
        return self.start_count or {2: 6, 3: 5}.get(seats, 4)


Item = tuple[str, ...]
"""One tile, or the two of a fork: the first keeps the head's number, the second opens the next free one."""


@dataclass(frozen=True, slots=True)
class HeadExtension:
    """The tiles that are laid at one head, from the snake outwards."""

    head: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class JonggTurn:
    """A turn: ``1: T3+E, T2; 3: N, DR``. Heads after the first are those that the turn itself opened."""

    parts: tuple[HeadExtension, ...]
    at_least: int | None = None
    """Only if it scores that much (``ab 2``)."""

    @property
    def tiles(self) -> tuple[str, ...]:
        """All its tiles in the order in which they are laid."""
        return tuple(tile for part in self.parts for item in part.items for tile in item)


@dataclass(frozen=True, slots=True)
class SnakeTile:
    """One tile on the table."""

    tile: str
    at: int
    """Place in ``Public.laid`` of the tile that it was laid at; -1 for the singlestone."""
    head: int
    """Number of the head that it became; 0 for the singlestone."""
    cell: tuple[int, int]
    """Where it lies, (column, row) from 0; never changes."""


@dataclass(frozen=True)
class DomiJonggPublic:
    """The state that everybody sees."""

    options: DomiJonggOptions
    seats: int
    laid: tuple[SnakeTile, ...]
    """In the order of laying; the first is the singlestone."""
    tips: tuple[int, ...]
    """For head 1, 2, …: place in ``laid`` of the tile at its end."""
    plan: SnakePlan
    """Which cells are taken and which are kept free."""
    round: int = 1
    """Number of the game in the series."""
    leader: int = 0
    """Seat that leads this game."""
    fresh: int = 0
    """How many tiles the last turn laid: the last ones of ``laid``."""
    gains: tuple[tuple[int, ...], ...] = ()
    """Per seat: what its turns of this game scored, without those that scored nothing."""
    penalties: tuple[int, ...] = ()
    """Per seat: penalty tiles of this game."""
    idle: int = 0
    """Turns in a row without a laid tile since the wall is used up."""

    @property
    def games(self) -> int:
        """Games of the series."""
        return self.options.games or self.seats

    @property
    def full_hand(self) -> int:
        """The start count."""
        return self.options.get_full_hand_size(self.seats)

    @property
    def heads(self) -> tuple[str, ...]:
        """The tile at the end of head 1, 2, …"""
        return tuple(self.laid[tip].tile for tip in self.tips)
