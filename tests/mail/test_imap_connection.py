"""The connection to an IMAP server: logging in, waiting for mail, what it costs."""

import contextlib
import re
import socket
import socketserver
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from moderator.common.errors import ConfigError, OperatorError, TransientError
from moderator.common.mails import Mark
from moderator.mail import imap as imap_module
from moderator.mail import network
from moderator.mail.imap import ImapMailbox
from moderator.mail.settings import ImapSettings, SmtpSettings
from moderator.mail.smtp import SmtpSender
from tests.mail.imap_box import Open, fetch, mail, number_of, scripted, servers, without
from tests.servers.dovecot import Box, Dovecot
from tests.servers.fake_smtp import FakeSmtp
from tests.servers.process import HOST, free_ports


@servers
@pytest.mark.parametrize("security", ["tls", "starttls", "plain"])
def test_the_mailbox_opens_in_plain_by_tls_and_by_starttls(mailbox: Box, security: str) -> None:
    mailbox.deliver(mail(1), mail(2))
    port = mailbox.dovecot.imaps_port if security == "tls" else mailbox.dovecot.imap_port
    with ImapMailbox(mailbox.imap(security=security, port=port)) as box:
        assert box.waiting() == 2
        assert box._client._imap.state == "AUTH", "looking for mail selects nothing"


@pytest.mark.slow
@servers
@pytest.mark.parametrize("password", ["secret-that-is-wrong", "pä"])
def test_a_wrong_password_is_told_but_not_shown(mailbox: Box, password: str) -> None:
    with pytest.raises(OperatorError, match=r"refuses the login of 'gm-.*\[imap\] user or password") as caught:
        ImapMailbox(mailbox.imap(password=password))
    assert password not in str(caught.value)


@servers
def test_a_certificate_that_is_foreign_or_another_ones_and_a_port_without_tls(mailbox: Box, tmp_path: Path) -> None:
    starttls = mailbox.imap(ca_file="", security="starttls", port=mailbox.dovecot.imap_port)
    for settings in (mailbox.imap(ca_file=""), starttls):
        with pytest.raises(OperatorError, match=r"certificate .* not trusted.*\[imap\] ca_file"):
            ImapMailbox(settings)
    with pytest.raises(ConfigError, match="ca_file"):
        ImapMailbox(mailbox.imap(ca_file=str(tmp_path / "missing.pem")))
    with pytest.raises(OperatorError, match="is for another name"):
        # Connecting to 0.0.0.0 reaches this machine; the certificate is for 127.0.0.1 and localhost only.
        ImapMailbox(mailbox.imap(host="0.0.0.0"))
    with pytest.raises(OperatorError, match="starttls"):
        ImapMailbox(mailbox.imap(port=mailbox.dovecot.imap_port))


@pytest.mark.slow
@servers
def test_a_token_logs_in_until_it_has_run_out(mailbox: Box, dovecot: Dovecot) -> None:
    def settings(token: str) -> ImapSettings:
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


def plain(port: int, timeout: float = 5) -> ImapSettings:
    return ImapSettings(host=HOST, port=port, security="plain", user="gm", password="pw", timeout=timeout)


def test_plain_is_for_this_machine_only_and_a_server_may_be_away() -> None:
    with pytest.raises(ConfigError, match="starttls"):
        ImapMailbox(replace(plain(143), host="192.0.2.1"))
    with pytest.raises(TransientError, match=HOST):
        ImapMailbox(plain(free_ports(1)[0], timeout=2))


@pytest.mark.slow
def test_a_server_that_says_nothing() -> None:
    with socket.create_server((HOST, 0)) as listener, pytest.raises(TransientError, match="timed out"):
        ImapMailbox(plain(listener.getsockname()[1], timeout=1))


@pytest.mark.parametrize(
    ("capabilities", "account", "fix"),
    [
        ("AUTH=XOAUTH2 LOGINDISABLED", {"password": "x"}, r"no login by password.*\[imap\] token_command"),
        ("AUTH=PLAIN", {"token_command": "echo x"}, r"no login by token.*\[imap\] password_command"),
        ("LOGINDISABLED", {"token_command": "echo x"}, r"no login \(AUTH\) at all.*\[imap\] port or security"),
        ("LOGINDISABLED", {"password": "x"}, r"no login \(AUTH\) at all.*\[imap\] port or security"),
        ("AUTH=XOAUTH2", {"token_command": "echo x"}, r"\[imap\] user or token_command.*expired"),
    ],
)
def test_a_way_to_log_in_that_is_not_offered_is_told_with_the_setting(
    capabilities: str, account: dict[str, str], fix: str
) -> None:
    script = {"CAPABILITY": f"* CAPABILITY IMAP4rev1 {capabilities}\r\nOK done", "AUTHENTICATE": "NO expired"}
    with scripted(script) as port, pytest.raises(OperatorError, match=fix):
        ImapMailbox(replace(plain(port), **({"password": ""} | account)))
    ehlo = f"250-fake\r\n250 AUTH {capabilities.replace('AUTH=', '').replace('LOGINDISABLED', '')}".rstrip()
    answers = {
        "EHLO": ehlo.removesuffix("AUTH") + ("SIZE" if ehlo.endswith("AUTH") else ""),
        "AUTH": "535 5.7.8 expired",
    }
    with FakeSmtp.started(lambda verb, line, nth: answers.get(verb)) as fake:
        settings = replace(fake.smtp(user="gm"), **({"password": ""} | account))
        with pytest.raises(OperatorError, match=fix.replace("imap", "smtp")):
            SmtpSender(settings).check()


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
        ImapMailbox(plain(port))


@pytest.mark.slow
@servers
@pytest.mark.parametrize("lacking", [(), (b"IDLE",)])
def test_idle_wakes_for_new_mail_also_for_one_that_came_since_the_last_look(
    mailbox: Box, opened: Open, monkeypatch: pytest.MonkeyPatch, lacking: tuple[bytes, ...]
) -> None:
    monkeypatch.setattr(imap_module, "POLL_SECONDS", 0.1)
    box = opened(mailbox.imap())
    without(box, monkeypatch, *lacking)
    assert box.waiting() == 0
    mailbox.deliver(mail(1))
    start = time.monotonic()
    assert box.idle(20) is True
    assert time.monotonic() - start < 4
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
def test_moving_mails_away_wakes_nobody_but_a_mail_that_came_meanwhile_does(mailbox: Box, opened: Open) -> None:
    mailbox.deliver(mail(1), mail(2))
    box = opened(mailbox.imap())
    keys = [raw.key for raw in fetch(box)]
    box.file_away(keys[:1], [])
    assert box.idle(0.2) is False
    mailbox.deliver(mail(3))
    box.file_away(keys[1:], [])
    start = time.monotonic()
    assert box.idle(20) is True
    assert time.monotonic() - start < 15


def test_an_end_of_file_during_idle_is_no_busy_loop() -> None:
    # imapclient's idle_check answers [] at once and for ever after the server closed.
    empty = "* 0 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 5] x\r\nOK done"
    with scripted({"SELECT": empty, "IDLE": "+ idling\r\n* OK Still here\r\nHANGUP"}) as port:
        box = ImapMailbox(plain(port))
        start = time.process_time()
        with pytest.raises(TransientError):
            box.idle(30)
        assert time.process_time() - start < 1
        box.close()


# ---- certificates ----

CA = """
[ca]
default_ca = d
[d]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = p
x509_extensions = e
unique_subject = no
[p]
commonName = supplied
[e]
subjectAltName = DNS:localhost,IP:127.0.0.1
basicConstraints = critical,CA:TRUE
"""
DATES = {"expired": ("20250101000000Z", "20260102030405Z"), "coming": ("20600101000000Z", "20610101000000Z")}


@pytest.fixture(scope="module", params=sorted(DATES))
def certificate(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """(which, its folder): cert.pem is its own authority."""
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "ca.cnf").write_text(CA)
    (folder / "index.txt").touch()
    (folder / "serial").write_text("01")
    begins, ends = DATES[request.param]
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem"]
    for line in (
        ["req", "-new", *key, "-subj", "/CN=localhost", "-out", "asked.pem"],
        ["ca", "-batch", "-config", "ca.cnf", "-selfsign", "-keyfile", "key.pem", "-in", "asked.pem",
         "-out", "cert.pem", "-startdate", begins, "-enddate", ends, "-notext"],
    ):  # fmt: skip
        subprocess.run(["openssl", *line], cwd=folder, check=True, capture_output=True)
    return request.param, folder


@contextlib.contextmanager
def server(folder: Path, kind: str) -> Iterator[int]:
    """The port of one that speaks TLS at once ("tls"), or after the words of IMAP or SMTP that ask for it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(OSError):
                if kind == "imap":
                    self.say("* OK [CAPABILITY IMAP4rev1 STARTTLS] ready")
                    self._imap()
                elif kind == "smtp":
                    self._smtp()
                with context.wrap_socket(self.request, server_side=True) as tls:
                    self.rfile, self.wfile = tls.makefile("rb"), tls.makefile("wb", buffering=0)
                    self._imap()

        def say(self, line: str) -> None:
            self.wfile.write(line.encode() + b"\r\n")

        def _imap(self) -> None:
            while line := self.rfile.readline().decode("latin-1"):
                tag, _, verb = line.strip().partition(" ")
                if verb.upper() == "CAPABILITY":
                    self.say("* CAPABILITY IMAP4rev1 STARTTLS")
                self.say(f"{tag} OK done")
                if verb.upper() == "STARTTLS":
                    return

        def _smtp(self) -> None:
            self.say("220 fake ESMTP")
            while line := self.rfile.readline().decode("latin-1").strip().upper():
                self.say("250-fake\r\n250 STARTTLS" if line.startswith("EHLO") else "220 go on")
                if line == "STARTTLS":
                    return

    with socketserver.ThreadingTCPServer((HOST, 0), Handler) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield made.server_address[1]
        finally:
            made.shutdown()
            thread.join()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("section", ["imap", "smtp"])
@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_one_out_of_date_is_told_with_its_date(certificate: tuple[str, Path], section: str, security: Any) -> None:
    which, folder = certificate
    with server(folder, section if security == "starttls" else "tls") as port:
        common: Any = {"host": "localhost", "port": port, "security": security, "ca_file": str(folder / "cert.pem")}
        with pytest.raises(TransientError) as caught:
            _connect(section, common)
    line = str(caught.value)
    if which == "expired":
        assert line == f"The certificate of localhost:{port} has expired on 2026-01-02; its operator must renew it."
    else:
        assert line.startswith(f"The certificate of localhost:{port} is not valid before 2060-01-01 00:00 UTC.")
        assert "clock (NTP)" in line


def _connect(section: str, common: Any) -> None:
    if section == "imap":
        ImapMailbox(ImapSettings(user="gm", password="pw", timeout=5, **common))
    else:
        SmtpSender(SmtpSettings(timeout=5, **common)).check()


REFUSED: dict[int, tuple[type[Exception], str]] = {
    **dict.fromkeys((2, 18, 19, 20, 21, 24, 26, 28), (OperatorError, "ca_file")),
    **dict.fromkeys((62, 64), (OperatorError, r"another name.*Correct \[imap\] host")),
    **dict.fromkeys((66, 67, 68), (TransientError, "too weak")),
    9: (TransientError, "is not valid yet"),
    10: (TransientError, "has expired; its operator must renew it"),
    23: (TransientError, "revoked; its operator"),
}
"""verify_code of openssl-verify(1) -> what is raised, and what it says where the server gives no dates."""


def test_each_reason_has_its_own_fix() -> None:
    for code, (kind, words) in REFUSED.items():
        error = ssl.SSLCertVerificationError(1, "certificate verify failed")
        error.verify_code, error.verify_message = code, "as OpenSSL says"
        found = network.explain_certificate_error("imap", HOST, 1, error)
        assert type(found) is kind, code
        assert re.search(words, str(found)), found
        assert ("orrect [imap] host" in str(found)) == (kind is OperatorError)


BROKEN = (
    "OK done", "* STATUS\r\nOK x",
    "* STATUS INBOX\r\nOK x",
    "* STATUS INBOX (MESSAGES\r\nOK x",
    "* STATUS INBOX (MESSAGES x)\r\nOK x",
    "* STATUS INBOX (MESSAGES (1 2))\r\nOK x",
    "* 1 FETCH\r\nOK x",
    "* x FETCH ()\r\nOK x",
    "* 1 FETCH (UID 4 RFC822.SIZE 9 INTERNALDATE 7 BODY[] 8)\r\nOK x",
    "* SEARCH x\r\nOK x",
    "* SEARCH 4 (\r\nOK x",
    '* LIST (\\x) "\r\nOK x',
    "* LIST\r\nOK x",
    "* NAMESPACE\r\nOK x",
    "* NAMESPACE ((\r\nOK x",
    '* NAMESPACE ((1 2)) NIL NIL\r\nOK x',
    "* OK [UIDVALIDITY x]\r\nOK x",
    "* OK [UIDVALIDITY (1)] x\r\n* x EXISTS\r\nOK x",
    "* CAPABILITY\r\nOK x",
    "* 1 FETCH (UID 4 X " + "(" * 1500 + "\r\nOK x",
    "* \udcff\udcfe\r\nOK \udcff", "+ go on\r\nOK x",
    "BAD no", "NO no", "* BYE bye\r\nHANGUP", "garbage", "*\r\nOK x",
    "* 1 FETCH (UID 4 BODY[] {9}\r\nHANGUP",
    "\r\n".join(["* 1 EXISTS"] * 50) + "\r\nOK x",
    "* ESEARCH (TAG x)\r\nOK x",
    "* SEARCH " + "9" * 5000 + "\r\nOK x",
)  # fmt: skip
CALLS: dict[str, Callable[[ImapMailbox], object]] = {
    "waiting": lambda box: box.waiting(),
    "fetch": fetch,
    "file_away": lambda box: box.file_away(["7:4"], ["7:5"]),
    "bring_back": lambda box: box.bring_back(datetime(2026, 11, 1, tzinfo=UTC)),
    "marks": lambda box: box.marks(),
    "mark": lambda box: box.mark(Mark("a" * 32, datetime(2026, 11, 1, tzinfo=UTC), "here"), True),
    "idle": lambda box: box.idle(0.1),
}
VERBS = ("CAPABILITY", "LOGIN", "STATUS", "SELECT", "UID", "LIST", "NAMESPACE", "NOOP", "CREATE", "APPEND", "IDLE")


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_whatever_a_server_answers_is_an_error_of_one_line_that_names_it_or_none(call: str) -> None:
    """Each answer to a command by itself, while all others are answered well; each call meets a seventh of them."""
    number = [*CALLS].index(call)
    logging_in = VERBS[:2] if number == 0 else ()
    pairs = [(verb, answer) for verb in (*logging_in, *VERBS[2:]) for answer in BROKEN][number::7]
    for verb, answer in pairs:
        start = time.monotonic()
        with scripted(
            {"LIST": '* LIST () "/" INBOX\r\nOK x', "STATUS": "* STATUS INBOX (MESSAGES 1)\r\nOK x", verb: answer}
        ) as port:
            told = HOST
            try:
                with ImapMailbox(plain(port, timeout=0.3)) as box:
                    CALLS[call](box)
            except (TransientError, OperatorError) as error:
                told = str(error)
        assert HOST in told, (verb, answer[:80])
        assert "\n" not in told
        assert time.monotonic() - start < 15, (verb, answer[:80])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("* 1 FETCH (BODY[] {99999999999}", "it announces 99999999999 bytes at once"),
        ("* SEARCH " + "(" * 200_000, "it is nested too deep"),
        ("\r\n".join(["* 1 EXISTS"] * 200_001), "it has more than 200000 lines"),
    ],
    ids=["huge", "deep", "long"],
)
def test_an_answer_without_measure_is_refused_in_words_before_it_is_taken(answer: str, told: str) -> None:
    with scripted({"CAPABILITY": answer}) as port, pytest.raises(TransientError, match=f"{HOST}:.*{told}"):
        ImapMailbox(plain(port))
