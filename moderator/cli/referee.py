"""`moderator match …` for the moderator's decisions: the commands of the mail (desk/boss) on the command line."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from moderator.desk.boss.call import Outcome
    from moderator.desk.desk import Desk
    from moderator.store.models import Match

CODE = click.argument("code")
ROUND = click.option("--round", "round_", type=int, help="The round that is meant, as a safety catch.")
WHY = click.option("--why", default="", help="A reason, for the players.")


def _said(command: Callable[..., Any]) -> Callable[..., Any]:
    """Run a command that returns its outcome in a transaction of its own, and print it; a refusal becomes an
    OperatorError with the sentence that the mail would have."""

    @wraps(command)
    def run(config_file: Path | None, *args: Any, **options: Any) -> None:
        from moderator.cli.session import opened
        from moderator.desk.boss.looking import spoken
        from moderator.desk.live import Suspended
        from moderator.engine.contract import Note
        from moderator.errors import Misused, OperatorError

        with opened(config_file) as desk:
            try:
                lines = spoken(desk, command(desk, *args, **options), "en")
            except Misused as error:
                why = spoken(desk, [Note(error.code, error.params)], "en")[0]
                raise OperatorError(why, f"See `moderator match {run.__name__.replace('_', '-')} --help`.") from error
            except Suspended as error:
                raise OperatorError(f"{error.reason}.", "`moderator match resume` tries again.") from error
        click.echo("\n".join(lines))

    return run


def _found(desk: Desk, code: str) -> Match:
    from moderator.desk.create import find_match

    return find_match(desk.session, code)


@click.command("missing")
@click.argument("code", required=False)
@click.pass_obj
@_said
def missing(desk: Desk, code: str | None) -> Outcome:
    """Whom the running matches wait for, and what is known about them."""
    from moderator.desk.boss import looking

    return looking.missing(desk, _found(desk, code) if code else None)


@click.command("preview")
@CODE
@click.pass_obj
@_said
def preview(desk: Desk, code: str) -> Outcome:
    """What an evaluation would give now. Nothing changes, nobody is told."""
    from moderator.desk.boss import looking

    return looking.preview(desk, _found(desk, code))


@click.command("evaluate")
@CODE
@ROUND
@click.option("--force", is_flag=True, help="Also where orders are missing before the ZAT.")
@WHY
@click.pass_obj
@_said
def evaluate(desk: Desk, code: str, round_: int | None, force: bool, why: str) -> Outcome:
    """End the turn or round now."""
    from moderator.desk.boss import judging

    return judging.evaluate(desk, _found(desk, code), round_, force, why)


@click.command("rollback")
@CODE
@ROUND
@click.option("--entry", type=int, help="Back to just before this entry of `match log`, instead of a round.")
@click.option("--force", is_flag=True, help="Also where a tournament has gone on with the result.")
@WHY
@click.pass_obj
@_said
def rollback(desk: Desk, code: str, round_: int | None, entry: int | None, force: bool, why: str) -> Outcome:
    """Back to just before a round was evaluated; everybody gets a correction. Also after the end."""
    from moderator.desk.boss import judging

    return judging.rollback(desk, _found(desk, code), round_, entry, why, force)


@click.command("extend")
@CODE
@click.argument("days", type=int)
@WHY
@click.pass_obj
@_said
def extend(desk: Desk, code: str, days: int, why: str) -> Outcome:
    """Put the deadline off by DAYS."""
    from moderator.desk.boss import clockwork

    return clockwork.extend(desk, _found(desk, code), days, why)


@click.command("pause")
@CODE
@WHY
@click.pass_obj
@_said
def pause(desk: Desk, code: str, why: str) -> Outcome:
    """Stop the clock. Moves are still taken; `match go-on` lets it run again."""
    from moderator.desk.boss import clockwork

    return clockwork.pause(desk, _found(desk, code), why)


@click.command("go-on")
@CODE
@WHY
@click.pass_obj
@_said
def go_on(desk: Desk, code: str, why: str) -> Outcome:
    """Let the clock of a paused match run again."""
    from moderator.desk.boss import clockwork

    return clockwork.go_on(desk, _found(desk, code), why)


@click.command("excuse")
@CODE
@click.argument("player")
@click.pass_obj
@_said
def excuse(desk: Desk, code: str, player: str) -> Outcome:
    """The turns that PLAYER has missed in a row do not count any more."""
    from moderator.desk.boss import people

    return people.excuse(desk, _found(desk, code), player)


@click.command("replace")
@CODE
@click.argument("player")
@click.argument("successor")
@WHY
@click.pass_obj
@_said
def replace(desk: Desk, code: str, player: str, successor: str, why: str) -> Outcome:
    """Give the seat of PLAYER to SUCCESSOR."""
    from moderator.desk.boss import people

    return people.replace(desk, _found(desk, code), player, successor, why)


@click.command("eject")
@CODE
@click.argument("player")
@WHY
@click.pass_obj
@_said
def eject(desk: Desk, code: str, player: str, why: str) -> Outcome:
    """Take PLAYER out of the match; the seat passes from then on."""
    from moderator.desk.boss import people

    return people.eject(desk, _found(desk, code), player, why)


@click.command("notice")
@click.argument("code")
@click.argument("text")
@click.pass_obj
@_said
def notice(desk: Desk, code: str, text: str) -> Outcome:
    """Send an official TEXT to the players of match CODE, or of all running matches (CODE = all)."""
    from moderator.desk.boss import clockwork

    match = None if code.casefold() in ("all", "alle") else _found(desk, code)
    return clockwork.official(desk, match, text.splitlines())


@click.command("move")
@CODE
@click.argument("player")
@click.argument("order")
@click.pass_obj
@_said
def move(desk: Desk, code: str, player: str, order: str) -> Outcome:
    """Give ORDER in the name of PLAYER; the report says that it comes from the moderator."""
    from moderator.desk.boss import judging

    return judging.move(desk, _found(desk, code), player, order)


@click.command("log")
@CODE
@click.pass_obj
def log(config_file: Path | None, code: str) -> None:
    """The log of a match: number, time (UTC), what happened. Racks and drawn tiles stay hidden."""
    from sqlmodel import col, select

    from moderator.cli.session import opened
    from moderator.desk.live import log_of
    from moderator.engine.replay import effective
    from moderator.keeping.timeline import entry_in_words
    from moderator.store.models import Event

    with opened(config_file) as desk:
        row = _found(desk, code)
        names = [player.name for player in desk.players(row)]
        times = desk.session.exec(select(Event.at).where(Event.match_id == row.id).order_by(col(Event.n))).all()
        entries = log_of(desk.session, row)
        holds = {number for number, _ in effective(entries)}
        for number, (at, entry) in enumerate(zip(times, entries, strict=True), start=1):
            sign = " " if number in holds or entry.kind == "undo" else "-"
            click.echo(f"{sign}{number:>4}  {at:%Y-%m-%d %H:%M}  {entry_in_words(entry, names)}".rstrip())


COMMANDS = (
    missing,
    preview,
    evaluate,
    rollback,
    extend,
    pause,
    go_on,
    excuse,
    replace,
    eject,
    notice,
    move,
    log,
)


@click.command("token")
@click.option("--new", is_flag=True, help="Make another one; mails with the old one count no more.")
@click.pass_obj
def token(config_file: Path | None, new: bool) -> None:
    """The address to which the moderator mails commands. Keep it to yourself."""
    from moderator.cli.session import opened
    from moderator.desk import tokens
    from moderator.desk.moderator_token import moderator_token

    with opened(config_file) as desk:
        secret = moderator_token(desk.session, new)
        mail = desk.config.mail
        place = tokens.address(mail.address, mail.subaddress, tokens.BOSS, secret)
    click.echo(
        f"Mail commands to {place}, or with [{tokens.BOSS}-{secret}] in the subject. The command HILFE lists them."
    )
