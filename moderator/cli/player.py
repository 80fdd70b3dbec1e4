"""`moderator player …`"""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def player() -> None:
    """The people (and robots) who play."""


@player.command("add")
@click.argument("name")
@click.argument("address", required=False)
@click.option("--robot", is_flag=True, help="A machine player that makes the best-scoring move; needs no address.")
@click.option("--language", type=click.Choice(["de", "en"]), default=None, help="Of the mails to this player.")
@click.option("--zone", default=None, help="Time zone for deadlines, e.g. Europe/Berlin.")
@click.option("--board", type=click.Choice(["png", "table", "text"]), default="png", help="How boards are shown.")
@click.pass_obj
def add(
    config_file: Path | None,
    name: str,
    address: str | None,
    robot: bool,
    language: str | None,
    zone: str | None,
    board: str,
) -> None:
    """Enter NAME with mail ADDRESS."""
    from moderator.cli.session import opened
    from moderator.desk.create import add_player

    if robot == (address is not None):
        raise click.UsageError("Give an address, or --robot for a machine player.")
    with opened(config_file) as desk:
        club = desk.config.club
        added = add_player(
            desk.session,
            name,
            address,
            desk.now,
            language=language or club.language,
            zone=zone or club.zone,
            board=board,
        )
        click.echo(f"{added.name} is entered" + (" as a robot." if robot else f" with {added.address}."))


@player.command("list")
@click.pass_obj
def list_players(config_file: Path | None) -> None:
    """Names, addresses, languages."""
    from sqlmodel import col, select

    from moderator.cli.session import opened
    from moderator.store.models import Player

    with opened(config_file) as desk:
        for row in desk.session.exec(select(Player).order_by(col(Player.name_key))):
            kind = "robot" if row.robot else f"{row.address}  {row.language}  {row.zone}  {row.board}"
            trouble = f"  UNDELIVERABLE: {row.undeliverable}" if row.undeliverable else ""
            click.echo(f"{row.name:<24} {kind}{trouble}")
