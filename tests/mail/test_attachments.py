"""Mails with something attached, and mails that are sent once more."""

from __future__ import annotations

import email
from datetime import UTC, datetime
from email.message import EmailMessage

import pytest

from moderator.errors import OperatorError
from moderator.mail.compose import again, compose
from moderator.mail.model import File, Rendered
from tests.policies import READ

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LATER = datetime(2026, 11, 21, 8, 30, tzinfo=UTC)
ICS = File("zat.ics", "text/calendar; charset=utf-8; method=PUBLISH", "BEGIN:VCALENDAR\r\nSUMMARY:Ä\r\n".encode())
PLAIN = Rendered("Betreff", "Text\n", "<p>Text</p>", {})
PICTURE = Rendered("Betreff", "Text\n", '<img src="cid:a@b">', {"a@b": b"PNG"}, (ICS,))


def made(rendered: Rendered, **more: str) -> bytes:
    return compose(
        rendered,
        sender="games@club.example",
        sender_name="Club",
        recipient="anna@home.example",
        recipient_name="Änna",
        message_id="<one@club.example>",
        date=NOW,
        reply_to="games+K7Q2-8J3MZP4QXA@club.example",
        **more,
    )


def read(raw: bytes) -> EmailMessage:
    mail = email.message_from_bytes(raw, policy=READ)
    assert isinstance(mail, EmailMessage)
    assert not [part for part in mail.walk() if part.defects]
    return mail


def kinds(mail: EmailMessage) -> list[str]:
    return [part.get_content_type() for part in mail.walk()]


def test_what_is_attached_stands_beside_the_mail() -> None:
    mail = read(made(PICTURE))
    assert kinds(mail) == [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
        "text/calendar",
    ]
    (file,) = mail.iter_attachments()
    assert file.get_filename() == "zat.ics"
    assert file.get_param("method") == "PUBLISH"
    assert file.get_payload(decode=True) == ICS.data
    body = mail.get_body(("plain",))
    assert body is not None
    assert body.get_content().strip() == "Text"
    assert all(len(line) <= 998 for line in made(PICTURE).split(b"\r\n"))


def test_without_files_a_mail_is_as_it_was() -> None:
    assert kinds(read(made(PLAIN))) == ["multipart/alternative", "text/plain", "text/html"]


@pytest.mark.parametrize("name", ['a".ics', "a b.ics", "ä.ics", "a\r\nB: c.ics", ""])
def test_a_file_name_is_plain(name: str) -> None:
    with pytest.raises(OperatorError):
        made(Rendered("", "", "", {}, (File(name, "text/plain", b""),)))


def once_more(raw: bytes, **more: str) -> bytes:
    values = {"recipient": "anna@new.example", "recipient_name": "Änna", "message_id": "<two@club.example>"}
    return again(raw, date=LATER, **{"in_reply_to": "<asked@home.example>", **values, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize("rendered", [PLAIN, PICTURE])
def test_once_more_all_parts_are_the_same(rendered: Rendered) -> None:
    first = made(rendered, in_reply_to="<thread@club.example>")
    second = once_more(first)
    assert second.partition(b"\r\n\r\n")[2] == first.partition(b"\r\n\r\n")[2]
    old, new = read(first), read(second)
    assert new["Message-ID"] == "<two@club.example>"
    assert new["Date"].datetime == LATER
    assert new["In-Reply-To"] == "<asked@home.example>"
    assert new["To"].addresses[0].addr_spec == "anna@new.example"
    for name in ("From", "Subject", "Reply-To", "Content-Type", "Content-Language", "MIME-Version"):
        assert new.get_all(name) == old.get_all(name)
        assert len(new.get_all(name, [])) == 1
    assert new["Auto-Submitted"] == "auto-replied"
    assert new["Precedence"] is None


def test_a_broken_id_of_somebody_elses_is_left_out() -> None:
    new = read(once_more(made(PLAIN), in_reply_to="no id\r\nBcc: x@y.example"))
    assert new["In-Reply-To"] is None
    assert new["Bcc"] is None
    assert new["Auto-Submitted"] == "auto-replied"


def test_once_more_to_nobody_is_refused() -> None:
    with pytest.raises(OperatorError):
        once_more(made(PLAIN), recipient="a b@home.example")
