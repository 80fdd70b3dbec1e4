"""Our nine games pass what ``python -m moderator.conformance`` asks of any, and so does one of another package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from moderator.club import board_page
from moderator.conformance import page
from moderator.conformance.checks import CHECKS
from moderator.conformance.finding import Check, Outcome, run
from moderator.conformance.subject import Subject
from moderator.games import REGISTRY
from tests.conformance.test_faults import FAULTS, LINIE, WITHOUT, Fault, installed
from tests.schemas.validators import validator

ROOT = Path(__file__).parents[2]
SHORT: Mapping[str, Mapping[str, Any]] = {
    "dominos": {"target": 60}, "tridom": {"target": 60}, "supertridom": {"target": 60}, "domijongg": {"games": 1},
}  # fmt: skip
"""Key -> options of matches that do not take long."""
NOTHING_TO_LOOK_AT = {
    "presto": {
        "conserved", "hidden-view", "hidden-report", "hidden-picture", "hidden-alt", "hidden-turn", "hidden-mail",
        "hidden-site", "examples",
    },
}  # fmt: skip
"""Presto is a race: a crossword of a whole rack, thrown together again, and with each a round is over. The other
games of words show patterns as examples."""
BY_MAIL = {check.name for check in CHECKS if check.name.startswith("mail") or check.name in ("hidden-site", "site")}
BY_MAIL |= {"hidden-mail"}
EVERYDAY = ("dominos", "kreuzwort")


def looked_at(key: str, checks: Iterable[Check], quick: bool = True) -> None:
    """All of them find nothing, and none because it saw nothing."""
    subject = Subject(key, quick=quick, settings=SHORT.get(key, {}))
    outcomes = [run(check, subject) for check in checks]
    assert [line for one in outcomes if not one.ok for line in one.lines()] == []
    skipped = {one.check.name for one in outcomes if one.skipped}
    assert skipped <= {"imports"} | NOTHING_TO_LOOK_AT.get(key, {"examples"})


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_every_game_passes_what_needs_no_mail(key: str) -> None:
    looked_at(key, [check for check in CHECKS if check.name not in BY_MAIL])


@pytest.mark.matrix("conformance")
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_every_game_passes_by_mail(key: str) -> None:
    """Six matches of each pace, as the command plays them, of two games; of the others two."""
    looked_at(key, [check for check in CHECKS if check.name in BY_MAIL], quick=True)


def command(*words: str) -> subprocess.CompletedProcess[str]:
    there = {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "tenth")}
    line = [sys.executable, "-m", "moderator.conformance", *words]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, env=there)


@pytest.mark.slow
def test_the_command_says_a_line_for_each_check() -> None:
    done = command("linie", "--quick")
    assert done.returncode == 0, done.stdout
    *lines, total = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [check.name for check in CHECKS]
    assert total == f"{len(CHECKS)} checks, 0 failed"


@pytest.mark.slow
def test_as_json_it_says_the_same() -> None:
    done = command("linie", "--quick", "--json", "--seed", "3", "--only", "notation", "--only", "alt")
    values = json.loads(done.stdout)
    validator("conformance").validate(values)
    assert (values["game"], values["seed"], values["ok"]) == ("linie", 3, True)
    assert [one["check"] for one in values["checks"]] == ["notation", "alt"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "told"),
    [(("weg",), "There is no game 'weg'."), (("linie", "--only", "luck"), "There is no check 'luck'."),
     (("linie", "--set", "luck=3"), "luck")],
)  # fmt: skip
def test_what_cannot_be_run_is_told_in_one_line(words: tuple[str, ...], told: str) -> None:
    done = command(*words)
    assert done.returncode in (1, 78)
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_page_explains_each_check_as_it_is() -> None:
    page = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| ([^|]+) \| [^|]{20,} \|$", page, re.MULTILINE)
    assert rows == [(check.name, check.promise) for check in CHECKS]


@pytest.mark.slow
def test_it_needs_no_library_for_developers() -> None:
    """A game is looked at where moderator is installed, and nothing else."""
    code = "import sys, moderator.conformance.checks; print(sorted({'pytest', 'hypothesis'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


DOCS = (Path(__file__).parents[2] / "docs" / "zugbrett.md").read_text(encoding="utf-8")
(CHECK,) = (check for check in CHECKS if check.name == "page")


def looked(fault: Fault, folder: Path, told: str) -> Outcome:
    """``told``: of what; under a name of its own, because what was read of a game is kept."""
    with installed(replace(fault, name=f"{told}-{fault.name}"), folder) as key:
        return run(CHECK, Subject(key, quick=True))


def named(name: str) -> Fault:
    (found,) = (fault for fault in FAULTS if fault.name == name)
    return found


@pytest.mark.slow
def test_without_node_names_and_sentences_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    whole = looked(WITHOUT, tmp_path / "whole", "no-node")
    assert whole.ok
    assert "needs node" in whole.skipped
    for name in ("page-with-a-name-of-the-shell", "page-with-a-misspelt-code", "sentence-that-no-page-says"):
        assert not looked(named(name), tmp_path / name, "no-node").ok, name


def test_a_game_without_a_page_is_left_alone(tmp_path: Path) -> None:
    with installed(replace(WITHOUT, name="no-page"), tmp_path) as key:
        (tmp_path / key / "board.js").unlink()
        assert run(CHECK, Subject(key, quick=True)).skipped == "it has no page to lay tiles on"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("page-that-does-not-parse", "SyntaxError"),
        ("page-with-two-names", "Identifier 'listed' has already been declared"),
        ("page-with-a-name-of-the-shell", "'fill' is a name of the shell"),
        ("page-with-a-code-of-the-shell", "'zug-lies' is a sentence of the shell"),
        ("position-without-laid", "no `laid`"),
        ("page-allows-too-little", "the page lets no tile be put so"),
    ],
)
def test_what_is_wrong_is_said(name: str, told: str, tmp_path: Path) -> None:
    assert told in looked(named(name), tmp_path, "said").findings[0].found


def listed(heading: str) -> set[str]:
    (line,) = re.findall(rf"^{heading}: (.*)$", DOCS, re.MULTILINE)
    return set(re.findall(r"`([^`]+)`", line))


def test_the_page_names_what_is_the_shells() -> None:
    assert listed("Names of the shell") == page.reserved()
    assert listed("Sentences of the shell") == page.shell_codes()


def test_the_drawing_that_it_shows_is_that_of_linie() -> None:
    (block,) = re.findall(r"```js\n(.*?)```", DOCS, re.DOTALL)
    assert block in (LINIE / "board.js").read_text(encoding="utf-8")


def test_the_page_names_the_tags_that_are_drawn() -> None:
    shell = "".join(board_page.shell())
    (tags,) = re.findall(r"\^\(([\w|]+)\)\$/\.test\(tag\)", shell)
    assert listed("Tags") == set(tags.split("|"))
    assert re.search(r"const TAGS = \[(.*)\];", page.ASKS.read_text(encoding="utf-8"))[1].replace('"', "").split(
        ", "
    ) == tags.split("|")
