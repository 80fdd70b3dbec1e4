"""The text files ``*messages.<language>.toml``: they lie beside the code whose words they hold, and each is read once.

At the top of one stand sentences by code (language/messages.py says them). Below may come tables of what players write,
which counts whatever language they are written to in:

    [heard]                      # said to a command, or to the moderator: alternatives, separated by |
    on = "an|ein|ja"

    [move]                       # how a word of a move's canonical form is written (language/messages.py)
    passe = "passe"

    [command.board]              # a command, see commands/declaration.py
    words = "brett|spielbrett"
    help = "kommt nur das Brett."
"""

from __future__ import annotations

import marshal
import os
import re
import sys
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, cast

from moderator.common.disk import FALLBACK, LANGUAGES
from moderator.common.errors import OperatorError

READ = frozenset({"heard", "command", "move", "told"})
"""Tables that hold no sentences."""
WRITTEN = frozenset({"heard", "move", "told"})
"""Those of what is written and not read."""
_SPELT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "œ": "oe", "æ": "ae", "-": " ", "_": " ", "’": "'"})
_WITHIN = re.compile(r"(?<![^\s(’'\[])« ([^«»]*?) »")  # marks that open inwards stand behind a word: »a« und »b«
_TIGHT = re.compile(r"(?<=[^\s,;:]) (?=[?!:;](?:[\s»)]|$))")
"""Blanks of a sentence at which no line may end: French has them within « » and before ? ! : ; and so may others."""


def normalize_spelling(text: str) -> str:
    """Return what players write in the form in which it is compared: lower case, umlauts as two letters, other letters
    without their accents, single spaces for all that separates."""
    spelt = unicodedata.normalize("NFC", text.casefold()).translate(_SPELT)
    if not spelt.isascii():
        apart = unicodedata.normalize("NFD", spelt)
        spelt = unicodedata.normalize("NFC", "".join(one for one in apart if not unicodedata.combining(one)))
    return " ".join(spelt.split())


@cache
def _map_letter_forms() -> Mapping[str, str]:
    """Return a mapping, letters as they are compared -> all letters that are compared as these: ``e`` -> ``èéêë…``,
    ``oe`` -> ``öœ``."""
    found: dict[str, str] = {}
    for letter in map(chr, range(0xDF, 0x180)):
        if letter.islower() and normalize_spelling(letter) != letter:
            found[normalize_spelling(letter)] = found.get(normalize_spelling(letter), "") + letter
    return found


def build_spelling_pattern(word: str) -> str:
    """Return a regular expression for all that is compared as ``word``, which is spelt plain and has letters and
    digits."""

    def build_form_pattern(found: re.Match[str]) -> str:
        other = _map_letter_forms().get(found[0], "")
        if len(found[0]) == 1:
            return f"[{found[0]}{other}]" if other else found[0]
        apart = "".join(f"[{one}{_map_letter_forms().get(one, '')}]" for one in found[0])
        return f"(?:{apart}|[{other}])"

    return re.sub(
        "|".join(sorted(filter(str.isascii, _map_letter_forms()), key=len, reverse=True)), build_form_pattern, word
    )


def typeset_sentence(text: str) -> str:
    """Return a sentence as it is printed: blanks where no line may end are no-break spaces. Files have plain blanks
    there."""
    return _TIGHT.sub("\u00a0", _WITHIN.sub("«\u00a0\\1\u00a0»", text))


def _typeset_file(values: Mapping[str, Any]) -> dict[str, Any]:
    """Typeset all sentences of a file; what players write stays as it is."""
    return {key: value if key in WRITTEN else _typeset_value(value) for key, value in values.items()}


def _typeset_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _typeset_file(value)
    return typeset_sentence(value) if isinstance(value, str) else value


@cache
def load_message_files(folder: Path, language: str) -> Mapping[Path, Mapping[str, Any]]:
    """Load what the files of a folder hold, in the order of their names. Raises OperatorError for one that is no
    TOML."""
    return {file: _load_file(file) for file in sorted(folder.glob(f"*messages.{language}.toml"))}


def _load_file(file: Path) -> dict[str, Any]:
    """Load one file; what is made of it is kept beside the bytecode of the modules of its folder, as long as neither it
    nor this module changes: to read all of them as TOML takes longer than everything else that is done for an order."""
    stamp = [(at.st_mtime_ns, at.st_size) for at in (file.stat(), os.stat(__file__))]
    kept = Path(cache_from_source(str(file)))
    with suppress(OSError, EOFError, TypeError, ValueError):
        known, values = marshal.loads(kept.read_bytes())
        if known == stamp:
            return cast(dict[str, Any], values)
    try:
        values = _typeset_file(tomllib.loads(file.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise OperatorError(f"{file} cannot be read: {error}.") from error
    if not sys.dont_write_bytecode:
        with suppress(OSError):
            kept.parent.mkdir(exist_ok=True)
            draft = kept.with_suffix(f".{os.getpid()}")
            draft.write_bytes(marshal.dumps((stamp, values)))
            draft.replace(kept)
    return values


def choose_folder_language(folder: Path, language: str) -> str:
    """Return the language in which a folder speaks to a reader of ``language``: English where it has no file of that
    one, as a game of another package may."""
    return language if language in LANGUAGES and load_message_files(folder, language) else FALLBACK


def iter_message_tables(folder: Path, language: str, kind: str) -> Iterator[tuple[Path, str, Any]]:
    """Yield (file, key, what stands there) of all tables of one kind in a folder."""
    for file, values in load_message_files(folder, language).items():
        for key, value in values.get(kind, {}).items():
            yield file, key, value


def load_per_language(folder: Path, kind: str, key: str) -> Mapping[str, tuple[Path, Any]]:
    """Load a mapping, language -> (file, what stands there for ``key``). Raises OperatorError naming the file that
    lacks it."""
    found = {
        language: (file, values[kind][key])
        for language in LANGUAGES
        for file, values in load_message_files(folder, language).items()
        if key in values.get(kind, ())
    }
    for lacking in (language for language in LANGUAGES if language not in found):
        known = next(((file, language) for language, (file, _) in found.items()), None)
        file = (
            known[0].with_name(_rename_for_language(lacking, *known)) if known else folder / f"messages.{lacking}.toml"
        )
        raise OperatorError(f"{file} lacks [{kind}] {key}.", "Every language needs its own words for it.")
    return found


def _rename_for_language(language: str, file: Path, other: str) -> str:
    """Return the name that a file of another language has in this one."""
    return f"{file.name.removesuffix(f'{other}.toml')}{language}.toml"


def load_words_by_language(folder: Path, key: str) -> Mapping[str, tuple[str, ...]]:
    """Load a mapping, language -> what is written in it for ``key``, spelt plain."""
    every = load_per_language(folder, "heard", key)
    return {language: tuple(map(normalize_spelling, words.split("|"))) for language, (_, words) in every.items()}


Owners = dict[str, tuple[str, Path]]
"""Word -> the entry that it stands in, and in which file first."""


def claim_word(owners: Owners, word: str, entry: str, file: Path) -> None:
    """Note which entry a word belongs to. Raises OperatorError naming both files for a word of another entry, in
    whichever language: what players write counts in all of them."""
    theirs, other = owners.setdefault(word, (entry, file))
    if theirs != entry:
        raise OperatorError(f"»{word}« stands in {other} {theirs} and in {file} {entry}.", "A word can mean one thing.")


@cache
def load_meanings(folder: Path, key: str) -> Mapping[str, str]:
    """Load a mapping, word -> what it stands for, of words as in ``zwei = 2|fünf = 5``, as written and spelt plain.
    Raises OperatorError for one that stands for two things."""
    owners: Owners = {}
    found: dict[str, str] = {}
    for file, words in load_per_language(folder, "heard", key).values():
        for word, _, meaning in (normalize_spelling(one).partition(" = ") for one in words.split("|")):
            claim_word(owners, word, f"[heard] {key} = {meaning}", file)
            found[word] = meaning
        found |= dict(one.lower().split(" = ") for one in words.split("|") if not one.isascii())
    return found


def load_distinct_words(folder: Path, *keys: str) -> tuple[frozenset[str], ...]:
    """Load the synonyms for each of these keys (``load_synonyms``), of which a word can stand for one only: yes or no,
    on or off. Raises OperatorError for one that stands for two."""
    owners: Owners = {}
    for key in keys:
        for file, words in load_per_language(folder, "heard", key).values():
            for word in filter(None, map(normalize_spelling, words.split("|"))):
                claim_word(owners, word, f"[heard] {key}", file)
    return tuple(load_synonyms(folder, key) for key in keys)


@cache
def load_synonyms(folder: Path, key: str) -> frozenset[str]:
    """Load all that is written for ``key`` in any language, spelt plain."""
    return frozenset(word for words in load_words_by_language(folder, key).values() for word in words if word)


@cache
def load_word_pattern(folder: Path, key: str) -> str:
    """Load the synonyms for ``key`` as a regular expression, for a line as it stands: with umlauts or AE, OE, UE, with
    accents or without."""
    return build_any_pattern(_load_written_words(folder, key) | load_synonyms(folder, key))


def _load_written_words(folder: Path, key: str) -> frozenset[str]:
    """Load the words for ``key`` as the files have them, in small letters, with either apostrophe."""
    texts = load_per_language(folder, "heard", key).values()
    written = {word.lower() for _, text in texts for word in text.split("|") if word}
    return frozenset(written | {word.replace("’", "'") for word in written})


def build_any_pattern(words: Collection[str]) -> str:
    """Return a regular expression for any of these words, with one blank or several; a language may have none."""
    longest = sorted(filter(None, words), key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(map(re.escape, longest))})".replace(r"\ ", r"\s+")


# ---- words of moves, which stand among letters that are laid ----


@cache
def load_spellings(folder: Path, *keys: str) -> frozenset[str]:
    """Load all that is written for any of these keys, in small letters, with umlauts and accents and without. A single
    letter (``à``) counts only as it is written, for without its accent it may be laid."""
    written = frozenset(word for key in keys for word in _load_written_words(folder, key))
    plain = {normalize_spelling(word) for word in written}
    return written | {word for word in plain if len(word) > 1}


def load_distinct_spellings(folder: Path, *keys: str) -> tuple[frozenset[str], ...]:
    """Load the spellings for each of these keys, of which a word can stand for one only: across or down, red or black.
    Raises OperatorError for one that stands for two."""
    load_distinct_words(folder, *keys)
    return tuple(load_spellings(folder, key) for key in keys)


def load_spelling_pattern(folder: Path, *keys: str) -> str:
    """Load the spellings for any of these keys as a regular expression."""
    return build_any_pattern(load_spellings(folder, *keys))


def load_leading_pattern(folder: Path, *keys: str) -> str:
    """Load them as a regular expression for one that stands before another word, with what is between both: ``je `` or
    ``j’``."""
    words = load_spellings(folder, *keys)
    joined = {word for word in words if word[-1] in "'’"}
    apart = rf"{build_any_pattern(words - joined)}\s+"
    return rf"(?:{apart}|{build_any_pattern(joined)}\s*)" if joined else f"(?:{apart})"


def build_respeller(*sources: tuple[Path, Collection[str]]) -> Callable[[str], str]:
    """Return a function that respells the words of moves in a text of capitals, where other words may be laid: known
    ones lose their accents (``ÉCHANGE`` -> ``ECHANGE``); what cannot stand by itself (``À``, ``J'`` before a known one)
    becomes the first word of its entry (``EN``, ``JE``). ``sources`` are folders, each with keys; without any, all."""
    entries = [
        text.split("|")
        for folder, keys in sources
        for language in LANGUAGES
        for _, key, text in iter_message_tables(folder, language, "heard")
        if key in keys or not keys
    ]
    respelt: dict[str, str] = {}
    for first, *more in entries:
        for word in (first, *more):
            if not set(word) <= _LAID and " " not in word:
                short = word.endswith("’") or len(word) == 1
                respelt.setdefault(word.upper(), normalize_spelling(first if short else word).upper())
    known = {word.upper() for words in entries for word in words} | set(respelt.values())

    def respell(found: re.Match[str]) -> str:
        before, word = found.groups()
        if before is None:
            return respelt.get(word, word)
        article = respelt.get(f"{before}’")
        return f"{article} {respelt.get(word, word)}" if article and word in known else found[0]

    return lambda text: _ELIDED.sub(respell, text)


_LAID = frozenset("abcdefghijklmnopqrstuvwxyzäöüß")
_ELIDED = re.compile(r"(?:(?<![^\W_])([^\W\d_])['’])?([^\W\d_]+)")


Block = str | tuple[str, ...]
"""A paragraph, or the items of a list. Plain text, not wrapped."""


@dataclass(frozen=True)
class RulesSection:
    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class RulesText:
    title: str
    sections: tuple[RulesSection, ...]
    language: str = FALLBACK
    """In which they are: not everybody's, where nobody has translated them."""
