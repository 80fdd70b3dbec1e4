"""The compiled dictionary: one read-only file, opened by memory map.

    mark       MODLEX01
    length     of the metadata, 4 bytes, little endian
    metadata   lines ``name TAB value`` (UTF-8): edition, sources, counts, sizes, SHA-256; filled up to 64 KiB
    words      marisa BytesTrie: index key -> readings
    typdom     another one, of the words that are laid differently in Typ-Dom (OEL for ÖL)

An index key is a letter for the length and the word: ``E`` + HAUS (A would be no letters, E is four), so that words of
one length are found together. The file holds no date: the same sources give the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeAlias

from moderator.common import disk
from moderator.common.errors import LexiconError
from moderator.words.kinds import Reading

if TYPE_CHECKING:
    from pathlib import Path

Location: TypeAlias = "str | os.PathLike[str]"
"""Where a file is. Looking words up does without pathlib, which costs more time to load than twenty look-ups."""

MARK = b"MODLEX01"
SUFFIX = ".lex"
SHORTEST, LONGEST = 2, 15
_START = len(MARK) + 4
_ALIGN = 65_536
"""The tries start at multiples of this, so that each can be mapped by itself on every system."""
_LOWER, _CAPITAL, _CAPITALS, _SPELLED = range(4)
_SINGLE = {"AE": "ä", "OE": "ö", "UE": "ü", "SS": "ß"}
_NO_LEMMA = 255
_GRADES = 11
"""The grade stands in the bits of the kinds from this one on; kinds have eleven."""


def _encode_length(length: int) -> str:
    return chr(ord("A") + length)


def build_index_key(key: str) -> str:
    """Return the place of a key in a trie, its index key."""
    return _encode_length(len(key)) + key


# ---- readings as bytes ----


def pack_reading(key: str, reading: Reading) -> bytes:
    """Pack a reading: kinds and grade (2 bytes), shape and number of marks, the marks, lemma as letters cut off and put
    on.

    A mark is the place of two letters in the key that are one in the spelling: SS for ß, AE for ä in Typ-Dom. The
    spelling must be small, Capitalised or ALL CAPITALS, as ``sources`` gives them."""
    spelling, bits, lemma, grade = reading
    bits |= grade << _GRADES
    shape = _LOWER if spelling.islower() else _CAPITALS if spelling.isupper() else _CAPITAL
    marks = b"" if len(spelling) == len(key) else _pack_letter_pairs(key, spelling)
    if not spelling.isascii() and _build_spelling(key, shape, marks) != spelling:
        shape, marks = _SPELLED, spelling.encode()
    return bytes((bits & 255, bits >> 8, shape | len(marks) << 2)) + marks + _pack_lemma(spelling, lemma)


def _pack_letter_pairs(key: str, spelling: str) -> bytes:
    places, at = [], 0
    for letter in spelling.replace("ß", "ẞ").upper():
        if letter != key[at : at + 1] and key[at : at + 2] in _SINGLE:
            places.append(at)
            at += 1
        at += 1
    return bytes(places)


def _build_spelling(key: str, shape: int, marks: bytes) -> str:
    letters = list(key.lower())
    for at in reversed(marks):
        letters[at : at + 2] = _SINGLE[key[at : at + 2]]
    if shape == _CAPITAL:
        letters[0] = letters[0].upper()
    text = "".join(letters)
    return text.replace("ß", "ẞ").upper() if shape == _CAPITALS else text


def _pack_lemma(spelling: str, lemma: str | None) -> bytes:
    if lemma is None:
        return bytes((_NO_LEMMA,))
    if lemma == spelling:
        return b"\0\0"
    shared = len(os.path.commonprefix((spelling, lemma)))  # noqa: RUF071  letter by letter is what is meant
    return _pack_edit(len(spelling) - shared, lemma[shared:])


@lru_cache(maxsize=1 << 16)
def _pack_edit(cut: int, tail: str) -> bytes:
    text = tail.encode()
    if len(text) > 254:
        return bytes((_NO_LEMMA,))
    return bytes((cut, len(text))) + text


def unpack_readings(key: str, data: bytes) -> list[Reading]:
    """Unpack the readings that ``pack_reading`` wrote one after another."""
    readings, at = [], 0
    while at < len(data):
        bits, shape, marks = data[at] | data[at + 1] << 8, data[at + 2] & 3, data[at + 2] >> 2
        at += 3 + marks
        written = data[at - marks : at]
        spelling = written.decode() if shape == _SPELLED else _build_spelling(key, shape, written)
        cut = data[at]
        at += 1
        lemma = None
        if cut != _NO_LEMMA:
            end = at + 1 + data[at]
            lemma, at = spelling[: len(spelling) - cut] + data[at + 1 : end].decode(), end
        readings.append(Reading(spelling, bits & (1 << _GRADES) - 1, lemma, bits >> _GRADES))
    return readings


# ---- metadata ----


class SourceFacts(NamedTuple):
    """One source that went into a dictionary, and how many forms it gave."""

    format: str
    forms: int
    label: str


class LexiconFacts(NamedTuple):
    """The metadata of a compiled dictionary."""

    edition: str
    language: str
    """de, en, …; "" = not known."""
    forms: int
    """Spellings."""
    keys: int
    """Words as they are laid in Topwords."""
    typdom_keys: int
    """Words that are laid differently in Typ-Dom (AE for Ä)."""
    longest: int
    sources: tuple[SourceFacts, ...]
    words: int = 0
    """Size of the first trie in bytes."""
    typdom: int = 0
    """Size of the second."""
    sha256: str = ""
    """Of the tries and of everything else that stands here; the fingerprint."""
    twice: int = 0
    """How many of the words two sources know; 0 = nobody has looked, as in files of earlier versions."""
    everyday: int = 0
    """How many of them are frequent ones; 0 = not known."""

    def to_text(self) -> str:
        """Return the metadata as lines ``name TAB value``."""
        unsaid = {"sources"} | {name for name in ("twice", "everyday") if not getattr(self, name)}
        lines = [f"{name}\t{value}" for name, value in zip(self._fields, self, strict=True) if name not in unsaid]
        lines += ["\t".join(("source", *map(str, source))) for source in self.sources]
        return "\n".join(lines)


def _parse_facts(text: str) -> LexiconFacts:
    """Parse metadata, the opposite of ``LexiconFacts.to_text``. Raises ValueError or KeyError."""
    values: dict[str, str] = {}
    sources = []
    for line in text.split("\n"):
        name, _, value = line.partition("\t")
        if name == "source":
            form, forms, label = value.split("\t")
            sources.append(SourceFacts(form, int(forms), label))
        else:
            values[name] = value
    return LexiconFacts(
        edition=values["edition"],
        language=values["language"],
        forms=int(values["forms"]),
        keys=int(values["keys"]),
        typdom_keys=int(values["typdom_keys"]),
        longest=int(values["longest"]),
        sources=tuple(sources),
        words=int(values["words"]),
        typdom=int(values["typdom"]),
        sha256=values["sha256"],
        twice=int(values.get("twice", 0)),
        everyday=int(values.get("everyday", 0)),
    )


# ---- writing ----


def write_lexicon(path: Path, words: Mapping[str, bytes], typdom: Mapping[str, bytes], facts: LexiconFacts) -> None:
    """Write a compiled dictionary beside the file, and move it into place. ``words`` and ``typdom``: index key ->
    readings.

    Raises LexiconError."""
    tries = _build_trie(words), _build_trie(typdom)
    facts = facts._replace(words=len(tries[0]), typdom=len(tries[1]), sha256="")
    text = facts._replace(sha256=_compute_digest(b"".join(tries), facts)).to_text().encode()
    text += b"\n" * (-(_START + len(text)) % _ALIGN)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as stream:
            for piece in (MARK, len(text).to_bytes(4, "little"), text, *tries):
                stream.write(piece)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise LexiconError(
            *disk.describe_os_error(error, "write", path, "Name another folder with --folder.")
        ) from error


def _build_trie(packed: Mapping[str, bytes]) -> bytes:
    import marisa_trie

    data: bytes = marisa_trie.BytesTrie(packed.items(), order=marisa_trie.LABEL_ORDER).tobytes()
    return data + b"\0" * (-len(data) % _ALIGN)


def _compute_digest(tries: bytes, facts: LexiconFacts) -> str:
    import hashlib

    return hashlib.sha256(tries + facts._replace(sha256="").to_text().encode()).hexdigest()


# ---- reading ----


def read_lexicon_facts(path: Location) -> LexiconFacts:
    """Read edition, sources, counts and fingerprint, from the beginning of the file only. Raises LexiconError."""
    with _open_file(path) as stream:
        return _read_head(stream, path)[0]


def _open_file(path: Location) -> BinaryIO:
    try:
        return open(path, "rb")
    except FileNotFoundError:
        raise LexiconError(f"There is no dictionary {path}.", _suggest_build(path)) from None
    except OSError as error:
        raise LexiconError(*disk.describe_os_error(error, "read", path, "Check the file's permissions.")) from error


def _read_head(stream: BinaryIO, path: Location) -> tuple[LexiconFacts, int]:
    """Read the metadata, and where the tries begin."""
    head = stream.read(_START)
    if head[: len(MARK) - 2] != MARK[:-2]:
        raise LexiconError(f"{path} is no dictionary or is damaged.", _suggest_build(path))
    if head[: len(MARK)] != MARK:
        raise LexiconError(f"{path} was built by another version of moderator.", _suggest_build(path))
    length = int.from_bytes(head[len(MARK) :], "little")
    size = os.fstat(stream.fileno()).st_size
    try:
        facts = _parse_facts(stream.read(min(length, size)).decode().rstrip("\n"))
    except (ValueError, KeyError) as error:
        raise LexiconError(f"{path} is damaged.", _suggest_build(path)) from error
    if _START + length + facts.words + facts.typdom != size:
        raise LexiconError(f"{path} is damaged: its size is not what it says.", _suggest_build(path))
    return facts, _START + length


def get_lexicon_name(path: Location) -> str:
    """Return the name of a dictionary by its file: ``de`` for ``lexicons/de.lex``."""
    return os.path.basename(path).removesuffix(SUFFIX)


def _suggest_build(path: Location) -> str:
    return f"Build it: moderator lexicon build {get_lexicon_name(path)} --folder {os.path.dirname(path)}"


def verify_lexicon(path: Location) -> None:
    """Read the whole file and compare its fingerprint. Raises LexiconError if a byte differs."""
    with _open_file(path) as stream:
        facts, _ = _read_head(stream, path)
        if _compute_digest(stream.read(), facts) != facts.sha256:
            raise LexiconError(f"{path} is damaged: its content is not what was built.", _suggest_build(path))


class Lexicon:
    """A compiled dictionary, mapped into memory. Raises LexiconError when it is missing or damaged."""

    def __init__(self, path: Location) -> None:
        with _open_file(path) as stream:
            self.facts, start = _read_head(stream, path)
            self._words = _MappedTrie(stream, start, self.facts.words)
            self._typdom = _MappedTrie(stream, start + self.facts.words, self.facts.typdom)
        self.path = path
        self.name = get_lexicon_name(path)
        self.edition = self.facts.edition
        self.sha256 = self.facts.sha256

    def list_readings(self, key: str, typdom: bool = False) -> list[Reading]:
        """List the readings behind a key; [] if there are none. ``typdom``: the key writes AE for Ä."""
        tries = (self._words, self._typdom) if typdom else (self._words,)
        return [
            r for trie in tries for data in trie().get(build_index_key(key), ()) for r in unpack_readings(key, data)
        ]

    def iter_packed_keys(self, length: int, typdom: bool = False) -> Iterator[tuple[str, bytes]]:
        """Yield (key, packed readings) of all keys of a length, in order; ``typdom``: only those that differ there."""
        for key, data in (self._typdom if typdom else self._words)().items(_encode_length(length)):
            yield key[1:], data


class _MappedTrie:
    """One trie of a file. No page of it is read before it is asked."""

    def __init__(self, stream: BinaryIO, start: int, size: int) -> None:
        self._content = mmap(stream.fileno(), size, access=ACCESS_READ, offset=start)
        self._trie: Any = None

    def __call__(self) -> Any:
        """Return the marisa trie. It only points into the content, which therefore must live as long."""
        if self._trie is None:
            import marisa_trie

            self._trie = marisa_trie.BytesTrie()
            self._trie.map(self._content)
        return self._trie
