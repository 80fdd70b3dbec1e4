"""The frame of all commands: the click group, the border where errors become exit codes, and what commands print for
programs, with ``--json``: of a listing an object for each thing, one on a line; else one."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from moderator.cli.command_tree import (
    ANYWHERE,
    GROUPS,
    OLD_NAMES,
    STAFF_COMMANDS,
    TREE,
    find_command_place,
    list_command_names,
)
from moderator.cli.outlines import build_outlined_command, get_summary
from moderator.cli.table import print_table
from moderator.cli.texts import (
    SPOKEN,
    MisuseError,
    choose_language,
    render_text,
    say_lines,
    translate_command,
    translate_error,
    translate_text,
)
from moderator.common import disk
from moderator.common.disk import FALLBACK
from moderator.common.errors import ConfigError, ExitCode, OperatorError, TransientError
from moderator.common.text import escape_unprintable, suggest, to_json_value

PROMISED = ("report", "review", "turn")
"""One object each."""
Function = TypeVar("Function", bound=Callable[..., Any])
Row = tuple[Mapping[str, Any], str]
"""The thing as values, and as a line."""


class JsonOption(click.Option):
    """``--json``; ``schema``: name of what is printed."""

    def __init__(self, *arguments: Any, schema: str, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.schema = schema


def with_json_option(schema: str, lines: bool = False) -> Callable[[Function], Function]:
    """Return a decorator that adds the option ``--json`` (argument ``as_json``) to a command that prints what has this
    schema; ``lines``: as many as there are, one on a line."""
    there = f" (`moderator schema {schema}`)" if lines or schema in PROMISED else ""
    how = "an object a line" if lines else "one object"
    return click.option(
        "--json", "as_json", cls=JsonOption, schema=schema, is_flag=True, help=f"For programs: {how}{there}."
    )


def print_values(
    headings: Sequence[str],
    rows: Sequence[tuple[Mapping[str, Any], Sequence[str]]],
    as_json: bool,
    otherwise: str,
) -> None:
    """Print each thing as a row of a table, or as JSON; ``otherwise``: what a person reads where there are none."""
    if as_json or not rows:
        print_rows(((values, "") for values, _ in rows), as_json, otherwise)
        return
    titles = [render_text(f"heading-{one}") for one in headings]
    print_table(titles, [[*map(escape_unprintable, cells)] for _, cells in rows])


def print_rows(rows: Iterable[Row], as_json: bool, otherwise: str = "") -> None:
    """Print the rows; ``otherwise``: what a person reads where there are none. Characters that would steer a terminal
    are spelt out, in JSON as all that is not ASCII."""
    empty = True
    for values, line in rows:
        empty = False
        click.echo(json.dumps(values, default=to_json_value) if as_json else escape_unprintable(translate_text(line)))
    if empty and otherwise and not as_json:
        say_lines(otherwise)


CODES = "\b\nExit codes:\n" + "\n".join(f"{code.value:>4}  {code.meaning}" for code in ExitCode)


class LazyGroup(click.Group):
    """A group that knows the names of its commands, and imports only the module of the one that runs."""

    path = ""
    """As in ``TREE``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list_command_names(self.path)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        words = f"{self.path} {cmd_name}".strip()
        name = OLD_NAMES.get(words, words).split()[-1]
        place = find_command_place(self.path, name)
        if place is None and self.path == "match":
            place = STAFF_COMMANDS  # one that a package has brought, perhaps
        if place is None:
            return None
        if place == "":
            group = LazyGroup(name, help=GROUPS[name])
            group.path = name
            return group
        if "_MODERATOR_COMPLETE" in os.environ and name in list_command_names(self.path):
            return build_outlined_command(self.path, name)
        module, function = place.split(":")
        found = getattr(import_module(f"moderator.cli.{module}"), function)
        command: click.Command | None = found if isinstance(found, click.Command) else found(name)
        return command and translate_command(command)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> click.Context:
        if parent is None:
            parts = ((*one.partition("="), after) for one, after in pairwise([*args, ""]))
            named = [value if sign else after for name, sign, value, after in parts if name == "--config"]
            SPOKEN.set(FALLBACK if "--json" in args else choose_language(Path(named[0]) if named else None))
        return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (OperatorError, TransientError) as error:
            if ctx.parent is None:
                translate_error(error)
            raise

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super(LazyGroup, translate_command(self)).format_help(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, section in TREE[self.path].items():
            with formatter.section(translate_text(heading or "Commands")):
                formatter.write_dl([(name, get_summary(self.path, name)) for name in section])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in list_command_names(self.path) if name.startswith(incomplete)]
        named = [CompletionItem(name, help=get_summary(self.path, name)) for name in names]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        known = list_command_names(self.path)
        if sys.platform.startswith("win") and not self.path and args[0] in known and args[0] not in ANYWHERE:
            raise ConfigError(
                "moderator does not run on Windows.", "Use WSL: https://learn.microsoft.com/windows/wsl/."
            )
        command = self.get_command(ctx, args[0])
        if command is None and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise MisuseError(f"There is no command {args[0]!r}. {suggest(args[0], known)}", ctx)
        _, command, rest = super().resolve_command(ctx, args)
        return command and command.name, command, rest


@click.group(cls=LazyGroup, epilog=CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="moderator")
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Configuration file. [default: $MODERATOR_CONFIG or ./moderator.toml]",
)
@click.pass_context
def cli(ctx: click.Context, config_file: Path | None) -> None:
    """A referee for postal games played by e-mail."""
    ctx.obj = config_file


def run_command_line() -> None:
    """Run the command line: its entry point. Exit codes: ``errors.ExitCode``."""
    try:
        cli(prog_name="moderator")
    except (OperatorError, TransientError) as error:
        say_lines(f"moderator: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.exit(ExitCode.FINE)
    except Exception as error:
        fault = disk.find_operator_fault(error)
        if fault is not None:  # the machine's: no module can be loaded, say
            say_lines(f"moderator: {fault}", err=True)
            sys.exit(fault.exit_code)
        # Our own bug: the traceback is what whoever mends it needs.
        import traceback

        traceback.print_exc()
        say_lines("moderator: this is a bug of moderator's; nothing was lost. Please report the lines above.", err=True)
        sys.exit(ExitCode.BUG)
