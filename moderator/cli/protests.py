"""`moderator match protests` and `moderator match rule-protest`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("protests")
@click.option("--all", "everything", is_flag=True, help="Those that were ruled on, too.")
@click.pass_obj
def protests(config_file: Path | None, everything: bool) -> None:
    """Protests that wait for a ruling, with their numbers."""
    from moderator.cli.session import opened
    from moderator.desk.protest import protests as found

    with opened(config_file) as desk:
        for row, match, player in found(desk, everything):
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
    from moderator.desk.protest import rule
    from moderator.errors import OperatorError
    from moderator.store.models import Protest

    with opened(config_file) as desk:
        row = desk.session.get(Protest, number)
        if row is None:
            raise OperatorError(f"There is no protest {number}.", "See `moderator match protests`.")
        rule(desk, row, ruling == "uphold", reason)
    click.echo(f"Protest {number} is {'upheld' if ruling == 'uphold' else 'denied'}; the next tick tells everybody.")
