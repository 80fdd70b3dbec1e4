"""Backups: whole, also while others write; private; without passwords; never in the way of what is there."""

import errno
import json
import sqlite3
import stat
import threading
import tomllib
import zipfile
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from moderator.backup import archive as backup
from moderator.backup.archive import clear_secrets
from moderator.common.errors import OperatorError, StoreError
from moderator.store.database import open_store
from moderator.store.schema import HEAD
from moderator.store.tables import EventRow, MatchRow
from tests.cli.running import refuse_command, run_command, type_command
from tests.club.club import Club, club_of

pytestmark = pytest.mark.sqlite


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = club_of(tmp_path / "club", "Anna", "Bert")
    made.match("Anna", "Bert")
    made.tick()
    return made


def database(file: Path, folder: Path) -> sqlite3.Connection:
    with zipfile.ZipFile(file) as archive:
        archive.extract(backup.DATABASE, folder)
    return sqlite3.connect(folder / backup.DATABASE)


def test_what_is_in_it(club: Club, tmp_path: Path) -> None:
    (club.folder / "house.tsv").write_text("HUGO\t\t\tdeny\n", encoding="utf-8")
    file, manifest = backup.create_backup(club.config, tmp_path / "b.zip", club.now)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with zipfile.ZipFile(file) as archive:
        assert set(archive.namelist()) == {"database.sqlite", "house.tsv", "moderator.toml", "manifest.json"}
        assert archive.read("house.tsv") == b"HUGO\t\t\tdeny\n"
        values = json.loads(archive.read("manifest.json"))
    assert values["schema"] == HEAD
    assert values["counts"] == {"player": 2, "match": 1, "event": 0, "inbox": 0, "outbox": 2}
    assert set(values["dictionaries"]) == {"de"}
    assert backup.read_manifest(file) == manifest
    with closing(database(file, tmp_path)) as copy:
        assert copy.execute("SELECT name FROM player ORDER BY id").fetchall() == [("Anna",), ("Bert",)]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_it_is_made_while_a_tick_writes(club: Club, tmp_path: Path) -> None:
    """Entries and their count are written in one transaction, thousands of times; every backup has both or neither."""
    stop, failed = threading.Event(), []

    def write() -> None:
        store = open_store(club.config.database)
        n = 0
        try:
            while not stop.is_set():
                n += 1
                with store.begin_transaction() as session:
                    session.add(EventRow(match_id=1, n=n, kind="notice", text="x" * 500, at=club.now))
                    match = session.get_one(MatchRow, 1)
                    match.entries = n
        except Exception as error:
            failed.append(error)
        finally:
            store.close()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    try:
        for number in range(8):
            file, _ = backup.create_backup(club.config, tmp_path / f"{number}.zip", club.now)
            with closing(database(file, tmp_path / str(number))) as copy:
                (entries,) = copy.execute("SELECT entries FROM match").fetchone()
                assert copy.execute("SELECT COUNT(*), COALESCE(MAX(n), 0) FROM event").fetchone() == (entries, entries)
                seen.add(entries)
    finally:
        stop.set()
        writer.join()
    assert not failed
    assert len(seen) > 1


def test_an_open_transaction_neither_blocks_it_nor_gets_into_it(club: Club, tmp_path: Path) -> None:
    store = open_store(club.config.database)
    with store.begin_transaction() as session:
        session.add(EventRow(match_id=1, n=1, kind="notice", at=club.now))
        session.flush()
        file, manifest = backup.create_backup(club.config, tmp_path / "b.zip", club.now)
    store.close()
    assert manifest.counts["event"] == 0
    with closing(database(file, tmp_path)) as copy:
        assert copy.execute("SELECT COUNT(*) FROM event").fetchone() == (0,)


def test_nothing_is_overwritten_without_force_or_on_a_full_disk(
    club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "b.zip"
    file.write_bytes(b"something dear")
    assert "--force" in str(run_command(club, "backup", str(file)).exception)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(zipfile.ZipFile, "writestr", full)
        with pytest.raises(OperatorError, match=r"the disk (is full|takes no more)"):
            backup.create_backup(club.config, file, club.now, force=True)
    assert file.read_bytes() == b"something dear"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zip", "club"]
    assert run_command(club, "backup", str(file), "--force").exit_code == 0
    assert backup.read_manifest(file).counts["player"] == 2


def test_a_damaged_database_is_not_backed_up(club: Club, tmp_path: Path) -> None:
    path = club.folder / "moderator.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'seat'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = bytearray(path.read_bytes())
    data[(root - 1) * size : (root - 1) * size + 200] = b"\xff" * 200
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"could not be read|does not read"):
        backup.create_backup(club.config, tmp_path / "b.zip", club.now)
    assert not (tmp_path / "b.zip").exists()


def test_old_ones_go_and_nothing_else(club: Club, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    others = {"holiday.zip", "moderator-2026.zip", "moderator-2020-01-01-000000.zip.txt"}
    for name in others:
        (folder / name).write_text("mine")
    for year in (-80, -1, 0, 1, 400):  # also some of a clock that was wrong
        backup.create_backup(club.config, folder, club.now + timedelta(days=365 * year))
    club.wait(seconds=1)
    said = type_command(club, "backup", folder, "--keep", "3")
    assert "deleted 3 old backups" in said
    ours = sorted(path for path in folder.glob("moderator-????-??-??-??????.zip"))
    assert len(ours) == 3
    assert str(ours[0]) in said
    assert others <= {path.name for path in folder.iterdir()}


def test_a_folder_is_made_for_cron(club: Club, tmp_path: Path) -> None:
    said = type_command(club, "backup", tmp_path / "new" / "backups", "--keep", "14")
    (file,) = (tmp_path / "new" / "backups").iterdir()
    assert f"{file.name}: " in said
    assert "folder" in refuse_command(club, "backup", club.config.file, "--keep", "14")


def test_any_changed_byte_is_noticed_or_changes_nothing(club: Club, tmp_path: Path) -> None:
    file, manifest = backup.create_backup(club.config, tmp_path / "b.zip", club.now)
    whole = file.read_bytes()
    noticed = []
    for place in range(0, len(whole), max(1, len(whole) // 150)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
        try:
            same = backup.read_manifest(file) == manifest
        except OperatorError as error:
            noticed.append(str(error))
            continue
        assert same
    assert len(noticed) > 100
    assert all("damaged" in words for words in noticed)
    for cut in (0, 10, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:cut])
        with pytest.raises(OperatorError, match="damaged"):
            backup.read_manifest(file)


def test_what_is_no_backup_is_named(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="There is no"):
        backup.read_manifest(tmp_path / "none.zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(OperatorError, match="is no backup"):
        backup.read_manifest(tmp_path / "other.zip")


# ---- settings ----

SETTINGS = """\
[club]   # remark
moderator = "boss@club.example"
[mail]
address = "games@club.example"
[imap]
host = "imap.club.example"
password = "geheim-1 # \\" x"   # do not tell
password_command = "cat ~/.pw"
# password = "geheim-before"
[smtp]
host = 'smtp.club.example'
  password='geheim-2'
token_command = "oauth2 token"
"""


def test_settings_keep_all_but_the_passwords() -> None:
    shown = clear_secrets(SETTINGS)
    assert shown is not None
    assert "geheim" not in shown
    values = tomllib.loads(shown)
    assert values["imap"] == {"host": "imap.club.example", "password": "", "password_command": "cat ~/.pw"}
    assert values["smtp"] == {"host": "smtp.club.example", "password": "", "token_command": ""}
    assert "# remark" in shown
    assert clear_secrets('imap.password = "geheim-1"\n') == 'imap.password = ""\n'
    assert clear_secrets('[imap]\n"password" = "geheim-1"\n') == '[imap]\n"password" = ""\n'


UNCLEAR = (
    'imap = { host = "x", password = "geheim-1" }\n',
    '[imap]\npassword = """\ngeheim-1"""\n',
    '[imap]\npassword = "geheim-1"\n[smtp] # the password was geheim-1 before\n',
    '[imap]\n"p\\u0061ssw\\u006frd" = "geheim-1"\n',
)


def test_settings_whose_passwords_cannot_be_told_are_left_out_and_the_operator_is_told(
    club: Club, tmp_path: Path
) -> None:
    for unclear in UNCLEAR:
        assert tomllib.loads(unclear)
        assert clear_secrets(unclear) is None
    text = club.config.file.read_text(encoding="utf-8")
    club.config.file.write_text(text + UNCLEAR[1], encoding="utf-8")
    done = run_command(club, "backup", str(tmp_path / "b.zip"))
    assert "Keep a copy" in done.stderr
    assert "geheim" not in done.output
    assert b"geheim" not in (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        assert "moderator.toml" not in archive.namelist()
