"""Where words come from: plain lists, hunspell, Tanglet's lists, simplemma, what ships. Each gives cleaned readings.

Cleaned means: letters only (hyphens, apostrophes and spaces are no letters of these games; accents are in no German
word, and in those of other languages stay), small, Capitalised or ALL CAPITALS. Mixed case (TamilIn, ECs) goes; all
capitals and dotted words stay, marked as abbreviations, so that a player learns why one does not count.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Literal

from moderator.common.errors import Illegal, LexiconError
from moderator.rules.verdict import EVERYDAY, TWICE
from moderator.words import compiled, shipped
from moderator.words.build import german, grammar
from moderator.words.build.german import BEING, STRONG
from moderator.words.build.grammar import GermanGrammar, iter_own_readings
from moderator.words.build.hunspell import expand_dictionary
from moderator.words.compiled import LONGEST, SHORTEST, SUFFIX, LexiconFacts, SourceFacts, build_index_key, pack_reading
from moderator.words.kinds import (
    ABBREVIATION,
    COMMON,
    NAME,
    UMLAUTS,
    Reading,
    clean_word,
    has_accents,
    to_capitals_fast,
    to_word_key,
    without_accents,
)
from moderator.words.shipped import LISTED, TYPED

_SIMPLEMMA, _HUNSPELL, _RULES, _OWN, _PLAIN = 8, 16, 32, 64, 128
"""Bits of whence a word is, above the marks of the list that ships; from the last on, one for each plain list."""


def get_source_bit(form: str, language: str, number: int) -> int:
    """Return the bit of a source, the ``number``-th of a dictionary; the same for sources that were made of one
    another."""
    if form in ("tanglet", "shipped") or (form == "hunspell" and language == "en"):
        return shipped.LISTED
    bits = {"simplemma": _SIMPLEMMA, "both": _SIMPLEMMA | _RULES, "own": _RULES | _OWN, "hunspell": _HUNSPELL}
    return bits.get(form, _PLAIN << number)


def compute_grades(
    origins: Mapping[str, int], language: str, keys: Callable[[str], str] = to_capitals_fast
) -> dict[str, int]:
    """Return a mapping, key -> grade, of spellings and the sources that they are from. Every key is in it."""
    known: dict[str, int] = {}
    for key, bits in zip(keys("\n".join(origins)).split("\n"), origins.values(), strict=True):
        known[key] = known.get(key, 0) | bits
    often: set[str] = set()
    if language in shipped.NAMES:
        for spelling, marks in shipped.iter_shipped_words(language):
            key = to_capitals_fast(spelling)
            if key in known:
                known[key] |= marks & (shipped.LISTED | shipped.TYPED)
                if marks & shipped.EVERYDAY:
                    often.add(key)
    return {key: _compute_grade(bits, key in often) for key, bits in known.items()}


def _compute_grade(bits: int, often: bool) -> int:
    twice = TWICE if bits.bit_count() > 1 else 0
    return twice | EVERYDAY if twice and often else twice


Format = Literal["auto", "plain", "hunspell", "tanglet", "simplemma", "shipped"]


@dataclass(frozen=True)
class DictionarySource:
    """One source of a dictionary: what it is called, its language ("" = unknown) and its readings, cleaned."""

    label: str
    format: str
    language: str
    readings: Iterable[Reading]


def open_dictionary_source(
    text: str, form: Format = "auto", longest: int = LONGEST, language: str = ""
) -> DictionarySource:
    """Open a source. ``text`` is a path, or ``simplemma``, ``shipped`` or ``both``, each with ``:LANGUAGE`` or without
    (de); ``both`` is what simplemma and the list that ships know, see ``packaged``. Raises LexiconError."""
    named = re.fullmatch(r"(simplemma|shipped|both)(?::(\w+))?", text)
    if form in ("simplemma", "shipped") or (form == "auto" and named):
        said = named.group(2) if named else text if re.fullmatch(r"[a-z]{2}", text) else ""
        return _open_packaged_source(named.group(1) if named else form, said or language or "de", longest)
    path = Path(text)
    if not path.is_file():
        raise LexiconError(
            f"There is no word list {text}.", "Name a file, or leave --from out for the list that comes with moderator."
        )
    chosen = _guess_format(path) if form == "auto" else form
    if chosen == "hunspell":
        if path.suffix != ".dic" or not path.with_suffix(".aff").is_file():
            raise LexiconError(f"{path} has no .aff file beside it.", "hunspell needs both, e.g. de_DE.dic and .aff.")
        spoken = parse_language_code(path.stem) or language
        return DictionarySource(f"hunspell {path.stem}", chosen, spoken, _iter_hunspell(path, longest, spoken))
    label = path.name.removesuffix(".gz").removesuffix(".txt")
    if chosen == "tanglet":
        folder = path.resolve().parent.name
        name = folder if label == "words" else label  # Tanglet calls every file words, in a folder de, en, …
        spoken = parse_language_code(name) or language
        return DictionarySource(f"tanglet {name}", chosen, spoken, _iter_tanglet(path, longest, spoken))
    return DictionarySource(
        label, chosen, language if has_accents(language) else "", _iter_plain(path, longest, language)
    )


def _open_packaged_source(name: str, language: str, longest: int) -> DictionarySource:
    """Open what pip has brought: one of the two lists, or what both know."""
    label = f"simplemma {get_simplemma_version()} ({language})"
    if name == "simplemma":
        return DictionarySource(label, name, language, iter_simplemma(language, longest))
    if language not in shipped.NAMES:
        raise _without_source(language)
    if name == "shipped":
        return DictionarySource(
            f"{shipped.NAMES[language]} ({language})", name, language, iter_shipped_readings(language, longest)
        )
    return DictionarySource(
        f"{shipped.NAMES[language]}, {label}", name, language, iter_agreed_readings(language, longest)
    )


def _without_source(name: str) -> LexiconError:
    """Nothing ships for a dictionary of this name or language."""
    known = " and ".join(shipped.list_shipped_languages())
    return LexiconError(
        f"moderator brings words for {known} only, none for {name!r}.",
        f"Name a list: moderator lexicon build {name} --from words.txt --language … "
        "(docs/run/dictionaries.md says where there are some). For what comes with moderator add --language de or en.",
    )


_LATIN = (
    *("ca", "cs", "da", "de", "en", "es", "et", "fi", "fr", "hr", "hu", "it", "la", "lt", "lv", "nb", "nl", "nn"),
    *("no", "pl", "pt", "ro", "sk", "sl", "sv", "tr"),
)


def parse_language_code(name: str) -> str:
    """Return the language that a name says: de of de, de_DE or de_DE_frami; "" of a name that says no language with
    Latin letters."""
    found = re.fullmatch(r"([a-z]{2})([_-].*)?", name)
    return found.group(1) if found and found.group(1) in _LATIN else ""


def _guess_format(path: Path) -> Format:
    if path.suffix == ".dic" and path.with_suffix(".aff").is_file():
        return "hunspell"
    lines = [clean_word(line).split() for line in islice(_read_lines(path), 500)]
    keyed = sum(len(words) > 1 and words[0] == _compute_line_key(words[1]) != words[1] for words in lines)
    return "tanglet" if keyed and all(words[0].isupper() for words in lines) else "plain"


def _compute_line_key(word: str) -> str:
    """Return the key of a Tanglet line; "" if the word has other letters."""
    try:
        return to_word_key(word, "typdom")
    except Illegal:
        return ""


def _read_lines(path: Path) -> Iterator[str]:
    """Read the lines of a text file, plain or gzip, UTF-8 or else Latin-1; no empty ones, no # comments."""
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
    except (OSError, EOFError) as error:
        raise LexiconError(f"Cannot read {path}: {error}.", "Check the file and its permissions.") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return (line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))


def _clean_form(word: str, longest: int, language: str, capitals: int = ABBREVIATION) -> tuple[str, int] | None:
    """Return (spelling, kinds) of a listed word; None if it is no word of letters. ``to_capitals_fast``: kinds of ALL
    CAPITALS."""
    bits = 0
    if "." in word:
        word, bits = word.replace(".", ""), ABBREVIATION
        if not SHAPE.fullmatch(word):  # z.B.
            word = word.upper()
    if not SHORTEST <= len(word) <= longest or (language == "de" and german.OLD.match(word)):
        return None
    if not SHAPE.fullmatch(word) and not (has_accents(language) and _is_latin(word)):
        return None
    return word, bits | capitals if word.isupper() else bits


def _is_latin(word: str) -> bool:
    """Return whether a word with accents has nothing but letters, in one of the three shapes."""
    letters = without_accents(word)
    return letters.isascii() and letters.isalpha() and (word[1:].islower() or word.isupper())


def _iter_plain(path: Path, longest: int, language: str) -> Iterator[Reading]:
    """Yield the readings of the first column of each line. A list that is mostly in capitals knows no case: then they
    mean nothing."""
    words = [clean_word(line.split()[0]) for line in _read_lines(path)]
    capitals = sum(map(str.isupper, words)) > 0.5 * len(words)
    for word in words:
        found = _clean_form(word, longest, language, 0 if capitals else ABBREVIATION)
        if found:
            yield Reading(*found)


def _iter_tanglet(path: Path, longest: int, language: str) -> Iterator[Reading]:
    """Yield the readings of lines ``KEY spelling…``; the key writes AE for Ä, so the spellings are read. A bare key is
    the word in small letters. It has no names, so capitalised words are nouns."""
    for line in _read_lines(path):
        head, *spellings = line.split()
        for word in spellings or [head.lower()]:
            found = _clean_form(clean_word(word), longest, language)
            if found:
                spelling, bits = found
                yield Reading(spelling, bits or (0 if spelling.islower() else COMMON))


def _iter_hunspell(path: Path, longest: int, language: str) -> Iterator[Reading]:
    foreign = collect_english_keys() if language == "de" else set()
    for form, stem, bare in expand_dictionary(path):
        found = _clean_form(form, longest, language)
        if found:
            spelling, bits = found
            if not VOWELS.intersection(without_accents(spelling)):
                bits = ABBREVIATION  # km, http, Lkws
            if language == "de":
                bits = bits or german.classify_entry(spelling, stem, bare)
                if bits & NAME and to_capitals_fast(spelling) in foreign:
                    continue
            own = stem.isalpha() and stem[:2] == form[:2]  # verkauft is made of kaufen, but no form of it
            yield Reading(spelling, bits, stem if own else None)


# ---- a dictionary out of one or more of them ----


_NAME_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def build_lexicon(
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
    """Build a dictionary: write ``folder/name.lex`` and return its path. ``sources`` as for ``open_dictionary_source``;
    what several of them know of a spelling is put together. Without any it is ``both``, of the language or of that
    which the name says. ``step`` is called with a label before each source and before the writing.

    ``language``: de, en, …; "" = what the sources say.

    The same sources give the same bytes. Raises LexiconError."""
    if not name or not _NAME_LETTERS.issuperset(name):
        raise LexiconError(f"{name!r} is no name for a dictionary.", "Use letters, digits, - and _, e.g. de.")
    path = folder / f"{name}{SUFFIX}"
    readings: dict[str, Reading] = {}
    counts: list[SourceFacts] = []
    languages: set[str] = set()
    origins: dict[str, int] = {}
    wanted, longest = language or parse_language_code(name), min(max_length, LONGEST)
    if not sources and wanted not in shipped.NAMES:
        raise _without_source(name)
    for text in sources or [f"both:{wanted}"]:
        step(text)
        source = open_dictionary_source(text, form, longest, wanted)
        origin = get_source_bit(source.format, source.language, len(counts))
        counts.append(SourceFacts(source.format, _add_readings(readings, source, origins, origin), source.label))
        languages.add(source.language)
    if not readings:
        raise LexiconError(f"{', '.join(sources)}: no usable words.", "Is it a word list, one word per line?")
    step(path.name)
    spoken = language or (languages.pop() if len(languages) == 1 else "")
    ours = DictionarySource(grammar.LABEL, "own", spoken, list(grammar.iter_own_readings(spoken, longest)))
    if ours.readings and any(count.format != "plain" for count in counts):
        origin = get_source_bit(ours.format, spoken, len(counts))
        counts.append(SourceFacts(ours.format, _add_readings(readings, ours, origins, origin), ours.label))
    if spoken in ("de", ""):  # a plain list does not say; without German verbs in it nothing happens
        german.settle_form_kinds(
            readings, nameless=any(count.format in ("tanglet", "shipped", "both") for count in counts)
        )
    grade = compute_grades(origins, spoken, _get_key_function(spoken))
    words, typdom = _build_index(readings, grade, _get_key_function(spoken))
    title = " ".join(edition.split()) or ", ".join(count.label for count in counts if count.format != "own")
    facts = LexiconFacts(title, spoken, len(readings), len(words), len(typdom), min(max_length, LONGEST), tuple(counts))
    compiled.write_lexicon(path, words, typdom, _with_grade_counts(facts, [grade[at[1:]] for at in words]))
    return path


def _with_grade_counts(facts: LexiconFacts, known: Sequence[int]) -> LexiconFacts:
    """Return the metadata with how many words several sources have, and how many are everyday ones; ``known`` is each
    word's grade."""
    return facts._replace(twice=sum(bool(k & TWICE) for k in known), everyday=sum(bool(k & EVERYDAY) for k in known))


def build_quick_lexicon(folder: Path, language: str = "de") -> Path:
    """Build a dictionary out of what pip has brought, named after its language, in a few seconds; words of at most
    ten letters. For the demo and for a first start. Raises LexiconError."""
    return build_lexicon(language, [], folder, max_length=10)


def _add_readings(readings: dict[str, Reading], source: DictionarySource, origins: dict[str, int], origin: int) -> int:
    """Put a source's readings to the others and note which source each spelling is from; return the number of different
    forms it had."""
    seen: set[str] = set()
    for reading in source.readings:
        spelling = reading[0]
        seen.add(spelling)
        origins[spelling] = origins.get(spelling, 0) | origin
        known = readings.setdefault(spelling, reading)
        if known is not reading:
            readings[spelling] = _merge_readings(known, reading)
    return len(seen)


def _merge_readings(one: Reading, other: Reading) -> Reading:
    """Merge two readings to what both know, with the base form of the first that has one."""
    if one == other:
        return one
    return Reading(one.spelling, one.kinds | other.kinds, one.lemma if one.lemma is not None else other.lemma)


def _get_key_function(language: str) -> Callable[[str], str]:
    """Return the function that makes keys of the words of a language."""
    return without_accents if has_accents(language) else to_capitals_fast


def _build_index(
    readings: dict[str, Reading], grade: Mapping[str, int], keys: Callable[[str], str]
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return mappings, index key -> packed readings, for Topwords and, where the key differs, for Typ-Dom."""
    spellings = sorted(readings)
    words: dict[str, bytes] = {}
    typdom: dict[str, bytes] = {}
    for spelling, found in zip(spellings, keys("\n".join(spellings)).split("\n"), strict=True):
        if len(found) > LONGEST:
            continue
        reading = readings[spelling]._replace(grade=grade[found])
        at = build_index_key(found)
        words[at] = words.get(at, b"") + pack_reading(found, reading)
        if not found.isascii():
            plain = "".join(UMLAUTS.get(letter, letter) for letter in found)
            if len(plain) <= LONGEST:
                at = build_index_key(plain)
                typdom[at] = typdom.get(at, b"") + pack_reading(plain, reading)
    return words, typdom


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
