"""What a game may ask of a dictionary, and what that says. Apart from ``state`` because asking a dictionary must not
load dataclasses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

TWICE, EVERYDAY = 1, 2
"""How well a word is known, bits: two sources have it; it is a frequent one besides (docs/run/dictionaries.md)."""


class Verdict(NamedTuple):
    """The answer of a dictionary on a word: whether it counts. ``reason`` is a code, ``source`` names what decided
    (list and edition)."""

    word: str
    ruling: Literal["accept", "reject", "ask"]
    reason: str = ""
    source: str = ""
    params: Mapping[str, Any] = MappingProxyType({})


class Words(ABC):
    """The dictionary as a game sees it. Words are keys of the game's letter profile (upper case)."""

    @abstractmethod
    def judge(self, word: str, base: str | None = None) -> Verdict:
        """Judge whether ``word`` may be laid. ``base`` is the base form the player named (separable verbs)."""

    @abstractmethod
    def playable(self, max_length: int) -> Sequence[str]:
        """Return all admissible keys of 2..max_length letters, sorted; for move generators."""

    def among(self, grade: int) -> Words | None:
        """Return the same dictionary, of which only the words of that grade are listed; None where nobody has looked
        how well words are known."""
        return None
