"""What a word is: the key that lies on the board, and kinds as bits, their names, and the tags of a house list that
stand for them.

A form may be several things at once (Fischer is a trade and a family name); no bit at all means that the source
does not tell, and then no policy objects.

A profile says how a written word becomes its key: ``topwords`` (Topwords rules: umlauts are letters of their own, never
AE; ß is SS) and ``typdom`` (no umlaut tiles: Ä is laid AE). Everything else, accents and signs included, is refused.
That is German; in other languages there are no tiles with marks at all, and their words are laid without (ÉTÉ as ETE,
COEUR for cœur)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Literal, NamedTuple

from moderator.common.errors import ConfigError, Illegal
from moderator.common.text import suggest

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


COMMON = 1
VERB_FORM = 2
INFINITIVE = 4
PARTICIPLE = 8
NAME = 16
PLACE = 32
FIRST_NAME = 64
FAMILY_NAME = 128
BRAND = 256
ABBREVIATION = 512
AFFIX = 1024

KINDS = {
    "common": COMMON,
    "verb-form": VERB_FORM,
    "infinitive": INFINITIVE,
    "participle": PARTICIPLE,
    "name": NAME,
    "place": PLACE,
    "first-name": FIRST_NAME,
    "family-name": FAMILY_NAME,
    "brand": BRAND,
    "abbreviation": ABBREVIATION,
    "affix": AFFIX,
}
"""Name -> bit. The names are also reason codes: ``word.abbreviation`` says why an abbreviation does not count."""

TAGS = KINDS | {
    "capital": PLACE,
    "company": BRAND,
    "country": PLACE,
    "exclamation": COMMON,
    "first": FIRST_NAME,
    "family": FAMILY_NAME,
    "greek": COMMON,
    "language": COMMON,
    "myth": FIRST_NAME,
    "river": PLACE,
    "short": COMMON,
    "state": PLACE,
    "verb": VERB_FORM,
}
"""Tags a house list may use and the kind each stands for. Other tags are remarks."""


class Reading(NamedTuple):
    """One real spelling behind a key, e.g. Tee and TEE behind TEE."""

    spelling: str
    kinds: int = 0
    lemma: str | None = None
    """Base form; None where the source does not tell."""
    grade: int = 0
    """How well the word is known, bits of rules/verdict.py. Says nothing on whether it counts."""


def combine_tag_kinds(tags: Iterable[str]) -> int:
    """Return the bits that the tags stand for; 0 if none of them names a kind."""
    bits = 0
    for tag in tags:
        bits |= TAGS.get(tag, 0)
    return bits


def list_kind_names(kinds: int) -> list[str]:
    """List the names of the bits, in the order of ``KINDS``."""
    return [name for name, bit in KINDS.items() if kinds & bit]


# ---- which kinds of words a game takes ----


class WordPolicy(NamedTuple):
    """The kinds of words that a game takes; ``refused`` holds the bits of the kinds that do not count."""

    name: str
    profile: Profile
    refused: int

    def may_count(self, bits: int) -> bool:
        """Return whether a form of these kinds counts: one good kind is enough, and so is not knowing."""
        return not bits or bool(bits & ~self.refused)

    def rank_objection(self, bits: int) -> int:
        """Rank the objection to these kinds by how telling it is, 0 the most."""
        refused = bits & self.refused
        return next((rank for rank, name in enumerate(_TELLING) if KINDS[name] & refused), len(_TELLING))

    def get_objection(self, bits: int, with_base: bool = True) -> str:
        """Return the reason code for kinds that are not taken: the most telling one. The sentences on verb forms name
        their infinitive; ``with_base`` says whether it is known."""
        rank = self.rank_objection(bits)
        if rank == len(_TELLING):
            return "unknown"
        return _TELLING[rank] if with_base else WITHOUT_BASE.get(_TELLING[rank], _TELLING[rank])


_TELLING = (
    "abbreviation",
    "affix",
    "brand",
    "family-name",
    "verb-form",
    "participle",
    "infinitive",
    "first-name",
    "place",
    "name",
    "common",
)

WITHOUT_BASE = {"verb-form": "some-verb-form", "participle": "some-participle"}
"""What is said of a verb form where the infinitive is not known."""

POLICIES = {
    "topwords": WordPolicy("topwords", "topwords", ABBREVIATION | AFFIX),
    "typdom": WordPolicy(
        "typdom", "typdom", ABBREVIATION | AFFIX | BRAND | FAMILY_NAME | NAME | VERB_FORM | PARTICIPLE
    ),
}
"""topwords: every inflected form and every name (seeds: Topwords, "Zulässigkeit"). typdom: verbs in the infinitive
only, place and first names but no company, brand or family names (seeds: Typ-Dom, end of section 1)."""


def build_word_policy(name: str) -> WordPolicy:
    """Return the policy ``name`` with some kinds switched: {"abbreviation": True} takes abbreviations.

    Raises ConfigError for an unknown policy or kind."""
    if name not in POLICIES:
        raise ConfigError(f"There is no word policy {name!r} (option policy).", suggest(name, POLICIES))
    return POLICIES[name]
