"""docs/sentences.md says what the code does: the values are printed as it shows, and the names in its tables are those
that the code looks for, no more and no fewer."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from moderator.club import board_page
from moderator.match.contract import Note
from moderator.match.happened import NEXT_DEAL
from moderator.match.result import Played
from moderator.match.scenes import Cell, Grid
from moderator.pages import aftermath, boards, messages, theme
from moderator.site.matches import UNSAID

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "sentences.md").read_text(encoding="utf-8")
NAMES = ("Anna", "Bert")


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(title: str) -> list[list[str]]:
    """The cells of its table."""
    lines = [line for line in section(title).splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def keys(title: str) -> set[str]:
    """What stands in the first column."""
    return {key for row in rows(title) for key in re.findall("`([^`]+)`", row[0])}


def said(monkeypatch: pytest.MonkeyPatch, note: Note, sentences: dict[str, str]) -> str:
    whole = {**messages.table("en"), **sentences}
    monkeypatch.setattr(messages, "table", lambda *_: whole)
    return messages.sentence(note, "en", None, NAMES)


def test_values_are_printed_as_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = tomllib.loads(section("Values").partition("```toml\n")[2].partition("```")[0])["value"]
    assert len(shown) > 6
    for one in shown:
        text = said(monkeypatch, Note("x", one["values"], seat=one.get("seat")), {"x": one["sentence"]})
        assert text.replace("\u00a0", " ") == one["printed"]


def test_names_that_are_taken_are_those_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = keys("Values")
    sets = messages._MOVES | messages._ORDERS | messages._TILES | {messages._FILES}
    by_name = {"name", "seat", "seats", "items", "names", "reason", "faults", "why"}
    assert listed == sets | by_name
    source = (ROOT / "moderator" / "pages" / "messages.py").read_text(encoding="utf-8")
    functions = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef)]
    filling = [n for n in functions if n.name in ("sentence", "_fill")]
    words = {n.value for one in filling for n in ast.walk(one) if isinstance(n, ast.Constant)}
    assert by_name == {word for word in words if isinstance(word, str) and re.fullmatch("[a-z]+", word)}


FILLED: dict[str, tuple[dict[str, Any], str, dict[str, str]]] = {
    "{reason}": ({"reason": "late"}, "at noon", {"word.late": "at {hour}"}),
    "{tile} “{tile}”": ({"tile": "J"}, "jolly “J”", {"tile.J": "jolly"}),
    "{faults}": ({"faults": [{"code": "a", "n": 1}, {"code": "a", "n": 2}]}, "1! 2!", {"a": "{n}!"}),
    "{hour}": ({"why": {"hour": "noon"}}, "noon", {}),
    "{names}": ({"names": ["A", "B", "C"]}, "A, B and C", {}),
    "{line}": ({"line": "what"}, "“what”", {}),
    "{files}": ({"files": ["a.txt"]}, "“a.txt”", {}),
}


def test_the_other_names_are_printed_as_the_table_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for pattern, (values, printed, more) in FILLED.items():
        with monkeypatch.context() as patch:
            note = Note("x", {"hour": "noon", **values} if "reason" in values else values)
            assert said(patch, note, {"x": pattern, **more}) == printed


@cache
def modules() -> tuple[tuple[Path, ast.Module], ...]:
    files = sorted((ROOT / "moderator").rglob("*.py"))
    ours = [file for file in files if "games" not in file.relative_to(ROOT).parts]
    return tuple((file, ast.parse(file.read_text(encoding="utf-8"))) for file in ours)


def texts(node: ast.AST) -> set[str]:
    """Texts that stand in it; of those with values in them with the code of the values."""
    plain = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    return plain | {ast.unparse(one)[2:-1] for one in ast.walk(node) if isinstance(one, ast.JoinedStr)}


def calls(tree: ast.Module, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


def looked_for() -> set[str]:
    """Sentences of a game's own that the mails look for."""
    found = {"mail.rack-COLOUR"}
    for file, tree in modules():
        imported = {one.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for one in node.names}
        if file.name == "messages.py" or "own" in imported:
            found |= {f"mail.{code}" for call in calls(tree, "own") for code in texts(call.args[0])}
        if file.parent.name == "pages":
            found |= {text for text in texts(tree) if re.fullmatch("mail[.][a-z]+(?:-[a-z]+)*", text)}
        if file.name == "rack.py":
            found |= {f"mail.{code}.NAME" for call in calls(tree, "_named") for code in texts(call.args[0])}
    return found - {"mail.css"}


@pytest.mark.slow
def test_the_words_of_its_own_are_those_that_the_mails_look_for() -> None:
    made = {text for _, tree in modules() for text in texts(tree) if re.match("mail[.](.*-)?{", text)}
    assert made == {"mail.rack-{colour}", "mail.{where}.{name}", "mail.{code}"}
    assert keys("In the game's own words") == looked_for()
    labels = messages.labels("en")
    for key, _, values in rows("In the game's own words"):
        code = key.strip("`").removeprefix("mail.")
        plain = labels.get(f"{code}-plain", labels.get(code))  # of a round that has no number
        if plain is not None:
            assert set(re.findall(r"\{(\w+)", plain)) == set(re.findall("`(\\w+)`", values)), key


@pytest.mark.slow
def test_codes_that_are_looked_for_are() -> None:
    inside = set[str]().union(*(texts(tree) for _, tree in modules()))
    beginnings = {re.split("[A-Z]|[0-9]", key)[0] for key in keys("Codes that are looked for")}
    listed = {key for key in beginnings if key not in ("", "[move]", "{move}", "examples", "pattern", "format")}
    assert listed >= {"name", "how-to-", "example.place", "option.", "word.", "tile.", "form-", "stock"}
    for begin in listed - {"{value}", "{count}", "{reason}"}:
        assert any(text == begin or text.startswith(f"{begin}{{") for text in inside), begin


def test_codes_that_mean_something_are_those_of_the_code() -> None:
    grouped = {f"{code}…" for code in (*aftermath._ENDS, NEXT_DEAL)} | aftermath._OUT | {aftermath._TOTAL}
    others = {"missed", "passed", "drew…", "exchanged", "CODE-several"}
    assert keys("Codes that mean something by their name") == grouped | others
    assert UNSAID == ("drew", "passed")
    for code in ("missed", "passed"):
        for text, told in (("", "missed"), ("E5 w HAUS", "missed-tried")):
            played = Played(0, text, None, notes=(Note(code, seat=0), Note("drew", seat=0)))
            assert [note.code for note in played.said] == [told, "drew"]


def test_a_name_stands_before_a_note_of_a_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {**messages.table("en"), "x": "Draws.", "y": "{name} draws."}
    monkeypatch.setattr(messages, "table", lambda *_: whole)
    told = [aftermath.note_line(Note(code, seat=0), "en", None, NAMES) for code in "xy"]
    assert told == ["Anna: Draws.", "Anna draws."]
    assert aftermath.note_line(Note("x", seat=0, only=0), "en", None, NAMES) == "Draws."
    assert aftermath.note_line(Note("x", seat=0), "en", None, (), NAMES) == "Draws."


def test_what_the_page_says_is_said_in_the_game_s_words() -> None:
    labels, instead = messages.labels("en"), set()
    for page, game in board_page.families().items():
        own = messages.table("en", game)
        for code, text in board_page._words(page, "en")["say"].items():
            assert text == own.get(code, labels.get(code))
            instead |= {code} & own.keys() & labels.keys()
    assert "zug-nothing" in instead
    assert "zug-words" in labels


def test_what_it_quotes_of_fan_tan_stands_there() -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", section("In the game's own words"), re.DOTALL)
    assert block in (ROOT / "examples" / "fantan" / "fantan" / "messages.en.toml").read_text(encoding="utf-8")


def test_a_round_cell_is_red_and_is_called_a_vowel() -> None:
    """As docs/contract.md says of ``Cell.shape``."""
    page = (ROOT / "docs" / "contract.md").read_text(encoding="utf-8")
    for shape in get_args(get_type_hints(Cell)["shape"]):
        scene = Grid(("A",), ("1",), (Cell(0, 0, "E", shape=shape),))
        told = "".join(boards.beneath(scene, "en"))
        assert (theme.VOWEL in boards.svg(scene)) == (shape == "round") == ("ound and red: vowel" in told)
        assert f"`{shape}`" in page
    assert "round and red: vowel" in page
