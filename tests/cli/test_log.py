"""The log of runs: what stands in it, what never does, and that it stops nothing."""

from __future__ import annotations

import logging
import os
import re
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from moderator.cli import cli
from moderator.config import load
from moderator.errors import OperatorError, StoreError
from moderator.mail.model import Ready, Sent
from moderator.run import handling, log
from moderator.store import installation
from tests.club.club import Club, make_club, plain_boards

LINE = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]0[12]:00 \[\d+\] (?P<level>INFO|WARNING|ERROR|CRITICAL) (?P<said>.+)"
)


def logged(club: Club, file: str = "club.log") -> Club:
    """The same club, with a log from now on."""
    settings = club.folder / "moderator.toml"
    settings.write_text(f'{settings.read_text(encoding="utf-8")}[log]\nfile = "{file}"\n', encoding="utf-8")
    return Club(club.folder, load(settings), club.now)


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path)
    made.players("Anna", "Bert")
    plain_boards(made)
    return logged(made)


def moderator(club: Club, *words: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(cli, ["--config", str(club.config.file), *words], input=stdin)


def lines(club: Club) -> list[tuple[str, str]]:
    """(level, what was said) of each line."""
    found = [LINE.fullmatch(line) for line in (club.folder / "club.log").read_text(encoding="utf-8").splitlines()]
    assert all(found)
    return [(hit["level"], hit["said"]) for hit in found if hit]


def test_a_run_from_its_begin_to_its_end(club: Club) -> None:
    code = club.match("Anna", "Bert")
    assert moderator(club, "tick").output == ""
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    assert moderator(club, "tick").output == ""
    assert moderator(club, "tick").output == ""
    said = [text for level, text in lines(club) if level == "INFO"]
    second = said[said.index("run begun: 1 mails in the mailbox") :]
    assert second[1] == "mail 1 taken in"
    assert re.fullmatch(r"mail 1 handled: done; mails made: (\w+ ?)+", second[2])
    sent = [text for text in said if text.startswith("mail out")]
    assert re.fullmatch(r"mail out \d+ sent: start", sent[0])
    assert len(sent) == len(set(sent)) == len(list((club.folder / "mail/out/new").iterdir()))
    assert re.fullmatch(r"run ended after \d+\.\d s: 1 mails taken in, 1 handled, 0 quarantined, .*", second[-2])
    assert second[-1] == "nothing to do"
    assert stat.S_IMODE((club.folder / "club.log").stat().st_mode) == 0o600


def test_nothing_that_opens_or_tells_anything(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves, mails that our own code falls over, a server that repeats what it gets, a match that does not replay."""
    code = club.match("Anna", "Bert")
    moderator(club, "tick")
    secret = ["GEHEIMNIS", "anna@home", "bert@home", club.token(code, 0), club.token(code, 1)]
    club.order("Anna", code, 0, club.moves(code, 0)[0] + "\n\nLieber Bert, GEHEIMNIS")
    moderator(club, "tick", "-v")

    def broken(desk: object) -> None:
        raise RuntimeError(f"GEHEIMNIS {secret} in {desk!r}")

    monkeypatch.setattr(handling, "handle", broken)
    club.order("Bert", code, 1, "GEHEIMNIS")
    assert moderator(club, "tick").exit_code == 70
    monkeypatch.undo()

    words = f"550 5.1.1 <games+{code}-{secret[3]}@club.example> to <anna@home.example>: what is GEHEIMNIS-{secret[4]}?"

    def send(self: object, mails: list[Ready], begin: object, report: object, more: object = tuple) -> None:
        for mail in mails:
            begin(mail)
            report(Sent(mail.row, "dead", words.replace("GEHEIMNIS", "BACK")))

    monkeypatch.setattr("moderator.mail.maildir.MaildirSender.send", send)
    club.order("Anna", code, 0, "HILFE")
    moderator(club, "tick")
    monkeypatch.undo()
    text = (club.folder / "club.log").read_text(encoding="utf-8")
    assert "RuntimeError at test_log.py:" in text
    assert f"550 5.1.1 <…@club.example> to <…@home.example>: what is BACK-{log.HIDDEN}?" in text
    for one in secret:
        assert one not in text, one


def test_an_error_is_logged_without_what_it_quotes() -> None:
    password = "Geheim-4711"
    said = log.harmless(
        f"wrong: {password}\n postgresql://club:x{password}@db.example/c, [K7Q2-8J3MZP4QXA] to anna@home.example",
        (password,),
    )
    assert said == "wrong: … postgresql://…@db.example/c, [K7Q2-…] to …@home.example"
    assert len(log.harmless("x" * 9999)) == log.LONGEST


def test_the_time_is_the_clubs(club: Club) -> None:
    record = logging.LogRecord("moderator", logging.INFO, "", 0, "mail %d taken in", (17,), None)
    record.created, record.process = datetime(2026, 7, 1, 12, 0, tzinfo=UTC).timestamp(), 4711
    assert log.Lines(club.config).format(record) == "2026-07-01T14:00:00+02:00 [4711] INFO mail 17 taken in"


def test_what_ends_a_run_is_in_it(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    for error, level, said in (
        (StoreError("The database is gone.", "Look."), "ERROR", "The database is gone. Look."),
        (ZeroDivisionError("GEHEIMNIS"), "CRITICAL", "a fault of our own: ZeroDivisionError at "),
    ):

        def broken(config: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr(installation, "key_of", broken)
        assert moderator(club, "tick").exit_code == 1
        assert lines(club)[-1][0] == level
        assert lines(club)[-1][1].startswith(said)


def test_a_log_that_cannot_be_written_stops_nothing(club: Club) -> None:
    code = club.match("Anna", "Bert")
    (club.folder / "club.log").mkdir()
    done = moderator(club, "tick")
    assert done.exit_code == 0
    assert re.fullmatch(r"moderator: Cannot write .*club\.log: .*Set \[log\] file to one that can be\.\n", done.output)
    assert len(club.mails()) == 2, code
    assert "FAIL  log " in moderator(club, "doctor").output


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full")
def test_a_full_disk_is_told_once(tmp_path: Path) -> None:
    club = logged(make_club(tmp_path), "/dev/full")
    club.players("Anna", "Bert")
    club.match("Anna", "Bert")
    done = moderator(club, "tick")
    assert done.exit_code == 0
    assert re.fullmatch(r"moderator: the log /dev/full cannot be written: .*No space left.*\n", done.output)
    assert len(club.mails()) == 2


def test_without_a_file_there_is_none_and_with_v_it_is_on_standard_error(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    club.players("Anna", "Bert")
    club.match("Anna", "Bert")
    done = moderator(club, "tick", "-v")
    assert "INFO run begun: 0 mails in the mailbox\n" in done.stderr
    assert done.stdout.startswith("0 mails taken in")
    assert not list(tmp_path.glob("*.log"))
    assert moderator(club, "tick").output == ""
    assert [type(handler) for handler in log.LOG.handlers if "pytest" not in type(handler).__module__] == [
        logging.NullHandler
    ]


def test_a_file_that_was_taken_away_is_made_anew(club: Club) -> None:
    moderator(club, "tick")
    (club.folder / "club.log").rename(club.folder / "club.log.1")
    moderator(club, "tick")
    assert lines(club)


def test_an_operators_error_of_a_mail_is_in_it(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(desk: object) -> None:
        raise OperatorError("There is no dictionary.", "Build one.")

    monkeypatch.setattr(handling, "handle", lacking)
    code = club.match("Anna", "Bert")
    club.order("Anna", code, 0, "passe")
    assert moderator(club, "tick").exit_code == 1
    assert ("ERROR", "There is no dictionary. Build one.") in lines(club)
