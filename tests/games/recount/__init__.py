"""A second referee for the tile games, written from the printed rules alone and as plainly as a school book.

It knows nothing of ``moderator.games``: lists, dictionaries and brute force. ``tests/games/test_soak.py`` plays whole
matches and compares the engine with it after every event. Each model has the attributes and methods of ``Recount``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

Shuffle = Callable[[str, Sequence[str]], Sequence[str]]
"""(label, tiles) -> the tiles in the order of that label."""


class Recount(Protocol):
    """A match as the rules alone make it."""

    hands: list[list[str]]
    """One per seat, in no order."""
    stock: list[str]
    """Next first."""
    scores: list[int]
    turn: int | None
    """The seat that has a choice; None = the match is over."""
    round: int
    winners: list[int]
    totals: list[list[int]]
    """The scores as they stood at the end of each round."""

    drew: bool
    """The seat to move had to draw in this turn."""

    def legal(self) -> dict[str, int]:
        """Canonical notation of each legal move of the seat to move -> its points."""
        ...

    def play(self, text: str) -> int:
        """The seat to move plays ``text`` (canonical), and all that is forced then happens. Gives its points."""
        ...

    def miss(self, left: bool = False) -> None:
        """The seat to move sends nothing; ``left``: because it plays no more."""
        ...

    def table(self) -> list[str]:
        """Names of the tiles that lie open."""
        ...

    def drawing(self) -> Any:
        """What the neutral drawing must show, in plain values."""
        ...

    def exported(self) -> dict[str, Any]:
        """What the public state must say as JSON, as far as the rules decide it."""
        ...
