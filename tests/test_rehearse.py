"""`moderator rehearse`: an archive of mails against a copy of the database, in the archive's own time."""

from __future__ import annotations

import mailbox
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from moderator.cli.run import cli
from moderator.errors import OperatorError
from moderator.run.rehearsal import read_archive, rehearse_archive
from tests.club.club import Club, make_club, plain_boards


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert")
    plain_boards(made)
    return made


def mail(club: Club, code: str, seat: int, name: str, body: str, at: datetime, received: bool = False) -> EmailMessage:
    made = EmailMessage()
    made["From"], made["Subject"] = f"{name} <{name.lower()}@home.example>", "Zug"
    made["To"] = f"games+{code}-{club.token(code, seat)}@club.example"
    made["Message-ID"] = f"<{name}-{at:%d%H%M}@home.example>"
    made["Date"] = format_datetime(at - timedelta(days=300) if received else at)
    if received:
        made["Received"] = f"from a by b; {format_datetime(at)}"
    made.set_content(body)
    return made


def archived(club: Club, code: str) -> list[EmailMessage]:
    """Anna moves, Bert does not, Anna writes nonsense after his ZAT, a letter has no date at all."""
    hour = timedelta(hours=1)
    first = mail(club, code, 0, "Anna", club.moves(code, 0)[0], club.now + 5 * hour, received=True)
    last = mail(club, code, 0, "Anna", "E5 q HAUS", club.now + 14 * 24 * hour)
    undated = EmailMessage()
    undated["From"] = "x@y.example"
    undated.set_content("hm")
    return [last, undated, first]


def begun(club: Club) -> str:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    return code


def kept(form: str, mails: list[EmailMessage], folder: Path) -> Path:
    path = folder / form
    if form == "eml":
        path.mkdir()
        for number, one in enumerate(mails):
            (path / f"{number}.eml").write_bytes(one.as_bytes())
        return path
    box = mailbox.mbox(path) if form == "mbox" else mailbox.Maildir(path)
    for one in mails:
        box.add(one.as_bytes())
    box.close()
    return path


@pytest.mark.matrix("commands")
@pytest.mark.parametrize("form", ["mbox", "maildir", "eml"])
def test_an_archive_is_played_in_its_own_time(club: Club, tmp_path: Path, form: str) -> None:
    code = begun(club)
    archive = kept(form, archived(club, code), tmp_path)
    before = club.row(code).model_dump()
    out = tmp_path / "out"
    lines = list(rehearse_archive(club.config, archive, None, out))
    assert lines[0].startswith("2026-11-20 18:00 anna@home.example: done")
    assert "Dein Zug zählt" in lines[1]
    assert any("reminders" in line and " 1 reminders" in line for line in lines)
    assert "1 deadlines" in lines[-1]
    days = [line.split()[1] for line in lines if line.startswith("==")]
    assert days == sorted(days)
    assert days[0] == "2026-11-20:"
    assert any("Dein Zug zählt NICHT" in line or "Kein Zug" in line for line in lines)
    assert len(list(out.glob("*.eml"))) == sum(line.startswith("    ->") for line in lines)
    assert club.row(code).model_dump() == before
    club.tick()
    assert club.mails() == []


def test_only_newer_mails_and_none_twice(club: Club, tmp_path: Path) -> None:
    code = begun(club)
    mails = archived(club, code)
    archive = kept("eml", [*mails, mails[0]], tmp_path)
    since = club.now + timedelta(days=2)
    lines = [line for line in rehearse_archive(club.config, archive, since, None) if "anna@home.example:" in line]
    assert [line[:10] for line in lines if not line.startswith(" ")] == ["2026-12-04", "2026-12-04"]
    assert "already" in next(line for line in reversed(lines) if not line.startswith(" "))
    with pytest.raises(OperatorError, match="as new as that"):
        list(rehearse_archive(club.config, archive, since + timedelta(days=90), None))


def test_mails_are_sorted_by_when_they_arrived(club: Club, tmp_path: Path) -> None:
    code = begun(club)
    found = read_archive(kept("mbox", archived(club, code), tmp_path))
    assert [one.received for one in found] == [
        datetime(2026, 11, 20, 17, 0, tzinfo=UTC),
        datetime(2026, 12, 4, 12, 0, tzinfo=UTC),
    ]


def test_what_is_no_archive(tmp_path: Path) -> None:
    with pytest.raises(OperatorError):
        read_archive(tmp_path / "nowhere")
    with pytest.raises(OperatorError):
        read_archive(tmp_path)


@pytest.mark.slow
def test_from_the_command_line(club: Club, tmp_path: Path) -> None:
    code = begun(club)
    archive = kept("eml", archived(club, code), tmp_path)
    arguments = ["--config", str(club.config.file), "rehearse", str(archive), "--since", "2026-11-19"]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    assert "In all: 2 mails handled" in done.output
