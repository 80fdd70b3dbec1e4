"""The words and signs of a turn: ``B3``, ``Bambus 3``, ``roter Drache``, ``east``, ``+``, ``links``, ``Kopf 2``."""

from __future__ import annotations

import re
from typing import Final

from moderator.games.domijongg.tiles import RANK
from moderator.lexicon.letters import UMLAUTS, clean, upper


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _words(**lists: str) -> dict[str, str]:
    return {word: meaning for meaning, words in lists.items() for word in words.split()}


SUIT_WORDS: Final = _words(
    B="B BAM BAMBUS BAMBUSSE BAMBOO BAMBOOS STAB STAEBE STICK STICKS",
    K="K KREIS KREISE CIRCLE CIRCLES DOT DOTS",
    T="T TAUSEND TAUSENDE TAUSENDER CHARACTER CHARACTERS CHAR CHARS THOUSAND THOUSANDS",
    F="F BLUME BLUMEN BLUMENZIEGEL FLOWER FLOWERS",
    J="J JAHRESZEIT JAHRESZEITEN JAHRESZEITENZIEGEL SEASON SEASONS",
)
WIND_WORDS: Final = _words(
    E="E O OST OSTWIND EAST EASTWIND",
    S="S SUED SUD SUEDWIND SOUTH SOUTHWIND",
    W="W WEST WESTWIND",
    N="N NORD NORDWIND NORTH NORTHWIND",
)
DRAGON_WORDS: Final = _words(
    DR="DR ROT ROTER ROTE ROTEN RED",
    DG="DG GRUEN GRUENER GRUENE GRUENEN GREEN",
    DW="DW WEISS WEISSER WEISSE WEISSEN WHITE",
)
WIND: Final = frozenset({"WIND", "WINDZIEGEL"})
DRAGON: Final = frozenset({"DRACHE", "DRACHEN", "DRACHENZIEGEL", "DRAGON"})
HEAD: Final = _set("KOPF HEAD ENDE END")
LEFT: Final = _set("LINKS LINKE LEFT L LI")
RIGHT: Final = _set("RECHTS RECHTE RIGHT R RE")
AT: Final = _set("@ AN AT ON AUF BEI TO AM")
NEXT: Final = _set(", DANN THEN DANACH > → - –")
FORK: Final = _set("+ &")
EITHER: Final = _set("UND AND /")
"""Might mean a chain as well as a fork."""
FILLERS: Final = _set("ICH I LEGE LEG LEGEN ANLEGEN LAY PLACE PLAY PUT DEN DIE DAS DER THE ZIEGEL TILE")
PASSES: Final = _set("PASSE PASSEN PASS SKIP ZIEHE ZIEHEN DRAW TAUSCHE TAUSCHEN EXCHANGE SWAP")

_TOKEN = re.compile(r"\d+|[A-Z]+|[@:=,+&>/()→-]|\S")


def tokens(text: str) -> list[str]:
    """Words in capitals (umlauts as AE OE UE, as ``ß`` is SS), numbers, signs."""
    return _TOKEN.findall("".join(UMLAUTS.get(c, c) for c in upper(clean(text))))


def tile(words: list[str]) -> tuple[str, int] | None:
    """(tile, number of words it takes) at the beginning of ``words``; None if no tile stands there."""
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first.isdecimal() and second == "." and len(words) > 2:
        named = _numbered(words[2], first)
        return (named, 3) if named else None
    if first.isdecimal() and second in SUIT_WORDS:
        named = _numbered(second, first)
        following = words[2] if len(words) > 2 else ""
        return (named, 2) if named and not following.isdecimal() else None
    if first in SUIT_WORDS:
        skip = 1 if second == "-" else 0
        number = words[1 + skip] if len(words) > 1 + skip else ""
        named = _numbered(first, number)
        return (named, 2 + skip) if named else None
    return _honour(first, second)


def _numbered(suit: str, number: str) -> str | None:
    """``B3`` of BAMBUS and 3, if there is such a tile."""
    named = SUIT_WORDS.get(suit, "?") + number
    return named if number.isdecimal() and named in RANK else None


def _honour(first: str, second: str) -> tuple[str, int] | None:
    """A wind or a dragon, with or without that word, before or after."""
    if first in WIND_WORDS:
        return WIND_WORDS[first], 2 if second in WIND else 1
    if first in DRAGON_WORDS:
        return DRAGON_WORDS[first], 2 if second in DRAGON else 1
    if first in DRAGON and second in DRAGON_WORDS:
        return DRAGON_WORDS[second], 2
    if first in WIND and second in WIND_WORDS:
        return WIND_WORDS[second], 2
    return None
