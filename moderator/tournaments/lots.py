"""Lots from a recorded seed, and seeding by rating or by lot: by SHA-256, so that every Python draws the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Literal, TypeVar

from moderator.errors import OperatorError
from moderator.tournaments.field import Entrant

T = TypeVar("T")

SeedBy = Literal["rating", "lot", "order"]


def lot(seed: int, *label: object) -> int:
    """The lot drawn for ``label``: 64 bits, the same in every run."""
    text = "|".join(map(str, ("moderator/tournament/1", seed, *label)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


class Draws:
    """An endless row of drawn numbers, fixed by ``seed`` and ``label``."""

    def __init__(self, seed: int, label: str) -> None:
        self._numbers = _numbers(f"moderator/tournament/1|{seed}|{label}")

    def below(self, limit: int) -> int:
        """A number from 0 to ``limit - 1``, each as likely; ``limit`` at most 2**32."""
        fair = (1 << 32) - (1 << 32) % limit
        number = next(self._numbers)
        while number >= fair:
            number = next(self._numbers)
        return number % limit

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """``items`` in drawn order."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order


def _numbers(name: str) -> Iterator[int]:
    counter = 0
    while True:
        digest = hashlib.sha256(f"{name}|{counter}".encode()).digest()
        for first in range(0, 32, 4):
            yield int.from_bytes(digest[first : first + 4], "big")
        counter += 1


def seeded(applicants: Sequence[tuple[str, float]], by: SeedBy = "rating", seed: int = 0) -> tuple[Entrant, ...]:
    """Entrants numbered from 1 in seeding order; ``applicants`` are (name, rating) pairs.

    rating: the highest first, equal ones by lot; lot: by lot; order: as given. Except for "order" the order of the
    applicants does not matter. Raises OperatorError if two have the same name.
    """
    names = [name for name, _ in applicants]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise OperatorError(f"Two entrants are called {twice[0]!r}.", "Give each its own name.")
    order = list(applicants)
    if by != "order":
        order.sort(key=lambda one: (-one[1] if by == "rating" else 0.0, lot(seed, "seeding", one[0]), one[0]))
    return tuple(Entrant(number, name, rating) for number, (name, rating) in enumerate(order, start=1))
