"""Values of Presto: its options and what everybody sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from moderator.errors import ConfigError
from moderator.games.typdom.presto_layout import Layout
from moderator.games.typdom.state import check

HANDS = {2: (15, 25), 3: (10, 16), 4: (7, 12), 5: (6, 10), 6: (5, 8)}
"""Seats -> (red, black) tiles that each is dealt."""
POINTS = (4, 2)
"""For the first and the second who has finished."""
POINTS_ONE_LEFT = (2, 1)
"""The same with one tile left."""
EMPTY_ROUNDS = 3
"""So many rounds in a row that nobody finished end a match to a target."""


@dataclass(frozen=True)
class Options:
    """What may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["race"] = "race"
    rounds: int = 1
    target: int | None = None
    finish_with_one_left: bool = False
    policy: str = "typdom"
    unknown_words: Literal["reject", "ask"] = "reject"

    def __post_init__(self) -> None:
        check("rounds", self.rounds, 1, 99)
        if self.target is not None:
            check("target", self.target, 1, 999)
            if self.rounds != 1:
                raise ConfigError("rounds and target exclude each other.", "A match to a target takes what it takes.")


@dataclass(frozen=True)
class Public:
    """What everybody sees. Layouts are secret until their round is over, see ``State.private``."""

    options: Options
    round: int = 1
    finished: tuple[int, ...] = ()
    """Seats that have finished in this round, the first first."""
    gave_up: tuple[int, ...] = ()
    """Seats that are out of this round without a layout."""
    gains: tuple[int, ...] = ()
    """Per seat the points of this round."""
    last: tuple[tuple[int, Layout], ...] = ()
    """(seat, layout) of those that finished the round before, or the last one of the match, the first first."""
    empty: int = 0
    """Rounds in a row that nobody finished."""
