"""What a dictionary says of a word. Apart from ``contract`` because asking a dictionary must not load dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

TWICE, EVERYDAY = 1, 2
"""How well a word is known, bits: two sources have it; it is a frequent one besides (docs/dictionaries.md)."""


class Verdict(NamedTuple):
    """The answer of a dictionary on a word: whether it counts. ``reason`` is a code, ``source`` names what decided
    (list and edition)."""

    word: str
    ruling: Literal["accept", "reject", "ask"]
    reason: str = ""
    source: str = ""
    params: Mapping[str, Any] = MappingProxyType({})
