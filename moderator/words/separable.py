"""Separable verbs: ``er ixt aus`` lets IXT be laid, if AUSIXEN is named as its base form.

Light on purpose: every look-up of an unknown word comes here for a hint.
"""

from __future__ import annotations

SEPARABLE = (
    *("ab", "an", "auf", "aus", "bei", "da", "dar", "ein", "empor", "entgegen", "entlang", "entzwei", "fehl", "fern"),
    *("fest", "fort", "frei", "gegenüber", "gleich", "heim", "her", "herab", "heran", "herauf", "heraus", "herbei"),
    *("herein", "herum", "herunter", "hervor", "hierher", "hin", "hinab", "hinan", "hinauf", "hinaus", "hinein"),
    *("hinterher", "hinüber", "hinunter", "hinweg", "hinzu", "hoch", "los", "mit", "nach", "nieder", "preis", "quer"),
    *("rein", "rück", "statt", "stand", "teil", "tot", "um", "vor", "voran", "voraus", "vorbei", "vorüber", "weg"),
    *("weiter", "wider", "wieder", "zu", "zurecht", "zurück", "zusammen", "zwischen", "über", "unter", "durch", "voll"),
    *("auseinander", "beisammen", "dahin", "davon", "dazu", "daran", "drauf", "dran", "raus", "ran", "rauf", "rum"),
)
_INFINITIVE = ("en", "ln", "rn", "ein", "tun")
_PARTICIPLE = ("END", "ENDE", "ENDER", "ENDEM", "ENDEN", "ENDES", "TEM", "TER", "TES")
_VOWELS = frozenset("AEIOUYÄÖÜ")


def is_infinitive(spelling: str) -> bool:
    """Return whether a form looks like an infinitive: small letters, ending in -en, -eln, -ern, -ein or -tun."""
    return spelling.islower() and len(spelling) > 2 and spelling.endswith(_INFINITIVE)


def list_separable_prefixes(key: str) -> list[str]:
    """List the separable prefixes, in capitals, that a base form's key begins with; the longest first."""
    found = [p.upper() for p in SEPARABLE if key.startswith(p.upper()) and len(key) > len(p) + 2]
    return sorted(found, key=len, reverse=True)


def is_finite_part(part: str, stem: str) -> bool:
    """Return whether a part can be a finite form, by its letters alone: IXTE of (AUS)IXEN, not IXEND, GEIXT or
    ZUIXEN."""
    if part.endswith(_PARTICIPLE):
        return False
    return not any(part.startswith(start) and not stem.startswith(start) for start in ("GE", "ZU"))


def may_belong_to_stem(part: str, stem: str) -> bool:
    """Return whether a part begins like a verb's stem, so that GRABEN is not taken for a form of (AUS)IXEN. Vowels
    change in strong verbs; the forms of SEIN are all different."""
    if stem == "SEIN" or part.startswith(("GE", "ZU")):
        return True
    return part[0] == stem[0] or (part[0] in _VOWELS and stem[0] in _VOWELS)
