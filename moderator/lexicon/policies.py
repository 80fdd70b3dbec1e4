"""Which kinds of words a game takes. Each filter can be switched per game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from moderator.errors import ConfigError
from moderator.lexicon import kinds
from moderator.lexicon.letters import Profile


class Policy(NamedTuple):
    """``refused`` holds the bits of the kinds that do not count."""

    name: str
    profile: Profile
    refused: int

    def takes(self, bits: int) -> bool:
        """Whether a form of these kinds counts: one good kind is enough, and so is not knowing."""
        return not bits or bool(bits & ~self.refused)

    def rank(self, bits: int) -> int:
        """How telling the objection to these kinds is, 0 the most."""
        refused = bits & self.refused
        return next((rank for rank, name in enumerate(_TELLING) if kinds.KINDS[name] & refused), len(_TELLING))

    def objection(self, bits: int, with_base: bool = True) -> str:
        """Reason code for kinds that are not taken: the most telling one. The sentences on verb forms name their
        infinitive; ``with_base`` says whether it is known."""
        rank = self.rank(bits)
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
    "topwords": Policy("topwords", "topwords", kinds.ABBREVIATION | kinds.AFFIX),
    "typdom": Policy(
        "typdom",
        "typdom",
        kinds.ABBREVIATION
        | kinds.AFFIX
        | kinds.BRAND
        | kinds.FAMILY_NAME
        | kinds.NAME
        | kinds.VERB_FORM
        | kinds.PARTICIPLE,
    ),
}
"""topwords: every inflected form and every name (seeds: Topwords, "Zulässigkeit"). typdom: verbs in the infinitive
only, place and first names but no company, brand or family names (seeds: Typ-Dom, end of section 1)."""


def policy(name: str, filters: Mapping[str, bool] | None = None) -> Policy:
    """The policy ``name`` with some kinds switched: {"abbreviation": True} takes abbreviations.

    Raises ConfigError for an unknown policy or kind.
    """
    if name not in POLICIES:
        raise ConfigError(f"There is no word policy {name!r}.", f"Known: {', '.join(POLICIES)}.")
    chosen = POLICIES[name]
    refused = chosen.refused
    for kind, taken in (filters or {}).items():
        if kind not in kinds.KINDS:
            raise ConfigError(f"There is no kind of word {kind!r}.", f"Known: {', '.join(kinds.KINDS)}.")
        bit = kinds.KINDS[kind]
        refused = refused & ~bit if taken else refused | bit
    return Policy(chosen.name, chosen.profile, refused)
