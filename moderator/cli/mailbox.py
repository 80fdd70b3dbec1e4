"""`moderator quarantine …`: mails that need a look: held, waiting, not to be read, or from nobody we know."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from moderator.cli.group import print_rows, print_values, with_json_option
from moderator.cli.json_types import MailLine, MailWhole
from moderator.cli.match import build_sentence_row
from moderator.cli.session import format_club_time, open_club
from moderator.cli.texts import SPOKEN, MisuseError, render_text, say_lines
from moderator.commands.moderator_call import render_sentences
from moderator.common.enums import InboxState
from moderator.common.errors import OperatorError
from moderator.common.text import escape_unprintable, to_escaped_json
from moderator.inbox.pipeline import accept_held
from moderator.mail.clean import get_field_text
from moderator.mail.mime import extract_body_lines, parse_mime
from moderator.service import held_mails
from moderator.service.held_mails import LISTED
from moderator.settings import Config
from moderator.store import inbox
from moderator.store.inbox import InboxSummary
from moderator.store.tables import LOOK, InboxRow
from moderator.views.loaded_match import MatchSuspended
from moderator.views.unit_of_work import UnitOfWork

NUMBERS = click.argument("numbers", nargs=-1, required=True, metavar="NUMBERS...")


@click.command("list")
@click.option("--all", "everything", is_flag=True, help="Include mails from unknown senders.")
@with_json_option("mail", lines=True)
@click.pass_obj
def print_quarantine(config_file: Path | None, everything: bool, as_json: bool) -> None:
    """List the mails that wait for your decision. States: quarantine = could not be handled; waiting = does not count
    unless you accept it; confirm = its writer has not confirmed it yet; unknown = the sender is no player."""
    states = [state for state in LISTED if everything or state != InboxState.UNKNOWN]
    with open_club(config_file) as work:
        found = inbox.list_mail_summaries(work.session, states)
        rows = [(_build_mail_values(row), _build_mail_cells(work.config, row)) for row in found]
    headings = ("mail", "received", "state", "from", "match", "subject", "why")
    print_values(headings, rows, as_json, render_text("no-mails"))


def _build_mail_values(row: InboxSummary) -> MailLine:
    return {
        "mail": row.id,
        "received": row.received_at,
        "state": row.state,
        "sender": row.sender,
        "match": row.code,
        "subject": row.subject,
        "reason": row.reason,
    }


def _build_mail_cells(config: Config, row: InboxSummary) -> tuple[str, ...]:
    at = format_club_time(row.received_at, config)
    return str(row.id), at, row.state, row.sender or "?", row.code or "", row.subject, row.reason


@click.command("show")
@click.argument("number", type=int)
@click.option("--raw", is_flag=True, help="Show the raw source, as it came.")
@with_json_option("mail-whole")
@click.pass_obj
def show_quarantined_mail(config_file: Path | None, number: int, raw: bool, as_json: bool) -> None:
    """Show a mail, and why it is here."""
    with open_club(config_file) as work:
        (_,) = _parse_mail_numbers(work, [str(number)])
        row = work.session.get_one(InboxRow, number)
        source = row.raw.replace(b"\r\n", b"\n").decode("utf-8", "replace")
        if as_json:
            (shown,) = (one for one in inbox.list_mail_summaries(work.session, [row.state]) if one.id == number)
            values: MailWhole = {**_build_mail_values(shown), "note": row.note, "text": source}
            click.echo(to_escaped_json(values))
            return
        say_lines(escape_unprintable(f"state: {row.state}\n{row.note}\n----"))
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


@click.command("accept")
@NUMBERS
@with_json_option("sentence", lines=True)
@click.pass_obj
def accept_quarantined(config_file: Path | None, numbers: tuple[str, ...], as_json: bool) -> None:
    """Accept mails: they count, with the time at which they came. NUMBERS are 17 or 33-40. A stranger who wants to join
    becomes a player and gets a welcome mail."""
    with open_club(config_file) as work:
        try:
            notes = [accept_held(work, number) for number in _parse_mail_numbers(work, numbers, LOOK)]
            language = SPOKEN.get()
            lines = render_sentences(work.config, work.now, notes, language)
        except MatchSuspended as error:
            raise OperatorError(f"{error.reason}.", "`moderator match resume` tries again.") from error
    print_rows((build_sentence_row(note, line) for note, line in zip(notes, lines, strict=True)), as_json)


@click.command("retry")
@NUMBERS
@click.pass_obj
def retry_quarantined(config_file: Path | None, numbers: tuple[str, ...]) -> None:
    """Let the next tick read mails again, also dropped ones. NUMBERS are 17 or 33-40."""
    with open_club(config_file) as work:
        found = _parse_mail_numbers(work, numbers, (*LISTED, InboxState.DROPPED))
        for number in found:
            held_mails.end_hold(work.session, work.session.get_one(InboxRow, number), InboxState.RECEIVED, "")
    say_lines(f"{len(found)} will be read again by the next tick.")


@click.command("drop")
@NUMBERS
@click.pass_obj
def drop_quarantined(config_file: Path | None, numbers: tuple[str, ...]) -> None:
    """Take mails off the list; `retry` brings them back. NUMBERS are 17 or 33-40."""
    with open_club(config_file) as work:
        found = _parse_mail_numbers(work, numbers)
        for number in found:
            held_mails.drop_mail(work.session, work.session.get_one(InboxRow, number))
    say_lines(f"{len(found)} dropped.")


def _parse_mail_numbers(work: UnitOfWork, typed: Sequence[str], states: Sequence[InboxState] = ()) -> list[int]:
    """Return the mails that were named, by default in any state of the list. Raises OperatorError."""
    ranges = held_mails.parse_mail_ranges(" ".join(typed))
    if not ranges:
        raise MisuseError(f"{' '.join(typed)!r} names no mails; write 17 or 33-40.")
    return held_mails.list_mail_numbers(work.session, ranges, states or held_mails.LISTED)
