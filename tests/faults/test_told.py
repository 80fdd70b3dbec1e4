"""What the operator is told of faults of the machine and of servers: the cause, and a fix that exists; every fault at
every place. And that no fault makes a delivery agent send a mail back."""

import builtins
import errno
import io
import itertools
import os
import re
import resource
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
from sqlmodel import select

from moderator.backup import archive
from moderator.cli.doctor import _print_deep_faults, iter_checks
from moderator.cli.group import run_command_line
from moderator.cli.tick import print_run_troubles
from moderator.common import disk
from moderator.common.errors import DamageError, LexiconError, ModeratorError, OperatorError, StoreError
from moderator.mail import maildir
from moderator.run.log import RunSummary, update_outages
from moderator.run.tick import run_tick
from moderator.settings import load_config
from moderator.store import engines
from moderator.store.database import open_store
from moderator.store.installation import hold_file_lock
from moderator.store.tables import InboxRow
from moderator.words import compiled, house_rulings
from tests.club.club import Club, club_of, make_club
from tests.faults.evening import Evening, letters, recover, run
from tests.faults.injector import Plan, full, is_write, readonly, watching

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
WITH_ROOM = CAUSES | dict.fromkeys((errno.ENOSPC, errno.EDQUOT), r"takes no more.*`quota`.*`df -i`")
"""Where the disk has room all the same."""
TOOLS = {"ulimit", "sysctl", "mount", "dmesg", "ls", "quota", "df"}


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Club:
    made = club_of(tmp_path_factory.mktemp("told") / "club", "Anna", "Bert")
    made.match("Anna", "Bert")
    house_rulings.append_ruling(made.folder / "house.tsv", house_rulings.HouseRuling("QUARK", "allow"))
    return made


@pytest.fixture(autouse=True)
def little_room(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "evening" in request.fixturenames:
        return
    monkeypatch.setattr(os, "statvfs", lambda folder: SimpleNamespace(f_bavail=300_000, f_frsize=1))


@contextmanager
def broken(call: str, number: int, about: str) -> Iterator[None]:
    """``call`` of os (or the opening of a file) fails with ``number`` where its first argument names ``about``."""
    modules: list[tuple[Any, str]] = [(os, call)] if call != "open" else [(builtins, "open"), (os, "open")]
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
    house_rulings.append_ruling(club.folder / "house.tsv", house_rulings.HouseRuling("ZIRKUS", "deny", reason="x"))


def _delivered(club: Club) -> None:
    with maildir._translate_disk_errors(club.folder):
        maildir.deliver_to_maildir(club.folder / "mail" / "told", b"From: x@far.example\r\n\r\n")


def _backed_up(club: Club) -> None:
    archive.create_backup(club.config, club.folder / "told.zip", club.now, force=True)


PLACES: list[tuple[str, str, Callable[[Club], Any]]] = [
    ("open", "house.tsv", lambda club: house_rulings.read_house_list(club.folder / "house.tsv")),
    *((call, "house.tsv", _ruled) for call in ("open", "write", "fsync")),
    ("open", "de.lex", lambda club: compiled.read_lexicon_facts(club.folder / "lexicons" / "de.lex")),
    *((call, "mail/told", _delivered) for call in ("open", "fsync")),
    (
        "open",
        "moderator.sqlite.told",
        lambda club: hold_file_lock(club.config.resolve_path(club.config.store.path), ".told").__enter__(),
    ),
    *((call, "backup.zip", _backed_up) for call in ("open", "fsync", "replace")),
    ("open", "moderator.toml", lambda club: load_config(club.config.file)),
]


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
    for (call, about, work), (number, cause) in itertools.product(PLACES, CAUSES.items()):
        (club.folder / "house.tsv").write_text("QUARK\n", encoding="utf-8")
        with broken(call, number, about), pytest.raises(OperatorError) as caught:
            work(club)
        said = one_line(caught.value)
        assert re.search(cause, said), (call, about, errno.errorcode[number], said)
        assert about.rpartition("/")[2].split(".")[0] in said or "told" in said, (call, about)


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
        with store.begin_transaction():
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


def test_what_sqlite_says_is_told_with_a_fix(club: Club) -> None:
    for words, told in SQLITE.items():
        error = engines.explain_sqlite_error(sqlite3.OperationalError(words), Path(club.config.database))
        assert error is not None
        assert re.search(told, one_line(error))


@pytest.mark.parametrize("words", ["disk I/O error", "unable to open database file"])
def test_why_sqlite_could_not_is_looked_up(club: Club, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "statvfs", lambda folder: SimpleNamespace(f_bavail=10**10, f_frsize=1))
    for number, cause in WITH_ROOM.items():
        with broken("open", number, "moderator.sqlite"):
            error = engines.explain_sqlite_error(sqlite3.OperationalError(words), Path(club.config.database))
        assert error is not None
        assert re.search(cause, one_line(error))


def test_damage_is_looked_at_before_a_backup_is_restored() -> None:
    """A disk that fails for a moment looks the same."""
    for words in ("database disk image is malformed", "file is not a database"):
        error = engines.explain_sqlite_error(sqlite3.DatabaseError(words))
        assert isinstance(error, DamageError)
        assert "`moderator doctor --deep`; only if that finds damage, restore" in str(error)


def test_the_deep_look_says_what_to_do_and_not_to_look(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = make_club(tmp_path / "club")
    with Path(made.config.database).open("r+b") as stream:
        stream.seek(4096)
        stream.write(bytes(range(256)) * 200)
    assert _print_deep_faults(made.config.file, as_json=False) > 0
    said = capsys.readouterr().out
    assert "doctor" not in said
    assert "estore the newest backup" in said


def test_doctor_names_a_disk_that_is_nearly_full_and_one_that_cannot_be_written(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    for free, said in ((300_000, "the disk is full"), (20_000_000, "has 20 MB left"), (10**10, "")):
        monkeypatch.setattr(os, "statvfs", lambda folder, free=free: SimpleNamespace(f_bavail=free, f_frsize=1))
        found = dict(iter_checks(club.config.file))["room on the disk"]
        assert said in found
        assert bool(said) == bool(found)
    assert disk.find_free_bytes(club.folder / "nowhere" / "at all") == 10**10
    for number, cause in WITH_ROOM.items():
        with broken("fsync", number, str(club.folder)):
            found = dict(iter_checks(club.config.file))["room on the disk"]
        assert re.search(cause, found), found
        assert "moderator doctor`" not in found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "number"),
    [("moderator.cli.group", errno.EIO), ("moderator.views.unit_of_work", errno.EACCES), ("sqlmodel", errno.ENOMEM)],
)
def test_a_part_of_the_program_that_cannot_be_loaded_is_one_line(club: Club, module: str, number: int) -> None:
    code = f"""
import sys, importlib.abc, os
class Fails(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            raise OSError({number}, os.strerror({number}), name)
sys.meta_path.insert(0, Fails())
sys.argv = ["moderator", "--config", {str(club.config.file)!r}, "match", "show", "XXXX"]
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
        lasting, lines = update_outages(
            club.config, [f"{away[:-1]} ({minutes})."], {""}, began + timedelta(minutes=minutes)
        )
        assert lasting == (minutes >= 30)
        if lines:
            said[minutes] = lines
    assert list(said) == [30, 30 + 24 * 60, 30 + 2 * 24 * 60]
    assert all("So since 2026-11-20 03:00" in line for lines in said.values() for line in lines)
    end = began + timedelta(days=3)
    assert update_outages(club.config, [], {""}, end) == (False, [])  # it was not asked
    over = ["Over: imap.club.example:993 answers again; it was so from 2026-11-20 03:00 to 2026-11-23 03:00."]
    assert update_outages(club.config, [], {"", "imap.club.example:993"}, end) == (False, over)
    assert update_outages(club.config, [], {"", "imap.club.example:993"}, end) == (False, [])
    assert not (club.folder / "moderator.sqlite.away").exists()


def test_a_short_outage_is_never_told_and_each_server_by_itself(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    now = datetime(2026, 11, 20, 2, 0, tzinfo=UTC)
    one, two = "a.example:993: gone.", "b.example:465: gone."

    def at(minutes: int, *away: str, reached: str = "") -> list[str]:
        return update_outages(club.config, away, {"", reached}, now + timedelta(minutes=minutes))[1]

    assert at(0, one) == at(10, one) == at(20, reached="a.example:993") == []
    assert at(25, one) == at(40, one, two) == []
    assert [line[:13] for line in at(60, one, two)] == ["a.example:993"]
    assert [line[:13] for line in at(75, one, two)] == ["b.example:465"]
    assert at(80, one, two) == []
    for nonsense in ("x", "[1]", '{"a": 3}', '{"a": ["yesterday"]}', "{}"):
        (club.folder / "moderator.sqlite.away").write_text(nonsense)
        assert at(90, one) == [], "it is begun anew"


def test_a_run_beside_another_one_ends_no_outage(club: Club) -> None:
    with hold_file_lock(club.config.resolve_path(club.config.store.path), ".lock"):
        assert run_tick(club.config).reached == set()
    assert "" in run_tick(club.config).reached


# ---- for real ----


@contextmanager
def small_files(most: int) -> Iterator[None]:
    """No file of this process can grow beyond so many bytes (Python ignores the signal that says so)."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.matrix("full disk", seconds=1)
@pytest.mark.parametrize("most", [4_000, 20_000, 33_000, 50_000, 70_000, 100_000])
def test_files_that_cannot_grow(evening: Evening, tmp_path: Path, most: int) -> None:
    club = evening.copy(tmp_path / "club")
    with small_files(most), pytest.raises(OperatorError, match=r"`quota`|`ulimit -f`"):
        club.tick()
    recover(club)
    assert evening.wrong(club) == []


def test_half_a_ruling_is_none(tmp_path: Path) -> None:
    file = tmp_path / "house.tsv"
    house_rulings.append_ruling(file, house_rulings.HouseRuling("QUARK", "allow"))
    before = file.read_bytes()
    with small_files(len(before) + 5), pytest.raises(LexiconError, match="Cannot write"):
        house_rulings.append_ruling(file, house_rulings.HouseRuling("ZIRKUSZELT", "allow"))
    assert file.read_bytes() == before
    assert house_rulings.append_ruling(file, house_rulings.HouseRuling("ZIRKUSZELT", "allow"))


@pytest.mark.slow
@pytest.mark.parametrize("place", ["mail/in/new", "mail/out", "moderator.sqlite.lock"])
def test_something_else_where_a_folder_or_a_file_should_be(evening: Evening, tmp_path: Path, place: str) -> None:
    club = evening.copy(tmp_path / "club")
    path, aside = club.folder / place, club.folder / "aside"
    if path.is_dir():
        path.rename(aside)
        path.touch()
    else:
        path.rename(aside)
        path.mkdir()
    assert "permissions" in run(club)
    path.rmdir() if path.is_dir() else path.unlink()
    aside.rename(path)
    recover(club)
    assert evening.wrong(club) == []


# ---- what the operator and the delivery agent are told ----


def run_main(club: Club, monkeypatch: pytest.MonkeyPatch, command: str, given: bytes = b"") -> tuple[int, str]:
    """(exit status, standard error) of the program; main() is what the script on the path calls."""
    monkeypatch.setattr("sys.argv", ["moderator", "--config", str(club.config.file), command])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given)))
    words = io.StringIO()
    monkeypatch.setattr("sys.stderr", words)
    with pytest.raises(SystemExit) as left:
        run_command_line()
    return int(left.value.code or 0), words.getvalue()


@pytest.mark.parametrize(
    ("write", "what", "folder"),
    [
        ("open moderator.sqlite.lock", "write {club}/moderator.sqlite.lock", ""),
        ("open moderator.sqlite.place", "write {club}/moderator.sqlite.place", ""),
        ("os.rename moderator.sqlite.place", "write {club}/moderator.sqlite.place", ""),
        ("open mail/in/tmp/moderator.mark", "use the mail folder {club}/mail/in", "/mail/in"),
        ("os.rename mail/in/tmp/moderator.mark", "use the mail folder {club}/mail/in", "/mail/in"),
        ("INSERT INTO keyvalue", "write the database {club}/moderator.sqlite", ""),
        ("INSERT INTO inbox", "write the database {club}/moderator.sqlite", ""),
    ],
)
def test_one_line_with_the_fix(
    evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: str, what: str, folder: str
) -> None:
    club = evening.copy(tmp_path / "club")
    with watching(club.folder, Plan(write, full, is_write)) as plan:
        monkeypatch.setattr(os, "statvfs", lambda folder: SimpleNamespace(f_bavail=12_345, f_frsize=1))
        assert run_main(club, monkeypatch, "tick") == (
            1,
            f"moderator: Cannot {what.format(club=club.folder)}: the disk is full (folder {club.folder}{folder}, "
            "0.0 MB are free). Make room there; nothing is lost, the next run goes on.\n",
        )
    assert plan.sprung


def test_an_idle_tick_on_a_full_disk_says_so(evening: Evening, tmp_path: Path) -> None:
    club = evening.copy(tmp_path / "club")
    club.tick()
    with (
        watching(club.folder, Plan("INSERT", full, is_write)) as plan,
        pytest.raises(StoreError, match=r"the disk (is full|takes no more)"),
    ):
        club.tick()
    assert {*plan.names[:-1]} == {"open moderator.sqlite.lock"}
    assert plan.names[-1] == "INSERT INTO keyvalue"


def test_a_server_away_on_a_disk_that_cannot_be_written_is_said_at_once(evening: Evening, tmp_path: Path) -> None:
    """When it went away is remembered in a file; that this fails must not hide what is wrong, nor look like a bug."""
    club = evening.copy(tmp_path / "club")
    with watching(club.folder, Plan(1, readonly, is_write)):
        assert print_run_troubles(club.config, RunSummary(away=["mx.club.example: timed out."])) == 75


@pytest.mark.matrix("full disk", seconds=1.5)
@pytest.mark.parametrize("write", range(1, 16))
def test_no_failure_makes_the_delivery_agent_send_a_mail_back(
    evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: int
) -> None:
    """Postfix returns a mail to its writer at every exit status but 0 and 75."""
    club = evening.copy(tmp_path / "club")
    mails = [path.read_bytes() for path in letters(club)[:3]]
    with watching(club.folder, Plan(write, full, is_write)):
        status, words = run_main(club, monkeypatch, "receive", mails[0])
    kept = mails[0] in club.stored(select(InboxRow.raw))
    assert status == 75 or (status == 0 and kept)
    assert len(words.splitlines()) == 1
    for mail in mails:
        assert run_main(club, monkeypatch, "receive", mail) == (0, "")
    assert club.stored(select(InboxRow.state)) == ["done"] * (4 + len(mails))


def test_nor_does_a_broken_setting(evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club = evening.copy(tmp_path / "club")
    club.config.file.write_text("[club")
    assert run_main(club, monkeypatch, "receive", b"From: x@far.example\r\n\r\nhello\r\n")[0] == 75
