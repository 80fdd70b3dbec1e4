"""How the moves of a game stand in a mail, as far as it differs from game to game."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

FENCE = "\u01c0"
"""Stands between the halves of a tile, or a row's name and its squares. It looks like a bar but is a letter (a click,
in African languages) that no game has, and readers of moves refuse it: a quoted row or rack is no move."""
NumberedText = tuple[int, str]
"""(number of a line in its mail, its text)."""


@dataclass(frozen=True)
class Style:
    attempt: re.Pattern[str] | None = None
    """Matches the beginning of what was meant as a move of this game, so that its error is worth telling."""
    joined: re.Pattern[str] | None = None
    """Matches the beginning of a part that belongs to the part before its semicolon, as in ``1: B3; 3: N``."""
    unfinished: re.Pattern[str] | None = None
    """Matches a whole part that waits for the part behind its semicolon, or for the next line, as in
    ``tausche A an H7; H9 w WORT``."""
    chain: re.Pattern[str] | None = None
    """Matches what goes on with the move before it, in the middle of a line, behind a semicolon or at the beginning of
    the next line, as in ``+ U22 w PHON``, ``dann B9``. Such words announce no fallback in this game."""
    dangling: re.Pattern[str] | None = None
    """Found in a line that goes on with the next one whatever stands there, as in ``1: B8,``."""
    gather: Callable[[Sequence[NumberedText]], list[NumberedText]] | None = None
    """Joins the lines of a mail that are one order, as a drawn grid is, with a title or a marker right above them; the
    others stay as they are. A joined line has the number of its first. Given what it has made it changes nothing more.
    """
    colon_numbers: bool = True
    """``2: …`` numbers a fallback; False where it names a place on the table."""
    tile: Callable[[str], str] = str
    """A tile as racks, lists and sentences print it, so that no line of such tiles can be read as a move."""


PLAIN = Style()
