"""The check `page` where there is no node; and what docs/zugbrett.md says that pages of games must leave alone."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from moderator.club import board_page
from moderator.conformance import page
from moderator.conformance.checks import CHECKS
from moderator.conformance.finding import Outcome, run
from moderator.conformance.subject import Subject
from tests.conformance.faults import FAULTS, LINIE, WITHOUT, Fault, installed

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
