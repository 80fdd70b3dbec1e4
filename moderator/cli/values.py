"""Values as they are typed: options of a game, settings of a tournament."""

from __future__ import annotations

from typing import Any

import click


def read_option(text: str) -> tuple[str, Any]:
    """``rack_size=8`` as (name, value); values are read as TOML, anything else is a text."""
    import tomllib

    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r}: write it as name=value, e.g. pace=rounds")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


def read_setting(text: str) -> tuple[str, Any]:
    """``rounds=5`` as (name, value), see desk/cup/settings.py."""
    name, value = read_option(text)
    if name == "late_points":  # 0 and 1/2 are both texts there
        value = str(value)
    if name == "tiebreaks" and isinstance(value, str):
        value = [code.strip() for code in value.split(",") if code.strip()]
    return name, value
