"""Every code that Dominos speaks has a sentence in both languages, every option a description."""

from __future__ import annotations

import dataclasses
import re
import tomllib
import typing
from pathlib import Path

import pytest

import moderator.games.dominos as package
from moderator.engine.contract import Note, View
from moderator.errors import PlayerError
from moderator.games.dominos.rules import GAME
from moderator.games.dominos.state import Options, Public
from moderator.render.messages import sentence
from tests.games.dominos_table import board
from tests.games.misses import SAID_FOR_A_MISS

FOLDER = Path(package.__file__ or "").parent
SOURCE = "\n".join(file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.py")))
SPOKEN = re.findall(r"\b(?:Illegal|Unreadable|Ambiguous|Note)\(\s*\"([a-z-]+)\"", SOURCE)
CHOSEN = re.findall(r"\"((?:blocked|place|no)-[a-z-]+|scored|does-not-fit)\"", SOURCE)
CODES = {*SPOKEN, *CHOSEN}
CODES |= SAID_FOR_A_MISS
ENGINE = {"game-over", "not-your-turn"}
"""Codes whose sentences the engine has."""
OWN = {"name", "stock", "example", "how-to-1", "how-to-2", "how-to-3", "how-to-4"}
VIEW = View(0, Public(Options(), board("66 62@L 61@R 64@N")), ("64", "42", "31", "60"), (4, 4), 9, (0, 0), (0,))
"""L 2, R 1, N 4, S 6: whatever the sentences quote can be read."""


def sentences(language: str) -> dict[str, str]:
    return tomllib.loads((FOLDER / f"messages.{language}.toml").read_text(encoding="utf-8"))


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", text))


def test_the_source_was_searched() -> None:
    assert {"does-not-fit", "no-draw", "which-end", "blocked-last", "opened", "place-missing", "no-score"} <= CODES


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_code_has_a_sentence_and_none_is_left_over(language: str) -> None:
    plain = {code for code in sentences(language) if "." not in code}
    assert plain - OWN == CODES - ENGINE


def test_both_languages_say_the_same() -> None:
    german, english = sentences("de"), sentences("en")
    assert list(german) == list(english)
    for code, text in german.items():
        assert placeholders(text) == placeholders(english[code]), code


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
    for code, text in sentences(language).items():
        if code.startswith("example") and code != "example.fallback":
            GAME.parse(text, VIEW)
        for quoted in re.findall("»([^«]+)«", text):
            GAME.parse(quoted.replace("{move}", "64@L"), VIEW)


@pytest.mark.parametrize("language", ["de", "en"])
def test_no_sentence_is_a_move_itself(language: str) -> None:
    params = {"tile": "64", "tiles": ["64", "31"], "ends": {"L": 4, "R": 6}, "items": [10, 5], "count": 2, "points": 5}
    params |= {"round": 2, "total": 64, "pips": 9, "value": 4, "place": "N", "rests": 28, "rounded": 25, "own": 3}
    for code in sorted(sentences(language)):
        if code.startswith("example"):
            continue
        note = Note(code, {**params, "sum": 10, "target": 100, "limit": 200, "words": ["x"], "readings": []}, seat=0)
        line = sentence(note, language, "dominos", ["Anna", "Bert"])
        assert "{" not in line
        with pytest.raises(PlayerError):
            GAME.parse(line, VIEW)


def test_the_rules_name_every_option_with_its_default() -> None:
    rules = (FOLDER / "RULES.md").read_text(encoding="utf-8")
    for field in dataclasses.fields(Options):
        row = next(line for line in rules.splitlines() if line.startswith(f"| `{field.name}` |"))
        assert f"`{str(field.default).lower()}`" in row.split("|")[2]
