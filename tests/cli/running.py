"""Runs a command line in a test, as the organiser types it."""

from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner, Result

from moderator.cli.group import cli
from moderator.cli.texts import SPOKEN
from moderator.common.disk import FALLBACK
from moderator.common.errors import ModeratorError
from tests.club.club import Club
from tests.schemas.validators import also_as_json


def run_command(club: Club | Path | None, *words: str | Path, stdin: str | bytes = "") -> Result:
    """Run it in a club, or with these settings; whatever comes of it."""
    file = club.config.file if isinstance(club, Club) else club
    config = [] if file is None else ["--config", str(file)]
    return CliRunner().invoke(cli, [*config, *map(str, words)], input=stdin)


def type_command(club: Club | Path | None, *words: str | Path, stdin: str | bytes = "") -> str:
    """Run one that must go well; what it prints. One that only looks is run with ``--json``, too."""
    done = run_command(club, *words, stdin=stdin)
    assert done.exit_code == 0, (words, done.output, done.exception)
    if club is not None:
        also_as_json(club.config.file if isinstance(club, Club) else club, *map(str, words))
    return done.output


def refuse_command(club: Club | Path | None, *words: str | Path) -> str:
    """Run one that must be refused; the error with its fix, or how it is used."""
    done = run_command(club, *words)
    assert done.exit_code != 0, (words, done.output)
    assert isinstance(done.exception, ModeratorError | SystemExit), done.exception
    return f"{done.exception} {done.output}"


def commands(group: click.Group = cli, *above: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands below it, each with the words by which it is called; they speak English."""
    SPOKEN.set(FALLBACK)
    for name in group.list_commands(click.Context(group)):
        one = group.get_command(click.Context(group), name)
        assert one is not None
        yield from commands(one, *above, name) if isinstance(one, click.Group) else [((*above, name), one)]
