"""A dictionary laid out for the move generator. Built once per Words object (about a second for 200,000 words)."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from functools import partial
from typing import Any

from moderator.engine.contract import Words
from moderator.games.topwords.state import SIZE
from moderator.games.topwords.tiles import ALPHABET, RARE

LETTERS = sorted(ALPHABET)
FIELD = 5
"""Bits per letter in a packed count: four for the number, one to catch a borrow."""
UNIT = {letter: 1 << (FIELD * i) for i, letter in enumerate(LETTERS)}
"""Packed count of a single letter."""
GUARD = sum(unit << (FIELD - 1) for unit in UNIT.values())
RARE_MASK = sum(15 * UNIT[letter] for letter in RARE)
RARE_SHIFTS = tuple(FIELD * LETTERS.index(letter) for letter in sorted(RARE))
MOST = 15
"""Largest count a field holds; a word has at most 10 letters, so a larger rack count makes no difference."""


@dataclass(frozen=True)
class Shelf:
    """All words of one length. Bit j of every set stands for ``words[j]``."""

    words: list[str]
    needs: list[int]
    """Packed letter counts of each word."""
    at: list[dict[str, int]]
    """For each position: letter -> set of the words that have it there."""
    having: dict[str, list[int]]
    """letter -> [words with at least 1 of it, at least 2, …]."""
    everything: int


@dataclass(frozen=True)
class Index:
    words: frozenset[str]
    shelves: dict[int, Shelf]
    """By length; lengths without words are absent."""


def pack(letters: str) -> int:
    """Counts of the letters in one number, at most 15 of each."""
    return sum(min(letters.count(letter), MOST) * UNIT[letter] for letter in set(letters))


def index_for(words: Words) -> Index:
    """The index of a dictionary, from the cache if that very object was seen before."""
    known = _CACHE.get(id(words))
    if known is not None and known[0]() is words:
        return known[1]
    index = build(words)
    try:
        _CACHE[id(words)] = weakref.ref(words, partial(_forget, _CACHE, id(words))), index
    except TypeError:  # its class has slots and no room for weak references: used once, not kept
        return index
    return index


def _forget(cache: dict[int, Any], key: int, _: object) -> None:
    cache.pop(key, None)  # given, not global: at the end of the program globals go first


_CACHE: dict[int, tuple[weakref.ref[Words], Index]] = {}


def build(words: Words) -> Index:
    """Sort the playable words of 2..10 letters onto shelves; what cannot be laid is left out."""
    known = frozenset(word for word in words.playable(SIZE) if 2 <= len(word) <= SIZE and ALPHABET.issuperset(word))
    by_length: dict[int, list[str]] = {}
    for word in sorted(known):
        by_length.setdefault(len(word), []).append(word)
    return Index(known, {length: _shelf(length, group) for length, group in by_length.items()})


def _shelf(length: int, words: list[str]) -> Shelf:
    # All letters are in Latin-1, so a column of the word list is a strided slice of bytes. A number's text
    # starts with its highest bit: the last word comes first.
    joined = "".join(reversed(words)).encode("latin-1")
    at = [_letter_sets(joined[position::length]) for position in range(length)]
    having: dict[str, list[int]] = {}
    for sets in at:
        for letter, members in sets.items():
            levels = having.setdefault(letter, [])
            carry = members
            for n, level in enumerate(levels):
                levels[n], carry = level | carry, level & carry
                if not carry:
                    break
            if carry:
                levels.append(carry)
    unit = UNIT.__getitem__
    return Shelf(
        words=words,
        needs=[sum(map(unit, word)) for word in words],
        at=at,
        having=having,
        everything=(1 << len(words)) - 1,
    )


def _letter_sets(column: bytes) -> dict[str, int]:
    sets = {}
    for code in set(column):
        table = bytearray(b"0" * 256)
        table[code] = ord("1")
        sets[chr(code)] = int(column.translate(table), 2)
    return sets
