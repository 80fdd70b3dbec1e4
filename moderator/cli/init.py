"""`moderator init` and `moderator upgrade`."""

from __future__ import annotations

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
    path = config.path(config.store.path)
    existed = path.exists()
    make_database(config)
    click.echo(f"The database {path} is {'up to date' if existed else 'made'}. Next: `moderator doctor`.")


@click.command()
@click.pass_obj
def upgrade(config_file: Path | None) -> None:
    """Bring the database to this program's version."""
    from moderator.config import load

    config = load(config_file)
    path = make_database(config)
    click.echo(f"The database {path} is up to date.")


def make_database(config: Config) -> Path:
    """Make the database, or bring it up to date; returns where it is."""
    from moderator.store.db import open_engine, translated
    from moderator.store.schema import migrate

    path = config.path(config.store.path)
    with translated():
        engine = open_engine(path)
        try:
            migrate(engine)
        finally:
            engine.dispose()
    return path
