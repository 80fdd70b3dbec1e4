"""The letters in the box and what is special about some of them."""

from __future__ import annotations

from collections.abc import Mapping

from moderator.errors import ConfigError
from moderator.lexicon.letters import ALPHABETS

ALPHABET = ALPHABETS["topwords"]
RARE = frozenset("JQXYZ")
"""Each of these is worth RARE_POINTS when it comes from the rack."""
RARE_POINTS = 2
RACK_POINTS = 10
"""For a move that uses the whole rack."""

_GERMAN = "E15 N9 S7 I6 R6 T6 U6 A5 D4 H4 M4 G3 L3 O3 B2 C2 F2 K2 P1 V1 W1 Z1 Ä1 Ö1 Ü1 J1 Q1 X1 Y1"
_ENGLISH = "E8 A7 I7 O7 S6 D5 L5 M5 N5 R5 T5 U5 C4 B3 F3 G3 H3 P3 K2 W2 Y2 J1 Q1 V1 X1 Z1"


def _read(text: str) -> dict[str, int]:
    return {item[0]: int(item[1:]) for item in text.split()}


SETS: dict[str, Mapping[str, int]] = {"german-100": _read(_GERMAN), "english-100": _read(_ENGLISH)}
"""Letter -> how many. German: the usual crossword set without blanks; English: the Upwords 10x10 set."""


def bag(tiles: str | Mapping[str, int]) -> tuple[str, ...]:
    """Every tile of a set's name or of a custom distribution, in alphabetical order.

    Raises ConfigError for an unknown name, for what is no letter of the game and for a negative count.
    """
    if isinstance(tiles, str):
        if tiles not in SETS:
            raise ConfigError(f"There is no tile set {tiles!r}.", f"Known: {', '.join(sorted(SETS))}.")
        tiles = SETS[tiles]
    for letter, count in tiles.items():
        if letter not in ALPHABET:
            raise ConfigError(f"tiles: {letter!r} is no letter of Topwords.", "Use the capitals A-Z and Ä Ö Ü.")
        if count < 0:
            raise ConfigError(f"tiles: {letter} = {count} is wrong.", "Counts are 0 or more.")
    return tuple(letter for letter in sorted(tiles) for _ in range(tiles[letter]))
