"""The outlines of the commands, made from them: ``python -m tests.cli.outlines`` writes commands.json anew."""

import json
import re
from typing import Any

import click

from moderator.cli.club_names import ClubNameType
from moderator.cli.outlines import FILE
from tests.cli.running import commands


def build_outlines() -> dict[str, Any]:
    return {" ".join(words): _build_outline(command) for words, command in commands()}


def _build_outline(command: click.Command) -> dict[str, Any]:
    shown = [one for one in command.params if not getattr(one, "hidden", False) and one.metavar != ""]
    return {
        "help": get_first_sentence(command),
        "arguments": [[one.nargs, _get_kind(one)] for one in shown if isinstance(one, click.Argument)],
        "options": [
            [[*one.opts, *one.secondary_opts], _get_kind(one), one.help or ""]
            for one in shown
            if isinstance(one, click.Option)
        ],
    }


def get_first_sentence(command: click.Command) -> str:
    """Of its help; it ends before a new sentence begins."""
    text = " ".join((command.help or "").split("\n\n")[0].split())
    return re.split(r"(?<=[.]) (?=[A-Z`“])", text)[0]


def _get_kind(one: click.Parameter) -> Any:
    if isinstance(one, click.Option) and one.is_flag:
        return "flag"
    if isinstance(one.type, click.Choice):
        return list(one.type.choices)
    if isinstance(one.type, click.Path):
        return "file" if one.type.file_okay else "folder"
    return one.type.kind if isinstance(one.type, ClubNameType) else ""


def format_outlines() -> str:
    """A command a line."""
    lines = (f"{json.dumps(name)}: {json.dumps(one, ensure_ascii=False)}" for name, one in build_outlines().items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(format_outlines(), encoding="utf-8")
