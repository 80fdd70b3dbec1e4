"""Our own words, with their forms: new, regional and old ones that the lists lack. A file for each language
(``own.de.txt``) says how they are written down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from moderator.words.compiled import LONGEST
from moderator.words.build.grammar import ADJECTIVE, iter_conjugated_forms
from moderator.words.kinds import COMMON, Reading

FOLDER = Path(__file__).parent
LABEL = "moderator's own words"
_HISSING = ("s", "ß", "x", "z")


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
