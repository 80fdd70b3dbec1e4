"""JSON as others write it."""

from __future__ import annotations

import json
from typing import Any


def read(text: str) -> Any:
    """The values. A number without a fraction is a whole one, however it is written (``1.0``), as in JSON Schema.

    Raises ValueError for what is no JSON (``json.JSONDecodeError`` where a place can be told), RecursionError for what
    is nested too deeply."""
    return json.loads(text, parse_float=_number, parse_constant=_no_number)


def _number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")
