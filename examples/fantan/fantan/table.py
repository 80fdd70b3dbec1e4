"""What lies on the table: four rows, of each the lowest and the highest card. From there on it is known what fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

ROWS = "ABCD"
HIGHEST = 13
SEVEN = 7
"""The card that begins its row."""
CARDS = tuple(f"{row}{number}" for row in ROWS for number in range(1, HIGHEST + 1))

Run = tuple[int, int] | None
"""Lowest and highest number of a row; None while its seven does not lie."""


def place(card: str) -> tuple[int, int]:
    """``B8`` -> (1, 8): which row, which number."""
    return ROWS.index(card[0]), int(card[1:])


@dataclass(frozen=True)
class Table:
    """The public state."""

    runs: tuple[Run, ...] = (None,) * len(ROWS)
    fresh: str = ""
    """The card that was laid last."""
    round: int = 1
    """There is one deal."""

    def fits(self, card: str) -> bool:
        """A seven always does, any other card beside the end of its row."""
        row, number = place(card)
        run = self.runs[row]
        return number == SEVEN if run is None else number in (run[0] - 1, run[1] + 1)

    def with_card(self, card: str) -> Table:
        """The table with a card that fits."""
        row, number = place(card)
        low, high = self.runs[row] or (number, number)
        run = min(low, number), max(high, number)
        return replace(self, runs=(*self.runs[:row], run, *self.runs[row + 1 :]), fresh=card)

    def cards(self) -> Iterator[str]:
        """All that lie, row by row."""
        for row, run in zip(ROWS, self.runs, strict=True):
            if run is not None:
                yield from (f"{row}{number}" for number in range(run[0], run[1] + 1))


def written(table: Table) -> dict[str, Any]:
    """Plain values: ``{"rows": [[5, 9], null, …], "fresh": "A9"}``."""
    return {"rows": [None if run is None else list(run) for run in table.runs], "fresh": table.fresh}


def read(values: Mapping[str, Any]) -> Table:
    """The opposite. Raises ValueError for what is no table."""
    runs: list[Run] = []
    for given in values["rows"]:
        if given is None:
            runs.append(None)
            continue
        low, high = given
        if not (type(low) is type(high) is int and 1 <= low <= SEVEN <= high <= HIGHEST):
            raise ValueError(f"{given} is no row")
        runs.append((low, high))
    table = Table(tuple(runs), values["fresh"])
    if len(runs) != len(ROWS) or table.fresh not in ("", *table.cards()):
        raise ValueError("that is no table")
    return table
