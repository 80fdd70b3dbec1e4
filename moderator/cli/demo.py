"""`moderator demo`: the real thing on this machine, without account, server or configuration."""

from __future__ import annotations

from pathlib import Path

import click

from moderator.games import REGISTRY
from moderator.languages import LANGUAGES


@click.command()
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), default=Path("demo"), show_default=True)
@click.option("--move", "line", default="", help='Play on: mail this line as "Du", e.g. --move "E5 w HAUS".')
@click.option("--game", type=click.Choice(list(REGISTRY)), default="topwords", show_default=True)
@click.option("--language", type=click.Choice(LANGUAGES), default="de", show_default=True)
def demo(folder: Path, line: str, game: str, language: str) -> None:
    """A table with two robots (one, where two can play) and you, played through real mail files in FOLDER."""
    from moderator.cli import demo_club as show

    if line:
        for text in show.play_on(folder, line):
            click.echo(text)
        return
    for text in show.run(folder, language, game):
        click.echo(text)
