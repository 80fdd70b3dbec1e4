"""A dictionary laid out for a move generator: all words of one length as sets, which are big integers with one bit per
word, so that a pattern of letters is a few ANDs."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from moderator.rules.game import Words

FIELD = 5
"""Bits per letter in a packed count: four for the number, one to catch a borrow."""
MOST = 15
"""Largest count a field holds."""


class LetterPacking:
    """The letter counts of a word in one number, a field for each letter of the alphabet."""

    def __init__(self, alphabet: Iterable[str]) -> None:
        self.letters = sorted(alphabet)
        self.unit = {letter: 1 << (FIELD * i) for i, letter in enumerate(self.letters)}
        """Packed count of a single letter."""
        self.guard = sum(unit << (FIELD - 1) for unit in self.unit.values())
        """The bits that catch a borrow: where one is gone after a subtraction, that letter did not suffice."""

    def pack_letters(self, letters: str) -> int:
        """Return the counts of the letters as one number, at most 15 of each."""
        return sum(min(letters.count(letter), MOST) * self.unit[letter] for letter in set(letters))


@dataclass(frozen=True)
class WordSet:
    """All words of one length. Bit j of every set stands for ``words[j]``."""

    words: list[str]
    needs: list[int]
    """Packed letter counts of each word."""
    at: list[dict[str, int]]
    """For each position: letter -> set of the words that have it there."""
    having: dict[str, list[int]]
    """letter -> [words with at least 1 of it, at least 2, …]."""
    everything: int


def build_word_set(length: int, words: list[str], packing: LetterPacking) -> WordSet:
    """Build the set of some words of ``length`` letters, all in Latin-1."""
    # A column of the word list is a strided slice of bytes. A number's text starts with its highest bit: the last word
    # comes first.
    joined = "".join(reversed(words)).encode("latin-1")
    at = [_build_letter_sets(joined[position::length]) for position in range(length)]
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
    unit = packing.unit.__getitem__
    return WordSet(
        words=words,
        needs=[sum(map(unit, word)) for word in words],
        at=at,
        having=having,
        everything=(1 << len(words)) - 1,
    )


def _build_letter_sets(column: bytes) -> dict[str, int]:
    sets = {}
    for code in set(column):
        table = bytearray(b"0" * 256)
        table[code] = ord("1")
        sets[chr(code)] = int(column.translate(table), 2)
    return sets


def group_words_by_missing(word_set: WordSet, length: int, hand: tuple[str, ...]) -> list[int]:
    """Return a list: at [k] the set of the words of which at most k letters are not on the rack.

    ``atleast[n]`` collects the words that can use n tiles of the rack; each tile raises the words it serves."""
    atleast = [word_set.everything] + [0] * length
    for letter in set(hand):
        for members in word_set.having.get(letter, [])[: hand.count(letter)]:
            for n in range(length, 0, -1):
                if atleast[n - 1]:
                    atleast[n] |= atleast[n - 1] & members
    return atleast[::-1]


def list_set_bits(bits: int) -> list[int]:
    """Return the numbers of the set bits."""
    if bits.bit_count() > 40:
        text = bin(bits)[:1:-1]
        numbers = []
        at = text.find("1")
        while at >= 0:
            numbers.append(at)
            at = text.find("1", at + 1)
        return numbers
    numbers = []
    while bits:
        top = bits.bit_length() - 1
        numbers.append(top)
        bits ^= 1 << top
    return numbers


T = TypeVar("T")


class DictionaryCache(Generic[T]):
    """A value that is made of a dictionary, stored as long as that very object lives."""

    def __init__(self, make: Callable[[Words], T]) -> None:
        self.make = make
        self.known: dict[int, tuple[weakref.ref[Words], T]] = {}

    def __call__(self, words: Words) -> T:
        known = self.known.get(id(words))
        if known is not None and known[0]() is words:
            return known[1]
        made = self.make(words)
        try:
            self.known[id(words)] = weakref.ref(words, partial(_forget_entry, self.known, id(words))), made
        except TypeError:  # its class has slots and no room for weak references: used once, not kept
            return made
        return made


def _forget_entry(cache: dict[int, Any], key: int, _: object) -> None:
    cache.pop(key, None)  # given, not global: at the end of the program globals go first
