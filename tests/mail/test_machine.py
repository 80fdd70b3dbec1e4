"""Machines are recognised, persons are not taken for one; delivery reports are read."""

import pytest

from moderator.common.mails import Bounce
from moderator.mail.parse import parse_mail_bytes


def reason(fields: str) -> str:
    return parse_mail_bytes(f"{fields}\n\nE5 w HAUS\n".encode()).machine


MACHINES = {
    "null-sender": ("Return-Path: <>",),
    "bounce": (
        "Return-Path: <>\nSubject: Undelivered Mail Returned to Sender",
        "Content-Type: multipart/report; report-type=delivery-status; boundary=b",
        "X-Failed-Recipients: a@example.org",
        "From: Mail Delivery System <Mailer-Daemon@example.org>\nSubject: Mail delivery failed",
    ),
    "auto-submitted": (
        "Auto-Submitted: auto-replied", "Auto-Submitted: auto-generated (rule)", "AUTO-SUBMITTED: Auto-Notified; x=y",
    ),
    "report": ("Content-Type: multipart/report; report-type=disposition-notification; boundary=b",),
    "daemon": (
        "From: MAILER-DAEMON@example.org", "From: postmaster@example.org", "From: Shop <no-reply@example.org>",
        "From: noreply+12@example.org", "From: newsletter-noreply@example.org", "From: nicht-antworten@example.org",
        "From: list-bounces@example.org",
    ),
    "bulk": ("Precedence: bulk", "Precedence: Junk",),
    "list": ("Precedence: list", "List-Id: <x.example.org>", "List-Unsubscribe: <mailto:x@example.org>",),
    "auto-reply": ("Precedence: auto_reply", "X-Autoreply: yes", "X-Autorespond: vacation",),
    "loop": ("X-Loop: yes",),
    "away": (
        "Subject: Abwesenheitsnotiz: [G7] Runde 3", "Subject: Automatische Antwort: [G7] Runde 3",
        "Subject: =?utf-8?q?Automatische_Antwort=3A_x?=", "Subject: Out of Office: Re: [G7]",
        "Subject: Automatic reply: [G7]", "Subject: Autoreply: [G7]", "Subject: AUTO: Anna ist verreist",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("expected", "fields"), [(why, one) for why, fields in MACHINES.items() for one in fields])
def test_machines_are_recognised(expected: str, fields: str) -> None:
    assert reason(fields) == expected


@pytest.mark.parametrize(
    "fields",
    [
        "From: anna@example.org\nSubject: Re: [G7] Runde 3",
        "From: anna@example.org\nSubject: AW: Automatische Antwort", "Auto-Submitted: no",
        "Auto-Submitted: No (human)", "Precedence: normal", "Subject: Abwesend vom 3. bis 10. Dezember",
        "Subject: Auto fahren und spielen", "Subject: Automat", "Return-Path: <anna@example.org>",
        "X-Auto-Response-Suppress: DR, RN", "X-Auto-Response-Suppress: All",
        "X-Auto-Response-Suppress: DR, OOF, AutoReply", "From: rooty@example.org", "From: bounceberg@example.org",
        "From: reply@example.org", "X-Loop: anna@example.org", "List-Id:",
    ],
)  # fmt: skip
def test_persons_are_taken_for_no_machine(fields: str) -> None:
    assert reason(fields) == ""


@pytest.mark.parametrize(
    ("fields", "is_ours"),
    [
        ("List-Id: <games.club.example>\nPrecedence: list", True),
        ("List-Post: <mailto:games@club.example>\nList-Unsubscribe: <mailto:x@y.example>\nPrecedence: bulk", True),
        ("Mailing-list: list games@club.example; contact games+owners@club.example", True),
        ("List-Id: <other-games.club.example>", False),
        ("List-Post: <mailto:fun-games@club.example>", False),
        ("List-Id: <games.club.example>\nAuto-Submitted: auto-replied", False),
    ],
)
def test_a_club_whose_address_is_a_list_hears_its_players(fields: str, is_ours: bool) -> None:
    read = parse_mail_bytes(f"From: anna@example.org\n{fields}\n\nE5 w HAUS\n".encode(), own="games@club.example")
    assert (read.machine == "") is is_ours


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("text/vnd.google.email-reaction+json", "{}", "reaction"),
        ("text/calendar; method=REPLY", "BEGIN:VCALENDAR", "calendar"),
        ("text/calendar", "BEGIN:VCALENDAR\nMETHOD:COUNTER", "calendar"),
        ("text/calendar; method=REQUEST", "BEGIN:VCALENDAR", ""),
    ],
)
def test_a_click_is_no_letter(kind: str, body: str, expected: str) -> None:
    alone = f"From: anna@example.org\nContent-Type: {kind}\n\n{body}\n"
    inside = f"--b\n\n:-)\n--b\nContent-Type: {kind}\n\n{body}\n--b--\n"
    assert parse_mail_bytes(alone.encode()).machine == expected
    head = "From: anna@example.org\nContent-Type: multipart/alternative; boundary=b\n\n"
    assert parse_mail_bytes((head + inside).encode()).machine == expected


def report(status: str, action: str = "failed", extra: str = "") -> bytes:
    head = "From: MAILER-DAEMON@mx.example.net\nSubject: Undelivered Mail Returned to Sender\n"
    head += 'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\n\n'
    whom = f"Final-Recipient: rfc822; Anna@Example.org\nAction: {action}\n{status}\n{extra}"
    parts = ("\n\nThe mail could not be delivered.",)
    parts += (f"\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.net\n\n{whom}",)
    parts += (f"\nContent-Type: text/rfc822-headers\n\nSubject: [G7] Runde 3\nMessage-ID: {ID[0]}\n",)
    return (head + "".join(f"--b{part}\n" for part in parts) + "--b--\n").encode()


ID = ("<g7.3.anna@games.example.net>",)


@pytest.mark.parametrize(
    ("status", "action", "expected"),
    [
        ("Status: 5.1.1", "failed", Bounce("5.1.1", True, ("anna@example.org",), ID)),
        ("Status: 4.4.1 (timeout)", "delayed", Bounce("4.4.1", False, ("anna@example.org",), ID)),
        ("Status: 4.4.7", "failed", Bounce("4.4.7", False, ("anna@example.org",), ID)),
        ("Diagnostic-Code: smtp; 550 5.7.1 no", "failed", Bounce("5.7.1", True, ("anna@example.org",), ID)),
        ("Diagnostic-Code: smtp; 550 no", "failed", Bounce("5.0.0", True, ("anna@example.org",), ID)),
        ("X-Nothing: here", "failed", Bounce("5.0.0", True, ("anna@example.org",), ID)),
        ("Status: 2.0.0", "delivered", Bounce("2.0.0", False, (), ID)),
    ],
)
def test_a_report_says_what_became_of_whom(status: str, action: str, expected: Bounce) -> None:
    assert parse_mail_bytes(report(status, action)).bounce == expected


def test_a_report_may_be_of_several_recipients_and_hold_the_original() -> None:
    got = parse_mail_bytes(report("Status: 5.1.1").replace(b"text/rfc822-headers", b"message/rfc822"))
    assert (got.machine, got.bounce) == ("bounce", Bounce("5.1.1", True, ("anna@example.org",), ID))
    extra = "\nFinal-Recipient: rfc822; bert@example.org\nAction: failed\nStatus: 5.2.2\n"
    bounce = parse_mail_bytes(report("Status: 4.0.0", "delayed", extra)).bounce
    assert bounce == Bounce("5.2.2", True, ("anna@example.org", "bert@example.org"), ID)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("This is qmail-send.\n\n<anna@example.org>:\nSorry, no mailbox here by that name. (#5.1.1)\n", "5.1.1"),
        ("A message that you sent could not be delivered:\n\n  anna@example.org\n    550 unknown user\n", "5.1.1"),
        ("Folgende Adresse ist betroffen:\n\nanna@example.org:\nDas Postfach ist voll\n", "5.2.2"),
        ("Delivery to anna@example.org has been delayed. We will keep trying; temporarily deferred.\n", "4.0.0"),
        ("<anna@example.org>: host mx said: 554 5.7.1 Rejected (in reply to DATA)\n", "5.7.1"),
    ],
)  # fmt: skip
def test_reports_in_prose(body: str, status: str) -> None:
    head = "Return-Path: <>\nFrom: x@mx.example.net\nTo: gm@example.net\nSubject: failure notice\n\n"
    copy = "\n--- Below this line is a copy of the message.\n\n"
    copy += "Message-ID: <g7.3.anna@games.example.net>\nTo: c@example.org\n"
    bounce = parse_mail_bytes((head + body + copy).encode()).bounce
    assert bounce == Bounce(status, status.startswith("5"), ("anna@example.org",), ID)


def test_a_person_and_an_away_note_report_nothing() -> None:
    body = "<anna@example.org>: user unknown 5.1.1\n"
    assert parse_mail_bytes(f"From: bert@example.org\nSubject: Zug\n\n{body}".encode()).bounce is None
    assert parse_mail_bytes(f"From: bert@example.org\nSubject: Fwd: failure notice\n\n{body}".encode()).bounce is None
    inner = report("Status: 5.1.1").decode()
    forward = "From: bert@example.org\nContent-Type: multipart/mixed; boundary=o\n\n--o\n\nschau\n"
    forward += f"--o\nContent-Type: message/rfc822\n\n{inner}\n--o--\n"
    got = parse_mail_bytes(forward.encode())
    assert (got.bounce, got.machine) == (None, "")
    got = parse_mail_bytes(b"Return-Path: <>\nSubject: Abwesenheitsnotiz\n\nBin weg.\n")
    assert (got.machine, got.bounce) == ("null-sender", None)


DRAGONFLY = """\
From: MAILER-DAEMON <>
To: games@club.example
Subject: Mail delivery failed

There was an error delivering your mail to <anna@example.org>.

mail.example.org [192.0.2.4] did not like our RCPT TO:
550 5.1.1 <anna@example.org>: Recipient address rejected: User unknown

Message headers follow.

Message-ID: <ours@club.example>
"""
X6 = """\
Return-Path: <>
From: mailer-daemon
To: games@club.example
Subject: There was an error sending your mail
Auto-Submitted: auto-replied
Precedence: list

We had trouble delivering your message.

The following recipients returned permanent errors: anna@example.org. Reason: SMTP Server <192.0.2.4> refused to accept
your message (RCPT), with the following error message: [550 5.1.1 no such user]
"""
VERIZON = """\
From: post_master@example.org
To: games@club.example
In-Reply-To: <ours@club.example>
Subject: Re:Topwords
Content-Type: multipart/mixed; boundary="outer"

--outer
Content-Type: multipart/alternative;
boundary="inner"

--inner
Content-Type: text/plain

550 - Requested action not taken: no such user here

Message details:
  RCPT TO: anna@example.org
--inner--

--outer--
"""
NOTES = """\
Return-Path: <>
From: postmaster@notes.example.org
To: games@club.example
Subject: Undeliverable message
Content-Type: text/plain; charset=ISO-2022-JP

------- Failure Reasons  --------

ディレクトリのリストにありません
anna@example.org

------- Returned Message --------
Message-ID: <ours@club.example>
"""


@pytest.mark.parametrize("report", [DRAGONFLY, X6, VERIZON, NOTES], ids=["DragonFly", "x6", "Verizon", "Notes"])
def test_reports_without_the_usual_marks_are_seen(report: str) -> None:
    got = parse_mail_bytes(report.encode("iso-2022-jp" if "ISO-2022" in report else "utf-8"))
    assert got.bounce is not None
    assert (got.bounce.permanent, got.bounce.addresses) == (True, ("anna@example.org",))
    assert got.machine
    assert report is X6 or got.bounce.original_ids == ("<ours@club.example>",)


@pytest.mark.parametrize("sender", ["Anna <anna@example.org>", "no-reply@example.org", "daemon@example.org"])
def test_who_only_repeats_the_words_of_a_server_sends_no_report(sender: str) -> None:
    """Only a mail server's own mail is a report under any subject."""
    got = parse_mail_bytes(VERIZON.replace("post_master@example.org", sender).encode())
    assert got.bounce is None
