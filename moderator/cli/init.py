"""`moderator init` and `moderator upgrade`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from moderator.config import Config


@click.command()
@click.pass_obj
def init(config_file: Path | None) -> None:
    """Write moderator.toml from the example if there is none; make the database."""
    import os

    from moderator.config import DEFAULT_FILE, load
    from moderator.paths import example_config

    file = config_file or Path(os.environ.get("MODERATOR_CONFIG", DEFAULT_FILE))
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.write_text(example_config().read_text(encoding="utf-8"), encoding="utf-8")
        click.echo(f"Wrote {file}: fill in your mailbox, then run `moderator init` again.")
        return
    config = load(file)
    click.echo(f"The database {make_database(config)} is ready. Next: `moderator doctor`.")


@click.command()
@click.pass_obj
def upgrade(config_file: Path | None) -> None:
    """Bring the database to this program's version, and the results of old matches into it."""
    from moderator.cli.player import refill
    from moderator.config import load

    config = load(config_file)
    path = make_database(config)
    refill(config_file, lacking=True)
    click.echo(f"The database {path} is up to date.")


def make_database(config: Config) -> str:
    """Make the database, or bring it up to date; returns where it is, as it may be printed."""
    from moderator.store import postgres
    from moderator.store.db import open_engine, translated
    from moderator.store.schema import migrate

    place = config.database
    if isinstance(place, Path) and not place.exists():
        with suppress(OSError):  # which opening it will explain
            place.touch(mode=0o600)  # it holds everybody's mails and tiles
    with translated():
        engine = open_engine(place)
        try:
            migrate(engine)
        finally:
            engine.dispose()
    return str(place) if isinstance(place, Path) else postgres.shown(place)
