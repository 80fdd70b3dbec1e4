"""The frame of all commands: the click group, the border where errors become exit codes, and what commands print for
programs, with ``--json``: of a listing an object for each thing, one on a line; else one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from moderator.common import disk
from moderator.common.errors import ConfigError, ExitCode, OperatorError, TransientError
from moderator.common.text import escape_unprintable, to_json_value

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
    told = f"For programs: {'an object a line' if lines else 'one object'}{there}."
    return click.option("--json", "as_json", cls=JsonOption, schema=schema, is_flag=True, help=told)


def print_rows(rows: Iterable[Row], as_json: bool, otherwise: str = "") -> None:
    """Print the rows; ``otherwise``: what a person reads where there are none. Characters that would steer a terminal
    are spelt out, in JSON as all that is not ASCII."""
    empty = True
    for values, line in rows:
        empty = False
        click.echo(json.dumps(values, default=to_json_value) if as_json else escape_unprintable(line))
    if empty and otherwise and not as_json:
        click.echo(otherwise)


COMMANDS = {
    "analyse": ("record:analyse", "List the legal moves of the seat to move, best first."),
    "audit": ("backups:audit", "List who did what, by mail and on the command line, in order of..."),
    "backup": ("backups:backup", "Copy everything into FILE, or into FOLDER under a name with..."),
    "clock": ("clock:clock", "The machine's clock, and deadlines that moved by..."),
    "compose": ("turn:compose", "Write the answer to a turn as a mail."),
    "cup": ("tournament:tournament", "Tournaments: set one up, run it, look at it."),
    "demo": ("trial_clubs:demo", "A table with two robots (one, where two can play) and you,..."),
    "doctor": ("doctor:doctor", "Check configuration, database, mailbox, mail server,..."),
    "export": ("match:print_match_record", "Write the record of a finished match to standard output."),
    "game": ("game:game", "The games that can be played here, and your own."),
    "init": ("init:init", "Write moderator.toml from the example if there is none;..."),
    "lexicon": ("words:lexicon", "Dictionaries: build them, list them, ask them."),
    "match": ("match:match", "Matches: set one up, start it, look at it."),
    "move-in": ("move_in:move_in_club", "Take in what FOLDER holds: players (players.csv, .vcf),..."),
    "move-store": ("backups:move_store", "Copy everything into an empty database: to PostgreSQL..."),
    "player": ("player:player", "The people (and robots) who play."),
    "publish": ("publish:publish", "Write the archive into DIR (else [site] folder, else site):..."),
    "puzzle": ("puzzle:puzzle", "The puzzle of the week."),
    "quarantine": ("mailbox:quarantine", "Mails that wait for your look."),
    "ratings": ("player:ratings", "The rating list of each game."),
    "receive": ("tick:receive", "Take one mail from standard input (a pipe from a delivery..."),
    "rehearse": ("tick:rehearse", "Play the mails of ARCHIVE (mbox, Maildir or a folder of..."),
    "referee": ("referee:referee", "Referees: who is in charge of single matches or tournaments..."),
    "replay": ("record:replay", "Play a record file and report every move."),
    "reread": ("backups:reread", "Move mails from the folders of read mails back into the inbox."),
    "restore": ("backups:restore", "Put the backup FILE in place, and let the next tick read..."),
    "review": ("puzzle:review", "Show what each turn of a finished match was, the best there..."),
    "sandbox": ("trial_clubs:sandbox", "Copy the club into FOLDER, where the clock is turned by..."),
    "schema": ("derived:print_schema", "Print the JSON Schema NAME; without a name, what there is...."),
    "tick": ("tick:tick", "Fetch mails, referee them, send the answers."),
    "today": ("mailbox:today", "List what waits for you, the most urgent first, each with..."),
    "token": ("match:print_staff_address", "The address to which the moderator mails commands."),
    "turn": ("turn:turn", "Print the position that a mail carries, and where to answer."),
    "upgrade": ("init:upgrade", "Bring the database to this program's version, and the..."),
    "verify": ("record:verify", "Deal every round again from its seed, check the commitments..."),
    "watch": ("tick:watch", "Like tick, but waits for new mail (IMAP IDLE) and answers..."),
    "words": ("words:words", "The house list: your rulings on single words."),
}
"""Name -> (where it stands in this package, the beginning of its help, as long as a line of `moderator --help`)."""
ANYWHERE = ("analyse", "compose", "game", "replay", "schema", "turn", "verify")
"""Commands that need files only, no club: they run on Windows, too."""
CODES = "\b\nExit codes:\n" + "\n".join(f"{code.value:>4}  {code.meaning}" for code in ExitCode)


LISTED = click.Group(commands=[click.Command(name, help=told) for name, (_, told) in COMMANDS.items()])
"""The commands as a list shows them, without their modules."""


class LazyGroup(click.Group):
    """Knows every command's name and imports only the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(import_module(f"moderator.cli.{module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        LISTED.format_commands(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found = [(name, LISTED.commands[name]) for name in sorted(COMMANDS) if name.startswith(incomplete)]
        named = [CompletionItem(name, help=command.get_short_help_str()) for name, command in found]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if sys.platform.startswith("win") and args[0] in COMMANDS.keys() - ANYWHERE:
            raise ConfigError(
                "moderator does not run on Windows.", "Use WSL: https://learn.microsoft.com/windows/wsl/."
            )
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            if close:
                raise click.UsageError(f"{error.format_message()} Did you mean {close[0]!r}?", ctx) from None
            raise


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
        click.echo(f"moderator: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.exit(ExitCode.FINE)
    except Exception as error:
        fault = disk.find_operator_fault(error)
        if fault is not None:  # the machine's: no module can be loaded, say
            click.echo(f"moderator: {fault}", err=True)
            sys.exit(fault.exit_code)
        # Our own bug: the traceback is what whoever mends it needs.
        import traceback

        traceback.print_exc()
        click.echo(
            "moderator: this is a bug of moderator's; nothing was lost. Please report the lines above.", err=True
        )
        sys.exit(ExitCode.BUG)
