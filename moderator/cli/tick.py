"""`moderator tick`, `watch` and `receive`: the pipeline, started by cron, kept running, or fed by a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator import disk
from moderator.cli import outages
from moderator.cli.screen import shown

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

    from moderator.config import Config
    from moderator.run.summary import Summary


BUG = 70
AWAY = 75


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what would happen and be mailed; change nothing.")
@click.option("-v", "--verbose", is_flag=True, help="Say what was done, also when nothing was.")
@click.option("--take-over", is_flag=True, help="Read the mailbox from here on; another installation of it then stops.")
@click.pass_obj
def tick(config_file: Path | None, dry_run: bool, verbose: bool, take_over: bool) -> None:
    """Fetch mails, referee them, send the answers. Put this into cron; it is quiet when all is well."""
    from moderator.config import load

    config = load(config_file)
    if dry_run:
        from moderator.run.rehearsal import rehearse

        for line in rehearse(config):
            click.echo(line)
        return
    from moderator.errors import TransientError
    from moderator.run.summary import Summary
    from moderator.run.tick import tick as run

    try:
        with progress() as show:
            summary = run(config, show=show, take_over=take_over)
    except TransientError as error:
        summary = Summary(away=[str(error)])
    if verbose:
        click.echo(_line(summary))
    sys.exit(complain(config, summary))


@click.command()
@click.option("--seconds", type=int, default=0, help="Leave after so many seconds; 0 = run until stopped.")
@click.pass_obj
def watch(config_file: Path | None, seconds: int) -> None:
    """Like tick, but waits for new mail (IMAP IDLE) and answers within seconds."""
    from moderator.config import load
    from moderator.run.watch import watch as run

    config = load(config_file)
    for summary in run(config, seconds):
        click.echo(_line(summary))
        complain(config, summary)


@click.command()
@click.pass_obj
def receive(config_file: Path | None) -> None:
    """Take one mail from standard input (a pipe from a delivery agent), handle it and send the answers."""
    from moderator.config import load
    from moderator.errors import OperatorError, TransientError
    from moderator.run.receive import receive as run

    # The agent sends the mail back to its writer at most exit codes, and tries again at 75. A mail that was kept
    # although something failed afterwards is known when it comes again.
    data = sys.stdin.buffer.read()
    try:
        config = load(config_file)
        complain(config, run(config, data))
    except (OperatorError, TransientError) as error:
        click.echo(f"moderator: {error}", err=True)
        sys.exit(AWAY)
    except Exception as error:  # a bug of ours is no reason to send a player's mail back either
        fault = disk.not_readable(error)
        if fault is not None:
            click.echo(f"moderator: {fault}", err=True)
            sys.exit(AWAY)
        import traceback

        traceback.print_exc()
        sys.exit(AWAY)


def complain(config: Config, summary: Summary) -> int:
    """Print what the operator must know to stderr; returns the exit code.

    A server that is away is nothing to write home about until it has been so for half an hour, and then once a day:
    cron would mail the operator at every run.
    """
    for line in summary.quarantined:
        click.echo(shown(f"moderator: {line}; kept, see `moderator quarantine list`"), err=True)
    for line in summary.troubles:
        click.echo(shown(f"moderator: {line}"), err=True)
    lasting, lines = outages.told(config, summary.away, summary.reached, datetime.now(UTC))
    for line in lines:
        click.echo(shown(f"moderator: {line}"), err=True)
    if summary.quarantined:
        return BUG
    return 1 if summary.troubles else AWAY if lasting else 0


def _line(summary: Summary) -> str:
    return (
        f"{summary.taken} mails taken in, {summary.handled} handled, {summary.deadlines} deadlines, "
        f"{summary.reminders} reminders, {summary.steps} steps of tournaments, "
        f"{summary.sent} mails sent, {summary.retry} to be tried again"
    )


# ---- how far a run over many waiting mails has come: one line on a terminal, written anew; nothing elsewhere ----


MANY = 50
"""Fewer mails are handled before anybody has read a line."""


@contextmanager
def progress() -> Iterator[Callable[[int, int], None] | None]:
    """What ``Summary.show`` wants; None where standard error is no terminal, as in cron."""
    if not sys.stderr.isatty():
        yield None
        return
    line = _Line()
    try:
        yield line.show
    finally:
        line.end()


class _Line:
    def __init__(self) -> None:
        self._bar: ProgressBar[int] | None = None
        self._began = time.monotonic()

    def show(self, handled: int, waiting: int) -> None:
        """``handled`` of ``waiting`` mails, how many in a second, and how long it will still take."""
        if waiting <= MANY:
            return
        if self._bar is None:
            self._bar = click.progressbar(
                length=waiting,
                label="Mails",
                bar_template="%(label)s %(info)s",
                show_pos=True,
                item_show_func=self._pace,
                file=sys.stderr,
                update_min_steps=max(1, waiting // 1000),
            )
            self._bar.render_progress()
        self._bar.update(1, handled)

    def _pace(self, handled: int | None) -> str:
        return f"{(handled or 0) / (time.monotonic() - self._began):.0f}/s"

    def end(self) -> None:
        """The line stays as it is; what comes next begins below it."""
        if self._bar is not None:
            self._bar.render_finish()
