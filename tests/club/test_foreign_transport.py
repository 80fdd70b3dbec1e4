"""The transport of docs/build/transports.md, installed as another package: a whole match by `moderator tick`, from the
deal
to the archive; and whatever else looks into the mailbox."""

import email
import email.policy
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from moderator.common.enums import LogEntryKind, MatchStatus
from moderator.common.errors import ConfigError
from moderator.diagnostics import providers
from moderator.mail.transports import open_mailbox
from moderator.settings import CLOCK, load_config
from tests.club.club import Club, make_club
from tests.club.steps import run, run_well
from tests.club.test_trials import ZONE, meanwhile, tried
from tests.packages import installed, write
from tests.servers.name_server import NameServer

PAGE = (Path(__file__).parents[2] / "docs" / "build" / "transports.md").read_text(encoding="utf-8")


def shown(name: str) -> str:
    """What the page shows behind the mark of that name."""
    found = re.search(rf"<!-- {re.escape(name)} -->\n```\w*\n(.*?)\n```\n", PAGE, re.DOTALL)
    assert found
    return f"{found[1]}\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    project = shown("its pyproject")
    ((key, place),) = re.findall(r'^(\w+) = "(\w+:\w+)"$', project, re.MULTILINE)
    return write(
        tmp_path / "site", key, {"emlfiles.py": shown("the transport")}, {"moderator.transports": {key: place}}
    )


@pytest.fixture
def club(tmp_path: Path, package: Path) -> Iterator[Club]:
    with installed(package):
        made = make_club(tmp_path / "club")
        file = made.config.file
        text = file.read_text(encoding="utf-8").replace('transport = "maildir"', 'transport = "eml"')
        file.write_text(f'{text}\n{shown("the settings")}\n[site]\nfolder = "site"\n', encoding="utf-8")
        file.chmod(0o600)
        made.config = load_config(file)
        made.players("Anna", "R21")
        passes(made)
        yield made


def passes(club: Club, **span: float) -> None:
    club.wait(**span)
    (club.folder / CLOCK).write_text(club.now.isoformat(), encoding="utf-8")


def post(club: Club, part: str) -> list[Path]:
    return sorted((club.folder / "post" / part).glob("*.eml"))


def counts(club: Club) -> tuple[int, ...]:
    """Mails that wait, are read, could not be handled, were sent."""
    return tuple(len(post(club, part)) for part in ("in", "read", "failed", "out"))


def writes(club: Club, body: str, to: str = "games@club.example") -> None:
    file = club.folder / "post" / "in" / f"{club.sent}.eml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(club.write("Anna", body, to=to))
    os.utime(file, (club.now.timestamp(), club.now.timestamp()))


@pytest.mark.slow
def test_a_whole_match_from_the_deal_to_the_archive(club: Club, package: Path) -> None:
    code = club.match("Anna", "R21", game="dominos", target=30)
    there = {**os.environ, "PYTHONPATH": os.pathsep.join([str(package), *sys.path])}
    command = [sys.executable, "-m", "moderator", "--config", str(club.config.file), "tick"]
    first = subprocess.run(command, env=there, capture_output=True, text=True)
    assert (first.returncode, first.stdout, first.stderr) == (0, "", "")
    written = 0
    for _ in range(80):
        if club.row(code).status == MatchStatus.FINISHED:
            break
        writes(club, [*club.moves(code, 0), "passe"][0], f"games+{code}-{club.token(code, 0)}@club.example")
        written += 1
        passes(club, minutes=5)
        assert run_well(club, "tick") == ""
    assert club.row(code).status == MatchStatus.FINISHED
    assert [entry.kind for entry in club.log(code) if entry.seat == 0].count(LogEntryKind.MOVE) == written
    assert counts(club)[:3] == (0, written, 0)
    mails = [email.message_from_bytes(file.read_bytes()) for file in post(club, "out")]
    assert {mail["To"].partition("@")[0].rpartition("<")[2] for mail in mails} >= {"anna"}
    assert len({mail["Message-ID"] for mail in mails}) == len(mails) > written
    assert not [*(club.folder / "post" / "out").glob("*.part")]
    assert list((club.folder / "site").rglob(f"*{code}*")), "the archive has its page"
    run_well(club, "doctor", "--deep")


def test_a_sandbox_has_folders_of_its_own_and_doctor_looks_at_those_of_the_club(club: Club, tmp_path: Path) -> None:
    (club.folder / CLOCK).unlink()
    run_well(club, "sandbox", str(tmp_path / "copy"))
    made = load_config(tmp_path / "copy" / "moderator.toml")
    assert (made.mail.transport, dict(made.transport)) == ("maildir", {})
    said = run_well(club, "doctor")
    assert "ok    reading mail by the transport eml\n" in said
    assert "ok    sending mail by the transport eml\n" in said
    out = club.folder / "post" / "out"
    out.rmdir()
    out.write_text("a file, where a folder should be")
    told = run(club, "doctor")
    assert told.exit_code == 1
    assert "FAIL  sending mail by the transport eml: The transport 'eml' cannot use what it needs:" in told.output
    assert "Correct [transport.eml]" in told.output


@pytest.mark.slow
@pytest.mark.parametrize("carried", [True, False])
def test_a_trial_says_whether_a_mail_came_back(club: Club, carried: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    (club.folder / CLOCK).unlink()

    def carry() -> None:
        for file in post(club, "out") if carried else ():
            file.rename(club.folder / "post" / "in" / f"{time.monotonic_ns()}.eml")

    with NameServer(ZONE).started() as server, meanwhile(carry):
        monkeypatch.setattr(providers, "build_system_resolver", server.resolver)
        _, lines = tried(club, "--wait", "20" if carried else "1")
    assert lines[0] == "ok    folders for read mails: tried below, with the mails of the trial"
    if carried:
        assert lines[1].startswith("ok    mail to games@club.example: came to the mailbox of eml after ")
        assert "games+" in lines[2]
        assert lines[3] == "ok    mails of the trial: 2 filed away with the read ones"
        assert counts(club)[:2] == (0, 2)
    else:
        said = "none came within 1 s. Whatever is to fetch them from CLUB/post/out was not there."
        assert lines[1] == f"note  mails to itself: {said}"


@pytest.mark.slow
def test_what_was_handled_is_brought_back_and_counts_once(club: Club) -> None:
    writes(club, "HILFE")
    assert run_well(club, "tick", "--dry-run")
    assert counts(club) == (1, 0, 0, 0), "a rehearsal reads and sends nothing"
    run_well(club, "tick")
    with open_mailbox(club.config) as box:
        assert box.bring_back(club.now) == 1
        assert box.waiting() == 1
    run_well(club, "tick")
    assert counts(club) == (0, 1, 0, 1)


def test_settings_are_strict(club: Club) -> None:
    text = club.config.file.read_text(encoding="utf-8")
    for old, new, why in (
        ('transport = "eml"', 'transport = "elm"', "'elm' is not known. Possible: 'imap', 'maildir', 'eml'"),
        ("[transport.eml]", "[transport.elm]", r"\[transport.elm\]: no package here brings that transport"),
        ("[transport.eml]", "[transport.imap]", r"\[transport.imap\] is not read"),
        ('folder = "post"', 'folders = "post"', r"eml\]: there is no setting 'folders'. Did you mean 'folder'"),
        ('folder = "post"', "folder = 3", r"\[transport.eml\] folder = 3 is wrong"),
    ):  # fmt: skip
        club.config.file.write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(ConfigError, match=why):
            open_mailbox(load_config(club.config.file))


def test_its_passwords_are_kept_from_the_log_and_from_other_eyes(club: Club) -> None:
    from moderator.run.log import LogFormatter

    text = club.config.file.read_text(encoding="utf-8")
    secret = '[transport.eml.login]\nnumber = 1\npassword = "hunter2"\ntoken_command = "print it"\n'
    club.config.file.write_text(text.replace(shown("the settings"), secret), encoding="utf-8")
    config = load_config(club.config.file)
    assert config.passwords == ("hunter2", "print it")
    assert LogFormatter(config).secrets == ("hunter2", "print it")
    assert "hunter2" not in repr(config)
    club.config.file.chmod(0o644)
    assert "others can read the password in it" in run(club, "doctor").output
