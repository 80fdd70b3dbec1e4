"""`moderator tick`, `watch`, `receive` and `rehearse`: the pipeline, started by cron, kept running, fed by a pipe,
or tried on an archive of mails."""

from __future__ import annotations

import gc
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator.cli.group import print_rows, with_json_option
from moderator.cli.texts import MisuseError, say_lines
from moderator.common import disk
from moderator.common.errors import ExitCode, ModeratorError, TransientError
from moderator.common.text import escape_unprintable
from moderator.mail.transports import open_mailbox
from moderator.run.log import RunSummary, build_operator_report, log_run
from moderator.run.tick import run_tick
from moderator.settings import Config, load_config

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

    from moderator.cli.json_types import RunLine

# A tick that finds nothing to do starts fast: what loads the tables is imported in the functions that need it.

VERBOSE = click.option("-v", "--verbose", is_flag=True, help="Log what is done to standard error.")


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what would happen and be mailed; change nothing.")
@click.option("-v", "--verbose", is_flag=True, help="Print what was done, and log it to standard error.")
@click.option("--take-over", is_flag=True, help="Read this mailbox from now on; any other installation stops.")
@click.option("--from-now", is_flag=True, help="Never touch mails that are older than the club.")
@click.option("--all", "everything", is_flag=True, help="Also read mails that are older than the club, however many.")
@with_json_option("run")
@click.pass_obj
def tick(
    config_file: Path | None,
    dry_run: bool,
    verbose: bool,
    take_over: bool,
    from_now: bool,
    everything: bool,
    as_json: bool,
) -> None:
    """Fetch mail, referee it, send the answers. Run it from cron; it prints nothing when all is well."""
    gc.set_threshold(50_000)  # looking for garbage while all this is imported takes a tenth of a run otherwise
    config = load_config(config_file)
    if dry_run and as_json:
        raise MisuseError("--dry-run is for persons, --json for programs: take one of them.")
    if dry_run + from_now + everything > 1:
        raise MisuseError("--dry-run, --from-now and --all go each by themselves.")
    if dry_run:
        from moderator.run.rehearsal import preview_tick

        for line in preview_tick(config):
            say_lines(line)
        return
    if from_now or everything:
        _settle_old_mails(config, everything)
    with _open_run_log(config, verbose):
        try:
            with show_mail_progress() as show:
                summary = run_tick(config, show=show, take_over=take_over)
        except TransientError as error:
            summary = RunSummary(away=[str(error)])
        if verbose or as_json:
            print_rows([(_build_run_line(summary), _format_summary(summary))], as_json)
        code = print_run_troubles(config, summary)
    sys.exit(code)


def _settle_old_mails(config: Config, read: bool) -> None:
    """Let the mails that lay in the mailbox before the club was be read, or left where they lie."""
    from moderator.run import fetch

    if read:
        fetch.allow_old_mails(config)
        return
    with open_mailbox(config) as box:
        count = fetch.leave_old_mails(config, box)
    say_lines(f"Mails older than the club stay where they lie: {count}. `moderator tick --all` reads them.", err=True)


@contextmanager
def _open_run_log(config: Config, verbose: bool) -> Iterator[None]:
    with log_run(config, verbose) as trouble:
        if trouble:
            say_lines(f"moderator: {trouble}", err=True)
        yield


@click.command()
@click.option("--seconds", type=int, default=0, help="Stop after this many seconds; 0 = run until stopped.")
@VERBOSE
@with_json_option("run", lines=True)
@click.pass_obj
def watch(config_file: Path | None, seconds: int, verbose: bool, as_json: bool) -> None:
    """Like tick, but keeps running and answers within seconds (IMAP IDLE)."""
    from moderator.run.watch import watch_mailbox

    config = load_config(config_file)
    with _open_run_log(config, verbose):
        for summary in watch_mailbox(config, seconds):
            print_rows([(_build_run_line(summary), _format_summary(summary))], as_json)
            print_run_troubles(config, summary)


@click.command()
@VERBOSE
@click.pass_obj
def receive(config_file: Path | None, verbose: bool) -> None:
    """Take one mail from standard input, for a delivery agent. It is handled and answered at once."""
    from moderator.run.watch import receive_mail

    # The agent sends the mail back to its writer at most exit codes, and tries again at 75. A mail that was kept
    # although something failed afterwards is known when it comes again.
    data = sys.stdin.buffer.read()
    try:
        config = load_config(config_file)
        with _open_run_log(config, verbose):
            print_run_troubles(config, receive_mail(config, data))
    except Exception as error:  # a bug of ours is no reason to send a player's mail back either
        fault = error if isinstance(error, ModeratorError) else disk.find_operator_fault(error)
        if fault is None:
            traceback.print_exc()
        else:
            say_lines(f"moderator: {fault}", err=True)
        sys.exit(ExitCode.AWAY)


def print_run_troubles(config: Config, summary: RunSummary) -> int:
    """Print what the operator must know to stderr; returns the exit code."""
    lines, code = build_operator_report(config, summary)
    for line in lines:
        say_lines(escape_unprintable(f"moderator: {line}"), err=True)
    return code


def _format_summary(summary: RunSummary) -> str:
    return (
        f"mails taken in {summary.taken}, handled {summary.handled}, sent {summary.sent}, to be tried again "
        f"{summary.retry}; deadlines {summary.deadlines}, reminders {summary.reminders}, steps of tournaments "
        f"{summary.steps}, reviews {summary.reviews}"
    )


def _build_run_line(summary: RunSummary) -> RunLine:
    return {
        "taken": summary.taken,
        "handled": summary.handled,
        "quarantined": summary.quarantined,
        "deadlines": summary.deadlines,
        "reminders": summary.reminders,
        "digests": summary.digests,
        "steps": summary.steps,
        "reviews": summary.reviews,
        "sent": summary.sent,
        "retry": summary.retry,
        "dead": summary.dead,
        "troubles": summary.troubles,
        "away": summary.away,
    }


# ---- how far a run over many waiting mails has come: one line on a terminal, written anew; nothing elsewhere ----


MANY = 50
"""Fewer mails are handled before anybody has read a line."""


@contextmanager
def show_mail_progress() -> Iterator[Callable[[int, int], None] | None]:
    """Give what ``RunSummary.show`` wants; None where standard error is no terminal, as in cron."""
    if not sys.stderr.isatty():
        yield None
        return
    line = _ProgressLine()
    try:
        yield line.show_progress
    finally:
        line.end_line()


class _ProgressLine:
    def __init__(self) -> None:
        self._bar: ProgressBar[int] | None = None
        self._began = time.monotonic()

    def show_progress(self, handled: int, waiting: int) -> None:
        """Show ``handled`` of ``waiting`` mails, how many in a second, and how long it will still take."""
        if waiting <= MANY:
            return
        if self._bar is None:
            self._bar = click.progressbar(
                length=waiting,
                label="Mails",
                bar_template="%(label)s %(info)s",
                show_pos=True,
                item_show_func=self._format_pace,
                file=sys.stderr,
                update_min_steps=max(1, waiting // 1000),
            )
            self._bar.render_progress()
        self._bar.update(1, handled)

    def _format_pace(self, handled: int | None) -> str:
        return f"{(handled or 0) / (time.monotonic() - self._began):.0f}/s"

    def end_line(self) -> None:
        """Leave the line as it is; what comes next begins below it."""
        if self._bar is not None:
            self._bar.render_finish()
