"""What a listing prints: a line for each thing, or with ``--json`` an object for each, one on a line, for programs.

Times in JSON are ISO 8601 with their zone; what is not there is null."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from enum import Enum
from typing import Any

import click

JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object for each, for programs.")
Row = tuple[Mapping[str, Any], str]
"""The thing as values, and as a line."""


def listed(rows: Iterable[Row], as_json: bool, otherwise: str = "") -> None:
    """Print them; ``otherwise``: what a person reads where there are none. Marks that would steer a terminal are spelt
    out, in JSON as all that is not ASCII."""
    from moderator.printable import spelt_out

    empty = True
    for values, line in rows:
        empty = False
        click.echo(json.dumps(values, default=_plain) if as_json else spelt_out(line))
    if empty and otherwise and not as_json:
        click.echo(otherwise)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{type(value).__name__} has no JSON")
