"""`moderator doctor --mail` where mails are files in folders of this machine: what of a trial applies there."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner

from moderator.cli import cli
from moderator.errors import TransientError
from moderator.mail import domain
from moderator.mail.maildir import MaildirSender, deliver
from moderator.mail.model import Ready
from moderator.mail.trial import trial as trial_module
from tests.club.club import Club
from tests.servers.name_server import NameServer

ZONE = 'club IN MX 10 mx.club.example.\nclub IN TXT "v=spf1 mx -all"\n_dmarc.club IN TXT "v=DMARC1; p=none"\n'


@pytest.fixture(autouse=True)
def _names(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with NameServer(ZONE).started() as server:
        monkeypatch.setattr(domain, "system_resolver", server.resolver)
        yield


def tried(club: Club) -> tuple[int, list[str]]:
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), "doctor", "--mail", "--no-write"])
    said = done.output.replace(str(club.folder), "CLUB").splitlines()
    return done.exit_code, [
        line for line in said if line[6:].startswith(("folders", "mail to", "mails to", "mails of"))
    ]


def files(club: Club) -> list[str]:
    box = (club.config.path(club.config.maildir.inbox), club.config.path(club.config.maildir.outbox))
    return [str(path) for folder in box for path in folder.rglob("*") if path.parent.name in ("new", "cur")]


@pytest.mark.slow
def test_where_nobody_fetches_mails_that_is_said(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_module, "UNFETCHED", 0.3)
    code, said = tried(club)
    assert code == 0
    assert said == [
        "ok    folders for read mails: a mail was moved within CLUB/mail/in",
        "note  mails to itself: nobody fetches them from CLUB/mail/out, so their way could not be tried.",
        "ok    mails of the trial: 2 removed",  # none may still come
    ]
    assert files(club) == []


@pytest.mark.parametrize(
    ("folder", "begins"),
    [("", "ok    mail to games@club.example: came to"), (".Junk", "FAIL  mail to games@club.example: came to the")],
)
def test_where_a_server_carries_them_their_way_is_tried(club: Club, folder: str, begins: str) -> None:
    stop = threading.Event()
    out, into = (club.config.path(one) for one in (club.config.maildir.outbox, club.config.maildir.inbox))

    def carry() -> None:
        while not stop.wait(0.02):
            for path in (out / "new").glob("*"):
                deliver(into / folder, path.read_bytes())
                path.unlink()

    thread = threading.Thread(target=carry)
    thread.start()
    try:
        code, said = tried(club)
    finally:
        stop.set()
        thread.join()
    assert said[1].startswith(begins)
    assert len(said) == 4
    assert code == (1 if folder else 0)
    assert files(club) == []


@pytest.mark.parametrize(
    ("arrives", "says"),
    [
        (False, "0 removed; 1 may still come, which the next run puts out of the way"),
        (True, "1 removed"),
    ],
)
def test_what_is_under_way_when_sending_fails_is_told(
    club: Club, monkeypatch: pytest.MonkeyPatch, arrives: bool, says: str
) -> None:
    class Failing(MaildirSender):
        """Takes one mail; then the server is away."""

        taken = 0

        def send(self, mails: Sequence[Ready], *words: Any) -> None:
            if self.taken:
                raise TransientError("The server is away.")
            self.taken += 1
            if arrives:
                deliver(club.config.path(club.config.maildir.inbox), mails[0].data)

    sender = Failing(club.config.path(club.config.maildir.outbox))
    monkeypatch.setattr(trial_module, "open_sender", lambda config: sender)
    code, said = tried(club)
    assert said[1:] == ["FAIL  mails to itself: The server is away.", f"ok    mails of the trial: {says}"]
    assert code == 1
    assert files(club) == []


MX = "Received: from smtp.club.example by mx.club.example with ESMTPS\n"
OUT = "Received: from me by smtp.club.example with ESMTPSA\n"


@pytest.mark.parametrize(
    ("results", "below", "now", "verdict", "offered", "says"),
    [
        ("mx.club.example; spf=pass", MX, "", "note", True, "So that moderator believes it"),
        ("club; dmarc=pass", MX, "old.example", "FAIL", True, "club, and not old.example"),
        ("mx.club.example; dkim=pass", MX, "mx.club.example", "ok", False, "as [mail]"),
        # The server that it was sent through: mails from outside never pass it.
        ("smtp.club.example; auth=pass", OUT, "", "note", False, "the login alone"),
        ("smtp.club.example; spf=pass", OUT, "", "note", False, "no server had"),
        ("smtp.club.example; spf=pass", OUT, "mx.club.example", "note", False, "'mx.club.example' stays untried"),
        ("smtp.club.example; spf=pass", OUT, "smtp.club.example", "note", False, "no server had"),
        ("mx.club.example; auth=pass", MX, "", "note", False, "the login alone"),
        ("mx.club.example; none", MX, "", "note", False, "the login alone"),
    ],
)
def test_a_server_is_offered_only_where_mails_from_outside_pass_it(
    club: Club, results: str, below: str, now: str, verdict: str, offered: bool, says: str
) -> None:
    config = replace(club.config, mail=replace(club.config.mail, authserv_id=now))
    data = f"Authentication-Results: {results}\n{below}Subject: x\n\n".encode()
    above = MX.encode() if below == OUT else b""  # it had the mail only after that
    for head in (data, above + data):
        step = trial_module.Trial(config, "secret")._checked(head)
        assert (step.verdict, bool(step.settings)) == (verdict, offered), step
        assert says in str(step)


def test_without_the_dns_no_server_is_offered(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise domain.Away("this machine has no DNS")

    monkeypatch.setattr(domain, "system_resolver", away)
    head = f"Authentication-Results: mx.club.example; spf=pass\n{MX}\n"
    step = trial_module.Trial(club.config, "secret")._checked(head.encode())
    assert (step.verdict, step.settings) == ("note", ())
    assert "could not be looked up: this machine has no DNS" in step.doubt
