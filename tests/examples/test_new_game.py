"""``moderator game new NAME`` writes a game that plays; ``moderator game list`` says what there is."""

from __future__ import annotations

import importlib
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from moderator import __version__, games
from moderator.cli import cli
from moderator.match.contract import State
from tests.examples.packages import install, own_tests, passes, run
from tests.examples.pages import Case, differing


def said(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, words)
    return done.exit_code, done.output + (str(done.exception) if done.exception else "")


def written(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the command writes, and where it is installed."""
    monkeypatch.chdir(folder)
    status, told = said("game", "new", name)
    assert status == 0, told
    assert f"{name}/ is written" in told
    (folder / "site").mkdir()
    install(folder / "site", folder / name / name)
    return folder / "site"


LOOKED_AT = ("wortkreis", "abcdefghijklmnopqrst")
"""What depends on the name is how long it is."""
NAMES = ["wortkreis", "q7", "new", "start", "abcdefghijklmnopqrst"]


@pytest.mark.matrix("examples")
@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_passes_and_names_nothing_else(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = written(name, tmp_path, monkeypatch)
    own_tests(site, tmp_path / name / "tests")
    if name in LOOKED_AT:
        passes(site, name, "--quick")
    for file in (tmp_path / name).rglob("*.*"):
        if file.is_file() and file.suffix != ".pyc":
            assert "newgame" not in f"{file} {file.read_text(encoding='utf-8')}".lower().replace(" ", "")
    (line,) = [json.loads(line) for line in run(site, "-m", "moderator", "game", "list", "--json").splitlines()[9:]]
    assert (line["game"], line["package"], line["version"]) == (name, f"moderator-{name}", "1.0")
    assert (line["seats"], line["trouble"]) == ([2, 4], None)


def positions(rules: Any) -> Iterator[Case]:
    dice = random.Random("new game")
    while True:
        board = "".join(dice.choice("ABCDE..") for _ in rules.SQUARES)
        hand = tuple(dice.choices("ABCDE", k=3))
        square, letter = dice.randrange(len(rules.SQUARES)), dice.choice(hand)
        state = State(rules.Public(board), (hand, ("A",)), ("B",), (0, 0), (0,))
        yield state, square, letter, rules.Lay(letter, rules.SQUARES[square])


@pytest.mark.slow
def test_its_page_allows_forbids_and_counts_what_python_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(written("wortkreis", tmp_path, monkeypatch)))
    rules = importlib.import_module("wortkreis.rules")
    try:
        board = tmp_path / "wortkreis" / "wortkreis" / "board.js"
        assert differing(rules.GAME, board, "wortkreisBoard", positions(rules))[:3] == []
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "wortkreis"]:
            del sys.modules[name]


REFUSED = {
    "../wo": "cannot be the name", "/tmp/wo": "cannot be the name", "": "cannot be the name", "w": "cannot be the name",
    "Wortkreis": "cannot be the name", "wort kreis": "cannot be the name", "wörter": "cannot be the name",
    "class": "cannot be the name", "a" * 21: "cannot be the name", "x\ny": "cannot be the name",
    "topwords": "There is a game", "json": "There is a Python module", "moderator": "There is a Python module",
    "pytest": "There is a Python module",
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_that_cannot_be_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    status, told = said("game", "new", name)
    assert status != 0
    assert REFUSED[name] in told


def test_what_is_there_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wortkreis").mkdir()
    assert "there is a folder or file of that name" in said("game", "new", "wortkreis")[1]
    assert list((tmp_path / "wortkreis").iterdir()) == []


def test_our_own_are_listed_and_one_that_is_gone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(games.REGISTRY.others, "weg", "weg.rules:GAME")
    lines = [json.loads(line) for line in said("game", "list", "--json")[1].splitlines()]
    assert [line["game"] for line in lines] == [*games.OWN, "weg"]
    assert {(line["package"], line["version"], line["trouble"]) for line in lines[:-1]} == {
        ("moderator", __version__, None)
    }
    assert lines[-1]["seats"] is None
    assert "weg" in lines[-1]["trouble"]
    assert "2 to 99 players" in said("game", "list")[1]
