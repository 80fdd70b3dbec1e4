"""A share of deals won, and how sure it is."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    """Deals won, equal and lost; an equal one is half a deal for each side."""

    won: int
    equal: int
    lost: int

    @property
    def played(self) -> int:
        return self.won + self.equal + self.lost

    @property
    def value(self) -> float:
        """0 to 1. Raises ZeroDivisionError where nothing was played."""
        return (self.won + self.equal / 2) / self.played

    def interval(self, z: float = 1.96) -> tuple[float, float]:
        """What holds the true share with a probability of 95 % (Wilson); ``z`` are standard deviations."""
        n, p = self.played, self.value
        middle, wide = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return (middle - wide) / (1 + z * z / n), (middle + wide) / (1 + z * z / n)
