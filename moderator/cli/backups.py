"""`moderator backup`, `restore`, `reread`, `move-store` and `audit`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import click

from moderator.backup import restore as restoring
from moderator.backup.archive import COUNTED, SETTINGS, create_backup, delete_old_backups
from moderator.backup.restore import bring_back_mails, move_database, parse_database_place
from moderator.cli import club_names
from moderator.cli.group import print_rows, with_json_option
from moderator.cli.json_types import AuditLine, BackupMade
from moderator.cli.progress import show_working
from moderator.cli.session import find_audited_code, format_club_time, open_club, parse_start_day, record_outside_change
from moderator.cli.texts import say_lines
from moderator.common import disk
from moderator.common.errors import OperatorError
from moderator.common.text import count_noun
from moderator.run.timeline import TimelineEntry, merge_timeline
from moderator.settings import load_config
from moderator.store.installation import hold_tick_lock

DAYS_SHOWN = 7


@click.command()
@click.argument("target", type=click.Path(path_type=Path), metavar="FILE|FOLDER")
@click.option("--keep", type=click.IntRange(min=1), help="With FOLDER: keep only the newest KEEP backups.")
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@with_json_option("backup")
@click.pass_obj
def backup(config_file: Path | None, target: Path, keep: int | None, force: bool, as_json: bool) -> None:
    """Copy everything into one file; a tick may run meanwhile. In a FOLDER the file gets a name with the time.
    Passwords and dictionaries are left out."""
    config = load_config(config_file)
    if keep is not None:
        try:
            target.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise OperatorError(f"{target} is no folder.", "--keep goes with a folder.") from error
    file, manifest = create_backup(config, target, config.read_clock(), force)
    gone = delete_old_backups(file, keep) if keep is not None else []
    if SETTINGS not in manifest.files:
        say_lines(f"{config.file} is not in it: where its passwords stand is not clear. Keep a copy.", err=True)
    facts = _format_counts(manifest.counts)
    size = file.stat().st_size
    values: BackupMade = {
        "file": str(file),
        "bytes": size,
        "rows": manifest.counts,
        "settings": SETTINGS in manifest.files,
        "deleted": list(map(str, gone)),
    }
    deleted = f"; deleted {count_noun(len(gone), 'old backup')}" if gone else ""
    said = f"{file}: {size / 1e6:.1f} MB ({facts}){deleted}"
    print_rows([(values, said)], as_json)
    record_outside_change(config)


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--force", is_flag=True, help="Replace the current database; it is kept beside the new one.")
@click.option("--no-mails", is_flag=True, help="Do not fetch the mails that came since the backup.")
@click.pass_obj
def restore(config_file: Path | None, file: Path, force: bool, no_mails: bool) -> None:
    """Put a backup in place. The next tick reads the mails that came since. If there is no moderator.toml yet, it is
    written first."""
    settings = disk.choose_settings_file(config_file)
    if not settings.exists() and restoring.restore_settings(file, settings):
        say_lines(f"Wrote {settings}: fill in the passwords, then run `moderator restore` again.")
        return
    config = load_config(config_file)
    with show_working("Restoring"):
        manifest, remarks = restoring.restore_backup(config, file, config.read_clock(), force=force, mails=not no_mails)
    record_outside_change(config)
    say_lines(f"Restored as of {format_club_time(manifest.creation_time, config)}.")
    for remark in remarks:
        say_lines(remark)
    say_lines("Did the club run elsewhere before? Stop cron there: from the next tick on this one reads the mailbox.")
    say_lines("Next: `moderator doctor --deep`, then let tick run again.")


@click.command()
@click.option("--since", required=True, help="A day, e.g. 2026-12-24: mails that came from then on.")
@click.pass_obj
def reread(config_file: Path | None, since: str) -> None:
    """Put mails that were read back into the inbox. The next tick takes in those that the database does not know; the
    others are filed away again."""
    config = load_config(config_file)
    with hold_tick_lock(config.database) as alone:
        if not alone:
            raise OperatorError("A tick is at work.", "Try again when it is done.")
        count = bring_back_mails(config, parse_start_day(since, config))
    record_outside_change(config)
    say_lines(f"{count_noun(count, 'mail')} put back into the inbox; the next tick reads what lies there.")


def _format_counts(rows: Mapping[str, int]) -> str:
    """Return how much a database holds, in words; ``rows``: by table."""
    return ", ".join(count_noun(rows[table], noun) for table, noun in COUNTED.items())


@click.command("move-store")
@click.argument("database", metavar="URL|FILE")
@click.pass_obj
def move_store(config_file: Path | None, database: str) -> None:
    """Copy everything to PostgreSQL, or back into a file. The target must be empty: postgresql://user@host/name or a
    file. The old database stays as it is; stop tick, watch and receive first."""
    config = load_config(config_file)
    with hold_tick_lock(config.database) as alone:
        if not alone:
            raise OperatorError("A tick is at work.", "Try again when it is done.")
        with show_working("Copying"):
            rows = move_database(config, parse_database_place(database))
    say_lines(f"Copied {count_noun(sum(rows.values()), 'row')} ({_format_counts(rows)}).")
    key = "url" if isinstance(parse_database_place(database), str) else "path"
    say_lines(f"Next: set {key} in [store] of {config.file}, then `moderator doctor --deep`.")


@click.command()
@click.option("--since", default="", help=f"A day, e.g. 2026-12-24. [default: {DAYS_SHOWN} days ago]")
@click.option(
    "--match", "code", type=club_names.ANY_MATCH, default="", help="Only what concerns this match (or tournament)."
)
@with_json_option("deed", lines=True)
@click.pass_obj
def audit(config_file: Path | None, since: str, code: str, as_json: bool) -> None:
    """List who did what, by mail and on the command line. Stored moves and racks stay hidden."""
    with open_club(config_file) as work:
        start = parse_start_day(since, work.config) if since else work.now - timedelta(days=DAYS_SHOWN)
        zone = work.config.club.zone
        about = code and find_audited_code(work.session, code)
        print_rows(
            (
                (_build_audit_line(deed), deed.format_line(zone))
                for deed in merge_timeline(work.session, start, zone, about)
            ),
            as_json,
        )


def _build_audit_line(deed: TimelineEntry) -> AuditLine:
    return {"at": deed.at, "who": deed.who, "about": deed.about, "what": deed.what, "outcome": deed.outcome or None}
