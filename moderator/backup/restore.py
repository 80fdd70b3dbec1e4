"""A club's database comes into a place: a backup back into its own, where what was there is kept beside it, or the
whole club from the file of SQLite into PostgreSQL, or back.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from moderator.backup import archive
from moderator.backup.archive import DATABASE, HOUSE, SETTINGS, Manifest
from moderator.common import disk
from moderator.common.disk import sync_folder
from moderator.common.errors import OperatorError, TransientError
from moderator.common.text import count_noun
from moderator.mail.transports import open_mailbox
from moderator.settings import Config
from moderator.store import engines, installation
from moderator.store.database import open_engine, open_reading_session, translate_database_errors
from moderator.store.due_work import Place
from moderator.store.installation import hold_tick_lock
from moderator.store.schema import HEAD, migrate_database, refuse_foreign_version

if TYPE_CHECKING:
    from sqlalchemy import Table
    from sqlalchemy.engine import Connection
    from sqlmodel import Session


_MARK = b"SQLite format 3\0"
_STAMP = "%Y-%m-%d-%H%M%S"
MARGIN = timedelta(days=1)
"""Clocks of mail servers differ, and a mail that is known already does no harm."""


def restore_backup(
    config: Config, file: Path, now: datetime, *, force: bool = False, mails: bool = True
) -> tuple[Manifest, list[str]]:
    """Put the database and the house list of a backup in place; returns what it was and remarks for the operator.

    With ``mails`` those that came after the backup are moved back into the inbox first, so that the next tick handles
    them again before it judges anybody. Nothing has changed if this raises OperatorError or TransientError."""
    if config.store.url:
        raise OperatorError("The database is PostgreSQL.", "Restore it with pg_restore.")
    place = config.resolve_path(config.store.path)
    manifest = _read_restorable(file)
    place.parent.mkdir(parents=True, exist_ok=True)
    with hold_tick_lock(config.database) as alone:
        if not alone:
            raise OperatorError("A tick is at work.", "Stop cron or `moderator watch`, and try again.")
        if place.exists() and not force:
            raise OperatorError(
                f"There is a database at {place}.", "Replace it with --force; the old one is kept beside it."
            )
        house = config.resolve_path(config.words.house)
        fresh, listed = (path.with_name(f"{path.name}.restoring") for path in (place, house))
        try:
            _prepare_database(file, fresh, manifest)
            parts = [(fresh, place, "database")]
            if _stage_house_list(file, manifest, house, listed):
                parts.append((listed, house, "house list"))
            remarks = [_bring_back_since_backup(config, manifest)] if mails else []
            # What runs from now on is this one; where the club ran before, tick stops by itself.
            installation.take_over_database(place)
            remarks += _swap_files(parts, f"before-restore-{now.astimezone(ZoneInfo(config.club.zone)):{_STAMP}}")
        except OSError as error:
            raise OperatorError(
                *disk.describe_os_error(error, "write beside", place, "Check the folder's permissions.")
            ) from error
        finally:
            for left in (*(fresh.with_name(fresh.name + suffix) for suffix in ("", "-wal", "-shm")), listed):
                left.unlink(missing_ok=True)
    return manifest, remarks + list(_iter_dictionary_remarks(config, manifest))


def restore_settings(file: Path, target: Path) -> bool:
    """Write the settings of a backup to ``target``, which must not exist; returns False where the backup has none.
    Raises OperatorError."""
    manifest = _read_restorable(file)
    if SETTINGS not in manifest.files:
        return False
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".moderator-restore-", dir=target.parent) as folder:
            archive.extract_database(file, manifest, Path(folder) / DATABASE)
        archive.extract_part(file, SETTINGS, target)
    except OSError as error:
        raise OperatorError(
            *disk.describe_os_error(error, "write", target, "Check the folder's permissions.")
        ) from error
    return True


def _read_restorable(file: Path) -> Manifest:
    """Read what is in a backup that this program can restore. Raises OperatorError."""
    manifest = archive.read_manifest(file)
    refuse_foreign_version(manifest.schema, str(file), "restore")
    return manifest


def _prepare_database(file: Path, fresh: Path, manifest: Manifest) -> None:
    """Write the database of the backup to a file beside its place, sound and of this program's version."""
    fresh.unlink(missing_ok=True)
    archive.extract_database(file, manifest, fresh)
    if manifest.schema < HEAD:
        with translate_database_errors():
            engine = open_engine(fresh)
            try:
                migrate_database(engine)
            finally:
                engine.dispose()


def _bring_back_since_backup(config: Config, manifest: Manifest) -> str:
    try:
        count = bring_back_mails(config, manifest.complete_until - MARGIN)
    except (OperatorError, TransientError) as error:
        raise OperatorError(
            f"The mailbox cannot be reached, so mails since the backup would be lost: {error}",
            "Try again later, or restore with --no-mails.",
        ) from error
    return f"{count_noun(count, 'mail')} since then put back into the inbox; the next tick reads them."


def _swap_files(parts: list[tuple[Path, Path, str]], stamp: str) -> list[str]:
    """Swap the files, which all lie ready on their disks: only renames, and where one fails, those before it are taken
    back.

    The old database is moved first: without one nothing can start meanwhile."""
    place, moved, remarks = parts[0][1], list[tuple[Path, Path]](), list[str]()
    if place.exists() and _is_sqlite_file(place):
        # So that it is one file. What is no database any more is kept as it is, its write-ahead log with it.
        with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(place)) as old:
            old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try:
        for fresh, goal, what in parts:
            if goal.exists() and goal.stat().st_size:
                remarks.append(f"The {what} that was here is kept as {goal.name}.{stamp}.")
            for suffix in ("", "-wal", "-shm"):
                part = goal.with_name(goal.name + suffix)
                if part.exists():
                    moved.append((part, part.rename(goal.with_name(f"{goal.name}.{stamp}{suffix}"))))
            moved.append((fresh, fresh.rename(goal)))
    except OSError:
        for before, after in reversed(moved):
            after.rename(before)
        raise
    for folder in {goal.parent for _, goal, _ in parts}:
        sync_folder(folder)
    return remarks


def _is_sqlite_file(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(_MARK)) == _MARK


def _stage_house_list(file: Path, manifest: Manifest, place: Path, fresh: Path) -> bool:
    """Stage the house list of the backup beside its place; returns whether it is to be put there: not where the one
    that is here has only grown since."""
    if HOUSE not in manifest.files:
        return False
    fresh.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    archive.extract_part(file, HOUSE, fresh)
    if not place.exists():
        return True
    with place.open("rb") as here, fresh.open("rb") as there:
        while block := there.read(1 << 20):
            if here.read(len(block)) != block:
                return True
    return False


def _iter_dictionary_remarks(config: Config, manifest: Manifest) -> Iterator[str]:
    """Yield a remark for each dictionary that is another one: matches of games of words stop there."""
    here = archive.load_fingerprints(config)
    for name, fingerprint in manifest.dictionaries.items():
        if here.get(name) != fingerprint:
            state = "is another one here" if name in here else "is missing here"
            yield (
                f"The dictionary {name} {state}: put back the file {name}.lex that the backup was made with, or build "
                "one and let the matches go on with `moderator match resume --accept-lexicon`."
            )


# ---- mails that were filed away, taken in once more: after a restore, or when something went wrong ----


def bring_back_mails(config: Config, since: datetime) -> int:
    """Move mails that came at ``since`` or later from the folders of read mails back into the inbox; returns how many.

    The caller holds the tick's lock. Raises OperatorError, TransientError."""
    box = open_mailbox(config)
    try:
        return box.bring_back(since)
    finally:
        box.close()


# ---- to another database ----


ROWS = 100
"""Rows at hand at a time; some hold a mail of 1 MB."""


def parse_database_place(text: str) -> Place:
    """Parse the operator's name of a database: a URL, or else a file."""
    return text if engines.is_postgres_url(text) else Path(text)


def move_database(config: Config, target: Place) -> dict[str, int]:
    """Copy everything into an empty database, all of it or nothing; returns how many rows each table has.

    The old database stays as it is. Raises OperatorError where the other database is not empty."""
    from sqlmodel import SQLModel

    name = engines.mask_url_password(target) if isinstance(target, str) else str(target)
    with translate_database_errors(), open_reading_session(config.database) as source:
        if isinstance(target, Path) and not target.exists():
            target.touch(mode=0o600)  # it holds everybody's mails and tiles
        engine = open_engine(target)
        try:
            migrate_database(engine)
            with engine.begin() as connection:
                tables = SQLModel.metadata.sorted_tables
                if any(_count_rows(connection, table) for table in tables):
                    raise OperatorError(f"{name} is not empty.", "Name a new database.")
                for table in tables:
                    _copy_rows(source, connection, table)
                copied = {table.name: _count_rows(connection, table) for table in tables}
                _take_over_mailbox(connection, target)
            return copied
        finally:
            engine.dispose()


def _copy_rows(source: Session, target: Connection, table: Table) -> None:
    from sqlalchemy import insert, select

    rows = source.connection().execution_options(yield_per=ROWS).execute(select(table).order_by(*table.primary_key))
    for chunk in rows.mappings().partitions(ROWS):
        target.execute(insert(table), [dict(row) for row in chunk])
    if target.dialect.name == "postgresql" and "id" in table.primary_key:
        engines.advance_sequence(target, table.name)


def _take_over_mailbox(connection: Connection, target: Place) -> None:
    """Let the moved club read the mailbox from its first tick; what should still run with the old database stops
    then."""
    from sqlalchemy import delete, insert
    from sqlmodel import SQLModel

    if isinstance(target, Path):
        installation.take_over_database(target)
        return
    values, table = installation.build_takeover_values(), SQLModel.metadata.tables["keyvalue"]
    connection.execute(delete(table).where(table.c.key.in_(values)))
    connection.execute(insert(table), [{"key": key, "value": value} for key, value in values.items()])


def _count_rows(connection: Connection, table: Table) -> int:
    from sqlalchemy import func, select

    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())
