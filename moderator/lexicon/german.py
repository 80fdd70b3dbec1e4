"""What can be told of a German form from its base form, while a dictionary is built.

The sources know base forms but not parts of speech. The rules here are right for about 95 % of forms, see
docs/dictionaries.md; participles are the weak spot.
"""

from __future__ import annotations

import re

from moderator.lexicon.kinds import COMMON, INFINITIVE, PARTICIPLE, VERB_FORM
from moderator.lexicon.separable import SEPARABLE, is_infinitive

_PREFIX = "|".join(sorted(SEPARABLE, key=len, reverse=True))
_GE = re.compile(rf"({_PREFIX})?ge")
_PRESENT = re.compile(r"d(e[rmns]?)?$")
_DECLINED = re.compile(r"t(em|er|es)$")


def classify(spelling: str, lemma: str) -> int:
    """Kinds of a form with that base form; 0 for capitalised ones, which may be nouns or names."""
    if not spelling.islower():
        return 0
    if not is_infinitive(lemma):
        return COMMON
    if spelling == lemma:
        return INFINITIVE
    if spelling.startswith(lemma):  # machend is a participle, but offene belongs to an adjective
        return PARTICIPLE if _PRESENT.fullmatch(spelling, len(lemma)) else COMMON
    if "zu" in spelling and spelling.replace("zu", "", 1) == lemma:
        return INFINITIVE
    return PARTICIPLE if _is_past_participle(spelling, lemma) else VERB_FORM


def _is_past_participle(spelling: str, lemma: str) -> bool:
    """geht and gehst are none (gehen has a ge of its own), gegangen and ausgegangen are."""
    if _DECLINED.search(spelling):
        return True
    found = _GE.match(spelling) if "ge" in spelling else None
    if found is None:
        return False
    prefix = found.group(1) or ""
    if lemma.startswith(prefix + "ge"):
        return spelling.startswith(prefix + "geg")
    return lemma.startswith(prefix)
