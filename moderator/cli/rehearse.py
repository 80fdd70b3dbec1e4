"""`moderator rehearse`: an archive of mails as a rehearsal."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click


@click.command()
@click.argument("archive", type=click.Path(path_type=Path))
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Leave out mails that came before that day (UTC).")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Write the mails out there, as .eml.")
@click.pass_obj
def rehearse(config_file: Path | None, archive: Path, since: datetime | None, out: Path | None) -> None:
    """Play the mails of ARCHIVE (mbox, Maildir or a folder of .eml) against a copy of the database, in their own
    time. Nothing is sent, nothing is changed."""
    from moderator.config import load
    from moderator.run.rehearsal import rehearse_archive

    for line in rehearse_archive(load(config_file), archive, since.replace(tzinfo=UTC) if since else None, out):
        click.echo(line)
