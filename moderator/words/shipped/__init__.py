"""The word lists that come with moderator: one compressed file for each language, beside the texts of their licences.

    NAME.words.xz    lines, UTF-8: letters shared with the line before, marks, the letters that differ

The first letter of a line is the number of shared letters (``A`` none, ``B`` one, …), the second the marks as a digit:
the sum of ``LISTED``, ``TYPED`` and ``EVERYDAY``. So seven million letters become half a megabyte. Where the words come
from stands in docs/inside/dictionaries.md; ``bench.make_shipped`` makes the files.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path

LISTED, TYPED, EVERYDAY = 1, 2, 4
"""In a list made for word games or spelling; in the dictionary of a telephone's keyboard; among the frequent there."""
FOLDER = Path(__file__).parent
SUFFIX = ".words.xz"
NAMES = {"de": "german-wordlist", "en": "SCOWL"}
"""What the list of a language is called."""


def list_shipped_languages() -> list[str]:
    """List the languages that a list ships for."""
    return sorted(NAMES)


def iter_shipped_words(language: str) -> Iterator[tuple[str, int]]:
    """Yield (spelling, marks) of every word of at most 15 letters, sorted. Raises KeyError for a language without a
    list."""
    NAMES[language]  # no file is looked for by a name that somebody wrote
    word = ""
    with lzma.open(FOLDER / f"{language}{SUFFIX}", "rt", encoding="utf-8") as lines:
        for line in lines:
            word = word[: ord(line[0]) - 65] + line[2:-1]
            yield word, ord(line[1]) - 48


def pack_shipped_words(entries: Iterable[tuple[str, int]]) -> bytes:
    """Return the content of a file, which ``iter_shipped_words`` reads; the same for the same words."""
    lines, last = [], ""
    for word, marks in sorted(entries):
        shared = next((at for at, (one, other) in enumerate(zip(last, word, strict=False)) if one != other), None)
        shared = min(len(last), len(word)) if shared is None else shared
        lines.append(f"{chr(65 + shared)}{marks}{word[shared:]}\n")
        last = word
    best = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0, "dict_size": 1 << 23}
    return lzma.compress("".join(lines).encode(), filters=[best])
