"""Tables of what people write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def spelled(table: Mapping[T, Sequence[str]]) -> list[tuple[str, T]]:
    """(line, what it is read as) for each spelling in a table of them."""
    return [(line, meant) for meant, lines in table.items() for line in lines]
