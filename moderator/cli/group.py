"""The click group, and the border where errors become exit codes."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from moderator.common import disk
from moderator.common.errors import ConfigError, ExitCode, OperatorError, TransientError

COMMANDS = {
    "analyse": "moderator.cli.record:analyse",
    "audit": "moderator.cli.backups:audit",
    "backup": "moderator.cli.backups:backup",
    "clock": "moderator.cli.clock:clock",
    "compose": "moderator.cli.turn:compose",
    "cup": "moderator.cli.tournament:tournament",
    "demo": "moderator.cli.trial_clubs:demo",
    "doctor": "moderator.cli.doctor:doctor",
    "export": "moderator.cli.match:print_match_record",
    "game": "moderator.cli.game:game",
    "init": "moderator.cli.init:init",
    "lexicon": "moderator.cli.words:lexicon",
    "match": "moderator.cli.match:match",
    "move-in": "moderator.cli.move_in:move_in_club",
    "move-store": "moderator.cli.backups:move_store",
    "player": "moderator.cli.player:player",
    "publish": "moderator.cli.publish:publish",
    "puzzle": "moderator.cli.puzzle:puzzle",
    "quarantine": "moderator.cli.mailbox:quarantine",
    "ratings": "moderator.cli.player:ratings",
    "receive": "moderator.cli.tick:receive",
    "rehearse": "moderator.cli.tick:rehearse",
    "referee": "moderator.cli.referee:referee",
    "replay": "moderator.cli.record:replay",
    "reread": "moderator.cli.backups:reread",
    "restore": "moderator.cli.backups:restore",
    "review": "moderator.cli.puzzle:review",
    "sandbox": "moderator.cli.trial_clubs:sandbox",
    "schema": "moderator.cli.output:print_schema",
    "tick": "moderator.cli.tick:tick",
    "today": "moderator.cli.mailbox:today",
    "token": "moderator.cli.match:print_staff_address",
    "turn": "moderator.cli.turn:turn",
    "upgrade": "moderator.cli.init:upgrade",
    "verify": "moderator.cli.record:verify",
    "watch": "moderator.cli.tick:watch",
    "words": "moderator.cli.words:words",
}
ANYWHERE = ("analyse", "compose", "game", "replay", "schema", "turn", "verify")
"""Commands that need files only, no club: they run on Windows, too."""
CODES = "\b\nExit codes:\n" + "\n".join(f"{code.value:>4}  {code.meaning}" for code in ExitCode)


class LazyGroup(click.Group):
    """Knows every command's name and imports only the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            name, command, rest = super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            if close:
                raise click.UsageError(f"{error.format_message()} Did you mean {close[0]!r}?", ctx) from None
            raise
        if sys.platform.startswith("win") and name not in ANYWHERE:
            raise ConfigError(
                "moderator does not run on Windows.", "Use WSL: https://learn.microsoft.com/windows/wsl/."
            )
        return name, command, rest


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
