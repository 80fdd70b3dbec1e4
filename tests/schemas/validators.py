"""Validators of our schemas."""

from __future__ import annotations

import json
from datetime import date, datetime
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from moderator import schemas

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
    schema = json.loads(schemas.text(file))
    if part:
        schema = {"$schema": schema["$schema"], "$defs": schema["$defs"], "$ref": f"#{part}"}
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, format_checker=FORMATS)
