"""Zip files that somebody made up: each is refused in one line, and what is there stays as it is."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import stat
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from moderator.backup import backup
from moderator.backup.backup import DATABASE, MANIFEST
from moderator.cli import cli
from moderator.errors import OperatorError
from moderator.store.installation import only_one
from tests.club.club import Club, make_club

pytestmark = pytest.mark.sqlite

MISSING = object()
WRONG: dict[str, tuple[Any, ...]] = {
    "made_at": (
        "yesterday", "", "2026-11-20", "2026-11-20T12:00:00", "0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00",
5, None, MISSING,
    ),
    "complete_to": ("yesterday", "2026-11-20T12:00:00", "0001-01-01T00:00:00+00:00", 5, None),
    "schema": ("0001", "none", "", "0009; DROP TABLE player", "../0009", 9, None, MISSING),
    "moderator": (5, None, MISSING),
    "counts": ({}, {"player": 2}, {"player": "2"}, [], 5, None, MISSING),
    "dictionaries": ([], {"de": 5}, "de", None, MISSING),
    "files": ({}, [], {MANIFEST: "0" * 64}, {"../evil.txt": "0" * 64}, None, MISSING),
    "format": (0, -1, "1", 1.5, None, True, MISSING),
    "more": ("than there should be",),
}  # fmt: skip
"""Field of the list -> values that no program of ours writes."""
COUNTS = (-1, 0, 7, 10**30, True, 2.0, "2", None)
"""Rows of a table that has another number of them (or as no number is written)."""
NAMES = (
    "../evil.txt",
    "/tmp/evil.txt",
    "a/../../evil",
    "moderator.toml/x",
    "house.tsv\0",
    "C:\\evil",
    ".",
    "database.sqlite-wal",
)


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert")
    return made


def parts_of(club: Club, folder: Path) -> dict[str, bytes]:
    file, _ = backup.make(club.config, folder / "good.zip", club.now)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def listed(parts: dict[str, bytes], **changed: Any) -> dict[str, bytes]:
    """With a list that fits the parts, but for what is changed in it."""
    values = json.loads(parts[MANIFEST])
    values["files"] = {name: hashlib.sha256(data).hexdigest() for name, data in parts.items() if name != MANIFEST}
    values.update(changed)
    kept = {name: value for name, value in values.items() if value is not MISSING}
    return parts | {MANIFEST: json.dumps(kept).encode()}


def altered(data: bytes, folder: Path, *statements: str) -> bytes:
    """A database after somebody's statements."""
    file = folder / "altered.sqlite"
    file.write_bytes(data)
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
    return file.read_bytes()


def crafted(parts: dict[str, bytes], folder: Path) -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """(what is wrong, the parts) of each file."""
    for field, values in WRONG.items():
        for value in values:
            yield f"{field} = {value!r}", list(listed(parts, **{field: value}).items())
    counts = json.loads(parts[MANIFEST])["counts"]
    for table in backup.COUNTED:
        for count in COUNTS:
            if count is True or count != counts[table] or isinstance(count, float):
                changed = {**counts, table: count}
                yield f"{count!r} rows of {table}", list(listed(parts, counts=changed).items())
    for what, data in databases(parts[DATABASE], folder):
        yield what, list(listed(parts | {DATABASE: data}).items())
    for name in NAMES:
        yield f"a part {name!r}", list(listed(parts | {name: b"x"}).items())
    yield "no database", list(listed({name: data for name, data in parts.items() if name != DATABASE}).items())
    yield "a part twice", [*listed(parts).items(), (DATABASE, b"x"), (DATABASE, parts[DATABASE])]
    for data in (b"", b"[]", b"{}", b"null", b"5", b"{", b"\xff\xfe", b"[" * 100_000):
        yield f"{data[:9]!r} for a list", list((parts | {MANIFEST: data}).items())


def databases(data: bytes, folder: Path) -> Iterator[tuple[str, bytes]]:
    """What might lie in the place of the database, with the right hash."""
    yield "no bytes", b""
    yield "an empty database", altered(b"", folder, "CREATE TABLE a (b)", "DROP TABLE a", "VACUUM")
    yield "a text", b"hello" * 1000
    yield "half of it", data[: len(data) // 2]
    yield (
        "only its version",
        altered(
            b"", folder, "CREATE TABLE alembic_version (version_num)", "INSERT INTO alembic_version VALUES ('0009')"
        ),
    )
    yield "another version", altered(data, folder, "UPDATE alembic_version SET version_num = '0008'")
    yield "no version", altered(data, folder, "DELETE FROM alembic_version")
    yield "no table of mails", altered(data, folder, "DROP TABLE outbox")
    yield (
        "a player more",
        altered(
            data,
            folder,
            "INSERT INTO player SELECT 9, 'x', 'x', 'x@x', "
            + ", ".join(_others(data, folder))
            + " FROM player LIMIT 1",
        ),
    )
    yield "a player less", altered(data, folder, "DELETE FROM player WHERE id = 2")


def _others(data: bytes, folder: Path) -> list[str]:
    """Columns of a player behind the first four."""
    file = folder / "columns.sqlite"
    file.write_bytes(data)
    with closing(sqlite3.connect(file)) as connection:
        return [row[1] for row in connection.execute("PRAGMA table_info(player)")][4:]


def packed(parts: list[tuple[str, bytes]], file: Path) -> Path:
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in parts:
            archive.writestr(zipfile.ZipInfo(name), data)
    return file


def everything(club: Club) -> dict[str, bytes]:
    """All files of the club, also those whose names begin with a dot."""
    return {str(path): path.read_bytes() for path in club.folder.rglob("*") if path.is_file()}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_each_is_refused_in_one_line(club: Club, tmp_path: Path) -> None:
    """Where a club is, and on a new machine."""
    parts = parts_of(club, tmp_path)
    with only_one(club.config):
        pass  # so that its lock is there
    before = everything(club)
    new = tmp_path / "new" / "moderator.toml"
    tried = 0
    for what, content in crafted(parts, tmp_path):
        tried += 1
        file = packed(content, tmp_path / "crafted.zip")
        for settings in (club.config.file, new):
            done = CliRunner().invoke(cli, ["--config", str(settings), "restore", str(file), "--force", "--no-mails"])
            assert isinstance(done.exception, OperatorError), (what, done.output, done.exception)
            assert "\n" not in str(done.exception), what
            assert str(done.exception).startswith(str(file)), (what, done.exception)
            assert done.output == "", what
        assert everything(club) == before, what
        assert not new.exists(), what
        assert not list(tmp_path.glob("**/*evil*")), what
    assert tried > 110


def test_the_one_that_it_was_made_from_is_taken(club: Club, tmp_path: Path) -> None:
    file = packed(list(listed(parts_of(club, tmp_path)).items()), tmp_path / "crafted.zip")
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), "restore", str(file), "--force"])
    assert done.exit_code == 0, done.exception
    assert "Restored as of" in done.output


def test_nobody_else_can_hold_the_lock(club: Club) -> None:
    """Nor of one that an older moderator has made."""
    (club.folder / "moderator.sqlite.lock").touch(mode=0o644)
    club.tick()
    locks = list(club.folder.glob("moderator.sqlite.*lock*"))
    assert locks
    assert {stat.S_IMODE(lock.stat().st_mode) for lock in locks} == {0o600}
