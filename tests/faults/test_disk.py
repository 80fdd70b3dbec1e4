"""The disk is full or cannot be written, at each write of a busy evening: the operator is told, and nothing is lost."""

from __future__ import annotations

import io
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlmodel import select

from moderator.cli.run import main
from moderator.cli.tick import complain
from moderator.errors import LexiconError, OperatorError, StoreError
from moderator.run.intake import Summary
from moderator.store.models import Inbox
from moderator.words import house
from tests.club.club import Club
from tests.faults.evening import copied, lost_or_doubled, recover, sqlite_only
from tests.faults.traps import Trap, watching

pytestmark = sqlite_only
STRIPES = 6
SAMPLE = (5, 38, 77)
KINDS = ("full", "readonly")


def told(club: Club) -> str:
    """What the operator is told by a run."""
    try:
        return "\n".join(club.tick().troubles)
    except OperatorError as error:
        return str(error)


def one_fault(evening: Path, expected: dict[str, Any], folder: Path, fatal: int, kind: str) -> bool:
    """A run in which one write fails, then one in which none does. False = the run has fewer writes than that."""
    club = copied(evening, folder)
    with watching(folder, Trap(fatal, kind)) as trap:
        said = told(club)
    if len(trap.names) < fatal:
        return False
    where = f"{kind} at write {fatal}, {trap.names[fatal - 1]}"
    assert said, f"nobody was told of: {where}"
    recover(club)
    assert lost_or_doubled(club, expected) == [], where
    return True


@pytest.mark.slow
@pytest.mark.parametrize("fatal", SAMPLE)
def test_some_writes_fail(evening: Path, expected: dict[str, Any], tmp_path: Path, fatal: int) -> None:
    kind = KINDS[fatal % 2]
    assert one_fault(evening, expected, tmp_path / "club", fatal, kind), f"an evening has fewer than {fatal} writes"


@pytest.mark.matrix("faults")
@pytest.mark.parametrize("stripe", range(STRIPES))
def test_every_write_fails(evening: Path, expected: dict[str, Any], tmp_path: Path, stripe: int) -> None:
    fatal = stripe + 1
    while one_fault(evening, expected, tmp_path / str(fatal), fatal, KINDS[fatal // STRIPES % 2]):
        fatal += STRIPES
    assert fatal > max(SAMPLE)


def test_nothing_is_renamed_into_its_place_before_its_bytes_are_on_the_disk(evening: Path, tmp_path: Path) -> None:
    """After a power failure a file may otherwise be there and empty."""
    club = copied(evening, tmp_path / "club")
    with watching(club.folder, Trap()) as trap:
        club.tick()
    made = 0
    for n, name in enumerate(trap.names):
        opened = name.replace("os.rename ", "open ")
        if opened != name and opened in trap.names[:n]:
            made += 1
            start = n - trap.names[:n][::-1].index(opened)
            assert "fsync" in trap.names[start:n], name
    assert made > 5


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


@pytest.mark.matrix("faults")
@pytest.mark.parametrize("most", [4_000, 20_000, 33_000, 50_000, 70_000, 100_000])
def test_files_that_cannot_grow(evening: Path, expected: dict[str, Any], tmp_path: Path, most: int) -> None:
    club = copied(evening, tmp_path / "club")
    with small_files(most), pytest.raises(OperatorError, match=r"`quota`|`ulimit -f`"):
        club.tick()
    recover(club)
    assert lost_or_doubled(club, expected) == []


def test_half_a_ruling_is_none(tmp_path: Path) -> None:
    file = tmp_path / "house.tsv"
    house.append(file, house.Ruling("QUARK", "allow"))
    before = file.read_bytes()
    with small_files(len(before) + 5), pytest.raises(LexiconError, match="Cannot write"):
        house.append(file, house.Ruling("ZIRKUSZELT", "allow"))
    assert file.read_bytes() == before
    assert house.append(file, house.Ruling("ZIRKUSZELT", "allow"))


@pytest.mark.parametrize("place", ["mail/in/new", "mail/out", "moderator.sqlite.lock"])
def test_something_else_where_a_folder_or_a_file_should_be(
    evening: Path, expected: dict[str, Any], tmp_path: Path, place: str
) -> None:
    club = copied(evening, tmp_path / "club")
    path, aside = club.folder / place, club.folder / "aside"
    if path.is_dir():
        path.rename(aside)
        path.touch()
    else:
        path.rename(aside)
        path.mkdir()
    assert "permissions" in told(club)
    path.rmdir() if path.is_dir() else path.unlink()
    aside.rename(path)
    recover(club)
    assert lost_or_doubled(club, expected) == []


# ---- what the operator and the delivery agent are told ----


def moderator(club: Club, monkeypatch: pytest.MonkeyPatch, command: str, given: bytes = b"") -> tuple[int, str]:
    """(exit status, standard error) of the program; main() is what the script on the path calls."""
    monkeypatch.setattr("sys.argv", ["moderator", "--config", str(club.config.file), command])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given)))
    words = io.StringIO()
    monkeypatch.setattr("sys.stderr", words)
    with pytest.raises(SystemExit) as left:
        main()
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
    evening: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: str, what: str, folder: str
) -> None:
    """Whatever the first run in a new place writes before it has taken a mail in."""
    club = copied(evening, tmp_path / "club")
    with watching(club.folder, Trap(write, "full")) as trap:
        monkeypatch.setattr(os, "statvfs", lambda folder: SimpleNamespace(f_bavail=12_345, f_frsize=1))
        assert moderator(club, monkeypatch, "tick") == (
            1,
            f"moderator: Cannot {what.format(club=club.folder)}: the disk is full (folder {club.folder}{folder}, "
            "0.0 MB are free). Make room there; nothing is lost, the next run goes on.\n",
        )
    assert trap.sprung


def test_an_idle_tick_on_a_full_disk_says_so(evening: Path, tmp_path: Path) -> None:
    club = copied(evening, tmp_path / "club")
    club.tick()
    with (
        watching(club.folder, Trap("INSERT", "full")) as trap,
        pytest.raises(StoreError, match=r"the disk (is full|takes no more)"),
    ):
        club.tick()
    assert {*trap.names[:-1]} == {"open moderator.sqlite.lock"}
    assert trap.names[-1] == "INSERT INTO keyvalue"


def test_a_server_away_on_a_disk_that_cannot_be_written_is_said_at_once(evening: Path, tmp_path: Path) -> None:
    """When it went away is remembered in a file; that this fails must not hide what is wrong, nor look like a bug."""
    club = copied(evening, tmp_path / "club")
    with watching(club.folder, Trap(1, "readonly")):
        assert complain(club.config, Summary(away=["mx.club.example: timed out."])) == 75


@pytest.mark.matrix("faults")
@pytest.mark.parametrize("fatal", [1, 2, 3, 4, 9, 14])
def test_no_failure_makes_the_delivery_agent_send_a_mail_back(
    evening: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fatal: int
) -> None:
    """Postfix returns a mail to its writer at every exit status but 0 and 75."""
    club = copied(evening, tmp_path / "club")
    mails = sorted(path.read_bytes() for path in (club.folder / "mail/in/new").iterdir())
    with watching(club.folder, Trap(fatal, "full")):
        status, words = moderator(club, monkeypatch, "receive", mails[0])
    with club.desk() as desk:
        kept = mails[0] in desk.session.exec(select(Inbox.raw)).all()
    assert status == 75 or (status == 0 and kept)
    assert len(words.splitlines()) == 1
    for mail in mails:
        assert moderator(club, monkeypatch, "receive", mail) == (0, "")
    with club.desk() as desk:
        assert sorted(desk.session.exec(select(Inbox.state))) == ["done"] * 4


def test_nor_does_a_broken_setting(evening: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club = copied(evening, tmp_path / "club")
    club.config.file.write_text("[club")
    assert moderator(club, monkeypatch, "receive", b"From: x@far.example\r\n\r\nhello\r\n")[0] == 75
