"""The two lists that pip brings, simplemma and the one that ships, and what both know: the dictionary of a quick start.

simplemma was gathered from running text, so a good part of what it alone has is foreign, misspelt or cut off. The list
that ships is clean but has many forms that nobody else knows. What stands in both is German, or English, for sure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from moderator.errors import LexiconError
from moderator.words import german, shipped
from moderator.words.compiled import LONGEST, SHORTEST
from moderator.words.kinds import ABBREVIATION, COMMON, NAME, Reading
from moderator.words.letters import capitals
from moderator.words.shipped import LISTED, TYPED
from moderator.words.strong import BEING, STRONG

SHAPE = re.compile(r"[A-ZÄÖÜ]?[a-zäöüß]+|[A-ZÄÖÜẞ]+")
"""Small, Capitalised or ALL CAPITALS."""
_VOWELS = frozenset("aeiouyäöüAEIOUYÄÖÜ")
ENGLISH_TWO = (
    "aa ab ad ae ag ah ai al am an ar as at aw ax ay ba be bi bo by da de do ed ef eh el em en er es et ew ex fa fe go "
    "ha he hi hm ho id if in is it jo ka ki la li lo ma me mi mm mu my na ne no nu od oe of oh oi ok om on op or os ow "
    "ox oy pa pe pi po qi re sh si so ta te ti to uh um un up us ut we wo xi xu ya ye yo za"
)
"""Two-letter words of English tournament play, separated by spaces."""
SHORTEST_PART = 3
"""Of a compound: Eigen-zeit, but not A-rosa."""


# ---- one list ----


def version() -> str:
    """Of simplemma. Raises LexiconError where it is missing."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("simplemma")
    except PackageNotFoundError:
        raise LexiconError("simplemma is not installed.", "Install it: pip install simplemma.") from None


def simplemma(language: str, longest: int = LONGEST) -> Iterator[Reading]:
    """The data of the simplemma package, without most of its noise.

    It was gathered from running text. Left out: two-letter forms (the house list has the real ones), small letters
    whose base form is a name (``cdu``), and three-letter names that nothing else is derived from (folded acronyms:
    ``Cgb``). Marked as abbreviations: all capitals and words without a vowel.
    """
    from simplemma.strategies.dictionaries import DefaultDictionaryFactory

    try:
        lemmas = DefaultDictionaryFactory().get_dictionary(language)
    except ValueError:
        raise LexiconError(f"simplemma has no language {language!r}.", "Try simplemma:de or simplemma:en.") from None
    shape = SHAPE.fullmatch
    forms = [word for word in lemmas if SHORTEST <= len(word) <= longest and shape(word)]
    if language == "en":
        return _english(forms, lemmas.__getitem__)
    pairs = [(word, lemmas[word]) for word in forms]
    derived = {lemma for word, lemma in pairs if word != lemma}
    return filter(None, map(partial(_german, derived), pairs))


def _german(derived: set[str], pair: tuple[str, str]) -> Reading | None:
    word, lemma = pair
    if len(word) == SHORTEST:
        return None
    if word.islower():
        if not lemma[0].islower():
            return None
        bits = german.classify(word, lemma)
    else:
        capitals = word.isupper() or (len(lemma) > 1 and lemma.isupper())
        bits = ABBREVIATION if capitals else german.classify(word, lemma)
        if len(word) == 3 and word == lemma and not bits and word not in derived:
            return None
    return Reading(word, bits if _VOWELS.intersection(word) else ABBREVIATION, lemma)


def _english(forms: Iterable[str], lemma_of: Callable[[str], str]) -> Iterator[Reading]:
    """English keeps its two-letter words by a list of its own: the house list that ships is German."""
    short = frozenset(ENGLISH_TWO.split())
    for word in forms:
        if len(word) == SHORTEST and word not in short:
            continue
        bits = ABBREVIATION if word.isupper() or not _VOWELS.intersection(word) else 0
        yield Reading(word, bits, lemma_of(word))


def listed(language: str, longest: int) -> Iterator[Reading]:
    """The list that ships, without what only a keyboard has typed. It has no German names, so capitals mean nouns."""
    for spelling, marks in shipped.words(language):
        if marks & shipped.LISTED and SHORTEST <= len(spelling) <= longest:
            yield Reading(spelling, COMMON if language == "de" and not spelling.islower() else 0)


# ---- both ----


def agreeing(language: str, longest: int = LONGEST) -> Iterator[Reading]:
    """Readings of what two of three know: simplemma, the list of words that ships, the keyboard's dictionary in it.

    Of what only simplemma and the keyboard know, names and other capitalised words are taken: in small letters, both
    have words of other languages. simplemma's abbreviations stay: of them a dictionary says why they do not count.
    """
    marks = {word: mark for word, mark in shipped.words(language) if SHORTEST <= len(word) <= longest}
    keys = {capitals(word) for word, mark in marks.items() if mark & LISTED}
    both: set[str] = set()
    for reading in simplemma(language, longest):
        spelling, kinds, _, _ = reading
        key = capitals(spelling)
        if key in keys:
            both.add(key)
            if marks.get(spelling, 0) & LISTED or kinds & ABBREVIATION:
                yield reading
        elif kinds & ABBREVIATION:
            yield reading
        elif not spelling.islower() and marks.get(spelling, 0) & TYPED:
            yield reading if language != "de" or compound(spelling, keys) else reading._replace(kinds=kinds | NAME)
    both |= verb_forms() if language == "de" else set()
    for spelling, mark in marks.items():
        if mark & LISTED and (mark & TYPED or capitals(spelling) in both):
            yield Reading(spelling, COMMON if language == "de" and not spelling.islower() else 0)


def compound(spelling: str, listed: set[str]) -> bool:
    """Whether a word is made of two that are listed, with or without an s between them; else it is a name."""
    key = capitals(spelling)
    for at in range(SHORTEST_PART, len(key) - SHORTEST_PART + 1):
        first, second = key[:at], key[at:]
        if second in listed and (first in listed or (first.endswith("S") and first[:-1] in listed)):
            return True
    return False


def verb_forms() -> set[str]:
    """Keys of the forms of strong and irregular verbs, by the table that comes with moderator: what it and the list
    know, two sources know (WÜSST)."""
    found = {form for verb in STRONG for form, _ in german.forms(verb)} | set(BEING)
    return {capitals(form) for form in found}
