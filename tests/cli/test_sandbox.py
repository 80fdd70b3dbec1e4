"""`moderator sandbox`: a copy of the club, whose clock is turned. The club itself is what it was, byte for byte."""

import itertools
import mailbox
import re
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from moderator.cli import tick
from moderator.common.errors import OperatorError
from moderator.mail import imap, smtp
from moderator.run import log, rehearsal
from moderator.run.log import RunSummary
from moderator.run.rehearsal import play_archive, read_archive
from moderator.settings import load_config
from tests.cli.running import refuse_command, run_command, type_command
from tests.club.club import Club, club_of

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


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return club_of(tmp_path / "club", "Anna", "Bert", "Cora")


def dealt(club: Club, **more: Any) -> str:
    """A match of two, whose first mails were read."""
    code = club.start("Anna", "Bert", **more)
    club.mails()
    return code


@pytest.fixture
def code(club: Club) -> str:
    return dealt(club, terms={"days": 3, "reminders": ["day"]})


@pytest.fixture
def slower(club: Club) -> str:
    return dealt(club)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    return tmp_path / "box"


def go_on(club: Club, box: Path, to: str) -> str:
    return type_command(club, "sandbox", box, "--to", to)


@pytest.mark.slow
def test_the_club_is_what_it_was_and_the_clock_goes_on(club: Club, code: str, box: Path) -> None:
    before = everything(club.folder)
    said = type_command(club, "sandbox", box)
    assert said == f"{box} holds a copy of Testrunde, which sends nothing: --config {box}/moderator.toml\n"
    assert go_on(club, box, "2026-11-24").splitlines() == [
        "From 2026-11-20 13:00 to 2026-11-24 00:00:",
        "1 reminder, 1 turn missed",
        f"Mails that would have gone out: 3 (2 turn, 1 reminder), in {box}/out/new",
    ]
    assert len(list((box / "out/new").iterdir())) == 3
    later = go_on(club, box, "24.12.2026 20:30")
    assert later.startswith("From 2026-11-24 00:00 to 2026-12-24 20:30:\n")
    assert "3 turns missed, 1 match ended" in later
    assert everything(club.folder) == before
    assert type_command(box / "moderator.toml", "doctor").count("FAIL") == 0
    assert "  finished" in type_command(box / "moderator.toml", "match", "list", "--all")


@pytest.mark.slow
@pytest.mark.parametrize("good", [1, 30, 80, 10_000])
def test_what_a_killed_one_let_happen_is_told_by_the_next(
    club: Club, code: str, box: Path, monkeypatch: pytest.MonkeyPatch, good: int
) -> None:
    """Killed in a run, or between the last one and its lines."""
    said = go_on(club, club.folder.parent / "whole", "2026-11-24")
    type_command(club, "sandbox", box)
    real, runs = rehearsal._run_tick, itertools.count()

    def dies(*given: Any) -> RunSummary:
        if next(runs) >= good:
            raise KeyboardInterrupt
        return real(*given)

    with monkeypatch.context() as patched:
        patched.setattr(rehearsal, "_run_tick" if good < 100 else "_iter_report_lines", dies if good < 100 else None)
        with pytest.raises((KeyboardInterrupt, TypeError)):
            [*rehearsal.run_sandbox_to(box, datetime(2026, 11, 23, 23, tzinfo=UTC))]
    assert go_on(club, box, "2026-11-24").splitlines()[:2] == said.splitlines()[-3:-1]
    assert "Nothing happened." in go_on(club, box, "2026-11-24")


def test_an_earlier_time_is_refused_in_one_line(club: Club, code: str, box: Path) -> None:
    said = refuse_command(club, "sandbox", box, "--to", "2026-11-19")
    assert said.strip() == "2026-11-19 is over. Name a later time."
    assert not box.exists()
    go_on(club, box, "2026-11-22 20:00")
    before = everything(box)
    said = refuse_command(club, "sandbox", box, "--to", "2026-11-22 19:00")
    assert said.startswith("In this sandbox it is 2026-11-22 20:00 already.")
    assert everything(box) == before
    for wrong in ("yesterday", "2026-11-23 25:00", "2026-13-01"):
        assert run_command(club, "sandbox", box, "--to", wrong).exit_code == 1
    assert "Nothing happened." in go_on(club, box, "2026-11-22 20:00")


def test_a_players_answer_counts_at_the_sandboxs_time(club: Club, code: str, box: Path) -> None:
    go_on(club, box, "2026-11-21")
    club.order("Anna", code, 0, club.moves(code, 0)[0])  # the same tokens hold
    (answer,) = (club.folder / "mail/in/new").iterdir()
    answer.rename(box / "in" / "answer.eml")
    assert "1 mail handled" in go_on(club, box, "2026-11-22")
    assert len(club.log(code)) < len(Club(box, load_config(box / "moderator.toml")).log(code))
    assert re.search(r"2026-11-21 00:00.*Anna", type_command(box / "moderator.toml", "match", "log", code))


def test_it_can_reach_no_server(club: Club, box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    type_command(file, "sandbox", box)
    made, real = load_config(box / "moderator.toml"), load_config(file)
    assert (made.mail.transport, made.club.name) == ("maildir", "Postspielrunde")
    assert (made.deadlines, made.site.url) == (real.deadlines, real.site.url)
    places = (
        made.resolve_path(made.words.folder),
        made.resolve_path(made.words.house),
        made.resolve_path(Path(made.site.folder)),
    )
    assert all(box in Path(place).parents for place in (made.database, *places))
    text = (box / "moderator.toml").read_text(encoding="utf-8")
    for gone in ("Geheim", "imap.club", "smtp.club", "password", "/srv", "club.log"):
        assert gone not in text
    type_command(box / "moderator.toml", "tick")


def test_another_folder_is_left_alone(club: Club, box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    for name in (".", "../here"):
        assert "cannot become a sandbox" in refuse_command(club, "sandbox", name)
    assert "is not empty" in refuse_command(club, "sandbox", club.folder.parent)
    type_command(club, "sandbox", "../box")
    assert "is that of a sandbox" in refuse_command(box / "moderator.toml", "sandbox", tmp_path / "again")


def test_an_outage_in_it_is_told_at_its_own_time(club: Club, box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    type_command(club, "sandbox", box)
    config = load_config(box / "moderator.toml")
    asked: list[datetime] = []

    def told(*given: Any) -> tuple[bool, list[str]]:
        asked.append(given[-1])
        return False, []

    monkeypatch.setattr(log, "update_outages", told)
    tick.print_run_troubles(config, RunSummary())
    assert asked == [config.read_clock()]


@pytest.mark.slow
def test_what_happens_at_once_is_told_too_and_what_waits_in_the_end(club: Club, box: Path) -> None:
    """The invitations of a tournament that was opened just now, and that nobody joins."""
    type_command(club, "cup", "add", "Herbst", "--game", "dominos", "--format", "swiss")
    type_command(club, "cup", "open", "T1", "--until", "2026-12-01")
    first = go_on(club, box, "2026-11-21").splitlines()
    assert first[2:] == ["1 registration opened", f"Mails that would have gone out: 3 (3 cup), in {box}/out/new"]
    later = go_on(club, box, "2026-12-05").splitlines()
    assert "registration opened" not in later[1]
    waits = [line for line in later if "for you then" in line]
    assert waits == [f"1 thing waits for you then: moderator --config {box}/moderator.toml today"]
    assert "cannot begin" in type_command(box / "moderator.toml", "today")


def mail(club: Club, code: str, body: str, at: datetime, received: bool = False) -> EmailMessage:
    """Of Anna's."""
    made = EmailMessage()
    made["From"], made["Subject"] = "Anna <anna@home.example>", "Zug"
    made["To"] = f"games+{code}-{club.token(code, 0)}@club.example"
    made["Message-ID"] = f"<anna-{at:%d%H%M}@home.example>"
    made["Date"] = format_datetime(at - timedelta(days=300) if received else at)
    if received:
        made["Received"] = f"from a by b; {format_datetime(at)}"
    made.set_content(body)
    return made


@pytest.fixture
def archived(club: Club, slower: str) -> list[EmailMessage]:
    """Anna moves, Bert does not, Anna writes nonsense after his ZAT, a letter has no date at all."""
    hour = timedelta(hours=1)
    first = mail(club, slower, club.moves(slower, 0)[0], club.now + 5 * hour, received=True)
    last = mail(club, slower, "E5 q HAUS", club.now + 14 * 24 * hour)
    undated = EmailMessage()
    undated["From"] = "x@y.example"
    undated.set_content("hm")
    return [last, undated, first]


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


@pytest.mark.slow
@pytest.mark.parametrize("form", ["mbox", "maildir", "eml"])
def test_an_archive_is_played_in_its_own_time(
    club: Club, slower: str, archived: list[EmailMessage], tmp_path: Path, form: str
) -> None:
    archive = kept(form, archived, tmp_path)
    found = [one.received for one in read_archive(archive)]
    assert found == [datetime(2026, 11, 20, 17, 0, tzinfo=UTC), datetime(2026, 12, 4, 12, 0, tzinfo=UTC)]
    before, out = club.row(slower).model_dump(), tmp_path / "out"
    lines = list(play_archive(club.config, archive, None, out))
    assert lines[0].startswith("2026-11-20 18:00 anna@home.example: done")
    assert ": ✓ " in lines[1]
    assert any("reminders 1" in line for line in lines)
    assert "deadlines 1" in lines[-1]
    days = [line.split()[1] for line in lines if line.startswith("==")]
    assert days == sorted(days)
    assert days[0] == "2026-11-20:"
    assert any("-> anna@home.example: " in line and "✓" not in line for line in lines), "what came too late is refused"
    assert len(list(out.glob("*.eml"))) == sum(line.startswith("    ->") for line in lines)
    assert club.row(slower).model_dump() == before
    club.tick()
    assert club.mails() == []


@pytest.mark.slow
def test_only_newer_mails_and_none_twice(club: Club, slower: str, archived: list[EmailMessage], tmp_path: Path) -> None:
    archive = kept("eml", [*archived, archived[0]], tmp_path)
    since = club.now + timedelta(days=2)
    lines = [line for line in play_archive(club.config, archive, since, None) if "anna@home.example:" in line]
    assert [line[:10] for line in lines if not line.startswith(" ")] == ["2026-12-04", "2026-12-04"]
    assert "already" in next(line for line in reversed(lines) if not line.startswith(" "))
    with pytest.raises(OperatorError, match="as new as that"):
        list(play_archive(club.config, archive, since + timedelta(days=90), None))
    assert "In all: mails handled 2" in type_command(club, "rehearse", archive, "--since", "2026-11-19")


def test_what_is_no_archive(tmp_path: Path) -> None:
    for folder in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(OperatorError):
            read_archive(folder)
