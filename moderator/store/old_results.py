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
    """As ``rules/ending.py`` has it."""


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
class OldResultsBatch:
    """Results and ratings that were moved in at once."""

    code: str
    """R1, R2, …"""
    at: datetime
    results: tuple[OldResult, ...]
    ratings: tuple[FirstRating, ...]


def list_old_results(session: Session) -> list[OldResultsBatch]:
    """List all batches, in the order in which they were moved in."""
    rows = sorted(key_values.list_values_by_prefix(session, _KEY), key=lambda row: int(row.key.removeprefix(_KEY)))
    return [_decode_batch(f"R{row.key.removeprefix(_KEY)}", json.loads(row.value)) for row in rows]


def add_old_results_batch(
    session: Session, at: datetime, results: Sequence[OldResult], ratings: Sequence[FirstRating]
) -> str:
    """Store a batch; returns its code."""
    number = max((int(one.code.removeprefix("R")) for one in list_old_results(session)), default=0) + 1
    values = {
        "at": at.isoformat(),
        "results": [asdict(one) | {"finished_at": one.finished_at.isoformat()} for one in results],
        "ratings": [asdict(one) for one in ratings],
    }
    key_values.save_value(session, f"{_KEY}{number}", json.dumps(values))
    return f"R{number}"


def delete_old_results_batch(session: Session, code: str) -> None:
    """Delete a batch, as if it had never been moved in."""
    key_values.delete_value(session, f"{_KEY}{code.removeprefix('R')}")


def _decode_batch(code: str, values: dict[str, Any]) -> OldResultsBatch:
    return OldResultsBatch(
        code,
        datetime.fromisoformat(values["at"]),
        tuple(
            OldResult(datetime.fromisoformat(one["finished_at"]), one["game"], tuple(one["players"]), one["outcome"])
            for one in values["results"]
        ),
        tuple(FirstRating(**one) for one in values["ratings"]),
    )
