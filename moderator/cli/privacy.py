"""`moderator player forget` and `moderator player export`: what a person may ask of whoever keeps data about them."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator.cli import names
from moderator.common import disk
from moderator.common.errors import ModeratorError, OperatorError

if TYPE_CHECKING:
    from moderator.settings import Config


@click.command("forget")
@click.argument("name", type=names.PLAYER)
@click.option("--resign", is_flag=True, help="Give up the matches and tournaments in which they still play.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def forget_named_player(ctx: click.Context, name: str, resign: bool, yes: bool) -> None:
    """Take NAME out of everything: a number takes the name's place, their mails and addresses are dropped. What was
    played stays. Cannot be undone; backups that were made before still have it."""
    from moderator.cli.session import open_club, write_mailed_rulings
    from moderator.service.create import get_player
    from moderator.service.players import forget
    from moderator.settings import load_config
    from moderator.words import house_rulings

    config = load_config(ctx.obj)
    with open_club(ctx.obj) as desk:
        found = get_player(desk.session, name)
        name, before = found.name, forget.is_forgotten(found)
        bound = "" if before else str(forget.list_ties(desk, found))
    if before:
        _clean_traces(config)
        click.echo(f"{name} is forgotten already; the file of the database and the site were cleaned again.")
        return
    if not yes:
        more = f" Still plays, and gives it up: {bound}." if resign and bound else ""
        click.confirm(f"Forget {name} for good?{more}", abort=True)
    write_mailed_rulings(config)
    with open_club(ctx.obj) as desk:
        new, change = forget.forget_player(desk, name, resign)
        ctx.params["name"] = new  # this is what the list of commands will say
        house_rulings.rewrite_remarks(
            config.resolve_path(config.words.house), change
        )  # before the commit: who fails after it has no name left
    click.echo(f"{new} has taken the name's place. Backups that were made before, and copies of the site, keep it.")
    try:
        _clean_traces(config)
    except ModeratorError as error:
        raise OperatorError(
            f"The file of the database, or the site, may still have the name: {error}",
            f'Then once more: `moderator player forget "{new}"`.',
        ) from error


def _clean_traces(config: Config) -> None:
    """Clean the file of the database and the site. It can be done again: nothing of it needs the name."""
    from moderator.store import privacy

    privacy.vacuum_database(config.database)
    _rebuild_site(config)


def _rebuild_site(config: Config) -> None:
    if config.site.folder:
        from moderator.site.build import update_site

        update_site(config, config.read_clock(), config.resolve_path(Path(config.site.folder)), anew=True)


@click.command("export")
@click.argument("name", type=names.PLAYER)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.pass_obj
def export_player_data(config_file: Path | None, name: str, file: Path) -> None:
    """Write all that is stored of NAME into FILE, a new ZIP: their data as JSON, and the mails they wrote. Nothing of
    anybody else is in it; give it to whoever asks what you keep about them."""
    from moderator.cli.session import open_club
    from moderator.service.create import get_player
    from moderator.service.players import own_mails
    from moderator.store import about_player

    with open_club(config_file) as desk:
        found = get_player(desk.session, name)
        facts = about_player.load_player_facts(desk.session, found)
        content, count = io.BytesIO(), 0
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as made:
            made.writestr("data.json", json.dumps(facts, indent=1, ensure_ascii=False, default=str) + "\n")
            for mail in own_mails.iter_own_mails(desk.session, found):
                made.writestr(f"mails/{mail.id}.eml", mail.raw)
                count += 1
        try:
            with open(file, "xb", opener=disk.open_private_file) as stream:
                stream.write(content.getvalue())
        except FileExistsError:
            raise OperatorError(f"{file} is there already.", "Name a new file.") from None
        except OSError as error:
            raise OperatorError(*disk.describe_os_error(error, "write", file, "Name another file.")) from error
        click.echo(f"{file}: {len(facts['matches'])} matches, {count} mails of {found.name}.")
