"""Compile a dictionary out of one or more sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from moderator.errors import LexiconError
from moderator.words import compiled, german
from moderator.words.compiled import LONGEST, SUFFIX, Facts, SourceFacts, index_key, pack
from moderator.words.kinds import Reading
from moderator.words.letters import UMLAUTS, capitals
from moderator.words.sources import Format, Source, open_source

_NAME_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def build(
    name: str,
    sources: Sequence[str],
    folder: Path,
    *,
    form: Format = "auto",
    edition: str = "",
    language: str = "",
    max_length: int = LONGEST,
    step: Callable[[str], None] = lambda label: None,
) -> Path:
    """Write ``folder/name.lex`` and return its path. ``sources`` as for ``open_source``; what several of them know of
    a spelling is put together. ``step`` is called with a label before each source and before the writing.

    ``language``: de, en, …; "" = what the sources say.

    The same sources give the same bytes. Raises LexiconError.
    """
    if not name or not _NAME_LETTERS.issuperset(name):
        raise LexiconError(f"{name!r} is no name for a dictionary.", "Use letters, digits, - and _, e.g. de.")
    path = folder / f"{name}{SUFFIX}"
    readings: dict[str, Reading] = {}
    counts: list[SourceFacts] = []
    languages: set[str] = set()
    for text in sources:
        step(text)
        source = open_source(text, form, min(max_length, LONGEST))
        counts.append(SourceFacts(source.format, _add(readings, source), source.label))
        languages.add(source.language)
    if not readings:
        raise LexiconError(f"{', '.join(sources)}: no usable words.", "Is it a word list, one word per line?")
    step(path.name)
    spoken = language or (languages.pop() if len(languages) == 1 else "")
    if spoken in ("de", ""):  # a plain list does not say; without German verbs in it nothing happens
        german.settle(readings, nameless=any(count.format == "tanglet" for count in counts))
    words, typdom = _index(readings)
    title = " ".join(edition.split()) or ", ".join(count.label for count in counts)
    facts = Facts(title, spoken, len(readings), len(words), len(typdom), min(max_length, LONGEST), tuple(counts))
    compiled.write(path, words, typdom, facts)
    return path


def build_quick(folder: Path, language: str = "de", max_length: int = 10) -> Path:
    """A dictionary out of the simplemma package alone, named after its language, in a few seconds; words of at most
    ``max_length`` letters. For the demo and for a first start. Raises LexiconError."""
    return build(language, [f"simplemma:{language}"], folder, max_length=max_length)


def _add(readings: dict[str, Reading], source: Source) -> int:
    """Put a source's readings to the others; the number of different forms it had."""
    seen: set[str] = set()
    for reading in source.readings:
        spelling = reading[0]
        seen.add(spelling)
        known = readings.setdefault(spelling, reading)
        if known is not reading:
            readings[spelling] = _merged(known, reading)
    return len(seen)


def _merged(one: Reading, other: Reading) -> Reading:
    """What both know; the base form of the first that has one."""
    if one == other:
        return one
    return Reading(one.spelling, one.kinds | other.kinds, one.lemma if one.lemma is not None else other.lemma)


def _index(readings: dict[str, Reading]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Index key -> packed readings, for Topwords and, where the key differs, for Typ-Dom."""
    spellings = sorted(readings)
    words: dict[str, bytes] = {}
    typdom: dict[str, bytes] = {}
    for spelling, key in zip(spellings, capitals("\n".join(spellings)).split("\n"), strict=True):
        if len(key) > LONGEST:
            continue
        reading = readings[spelling]
        at = index_key(key)
        words[at] = words.get(at, b"") + pack(key, reading)
        if not key.isascii():
            plain = "".join(UMLAUTS.get(letter, letter) for letter in key)
            if len(plain) <= LONGEST:
                at = index_key(plain)
                typdom[at] = typdom.get(at, b"") + pack(plain, reading)
    return words, typdom
