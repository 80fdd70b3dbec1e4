"""`moderator quarantine …`: mails that need a look: held, waiting, not to be read, or from nobody we know."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from moderator.cli.group import print_rows, with_json_option
from moderator.cli.json_types import MailLine, MailWhole, TaskLine
from moderator.cli.match import build_sentence_row
from moderator.cli.session import format_club_time, open_club
from moderator.commands.moderator_call import render_sentences
from moderator.common.enums import InboxState
from moderator.common.errors import OperatorError
from moderator.common.text import escape_unprintable, to_escaped_json
from moderator.inbox.agenda.daily_notice import Agenda
from moderator.inbox.pipeline import accept_held
from moderator.mail.clean import get_field_text
from moderator.mail.mime import extract_body_lines, parse_mime
from moderator.notifications.task import Task
from moderator.service import held_mails
from moderator.service.held_mails import LISTED
from moderator.settings import Config
from moderator.store import inbox
from moderator.store.inbox import InboxSummary
from moderator.store.tables import LOOK, InboxRow
from moderator.views.loaded_match import MatchSuspended
from moderator.views.unit_of_work import UnitOfWork

NUMBERS = click.argument("numbers", nargs=-1, required=True, metavar="NUMBERS...")


@click.group()
def quarantine() -> None:
    """Mails that wait for your look. Nothing that comes in is ever thrown away."""


@quarantine.command("list")
@click.option("--all", "everything", is_flag=True, help="Mails from senders whom nobody knows, too.")
@with_json_option("mail", lines=True)
@click.pass_obj
def print_quarantine(config_file: Path | None, everything: bool, as_json: bool) -> None:
    """Number, arrival, state, sender, match, subject, reason. States: quarantine = could not be handled; waiting = may
    be meant, but does not count by itself; confirm = held until its mailbox says yes; unknown = from nobody we know."""
    states = [state for state in LISTED if everything or state != InboxState.UNKNOWN]
    with open_club(config_file) as work:
        print_rows(
            (_build_mail_row(work.config, row) for row in inbox.list_mail_summaries(work.session, states)), as_json
        )


def _build_mail_row(config: Config, row: InboxSummary) -> tuple[MailLine, str]:
    values: MailLine = {
        "mail": row.id,
        "received": row.received_at,
        "state": row.state,
        "sender": row.sender,
        "match": row.code,
        "subject": row.subject,
        "reason": row.reason,
    }
    about = f"  [{row.code}]" if row.code else ""
    head = f"{row.id:>6} {format_club_time(row.received_at, config)} {row.state:<10} {row.sender or '?'}"
    return values, f"{head}{about}  {row.subject!r}  {row.reason}"


@quarantine.command("show")
@click.argument("number", type=int)
@click.option("--raw", is_flag=True, help="The source, as it came; with --json it always is.")
@with_json_option("mail-whole")
@click.pass_obj
def show_quarantined_mail(config_file: Path | None, number: int, raw: bool, as_json: bool) -> None:
    """Show what the mail says, and why it is here."""
    with open_club(config_file) as work:
        (_,) = _parse_mail_numbers(work, [str(number)])
        row = work.session.get_one(InboxRow, number)
        source = row.raw.replace(b"\r\n", b"\n").decode("utf-8", "replace")
        if as_json:
            (shown,) = (one for one in inbox.list_mail_summaries(work.session, [row.state]) if one.id == number)
            values: MailWhole = {**_build_mail_row(work.config, shown)[0], "note": row.note, "text": source}
            click.echo(to_escaped_json(values))
            return
        click.echo(escape_unprintable(f"state: {row.state}\n{row.note}\n----"))
        click.echo(escape_unprintable(source if raw else _format_readable_mail(row)))


def _format_readable_mail(row: InboxRow) -> str:
    """Return the writer, the addressees, the time, the subject, and all of the mail's text, decoded; quotes stand in
    it, too."""
    message, _ = parse_mime(row.raw)
    head = [(name, get_field_text(message, name)) for name in ("From", "To", "Cc", "Date", "Subject", "Reply-To")]
    lines = [text for text, _ in extract_body_lines(message)[0]]
    if not any(map(str.strip, lines)):
        lines = ["(no text; --raw shows the source)"]
    return "\n".join([*(f"{name}: {value}" for name, value in head if value), "", *lines])


@quarantine.command("accept")
@NUMBERS
@with_json_option("sentence", lines=True)
@click.pass_obj
def accept_quarantined(config_file: Path | None, numbers: tuple[str, ...], as_json: bool) -> None:
    """Let mails count that wait or are held (NUMBERS: 17 or 33-40), as their tokens say, with the time at which they
    came. A stranger who wants to join becomes a player and is welcomed."""
    with open_club(config_file) as work:
        try:
            notes = [accept_held(work, number) for number in _parse_mail_numbers(work, numbers, LOOK)]
            lines = render_sentences(work.config, work.now, notes, "en")
        except MatchSuspended as error:
            raise OperatorError(f"{error.reason}.", "`moderator match resume` tries again.") from error
    print_rows((build_sentence_row(note, line) for note, line in zip(notes, lines, strict=True)), as_json)


@quarantine.command("retry")
@NUMBERS
@click.pass_obj
def retry_quarantined(config_file: Path | None, numbers: tuple[str, ...]) -> None:
    """Let the next tick read mails again (NUMBERS: 17 or 33-40), also those that were dropped."""
    with open_club(config_file) as work:
        found = _parse_mail_numbers(work, numbers, (*LISTED, InboxState.DROPPED))
        for number in found:
            held_mails.end_hold(work.session, work.session.get_one(InboxRow, number), InboxState.RECEIVED, "")
    click.echo(f"{len(found)} will be read again by the next tick.")


@quarantine.command("drop")
@NUMBERS
@click.pass_obj
def drop_quarantined(config_file: Path | None, numbers: tuple[str, ...]) -> None:
    """Take mails off the list (NUMBERS: 17 or 33-40); the bytes stay in the database, and `retry` brings them back."""
    with open_club(config_file) as work:
        found = _parse_mail_numbers(work, numbers)
        for number in found:
            held_mails.drop_mail(work.session, work.session.get_one(InboxRow, number))
    click.echo(f"{len(found)} dropped.")


def _parse_mail_numbers(work: UnitOfWork, typed: Sequence[str], states: Sequence[InboxState] = ()) -> list[int]:
    """Return the mails that were named, by default in any state of the list. Raises OperatorError."""
    ranges = held_mails.parse_mail_ranges(" ".join(typed))
    if not ranges:
        raise click.UsageError(f"{' '.join(typed)!r} names no mails; write 17 or 33-40.")
    return held_mails.list_mail_numbers(work.session, ranges, states or held_mails.LISTED)


# ---- `moderator today`: everything that waits for you, the most urgent first.


@click.command()
@with_json_option("task", lines=True)
@click.pass_obj
def today(config_file: Path | None, as_json: bool) -> None:
    """List what waits for you, the most urgent first, each with the commands that settle it; nothing that is fine.

    Nothing is changed, nobody is told."""
    with open_club(config_file) as work:
        found = Agenda(work).list_tasks()
        texts = render_sentences(work.config, work.now, [task.note for task in found], "en")
    rows = [(_build_task_line(task, text), _format_task(task, text)) for task, text in zip(found, texts, strict=True)]
    print_rows(rows, as_json, otherwise="Nothing waits for you.")


def _build_task_line(task: Task, text: str) -> TaskLine:
    """Return a task as values. ``text``: the sentence in English."""
    values: TaskLine = {
        "kind": task.kind,
        "key": task.key,
        "since": task.since,
        "text": text,
        "commands": [one.shell_line for one in task.remedies],
    }
    if task.until:
        values["until"] = task.until
    if task.led_by:
        values["referee"] = task.led_by
    whole: TaskLine = {**task.facts, **values}
    return whole


def _format_task(task: Task, text: str) -> str:
    led = f" (referee: {task.led_by})" if task.led_by else ""
    return "\n".join((f"{text}{led}", *(f"    {one.shell_line}" for one in task.remedies)))
