"""The dictionary of Topwords for its move generator. Built once per Words object (about a second for 200,000 words)."""

from __future__ import annotations

from dataclasses import dataclass

from moderator.engine.contract import Words
from moderator.games.index import FIELD, Kept, Packing, Shelf, build_shelf
from moderator.games.topwords.state import SIZE
from moderator.games.topwords.tiles import ALPHABET, RARE

PACKING = Packing(ALPHABET)
UNIT, GUARD, pack = PACKING.unit, PACKING.guard, PACKING.pack
RARE_MASK = sum(15 * UNIT[letter] for letter in RARE)
RARE_SHIFTS = tuple(FIELD * PACKING.letters.index(letter) for letter in sorted(RARE))


@dataclass(frozen=True)
class Index:
    words: frozenset[str]
    shelves: dict[int, Shelf]
    """By length; lengths without words are absent."""


def build(words: Words) -> Index:
    """Sort the playable words of 2..10 letters onto shelves; what cannot be laid is left out."""
    known = frozenset(word for word in words.playable(SIZE) if 2 <= len(word) <= SIZE and ALPHABET.issuperset(word))
    by_length: dict[int, list[str]] = {}
    for word in sorted(known):
        by_length.setdefault(len(word), []).append(word)
    return Index(known, {length: build_shelf(length, group, PACKING) for length, group in by_length.items()})


index_for = Kept(build)
"""The index of a dictionary, kept if that very object was seen before."""
