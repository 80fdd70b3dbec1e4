"""JSON as others write it."""

from __future__ import annotations

import json
from typing import Any


def parse_json(text: str) -> Any:
    """Return the values of a JSON text. A number without a fraction is a whole one, however it is written (``1.0``), as
    in JSON Schema.

    Raises ValueError for what is no JSON (``json.JSONDecodeError`` where a place can be told), RecursionError for what
    is nested too deeply."""
    return json.loads(text, parse_float=_parse_number, parse_constant=_refuse_constant)


def _parse_number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is no number")
