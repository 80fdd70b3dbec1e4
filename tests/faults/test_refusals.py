"""The outgoing server refuses, falls silent or hangs up, at each stage: every mail goes out once, or is reported."""

from __future__ import annotations

import dataclasses
import email
import shutil
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.config import load
from moderator.mail.smtp import SmtpSender
from moderator.run import tick as pipeline
from moderator.store.models import Outbox
from tests.club.club import START, Club, make_club, plain_boards
from tests.servers.fake_smtp import CLOSE, SILENCE, TAKEN, FakeSmtp, Script

pytestmark = pytest.mark.sqlite
OFFER = "250-fake\r\n250-SIZE 1000000\r\n250-STARTTLS\r\n250 AUTH PLAIN"
LATER, BUSY, NEVER, GARBLED = "451 4.3.0 later", "421 4.3.2 busy", "554 5.6.0 never", "what?"
NOR_PLAIN = "554 5.6.0 nor from there"
"""At the second try of the same mail as well, under the plain sender address."""
HELLO = ("CONNECT", "EHLO", "STARTTLS", "AUTH")
MAIL = ("MAIL", "RCPT", "DATA", ".")
FAULTS = (LATER, BUSY, NEVER, GARBLED, CLOSE, SILENCE)
CASES = [(stage, fault) for stage in (*HELLO, *MAIL, "RSET", "QUIT") for fault in FAULTS]
CASES += [(".", TAKEN), *((stage, NOR_PLAIN) for stage in MAIL)]
WAITS = (timedelta(minutes=2), timedelta(minutes=10), timedelta(minutes=30))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A club with mails to four people in the outbox."""
    club = make_club(tmp_path_factory.mktemp("model") / "club")
    club.players("Anna", "Bert", "Cici", "Dora")
    plain_boards(club)
    club.match("Anna", "Bert", "Cici", "Dora")
    return club.folder


def once(stage: str, answer: str) -> Script:
    """The fault, at the first try only, or at two; before RSET there must be a refusal."""
    tries = 2 if answer == NOR_PLAIN else 1

    def script(verb: str, line: str, nth: int) -> str | None:
        if verb == stage and nth < tries:
            return answer
        if stage == "RSET" and (verb, nth) == ("MAIL", 0):
            return LATER
        return OFFER if verb == "EHLO" else None

    return script


def run(club: Club, fake: FakeSmtp, patched: pytest.MonkeyPatch, stage: str) -> str:
    """One tick that sends through the fake server; returns what the operator is told. (The server offers STARTTLS, but
    cannot do it.)"""
    settings = fake.smtp(timeout=1, data_timeout=1, user="gm")
    if stage == "STARTTLS":
        settings = dataclasses.replace(settings, security="starttls")
    patched.setattr(pipeline, "open_sender", lambda config: SmtpSender(settings))
    summary = club.tick()
    assert not summary.quarantined
    return "\n".join(summary.troubles + summary.away)


def arrived(fake: FakeSmtp) -> Counter[str]:
    return Counter(str(email.message_from_bytes(mail)["Message-ID"]) for mail in fake.mails)


def rows(club: Club) -> list[Outbox]:
    with club.desk() as desk:
        return list(desk.session.exec(select(Outbox)))


@pytest.fixture
def club(model: Path, tmp_path: Path) -> Club:
    shutil.copytree(model, tmp_path / "club")
    return Club(tmp_path / "club", load(tmp_path / "club" / "moderator.toml"), START)


@pytest.mark.matrix("smtp refusals", seconds=0.5)
@pytest.mark.parametrize(("stage", "fault"), CASES)
def test_each_mail_goes_out_once_or_somebody_is_told(
    club: Club, monkeypatch: pytest.MonkeyPatch, stage: str, fault: str
) -> None:
    with FakeSmtp.started(once(stage, fault)) as fake:
        said = run(club, fake, monkeypatch, stage)
        assert stage in fake.log
        if stage in HELLO:
            assert not any(row.attempts or row.state != "queued" for row in rows(club)) or not said
        for wait in WAITS:
            club.wait(seconds=wait.total_seconds())
            run(club, fake, monkeypatch, "")
    mails = rows(club)
    dead = {row.message_id for row in mails if row.state == "dead"}
    assert {row.state for row in mails} <= {"sent", "dead"}
    assert len(dead) == (fault == NOR_PLAIN)
    # That one is reported to the moderator, besides the four that were there.
    assert len(mails) == 4 + len(dead)
    assert ("refused for good" in said) == bool(dead)
    # Refused under its own return path, and taken under the plain address: the rest goes out from there at once.
    assert {row.return_token == "" for row in mails if row.state == "sent"} == {stage in MAIL and fault == NEVER}
    found = arrived(fake)
    assert found.keys() == {row.message_id for row in mails} - dead
    assert found.total() - len(found) == (fault == TAKEN)


@pytest.mark.slow
@pytest.mark.parametrize("answer", [LATER, NEVER, CLOSE])
def test_mails_wait_for_a_server_that_stays_away_for_days(
    club: Club, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    """However long it takes, mails wait for the server; its refusing us altogether is no fault of theirs."""
    with FakeSmtp.started(lambda verb, line, nth: answer if verb == "CONNECT" else None) as fake:
        for _ in range(7):
            assert run(club, fake, monkeypatch, "")
            club.wait(days=1)
        assert {(row.state, row.attempts) for row in rows(club)} == {("queued", 0)}
    with FakeSmtp.started(once("", "")) as fake:
        run(club, fake, monkeypatch, "")
    assert {row.state for row in rows(club)} == {"sent"}
    assert set(arrived(fake).values()) == {1}


@pytest.mark.slow
def test_a_mail_that_is_put_off_for_days_is_given_up_and_reported(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    def put_off(verb: str, line: str, nth: int) -> str | None:
        return LATER if verb == "RCPT" and "anna@" in line else once("", "")(verb, line, nth)

    with FakeSmtp.started(put_off) as fake:
        for _ in range(14):
            run(club, fake, monkeypatch, "")
            club.wait(hours=10)
        tries = sum("anna@" in line for line in fake.lines)
    states = Counter((row.recipient, row.state) for row in rows(club))
    assert states["anna@home.example", "dead"] == 1
    assert states["boss@club.example", "sent"] == 1
    assert 12 <= tries <= 25
