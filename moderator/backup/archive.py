"""A backup: one zip file with the database, the house list, the settings without passwords, and a list of it all."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
import tomllib
import zipfile
import zlib
from contextlib import closing
from dataclasses import asdict, dataclass, field
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO
from zoneinfo import ZoneInfo

import moderator
from moderator.common import disk, secret_settings
from moderator.common.disk import sync_folder
from moderator.common.errors import ConfigError, DamageError, LexiconError, OperatorError, StoreError
from moderator.common.typed import build_dataclass
from moderator.settings import Config
from moderator.store import due_work
from moderator.store.database import translate_database_errors
from moderator.store.schema import refuse_older_version
from moderator.words.compiled import SUFFIX, read_lexicon_facts

FORMAT = 1
DATABASE, HOUSE, SETTINGS, MANIFEST = "database.sqlite", "house.tsv", "moderator.toml", "manifest.json"
COUNTED = {"player": "player", "match": "match", "event": "entry", "inbox": "read mail", "outbox": "sent mail"}
"""Tables, each with what a row of it is."""
_NAME = "moderator-%Y-%m-%d-%H%M%S.zip"
_OURS = re.compile(r"moderator-\d{4}-\d\d-\d\d-\d{6}\.zip")
_VERSION = re.compile(r"\d{4}")
_LARGEST = {MANIFEST: 1 << 20, SETTINGS: 1 << 20, HOUSE: 64 << 20}
"""Bytes. How large a database may be is for the disk to say."""
_BLOCK = 1 << 20
_DAMAGE = (
    OSError, zipfile.BadZipFile, zlib.error, EOFError, ValueError, KeyError, TypeError, AttributeError, RuntimeError,
)  # fmt: skip
"""What zipfile and the manifest throw where bytes are not as they were written."""


@dataclass(frozen=True)
class Manifest:
    """The list of what is in a backup."""

    made_at: str
    """ISO, UTC."""
    schema: str
    """Migration that the database is at."""
    moderator: str
    """Version of the program."""
    counts: dict[str, int]
    """Rows of the larger tables."""
    dictionaries: dict[str, str]
    """Name -> fingerprint. The files themselves are not in it: they are built from their sources."""
    files: dict[str, str] = field(default_factory=dict)
    """Name -> SHA-256 in hex."""
    complete_to: str = ""
    """When the mailbox was last read to its end; "" = never. Mails that came later may be missing."""
    format: int = FORMAT

    @property
    def creation_time(self) -> datetime:
        return datetime.fromisoformat(self.made_at)

    @property
    def complete_until(self) -> datetime:
        """The time before which all mail is in the backup."""
        return (
            min(self.creation_time, datetime.fromisoformat(self.complete_to))
            if self.complete_to
            else self.creation_time
        )


def create_backup(config: Config, target: Path, now: datetime, force: bool = False) -> tuple[Path, Manifest]:
    """Write a backup to the file ``target``, or under a name with the time into that folder.

    On disk and read back, or not there at all; readable by its owner only. Raises OperatorError, also where a file is
    in the way."""
    if config.store.url:
        raise OperatorError("The database is PostgreSQL.", "Back it up with pg_dump, and keep house.tsv with it.")
    file = target / f"{now.astimezone(ZoneInfo(config.club.zone)):{_NAME}}" if target.is_dir() else target
    if file.exists() and not force:
        raise OperatorError(f"{file} is there already.", "Name another file, or overwrite it with --force.")
    if not file.parent.is_dir():
        raise OperatorError(f"There is no folder {file.parent}.", "Make it first, or name another.")
    try:
        with tempfile.TemporaryDirectory(prefix=".moderator-backup-", dir=file.parent) as folder:
            part = Path(folder) / "backup.zip"
            manifest = _write_backup(config, part, now)
            read_manifest(part)
            os.replace(part, file)
            sync_folder(file.parent)
    except OSError as error:
        raise OperatorError(*disk.describe_os_error(error, "write", file, "Check the folder's permissions.")) from error
    return file, manifest


def delete_old_backups(made: Path, keep: int) -> list[Path]:
    """Delete the oldest of the backups beside ``creation_time`` that have a name of ``create_backup``'s own, so that
    ``keep`` are left.

    ``creation_time`` is among them whatever its clock said; returns the deleted."""
    others = sorted(path for path in made.parent.iterdir() if _OURS.fullmatch(path.name) and path != made)
    old = others[: max(0, len(others) - (keep - 1))]
    for path in old:
        path.unlink()
    return old


def read_manifest(file: Path) -> Manifest:
    """Read what is in a backup, after every byte of it was checked. Raises OperatorError."""
    try:
        with zipfile.ZipFile(file) as archive:
            # A part that no club's is as large as: few bytes of a zip may stand for very many.
            for part in archive.infolist():
                if part.file_size > _LARGEST.get(part.filename, part.file_size):
                    raise build_damage_error(file, f"{part.filename} in it has {part.file_size / 1e6:.0f} MB")
            manifest = _parse_manifest(file, json.loads(archive.read(MANIFEST)))
            if sorted([*manifest.files, MANIFEST]) != sorted(archive.namelist()):
                raise build_damage_error(file)
            for name, digest in manifest.files.items():
                with archive.open(name) as stream:
                    if _hash_stream(stream) != digest:
                        raise build_damage_error(file)
    except FileNotFoundError:
        raise OperatorError(f"There is no {file}.", "Name a file that `moderator backup` has made.") from None
    except _DAMAGE as error:
        raise build_damage_error(file) from error
    return manifest


def _parse_manifest(file: Path, values: Any) -> Manifest:
    """Parse the backup's list, if ``create_backup`` could have written it. Raises OperatorError; what else it raises is
    in _DAMAGE."""
    if isinstance(values["format"], int) and values["format"] > FORMAT:
        raise OperatorError(f"{file} was made by a newer moderator.", "Install that version.")
    try:
        manifest = build_dataclass(Manifest, values, MANIFEST)
    except ConfigError as error:
        raise build_damage_error(file) from error
    known = {DATABASE, HOUSE, SETTINGS}
    if not (
        manifest.format == FORMAT
        and DATABASE in manifest.files
        and known.issuperset(manifest.files)
        and set(COUNTED) <= set(manifest.counts)
        and _VERSION.fullmatch(manifest.schema)
        and _is_time(manifest.made_at)
        and (not manifest.complete_to or _is_time(manifest.complete_to))
    ):
        raise build_damage_error(file)
    return manifest


def _is_time(text: str) -> bool:
    """Return whether it is a time as ``create_backup`` writes one, however wrong the clock, with days before and after
    it. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    return moment.tzinfo is not None and MINYEAR < moment.year < MAXYEAR


def build_damage_error(file: Path, what: str = "") -> OperatorError:
    return OperatorError(
        f"{file} is no backup of moderator's, or is damaged{f': {what}' if what else ''}.", "Take another one."
    )


def extract_database(file: Path, manifest: Manifest, target: Path) -> None:
    """Write the database of a backup to ``target``, sound and as the list says. Raises OperatorError, OSError."""
    extract_part(file, DATABASE, target)
    try:
        check_database_file(target)
        found = due_work.load_schema_version(target)
        counts, _ = _load_facts(target)
    except StoreError as error:
        raise build_damage_error(file, str(error.args[0]).rstrip(".")) from error
    if found != manifest.schema:
        raise build_damage_error(file, f"its database is of version {found}, not {manifest.schema} as its list says")
    for name, count in counts.items():
        if count != manifest.counts[name]:
            raise build_damage_error(
                file, f"its database has {count} rows of {name}, not {manifest.counts[name]} as its list says"
            )


def extract_part(file: Path, name: str, target: Path) -> None:
    """Write one part of a backup to ``target``, for its owner only, and to the disk. Raises OSError, also where it will
    have no room."""
    with zipfile.ZipFile(file) as archive:
        left, needed = disk.find_free_bytes(target), archive.getinfo(name).file_size
    if left is not None and needed > left:
        raise OSError(errno.ENOSPC, f"{needed / 1e6:.0f} MB are needed", str(target))
    with zipfile.ZipFile(file) as archive, archive.open(name) as source, create_private_file(target) as stream:
        shutil.copyfileobj(source, stream, _BLOCK)
        stream.flush()
        os.fsync(stream.fileno())


def create_private_file(path: Path) -> BinaryIO:
    """Create a file that only its owner can read. Raises OSError."""
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")


def load_fingerprints(config: Config) -> dict[str, str]:
    """Load the fingerprints of the club's dictionaries by name; one that is missing is left out."""
    found = {}
    for name in (*config.words.lexicons, *config.words.ask_if_in):
        try:
            found[name] = read_lexicon_facts(config.resolve_path(config.words.folder) / f"{name}{SUFFIX}").sha256
        except LexiconError:
            continue
    return found


def _write_backup(config: Config, part: Path, now: datetime) -> Manifest:
    source, copied = config.resolve_path(config.store.path), part.with_name(DATABASE)
    schema = due_work.load_schema_version(source)
    refuse_older_version(schema, "The database")
    copy_database(source, copied)
    counts, polled = _load_facts(copied)
    # After the database: a ruling that the list has and the database has not yet does no harm.
    members: dict[str, Path | bytes] = {DATABASE: copied}
    house = config.resolve_path(config.words.house)
    if house.exists():
        members[HOUSE] = house.read_bytes()
    settings = clear_secrets(config.file.read_text(encoding="utf-8"))
    if settings is not None:
        members[SETTINGS] = settings.encode()
    made = now.astimezone(UTC).isoformat(timespec="seconds")
    version = moderator.__version__
    manifest = Manifest(made, schema, version, counts, load_fingerprints(config), complete_to=polled)
    with create_private_file(part) as stream:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                manifest.files[name] = _add_part(archive, name, content)
            _add_part(archive, MANIFEST, json.dumps(asdict(manifest), indent=1).encode())
        stream.flush()
        os.fsync(stream.fileno())
    return manifest


def _add_part(archive: zipfile.ZipFile, name: str, content: Path | bytes) -> str:
    """Add one part to the archive; returns its hash."""
    entry = zipfile.ZipInfo(name)  # without a time: zip knows none before 1980, where clocks without a battery begin
    entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
    if isinstance(content, bytes):
        archive.writestr(entry, content)
        return hashlib.sha256(content).hexdigest()
    entry.file_size = content.stat().st_size
    digest = hashlib.sha256()
    with content.open("rb") as source, archive.open(entry, "w") as stream:
        while block := source.read(_BLOCK):
            digest.update(block)
            stream.write(block)
    return digest.hexdigest()


def _hash_stream(stream: Any) -> str:
    digest = hashlib.sha256()
    while block := stream.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _load_facts(path: Path) -> tuple[dict[str, int], str]:
    """Load (rows of the larger tables, time when the mailbox was last read). Raises StoreError."""
    with translate_database_errors(), closing(sqlite3.connect(path)) as connection:
        counts = {name: connection.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0] for name in COUNTED}
        polled = connection.execute("SELECT value FROM keyvalue WHERE key = 'polled'").fetchone()
    return counts, polled[0] if polled else ""


def clear_secrets(text: str) -> str | None:
    """Return the settings with empty secrets, remarks included; None where that cannot be told for sure (one over
    several lines, or one that stands elsewhere, too)."""
    changed, before = secret_settings.clear_settings_text(text), tomllib.loads(text)
    try:
        after = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        return None
    leaked = any(secret in changed for secret in secret_settings.iter_secrets(before))
    return None if leaked or after != secret_settings.clear_settings_values(before) else changed


# ---- the database as it was at one moment, while others go on writing to it ----


FAULTS_SHOWN = 5


def copy_database(source: Path, target: Path) -> None:
    """Copy a SQLite database to a file of its own, in one piece; then check it. Raises StoreError, TransientError."""
    with translate_database_errors(source):
        with closing(sqlite3.connect(source, timeout=60)) as old, closing(sqlite3.connect(target)) as new:
            old.backup(new)
            # Else the copy would want a write-ahead log beside itself.
            new.execute("PRAGMA journal_mode=DELETE")
        check_database_file(target)


def check_database_file(path: Path) -> None:
    """Raise StoreError when SQLite finds anything wrong with the file."""
    with translate_database_errors(path), closing(sqlite3.connect(path)) as connection:
        found = [row[0] for row in connection.execute(f"PRAGMA integrity_check({FAULTS_SHOWN})")]
    if found != ["ok"]:
        raise DamageError(f"The database does not read as it was written: {'; '.join(found)}.")
