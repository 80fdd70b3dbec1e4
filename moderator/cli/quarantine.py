"""`moderator quarantine …`: mails that could not be read, were not understood or came from nobody we know."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from moderator.desk.desk import Desk
    from moderator.store.models import Inbox

KEPT = ("quarantine", "unknown", "confirm")


@click.group()
def quarantine() -> None:
    """Mails that wait for your look. Nothing that comes in is ever thrown away."""


@quarantine.command("list")
@click.option("--all", "everything", is_flag=True, help="Mails from unknown senders and unconfirmed ones, too.")
@click.pass_obj
def list_mails(config_file: Path | None, everything: bool) -> None:
    """Number, arrival, sender, subject, reason."""
    from sqlmodel import col, select

    from moderator.cli.screen import shown
    from moderator.cli.session import opened
    from moderator.store.models import Inbox

    states = KEPT if everything else ("quarantine",)
    with opened(config_file) as desk:
        columns = (Inbox.id, Inbox.received_at, Inbox.state, Inbox.sender, Inbox.subject, Inbox.note)
        query = select(*columns).where(col(Inbox.state).in_(states)).order_by(col(Inbox.id))  # type: ignore[call-overload]
        for number, received, state, sender, subject, note in desk.session.exec(query):
            reason = note.strip().splitlines()[-1] if note.strip() else ""
            line = f"{number:>6} {received:%Y-%m-%d %H:%M} {state:<10} {sender or '?'}  {subject!r}  {reason}"
            click.echo(shown(line))


@quarantine.command("show")
@click.argument("number", type=int)
@click.pass_obj
def show(config_file: Path | None, number: int) -> None:
    """The mail as it came, and why it is here."""
    from moderator.cli.screen import shown
    from moderator.cli.session import opened

    with opened(config_file) as desk:
        row = _row(desk, number)
        click.echo(shown(f"state: {row.state}\n{row.note}\n----"))
        click.echo(shown(row.raw.replace(b"\r\n", b"\n").decode("utf-8", "replace")))


@quarantine.command("retry")
@click.argument("numbers", type=int, nargs=-1, required=True)
@click.pass_obj
def retry(config_file: Path | None, numbers: tuple[int, ...]) -> None:
    """Let the next tick read them again."""
    from moderator.cli.session import opened

    with opened(config_file) as desk:
        for number in numbers:
            row = _row(desk, number)
            row.state, row.attempts, row.note, row.token = "received", 0, "", ""
            desk.session.add(row)
    click.echo(f"{len(numbers)} will be read again by the next tick.")


@quarantine.command("drop")
@click.argument("numbers", type=int, nargs=-1, required=True)
@click.pass_obj
def drop(config_file: Path | None, numbers: tuple[int, ...]) -> None:
    """Take them off the list; the bytes stay in the database."""
    from moderator.cli.session import opened

    with opened(config_file) as desk:
        for number in numbers:
            row = _row(desk, number)
            row.state = "dropped"
            desk.session.add(row)
    click.echo(f"{len(numbers)} dropped.")


def _row(desk: Desk, number: int) -> Inbox:
    from moderator.errors import OperatorError
    from moderator.store.models import Inbox

    row = desk.session.get(Inbox, number)
    if row is None or row.state not in KEPT:
        raise OperatorError(f"There is no mail {number} in quarantine.", "See `moderator quarantine list --all`.")
    return row
