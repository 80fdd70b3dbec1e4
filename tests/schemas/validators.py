"""Validators of our schemas; `also_as_json` holds what commands print against them.

A test that runs a command which only looks has it run with ``--json``, too: so the schemas are tried in whatever states
tests bring clubs into.
"""

import json
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner
from jsonschema import Draft202012Validator, FormatChecker

from moderator import schemas
from moderator.cli import cli
from moderator.cli.derived import build_class_schema
from moderator.cli.group import JsonOption
from tests.schemas.make import DRAFT, OTHERS

FORMATS = FormatChecker(())


def _moment(value: Any) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


def _day(value: Any) -> bool:
    return not isinstance(value, str) or date.fromisoformat(value).isoformat() == value


FORMATS.checks("date-time", raises=ValueError)(_moment)
FORMATS.checks("date", raises=ValueError)(_day)


@cache
def validator(name: str) -> Draft202012Validator:
    """Of a schema, or of a part of one: ``report#/$defs/Traced``."""
    file, _, part = name.partition("#")
    schema = build_class_schema(*OTHERS[file]) if file in OTHERS else json.loads(schemas.read_schema(file))
    if part:
        schema = {"$schema": DRAFT, "$defs": schema["$defs"], "$ref": f"#{part}"}
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, format_checker=FORMATS)


READING = {
    ("cup", "list"), ("cup", "show"), ("cup", "standings"), ("match", "list"), ("match", "log"), ("match", "missing"),
    ("match", "preview"), ("match", "protests"), ("match", "show"), ("player", "list"), ("puzzle", "list"),
    ("quarantine", "list"), ("quarantine", "show"), ("ratings",), ("referee", "list"), ("today",),
}  # fmt: skip


def also_as_json(settings: Path, *words: str) -> None:
    """What was run with these words and went well."""
    path = next((path for path in READING if words[: len(path)] == path), None)
    if path is None or {"--json", "--help", "--csv", "--results"} & set(words):
        return
    done = CliRunner().invoke(cli, ["--config", str(settings), *words, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, (words, done.output)
    validated(path, done.stdout)


def validated(path: tuple[str, ...], printed: str) -> list[Any]:
    """What that command printed with ``--json``: each of it has the schema that the option names."""
    option = json_option(path)
    lines = "an object a line" in (option.help or "")
    found = [json.loads(line) for line in (printed.splitlines() if lines else [printed])]
    for one in found:
        validator(option.schema).validate(one)
    return found


def json_option(path: tuple[str, ...]) -> JsonOption | None:
    command: click.Command = cli
    for word in path:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        command = found
    return next((one for one in command.params if isinstance(one, JsonOption)), None)
