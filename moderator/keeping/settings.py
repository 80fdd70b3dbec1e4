"""The configuration as a backup has it: without passwords."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

SECRET = "password"
"""The one setting that is a secret itself; password_command and token_command only say where one is."""
_LINE = re.compile(rf"^(\s*#?\s*(?:[\w\"'-]+\s*\.\s*)*[\"']?{SECRET}[\"']?\s*=\s*).+$", re.MULTILINE)


def without_secrets(text: str) -> str | None:
    """The file with empty passwords, remarks included; None where that cannot be told for sure (a password over
    several lines, or one that stands elsewhere, too)."""
    changed = _LINE.sub(r'\1""', text)
    before = tomllib.loads(text)
    try:
        after = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        return None
    leaked = any(secret in changed for secret in _secrets(before) if secret)
    return None if leaked or after != _blanked(before) else changed


def _secrets(values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _secrets(value)
        elif name == SECRET:
            yield str(value)


def _blanked(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _blanked(value) if isinstance(value, dict) else "" if name == SECRET else value
        for name, value in values.items()
    }
