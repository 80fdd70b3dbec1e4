"""What a word is: kinds as bits, their names, and the tags of a house list that stand for them.

A form may be several things at once (Fischer is a trade and a family name); no bit at all means that the source
does not tell, and then no policy objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

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


def kinds_of_tags(tags: Iterable[str]) -> int:
    """The bits that the tags stand for; 0 if none of them names a kind."""
    bits = 0
    for tag in tags:
        bits |= TAGS.get(tag, 0)
    return bits


def names(kinds: int) -> list[str]:
    """Names of the bits, in the order of ``KINDS``."""
    return [name for name, bit in KINDS.items() if kinds & bit]
