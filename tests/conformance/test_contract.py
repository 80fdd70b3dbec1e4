"""The versions of the contracts: what games, robots, formats and transports say of them, and what docs/contract.md
promises."""

from __future__ import annotations

import dataclasses
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from moderator import bots
from moderator.config import TRANSPORTS as TRANSPORTS_THERE
from moderator.conformance.promised import FORMATS, PROMISED, ROBOTS, TRANSPORTS, WHOLE, unpromised
from moderator.errors import OperatorError
from moderator.games import REGISTRY, load
from moderator.mail import transport
from moderator.match.contract import CONTRACT
from moderator.pages.png import FOLDER
from moderator.tournaments import formats
from tests.conformance.test_faults import RULES, Fault, installed
from tests.packages import installed as installed_package
from tests.packages import write

HERE = Path(__file__).parents[1]
DOCS = HERE.parent / "docs"
PAGE = (DOCS / "contract.md").read_text(encoding="utf-8")
KINDS = {"Games": PROMISED, "Robots": ROBOTS, "Formats of tournaments": FORMATS, "Transports": TRANSPORTS}
SOURCES = {
    "Robots": re.findall(r"```python\n(.*?)```", (DOCS / "bots.md").read_text(encoding="utf-8"), re.DOTALL),
    "Formats of tournaments": [one.read_text(encoding="utf-8") for one in sorted((HERE / "tenth/kette").glob("*.py"))],
    "Transports": re.findall(r"```python\n(.*?)```", (DOCS / "transports.md").read_text(encoding="utf-8"), re.DOTALL),
}
"""What was written in packages of their own: the examples of the pages, and the formats of tests/tenth."""


def public(module: str) -> set[str]:
    """The names without an underscore that are made there, or passed on under their own name as the typed way is."""
    there = import_module(module)
    source = inspect.getsource(there)
    made = re.findall(r"^(?:class|def) ([A-Za-z]\w*)|^([A-Za-z]\w*)(?:: [^=\n]+)? = ", source, re.MULTILINE)
    passed_on = re.findall(r"^from \S+ import (\w+) as \1$", source, re.MULTILINE)
    return {name for pair in made for name in pair if name} | {*passed_on}


@pytest.mark.parametrize("module", WHOLE)
def test_of_these_modules_all_that_is_public_is_promised(module: str) -> None:
    assert public(module) == {*PROMISED[module]}


@pytest.mark.parametrize("what", KINDS)
def test_what_is_promised_is_there(what: str) -> None:
    for module, names in KINDS[what].items():
        there = import_module(module)
        assert [name for name in names if not hasattr(there, name)] == []


def told(what: str) -> dict[str, dict[str, str]]:
    """Module -> name -> what the page says of it."""
    _, *parts = re.split(r"^### ", page(what), flags=re.MULTILINE)
    found = {}
    for part in parts:
        (module,) = re.findall(r"^`([\w.]+)`", part)
        found[module] = dict(re.findall(r"^\| `(\w+)` \| ([^|]{5,}) \|$", part, re.MULTILINE))
    return found


def page(what: str) -> str:
    """Its part of the page."""
    (part,) = re.findall(rf"^# {what}\n(.*?)(?=^# |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return str(part)


@pytest.mark.parametrize("what", KINDS)
def test_the_page_names_exactly_these(what: str) -> None:
    assert {module: sorted(names) for module, names in told(what).items()} == {
        module: sorted(names) for module, names in KINDS[what].items()
    }


@pytest.mark.parametrize("what", [*KINDS][1:])
def test_it_names_all_fields(what: str) -> None:
    """And what else it names of a class is there, too."""
    for module, names in told(what).items():
        for name, says in names.items():
            thing, parts = getattr(import_module(module), name), re.findall(r"`(\w+)`", says)
            if dataclasses.is_dataclass(thing) and parts:
                fields = [field.name for field in dataclasses.fields(thing)]
                assert parts[: len(fields)] == fields, name
            assert [part for part in parts if part not in {*dir(thing), *inspect.get_annotations(thing)}] == [], name


def test_the_page_is_about_these_versions() -> None:
    assert f"It is about version **{CONTRACT}** of the contract" in PAGE
    assert f"contract = {CONTRACT}\n" in PAGE
    for what, registry in {
        "Robots": bots.REGISTRY,
        "Formats of tournaments": formats.REGISTRY,
        "Transports": TRANSPORTS_THERE,
    }.items():
        assert f"\nVersion **{registry.contract}**: `CONTRACT` in " in page(what)
        assert registry.group in PAGE
    assert TRANSPORTS_THERE.contract == transport.CONTRACT


@pytest.mark.parametrize("what", [*SOURCES])
def test_what_others_have_written_imports_nothing_else(what: str) -> None:
    for source in SOURCES[what]:
        assert [*unpromised(source, KINDS[what])] == []


def test_what_is_not_promised_is_seen() -> None:
    source = "import moderator.store.db\nfrom moderator.mail.model import Bounce, RawMail\nimport os\n"
    assert [*unpromised(source, TRANSPORTS)] == [(1, "moderator.store.db"), (2, "moderator.mail.model.Bounce")]


def test_a_format_of_a_newer_contract_is_refused_and_one_that_says_nothing_is_of_the_first(tmp_path: Path) -> None:
    source = (HERE / "tenth" / "kette" / "formats.py").read_text(encoding="utf-8")
    files = {"old.py": source, "new.py": source.replace("    days = 9\n", "    contract = 2\n    days = 9\n")}
    write(tmp_path, "two", files, {"moderator.formats": {"alt": "old:CHAIN", "neu": "new:CHAIN"}})
    with installed_package(tmp_path):
        assert formats.load("alt").contract == 1
        with pytest.raises(OperatorError, match="'neu' was written for contract 2, and 1 is the newest here"):
            formats.load("neu")
    formats._LOADED.pop("alt")


def test_a_transport_without_a_version_is_refused_in_one_line(tmp_path: Path) -> None:
    write(tmp_path, "post", {"post.py": "TRANSPORT = object()\n"}, {"moderator.transports": {"post": "post:TRANSPORT"}})
    with installed_package(tmp_path), pytest.raises(OperatorError, match="'post' does not say which contract"):
        TRANSPORTS_THERE.load("post")


@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_each_game_names_the_version_that_it_was_written_for(key: str) -> None:
    assert load(key).contract == 1


@pytest.mark.parametrize(
    ("written", "told"),
    [("", "Add `contract = 1` to its class and run `python -m moderator.conformance"),
     ("contract = 0", "Add `contract"),
     ('contract = "1"', "Add `contract"), ("contract = True", "Add `contract"),
     ("contract = 2", "was written for contract 2, and 1 is the newest here. Install a newer moderator")],
)  # fmt: skip
def test_a_game_of_another_contract_is_refused_in_one_line(written: str, told: str, tmp_path: Any) -> None:
    old = Fault("old", "", RULES, "contract = 1\n", f"{written}\n")
    with installed(old, tmp_path) as key, pytest.raises(OperatorError) as raised:
        load(key)
    assert told in str(raised.value)
    assert key in str(raised.value)
    assert "\n" not in str(raised.value)


def test_it_lists_the_signs_that_a_picture_can_hold() -> None:
    listed = (FOLDER / "covered.txt").read_text(encoding="ascii").split()
    assert f"\n    {' '.join(listed)}\n" in PAGE
