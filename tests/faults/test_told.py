"""What the operator is told of faults of the machine and of servers: the cause, and a fix that exists; every fault at
every place."""

from __future__ import annotations

import builtins
import errno
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from moderator import disk
from moderator.backup import backup
from moderator.cli.doctor import examine
from moderator.cli.tick import outages_told
from moderator.config import load
from moderator.errors import DamageError, ModeratorError, OperatorError, StoreError
from moderator.mail import maildir
from moderator.run.tick import tick
from moderator.store import probe, sqlite
from moderator.store.db import open_store
from moderator.store.installation import alone
from moderator.words import compiled, house
from tests.club.club import Club, make_club

pytestmark = pytest.mark.sqlite
CAUSES = {
    errno.ENOSPC: r"the disk is full \(folder .*, 0\.3 MB are free\).*Make room",
    errno.EDQUOT: r"the disk is full \(folder .*, 0\.3 MB are free\).*Make room",
    errno.EIO: r"input/output error.*`dmesg`.*`moderator doctor --deep`",
    errno.EMFILE: r"too many files open.*`ulimit -n`",
    errno.ENFILE: r"too many files are open on this machine.*`sysctl fs.file-max`",
    errno.EROFS: r"only be read.*`mount`",
    errno.ENOMEM: r"no memory left",
    errno.EACCES: r"Permission denied.*`ls -ld`",
    errno.EPERM: r"not permitted.*`ls -ld`",
}
TOOLS = {"ulimit", "sysctl", "mount", "dmesg", "ls", "quota", "df"}


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Club:
    made = make_club(tmp_path_factory.mktemp("told") / "club", kept=True)
    made.players("Anna", "Bert")
    made.match("Anna", "Bert")
    house.append(made.folder / "house.tsv", house.Ruling("QUARK", "allow"))
    return made


@pytest.fixture(autouse=True)
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "statvfs", lambda folder: SimpleNamespace(f_bavail=300_000, f_frsize=1))


@contextmanager
def broken(call: str, number: int, about: str) -> Iterator[None]:
    """``call`` of os (or the opening of a file) fails with ``number`` where its first argument names ``about``."""
    modules: list[tuple[Any, str]] = [(os, call)] if call != "open" else [(builtins, "open"), (os, "open")]
    import io

    with pytest.MonkeyPatch.context() as patch:
        for module, name in [*modules, *([(io, "open")] if call == "open" else [])]:
            real = getattr(module, name)

            def fails(first: Any, *rest: Any, real: Any = real, **more: Any) -> Any:
                named = str(first) if not isinstance(first, int) else os.readlink(f"/proc/self/fd/{first}")
                if about in named:
                    raise OSError(number, os.strerror(number), named)
                return real(first, *rest, **more)

            patch.setattr(module, name, fails)
        yield


def _ruled(club: Club) -> None:
    house.append(club.folder / "house.tsv", house.Ruling(f"ZIRKUS{'A' * (os.getpid() % 5)}", "deny", reason="x"))


def _delivered(club: Club) -> None:
    with maildir._writing(club.folder):
        maildir.deliver(club.folder / "mail" / "told", b"From: x@far.example\r\n\r\n")


def _locked(club: Club) -> None:
    with alone(club.config, ".told"):
        pass


def _backed_up(club: Club) -> None:
    backup.make(club.config, club.folder / "told.zip", club.now, force=True)


PLACES: dict[str, tuple[str, str, Callable[[Club], Any]]] = {
    "house list, read": ("open", "house.tsv", lambda club: house.read(club.folder / "house.tsv")),
    "house list, opened to be written": ("open", "house.tsv", _ruled),
    "house list, written": ("write", "house.tsv", _ruled),
    "house list, flushed": ("fsync", "house.tsv", _ruled),
    "dictionary, read": ("open", "de.lex", lambda club: compiled.metadata(club.folder / "lexicons" / "de.lex")),
    "mail folder, opened": ("open", "mail/told", _delivered),
    "mail folder, flushed": ("fsync", "mail/told", _delivered),
    "lock": ("open", "moderator.sqlite.told", _locked),
    "backup, opened": ("open", "backup.zip", _backed_up),
    "backup, flushed": ("fsync", "backup.zip", _backed_up),
    "backup, put in place": ("replace", "backup.zip", _backed_up),
    "settings": ("open", "moderator.toml", lambda club: load(club.config.file)),
}


def one_line(error: ModeratorError) -> str:
    line = str(error)
    assert "\n" not in line
    for command in re.findall(r"`([^`]+)`", line):
        assert command.split()[0] in TOOLS or re.match(
            r"moderator (doctor( --deep)?|upgrade|restore|init|quarantine)", command
        ), command
    assert "estore a backup" not in line
    return line


def test_every_fault_at_every_place_is_told_with_its_cause_and_a_fix(club: Club) -> None:
    tried = 0
    for place, (call, about, work) in PLACES.items():
        for number, cause in CAUSES.items():
            (club.folder / "house.tsv").write_text("QUARK\n", encoding="utf-8")
            with broken(call, number, about), pytest.raises(OperatorError) as caught:
                work(club)
            assert re.search(cause, one_line(caught.value)), (place, errno.errorcode[number], str(caught.value))
            assert about.rpartition("/")[2].split(".")[0] in str(caught.value) or "told" in str(caught.value), place
            tried += 1
    assert tried == len(PLACES) * len(CAUSES) >= 100


def test_a_fault_in_a_transaction_is_no_fault_of_the_mail(club: Club) -> None:
    """A module that cannot be loaded while a mail is handled, say: the mail waits."""
    errors: list[Exception] = [
        OSError(n, os.strerror(n), "x.py") for n in CAUSES if n not in (errno.EACCES, errno.EPERM)
    ]
    errors += [MemoryError(), ImportError("libfoo.so: Too many open files"), ImportError("x.so: Input/output error")]
    for error in errors:
        with pytest.raises(StoreError) as caught:
            _raised(club, error)
        one_line(caught.value)
    for other in (
        ValueError("ours"),
        ImportError("cannot import name 'x'"),
        ConnectionResetError(errno.ECONNRESET, "x"),
    ):
        with pytest.raises(type(other)):
            _raised(club, other)


def _raised(club: Club, error: Exception) -> None:
    store = open_store(club.config.database)
    try:
        with store.transaction():
            raise error
    finally:
        store.close()


SQLITE = {
    "disk I/O error": r"the disk is full \(folder .*0\.3 MB",
    "database or disk is full": r"the disk is full \(folder .*0\.3 MB",
    "attempt to write a readonly database": r"readonly.*`ls -ld`.*`mount`",
    "unable to open database file": r"unable to open.*`ls -ld`",
    "no such table: x": r"`moderator upgrade`",
    "something new": r"something new.*`dmesg`",
}


@pytest.mark.parametrize("words", sorted(SQLITE))
def test_what_sqlite_says(club: Club, words: str) -> None:
    error = sqlite.explained(sqlite3.OperationalError(words), Path(club.config.database))
    assert error is not None
    assert re.search(SQLITE[words], one_line(error))


@pytest.mark.parametrize("words", ["disk I/O error", "unable to open database file"])
@pytest.mark.parametrize("number", sorted(CAUSES))
def test_why_sqlite_could_not_is_looked_up(
    club: Club, words: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "statvfs", lambda folder: SimpleNamespace(f_bavail=10**10, f_frsize=1))
    with broken("open", number, "moderator.sqlite"):
        error = sqlite.explained(sqlite3.OperationalError(words), Path(club.config.database))
    cause = r"takes no more.*`quota`.*`df -i`" if number in (errno.ENOSPC, errno.EDQUOT) else CAUSES[number]
    assert error is not None
    assert re.search(cause, one_line(error))


@pytest.mark.parametrize("words", ["database disk image is malformed", "file is not a database"])
def test_damage_is_looked_at_before_a_backup_is_restored(
    club: Club, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fails for a moment looks the same."""
    error = sqlite.explained(sqlite3.DatabaseError(words))
    assert isinstance(error, DamageError)
    assert "`moderator doctor --deep`; only if that finds damage, restore" in str(error)


def test_the_deep_look_says_what_to_do_and_not_to_look(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from moderator.cli.doctor import _deep

    made = make_club(tmp_path / "club")
    with Path(made.config.database).open("r+b") as stream:
        stream.seek(4096)
        stream.write(bytes(range(256)) * 200)
    assert _deep(made.config.file, as_json=False) > 0
    said = capsys.readouterr().out
    assert "doctor" not in said
    assert "estore the newest backup" in said


def test_doctor_names_a_disk_that_is_nearly_full_and_one_that_cannot_be_written(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "the disk is full" in dict(examine(club.config.file))["room on the disk"]
    monkeypatch.setattr(os, "statvfs", lambda folder: SimpleNamespace(f_bavail=20_000_000, f_frsize=1))
    assert "has 20 MB left" in dict(examine(club.config.file))["room on the disk"]
    monkeypatch.setattr(os, "statvfs", lambda folder: SimpleNamespace(f_bavail=10**10, f_frsize=1))
    assert dict(examine(club.config.file))["room on the disk"] == ""
    for number, cause in CAUSES.items():
        wanted = r"takes no more.*`quota`" if number in (errno.ENOSPC, errno.EDQUOT) else cause
        with broken("fsync", number, str(club.folder)):
            found = dict(examine(club.config.file))["room on the disk"]
        assert re.search(wanted, found), found
        assert "moderator doctor`" not in found


NUMBERS = (errno.EIO, errno.EMFILE, errno.EACCES, errno.ENOMEM)
MODULES = ("moderator.cli.run", "moderator.config", "moderator.club.desk", "sqlmodel")
NOT_LOADED = [(module, number) for module in MODULES for number in NUMBERS]


@pytest.mark.matrix("faults")
@pytest.mark.parametrize("which", range(len(NOT_LOADED)))
def test_a_part_of_the_program_that_cannot_be_loaded_is_one_line(club: Club, which: int) -> None:
    module, number = NOT_LOADED[which]
    code = f"""
import sys, importlib.abc, os
class Fails(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            raise OSError({number}, os.strerror({number}), name)
sys.meta_path.insert(0, Fails())
sys.argv = ["moderator", "--config", {str(club.config.file)!r}, "player", "list"]
from moderator.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert re.search(CAUSES[number] if number != errno.EACCES else "Permission denied", done.stderr)


# ---- servers that are away ----


def test_a_long_outage_is_told_once_then_once_a_day_and_once_when_it_is_over(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    began, away = datetime(2026, 11, 20, 2, 0, tzinfo=UTC), "imap.club.example:993: timed out."
    said = {}
    for minutes in range(0, 3 * 24 * 60, 5):
        lasting, lines = outages_told(
            club.config, [f"{away[:-1]} ({minutes})."], {""}, began + timedelta(minutes=minutes)
        )
        assert lasting == (minutes >= 30)
        if lines:
            said[minutes] = lines
    assert list(said) == [30, 30 + 24 * 60, 30 + 2 * 24 * 60]
    assert all("So since 2026-11-20 03:00" in line for lines in said.values() for line in lines)
    end = began + timedelta(days=3)
    assert outages_told(club.config, [], {""}, end) == (False, [])  # it was not asked
    over = ["Over: imap.club.example:993 answers again; it was so from 2026-11-20 03:00 to 2026-11-23 03:00."]
    assert outages_told(club.config, [], {"", "imap.club.example:993"}, end) == (False, over)
    assert outages_told(club.config, [], {"", "imap.club.example:993"}, end) == (False, [])
    assert not (club.folder / "moderator.sqlite.away").exists()


def test_a_short_outage_is_never_told_and_each_server_by_itself(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    now = datetime(2026, 11, 20, 2, 0, tzinfo=UTC)
    one, two = "a.example:993: gone.", "b.example:465: gone."

    def at(minutes: int, *away: str, reached: str = "") -> list[str]:
        return outages_told(club.config, away, {"", reached}, now + timedelta(minutes=minutes))[1]

    assert at(0, one) == at(10, one) == at(20, reached="a.example:993") == []
    assert at(25, one) == at(40, one, two) == []
    assert [line[:13] for line in at(60, one, two)] == ["a.example:993"]
    assert [line[:13] for line in at(75, one, two)] == ["b.example:465"]
    assert at(80, one, two) == []


def test_a_file_of_outages_that_makes_no_sense_is_begun_anew(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    for nonsense in ("x", "[1]", '{"a": 3}', '{"a": ["yesterday"]}', "{}"):
        (club.folder / "moderator.sqlite.away").write_text(nonsense)
        assert outages_told(club.config, ["a.example:993: gone."], {""}, club.now) == (False, [])


def test_a_run_beside_another_one_ends_no_outage(club: Club) -> None:
    with alone(club.config, ".lock"):
        assert tick(club.config).reached == set()
    assert "" in tick(club.config).reached
    assert probe.version(club.config.database)
    assert disk.free(club.folder / "nowhere" / "at all") is not None
