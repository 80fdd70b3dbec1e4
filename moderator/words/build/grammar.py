"""German forms by rule: how a verb is conjugated and a noun declined, and whether a listed form is one of a word that
counts. So grammar is a second source for a form that one list alone has (FRÖMMSTE, ABSCHOTTET), and our own words need
no more than an infinitive or an ending (``own``).

Unlike ``german.iter_verb_forms``, which tells what a listed word is, nothing comes out here that nobody uses: no GEHTE,
no HELF."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from moderator.words.build import german
from moderator.words.build.german import BEING, strip_infinitive_ending
from moderator.words.compiled import LONGEST
from moderator.words.dictionary import SEPARABLE, is_infinitive
from moderator.words.kinds import COMMON, INFINITIVE, PARTICIPLE, VERB_FORM, Reading

ADJECTIVE = ("", "e", "em", "en", "er", "es")
"""Endings of an adjective or a participle."""
_COMPARED = tuple(f"{degree}{ending}" for degree in ("er", "st", "est") for ending in ADJECTIVE)
_DECLINED = sorted({*ADJECTIVE[1:], *_COMPARED}, key=len, reverse=True)
_NOUN = ("s", "es", "e", "n", "en", "ns", "ens", "er", "ern", "nen", "se", "sen", "ses", "in", "innen")
_BACK = str.maketrans("äöü", "aou")
_DENTAL = re.compile(r"([dt]|(ch|[^aeiouyäöülrhmnw])[mn])$")
"""Stems that need an e before st and t: redet, atmest, öffnet."""
_LONG = re.compile(r"([dt]|ig|el|er)$")
"""Stems of weak verbs whose imperative keeps its e: rede, kündige, wandle."""
_HISSING = ("s", "ß", "x", "z")
_LIQUID = ("eln", "ern")


# ---- verbs ----


def iter_conjugated_forms(infinitive: str, participles: Iterable[str] = ()) -> Iterator[tuple[str, int]]:
    """Yield (form, kind) of every form, participles declined; without ``participles`` those that rules give."""
    yield infinitive, INFINITIVE
    for whole in german.iter_zu_infinitives(infinitive):
        yield whole, INFINITIVE
        yield from ((f"{whole}d{ending}", PARTICIPLE) for ending in ADJECTIVE[1:])
    present = "seiend" if infinitive == "sein" else f"{infinitive}d"
    for participle in (present, *(participles or _iter_past_participles(infinitive))):
        yield from ((participle + ending, PARTICIPLE) for ending in ADJECTIVE)
    for form in _iter_finite_forms(infinitive):
        yield form, VERB_FORM


def _iter_past_participles(infinitive: str) -> Iterator[str]:
    """Yield the past participles; two where it does not show whether a prefix is one (beten, betteln)."""
    strong = german.find_strong_stems(infinitive)
    if strong is not None and strong.participles:
        yield from strong.participles
        return
    stem = strip_infinitive_ending(infinitive)
    ending = "et" if _DENTAL.search(stem) else "t"
    yield f"{stem}{ending}"
    for prefix in ("", *german.list_leading_prefixes(stem)):
        yield f"{prefix}ge{stem[len(prefix) :]}{ending}"


def _iter_finite_forms(infinitive: str) -> Iterator[str]:
    if infinitive == "sein":
        yield from BEING
        return
    stem, strong = strip_infinitive_ending(infinitive), german.find_strong_stems(infinitive)
    yield from _iter_present_forms(stem, infinitive.endswith(_LIQUID), bool(strong and strong.present))
    if german.find_imperative(stem) is None and not (strong is None and _LONG.search(stem)):
        yield stem
    if strong is None:
        past = f"{stem}e" if _DENTAL.search(stem) else stem
        yield from (past + ending for ending in ("te", "test", "ten", "tet"))
        return
    for changed in strong.present:
        yield from (changed, f"{changed}st", f"{changed}t")
        if changed.endswith("cht"):
            yield f"{changed[:-1]}st"  # du fichst
    for past in (*strong.preterite, *strong.subjunctive):
        # The forms of the past, of a stem like gab or gäb, kam, wusste; of spie with and without a second e.
        if past.endswith("e"):
            yield from (past + ending for ending in ("", "st", "n", "t"))
        if not past.endswith("te"):
            yield from (past + ending for ending in ("", "st", "e", "est", "en", "t", "et"))


def _iter_present_forms(stem: str, liquid: bool, changes: bool) -> Iterator[str]:
    """Yield the forms of the present. ``liquid``: sammeln, wandern; ``changes``: the second and third person have a
    stem of their own."""
    yield f"{stem}e"
    if liquid:
        short = f"{stem[:-2]}{stem[-1]}"
        yield from (short + ending for ending in ("e", "est", "et", "en"))
    else:
        yield from (f"{stem}est", f"{stem}et")
    if not _DENTAL.search(stem):
        yield f"{stem}t"
        if not changes and not stem.endswith(_HISSING):
            yield f"{stem}st"


# ---- whether a form is one of a word that counts ----


def _list_prefix_rests(word: str) -> list[str]:
    """Return the rest behind a prefix that comes off, for each that the word may have: wächst of mitwächst."""
    return [word[len(prefix) :] for prefix in german.list_leading_prefixes(word)]


class GermanGrammar:
    """Knows the forms of some words. ``counted`` are the words; ``listed`` and ``running`` the spellings that may be
    forms of them, of a list for word games and of running text, which is believed less."""

    def __init__(self, counted: Collection[str], listed: Collection[str], running: Collection[str] = ()) -> None:
        self._words = {*counted}
        self._infinitives = {*german.list_infinitives(self._words)}
        self._infinitives |= {word for word in (*counted, *listed) if self._is_prefixed(word)}
        wanted = {*listed, *running, *(rest for word in listed if word.islower() for rest in _list_prefix_rests(word))}
        self._verbal = {form for verb in self._infinitives for form, _ in iter_conjugated_forms(verb) if form in wanted}
        self._words |= {word for word in listed if self._is_negated(word)}

    def _is_prefixed(self, word: str) -> bool:
        """Return whether a word is a verb that counts with a prefix that comes off: mitwachsen."""
        if not is_infinitive(word):
            return False
        return any(word.startswith(prefix) and word[len(prefix) :] in self._infinitives for prefix in SEPARABLE)

    def _is_negated(self, word: str) -> bool:
        return word.startswith("un") and word[2:] in self._words

    def is_known_form(self, word: str) -> bool:
        """Return whether a listed word is a form of one that counts."""
        if (
            word in self._verbal
            or word in self._words
            or any(rest in self._verbal for rest in _list_prefix_rests(word))
        ):
            return True
        return self._is_adjective(word) if word.islower() else self._is_noun(word)

    def is_declined(self, word: str, base: str) -> bool:
        """Return the same for a form that is known from running text only, of which somebody says the base form."""
        if word.islower():
            adjective = base in self._words and f"{base}e" in self._words
            return word in self._verbal or (adjective and word.removeprefix(base) in ADJECTIVE)
        ending = word.translate(_BACK).removeprefix(base.translate(_BACK))
        return base in self._words and ending in ("s", "es", "e", "n", "en", "er", "ern", "nen")

    def _is_noun(self, word: str) -> bool:
        if word.removesuffix("s").lower() in self._infinitives:
            return True
        return any(word.endswith(ending) and word[: -len(ending)] in self._words for ending in _NOUN)

    def _is_adjective(self, word: str) -> bool:
        for ending in _DECLINED:
            if word.endswith(ending) and len(word) > len(ending) + 2 and self._is_stem(word[: -len(ending)]):
                return True
        return word[-1] in "mn" and word[-3:-1] in ("el", "er") and self._is_stem(word[:-1])  # heiterm

    def _is_stem(self, stem: str) -> bool:
        """Return whether it is the stem of a word that counts: weit, müd(e), heitr of heiter, versunkn of versunken,
        frömm of fromm."""
        if stem in self._words or f"{stem}e" in self._words or stem in self._verbal:
            return True
        whole = f"{stem[:-1]}e{stem[-1]}"
        if stem[-1] in "lrn" and (whole in self._words or whole in self._verbal):
            return True
        return stem.translate(_BACK) in self._words


# ---- Our own words, with their forms: new, regional and old ones that the lists lack. A file for each language
# (``own.de.txt``) says how they are written down.


FOLDER = Path(__file__).parent
LABEL = "moderator's own words"


def iter_own_readings(language: str, longest: int = LONGEST) -> Iterator[Reading]:
    """Yield every form of every word; none of a language without a file."""
    file = FOLDER / f"own.{language}.txt"
    for form, kinds, base in _iter_file_forms(file) if file.exists() else ():
        if len(form) <= longest:
            yield Reading(form, kinds, base)


def _iter_file_forms(file: Path) -> Iterator[tuple[str, int, str]]:
    """Yield (form, kinds, base form)."""
    heading = ""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            heading = line.strip("[]")
        elif not line.startswith("#"):
            for word in line.split():
                yield from _iter_inflected_forms(word, heading)


def _iter_inflected_forms(word: str, heading: str) -> Iterator[tuple[str, int, str]]:
    if heading == "verbs":
        infinitive, _, participle = word.partition(":")
        yield from ((form, kind, infinitive) for form, kind in iter_conjugated_forms(infinitive, [participle]))
        return
    if heading == "adjectives":
        stem = word.removesuffix("e")
        yield from ((form, COMMON, word) for form in (word, *(stem + ending for ending in ADJECTIVE[1:])))
        return
    for ending in ("", *re.findall(r"-(\w+)", heading)):
        if ending != "s" or not word.endswith(_HISSING):
            yield word + ending, COMMON, word
