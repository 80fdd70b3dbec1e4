"""`moderator match …` for the moderator's decisions: the commands of the mail, as commands/declaration.py has them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moderator.states import EntryKind

if TYPE_CHECKING:
    from moderator.commands.declaration import Command, Parameter


class Decisions(click.Group):
    """A group that has the moderator's commands, too. They are looked at only where one of them is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted((*super().list_commands(ctx), *offered()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        return own if own is not None else offered().get(cmd_name)


def offered() -> dict[str, click.Command]:
    """By the names that they have on the command line."""
    from moderator.commands.declaration import moderators

    return {one.shell.name: _command(one) for one in moderators().values() if one.shell is not None}


def _command(command: Command) -> click.Command:
    assert command.shell is not None
    asked = [_parameter(one.parameter) for one in command.arguments if one.parameter is not None]
    done = click.pass_obj(partial(_carry_out, command))
    return click.Command(command.shell.name, callback=done, params=asked, help=command.shell.help)


def _parameter(one: Parameter) -> click.Parameter:
    if not one.name.startswith("--"):
        return click.Argument([one.name], type=one.kind, required=one.required)
    if one.kind is bool:
        return click.Option([one.name], is_flag=True, help=one.help)
    return click.Option([one.name, _keyword(one)], type=one.kind, default=one.default, help=one.help)


def _keyword(one: Parameter) -> str:
    """By what click gives the value, and what the log of commands calls it."""
    name = one.name.lstrip("-")
    return "round_" if name == "round" else name


def _carry_out(command: Command, config_file: Path | None, **typed: Any) -> None:
    """Run a command in a transaction of its own, and print its outcome; a refusal becomes an OperatorError with the
    sentence that the mail would have."""
    from moderator.cli.session import opened
    from moderator.club.live_match import Suspended
    from moderator.commands.outcome import spoken
    from moderator.errors import Misused, OperatorError
    from moderator.match.contract import Note

    asked = [(one.name, one.parameter) for one in command.arguments if one.parameter is not None]
    with opened(config_file) as desk:
        try:
            values = {name: one.take(desk, typed[_keyword(one)]) for name, one in asked}
            lines = spoken(desk, command.act(desk, **values), "en")
        except Misused as error:
            why = spoken(desk, [Note(error.code, error.params)], "en")[0]
            name = command.shell.name if command.shell else command.name
            raise OperatorError(why, f"See `moderator match {name} --help`.") from error
        except Suspended as error:
            raise OperatorError(f"{error.reason}.", "`moderator match resume` tries again.") from error
    click.echo("\n".join(lines))


@click.command("log")
@click.argument("code")
@click.pass_obj
def log(config_file: Path | None, code: str) -> None:
    """The log of a match: number, time (UTC), what happened. Racks and drawn tiles stay hidden."""
    from sqlmodel import col, select

    from moderator.backup.timeline import entry_in_words
    from moderator.cli.session import opened
    from moderator.club.live_match import log_of
    from moderator.match.replay import effective
    from moderator.play.create import find_match
    from moderator.store.models import Event

    with opened(config_file) as desk:
        row = find_match(desk.session, code)
        names = [player.name for player in desk.players(row)]
        times = desk.session.exec(select(Event.at).where(Event.match_id == row.id).order_by(col(Event.n))).all()
        entries = log_of(desk.session, row)
        holds = {number for number, _ in effective(entries)}
        for number, (at, entry) in enumerate(zip(times, entries, strict=True), start=1):
            sign = " " if number in holds or entry.kind == EntryKind.UNDO else "-"
            click.echo(f"{sign}{number:>4}  {at:%Y-%m-%d %H:%M}  {entry_in_words(entry, names)}".rstrip())


@click.command("token")
@click.option("--new", is_flag=True, help="Make another one; mails with the old one count no more.")
@click.pass_obj
def token(config_file: Path | None, new: bool) -> None:
    """The address to which the moderator mails commands. Keep it to yourself."""
    from moderator.cli.session import opened
    from moderator.club import tokens
    from moderator.club.tokens import moderator_token

    with opened(config_file) as desk:
        secret = moderator_token(desk.session, new)
        mail = desk.config.mail
        place = tokens.address(mail.address, mail.subaddress, tokens.BOSS, secret)
    click.echo(
        f"Mail commands to {place}, or with [{tokens.BOSS}-{secret}] in the subject. The command HILFE lists them."
    )


# ---- `moderator match protests` and `moderator match rule-protest` ----


@click.command("protests")
@click.option("--all", "everything", is_flag=True, help="Those that were ruled on, too.")
@click.pass_obj
def protests(config_file: Path | None, everything: bool) -> None:
    """Protests that wait for a ruling, with their numbers."""
    from moderator.cli.session import opened
    from moderator.store.protests import listed

    with opened(config_file) as desk:
        for row, match, player in listed(desk.session, everything):
            ruled = "" if row.answered_at is None else f" - {'upheld' if row.upheld else 'denied'}: {row.answer}"
            text = " / ".join(row.text.splitlines())
            click.echo(f"{row.id:>4} {match.code:<6} {row.at:%Y-%m-%d} {player.name}: {text}{ruled}")


@click.command("rule-protest")
@click.argument("number", type=int)
@click.argument("ruling", type=click.Choice(["uphold", "deny"]))
@click.option("--reason", default="", help="Told to all players.")
@click.pass_obj
def rule_protest(config_file: Path | None, number: int, ruling: str, reason: str) -> None:
    """Rule on protest NUMBER and tell all players (with the next tick). Nothing is taken back by it."""
    from moderator.cli.session import opened
    from moderator.errors import OperatorError
    from moderator.play.protest import rule
    from moderator.store.models import Protest

    with opened(config_file) as desk:
        row = desk.session.get(Protest, number)
        if row is None:
            raise OperatorError(f"There is no protest {number}.", "See `moderator match protests`.")
        rule(desk, row, ruling == "uphold", reason)
    click.echo(f"Protest {number} is {'upheld' if ruling == 'uphold' else 'denied'}; the next tick tells everybody.")
