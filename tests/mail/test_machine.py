"""Machines are recognised, persons are not taken for one; delivery reports are read."""

from pathlib import Path

import pytest

from moderator.common.mails import Bounce
from moderator.mail.parse import parse_mail_bytes
from tests.helpers import list_lines

FIELDS, REPORTS = Path(__file__).parent / "machines.txt", Path(__file__).parent / "reports"


def reason(fields: str) -> str:
    return parse_mail_bytes(f"{fields}\n\nE5 w HAUS\n".encode()).machine


@pytest.mark.parametrize("machine", list_lines(FIELDS, "machines"))
def test_machines_are_recognised(machine: str) -> None:
    expected, _, fields = machine.partition(" | ")
    assert reason(fields) == expected


@pytest.mark.parametrize("fields", list_lines(FIELDS, "persons"))
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
def test_a_report_in_prose_tells_status_and_address(body: str, status: str) -> None:
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


@pytest.mark.parametrize("program", ["DragonFly", "x6", "Verizon", "Notes"])
def test_reports_without_the_usual_marks_are_seen(program: str) -> None:
    report = (REPORTS / f"{program}.eml").read_text(encoding="utf-8")
    got = parse_mail_bytes(report.encode("iso-2022-jp" if "ISO-2022" in report else "utf-8"))
    assert got.bounce is not None
    assert (got.bounce.permanent, got.bounce.addresses) == (True, ("anna@example.org",))
    assert got.machine
    assert program == "x6" or got.bounce.original_ids == ("<ours@club.example>",)


@pytest.mark.parametrize("sender", ["Anna <anna@example.org>", "no-reply@example.org", "daemon@example.org"])
def test_who_only_repeats_the_words_of_a_server_sends_no_report(sender: str) -> None:
    """Only a mail server's own mail is a report under any subject."""
    report = (REPORTS / "Verizon.eml").read_text(encoding="utf-8")
    got = parse_mail_bytes(report.replace("post_master@example.org", sender).encode())
    assert got.bounce is None
