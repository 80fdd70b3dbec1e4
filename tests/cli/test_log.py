"""The log of runs: what stands in it, what never does, and that it stops nothing."""

import logging
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from moderator.common.errors import OperatorError, StoreError
from moderator.common.mails import Ready, Sent
from moderator.common.secret_settings import HIDDEN
from moderator.run import handle, log
from moderator.store import installation
from tests.cli.running import run_command, type_command
from tests.club.club import Club, club_of

LINE = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]0[12]:00 \[\d+\] (?P<level>INFO|WARNING|ERROR|CRITICAL) (?P<said>.+)"
)


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return club_of(tmp_path / "club", "Anna", "Bert", settings='[log]\nfile = "club.log"\n')


def lines(club: Club) -> list[tuple[str, str]]:
    """(level, what was said) of each line."""
    found = [LINE.fullmatch(line) for line in (club.folder / "club.log").read_text(encoding="utf-8").splitlines()]
    assert all(found)
    return [(hit["level"], hit["said"]) for hit in found if hit]


def test_a_run_from_its_begin_to_its_end(club: Club) -> None:
    code = club.match("Anna", "Bert")
    assert type_command(club, "tick") == ""
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    assert type_command(club, "tick") == ""
    assert type_command(club, "tick") == ""
    said = [text for level, text in lines(club) if level == "INFO"]
    second = said[said.index("run begun: 1 mails in the mailbox") :]
    assert second[1] == "mail 1 taken in"
    assert re.fullmatch(r"mail 1 handled: done; mails made: (\w+ ?)+", second[2])
    sent = [text for text in said if text.startswith("mail out")]
    assert re.fullmatch(r"mail out \d+ sent: start", sent[0])
    assert len(sent) == len(set(sent)) == len(list((club.folder / "mail/out/new").iterdir()))
    assert re.fullmatch(r"run ended after \d+\.\d s: 1 mails taken in, 1 handled, 0 quarantined, .*", second[-2])
    assert second[-1] == "nothing to do"
    file = club.folder / "club.log"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.rename(club.folder / "club.log.1")  # as a program does that keeps logs short
    type_command(club, "tick")
    assert lines(club)


def test_nothing_that_opens_or_tells_anything(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves, mails that our own code falls over, a server that repeats what it gets, a match that does not replay."""
    code = club.match("Anna", "Bert")
    run_command(club, "tick")
    secret = ["GEHEIMNIS", "anna@home", "bert@home", club.token(code, 0), club.token(code, 1)]
    club.order("Anna", code, 0, club.moves(code, 0)[0] + "\n\nLieber Bert, GEHEIMNIS")
    run_command(club, "tick", "-v")
    broken = fail_by(RuntimeError(f"GEHEIMNIS {secret}"))
    monkeypatch.setattr(handle, "dispatch_mail", broken)
    club.order("Bert", code, 1, "GEHEIMNIS")
    assert run_command(club, "tick").exit_code == 70
    monkeypatch.undo()
    words = f"550 5.1.1 <games+{code}-{secret[3]}@club.example> to <anna@home.example>: what is BACK-{secret[4]}?"

    def send(self: object, mails: list[Ready], begin: object, report: object, more: object = tuple) -> None:
        for mail in mails:
            begin(mail)
            report(Sent(mail.row, "dead", words))

    monkeypatch.setattr("moderator.mail.maildir.MaildirSender.send", send)
    club.order("Anna", code, 0, "HILFE")
    run_command(club, "tick")
    monkeypatch.undo()
    text = (club.folder / "club.log").read_text(encoding="utf-8")
    assert "RuntimeError at test_log.py:" in text
    assert f"550 5.1.1 <…@club.example> to <…@home.example>: what is BACK-{HIDDEN}?" in text
    assert not [one for one in secret if one in text]


def test_an_error_is_logged_without_what_it_quotes() -> None:
    password = "Geheim-4711"
    said = log.mask_log_line(
        f"wrong: {password}\n postgresql://club:x{password}@db.example/c, [K7Q2-8J3MZP4QXA] to anna@home.example",
        (password,),
    )
    assert said == "wrong: … postgresql://…@db.example/c, [K7Q2-…] to …@home.example"
    assert len(log.mask_log_line("x" * 9999)) == log.LONGEST


def fail_by(error: Exception) -> Callable[[object], None]:
    """Something that fails so, whatever it is given."""

    def broken(given: object) -> None:
        raise error

    return broken


def test_what_ends_a_run_is_in_it(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    for error, level, said in (
        (StoreError("The database is gone.", "Look."), "ERROR", "The database is gone. Look."),
        (ZeroDivisionError("GEHEIMNIS"), "CRITICAL", "a fault of our own: ZeroDivisionError at "),
    ):
        monkeypatch.setattr(installation, "get_last_look_key", fail_by(error))
        assert run_command(club, "tick").exit_code == 1
        assert lines(club)[-1][0] == level
        assert lines(club)[-1][1].startswith(said)
    monkeypatch.undo()
    monkeypatch.setattr(handle, "dispatch_mail", fail_by(OperatorError("There is no dictionary.", "Build one.")))
    club.order("Anna", club.match("Anna", "Bert"), 0, "passe")
    assert run_command(club, "tick").exit_code == 1
    assert ("ERROR", "mail 1: There is no dictionary. Build one.") in lines(club)


def test_a_log_that_cannot_be_written_stops_nothing(club: Club) -> None:
    club.match("Anna", "Bert")
    (club.folder / "club.log").mkdir()
    said = type_command(club, "tick")
    assert re.fullmatch(r"moderator: Cannot write .*club\.log: .*Set \[log\] file to one that can be\.\n", said)
    assert len(club.mails()) == 2
    assert "FAIL  log " in run_command(club, "doctor").output


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full")
def test_a_full_disk_is_told_once(tmp_path: Path) -> None:
    club = club_of(tmp_path / "club", "Anna", "Bert", settings='[log]\nfile = "/dev/full"\n')
    club.match("Anna", "Bert")
    said = type_command(club, "tick")
    assert re.fullmatch(r"moderator: the log /dev/full cannot be written: .*No space left.*\n", said)
    assert len(club.mails()) == 2


def test_without_a_file_there_is_none_and_with_v_it_is_on_standard_error(tmp_path: Path) -> None:
    club = club_of(tmp_path / "club", "Anna", "Bert")
    club.match("Anna", "Bert")
    done = run_command(club, "tick", "-v")
    assert "INFO run begun: 0 mails in the mailbox\n" in done.stderr
    assert done.stdout.startswith("mails taken in 0")
    assert not list(tmp_path.rglob("*.log"))
    assert type_command(club, "tick") == ""
    handlers = [type(handler) for handler in log.LOG.handlers if "pytest" not in type(handler).__module__]
    assert handlers == [logging.NullHandler]
