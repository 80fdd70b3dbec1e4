"""What commands print for programs, with ``--json``: of a listing an object for each thing, one on a line; else one.

Each such option names what it prints; of what is listed, or promised, there is a schema of that name (``moderator
schema``). Times in JSON are ISO 8601 with their zone; what is not there is null."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import click

from moderator.common.text import escape_unprintable, to_json_value

PROMISED = ("report", "review", "turn")
"""One object each."""
Function = TypeVar("Function", bound=Callable[..., Any])
Row = tuple[Mapping[str, Any], str]
"""The thing as values, and as a line."""


class JsonOption(click.Option):
    """``--json``; ``schema``: name of what is printed."""

    def __init__(self, *arguments: Any, schema: str, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.schema = schema


def with_json_option(schema: str, lines: bool = False) -> Callable[[Function], Function]:
    """Return a decorator that adds the option ``--json`` (argument ``as_json``) to a command that prints what has this
    schema; ``lines``: as many as there are, one on a line."""
    there = f" (`moderator schema {schema}`)" if lines or schema in PROMISED else ""
    told = f"For programs: {'an object a line' if lines else 'one object'}{there}."
    return click.option("--json", "as_json", cls=JsonOption, schema=schema, is_flag=True, help=told)


def print_rows(rows: Iterable[Row], as_json: bool, otherwise: str = "") -> None:
    """Print the rows; ``otherwise``: what a person reads where there are none. Characters that would steer a terminal
    are spelt out, in JSON as all that is not ASCII."""
    empty = True
    for values, line in rows:
        empty = False
        click.echo(json.dumps(values, default=to_json_value) if as_json else escape_unprintable(line))
    if empty and otherwise and not as_json:
        click.echo(otherwise)
