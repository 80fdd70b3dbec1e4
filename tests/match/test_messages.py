"""Every code that the engine raises has a sentence in both languages, with the parameters it is raised with."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import moderator.match
from moderator import errors
from moderator.texts import READ

FOLDER = Path(moderator.match.__file__).parent
SOURCES = [*FOLDER.rglob("*.py"), Path(errors.__file__)]
RAISED = re.compile(r'(?:Illegal|Unreadable|Ambiguous|PlayerError|super\(\)\.__init__)\(\s*"([a-z-]+)"((?:, \w+=)?)')
NOTED = re.compile(r'return Note\("([a-z-]+)"')
"""What leave.py says instead of raising it."""
REASONS = re.compile(r'Verdict\(word, "reject", "([a-z-]+)"')


def sentences(language: str) -> dict[str, str]:
    found = tomllib.loads((FOLDER / f"messages.{language}.toml").read_text(encoding="utf-8"))
    return {code: text for code, text in found.items() if code not in READ}


def codes() -> set[str]:
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    noted = NOTED.findall((FOLDER / "time" / "calendar.py").read_text(encoding="utf-8"))
    reasons = {f"word.{reason}" for reason in REASONS.findall(text)}
    return {code for code, _ in RAISED.findall(text)} | set(noted) | reasons


@pytest.mark.parametrize("language", ["de", "en"])
def test_codes_and_sentences_are_the_same_set(language: str) -> None:
    assert codes() == set(sentences(language))
    assert codes() > {"game-over", "not-your-turn", "words-undecided", "word.unknown"}


def test_both_languages_fill_in_the_same_parameters() -> None:
    english = sentences("en")
    for code, sentence in sentences("de").items():
        assert re.findall(r"\{(\w+)", sentence) == re.findall(r"\{(\w+)", english[code])
