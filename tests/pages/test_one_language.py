"""A mail speaks its reader's language alone: no word that only our sentences in another language have stands in a
golden mail, nor in one of tests/pairs, where each has to be in one language, too.

Left out is what is not ours to say: what stands in quotation marks, what players wrote, addresses and names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from moderator import games
from moderator.pages.messages import FOLDERS, PACKAGE
from moderator.paths import LANGUAGES
from moderator.texts import READ, parsed
from tests.pages.all_pages import mail, names
from tests.printed.pieces import GOLDEN, PAIRS, RULE

WORD = re.compile(r"(?<![\w@./+-])[A-Za-zÄÖÜäöüßÀ-ÿœŒ]{2,}(?![\w@/+-]|\.\w)")
MARKED = re.compile(
    r"«[\u00a0 ][^«»]*»|[»“„][^«”“]*[«”“]|https?://\S+|<[^<>]*>|\[…[^]]*\]|\{\w+:?|\}|Robot (?:strong|club|beginner)\b"
)
"""What is not ours to say; a robot for training is called so in every language."""
GIVEN = frozenset({
    "kommen",  # of what verb a form is
    "wortliste", "words", "vorname", "von",  # two dictionaries, a reason, a name, as their owners wrote them
    "sb", "du", "elf", "rot", "kam", "ab", "da", "sieg",  # columns of a table, words that were laid
    "english", "deutsch", "français", "pause",  # a language calls itself so; a command in both
    "aa",  # a column of a board
    "zat", "word",  # a word of the signed line; a file's name
    "passe", "est", "excuse",  # who is called so; a zone; what the moderator wrote
})  # fmt: skip
TO_THE_MODERATOR = {
    "boss-refused": "Die Richtung fehlt.",
    "notice-cup": "Round 4 cannot be paired: all have met.",
    "notice": "entry",
}
"""What the command line, or a game, says there of a failure."""


@cache
def spoken(language: str) -> frozenset[str]:
    """All words of our sentences in a language, in small letters."""
    folders = [PACKAGE / name for name in FOLDERS] + [PACKAGE / "pages", *(games.folder(key) for key in games.REGISTRY)]
    texts = [text for folder in folders for table in parsed(folder, language).values() for text in strings(table)]
    texts += [path.read_text("utf-8") for path in PACKAGE.rglob(f"rules.*.{language}.md")]
    return frozenset(word for text in texts for word in words(text))


def strings(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, Mapping) and key not in READ:
            yield from strings(value)
        elif isinstance(value, str):
            yield value


def words(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(MARKED.sub(" ", text))}


def foreign(text: str, language: str) -> set[str]:
    """The words that only other languages' sentences have."""
    ours = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("¦"))
    others = frozenset[str]().union(*(spoken(other) for other in LANGUAGES if other != language))
    return (words(ours) & (others - spoken(language))) - GIVEN


def answers(path: Path) -> list[str]:
    """The mails of a pair."""
    return [mail.partition(": ")[2] for mail in path.read_text("utf-8").split(RULE)[1:]]


@pytest.mark.parametrize(
    "language", [*LANGUAGES[:2], *(pytest.param(other, marks=pytest.mark.slow) for other in LANGUAGES[2:])]
)
def test_a_mail_has_no_word_of_another_language(language: str) -> None:
    mails = written(language)
    assert len(mails) >= 15
    found = {
        name: mixed
        for name, text in mails.items()
        if (mixed := foreign(text, language) - words(TO_THE_MODERATOR.get(name, "")))
    }
    assert found == {}


def written(language: str) -> dict[str, str]:
    """Name -> text of the golden mails; of a language of which only some are kept, in a slow run of all mails but those
    with rules that are not translated into it: they come in English, and say so."""
    kept = {
        path.stem: path.read_text("utf-8").removeprefix("Subject: ")
        for path in sorted(GOLDEN.glob(f"{language}/*.txt"))
    }
    if len(kept) > 100:
        return kept
    told = (
        name for name in names() if not name.endswith("-rules") or _has_rules(name.removesuffix("-rules"), language)
    )
    return {name: f"{mail(language, name).subject}\n{mail(language, name).text}" for name in told}


def _has_rules(game: str, language: str) -> bool:
    return any(PACKAGE.rglob(f"rules.{game}.{language}.md"))


@pytest.mark.slow
def test_no_answer_mixes_languages() -> None:
    """Whom it is for, the pair does not say: it must be right in one language."""
    found = {}
    for path in sorted(PAIRS.rglob("*.txt")):
        for text in answers(path):
            mixed = min((foreign(text, language) for language in LANGUAGES), key=len)
            if mixed:
                found[f"{path.parent.name}/{path.stem}", text.splitlines()[0]] = mixed
    assert found == {}
