"""One word, one meaning: a name that is gone (docs/words.md, second table) comes back nowhere."""

import io
import re
import tokenize
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
HISTORY = "moderator/store/migrations/versions/*"


def gone() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each word with the files in which it still has its one meaning."""
    page = (ROOT / "docs" / "words.md").read_text(encoding="utf-8")
    for line in page.partition("## Words that are gone")[2].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `"):
            yield cells[0].strip("`"), tuple(re.findall(r"`([^`]+)`", cells[2]))


@cache
def names() -> dict[str, frozenset[str]]:
    """By file: the pieces of all its names, and of its own; "read_sheets" is read, sheet."""
    found = {}
    for path in sorted((ROOT / "moderator").rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        if not fnmatch(file, HISTORY):
            tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
            words = [token.string for token in tokens if token.type == tokenize.NAME] + [file.removesuffix(".py")]
            pieces = {piece.lower() for word in words for piece in PIECE.findall(word)}
            found[file] = frozenset(pieces | {piece.removesuffix("s") for piece in pieces})
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("word", "still"), tuple(gone()), ids=lambda value: value if isinstance(value, str) else "")
def test_a_word_that_is_gone_is_nowhere_else(word: str, still: tuple[str, ...]) -> None:
    there = {file for file, pieces in names().items() if word in pieces}
    allowed = {file for file in there if any(fnmatch(file, f"moderator/{pattern}") for pattern in still)}
    assert there == allowed, f"docs/words.md says what to call it: {sorted(there - allowed)}"
    for pattern in still:
        assert any(fnmatch(file, f"moderator/{pattern}") for file in there), f"{pattern} is free of {word!r} by now"


def test_the_words_are_read_off_names_of_every_kind() -> None:
    assert len(list(gone())) > 8
    assert {"order", "sheet", "read", "line", "moderator", "match"} <= names()["moderator/match/orders.py"]
