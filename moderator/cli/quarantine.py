"""`moderator quarantine …`: mails that need a look: held, waiting, not to be read, or from nobody we know."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator.cli.listing import listed, printing
from moderator.states import InboxState

if TYPE_CHECKING:
    from moderator.cli.printed import MailLine, MailWhole
    from moderator.club.desk import Desk
    from moderator.store.inbox import Shown
    from moderator.store.models import Inbox

NUMBERS = click.argument("numbers", nargs=-1, required=True, metavar="NUMBERS...")


@click.group()
def quarantine() -> None:
    """Mails that wait for your look. Nothing that comes in is ever thrown away."""


@quarantine.command("list")
@click.option("--all", "everything", is_flag=True, help="Mails from senders whom nobody knows, too.")
@printing("mail", lines=True)
@click.pass_obj
def list_mails(config_file: Path | None, everything: bool, as_json: bool) -> None:
    """Number, arrival, state, sender, match, subject, reason. States: quarantine = could not be handled; waiting = may
    be meant, but does not count by itself; confirm = held until its mailbox says yes; unknown = from nobody we know."""
    from moderator.cli.session import opened
    from moderator.people.waiting import LISTED
    from moderator.store import inbox

    states = [state for state in LISTED if everything or state != InboxState.UNKNOWN]
    with opened(config_file) as desk:
        listed((_listed_mail(desk, row) for row in inbox.in_states(desk.session, states)), as_json)


def _listed_mail(desk: Desk, row: Shown) -> tuple[MailLine, str]:
    from moderator.cli.session import shown

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
    head = f"{row.id:>6} {shown(row.received_at, desk.config)} {row.state:<10} {row.sender or '?'}"
    return values, f"{head}{about}  {row.subject!r}  {row.reason}"


@quarantine.command("show")
@click.argument("number", type=int)
@click.option("--raw", is_flag=True, help="The source, as it came; with --json it always is.")
@printing("mail-whole")
@click.pass_obj
def show(config_file: Path | None, number: int, raw: bool, as_json: bool) -> None:
    """What the mail says, and why it is here."""
    from moderator.cli.session import opened
    from moderator.printable import json_spelt_out, spelt_out
    from moderator.store import inbox
    from moderator.store.models import Inbox

    with opened(config_file) as desk:
        (_,) = _numbers(desk, [str(number)])
        row = desk.session.get_one(Inbox, number)
        source = row.raw.replace(b"\r\n", b"\n").decode("utf-8", "replace")
        if as_json:
            (shown,) = (one for one in inbox.in_states(desk.session, [row.state]) if one.id == number)
            values: MailWhole = {**_listed_mail(desk, shown)[0], "note": row.note, "text": source}
            click.echo(json_spelt_out(values))
            return
        click.echo(spelt_out(f"state: {row.state}\n{row.note}\n----"))
        click.echo(spelt_out(source if raw else _legible(row)))


def _legible(row: Inbox) -> str:
    """Who wrote it, to whom, when and about what, and all of its text, decoded; quotes stand in it, too."""
    from moderator.mail.clean import field_text
    from moderator.mail.parts import body_lines, parse

    message, _ = parse(row.raw)
    head = [(name, field_text(message, name)) for name in ("From", "To", "Cc", "Date", "Subject", "Reply-To")]
    lines = [text for text, _ in body_lines(message)[0]]
    if not any(map(str.strip, lines)):
        lines = ["(no text; --raw shows the source)"]
    return "\n".join([*(f"{name}: {value}" for name, value in head if value), "", *lines])


@quarantine.command("accept")
@NUMBERS
@printing("sentence", lines=True)
@click.pass_obj
def accept(config_file: Path | None, numbers: tuple[str, ...], as_json: bool) -> None:
    """Let mails count that wait or are held (NUMBERS: 17 or 33-40), as their tokens say, with the time at which they
    came. A stranger who wants to join becomes a player and is welcomed."""
    from moderator.cli.match import told
    from moderator.cli.session import opened
    from moderator.club.live_match import Suspended
    from moderator.commands.moderator_call import spoken
    from moderator.errors import OperatorError
    from moderator.inbox import accepting
    from moderator.inbox.handle import act_upon
    from moderator.store.models import LOOK

    with opened(config_file) as desk:
        try:
            notes = [accepting.accept(desk, number, act_upon) for number in _numbers(desk, numbers, LOOK)]
            lines = spoken(desk, notes, "en")
        except Suspended as error:
            raise OperatorError(f"{error.reason}.", "`moderator match resume` tries again.") from error
    listed((told(note, line) for note, line in zip(notes, lines, strict=True)), as_json)


@quarantine.command("retry")
@NUMBERS
@click.pass_obj
def retry(config_file: Path | None, numbers: tuple[str, ...]) -> None:
    """Let the next tick read mails again (NUMBERS: 17 or 33-40), also those that were dropped."""
    _put(config_file, numbers, InboxState.RECEIVED, InboxState.DROPPED)


@quarantine.command("drop")
@NUMBERS
@click.pass_obj
def drop(config_file: Path | None, numbers: tuple[str, ...]) -> None:
    """Take mails off the list (NUMBERS: 17 or 33-40); the bytes stay in the database, and `retry` brings them back."""
    _put(config_file, numbers, InboxState.DROPPED)


def _put(config_file: Path | None, numbers: tuple[str, ...], state: InboxState, *more: InboxState) -> None:
    """All of them into this state, or none. ``more``: states besides those of the list."""
    from moderator.cli.session import opened
    from moderator.people.waiting import LISTED
    from moderator.store.models import Inbox

    with opened(config_file) as desk:
        found = _numbers(desk, numbers, (*LISTED, *more))
        for row in (desk.session.get_one(Inbox, number) for number in found):
            row.state, row.token = state, ""
            if state == InboxState.RECEIVED:
                row.attempts, row.note = 0, ""
            desk.session.add(row)
    done = "dropped" if state == InboxState.DROPPED else "will be read again by the next tick"
    click.echo(f"{len(found)} {done}.")


def _numbers(desk: Desk, typed: Sequence[str], states: Sequence[InboxState] = ()) -> list[int]:
    """The mails that were named, by default in any state of the list. Raises OperatorError."""
    from moderator.people import waiting

    ranges = waiting.ranges_in(" ".join(typed))
    if not ranges:
        raise click.UsageError(f"{' '.join(typed)!r} names no mails; write 17 or 33-40.")
    return waiting.in_ranges(desk, ranges, states or waiting.LISTED)
