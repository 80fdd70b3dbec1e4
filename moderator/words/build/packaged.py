"""The two lists that pip brings, simplemma and the one that ships, and what both know: the dictionary of a quick start.

simplemma was gathered from running text, so a good part of what it alone has is foreign, misspelt or cut off. The list
that ships is clean but has many forms that nobody else knows. What stands in both is German, or English, for sure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from moderator.common.errors import LexiconError
from moderator.words import shipped
from moderator.words.build import german
from moderator.words.build.german import BEING, STRONG
from moderator.words.build.grammar import GermanGrammar, iter_own_readings
from moderator.words.compiled import LONGEST, SHORTEST
from moderator.words.kinds import ABBREVIATION, COMMON, NAME, Reading
from moderator.words.letters import to_capitals_fast
from moderator.words.shipped import LISTED, TYPED

SHAPE = re.compile(r"[A-ZÄÖÜ]?[a-zäöüß]+|[A-ZÄÖÜẞ]+")
"""Small, Capitalised or ALL CAPITALS."""
VOWELS = frozenset("aeiouyäöüAEIOUYÄÖÜ")
"""What has none of them is no word but an abbreviation, or an exclamation (the house list has those)."""
SHORTEST_PART = 3
"""Of a compound: Eigen-zeit, but not A-rosa."""


# ---- one list ----


def get_simplemma_version() -> str:
    """Return the version of simplemma. Raises LexiconError where it is missing."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("simplemma")
    except PackageNotFoundError:
        raise LexiconError("simplemma is not installed.", "Install it: pip install simplemma.") from None


def iter_simplemma(language: str, longest: int = LONGEST) -> Iterator[Reading]:
    """Yield the data of the simplemma package, without most of its noise.

    It was gathered from running text. Left out: two-letter forms (the house list has the real ones), small letters
    whose base form is a name (``cdu``), and three-letter names that nothing else is derived from (folded acronyms:
    ``Cgb``). Marked as abbreviations: all capitals and words without a vowel."""
    from simplemma.strategies.dictionaries import DefaultDictionaryFactory

    try:
        lemmas = DefaultDictionaryFactory().get_dictionary(language)
    except ValueError:
        raise LexiconError(f"simplemma has no language {language!r}.", "Try simplemma:de or simplemma:en.") from None
    shape = SHAPE.fullmatch
    forms = [word for word in lemmas if SHORTEST <= len(word) <= longest and shape(word)]
    if language == "en":
        return _iter_english(forms, lemmas.__getitem__)
    pairs = [(word, lemmas[word]) for word in forms if language != "de" or not german.OLD.match(word)]
    derived = {lemma for word, lemma in pairs if word != lemma}
    return filter(None, map(partial(_build_german_reading, derived), pairs))


def _build_german_reading(derived: set[str], pair: tuple[str, str]) -> Reading | None:
    word, lemma = pair
    if len(word) == SHORTEST:
        return None
    if word.islower():
        if not lemma[0].islower():
            return None
        bits = german.classify_form(word, lemma)
    else:
        capitals = word.isupper() or (len(lemma) > 1 and lemma.isupper())
        bits = ABBREVIATION if capitals else german.classify_form(word, lemma)
        if len(word) == 3 and word == lemma and not bits and word not in derived:
            return None
    return Reading(word, bits if VOWELS.intersection(word) else ABBREVIATION, lemma)


def _iter_english(forms: Iterable[str], lemma_of: Callable[[str], str]) -> Iterator[Reading]:
    """Yield the English readings. English keeps its two-letter words by a list of its own: the house list that ships is
    German."""
    for word in forms:
        if len(word) == SHORTEST:
            continue
        bits = ABBREVIATION if word.isupper() or not VOWELS.intersection(word) else 0
        yield Reading(word, bits, lemma_of(word))


def iter_shipped_readings(language: str, longest: int) -> Iterator[Reading]:
    """Yield the readings of the list that ships, without what only a keyboard has typed. It has no German names, so
    capitals mean nouns."""
    for spelling, marks in _iter_marked_words(language, longest):
        if marks & LISTED:
            yield _build_listed_reading(spelling, language)


def _iter_marked_words(language: str, longest: int) -> Iterator[tuple[str, int]]:
    """Yield the words that ship, with their marks; no old German spellings."""
    for spelling, marks in shipped.iter_shipped_words(language):
        if SHORTEST <= len(spelling) <= longest and not (language == "de" and german.OLD.match(spelling)):
            yield spelling, marks


def _build_listed_reading(spelling: str, language: str) -> Reading:
    """Return the reading of a word of a list without names: in German, capitals mean nouns. The German list has
    abbreviations, too (CPU)."""
    if spelling.isupper() or (language == "de" and not VOWELS.intersection(spelling)):
        return Reading(spelling, ABBREVIATION)
    return Reading(spelling, COMMON if language == "de" and not spelling.islower() else 0)


# ---- both ----


def iter_agreed_readings(language: str, longest: int = LONGEST) -> Iterator[Reading]:
    """Yield the readings of what two of three know: simplemma, the list of words that ships, the keyboard's dictionary
    in it.

    Of what only simplemma and the keyboard know, names and other capitalised words are taken: in small letters, both
    have words of other languages. simplemma's abbreviations stay: of them a dictionary says why they do not count."""
    marks = dict(_iter_marked_words(language, longest))
    keys = {to_capitals_fast(word) for word, mark in marks.items() if mark & LISTED}
    foreign = collect_english_keys() if language == "de" else set()
    both: set[str] = set()
    small: set[str] = set()
    counted: set[str] = set()
    others: list[Reading] = []
    for reading in iter_simplemma(language, longest):
        spelling, kinds, _, _ = reading
        key = to_capitals_fast(spelling)
        if key in keys:
            (small if language == "en" and spelling != spelling.title() else both).add(key)
            if marks.get(spelling, 0) & LISTED or kinds & ABBREVIATION:
                counted.add(spelling)
                yield reading
        elif kinds & ABBREVIATION:
            yield reading
        elif not spelling.islower() and marks.get(spelling, 0) & TYPED and key not in foreign:
            yield reading if language != "de" or is_compound(spelling, keys) else reading._replace(kinds=kinds | NAME)
        elif key not in foreign:
            others.append(reading)
    both |= list_strong_verb_keys() if language == "de" else set()
    small |= both  # childs is no source for Childs, nor NATO for Nato
    alone = []
    for spelling, mark in marks.items():
        if mark & LISTED and (mark & TYPED or to_capitals_fast(spelling) in (small if spelling.islower() else both)):
            counted.add(spelling)
            yield _build_listed_reading(spelling, language)
        elif mark & LISTED:
            alone.append(spelling)
    if language == "de":
        yield from _iter_grammar_readings(counted, alone, others, longest)


def _iter_grammar_readings(
    counted: set[str], alone: Sequence[str], others: Sequence[Reading], longest: int
) -> Iterator[Reading]:
    """Yield the forms that one source alone has, of words that count; ``alone`` are those of the list."""
    counted |= {reading.spelling for reading in iter_own_readings("de", longest)}
    grammar = GermanGrammar(counted, alone, [reading.spelling for reading in others])
    yield from (_build_listed_reading(spelling, "de") for spelling in alone if grammar.is_known_form(spelling))
    yield from (reading for reading in others if grammar.is_declined(reading.spelling, reading.lemma or ""))


def collect_english_keys() -> set[str]:
    """Return the keys of everyday English words. Written with a capital they stand in German texts as well (Wall
    Street), and no list of names tells them from names. Not those that the German list has as well."""
    found = {
        to_capitals_fast(word)
        for word, mark in shipped.iter_shipped_words("en")
        if mark & shipped.EVERYDAY and word.islower()
    }
    return found - {to_capitals_fast(word) for word, mark in shipped.iter_shipped_words("de") if mark & LISTED}


def is_compound(spelling: str, listed: set[str]) -> bool:
    """Return whether a word is made of two that are listed, with or without an s between them; else it is a name."""
    key = to_capitals_fast(spelling)
    for at in range(SHORTEST_PART, len(key) - SHORTEST_PART + 1):
        first, second = key[:at], key[at:]
        if second in listed and (first in listed or (first.endswith("S") and first[:-1] in listed)):
            return True
    return False


def list_strong_verb_keys() -> set[str]:
    """Return the keys of the forms of strong and irregular verbs, by the table that comes with moderator: what it and
    the list know, two sources know (WÜSST)."""
    found = {form for verb in STRONG for form, _ in german.iter_verb_forms(verb)} | set(BEING)
    return {to_capitals_fast(form) for form in found}
