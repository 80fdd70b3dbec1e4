"""What a club has brought along of its games of before: results of games that were finished elsewhere, and ratings with
which players begin. There is no match behind any of it; it counts for the ratings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from moderator.store import key_values

_KEY = "moved-in:"
"""Before the code of what was taken in at once; its number follows, so that they come in order."""


@dataclass(frozen=True)
class OldResult:
    """A game that was finished elsewhere."""

    finished_at: datetime
    game: str
    players: tuple[int, ...]
    """Primary keys in seat order."""
    outcome: dict[str, Any]
    """As ``match/outcome.py`` has it."""


@dataclass(frozen=True)
class FirstRating:
    """The rating with which a player begins in a game."""

    player: int
    game: str
    mu: float
    sigma: float
    games: int
    """From which it comes."""


@dataclass(frozen=True)
class Brought:
    """What was taken in at once."""

    code: str
    """R1, R2, …"""
    at: datetime
    results: tuple[OldResult, ...]
    ratings: tuple[FirstRating, ...]


def every(session: Session) -> list[Brought]:
    """All of it, in the order in which it came."""
    rows = sorted(key_values.beginning(session, _KEY), key=lambda row: int(row.key.removeprefix(_KEY)))
    return [_read(f"R{row.key.removeprefix(_KEY)}", json.loads(row.value)) for row in rows]


def add(session: Session, at: datetime, results: Sequence[OldResult], ratings: Sequence[FirstRating]) -> str:
    """Keep this; returns its code."""
    number = max((int(one.code.removeprefix("R")) for one in every(session)), default=0) + 1
    values = {
        "at": at.isoformat(),
        "results": [asdict(one) | {"finished_at": one.finished_at.isoformat()} for one in results],
        "ratings": [asdict(one) for one in ratings],
    }
    key_values.write(session, f"{_KEY}{number}", json.dumps(values))
    return f"R{number}"


def remove(session: Session, code: str) -> None:
    """As if it had never come."""
    key_values.remove(session, f"{_KEY}{code.removeprefix('R')}")


def _read(code: str, values: dict[str, Any]) -> Brought:
    return Brought(
        code,
        datetime.fromisoformat(values["at"]),
        tuple(
            OldResult(datetime.fromisoformat(one["finished_at"]), one["game"], tuple(one["players"]), one["outcome"])
            for one in values["results"]
        ),
        tuple(FirstRating(**one) for one in values["ratings"]),
    )
