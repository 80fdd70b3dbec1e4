"""Every code of Kreuzwort-Spiel and Point-Typ-Dom has a sentence; worked mails happen as RULES.md says."""

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
from moderator.games import load
from moderator.render.messages import sentence, table
from tests.games.misses import SAID_FOR_A_MISS
from tests.games.typdom_table import Match, tiles

FOLDER = Path(package.__file__ or "").parent
OWN = [FOLDER / f"{name}.py" for name in ("board", "flow", "kreuzwort", "notation", "point", "referee", "rules")]
SHARED = [FOLDER.parent / f"{name}.py" for name in ("placement", "rulings", "tokens")]
CALLS = r"\b(?:Illegal|Unreadable|Ambiguous|Note)\(\s*(?:\"([a-z-]+)\"(?:\s+if\b[^,]*?\belse\s+\"([a-z-]+)\")?)"
TABLES = r"_(?:USED_UP|BOUGHT)[^{]*\{[^}]*\}"
ENGINE = {"game-over", "not-your-turn", "words-undecided"}
"""Codes whose sentences the engine has."""
KEYS = ["kreuzwort", "point"]
RULES = (FOLDER / "RULES.md").read_text(encoding="utf-8")


def codes(files: list[Path]) -> set[str]:
    found: set[str] = set()
    for file in files:
        source = file.read_text(encoding="utf-8")
        found.update(code for pair in re.findall(CALLS, source) for code in pair if code)
        for block in re.findall(TABLES, source):
            found.update(re.findall(r"\"([a-z-]+-[a-z-]+)\"", block))
        found.update(
            re.findall(r"code = \"([a-z-]+)\" if .* else \"([a-z-]+)\"", source)[0] if "code = " in source else ()
        )
    return found


CODES = codes([*OWN, *SHARED]) | SAID_FOR_A_MISS


def test_the_source_was_searched() -> None:
    assert {
        "other-letter", "no-square", "wrong-jolly", "no-jolly", "bought-red", "no-black-left", "credited-double",
        "next-round", "next-round-double", "two-squares", "not-a-word", "buy-colour", "sum-laid", "claim-points",
    } <= CODES  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("language", ["de", "en"])
def test_every_code_has_a_sentence(language: str, key: str) -> None:
    assert CODES - set(table(language, key)) - ENGINE == set()


def test_no_sentence_is_left_over() -> None:
    sentences = tomllib.loads((FOLDER / "messages.de.toml").read_text(encoding="utf-8"))
    plain = {code for code in sentences if "." not in code and not code.startswith("how-to-")}
    everywhere = "\n".join(file.read_text(encoding="utf-8") for file in [*FOLDER.glob("*.py"), *SHARED])
    own = {"name", "stock", "example"} | SAID_FOR_A_MISS
    assert {code for code in plain - own if f'"{code}"' not in everywhere} == set()


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("language", ["de", "en"])
def test_examples_can_be_read(language: str, key: str) -> None:
    game = load(key)
    state = Match(key, "AENXYZQ", "AB", known="").state
    view = view_for(state, 0)
    for code, text in table(language, key).items():
        if code.startswith("example"):
            game.parse(text, view)
        if code.startswith("how-to-") or code in CODES:
            for quoted in re.findall("»([^«{]+)«", text):
                game.parse(quoted, view)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("language", ["de", "en"])
def test_every_option_and_its_values_are_described(language: str, key: str) -> None:
    known, options = table(language, key), load(key).options
    hints = typing.get_type_hints(options)
    for field in dataclasses.fields(options):
        values = ["true", "false"] if hints[field.name] is bool else typing.get_args(hints[field.name])
        for value in values:
            if isinstance(value, str):
                assert f"option.{field.name}.{value}" in known


@pytest.mark.parametrize("key", KEYS)
def test_the_rules_name_every_option_with_its_default(key: str) -> None:
    for field in dataclasses.fields(load(key).options):
        rows = [line for line in RULES.splitlines() if line.startswith(f"| `{field.name}` |")]
        assert any(f"`{str(field.default).lower()}`" in row.split("|")[2] for row in rows), field.name


def section(title: str) -> list[str]:
    """The orders of the worked mails under a heading."""
    text = RULES.split(f"# {title}\n", 1)[1].split("\n# ", 1)[0]
    return [line[2:] for line in text.splitlines() if line.startswith("> ")]


def record(key: str, racks: list[str], stock: str, orders: list[str], words: str) -> dict[str, Any]:
    seats = len(racks)
    return replay(
        parse(
            {
                "record": 1,
                "game": key,
                "options": {},
                "seats": [str(n) for n in range(seats)],
                "setup": {"racks": [tiles(rack) for rack in racks], "stock": tiles(stock)},
                "lexicon": words.split(),
                "moves": [{"seat": n % seats, "text": order} for n, order in enumerate(orders)],
            },
            load,
        )
    )


def test_the_worked_mails_of_kreuzwort() -> None:
    racks = ["AEEOIBBHMNRSX", "AUEIO*bDFGKLNR", "EEIUODFGLMNST", "AAEIUCDGHKLPT"]
    orders = section("Kreuzwort-Spiel: five worked mails")
    assert len(orders) == 5
    report = record("kreuzwort", racks, "ENNNN", orders, "EXAMEN NATUR ARM MOST OHR MO")
    assert [move["played"] for move in report["moves"]] == [
        "T20 w EXAMEN",
        "Y20 s NA*TUR",
        "tausche T an Y22; V20 s A*RM",
        "kaufe rot",
        "V22 w MOST + W22 s OHR",
    ]
    assert len(report["hands"][0]) == 3
    assert report["to_move"] == [1]


def test_the_worked_mails_of_point() -> None:
    racks = ["EIUOOCFHLMNPX", "EIOU*rDFLLRSTW", "AAEEOBDGJMNRV"]
    orders = section("Point-Typ-Dom: five worked mails")
    assert len(orders) == 5
    report = record("point", racks, "EENN", orders, "MEXICO TEXAS SARAJEVO POLA PHON")
    assert [move["points"] for move in report["moves"]] == [19, 15, 20, 18, 0]
    assert report["moves"][4]["played"] == "kaufe 1 rot 2 schwarz"
    assert [event["n"] for event in report["events"] if event["code"] == "claim-points"] == [3]


def test_the_star_is_suggested_as_the_rules_say() -> None:
    game = Match("kreuzwort", "AUEIO*bDFGKLNR", "AB", board={"Y20": "N", "X20": "E"}, known="NATUR EN")
    report = game.game.parse("Y20 s NATUR", view_for(game.state, 0))
    with pytest.raises(Exception, match="mark-jolly") as caught:
        game.game.apply(game.state, 0, report, game.ctx)
    error: Any = caught.value
    text = sentence(Note(error.code, error.params), "de", "kreuzwort")
    assert text == "Dir fehlt T. Soll der Jolly dafür stehen, dann schreib ihn mit Stern: NA*TUR."
    assert text in RULES.replace("\n", " ")
