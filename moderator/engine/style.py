"""How the moves of a game stand in a mail, as far as it differs from game to game."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    attempt: re.Pattern[str] | None = None
    """Matches the beginning of what was meant as a move of this game, so that its error is worth telling."""
    joined: re.Pattern[str] | None = None
    """Matches the beginning of a part that belongs to the part before its semicolon, as in ``1: B3; 3: N``."""
    colon_numbers: bool = True
    """``2: …`` numbers a fallback; False where it names a place on the table."""


PLAIN = Style()
