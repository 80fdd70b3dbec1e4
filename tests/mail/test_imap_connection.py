"""The connection to an IMAP server: logging in, waiting for mail, what it costs."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from moderator.config import Imap
from moderator.errors import ConfigError, OperatorError, TransientError
from moderator.mail import imap as imap_module
from moderator.mail.imap import ImapMailbox, connect
from tests.mail.imap_box import Open, fetch, mail, number_of, scripted, servers, without
from tests.servers.dovecot import Box, Dovecot
from tests.servers.process import HOST, free_ports

# ---- logging in ----


@servers
@pytest.mark.parametrize("security", ["tls", "starttls", "plain"])
def test_the_three_ways_in(mailbox: Box, security: str) -> None:
    mailbox.deliver(mail(1), mail(2))
    port = mailbox.dovecot.imaps_port if security == "tls" else mailbox.dovecot.imap_port
    with ImapMailbox(mailbox.imap(security=security, port=port)) as box:
        assert box.waiting() == 2


@pytest.mark.slow
@servers
def test_a_wrong_password(mailbox: Box) -> None:
    with pytest.raises(OperatorError, match=r"refuses the login of 'gm-.*\[imap\] user or password") as caught:
        ImapMailbox(mailbox.imap(password="secret-that-is-wrong"))
    assert "secret-that-is-wrong" not in str(caught.value)


@pytest.mark.slow
@servers
def test_a_password_with_umlauts_is_sent_as_utf8(mailbox: Box) -> None:
    with pytest.raises(OperatorError, match="refuses the login"):
        ImapMailbox(mailbox.imap(password="pä"))


@servers
def test_a_foreign_certificate(mailbox: Box, tmp_path: Path) -> None:
    for settings in (
        mailbox.imap(ca_file=""),
        mailbox.imap(ca_file="", security="starttls", port=mailbox.dovecot.imap_port),
    ):
        with pytest.raises(OperatorError, match=r"certificate .* not trusted.*\[imap\] ca_file"):
            ImapMailbox(settings)
    with pytest.raises(ConfigError, match="ca_file"):
        ImapMailbox(mailbox.imap(ca_file=str(tmp_path / "missing.pem")))


@servers
def test_a_name_that_is_not_in_the_certificate(mailbox: Box) -> None:
    with pytest.raises(OperatorError, match="is for another name"):
        # Connecting to 0.0.0.0 reaches this machine; the certificate is for 127.0.0.1 and localhost only.
        ImapMailbox(mailbox.imap(host="0.0.0.0"))


@servers
def test_tls_to_the_port_for_plain(mailbox: Box) -> None:
    with pytest.raises(OperatorError, match="starttls"):
        ImapMailbox(mailbox.imap(port=mailbox.dovecot.imap_port))


@servers
def test_login_by_token(mailbox: Box, dovecot: Dovecot) -> None:
    def settings(token: str) -> Imap:
        return mailbox.imap(password="", token_command=f"echo {token}")

    with ImapMailbox(settings(dovecot.token(mailbox.user))) as box:
        assert box.waiting() == 0
    with pytest.raises(OperatorError, match="token_command"):
        ImapMailbox(settings(dovecot.token(mailbox.user, seconds=-60)))


@servers
def test_login_by_bearer_token_where_there_is_no_xoauth2(
    mailbox: Box, dovecot: Dovecot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from imapclient import IMAPClient

    def refuse(*args: object) -> None:
        raise AssertionError("XOAUTH2 was tried")

    monkeypatch.setattr(IMAPClient, "oauth2_login", refuse)
    monkeypatch.setattr(IMAPClient, "has_capability", lambda self, name: name == "AUTH=OAUTHBEARER")
    with ImapMailbox(mailbox.imap(password="", token_command=f"echo {dovecot.token(mailbox.user)}")) as box:
        assert box.waiting() == 0


def test_plain_is_for_this_machine_only() -> None:
    with pytest.raises(ConfigError, match="starttls"):
        ImapMailbox(Imap(host="192.0.2.1", security="plain", user="gm", password="pw"))


def test_a_server_that_is_away() -> None:
    with pytest.raises(TransientError, match=HOST):
        ImapMailbox(Imap(host=HOST, port=free_ports(1)[0], security="plain", user="gm", password="pw", timeout=2))


@pytest.mark.slow
def test_a_server_that_says_nothing() -> None:
    with socket.create_server((HOST, 0)) as listener:
        port = listener.getsockname()[1]
        settings = Imap(host=HOST, port=port, security="plain", user="gm", password="pw", timeout=1)
        with pytest.raises(TransientError, match="timed out"):
            ImapMailbox(settings)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("NO [UNAVAILABLE] Temporary authentication failure", TransientError),
        ("NO [ALERT] Too many simultaneous connections", TransientError),
        ("NO [AUTHENTICATIONFAILED] Authentication failed", OperatorError),
        ("HANGUP", TransientError),
    ],
)
def test_what_a_refused_login_means(answer: str, error: type[Exception]) -> None:
    with scripted({"LOGIN": answer}) as port, pytest.raises(error):
        ImapMailbox(Imap(host=HOST, port=port, security="plain", user="gm", password="pw", timeout=5))


# ---- waiting ----


@pytest.mark.slow
@servers
@pytest.mark.parametrize("lacking", [(), (b"IDLE",)])
def test_idle_wakes_for_new_mail(
    mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch, lacking: tuple[bytes, ...]
) -> None:
    monkeypatch.setattr(imap_module, "POLL_SECONDS", 0.1)
    mailbox.deliver(mail(1))
    box = opened(mailbox.imap())
    without(box, monkeypatch, *lacking)
    fetch(box)
    start = time.monotonic()
    assert box.idle(0.3) is False
    assert 0.3 <= time.monotonic() - start < 10
    timer = threading.Timer(0.3, mailbox.deliver, [mail(2)])
    timer.start()
    start = time.monotonic()
    assert box.idle(20) is True
    timer.join()
    assert time.monotonic() - start < 15
    assert [number_of(raw) for raw in fetch(box)] == [1, 2]
    assert box.idle(0) is False


@servers
def test_a_mail_that_came_while_mails_were_moved_is_noticed(mailbox: Box, opened: Open) -> None:
    mailbox.deliver(mail(1))
    box = opened(mailbox.imap())
    keys = [raw.key for raw in fetch(box)]
    mailbox.deliver(mail(2))
    box.file_away(keys, [])
    start = time.monotonic()
    assert box.idle(20) is True
    assert time.monotonic() - start < 15


@servers
def test_moving_mails_away_wakes_nobody(mailbox: Box, opened: Open) -> None:
    mailbox.deliver(mail(1), mail(2))
    box = opened(mailbox.imap())
    keys = [raw.key for raw in fetch(box)]
    box.file_away(keys[:1], [])
    assert box.idle(0.2) is False


@servers
def test_a_connection_lost_during_idle_ends_it_at_once() -> None:
    with Dovecot.started() as server:
        there = Box(server)
        box = ImapMailbox(there.imap())
        fetch(box)
        timer = threading.Timer(0.3, server.stop)
        timer.start()
        start = time.monotonic()
        with pytest.raises(TransientError):
            box.idle(60)
        assert time.monotonic() - start < 30
        timer.join()
        with pytest.raises(TransientError):
            fetch(box)
        with pytest.raises(TransientError):
            box.waiting()
        box.close()
        box.close()


def test_an_end_of_file_during_idle_is_no_busy_loop() -> None:
    # imapclient's idle_check answers [] at once and for ever after the server closed.
    with scripted({"IDLE": "+ idling\r\n* OK Still here\r\nHANGUP"}) as port:
        box = ImapMailbox(Imap(host=HOST, port=port, security="plain", user="gm", password="pw", timeout=5))
        start = time.process_time()
        with pytest.raises(TransientError):
            box.idle(30)
        assert time.process_time() - start < 1
        box.close()


def test_a_server_that_says_bye_during_idle() -> None:
    with scripted({"IDLE": "+ idling\r\n* BYE Autologout"}) as port:
        box = ImapMailbox(Imap(host=HOST, port=port, security="plain", user="gm", password="pw", timeout=2))
        with pytest.raises(TransientError):
            box.idle(30)
        box.close()


# ---- costs ----


def test_importing_the_mailbox_is_cheap() -> None:
    code = (
        "import sys, moderator.mail.imap, moderator.mail;"
        "print(sorted({'imapclient', 'imaplib', 'ssl', 'sqlalchemy', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@servers
def test_looking_for_mail_selects_nothing(mailbox: Box, opened: Open) -> None:
    box = opened(mailbox.imap())
    assert box.waiting() == 0
    assert box._client._imap.state == "AUTH"


def test_the_client_gives_aware_times() -> None:
    with scripted({}) as port:
        client = connect(Imap(host=HOST, port=port, security="plain", user="gm", password="pw", timeout=2))
        assert client.normalise_times is False
        client.shutdown()
