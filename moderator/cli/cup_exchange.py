"""`moderator cup export` and `import`: tournaments as TRF and CSV files."""

from __future__ import annotations

from pathlib import Path

import click

from moderator.games import REGISTRY
from moderator.tournament.formats import REGISTRY as FORMATS


@click.command("export")
@click.argument("code")
@click.option("--trf", type=click.Path(path_type=Path, dir_okay=False), help="A tournament report (two seats only).")
@click.option("--csv", "folder", type=click.Path(path_type=Path, file_okay=False), help="Entrants and games as tables.")
@click.option("--division", type=int, default=None, help="Of a league: which one goes into the TRF.")
@click.pass_obj
def export(config_file: Path | None, code: str, trf: Path | None, folder: Path | None, division: int | None) -> None:
    """Write a tournament as it stands into files."""
    from moderator.cli.session import opened
    from moderator.desk.cup import exchange
    from moderator.desk.cup.rows import find_cup

    if trf is None and folder is None:
        raise click.UsageError("Name --trf FILE or --csv FOLDER.")
    files: dict[Path, str] = {}
    with opened(config_file) as desk:
        row = find_cup(desk.session, code)
        if trf is not None:
            files[trf] = exchange.as_trf(desk.session, row, division)
        if folder is not None:
            files |= {folder / name: text for name, text in exchange.as_csv(desk.session, row).items()}
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        click.echo(f"Wrote {path}.")


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--name", required=True, help="Of the tournament.")
@click.option("--game", type=click.Choice(list(REGISTRY)), required=True, help="What was played.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), help="Where the file does not say it.")
@click.option("--set", "settings", multiple=True, help="A setting that the file does not say, e.g. --set legs=1.")
@click.option("--ended", default="", help="The day it ended. [default: today]")
@click.pass_obj
def import_(
    config_file: Path | None, path: Path, name: str, game: str, form: str | None, settings: tuple[str, ...], ended: str
) -> None:
    """Take a finished tournament into the archive: a TRF, or a folder with entrants.csv and games.csv. Everybody in it
    must be a player. Ratings stay as they are."""
    from moderator.cli.session import opened
    from moderator.cli.values import end_of, read_setting
    from moderator.desk.cup import exchange

    found = exchange.read(path, form)
    with opened(config_file) as desk:
        when = end_of(ended, desk.config) if ended else desk.now
        made = exchange.store(desk, name, game, found, when, dict(map(read_setting, settings)))
        count = sum(len(t.entrants) for t in found)
        click.echo(f"Tournament {made.code} ({made.name}) is in the archive: {count} entrants.")


COMMANDS = (export, import_)
