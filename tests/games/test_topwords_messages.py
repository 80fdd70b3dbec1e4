"""Every code that Topwords speaks has a sentence in both languages, every option a description."""

from __future__ import annotations

import dataclasses
import re
import tomllib
import typing
from pathlib import Path

import pytest

import moderator.games.topwords as package
from moderator.engine.contract import View
from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import Options, Public
from tests.games.misses import SAID_FOR_A_MISS

FOLDER = Path(package.__file__ or "").parent
SHARED = [FOLDER.parent / f"{name}.py" for name in ("placement", "rulings", "tokens")]
SOURCE = "\n".join(file.read_text(encoding="utf-8") for file in [*sorted(FOLDER.glob("*.py")), *SHARED])
CODES = set(re.findall(r"\b(?:Illegal|Unreadable|Ambiguous|Note)\(\s*\"([a-z-]+)\"", SOURCE))
CODES |= SAID_FOR_A_MISS | {"passed"}
ENGINE = {"game-over", "not-your-turn", "words-undecided"}
"""Codes whose sentences the engine has."""


def sentences(language: str) -> dict[str, str]:
    return tomllib.loads((FOLDER / f"messages.{language}.toml").read_text(encoding="utf-8"))


def placeholders(sentence: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", sentence))


def test_the_source_was_searched() -> None:
    assert {"too-high", "no-square", "two-squares", "common-rack-short", "no-word", "claim-points"} <= CODES


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_code_has_a_sentence(language: str) -> None:
    assert CODES - set(sentences(language)) - ENGINE == set()


@pytest.mark.parametrize("language", ["de", "en"])
def test_no_sentence_is_left_over(language: str) -> None:
    plain = {code for code in sentences(language) if "." not in code}
    own = {"name", "example", "how-to-1", "how-to-2", "how-to-3", "how-to-4", "how-to-5"}
    assert plain - CODES - own == set()


def test_both_languages_say_the_same() -> None:
    german, english = sentences("de"), sentences("en")
    assert list(german) == list(english)
    for code, sentence in german.items():
        assert placeholders(sentence) == placeholders(english[code]), code


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_option_is_described(language: str) -> None:
    known = sentences(language)
    hints = typing.get_type_hints(Options)
    for field in dataclasses.fields(Options):
        assert {"value", "count"} & placeholders(known[f"option.{field.name}"])
        values = ["true", "false"] if hints[field.name] is bool else typing.get_args(hints[field.name])
        for value in values:
            if isinstance(value, str):
                assert f"option.{field.name}.{value}" in known


@pytest.mark.parametrize("language", ["de", "en"])
def test_examples_can_be_read(language: str) -> None:
    view = View(0, Public(Options()), tuple("AENXYZQ"), (7, 7), 86, (0, 0), (0,))
    for code, sentence in sentences(language).items():
        if code.startswith("example"):
            GAME.parse(sentence, view)
        for quoted in re.findall("»([^«]+)«", sentence):
            GAME.parse(quoted.replace("{letters}", "A E"), view)


def test_the_rules_name_every_option_with_its_default() -> None:
    rules = (FOLDER / "RULES.md").read_text(encoding="utf-8")
    for field in dataclasses.fields(Options):
        row = next(line for line in rules.splitlines() if line.startswith(f"| `{field.name}` |"))
        default = str(field.default).lower()
        assert f"`{default}`" in row.split("|")[2]
