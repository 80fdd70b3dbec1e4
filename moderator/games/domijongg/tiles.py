"""The 144 tiles of Domi Jongg, and which may lie at which.

Names: suits ``B1``–``B9`` (bamboo), ``K1``–``K9`` (circles), ``T1``–``T9`` (thousands), winds ``E`` ``S`` ``W`` ``N``,
dragons ``DR`` ``DG`` ``DW``, flowers ``F1``–``F4``, seasons ``J1``–``J4``.
"""

from __future__ import annotations

from typing import Final

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


def is_special(tile: str) -> bool:
    """A flower or a season."""
    return tile[0] in SPECIAL_KINDS


def kind(tile: str) -> str:
    """``suit``, ``wind``, ``dragon`` or ``special``."""
    return "wind" if tile in WINDS else "dragon" if tile in DRAGONS else "special" if is_special(tile) else "suit"


def _follows(lying: str, new: str) -> bool:
    if lying in DRAGONS:
        return new in DRAGONS or new in WINDS
    if lying in WINDS:
        return new in WINDS or new in DRAGONS or is_special(new)
    if is_special(lying):
        return is_special(new) and (new[0] == lying[0] or new[1] == lying[1])
    numbered = new not in WINDS and new not in DRAGONS
    return new[0] == lying[0] or (numbered and new[1] == lying[1])


def _branches(lying: str, new: str) -> bool:
    return is_special(lying) and (new in WINDS or (new in SUITED and new[1] == lying[1]))


FOLLOWERS: Final = {lying: frozenset(new for new in NAMES if _follows(lying, new)) for lying in NAMES}
"""Lying tile -> what may be laid at it by itself."""
BRANCHES: Final = {lying: frozenset(new for new in NAMES if _branches(lying, new)) for lying in NAMES}
"""Lying tile -> what may be one of the two tiles of a fork at it; nothing but at flowers and seasons."""
