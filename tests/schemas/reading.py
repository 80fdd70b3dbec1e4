"""Commands that only look: whoever runs one in a test has it run with ``--json``, too, and what it prints compared with
its schema. So the schemas are tried in whatever states tests bring clubs into."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from moderator.cli import cli
from moderator.cli.listing import JsonOption
from tests.schemas.validators import validator

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
    option = json_option(path)
    done = CliRunner().invoke(cli, ["--config", str(settings), *words, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, (words, done.output)
    lines = "an object a line" in (option.help or "")
    for one in done.stdout.splitlines() if lines else [done.stdout]:
        validator(option.schema).validate(json.loads(one))


def json_option(path: tuple[str, ...]) -> JsonOption:
    import click

    command: click.Command = cli
    for word in path:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        assert found is not None
        command = found
    return next(one for one in command.params if isinstance(one, JsonOption))
