"""One entry of a feed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

END = 1 << 30
"""Behind the number of any entry of a log."""


@dataclass(frozen=True)
class Entry:
    id: str
    """Within the club and a language: ``matches/K7Q2/12``. Never changes."""
    at: datetime
    order: int
    """Of those at one moment the higher one came later."""
    title: str
    lines: tuple[str, ...]
    page: str
    """That it leads to: ``matches/K7Q2.html#zug12``."""
