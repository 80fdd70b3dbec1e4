"""What lists of commands and the shell's completion say of a command, read from commands.json instead of its module."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import click

from moderator.cli.command_tree import GROUPS
from moderator.cli.texts import translate_text

FILE = Path(__file__).with_name("commands.json")


@cache
def read_outlines() -> Mapping[str, Any]:
    """Read the outlines of all commands, by their words."""
    outlines: Mapping[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return outlines


def get_summary(group: str, name: str) -> str:
    """Return the first sentence of a command's help."""
    if not group and name in GROUPS:
        return translate_text(GROUPS[name])
    return translate_text(read_outlines()[f"{group} {name}".strip()]["help"])


def build_outlined_command(group: str, name: str) -> click.Command:
    """Build a command that does nothing and has the arguments and options of the real one, for completion."""
    outline = read_outlines()[f"{group} {name}".strip()]
    params: list[click.Parameter] = [
        click.Argument([f"a{number}"], nargs=count, type=_build_type(kind), required=False)
        for number, (count, kind) in enumerate(outline["arguments"])
    ]
    for names, kind, text in outline["options"]:
        params.append(click.Option(["option", *names], is_flag=kind == "flag", type=_build_type(kind), help=text))
    return click.Command(name, params=params)


def _build_type(kind: str | list[str]) -> click.ParamType[Any] | None:
    if isinstance(kind, list):
        return click.Choice(kind)
    if kind in ("file", "folder"):
        return click.Path(dir_okay=kind == "folder", file_okay=kind == "file")
    from moderator.cli.club_names import NAME_TYPES  # it knows the settings, which no help needs

    return NAME_TYPES.get(kind)
