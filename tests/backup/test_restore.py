"""Restoring: the club goes on as if nothing had happened; mails that came since the backup are handled again. Zip files
that somebody made up are each refused in one line, and what is there stays as it is."""

import errno
import hashlib
import json
import sqlite3
import stat
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from moderator.backup import archive as backup
from moderator.backup.archive import DATABASE, MANIFEST
from moderator.backup.restore import restore_backup
from moderator.common.errors import OperatorError
from moderator.settings import load_config
from moderator.store import due_work
from moderator.store.installation import hold_tick_lock
from moderator.store.schema import HEAD
from moderator.store.tables import Audit, EventRow, InboxRow, OutboxRow
from tests.cli.running import run_command, type_command
from tests.club.club import Club, club_of

pytestmark = pytest.mark.sqlite


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return club_of(tmp_path / "club", "Anna", "Bert")


def log(club: Club) -> list[tuple[object, ...]]:
    """The log without the times at which it was written."""
    with club.work() as work:
        rows = work.session.exec(select(EventRow).order_by(col(EventRow.match_id), col(EventRow.n))).all()
        return [(row.match_id, row.n, row.kind, row.seat, row.text, row.outcome) for row in rows]


def play(club: Club, code: str, seat: int) -> None:
    """The best move of a seat, by mail, and a tick."""
    club.hand_in(("Anna", "Bert")[seat], code, seat, club.moves(code, seat)[0])
    club.wait(hours=1)


def lying(club: Club, folder: str) -> int:
    inbox = club.config.resolve_path(club.config.maildir.inbox)
    return sum(1 for part in ("new", "cur") for _ in (inbox / folder / part).glob("*"))


def test_mails_since_the_backup_are_handled_again(club: Club, tmp_path: Path) -> None:
    code = club.start("Anna", "Bert")
    play(club, code, 0)
    file, manifest = backup.create_backup(club.config, tmp_path / "b.zip", club.now)
    assert manifest.complete_until <= club.now
    for seat in (1, 0, 1):
        play(club, code, seat)
    club.say("stranger@x.example", "hello")
    before = log(club)
    with club.work() as work:
        mails = set(work.session.exec(select(InboxRow.digest)))
        sent = set(work.session.exec(select(OutboxRow.message_id)))
    assert len(mails) == 5

    _, remarks = restore_backup(club.config, file, club.now, force=True)
    assert len(log(club)) == 1
    assert lying(club, ".Processed") == 0
    assert "5 mails" in remarks[0]
    summary = club.tick()
    assert (summary.taken, summary.handled) == (4, 4)  # the first is in the backup
    assert log(club) == before
    assert (lying(club, "."), lying(club, ".Processed")) == (0, 5)
    with club.work() as work:
        assert set(work.session.exec(select(InboxRow.digest))) == mails
        again = set(work.session.exec(select(OutboxRow.message_id)))
    assert len(again) == len(sent)
    assert again != sent  # the mails since the backup are made anew
    assert club.tick().is_quiet


@pytest.mark.parametrize(("mails", "happened"), [(True, "move"), (False, "miss")])
def test_nobody_is_late_whose_mail_lay_among_the_read_ones(
    club: Club, tmp_path: Path, mails: bool, happened: str
) -> None:
    """The ZAT was met after the backup; without its mail the player misses the turn."""
    code = club.start("Anna", "Bert", terms={"days": 2, "bank": 0, "grace": 0})
    file, _ = backup.create_backup(club.config, tmp_path / "b.zip", club.now)
    club.wait(days=1)
    play(club, code, 0)
    club.wait(days=4)
    assert [row[2] for row in log(club)] == ["move"]
    _, remarks = restore_backup(club.config, file, club.now, force=True, mails=mails)
    assert any("inbox" in remark for remark in remarks) == mails
    assert lying(club, ".Processed") == (not mails)
    due_work.record_poll_at(
        club.config.database, club.now - timedelta(hours=2)
    )  # no outage: deadlines stay where they were
    club.tick()
    assert log(club)[0][2] == happened


def test_what_is_there_is_kept(club: Club, tmp_path: Path) -> None:
    file, _ = backup.create_backup(club.config, tmp_path / "b.zip", club.now)
    club.players("Dora")
    refused = run_command(club, "restore", str(file))
    assert "--force" in str(refused.exception)
    _, remarks = restore_backup(club.config, file, club.now, force=True)
    (old,) = club.folder.glob("moderator.sqlite.before-restore-*")
    assert any(old.name in remark for remark in remarks)
    assert not any("dictionary" in remark for remark in remarks)
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM player").fetchone() == (3,)
    with closing(sqlite3.connect(club.folder / "moderator.sqlite")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM player").fetchone() == (2,)
    assert stat.S_IMODE((club.folder / "moderator.sqlite").stat().st_mode) == 0o600
    assert not list(club.folder.glob("*.restoring*"))


def test_a_damaged_database_is_replaced_its_log_with_it(club: Club, tmp_path: Path) -> None:
    """A write-ahead log that belongs to another file must not be taken for the new one's."""
    file, _ = backup.create_backup(club.config, tmp_path / "b.zip", club.now)
    path = club.folder / "moderator.sqlite"
    path.write_bytes(b"\0" * 5000)
    (club.folder / "moderator.sqlite-wal").write_bytes(b"of the old one")
    restore_backup(club.config, file, club.now, force=True)
    assert due_work.load_schema_version(path) == HEAD
    (old,) = club.folder.glob("moderator.sqlite.before-restore-*-wal")
    assert old.read_bytes() == b"of the old one"


def test_a_tick_at_work_or_an_unreachable_mailbox_keeps_it_out(
    club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> int:
        raise OperatorError("The mailbox is away.")

    file, _ = backup.create_backup(club.config, tmp_path / "b.zip", club.now)
    with hold_tick_lock(club.config.database):
        for words in (["restore", str(file), "--force"], ["reread", "--since", "2026-01-01"]):
            assert "A tick is at work" in str(run_command(club, *words).exception)
    club.players("Dora")
    monkeypatch.setattr("moderator.backup.restore.bring_back_mails", away)
    with pytest.raises(OperatorError, match=r"The mailbox is away.*--no-mails"):
        restore_backup(club.config, file, club.now, force=True)
    with closing(sqlite3.connect(club.folder / "moderator.sqlite")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM player").fetchone() == (3,)
    assert not list(club.folder.glob("*restor*"))


@pytest.mark.parametrize(
    ("here", "expected", "kept"),
    [
        (None, "A\tx\n", 0),
        ("A\tx\n", "A\tx\n", 0),
        ("A\tx\nB\ty\n", "A\tx\nB\ty\n", 0),  # it has only grown
        ("C\tz\n", "A\tx\n", 1),
        ("", "A\tx\n", 0),
    ],
)
def test_a_house_list_comes_back_and_none_is_lost(
    club: Club, tmp_path: Path, here: str | None, expected: str, kept: int
) -> None:
    house = club.folder / "house.tsv"
    house.write_text("A\tx\n", encoding="utf-8")
    file, _ = backup.create_backup(club.config, tmp_path / "b.zip", club.now)
    house.unlink()
    if here is not None:
        house.write_text(here, encoding="utf-8")
    _, remarks = restore_backup(club.config, file, club.now, force=True)
    assert house.read_text(encoding="utf-8") == expected
    assert sum("house list" in remark for remark in remarks) == kept


def test_restore_is_whole_or_not_at_all(club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever rename fails: the database and the house list are what they were, and nothing is left lying about."""
    house, database = club.folder / "house.tsv", club.folder / "moderator.sqlite"
    house.write_text("A\tx\n", encoding="utf-8")
    file, _ = backup.create_backup(club.config, tmp_path / "b.zip", club.now)
    house.write_text("C\tz\n", encoding="utf-8")
    club.players("Dora")
    real, count = Path.rename, [0]

    def failing(path: Path, target: Path) -> Path:
        count[0] -= 1
        if count[0] == 0:
            raise OSError(errno.EIO, "broken")
        return real(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    for number in range(1, 5):
        count[0] = number
        with pytest.raises(OperatorError):
            restore_backup(club.config, file, club.now, force=True)
        with closing(sqlite3.connect(database)) as connection:
            assert connection.execute("SELECT COUNT(*) FROM player").fetchone() == (3,), number
        assert house.read_text(encoding="utf-8") == "C\tz\n"
        assert not list(club.folder.glob("*restor*"))
    restore_backup(club.config, file, club.now, force=True)
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM player").fetchone() == (2,)
    assert house.read_text(encoding="utf-8") == "A\tx\n"


def test_a_part_that_is_larger_than_any_is_refused_before_it_is_unpacked(club: Club, tmp_path: Path) -> None:
    (club.folder / "house.tsv").write_bytes(bytes(65 << 20))
    with pytest.raises(OperatorError, match=r"house.tsv in it has 68 MB"):
        backup.create_backup(club.config, tmp_path / "b.zip", club.now)
    assert not list(tmp_path.glob("*.zip"))


def test_on_a_new_machine_it_asks_for_passwords_and_names_what_is_missing(club: Club, tmp_path: Path) -> None:
    file, _ = backup.create_backup(club.config, tmp_path / "b.zip", club.now)
    settings = tmp_path / "new" / "moderator.toml"

    assert "fill in the passwords" in run_command(settings, "restore", file).output
    assert stat.S_IMODE(settings.stat().st_mode) == 0o600
    done = run_command(settings, "restore", file)
    assert done.exit_code == 0, done.exception
    assert f"Restored as of {club.now:%Y-%m-%d} 13:{club.now:%M}." in done.output
    assert "dictionary de is missing" in done.output
    new = Club(settings.parent, load_config(settings), club.now)
    assert [row.action for row in new.stored(Audit)] == ["restore"]


def test_mails_are_read_again_on_request(club: Club) -> None:
    code = club.start("Anna", "Bert")
    play(club, code, 0)
    before = log(club)
    done = run_command(club, "reread", "--since", f"{club.now:%Y-%m-%d}")
    assert "1 mail put back into the inbox" in done.output
    assert lying(club, ".Processed") == 0
    assert club.tick().handled == 0  # it is known
    assert (lying(club, "."), lying(club, ".Processed")) == (0, 1)
    assert log(club) == before
    later = run_command(club, "reread", "--since", f"{club.now + timedelta(days=1):%d.%m.%Y}")
    assert "0 mails" in later.output


# ---- files that somebody made up ----


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
NAMES = ("../evil.txt", "/tmp/evil.txt", "a/../../evil", "moderator.toml/x", "house.tsv\0", "C:\\evil")
NAMES += (".", "database.sqlite-wal")


def parts_of(club: Club, folder: Path) -> dict[str, bytes]:
    file, _ = backup.create_backup(club.config, folder / "good.zip", club.now)
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
    yield "a part that is not listed", list((parts | {"../evil.txt": b"x"}).items())
    yield "other settings", list((parts | {"moderator.toml": b"[imap]"}).items())
    yield "a changed byte", list((parts | {DATABASE: parts[DATABASE][:-1] + b"?"}).items())
    yield "a part twice", [*listed(parts).items(), (DATABASE, b"x"), (DATABASE, parts[DATABASE])]
    for data in (b"", b"[]", b"{}", b"null", b"5", b"{", b"\xff\xfe", b"[" * 100_000):
        yield f"{data[:9]!r} for a list", list((parts | {MANIFEST: data}).items())


def databases(data: bytes, folder: Path) -> Iterator[tuple[str, bytes]]:
    yield "no bytes", b""
    yield "a text", b"hello" * 1000
    yield "half of it", data[: len(data) // 2]
    version = "CREATE TABLE alembic_version (version_num)", "INSERT INTO alembic_version VALUES ('0009')"
    for statements in (("CREATE TABLE a (b)", "DROP TABLE a", "VACUUM"), version):
        yield f"nothing but {statements}", altered(b"", folder, *statements)
    for statements in (
        ("UPDATE alembic_version SET version_num = '0008'",),
        ("DELETE FROM alembic_version",),
        ("DROP TABLE outbox",),
        ("DELETE FROM player WHERE id = 2",),
        (
            "CREATE TEMP TABLE more AS SELECT * FROM player LIMIT 1",
            "UPDATE more SET id = 9, name = 'x', name_key = 'x', address = 'x@x'",
            "INSERT INTO player SELECT * FROM more",
        ),
    ):
        yield str(statements), altered(data, folder, *statements)


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
    parts = parts_of(club, tmp_path)
    with hold_tick_lock(club.config.database):
        pass  # so that its lock is there
    before = everything(club)
    new = tmp_path / "new" / "moderator.toml"
    tried = 0
    for what, content in crafted(parts, tmp_path):
        tried += 1
        file = packed(content, tmp_path / "crafted.zip")
        for settings in (club.config.file, new):
            done = run_command(settings, "restore", file, "--force", "--no-mails")
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
    assert "Restored as of" in type_command(club, "restore", file, "--force")


def test_nobody_else_can_hold_the_lock(club: Club) -> None:
    """Nor of one that an older moderator has made."""
    (club.folder / "moderator.sqlite.lock").touch(mode=0o644)
    club.tick()
    locks = list(club.folder.glob("moderator.sqlite.*lock*"))
    assert locks
    assert {stat.S_IMODE(lock.stat().st_mode) for lock in locks} == {0o600}
