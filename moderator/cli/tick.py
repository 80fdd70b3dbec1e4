"""`moderator tick`, `watch`, `receive` and `rehearse`: the pipeline, started by cron, kept running, fed by a pipe,
or tried on an archive of mails."""

from __future__ import annotations

import json
import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moderator.cli.output import print_rows, with_json_option
from moderator.common import disk
from moderator.common.errors import ExitCode, OperatorError, TransientError
from moderator.common.text import escape_unprintable
from moderator.mail.transports import open_mailbox
from moderator.rules.time.calendar import format_local_time
from moderator.run.log import RunSummary, log_run
from moderator.run.tick import run_tick
from moderator.settings import Config, load_config

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

    from moderator.cli.json_types import RunLine

# A tick that finds nothing to do starts fast: what loads the tables is imported in the functions that need it.

VERBOSE = click.option("-v", "--verbose", is_flag=True, help="Log to standard error what is done, a line an event.")


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what would happen and be mailed; change nothing.")
@click.option("-v", "--verbose", is_flag=True, help="Say what was done, also when nothing was, and log it to stderr.")
@click.option("--take-over", is_flag=True, help="Read the mailbox from here on; another installation of it then stops.")
@click.option("--from-now", is_flag=True, help="Leave mails that are older than the club untouched, for ever.")
@click.option("--all", "everything", is_flag=True, help="Read mails that are older than the club, too, however many.")
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
    """Fetch mails, referee them, send the answers. Put this into cron; it is quiet when all is well."""
    config = load_config(config_file)
    if dry_run and as_json:
        raise click.UsageError("--dry-run is for persons, --json for programs: take one of them.")
    if dry_run + from_now + everything > 1:
        raise click.UsageError("--dry-run, --from-now and --all go each by themselves.")
    if dry_run:
        from moderator.run.rehearsal import preview_tick

        for line in preview_tick(config):
            click.echo(line)
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
    from moderator.run import old_mails

    if read:
        old_mails.allow_old_mails(config)
        return
    with open_mailbox(config) as box:
        count = old_mails.leave_old_mails(config, box)
    click.echo(f"{count} mails older than the club stay where they lie; `moderator tick --all` reads them.", err=True)


@contextmanager
def _open_run_log(config: Config, verbose: bool) -> Iterator[None]:
    with log_run(config, verbose) as trouble:
        if trouble:
            click.echo(f"moderator: {trouble}", err=True)
        yield


@click.command()
@click.option("--seconds", type=int, default=0, help="Leave after so many seconds; 0 = run until stopped.")
@VERBOSE
@with_json_option("run", lines=True)
@click.pass_obj
def watch(config_file: Path | None, seconds: int, verbose: bool, as_json: bool) -> None:
    """Like tick, but waits for new mail (IMAP IDLE) and answers within seconds."""
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
    """Take one mail from standard input (a pipe from a delivery agent), handle it and send the answers."""
    from moderator.run.watch import receive_mail

    # The agent sends the mail back to its writer at most exit codes, and tries again at 75. A mail that was kept
    # although something failed afterwards is known when it comes again.
    data = sys.stdin.buffer.read()
    try:
        config = load_config(config_file)
        with _open_run_log(config, verbose):
            print_run_troubles(config, receive_mail(config, data))
    except (OperatorError, TransientError) as error:
        click.echo(f"moderator: {error}", err=True)
        sys.exit(ExitCode.AWAY)
    except Exception as error:  # a bug of ours is no reason to send a player's mail back either
        fault = disk.find_operator_fault(error)
        if fault is not None:
            click.echo(f"moderator: {fault}", err=True)
            sys.exit(ExitCode.AWAY)
        traceback.print_exc()
        sys.exit(ExitCode.AWAY)


def print_run_troubles(config: Config, summary: RunSummary) -> int:
    """Print what the operator must know to stderr, and does not read in a mail of the club's; returns the exit code.

    A server that is away is nothing to write home about until it has been so for half an hour, and then once a day:
    cron would mail the operator at every run."""
    for line in summary.quarantined:
        click.echo(escape_unprintable(f"moderator: {line}; kept, see `moderator quarantine list`"), err=True)
    unmailed = [line for line in summary.troubles if line not in summary.mailed]
    for line in unmailed:
        click.echo(escape_unprintable(f"moderator: {line}"), err=True)
    lasting, lines = update_outages(config, summary.away, summary.reached, config.read_clock())
    for line in lines:
        click.echo(escape_unprintable(f"moderator: {line}"), err=True)
    if summary.quarantined:
        return ExitCode.BUG
    if unmailed:
        return ExitCode.OPERATOR
    return ExitCode.AWAY if lasting else ExitCode.FINE


def _format_summary(summary: RunSummary) -> str:
    return (
        f"{summary.taken} mails taken in, {summary.handled} handled, {summary.deadlines} deadlines, "
        f"{summary.reminders} reminders, {summary.steps} steps of tournaments, {summary.reviews} reviews, "
        f"{summary.sent} mails sent, {summary.retry} to be tried again"
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


@click.command()
@click.argument("archive", type=click.Path(path_type=Path))
@click.option("--since", help="Leave out mails that came before that day, e.g. 2026-12-24.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Write the mails out there, as .eml.")
@click.pass_obj
def rehearse(config_file: Path | None, archive: Path, since: str | None, out: Path | None) -> None:
    """Play the mails of ARCHIVE (mbox, Maildir or a folder of .eml) against a copy of the database, in their own
    time. Nothing is sent, nothing is changed."""
    from moderator.cli.session import parse_start_day
    from moderator.run.rehearsal import play_archive

    config = load_config(config_file)
    for line in play_archive(config, archive, parse_start_day(since, config) if since else None, out):
        click.echo(line)


# ---- servers that are away, from run to run: told once when it lasts, then once a day, and once when it is over ----
# Remembered in a small file beside the database: where that is what cannot be reached, there is no other place.


_ADDRESS = re.compile(r"(?<!\S)[^\s:]*[A-Za-z.\]][^\s:]*:\d{1,5}(?!\d)")
PATIENCE = timedelta(minutes=30)
AGAIN = timedelta(days=1)


@dataclass
class ServerOutage:
    """The time since which one server is away."""

    began: datetime
    told: datetime | None = None


def update_outages(
    config: Config, away: Sequence[str], reached: Collection[str], now: datetime
) -> tuple[bool, list[str]]:
    """Return (whether an outage has lasted so long that it counts, lines to print). ``away``: what is wrong at this
    run, a line for each server; ``reached``: see ``RunSummary``. A server that was not asked is neither away nor
    back."""
    path, moment = config.resolve_path(config.store.path), partial(format_local_time, zone=config.club.zone)
    file = path.with_name(path.name + ".away")
    try:
        before = _load_outages(file)
    except OSError:
        before = {}
    known = {
        server: before.get(server) or before.get("") or ServerOutage(now) for server in map(_get_server_name, away)
    }
    lines = []
    for server, one in before.items():
        named = _ADDRESS.fullmatch(server)
        if server not in known and (server if named else "") not in reached:
            known[server] = one
        elif server not in known and one.told is not None:
            back = f"{server} answers again" if named else server
            lines.append(f"Over: {back}; it was so from {moment(one.began)} to {moment(now)}.")
    lasting = False
    for line in dict.fromkeys(away):
        outage = known[_get_server_name(line)]
        if now - outage.began >= PATIENCE:
            lasting = True
            if outage.told is None or not timedelta() <= now - outage.told < AGAIN:
                lines.append(f"{line} So since {moment(outage.began)}; told once a day while it lasts.")
                known[_get_server_name(line)] = ServerOutage(outage.began, now)
    try:
        if known != before:
            _save_outages(file, known)
    except OSError:  # a full disk, say: what cannot be remembered is better said
        return bool(away), [*lines, *(line for line in away if not any(one.startswith(line) for one in lines))]
    return lasting, lines


def _get_server_name(line: str) -> str:
    """Return what a line is about: ``host:port`` where it names one. Its words change from run to run."""
    found = _ADDRESS.search(line)
    return found[0] if found else line.partition(": ")[0].removesuffix(".")


def _load_outages(file: Path) -> dict[str, ServerOutage]:
    """Load the outages by server. An empty file, as former versions wrote it, tells by its age when an outage began.
    Raises OSError."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    if not text:
        return {"": ServerOutage(datetime.fromtimestamp(file.stat().st_mtime, UTC))}
    with suppress(ValueError, TypeError, AttributeError):
        return {name: ServerOutage(*map(_parse_moment, times)) for name, times in json.loads(text).items()}
    return {}


def _parse_moment(text: str | None) -> Any:
    return datetime.fromisoformat(text) if text else None


def _save_outages(file: Path, known: dict[str, ServerOutage]) -> None:
    """Save the outages. Raises OSError; then the file is as it was."""
    if not known:
        file.unlink(missing_ok=True)
        return
    values = {name: [one.began.isoformat(), one.told and one.told.isoformat()] for name, one in known.items()}
    part = file.with_name(file.name + ".part")
    part.write_text(json.dumps(values), encoding="utf-8")
    os.replace(part, file)
