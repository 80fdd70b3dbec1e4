"""The version of the contract: what a game says of it, and what docs/contract.md promises."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from moderator.conformance.promised import PROMISED, WHOLE
from moderator.errors import OperatorError
from moderator.games import REGISTRY, load
from moderator.match.contract import CONTRACT
from tests.conformance.faults import RULES, Fault, installed
from tests.every import for_every

PAGE = (Path(__file__).parents[2] / "docs" / "contract.md").read_text(encoding="utf-8")


def public(module: str) -> set[str]:
    """The names without an underscore that are made there, or passed on under their own name as the typed way is."""
    there = import_module(module)
    source = inspect.getsource(there)
    made = re.findall(r"^(?:class|def) ([A-Za-z]\w*)|^([A-Za-z]\w*)(?:: [^=\n]+)? = ", source, re.MULTILINE)
    passed_on = re.findall(r"^from \S+ import (\w+) as \1$", source, re.MULTILINE)
    return {name for pair in made for name in pair if name} | {*passed_on}


@for_every("module", WHOLE)
def test_of_these_modules_all_that_is_public_is_promised(module: str) -> None:
    assert public(module) == {*PROMISED[module]}


@for_every("module", PROMISED)
def test_what_is_promised_is_there(module: str) -> None:
    there = import_module(module)
    assert [name for name in PROMISED[module] if not hasattr(there, name)] == []


def test_the_page_names_exactly_these() -> None:
    told = {}
    for part in re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]:
        (module,) = re.findall(r"^`([\w.]+)`", part)
        told[module] = re.findall(r"^\| `(\w+)` \| [^|]{5,} \|$", part, re.MULTILINE)
    assert {module: sorted(names) for module, names in told.items()} == {
        module: sorted(names) for module, names in PROMISED.items()
    }


def test_the_page_is_about_this_version() -> None:
    assert f"It is about version **{CONTRACT}** of the contract" in PAGE
    assert f"contract = {CONTRACT}\n" in PAGE


@for_every("key", sorted(REGISTRY))
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
