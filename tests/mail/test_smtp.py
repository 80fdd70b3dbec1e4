"""Sending: real Postfix for the dialogue as it is, a scripted server for everything that goes wrong."""

import base64
import email
import re
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moderator.common.errors import ConfigError, OperatorError, TransientError
from moderator.common.mails import File, Ready, RenderedMail, Sent
from moderator.mail.build import compose_mail
from moderator.mail.network import explain_connection_error, is_loopback
from moderator.mail.settings import SmtpSettings
from moderator.mail.smtp import SmtpSender
from moderator.mail.smtp_answers import classify_answer
from tests.helpers import list_lines
from tests.servers import eventually
from tests.servers.dovecot import Box, Dovecot
from tests.servers.fake_smtp import CLOSE, SILENCE, FakeSmtp
from tests.servers.postfix import Postfix
from tests.servers.process import HOST, free_ports

STAGES = ["MAIL", "RCPT", "DATA", "."]


def ready(row: int, recipient: str = "player1@test.example", data: bytes = b"") -> Ready:
    return Ready(row, "gm-1@test.example", recipient, data or f"Subject: {row}\r\n\r\nHallo {row}\r\n".encode())


def send(smtp: SmtpSettings, *mails: Ready) -> tuple[list[int], list[Sent]]:
    """(rows begun, fates) in order."""
    begun: list[int] = []
    fates: list[Sent] = []

    def begin(mail: Ready) -> bool:
        begun.append(mail.row)
        return True

    SmtpSender(smtp).send(mails, begin, fates.append)
    return begun, fates


def results(fates: list[Sent]) -> dict[int, str]:
    return {sent.row: sent.result for sent in fates}


def once(verb: str, answer: str, at: int = 0) -> Callable[[str, str, int], str | None]:
    """A script: ``answer`` to the ``at``-th ``verb``."""
    return lambda heard, line, nth: answer if heard == verb and nth == at else None


# ---- Postfix ----


@pytest.mark.slow
@pytest.mark.servers
def test_postfix_gets_the_bytes_as_they_are_and_refuses_one_recipient_only(postfix: Postfix, mailbox: Box) -> None:
    body = b".\r\n..\r\n.dot\r\n  spaces \r\n" + "Grüße\r\n".encode() + b"x" * 990 + b"\r\n.\r\nend\r\n"
    data = b"Subject: dots\r\nMIME-Version: 1.0\r\nContent-Transfer-Encoding: 8bit\r\n\r\n" + body
    assert results(send(postfix.smtp(), ready(1, mailbox.address, data))[1]) == {1: "sent"}
    assert eventually(lambda: bool(mailbox.folder("INBOX")))
    assert mailbox.folder("INBOX")[0].split(b"\r\n\r\n", 1)[1] == body
    mails = [ready(1, mailbox.address), ready(2, "nobody@test.example"), ready(3, "x@elsewhere.example")]
    _, fates = send(postfix.smtp(connections=1), *mails, ready(4, mailbox.address))
    assert results(fates) == {1: "sent", 2: "dead", 3: "refused", 4: "sent"}
    assert fates[1].answer.startswith("550 5.1.1")


@pytest.mark.slow
@pytest.mark.servers
def test_postfix_takes_a_token_until_it_has_run_out(postfix: Postfix, mailbox: Box, dovecot: Dovecot) -> None:
    def settings(token: str) -> SmtpSettings:
        return postfix.smtp(user=mailbox.user, token_command=f"echo {token}")

    assert results(send(settings(dovecot.token(mailbox.user)), ready(1, mailbox.address))[1]) == {1: "sent"}
    _, fates = send(settings(dovecot.token(mailbox.user, -60)), ready(1, mailbox.address))
    assert results(fates) == {1: "auth"}


@pytest.mark.slow
@pytest.mark.servers
def test_a_foreign_certificate_and_a_port_without_tls_are_refused(postfix: Postfix, dovecot: Dovecot) -> None:
    with pytest.raises(OperatorError, match=r"certificate .* is not trusted.*ca_file"):
        send(postfix.smtp(ca_file=str(dovecot.ca_file)), ready(1))
    with pytest.raises(OperatorError, match=r'does not speak TLS.*"starttls"'):
        send(postfix.smtp(security="tls"), ready(1))


# ---- what goes wrong, stage by stage ----


REFUSALS = [("451 4.3.0 later", "retry", stage) for stage in STAGES]
REFUSALS += [("550 5.2.1 never", "dead", stage) for stage in STAGES[1:]]
REFUSALS += [("554 5.6.0 not so", "refused", stage) for stage in STAGES[1:]]


@pytest.mark.parametrize(("answer", "result", "stage"), REFUSALS)
def test_a_refused_mail_does_not_disturb_the_next(answer: str, result: str, stage: str) -> None:
    with FakeSmtp.started(once(stage, answer)) as fake:
        begun, fates = send(fake.smtp(), ready(1), ready(2))
    assert begun == [1, 2]
    assert results(fates) == {1: result, 2: "sent"}
    assert next(sent for sent in fates if sent.row == 1).answer.startswith(answer)
    assert fake.mails == [ready(2).data]
    assert fake.connections == 1
    assert fake.log.index("RSET") < fake.log.index("MAIL", fake.log.index("MAIL") + 1)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("fault", [CLOSE, pytest.param(SILENCE, marks=pytest.mark.slow)])
def test_a_lost_connection_costs_one_mail(stage: str, fault: str) -> None:
    with FakeSmtp.started(once(stage, fault)) as fake:
        begun, fates = send(fake.smtp(timeout=1, data_timeout=1), ready(1), ready(2), ready(3))
    assert begun == [1, 2, 3]
    assert results(fates) == {1: "retry", 2: "sent", 3: "sent"}
    assert fake.connections == 2
    assert len(fake.mails) == 2


@pytest.mark.slow
def test_the_final_dot_has_a_timeout_of_its_own() -> None:
    # A command may take 1 second, the answer to the mail 30: a slow spam filter is no failure.
    pause = threading.Event()

    def script(verb: str, line: str, nth: int) -> str | None:
        if verb == ".":
            pause.wait(1.5)
        return None

    with FakeSmtp.started(script) as fake:
        assert results(send(fake.smtp(timeout=1, data_timeout=30), ready(1))[1]) == {1: "sent"}


ABOUT_US = [
    *((stage, "421 4.3.2 shutting down") for stage in STAGES),
    *((stage, "450 4.7.1 too many mails") for stage in STAGES if stage != "RCPT"),
    ("MAIL", "451 4.7.1 come back later"),
    (".", "451 4.7.0 rate limit"),
    *((stage, "550 5.4.5 Daily user sending limit exceeded") for stage in STAGES),
]
ABOUT_ONE = [
    *((stage, words) for stage in STAGES for words in ("450 4.2.1 mailbox busy", "452 4.2.2 mailbox full")),
    ("RCPT", "451 4.7.1 greylisted"),
    ("RCPT", "450 4.7.1 too many mails for this mailbox"),
    ("RCPT", "450 4.7.25 no"),
    (".", "451 4.7.1 greylisted, try again later"),
]


@pytest.mark.parametrize(("stage", "answer"), ABOUT_ONE)
def test_what_is_said_of_one_mail_delays_that_one_only(stage: str, answer: str) -> None:
    with FakeSmtp.started(once(stage, answer, at=0)) as fake:
        begun, fates = send(fake.smtp(), *(ready(n) for n in range(1, 10)))
    assert begun == list(range(1, 10))
    assert results(fates) == {1: "retry"} | dict.fromkeys(range(2, 10), "sent")


@pytest.mark.parametrize(("stage", "answer"), ABOUT_US)
def test_an_overloaded_server_is_left_alone(stage: str, answer: str) -> None:
    with FakeSmtp.started(once(stage, answer, at=1)) as fake:
        begun, fates = send(fake.smtp(), *(ready(n) for n in range(1, 6)))
    assert begun == [1, 2]
    assert results(fates) == {1: "sent", 2: "retry"}


ANSWERS = Path(__file__).parent / "answers.txt"
OF_US = [
    *(line.replace("\n", "\r\n").split(" | ") for line in list_lines(ANSWERS, "of us")),
    *((stage, f"{code} 5.{status} no") for stage in STAGES for code in (550, 554) for status in ("7.1", "7.9", "3.2")),
    *(("MAIL", f"{code} 5.{status} no") for code in (550, 553, 554) for status in ("1.1", "2.1", "5.4", "6.0")),
]
"""What real servers say of us; all of it at more than one stage."""


@pytest.mark.parametrize(("stage", "answer"), OF_US)
def test_what_is_said_of_us_is_no_recipients_fault(stage: str, answer: str) -> None:
    """Whoever they are; the run ends soon, and one line says which setting to look at."""
    mails = [ready(n, f"player{n}.{n * 7}@b{n % 5}.test.example") for n in range(1, 30)]
    refuse = lambda verb, line, nth: answer.format(line.partition(":")[2] or "x@y.example") if verb == stage else None  # noqa: E731
    with FakeSmtp.started(refuse) as fake:
        begun, fates = send(fake.smtp(user=""), *mails)
    assert {sent.result for sent in fates} == {"refused"}
    assert len(fates) == len(begun) <= (1 if stage == "MAIL" else 3)
    assert all(re.search(r"; look at \[(smtp|mail)\] ", sent.answer) for sent in fates)


@pytest.mark.parametrize("answer", list_lines(ANSWERS, "of a recipient"))
@pytest.mark.parametrize("who", ["1", "5", "9", "379", "24679", "123456789"])
def test_a_recipient_is_refused_alone_and_three_by_a_server_that_takes_none_are_us(answer: str, who: str) -> None:
    def refuse(verb: str, line: str, nth: int) -> str | None:
        said = answer.replace("\n", "\r\n").format(f"p{nth}@x.example")
        return said if verb == "RCPT" and line[len("RCPT TO:<player")] in who else None

    with FakeSmtp.started(refuse) as fake:
        _, fates = send(fake.smtp(), *(ready(n, f"player{n}@test.example") for n in range(1, 10)))
    assert len(fake.mails) + sum(sent.result != "sent" for sent in fates) == len(fates)
    if who == "123456789":
        assert [sent.result for sent in fates] == ["refused"] * 3
    else:
        assert {str(sent.row) for sent in fates if sent.result == "dead"} == set(who)
        assert len(fates) == 9


PARTS = "Bilder", "table.json", "page.html"


def heavy(row: int) -> Ready:
    """As a first mail is: text, HTML with a picture, a touch board, another file."""
    laid = RenderedMail(
        "x", "Dein Zug.\n", '<body><p>Dein Zug.</p><img src="cid:b1@x" alt="Brett"></body>', {"b1@x": b"x" * 9000},
        (File(PARTS[2], "text/html; charset=utf-8", b"<p>" * 9000), File(PARTS[1], "application/json", b"{}" * 2000)),
    )  # fmt: skip
    made = {"sender": "gm@test.example", "recipient": f"p{row}@test.example", "message_id": f"<{row}@x>"}
    data = compose_mail(laid, sender_name="", recipient_name="", date=datetime(2026, 11, 26, tzinfo=UTC), **made)
    return ready(row, data=data)


@pytest.mark.parametrize("how", ["announced", "MAIL", "RCPT", ".", "words"])
@pytest.mark.parametrize(
    ("most", "left"), [(60_000, PARTS), (12_000, PARTS[1:2]), (3_000, ()), (1_400, ()), (300, None)]
)
def test_a_mail_too_large_for_the_server_leaves_with_less_in_it(
    how: str, most: int, left: Sequence[str] | None
) -> None:
    sizes: list[int] = []

    def script(verb: str, line: str, nth: int) -> str | None:
        if verb == "EHLO":
            return f"250-fake\r\n250 SIZE {most if how == 'announced' else 0}"
        if verb == "MAIL":
            sizes.append(int(line.partition("SIZE=")[2]))
        words = "552 Message size exceeds maximum permitted" if how == "words" else "552 5.3.4 too big"
        return words if verb == ("MAIL" if how == "words" else how) and sizes[-1] > most else None

    with FakeSmtp.started(script) as fake:
        _, fates = send(fake.smtp(), heavy(1))
    assert results(fates) == {1: "refused" if left is None else "sent"}
    for mail in map(email.message_from_bytes, fake.mails):
        assert mail["Message-ID"] == "<1@x>"
        assert {part.get_filename() for part in mail.walk()} & {*PARTS} == {*(left or ())} - {"Bilder"}
        assert (b"Anh" in fake.mails[0]) == (left != PARTS), "it says so"
        assert b"cid:" not in fake.mails[0] or left == PARTS


def test_three_lost_connections_end_the_run_and_a_server_that_takes_one_connection_gets_one() -> None:
    with FakeSmtp.started(lambda verb, line, nth: CLOSE if verb == "RCPT" and nth > 0 else None) as fake:
        begun, fates = send(fake.smtp(), *(ready(n) for n in range(1, 10)))
    assert begun == [1, 2, 3, 4]
    assert results(fates) == {1: "sent", 2: "retry", 3: "retry", 4: "retry"}
    assert fake.connections == 4 - 1
    refuse = "421 4.7.0 too many connections"
    with FakeSmtp.started(lambda verb, line, nth: refuse if verb == "CONNECT" and nth > 0 else None) as fake:
        begun, fates = send(fake.smtp(connections=4), *(ready(n) for n in range(30)))
    assert begun == list(range(30))
    assert results(fates) == dict.fromkeys(range(30), "sent")


def test_a_login_demanded_late_stops_the_run_and_one_refused_for_now_is_tried_again_later() -> None:
    with FakeSmtp.started(once("MAIL", "530 5.7.0 Authentication required")) as fake:
        begun, fates = send(fake.smtp(), ready(1), ready(2))
    assert (begun, results(fates)) == ([1], {1: "auth"})
    answers = {"EHLO": OFFER, "AUTH": "454 4.7.0 login service is down"}
    with FakeSmtp.started(lambda verb, line, nth: answers.get(verb)) as fake:
        with pytest.raises(TransientError, match="454"):
            send(fake.smtp(user="gm"), ready(1))
        assert "MAIL" not in fake.log


OFFER = "250-fake\r\n250 AUTH PLAIN"


def test_a_password_with_umlauts_is_sent_as_utf8_and_no_token_to_a_server_without_xoauth2() -> None:
    with FakeSmtp.started(lambda verb, line, nth: OFFER if verb == "EHLO" else None) as fake:
        common = SmtpSettings(host=HOST, port=fake.port, security="plain", user="gm", timeout=5)
        with pytest.raises(OperatorError, match=r"no login by token.*\[smtp\] password_command"):
            send(replace(common, token_command="echo tok"), ready(1))
        assert "AUTH" not in fake.log
        assert results(send(replace(common, password="pä"), ready(1))[1]) == {1: "sent"}
    (line,) = (line for line in fake.lines if line.startswith("AUTH"))
    assert base64.b64decode(line.split()[2]) == "\0gm\0pä".encode()


@pytest.mark.parametrize(
    ("answer", "error"),
    [("421 4.3.2 busy", TransientError), (CLOSE, TransientError), ("554 5.7.1 you are on a list", OperatorError)],
)
def test_a_greeting_that_is_none_ends_the_run(answer: str, error: type[Exception]) -> None:
    with FakeSmtp.started(lambda verb, line, nth: answer if verb == "CONNECT" else None) as fake, pytest.raises(error):
        send(fake.smtp(), ready(1))


def test_a_server_without_starttls_or_login() -> None:
    with FakeSmtp.started() as fake:
        settings = SmtpSettings(host=HOST, port=fake.port, security="starttls", timeout=5)
        with pytest.raises(OperatorError, match="STARTTLS"):
            send(settings, ready(1))
        with pytest.raises(OperatorError, match="AUTH"):
            send(fake.smtp(user="gm"), ready(1))
    assert "MAIL" not in fake.log


# ---- addresses and bytes ----


def test_an_address_with_umlauts_needs_smtputf8() -> None:
    with FakeSmtp.started() as fake:
        _, fates = send(fake.smtp(), ready(1, "jörg@test.example"), ready(2))
    assert results(fates) == {1: "dead", 2: "sent"}
    assert "SMTPUTF8" in fates[0].answer
    with FakeSmtp.started(lambda verb, line, nth: "250-fake\r\n250 SMTPUTF8" if verb == "EHLO" else None) as fake:
        assert results(send(fake.smtp(), ready(1, "jörg@test.example"))[1]) == {1: "sent"}
    assert "MAIL FROM:<gm-1@test.example> SMTPUTF8" in fake.lines
    assert "RCPT TO:<jörg@test.example>" in fake.lines


def test_an_address_cannot_smuggle_a_command_dots_are_doubled_and_the_size_is_told() -> None:
    data = b"Subject: x\r\n\r\n.\r\n.a\r\nb.\r\n"
    with FakeSmtp.started() as fake:
        _, fates = send(fake.smtp(), ready(1, "a@test.example>\r\nRCPT TO:<b@test.example"), ready(2, data=data))
    assert results(fates) == {1: "dead", 2: "sent"}
    assert [line for line in fake.lines if line.startswith("RCPT")] == ["RCPT TO:<player1@test.example>"]
    assert fake.mails == [b"Subject: x\r\n\r\n..\r\n..a\r\nb.\r\n"]
    assert f"MAIL FROM:<gm-1@test.example> SIZE={len(data)}" in fake.lines


# ---- begin and report ----


def test_begin_comes_before_mail_from_and_in_the_callers_thread() -> None:
    events: list[str] = []
    threads: set[int] = set()

    def script(verb: str, line: str, nth: int) -> str | None:
        if verb in ("MAIL", "."):
            events.append(verb)
        return None

    def begin(mail: Ready) -> bool:
        threads.add(threading.get_ident())
        events.append(f"begin {mail.row}")
        return True

    def report(sent: Sent) -> None:
        threads.add(threading.get_ident())
        events.append(f"report {sent.row}")

    with FakeSmtp.started(script) as fake:
        SmtpSender(fake.smtp()).send([ready(1), ready(2)], begin, report)
        assert events == ["begin 1", "MAIL", ".", "report 1", "begin 2", "MAIL", ".", "report 2"]
        assert threads == {threading.get_ident()}
        events.clear()
        SmtpSender(fake.smtp()).send([ready(1), ready(2)], lambda mail: mail.row == 2, report)
        assert events == ["MAIL", ".", "report 2"], "what somebody else sends is left out"


def test_an_error_of_the_caller_ends_the_run_but_not_mails_under_way() -> None:
    begun: list[int] = []
    reported: list[int] = []

    def begin(mail: Ready) -> bool:
        if mail.row == 3:
            raise ZeroDivisionError
        begun.append(mail.row)
        return True

    mails = [ready(n) for n in range(1, 40)]
    with FakeSmtp.started() as fake, pytest.raises(ZeroDivisionError):
        SmtpSender(fake.smtp(connections=3)).send(mails, begin, lambda sent: reported.append(sent.row))
    assert 3 not in begun
    assert sorted(begun) == sorted(reported)
    assert len(begun) < 10


# ---- settings ----


def test_plain_is_for_this_machine_only_and_a_server_that_is_away_is_met_only_with_something_to_send() -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]")))
    assert not any(map(is_loopback, ("10.0.0.1", "localhost.example.org", "127.0.0.1.example.org", "")))
    with pytest.raises(ConfigError, match="starttls"):
        SmtpSender(SmtpSettings(host="mail.example.org", security="plain"))
    with pytest.raises(TransientError):
        send(SmtpSettings(host=HOST, port=free_ports(1)[0], security="plain", timeout=2), ready(1))
    assert send(SmtpSettings(host=HOST, port=1, security="plain")) == ([], [])


def test_what_errors_mean_and_codes_that_do_not_exist_are_tried_again() -> None:
    def explained(error: BaseException) -> Exception:
        return explain_connection_error("smtp", "mx.example.org", 465, error)

    unknown = explained(socket.gaierror(socket.EAI_NONAME, "Name or service not known"))
    assert isinstance(unknown, OperatorError)
    assert "[smtp] host" in str(unknown)
    away = socket.gaierror(socket.EAI_AGAIN, "Temporary failure"), ConnectionRefusedError(111, "refused")
    assert all(isinstance(explained(error), TransientError) for error in (*away, ssl.SSLEOFError(8, "EOF")))
    assert "\n" not in str(explained(OSError("two\r\nlines")))
    for code in (-1, 0, 354, 600):
        fate = classify_answer(7, code, "???")
        assert (fate.sent.result, fate.alive) == ("retry", False)
    assert classify_answer(7, 252, "will try").sent.result == "sent"


# ---- a return path of its own ----


def with_path(row: int) -> Ready:
    path, data = f"gm-1+BACK-{row:010}@test.example", b"Subject: x\r\n\r\nx\r\n"
    return Ready(row, path, f"player{row}@test.example", data, "gm-1@test.example")


def own_sender_only(stage: str) -> Callable[[str, str, int], str | None]:
    """A script: at this stage it refuses what came under another address than the plain one."""
    sender: list[str] = []

    def script(verb: str, line: str, nth: int) -> str | None:
        if verb == "MAIL":
            sender[:] = [line]
        foreign = bool(sender) and "<gm-1@test.example>" not in sender[0]
        return "553 5.7.1 sender address rejected: not owned by user" if verb == stage and foreign else None

    return script


@pytest.mark.parametrize("stage", STAGES)
def test_a_server_that_takes_the_plain_address_only_gets_that(stage: str) -> None:
    """Whenever it says so; and once it is known, no other mail of the run is tried under another address."""
    with FakeSmtp.started(own_sender_only(stage)) as fake:
        _, fates = send(fake.smtp(), *(with_path(n) for n in range(1, 6)))
        assert results(fates) == dict.fromkeys(range(1, 6), "sent")
        assert {fate.sender for fate in fates} == {"gm-1@test.example"}
        assert len(fake.mails) == 5
        assert sum("+BACK-" in line for line in fake.lines if line.startswith("MAIL")) == 1


def test_a_server_that_takes_all_addresses_is_asked_once_for_each_recipient_and_one_that_hangs_up_again_later() -> None:
    """A refused recipient is tried a second time only while nothing is known of the server."""
    with FakeSmtp.started(
        lambda verb, line, nth: "550 5.1.1 no" if "player2@" in line or "player4@" in line else None
    ) as fake:
        _, fates = send(fake.smtp(), *(with_path(n) for n in range(1, 6)))
        assert results(fates) == {1: "sent", 2: "dead", 3: "sent", 4: "dead", 5: "sent"}
        assert fates[0].sender == "gm-1+BACK-0000000001@test.example"
        assert [line.count("+BACK-") for line in fake.lines if line.startswith("MAIL")] == [1] * 5
    with FakeSmtp.started(lambda verb, line, nth: "550 5.1.1 no" if "player1@" in line else None) as fake:
        _, fates = send(fake.smtp(), with_path(1), with_path(2))
        assert results(fates) == {1: "dead", 2: "sent"}
        assert [line.count("+BACK-") for line in fake.lines if line.startswith("MAIL")] == [1, 0, 1]

    def script(verb: str, line: str, nth: int) -> str | None:
        return "553 5.7.1 no" if "+BACK-" in line else CLOSE if verb == "RSET" and nth == 0 else None

    with FakeSmtp.started(script) as fake:
        _, fates = send(fake.smtp(), with_path(1))
        assert results(fates) == {1: "retry"}  # and the third attempt is under the plain address, see store/outbox.py


def test_what_the_doctor_asks_sends_nothing() -> None:
    for stage in ("MAIL", "RCPT"):
        with FakeSmtp.started(own_sender_only(stage)) as fake:
            sender = SmtpSender(fake.smtp())
            met = sender.find_refusal("gm-1+BACK-0000000001@test.example", "gm-1@test.example")
            assert met.answer.startswith("553 5.7.1")
            assert sender.find_refusal("gm-1@test.example", "gm-1@test.example") is None
            assert fake.mails == []
