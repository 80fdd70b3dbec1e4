"""How well a word is known: by two sources, and among the frequent ones. Told while a dictionary is built.

Robots lay nothing but words that two sources know, whatever else the dictionary lets count. Besides its sources, the
list that ships for its language (``shipped``) is asked, which counts as two: a list of words and a dictionary of a
keyboard. What was made of one another counts once: Tanglet's German list is the one that ships, and SCOWL is what
English hunspell dictionaries are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from moderator.rules.verdict import EVERYDAY, TWICE
from moderator.words import shipped
from moderator.words.letters import to_capitals_fast

_SIMPLEMMA, _HUNSPELL, _RULES, _OWN, _PLAIN = 8, 16, 32, 64, 128
"""Bits of whence a word is, above the marks of the list that ships; from the last on, one for each plain list."""


def get_source_bit(form: str, language: str, number: int) -> int:
    """Return the bit of a source, the ``number``-th of a dictionary; the same for sources that were made of one
    another."""
    if form in ("tanglet", "shipped") or (form == "hunspell" and language == "en"):
        return shipped.LISTED
    bits = {"simplemma": _SIMPLEMMA, "both": _SIMPLEMMA | _RULES, "own": _RULES | _OWN, "hunspell": _HUNSPELL}
    return bits.get(form, _PLAIN << number)


def compute_grades(
    origins: Mapping[str, int], language: str, keys: Callable[[str], str] = to_capitals_fast
) -> dict[str, int]:
    """Return a mapping, key -> grade, of spellings and the sources that they are from. Every key is in it."""
    known: dict[str, int] = {}
    for key, bits in zip(keys("\n".join(origins)).split("\n"), origins.values(), strict=True):
        known[key] = known.get(key, 0) | bits
    often: set[str] = set()
    if language in shipped.NAMES:
        for spelling, marks in shipped.iter_shipped_words(language):
            key = to_capitals_fast(spelling)
            if key in known:
                known[key] |= marks & (shipped.LISTED | shipped.TYPED)
                if marks & shipped.EVERYDAY:
                    often.add(key)
    return {key: _compute_grade(bits, key in often) for key, bits in known.items()}


def _compute_grade(bits: int, often: bool) -> int:
    twice = TWICE if bits.bit_count() > 1 else 0
    return twice | EVERYDAY if twice and often else twice
