"""What somebody may write that is no move: commands of players and of the moderator, answers, the command line."""

from __future__ import annotations

import re
import shlex

import click

from moderator.cli.run import LazyGroup
from moderator.commands import declaration

ANSWERS = frozenset({
    "JA", "NEIN", "YES", "NO", "ERLAUBT", "UNGÜLTIG", "ALLOWED", "INVALID", "STATTGEGEBEN", "ABGELEHNT", "UPHELD",
    "DENIED", "VALABLE", "INTERDIT", "ungültig", "abgelehnt", "invalid", "denied", "STIMMT", "STIMMT NICHT:", "RIGHT",
    "WRONG:",
})  # fmt: skip
"""Words that answer a question of a mail: test_commands.py, test_who_wrote.py, test_rulings.py, test_asking.py,
test_move_in.py."""
HEADING = re.compile(r"(?:Partie|Match) [A-Z]\d[A-Z]{2}|(?:Partie|Match) [A-Z0-9]{4}")
"""Says which match the lines below it mean: tests/club/test_headings.py."""
_LEFT_OPEN = re.compile(r"…|\bJJJJ-MM-TT\b|\bYYYY-MM-DD\b")


def is_command(text: str) -> bool:
    return declaration.find(text) is not None or declaration.find_of_moderator(text) is not None


def is_typed(text: str) -> bool:
    """Whether the command line takes it, with all its options."""
    if not text.startswith("moderator "):
        return False
    words = shlex.split(_LEFT_OPEN.sub("2026-12-24", text))[1:]
    if words == ["--help"]:
        return True
    command: click.Command = LazyGroup("moderator")
    ctx = click.Context(command, info_name="moderator")
    try:
        while isinstance(command, click.Group):
            name, found, words = command.resolve_command(ctx, words)
            assert found is not None
            command = found
            if isinstance(command, click.Group):
                ctx = click.Context(command, parent=ctx, info_name=name)
        command.make_context(name or "", words, parent=ctx)
    except click.MissingParameter:
        return not words  # its name alone
    except (click.ClickException, click.exceptions.Exit):
        return False
    return True
