"""Our nine games pass what ``python -m moderator.conformance`` asks of any, and so does one of another package."""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from moderator.common.errors import OperatorError
from moderator.conformance import touch_board as page
from moderator.conformance.checks import CHECKS
from moderator.conformance.promised import PROMISED, TRANSPORTS, WHOLE, iter_unpromised_imports
from moderator.conformance.subject import Check, GameSubject, Outcome, run_check
from moderator.games import REGISTRY, load_game
from moderator.mail import transport
from moderator.mail.settings import TRANSPORTS as TRANSPORTS_THERE
from moderator.render import touch_board
from moderator.render.png import FOLDER
from moderator.rules.game import CONTRACT
from tests.conformance.test_faults import FAULTS, LINIE, RULES, WITHOUT, Fault, installed
from tests.packages import installed as installed_package
from tests.packages import write
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
BY_MAIL = {check.name for check in CHECKS if check.name.startswith("mail")} | {"hidden-mail", "hidden-site", "site"}


def looked_at(key: str, checks: Iterable[Check]) -> None:
    """All of them find nothing, and none because it saw nothing."""
    subject = GameSubject(key, quick=True, settings=SHORT.get(key, {}))
    outcomes = [run_check(check, subject) for check in checks]
    assert [line for one in outcomes if not one.is_ok for line in one.format_lines()] == []
    skipped = {one.check.name for one in outcomes if one.skipped}
    assert skipped <= {"imports"} | NOTHING_TO_LOOK_AT.get(key, {"examples"})


LONG = {key: pytest.mark.matrix("every game", seconds=14) for key in ("presto", "point", "kreuzwort")}


@pytest.mark.parametrize("key", [pytest.param(key, marks=LONG.get(key, pytest.mark.slow)) for key in sorted(REGISTRY)])
def test_every_game_passes_what_needs_no_mail(key: str) -> None:
    looked_at(key, [check for check in CHECKS if check.name not in BY_MAIL])


@pytest.mark.matrix("every game", seconds=12)
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_every_game_passes_by_mail(key: str) -> None:
    looked_at(key, [check for check in CHECKS if check.name in BY_MAIL])


def command(*words: str) -> subprocess.CompletedProcess[str]:
    there = {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "tenth")}
    line = [sys.executable, "-m", "moderator.conformance", *words]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, env=there)


@pytest.mark.slow
def test_the_command_says_a_line_for_each_check_and_as_json_the_same() -> None:
    done = command("linie", "--quick")
    assert done.returncode == 0, done.stdout
    *lines, total = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [check.name for check in CHECKS]
    assert total == f"{len(CHECKS)} checks, 0 failed"
    done = command("linie", "--quick", "--json", "--seed", "3", "--only", "notation", "--only", "alt")
    values = json.loads(done.stdout)
    validator("conformance").validate(values)
    assert (values["game"], values["seed"], values["ok"]) == ("linie", 3, True)
    assert [one["check"] for one in values["checks"]] == ["notation", "alt"]


@pytest.mark.slow
def test_what_cannot_be_run_is_told_in_one_line() -> None:
    for words, told in (
        (("weg",), "There is no game 'weg'."),
        (("linie", "--only", "luck"), "There is no check 'luck'."),
        (("linie", "--set", "luck=3"), "luck"),
    ):
        done = command(*words)
        assert done.returncode in (1, 2, 78)
        assert told in done.stderr
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_it_needs_no_library_for_developers() -> None:
    """A game is looked at where moderator is installed, and nothing else."""
    code = "import sys, moderator.conformance.checks; print(sorted({'pytest', 'hypothesis'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


TOUCH_BOARD = (ROOT / "docs" / "build" / "touch-board.md").read_text(encoding="utf-8")
(CHECK,) = (check for check in CHECKS if check.name == "page")


def looked(name: str, folder: Path) -> Outcome:
    """Under a key of its own, because what was read of a game is kept."""
    (fault,) = (fault for fault in (WITHOUT, *FAULTS) if fault.name == name)
    with installed(replace(fault, name=f"no-node-{name}"), folder / name) as key:
        return run_check(CHECK, GameSubject(key, quick=True))


@pytest.mark.slow
def test_without_node_names_and_sentences_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    whole = looked("without", tmp_path)
    assert whole.is_ok
    assert "needs node" in whole.skipped
    for name in ("page-with-a-name-of-the-shell", "page-with-a-misspelt-code", "sentence-that-no-page-says"):
        assert not looked(name, tmp_path).is_ok, name


def test_a_game_without_a_page_is_left_alone(tmp_path: Path) -> None:
    with installed(replace(WITHOUT, name="no-page"), tmp_path) as key:
        (tmp_path / key / "board.js").unlink()
        assert run_check(CHECK, GameSubject(key, quick=True)).skipped == "it has no touch board"


def test_the_page_names_all_tags_and_shows_how_linie_is_drawn() -> None:
    (tags,) = re.findall(r"\^\(([\w|]+)\)\$/\.test\(tag\)", "".join(touch_board.read_shell_modules()))
    (line,) = re.findall(r"^Tags: (.*)$", TOUCH_BOARD, re.MULTILINE)
    assert set(re.findall(r"`([^`]+)`", line)) == set(tags.split("|"))
    (asked,) = re.findall(r"const TAGS = \[(.*)\];", page.ASKS.read_text(encoding="utf-8"))
    assert asked.replace('"', "").split(", ") == tags.split("|")
    (block,) = re.findall(r"```js\n(.*?)```", TOUCH_BOARD, re.DOTALL)
    assert block in (LINIE / "board.js").read_text(encoding="utf-8")


DOCS = ROOT / "docs"
PAGE = (DOCS / "build" / "contract.md").read_text(encoding="utf-8")
KINDS = {"Games": PROMISED, "Transports": TRANSPORTS}
SOURCES = re.findall(r"```python\n(.*?)```", (DOCS / "build" / "transports.md").read_text(encoding="utf-8"), re.DOTALL)
"""A transport in a package of its own: the example of the page."""


def public(module: str) -> set[str]:
    """The names without an underscore that are made there, or passed on under their own name as the typed way is."""
    there = import_module(module)
    source = inspect.getsource(there)
    made = re.findall(r"^(?:class|def) ([A-Za-z]\w*)|^([A-Za-z]\w*)(?:: [^=\n]+)? = ", source, re.MULTILINE)
    passed_on = re.findall(r"^from \S+ import (\w+) as \1$", source, re.MULTILINE)
    return {name for pair in made for name in pair if name} | {*passed_on}


def test_of_these_modules_all_that_is_public_is_promised() -> None:
    for module in WHOLE:
        assert public(module) == {*PROMISED[module]}


def part_about(what: str) -> str:
    (part,) = re.findall(rf"^# {what}\n(.*?)(?=^# |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return str(part)


@pytest.mark.parametrize("what", KINDS)
def test_what_is_promised_is_there(what: str) -> None:
    for module, names in KINDS[what].items():
        assert [name for name in names if not hasattr(import_module(module), name)] == []


def test_the_page_is_about_these_versions() -> None:
    assert f"This is version **{CONTRACT}** of the contract" in PAGE
    assert f"contract = {CONTRACT}\n" in PAGE
    assert f"\nVersion **{TRANSPORTS_THERE.contract}**: `CONTRACT` in " in part_about("Transports")
    assert TRANSPORTS_THERE.group in PAGE
    assert TRANSPORTS_THERE.contract == transport.CONTRACT
    listed = (FOLDER / "covered.txt").read_text(encoding="ascii").split()
    assert f"\n    {' '.join(listed)}\n" in PAGE, "the signs that a picture can hold"
    assert {load_game(key).contract for key in REGISTRY} == {2}


def test_what_others_have_written_imports_nothing_else() -> None:
    assert SOURCES
    assert [name for source in SOURCES for name in iter_unpromised_imports(source, TRANSPORTS)] == []


def test_a_transport_without_a_version_is_refused_in_one_line(tmp_path: Path) -> None:
    write(tmp_path, "post", {"post.py": "TRANSPORT = object()\n"}, {"moderator.transports": {"post": "post:TRANSPORT"}})
    with installed_package(tmp_path), pytest.raises(OperatorError, match="'post' does not say which contract"):
        TRANSPORTS_THERE.load_registered("post")


@pytest.mark.parametrize(
    ("written", "told"),
    [("", "Add `contract = 2` to its class and run `python -m moderator.conformance"),
     ("contract = 0", "Add `contract"),
     ('contract = "1"', "Add `contract"), ("contract = True", "Add `contract"),
     ("contract = 3", "was written for contract 3, and 2 is the newest here. Install a newer moderator")],
)  # fmt: skip
def test_a_game_of_another_contract_is_refused_in_one_line(written: str, told: str, tmp_path: Any) -> None:
    old = Fault("old", "", RULES, "contract = 2\n", f"{written}\n")
    with installed(old, tmp_path) as key, pytest.raises(OperatorError) as raised:
        load_game(key)
    assert told in str(raised.value)
    assert key in str(raised.value)
    assert "\n" not in str(raised.value)
