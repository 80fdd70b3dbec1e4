"""Mails by which `moderator doctor --mail` tries the mailbox are no mails for the games: a run that comes across one
neither takes it in nor answers it, and nobody else can write such a mail. What of a trial applies where mails are files
in folders of this machine."""

import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlmodel import select

from moderator.common.errors import TransientError
from moderator.common.mails import Ready
from moderator.diagnostics import mail_trial as trial_module
from moderator.diagnostics import providers
from moderator.mail import trial_letter
from moderator.mail.maildir import MaildirSender, deliver_to_maildir
from moderator.mail.parse import parse_mail_bytes
from moderator.run.rehearsal import preview_tick
from moderator.run.watch import receive_mail
from moderator.settings import Config
from moderator.store import key_values
from moderator.store.tables import InboxRow, OutboxRow
from tests.club.club import Club
from tests.club.steps import run
from tests.servers.name_server import NameServer

ADDRESS = "games@club.example"
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


def written(secret: str) -> bytes:
    return trial_letter.compose_trial_mail(ADDRESS, "Testrunde", "", secret, NOW).data


def report(mail: bytes) -> bytes:
    """A delivery report that quotes the mail's head, as servers write it."""
    head = mail.partition(b"\r\n\r\n")[0]
    return (
        b"From: MAILER-DAEMON@mx.example\r\nTo: games@club.example\r\nSubject: Undelivered\r\n"
        b'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
        b"--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n"
        b"Final-Recipient: rfc822; games+probe@club.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n"
        b"--b\r\nContent-Type: text/rfc822-headers\r\n\r\n" + head + b"\r\n\r\n--b--\r\n"
    )


def put(config: Config, *mails: bytes) -> None:
    for mail in mails:
        deliver_to_maildir(config.resolve_path(config.maildir.inbox), mail)


def handled(club: Club) -> tuple[int, int]:
    """Mails that were taken in, and that were sent."""
    with club.work() as work:
        return len(work.session.exec(select(InboxRow)).all()), len(work.session.exec(select(OutboxRow)).all())


def test_mails_of_a_trial_and_reports_on_them_are_taken_in_by_nobody(club: Club) -> None:
    mail = written(key_values.get_or_create_trial_secret(club.config.database))
    inbox = club.config.resolve_path(club.config.maildir.inbox)
    put(club.config, mail, report(mail))
    assert next(preview_tick(club.config)).startswith("new mails 0")
    assert len(list((inbox / "new").iterdir())) == 2, "a rehearsal moves none"
    assert receive_mail(club.config, mail).taken == 0, "nor does a pipe"
    summary = club.tick()
    assert (summary.taken, summary.handled, summary.is_quiet) == (0, 0, True)
    assert handled(club) == (0, 0)
    assert len(list((inbox / ".Processed" / "cur").iterdir())) == 2
    assert not any((inbox / "new").iterdir())
    put(club.config, mail)
    assert club.say("anna@home.example", "Hilfe").handled == 1, "a player's mail beside them"
    assert handled(club) == (1, 1)


def test_without_the_secret_nobody_writes_such_a_mail(club: Club) -> None:
    put(club.config, written(secrets.token_hex(16)), written(""))  # no trial was ever made
    assert club.tick().taken == 2
    key_values.get_or_create_trial_secret(club.config.database)
    put(club.config, written(secrets.token_hex(16)), written(""))
    assert club.tick().taken == 2


def test_one_that_is_not_known_any_more_is_not_answered_either(club: Club) -> None:
    """The database is another one, say."""
    mail = written(secrets.token_hex(16))
    assert parse_mail_bytes(mail).machine == "auto-submitted"
    put(club.config, mail, report(mail))
    assert not club.tick().quarantined
    assert handled(club) == (2, 0)


def test_the_mark_is_in_head_and_message_id_and_no_other_passes() -> None:
    secret = secrets.token_hex(16)
    mail = written(secret)
    head = mail.partition(b"\r\n\r\n")[0]
    assert head.count(b"moderator-trial.") == 2
    assert all(len(line) < 120 for line in head.splitlines())
    assert trial_letter.is_trial_mail(mail, secret)
    assert not trial_letter.is_trial_mail(mail, secrets.token_hex(16))
    assert not trial_letter.is_trial_mail(written(""), "")  # before the first trial anybody could write that
    nonce = head.partition(b"moderator-trial.")[2][:16]
    assert not trial_letter.is_trial_mail(mail.replace(nonce, b"0123456789abcdef"), secret)


ZONE = 'club IN MX 10 mx.club.example.\nclub IN TXT "v=spf1 mx -all"\n_dmarc.club IN TXT "v=DMARC1; p=none"\n'


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with NameServer(ZONE).started() as server:
        monkeypatch.setattr(providers, "build_system_resolver", server.resolver)
        yield


def tried(club: Club, *more: str) -> tuple[int, list[str]]:
    done = run(club, "doctor", "--mail", "--no-write", *more)
    said = done.output.replace(str(club.folder), "CLUB").splitlines()
    kinds = ("folders", "mail to", "mails to", "mails of")
    return done.exit_code, [line for line in said if line[6:].startswith(kinds)]


def files(club: Club) -> list[str]:
    box = (club.config.resolve_path(club.config.maildir.inbox), club.config.resolve_path(club.config.maildir.outbox))
    return [str(path) for folder in box for path in folder.rglob("*") if path.parent.name in ("new", "cur")]


@pytest.mark.slow
@pytest.mark.usefixtures("names")
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


@contextmanager
def meanwhile(act: Callable[[], None]) -> Iterator[None]:
    """It is done again and again by a thread."""
    stop = threading.Event()

    def again() -> None:
        while not stop.wait(0.02):
            act()

    thread = threading.Thread(target=again)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize(
    ("folder", "begins"),
    [("", "ok    mail to games@club.example: came to"), (".Junk", "FAIL  mail to games@club.example: came to the")],
)
def test_where_a_server_carries_them_their_way_is_tried(club: Club, folder: str, begins: str) -> None:
    out, into = (club.config.resolve_path(one) for one in (club.config.maildir.outbox, club.config.maildir.inbox))

    def carry() -> None:
        for path in (out / "new").glob("*"):
            deliver_to_maildir(into / folder, path.read_bytes())
            path.unlink()

    with meanwhile(carry):
        code, said = tried(club)
    assert said[1].startswith(begins)
    assert len(said) == 4
    assert code == (1 if folder else 0)
    assert files(club) == []


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize(
    ("arrives", "says"),
    [(False, "0 removed; 1 may still come, which the next run puts out of the way"), (True, "1 removed")],
)
def test_mails_under_way_are_told_of(club: Club, monkeypatch: pytest.MonkeyPatch, arrives: bool, says: str) -> None:
    class Failing(MaildirSender):
        """Takes one mail; then the server is away."""

        taken = 0

        def send(self, mails: Sequence[Ready], *words: Any) -> None:
            if self.taken:
                raise TransientError("The server is away.")
            self.taken += 1
            if arrives:
                deliver_to_maildir(club.config.resolve_path(club.config.maildir.inbox), mails[0].data)

    sender = Failing(club.config.resolve_path(club.config.maildir.outbox))
    monkeypatch.setattr(trial_module, "open_sender", lambda config: sender)
    code, said = tried(club)
    assert said[1:] == ["FAIL  mails to itself: The server is away.", f"ok    mails of the trial: {says}"]
    assert code == 1
    assert files(club) == []


MX = "Received: from smtp.club.example by mx.club.example with ESMTPS\n"
OUT = "Received: from me by smtp.club.example with ESMTPSA\n"


@pytest.mark.usefixtures("names")
def test_a_server_is_offered_only_where_mails_from_outside_pass_it(club: Club) -> None:
    for results, below, now, verdict, offered, says in (
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
    ):
        config = replace(club.config, mail=replace(club.config.mail, authserv_id=now))
        data = f"Authentication-Results: {results}\n{below}Subject: x\n\n".encode()
        above = MX.encode() if below == OUT else b""  # it had the mail only after that
        for head in (data, above + data):
            step = trial_module.Trial(config, "secret")._build_authserv_step(head)
            assert (step.verdict, bool(step.settings)) == (verdict, offered), (results, now, step)
            assert says in str(step)


def test_without_the_dns_no_server_is_offered(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise providers.DnsUnavailable("this machine has no DNS")

    monkeypatch.setattr(providers, "build_system_resolver", away)
    head = f"Authentication-Results: mx.club.example; spf=pass\n{MX}\n"
    step = trial_module.Trial(club.config, "secret")._build_authserv_step(head.encode())
    assert (step.verdict, step.settings) == ("note", ())
    assert "could not be looked up: this machine has no DNS" in step.doubt


@pytest.mark.parametrize(
    ("mark", "is_told"),
    [
        ("List-Id: <games.club.example>", True),
        ("List-Post: <mailto:games@club.example>", True),
        ("List-Id: <other.example>", False),
        ("", False),
    ],
)
def test_a_club_whose_address_is_a_list_is_told_so(club: Club, mark: str, is_told: bool) -> None:
    steps = list(trial_module.Trial(club.config, "secret")._iter_list_steps(f"{mark}\nFrom: a@b.example\n\n".encode()))
    assert [step.verdict for step in steps] == ["note"] * is_told
