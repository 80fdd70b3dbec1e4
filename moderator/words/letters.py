"""Letter profiles: how a written word becomes the key that lies on the board.

Profile ``topwords`` (Topwords rules: umlauts are letters of their own, never AE; ß is SS) and ``typdom``
(no umlaut tiles: Ä is laid AE). Everything else, accents and signs included, is refused. That is German; in other
languages there are no tiles with marks at all, and their words are laid without (ÉTÉ as ETE, COEUR for cœur).
"""

from __future__ import annotations

import unicodedata
from typing import Literal

from moderator.common.errors import Illegal

Profile = Literal["topwords", "typdom"]

BASIC = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
UMLAUTS = {"Ä": "AE", "Ö": "OE", "Ü": "UE"}
ALPHABETS: dict[str, frozenset[str]] = {"topwords": BASIC | UMLAUTS.keys(), "typdom": BASIC}
_SEVERAL = {"Œ": "OE", "Æ": "AE", "ẞ": "SS", "ß": "SS", "Ø": "O", "Ł": "L", "Đ": "D"}
"""Letters that Unicode does not take apart."""
_INVISIBLE = dict.fromkeys([0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, *range(0x202A, 0x202F)])


def clean_word(text: str) -> str:
    """Return the composed form (NFKC) without soft hyphens, zero-width and bidi characters; case is kept."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text.translate(_INVISIBLE))


def to_capitals(text: str) -> str:
    """Return a text in capitals, letter by letter; ß and ẞ become SS. Letters whose capital is several others stay as
    they are."""
    if text.isascii():
        return text.upper()
    return "".join("SS" if c in "ßẞ" else c.upper() if len(c.upper()) == 1 else c for c in text)


def to_capitals_fast(text: str) -> str:
    """Return a long text in capitals, much faster than ``to_capitals``. Not for a player's words: it writes some rare
    letters as several."""
    return text.upper().replace("ẞ", "SS")


def has_accents(language: str) -> bool:
    """Return whether words of a language are laid without their accents; German keeps Ä, Ö, Ü and takes no others. So
    does a list that does not say its language."""
    return language not in ("", "de")


def without_accents(text: str) -> str:
    """Return a text in capitals as they are laid where no tile has an accent. Letters of other scripts stay."""
    if text.isascii():
        return text.upper()
    return to_capitals_fast(text).translate(_PLAIN)


class _Plain(dict[int, str]):
    """The letters behind one with an accent, as ``str.translate`` asks for them."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        bare = "".join(c for c in unicodedata.normalize("NFD", letter) if not unicodedata.combining(c))
        self[code] = _SEVERAL.get(letter, bare)
        return self[code]


_PLAIN = _Plain()


def to_word_key(word: str, profile: Profile = "topwords", accents: bool = False) -> str:
    """Return the letters to lay for ``word``. Raises Illegal("foreign-letter", word, letter)."""
    if word.isascii() and word.isalpha():
        return word.upper()
    letters = without_accents(clean_word(word)) if accents else to_capitals(clean_word(word))
    if profile == "typdom":
        letters = "".join(UMLAUTS.get(c, c) for c in letters)
    for letter in letters:
        if letter not in ALPHABETS[profile]:
            raise Illegal("foreign-letter", word=word, letter=letter)
    return letters
