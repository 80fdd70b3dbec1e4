"""Values as JSON gives them back, so that what is recorded equals what is replayed."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

_ATOMS = frozenset({type(None), str, int, float, bool})
"""Looked up first: every move that is played again asks for some dozen values."""


def plain(value: Any) -> Any:
    """``value`` of dicts, lists, texts, numbers, booleans and None only: tuples become lists, keys texts, sets
    sorted lists. Raises TypeError for anything else (that would be our bug)."""
    if type(value) in _ATOMS or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Set):
        return sorted(plain(item) for item in value)
    raise TypeError(f"{value!r} cannot be recorded as JSON")
