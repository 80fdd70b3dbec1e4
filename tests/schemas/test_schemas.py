"""The schemas that are shipped are those of the types and stand in docs/schemas.md; what documents print has them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from moderator import schemas
from moderator.cli import cli
from moderator.match import recordfile
from tests.schemas import make
from tests.schemas.validators import validator

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "schemas.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "moderator").rglob("*.md")])
BLOCK = re.compile(r"(?:<!-- schema: (.+?) -->\n(?:<!--.*-->\n)?)?```json\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_the_files_are_those_of_the_types() -> None:
    there = {file.name: file.read_text(encoding="utf-8") for file in make.FOLDER.glob("*.json")}
    made = make.every()
    assert {name: there[name] for name in made} == made, "run `python -m tests.schemas.make`"


@pytest.mark.parametrize("name", schemas.names())
def test_each_is_a_schema_with_a_number_and_a_line_on_the_page(name: str) -> None:
    schema = json.loads(schemas.text(name))
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == make.DRAFT
    number = re.fullmatch(rf"urn:moderator:schema:{name}:(\d+)", schema["$id"])
    assert number
    assert schema["title"]
    assert re.search(rf"^\| `{name}` \| {number[1]} \|", PAGE, re.MULTILINE)
    assert schema["type"] == "object"
    for key, value in schema["properties"].items():
        if key in ("record", "turn", "report", "review", "moderator") and "const" in value:
            assert value["const"] == int(number[1]), "the number in a file is that of its schema"


@pytest.mark.parametrize("name", schemas.names())
def test_what_a_number_promises_is_kept(name: str) -> None:
    """A key that is gone, or of another type, needs a new number."""
    schema = json.loads(schemas.text(name))
    promised = json.loads(make.PROMISED.read_text(encoding="utf-8"))[schema["$id"]]
    now = make.promises(schema)
    broken = {key: (was, now.get(key)) for key, was in promised.items() if now.get(key) != was}
    assert not broken, "give it a new number in tests/schemas/make.py"
    assert not now.keys() - promised.keys(), "run `python -m tests.schemas.make`"


def test_the_page_names_no_other() -> None:
    assert set(re.findall(r"^\| `([a-z-]+)` \| \d+ \|", PAGE, re.MULTILINE)) == set(schemas.names())


def test_the_command_prints_them() -> None:
    listed = CliRunner().invoke(cli, ["schema"])
    assert [line.split()[0] for line in listed.output.splitlines()] == schemas.names()
    assert CliRunner().invoke(cli, ["schema", "turn"]).output == schemas.text("turn")
    wrong = CliRunner().invoke(cli, ["schema", "recrod"])
    assert "Did you mean record?" in str(wrong.exception)


# ---- what documents print ----


def examples() -> Iterator[tuple[Path, str, str]]:
    """Document, schema, text of every example in JSON."""
    for path in DOCUMENTS:
        for name, text in BLOCK.findall(path.read_text(encoding="utf-8")):
            yield path, name, text


def test_every_example_has_the_schema_that_is_named_above_it() -> None:
    found = list(examples())
    for path, name, text in found:
        assert name, f"{path.name}: say <!-- schema: NAME --> above\n{text[:200]}"
        validator(name).validate(json.loads(text))
    fences = sum(path.read_text(encoding="utf-8").count("```json") for path in DOCUMENTS)
    assert len(found) == fences >= 12


def test_what_stands_in_a_line_of_record_md_has_its_schema_too() -> None:
    """Entries of ``moves``, and what ``analyse`` prints."""
    page = (ROOT / "docs" / "record.md").read_text(encoding="utf-8")
    found = [json.loads(text) for text in re.findall(r"`(\{\"[^`]*\})`", page)]
    for value in found:
        if "moves" in value:
            validator("analysis").validate(value)
        elif set(value) <= set(recordfile.MOVE_KEYS):
            validator("record#/$defs/move").validate(value)
    assert sum("moves" in value for value in found) == 2
    assert sum(set(value) <= set(recordfile.MOVE_KEYS) for value in found) == 7
