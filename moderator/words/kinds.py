"""What a word is: kinds as bits, their names, and the tags of a house list that stand for them.

A form may be several things at once (Fischer is a trade and a family name); no bit at all means that the source
does not tell, and then no policy objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from moderator.common.errors import ConfigError
from moderator.common.text import suggest
from moderator.words.letters import Profile

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
