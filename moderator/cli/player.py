"""`moderator player …`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from moderator.store.models import Player


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
@click.option("--auto-single", is_flag=True, help="Play a move without a choice at once (opponents are told).")
@click.pass_obj
def add(
    config_file: Path | None,
    name: str,
    address: str | None,
    robot: bool,
    language: str | None,
    zone: str | None,
    board: str,
    auto_single: bool,
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
            auto_single=auto_single,
        )
        click.echo(f"{added.name} is entered" + (" as a robot." if robot else f" with {added.address}."))


@player.command("set")
@click.argument("name")
@click.option("--language", type=click.Choice(["de", "en"]), default=None, help="Of the mails to this player.")
@click.option("--zone", default=None, help="Time zone for deadlines, e.g. Europe/Berlin.")
@click.option("--board", type=click.Choice(["png", "table", "text"]), default=None, help="How boards are shown.")
@click.option(
    "--auto-single/--no-auto-single",
    default=None,
    help="Play a move without a choice at once, from the player's next turn on (opponents are told).",
)
@click.pass_obj
def set_settings(
    config_file: Path | None,
    name: str,
    language: str | None,
    zone: str | None,
    board: str | None,
    auto_single: bool | None,
) -> None:
    """Change what is set for NAME (a name or an address)."""
    from moderator.cli.session import opened
    from moderator.desk.create import find_player, set_player

    with opened(config_file) as desk:
        found = find_player(desk.session, name)
        set_player(desk.session, found, language=language, zone=zone, board=board, auto_single=auto_single)
        click.echo(f"{found.name}: {_settings(found)}")


def _settings(row: Player) -> str:
    single = "  auto single" if row.auto_single else ""
    return "robot" if row.robot else f"{row.address}  {row.language}  {row.zone}  {row.board}{single}"


@player.command("list")
@click.pass_obj
def list_players(config_file: Path | None) -> None:
    """Names, addresses, languages."""
    from sqlmodel import col, select

    from moderator.cli.session import opened
    from moderator.store.models import Player

    with opened(config_file) as desk:
        for row in desk.session.exec(select(Player).order_by(col(Player.name_key))):
            trouble = f"  UNDELIVERABLE: {row.undeliverable}" if row.undeliverable else ""
            click.echo(f"{row.name:<24} {_settings(row)}{trouble}")
