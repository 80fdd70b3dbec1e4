"""Every code of »Wer behält recht?« has a sentence, every option a description; the worked mails happen as told."""

from __future__ import annotations

import dataclasses
import re
import tomllib
import typing
from pathlib import Path
from typing import Any

import pytest

import moderator.games.typdom as package
from moderator.engine.contract import Note, view_for
from moderator.engine.record import parse, replay
from moderator.errors import PlayerError
from moderator.games import load
from moderator.games.typdom.recht import GAME
from moderator.games.typdom.recht_state import Options
from moderator.render.messages import sentence, table
from tests.games.misses import SAID_FOR_A_MISS
from tests.games.test_recht_rules import match, refused, running
from tests.games.typdom_table import tiles

FOLDER = Path(package.__file__ or "").parent
OWN = sorted(FOLDER.glob("recht*.py"))
SHARED = [
    *(FOLDER / f"{name}.py" for name in ("board", "flow", "notation")),
    *(FOLDER.parent / f"{name}.py" for name in ("placement", "rulings", "tokens")),
]
CALLS = re.compile(r"\b(?:Illegal|Unreadable|Ambiguous|Note)\(\s*(?:\"([a-z-]+)\"|(code|[a-z]+\.code)\b)")
CHOSEN = re.compile(r"\"([a-z]+(?:-[a-z]+)+)\"|return \"(out)\"")
ENGINE = {"game-over", "not-your-turn"}
"""Codes whose sentences the engine has."""
RULES = (FOLDER / "RULES.md").read_text(encoding="utf-8")
PARAMS: dict[str, Any] = {
    "word": "NAHT", "fragment": "AH", "square": "T20", "squares": ["T19", "T22"], "direction": "s", "letter": "E",
    "letters": ["E", "N"], "count": 2, "points": 5, "rest": 14, "items": [3, 4], "tiles": ["E", "*r"], "seat": 1,
    "left": 7, "seats": [0, 1], "round": 2, "total": 9, "beside": "RW", "reason": "unknown", "source": "list",
    "why": {}, "words": ["X"], "readings": ["vorn S = STERN"], "announced": "NAHT", "suggestion": "*S", "last": "AN40",
    "limit": 1000,
}  # fmt: skip


def codes(files: list[Path], chosen: bool = False) -> set[str]:
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    found = {code for code, _ in CALLS.findall(text) if code}
    return found | ({one or other for one, other in CHOSEN.findall(text)} if chosen else set())


SPOKEN = codes(OWN)
CODES = codes(OWN, chosen=True) | SAID_FOR_A_MISS


def own(language: str) -> dict[str, str]:
    values = tomllib.loads((FOLDER / f"messages.{language}.toml").read_text(encoding="utf-8"))
    return {code.removeprefix("recht."): text for code, text in values.items() if code.startswith("recht.")}


def test_the_source_was_searched() -> None:
    assert {
        "announces",
        "goes-on",
        "lacks-fragment",
        "senseless-beside",
        "last-left",
        "credited-double",
        "out",
    } <= CODES
    assert {"no-letter", "two-sides", "must-complete", "edge-front", "wrong-jolly", "is-paid"} <= CODES


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_code_has_a_sentence(language: str) -> None:
    assert {code for code in CODES | codes(SHARED) - ENGINE if code not in table(language, "recht")} == set()


def test_no_sentence_is_left_over() -> None:
    plain = {code for code in own("de") if "." not in code and not code.startswith("how-to-")}
    assert plain - CODES - codes(SHARED, chosen=True) - {"name", "example"} == set()


def test_both_languages_say_the_same() -> None:
    german, english = own("de"), own("en")
    assert list(german) == list(english)
    for code, text in german.items():
        assert set(re.findall(r"\{(\w+)", text)) == set(re.findall(r"\{(\w+)", english[code])), code


@pytest.mark.parametrize("language", ["de", "en"])
def test_what_is_quoted_can_be_read(language: str) -> None:
    view = view_for(match("AENXYZQ", "AB").state, 0)
    for code, text in own(language).items():
        if code.startswith("example"):
            GAME.parse(text, view)
        for quoted in re.findall("»([^«{]+)«", text):
            GAME.parse(quoted, view)


@pytest.mark.parametrize("language", ["de", "en"])
def test_no_sentence_is_a_move_itself(language: str) -> None:
    view = view_for(match("AENXYZQ", "AB", "XXX", board=running("AH", "T20", "s", "NAHT", author=2)).state, 0)
    for code in sorted(SPOKEN | set(own(language))):
        if code.startswith("example") or code == "name":
            continue
        line = sentence(Note(code, PARAMS, seat=0), language, "recht", ["Anna", "Bert"])
        assert "{" not in line, code
        for text in (line, f"Anna: {line}"):
            with pytest.raises(PlayerError):
                GAME.parse(text, view)


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_option_is_described(language: str) -> None:
    known, hints = table(language, "recht"), typing.get_type_hints(Options)
    for field in dataclasses.fields(Options):
        assert {"value", "count"} & set(re.findall(r"\{(\w+)", known[f"option.{field.name}"]))
        values = ["true", "false"] if hints[field.name] is bool else typing.get_args(hints[field.name])
        for value in values:
            if isinstance(value, str):
                assert f"option.{field.name}.{value}" in known


def section(title: str) -> str:
    return RULES.split(f"\n# {title}\n", 1)[1].split("\n# ", 1)[0]


def test_the_rules_name_every_option_with_its_default() -> None:
    rows = section("Options of Wer behält recht?").splitlines()
    for field in dataclasses.fields(Options):
        row = next(line for line in rows if line.startswith(f"| `{field.name}` |"))
        assert f"`{str(field.default).lower()}`" in row.split("|")[2]


def test_the_rules_name_every_key_of_the_public_state() -> None:
    text = section("Records of Wer behält recht?")
    for key in GAME.export(match("AEX", "AB").state.public):
        assert f"`{key}`" in text


def test_the_worked_mails() -> None:
    orders = [
        line[2:] for line in section("Wer behält recht?: five worked mails").splitlines() if line.startswith("> ")
    ]
    assert len(orders) == 5
    record = {
        "record": 1,
        "game": "recht",
        "seats": ["Anna", "Bert"],
        "setup": {"racks": [tiles("AEEIOBDGHKRZ*b"), tiles("AEIOUCDFGLNST")], "stock": tiles("EENN")},
        "lexicon": ["REISE", "STERN", "KLEID", "KLEIN"],
        "moves": [{"seat": seat, "text": text} for seat, text in zip((0, 1, 0, 1, 0), orders, strict=True)],
    }
    report = replay(parse(record, load))
    assert [(move["played"], move["alternative"]) for move in report["moves"]] == [
        ("E an T20 w = REISE", 1),
        ("vorn T = STERN", 1),
        ("weiter hinten *R", 1),
        ("L an T19 s + I an T21 = KLEID", 1),
        ("tausche R an U20; vorn K = KLEIN", 1),
    ]
    completes = next(event for event in report["events"] if event["code"] == "completes")
    text = sentence(Note("completes", completes["params"], seat=1), "de", "recht", ["Anna", "Bert"])
    assert text in RULES.replace("\n", " ")
    running_ = report["public"]["running"]
    assert (running_["word"], running_["letters"], running_["author"]) == ("KLEIN", "KLEI", 0)
    assert "*b" in report["hands"][0]
    assert report["to_move"] == [1]


def test_the_answer_that_the_rules_quote() -> None:
    board = running("E", "T20", "w", "REISE", author=0)
    table_ = match("XXX", "TEE", board=board, starter=1)
    with pytest.raises(PlayerError) as caught:
        table_.turn("T davor")
    text = sentence(Note(caught.value.code, caught.value.params), "de", "recht")
    assert text in RULES.replace("\n", " ")
    assert refused(table_, "weiter X").code == "not-your-letters"
