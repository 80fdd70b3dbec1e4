"""`moderator sandbox`: a copy of the club, whose clock is turned. The club itself is what it was, byte for byte."""

from __future__ import annotations

import mailbox
import re
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from moderator.cli import tick
from moderator.cli.run import cli
from moderator.config import load
from moderator.errors import OperatorError
from moderator.mail import imap, smtp
from moderator.run.intake import Summary
from moderator.run.rehearsal import read_archive, rehearse_archive
from tests.club.club import Club, make_club, plain_boards

REAL = """\
[club]
name = "Postspielrunde"
moderator = "boss@club.example"
[mail]
address = "games@club.example"
[imap]
host = "imap.club.example"
user = "games"
password = "Geheim-4711"
[smtp]
host = "smtp.club.example"
user = "games"
password_command = "echo Geheim-4712"
[store]
path = "sub/club.sqlite"
[words]
lexicons = ["de"]
[deadlines]
days = 3
reminders = ["day"]
[site]
folder = "/srv/site"
url = "https://club.example/archive"
[log]
file = "club.log"
"""


def moderator(file: Path, *words: str) -> Result:
    return CliRunner().invoke(cli, ["--config", str(file), *words])


def ok(file: Path, *words: str) -> str:
    done = moderator(file, *words)
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.output


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def club(tmp_path: Path) -> Club:
    """Three players, a match of two."""
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert", "Cora")
    plain_boards(made)
    made.match("Anna", "Bert", terms={"days": 3, "reminders": ["day"]})
    made.tick()
    return made


@pytest.mark.slow
def test_the_club_is_what_it_was_and_the_clock_goes_on(club: Club, tmp_path: Path) -> None:
    before, box = everything(club.folder), tmp_path / "box"
    said = ok(club.config.file, "sandbox", str(box))
    assert said == f"{box} holds a copy of Testrunde, which sends nothing: --config {box}/moderator.toml\n"
    first = ok(club.config.file, "sandbox", str(box), "--to", "2026-11-24")
    assert first.splitlines()[:2] == ["From 2026-11-20 13:00 to 2026-11-24 00:00:", "1 reminder, 1 turn missed"]
    assert first.splitlines()[2:] == [f"Mails that would have gone out: 3 (2 turn, 1 reminder), in {box}/out/new"]
    assert len(list((box / "out/new").iterdir())) == 3
    later = ok(club.config.file, "sandbox", str(box), "--to", "24.12.2026 20:30")
    assert later.startswith("From 2026-11-24 00:00 to 2026-12-24 20:30:\n")
    assert "3 turns missed, 1 match ended" in later
    assert everything(club.folder) == before
    assert ok(box / "moderator.toml", "doctor").count("FAIL") == 0
    assert "  finished " in ok(box / "moderator.toml", "match", "list", "--all")


def test_an_earlier_time_is_refused_in_one_line(club: Club, tmp_path: Path) -> None:
    box = tmp_path / "box"
    done = moderator(club.config.file, "sandbox", str(box), "--to", "2026-11-19")
    assert str(done.exception) == "2026-11-19 is over. Name a later time."
    assert not box.exists()
    ok(club.config.file, "sandbox", str(box), "--to", "2026-11-22 20:00")
    before = everything(box)
    done = moderator(club.config.file, "sandbox", str(box), "--to", "2026-11-22 19:00")
    assert done.exit_code == 1
    assert str(done.exception).startswith("In this sandbox it is 2026-11-22 20:00 already.")
    assert everything(box) == before
    for wrong in ("yesterday", "2026-11-23 25:00", "2026-13-01"):
        assert moderator(club.config.file, "sandbox", str(box), "--to", wrong).exit_code == 1
    assert "Nothing happened." in ok(club.config.file, "sandbox", str(box), "--to", "2026-11-22 20:00")


def test_a_players_answer_counts_at_the_sandboxs_time(club: Club, tmp_path: Path) -> None:
    box = tmp_path / "box"
    ok(club.config.file, "sandbox", str(box), "--to", "2026-11-21")
    (code,) = re.findall(r"^\w{4,5}\b", ok(box / "moderator.toml", "match", "list"), re.MULTILINE)
    club.order("Anna", code, 0, club.moves(code, 0)[0])  # the same tokens hold
    (answer,) = (club.folder / "mail/in/new").iterdir()
    answer.rename(box / "in" / "answer.eml")
    assert "1 mail handled" in ok(club.config.file, "sandbox", str(box), "--to", "2026-11-22")
    assert len(club.log(code)) < len(Club(box, load(box / "moderator.toml")).log(code))
    said = ok(box / "moderator.toml", "match", "log", code)
    assert re.search(r"2026-11-21 00:00.*Anna", said)


def test_it_can_reach_no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club = make_club(tmp_path / "club")
    file = club.config.file
    if club.config.store.url:
        pytest.skip("its settings name the file")
    (club.folder / "sub").mkdir()
    (club.folder / "moderator.sqlite").rename(club.folder / "sub" / "club.sqlite")
    file.write_text(REAL, encoding="utf-8")

    def asked(*given: object, **more: object) -> None:
        raise AssertionError("a server was asked for")

    monkeypatch.setattr(imap.ImapMailbox, "__init__", asked)
    monkeypatch.setattr(smtp.SmtpSender, "__init__", asked)
    box = tmp_path / "box"
    ok(file, "sandbox", str(box))
    made, real = load(box / "moderator.toml"), load(file)
    assert made.mail.transport == "maildir"
    assert made.deadlines == real.deadlines
    assert made.site.url == real.site.url
    assert made.club.name == "Postspielrunde"
    for path in (
        made.database,
        made.path(made.words.folder),
        made.path(made.words.house),
        made.path(Path(made.site.folder)),
    ):
        assert box in Path(path).parents
    text = (box / "moderator.toml").read_text(encoding="utf-8")
    for gone in ("Geheim", "imap.club", "smtp.club", "password", "/srv", "club.log"):
        assert gone not in text
    ok(box / "moderator.toml", "tick")


def test_another_folder_is_left_alone(club: Club, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("1", encoding="utf-8")
    assert "is not empty" in str(moderator(club.config.file, "sandbox", str(other)).exception)
    assert [path.name for path in other.iterdir()] == ["thesis.txt"]
    box = tmp_path / "box"
    ok(club.config.file, "sandbox", str(box))
    done = moderator(box / "moderator.toml", "sandbox", str(tmp_path / "again"))
    assert "is that of a sandbox" in str(done.exception)
    shutil.rmtree(box)


def test_the_folder_one_is_in_is_refused(club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for name in (".", "../here"):
        refused = moderator(club.config.file, "sandbox", name)
        assert refused.exit_code == 1
        assert "cannot become a sandbox" in str(refused.exception)
    ok(club.config.file, "sandbox", "../here/new")
    assert (tmp_path / "here" / "new" / "moderator.toml").exists()


def test_an_outage_in_it_is_told_at_its_own_time(club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ok(club.config.file, "sandbox", str(tmp_path / "box"))
    config = load(tmp_path / "box" / "moderator.toml")
    asked: list[datetime] = []

    def told(*given: Any) -> tuple[bool, list[str]]:
        asked.append(given[-1])
        return False, []

    monkeypatch.setattr(tick, "outages_told", told)
    tick.complain(config, Summary())
    assert asked == [config.now()]


@pytest.mark.slow
def test_a_tournament_is_played_ahead(club: Club, tmp_path: Path) -> None:
    box = tmp_path / "box"
    ok(club.config.file, "sandbox", str(box))
    file = box / "moderator.toml"
    new = ok(file, "cup", "new", "Herbst", "--game", "dominos", "--format", "robin")
    code = re.findall(r"\bT\d+\b", new)[0]
    ok(file, "cup", "open", code, "--until", "24.11.2026")
    for name in ("Anna", "Bert", "Cora"):
        ok(file, "cup", "join", code, name)
    said = ok(club.config.file, "sandbox", str(box), "--to", "2026-11-26")
    assert "1 round of a tournament paired" in said
    assert "cup" in said


@pytest.mark.sqlite
def test_one_of_a_database_that_is_written_to(club: Club, tmp_path: Path) -> None:
    """The copy is of one moment: what another process has begun is not in it."""
    with closing(sqlite3.connect(club.config.path(club.config.store.path))) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO keyvalue (key, value) VALUES ('half', 'done')")
        ok(club.config.file, "sandbox", str(tmp_path / "box"))
        writer.rollback()
    with closing(sqlite3.connect(tmp_path / "box" / "moderator.sqlite")) as copy:
        assert copy.execute("SELECT count(*) FROM keyvalue WHERE key = 'half'").fetchone() == (0,)


@pytest.mark.slow
def test_what_happens_at_once_is_told_too_and_what_waits_in_the_end(club: Club, tmp_path: Path) -> None:
    """The invitations of a tournament that was opened just now, and that nobody joins."""
    file, box = club.config.file, tmp_path / "box"
    ok(file, "cup", "new", "Herbst", "--game", "dominos", "--format", "swiss")
    ok(file, "cup", "open", "T1", "--until", "2026-12-01")
    first = ok(file, "sandbox", str(box), "--to", "2026-11-21").splitlines()
    assert first[2:] == ["1 registration opened", f"Mails that would have gone out: 3 (3 cup), in {box}/out/new"]
    later = ok(file, "sandbox", str(box), "--to", "2026-12-05").splitlines()
    assert "registration opened" not in later[1]
    waits = [line for line in later if "for you then" in line]
    assert waits == [f"1 thing waits for you then: moderator --config {box}/moderator.toml today"]
    assert "cannot begin" in ok(box / "moderator.toml", "today")


@pytest.fixture
def rehearsed(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert")
    plain_boards(made)
    return made


def mail(
    rehearsed: Club, code: str, seat: int, name: str, body: str, at: datetime, received: bool = False
) -> EmailMessage:
    made = EmailMessage()
    made["From"], made["Subject"] = f"{name} <{name.lower()}@home.example>", "Zug"
    made["To"] = f"games+{code}-{rehearsed.token(code, seat)}@club.example"
    made["Message-ID"] = f"<{name}-{at:%d%H%M}@home.example>"
    made["Date"] = format_datetime(at - timedelta(days=300) if received else at)
    if received:
        made["Received"] = f"from a by b; {format_datetime(at)}"
    made.set_content(body)
    return made


def archived(rehearsed: Club, code: str) -> list[EmailMessage]:
    """Anna moves, Bert does not, Anna writes nonsense after his ZAT, a letter has no date at all."""
    hour = timedelta(hours=1)
    first = mail(rehearsed, code, 0, "Anna", rehearsed.moves(code, 0)[0], rehearsed.now + 5 * hour, received=True)
    last = mail(rehearsed, code, 0, "Anna", "E5 q HAUS", rehearsed.now + 14 * 24 * hour)
    undated = EmailMessage()
    undated["From"] = "x@y.example"
    undated.set_content("hm")
    return [last, undated, first]


def begun(rehearsed: Club) -> str:
    code = rehearsed.match("Anna", "Bert")
    rehearsed.tick()
    rehearsed.mails()
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
def test_an_archive_is_played_in_its_own_time(rehearsed: Club, tmp_path: Path, form: str) -> None:
    code = begun(rehearsed)
    archive = kept(form, archived(rehearsed, code), tmp_path)
    before = rehearsed.row(code).model_dump()
    out = tmp_path / "out"
    lines = list(rehearse_archive(rehearsed.config, archive, None, out))
    assert lines[0].startswith("2026-11-20 18:00 anna@home.example: done")
    assert "Dein Zug zählt" in lines[1]
    assert any("reminders" in line and " 1 reminders" in line for line in lines)
    assert "1 deadlines" in lines[-1]
    days = [line.split()[1] for line in lines if line.startswith("==")]
    assert days == sorted(days)
    assert days[0] == "2026-11-20:"
    assert any("Dein Zug zählt NICHT" in line or "Kein Zug" in line for line in lines)
    assert len(list(out.glob("*.eml"))) == sum(line.startswith("    ->") for line in lines)
    assert rehearsed.row(code).model_dump() == before
    rehearsed.tick()
    assert rehearsed.mails() == []


def test_only_newer_mails_and_none_twice(rehearsed: Club, tmp_path: Path) -> None:
    code = begun(rehearsed)
    mails = archived(rehearsed, code)
    archive = kept("eml", [*mails, mails[0]], tmp_path)
    since = rehearsed.now + timedelta(days=2)
    lines = [line for line in rehearse_archive(rehearsed.config, archive, since, None) if "anna@home.example:" in line]
    assert [line[:10] for line in lines if not line.startswith(" ")] == ["2026-12-04", "2026-12-04"]
    assert "already" in next(line for line in reversed(lines) if not line.startswith(" "))
    with pytest.raises(OperatorError, match="as new as that"):
        list(rehearse_archive(rehearsed.config, archive, since + timedelta(days=90), None))


def test_mails_are_sorted_by_when_they_arrived(rehearsed: Club, tmp_path: Path) -> None:
    code = begun(rehearsed)
    found = read_archive(kept("mbox", archived(rehearsed, code), tmp_path))
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
def test_from_the_command_line(rehearsed: Club, tmp_path: Path) -> None:
    code = begun(rehearsed)
    archive = kept("eml", archived(rehearsed, code), tmp_path)
    arguments = ["--config", str(rehearsed.config.file), "rehearse", str(archive), "--since", "2026-11-19"]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    assert "In all: 2 mails handled" in done.output
