"""`moderator quarantine …`: mails that need a look: held, waiting, not to be read, or from nobody we know."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator.cli.listing import listed, printing
from moderator.states import InboxState

if TYPE_CHECKING:
    from moderator.cli.printed import MailLine, MailWhole
    from moderator.club.desk import Desk
    from moderator.match.contract import Note
    from moderator.store.inbox import Shown
    from moderator.store.models import Inbox

NUMBERS = click.argument("numbers", type=int, nargs=-1, required=True)


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
    from moderator.store import inbox

    with opened(config_file) as desk:
        listed((_listed_mail(desk, row) for row in inbox.in_states(desk.session, _states(everything))), as_json)


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


def _states(everything: bool) -> tuple[InboxState, ...]:
    from moderator.store.models import LOOK

    more = (InboxState.UNKNOWN,) if everything else ()
    return (InboxState.QUARANTINE, *LOOK, *more)


@quarantine.command("show")
@click.argument("number", type=int)
@printing("mail-whole")
@click.pass_obj
def show(config_file: Path | None, number: int, as_json: bool) -> None:
    """The mail as it came, and why it is here."""
    from moderator.cli.session import opened
    from moderator.printable import json_spelt_out, spelt_out
    from moderator.store import inbox

    with opened(config_file) as desk:
        row = _row(desk, number)
        text = row.raw.replace(b"\r\n", b"\n").decode("utf-8", "replace")
        if as_json:
            (shown,) = (one for one in inbox.in_states(desk.session, [row.state]) if one.id == number)
            values: MailWhole = {**_listed_mail(desk, shown)[0], "note": row.note, "text": text}
            click.echo(json_spelt_out(values))
            return
        click.echo(spelt_out(f"state: {row.state}\n{row.note}\n----"))
        click.echo(spelt_out(text))


@quarantine.command("accept")
@NUMBERS
@printing("sentence", lines=True)
@click.pass_obj
def accept(config_file: Path | None, numbers: tuple[int, ...], as_json: bool) -> None:
    """Let mails count that wait or are held, as their tokens say, with the time at which they came. A stranger who
    wants to join becomes a player and is welcomed."""
    from moderator.inbox import accepting
    from moderator.inbox.handle import act_upon

    _each(config_file, numbers, partial(accepting.accept, act_upon=act_upon), as_json)


@quarantine.command("retry")
@NUMBERS
@click.pass_obj
def retry(config_file: Path | None, numbers: tuple[int, ...]) -> None:
    """Let the next tick read them again."""
    from moderator.cli.session import opened

    with opened(config_file) as desk:
        for number in numbers:
            row = _row(desk, number)
            row.state, row.attempts, row.note, row.token = InboxState.RECEIVED, 0, "", ""
            desk.session.add(row)
    click.echo(f"{len(numbers)} will be read again by the next tick.")


@quarantine.command("drop")
@NUMBERS
@click.pass_obj
def drop(config_file: Path | None, numbers: tuple[int, ...]) -> None:
    """Take them off the list; the bytes stay in the database."""
    from moderator.cli.session import opened

    with opened(config_file) as desk:
        for number in numbers:
            row = _row(desk, number)
            row.state, row.token = InboxState.DROPPED, ""
            desk.session.add(row)
    click.echo(f"{len(numbers)} dropped.")


def _each(
    config_file: Path | None, numbers: tuple[int, ...], action: Callable[[Desk, int], Note], as_json: bool
) -> None:
    """Do it to all or to none, and say what came of it."""
    from moderator.cli.match import told
    from moderator.cli.session import opened
    from moderator.club.live_match import Suspended
    from moderator.commands.moderator_call import spoken
    from moderator.errors import OperatorError

    with opened(config_file) as desk:
        try:
            notes = [action(desk, number) for number in dict.fromkeys(numbers)]
            lines = spoken(desk, notes, "en")
        except Suspended as error:
            raise OperatorError(f"{error.reason}.", "`moderator match resume` tries again.") from error
    listed((told(note, line) for note, line in zip(notes, lines, strict=True)), as_json)


def _row(desk: Desk, number: int) -> Inbox:
    from moderator.errors import OperatorError
    from moderator.store.models import Inbox

    row = desk.session.get(Inbox, number)
    if row is None or row.state not in _states(everything=True):
        raise OperatorError(f"There is no mail {number} in quarantine.", "See `moderator quarantine list --all`.")
    return row
