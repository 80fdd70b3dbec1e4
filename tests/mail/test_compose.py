"""Mails as bytes: read back by the standard library they say what went in, and nothing gets into a header."""

import email
import email.policy
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parseaddr, parsedate_to_datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.common.errors import OperatorError
from moderator.common.mails import File, RenderedMail
from moderator.mail.build import compose_mail, compose_repeated_mail, extract_plain_text

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40
PLAIN = RenderedMail(
    "[K7Q2-8J3MZP4QXA] Größe: Jörg zieht „ÄRA“",
    "Grüße\n\n.\nFrom here\n  a = b  \n" + "ä" * 300 + "\n",
    "<p>Ä = b</p>\n",
)
PICTURE = replace(PLAIN, images={"topwords-k7q2-05@example.org": PNG})
WHEN = datetime(2025, 11, 20, 18, 30, tzinfo=UTC)


def mail(rendered=PLAIN, **changes):
    values = {
        "sender": "games@example.org",
        "sender_name": "Postspielrunde",
        "recipient": "joerg@example.org",
        "recipient_name": "Jörg",
        "message_id": "<K7Q2.12.abc@example.org>",
        "date": WHEN,
    }
    return compose_mail(rendered, **values | changes)


def read(data):
    return email.message_from_bytes(data, policy=email.policy.default)


def test_a_composed_mail_has_its_headers_and_all_parts():
    found = read(
        mail(PICTURE, reply_to="games+K7Q2-8J3MZP4QXA@example.org", list_unsubscribe_mailto="games@example.org")
    )
    assert found["Subject"] == PLAIN.subject
    assert found["From"] == "Postspielrunde <games@example.org>"
    assert found["To"].addresses[0].display_name == "Jörg"
    assert found["Reply-To"] == "games+K7Q2-8J3MZP4QXA@example.org"
    assert found["List-Unsubscribe"] == "<mailto:games@example.org>"
    assert found["Message-ID"] == "<K7Q2.12.abc@example.org>"
    assert parsedate_to_datetime(found["Date"]) == WHEN
    marks = [found[name] for name in ("Auto-Submitted", "Precedence", "X-Auto-Response-Suppress")]
    assert marks == ["auto-generated", "bulk", "All"]
    assert (found["Content-Language"], found["MIME-Version"]) == ("de", "1.0")
    kinds = [part.get_content_type() for part in found.walk()]
    assert kinds == ["multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png"]
    picture = list(found.walk())[-1]
    assert picture["Content-ID"] == "<topwords-k7q2-05@example.org>"
    assert picture.get_filename() == "topwords-k7q2-05.png"
    assert picture.get_content_disposition() == "inline"
    assert picture.get_content() == PNG
    assert not any(part.defects for part in found.walk())


def test_the_text_is_what_the_standard_library_reads():
    with_file = replace(PLAIN, files=(File("a.txt", "text/plain", b"no text of it"),))
    for data in (mail(PICTURE), mail(PLAIN), mail(with_file)):
        assert extract_plain_text(data) == read(data).get_body(("plain",)).get_content()
    assert "ß" in extract_plain_text(mail(replace(PLAIN, text="Grüße, Größe\n")))
    assert extract_plain_text(b"Subject: empty\r\nContent-Type: text/html\r\n\r\n<p>") == ""


def test_texts_come_back_exactly_and_an_answer_is_marked_as_one():
    found = read(mail(PICTURE))
    assert found.get_body(("plain",)).get_content().replace("\r\n", "\n") == PLAIN.text
    assert found.get_body(("html",)).get_content().replace("\r\n", "\n") == PLAIN.html
    wire_is_fine(mail(PICTURE))
    assert mail(PICTURE) == mail(PICTURE)
    assert mail(PICTURE) != mail(PICTURE, recipient="anna@example.org")
    found = read(mail(auto="auto-replied", language="en"))
    assert (found["Auto-Submitted"], found["Precedence"], found["Content-Language"]) == ("auto-replied", None, "en")


def wire_is_fine(data):
    assert data.isascii()
    assert b"\n" not in data.replace(b"\r\n", b"")
    assert b"\r" not in data.replace(b"\r\n", b"")
    lines = data.split(b"\r\n")
    assert max(map(len, lines)) <= 998
    body = lines[lines.index(b"") :]
    assert max(map(len, body)) <= 76
    assert not any(line == b"." or line.startswith(b"From ") for line in body)


def test_long_message_ids_are_never_encoded_references_are_the_latest_ten_and_broken_ones_are_left_out():
    """The standard library's bug that breaks threading: cpython issue 79986."""
    ids = [f"<{'x' * n}.{n}@mail.example.org>" for n in (40, 77, 90, 140, 300)]
    data = mail(in_reply_to=ids[4], references=ids)
    head = data.split(b"\r\n\r\n")[0].decode()
    assert "=?" not in head.split("In-Reply-To:")[1].split("Auto-Submitted")[0]
    assert f"In-Reply-To: {ids[4]}\r\n" in data.decode()
    assert read(data)["References"].split() == ids
    ids = [f"<{n}@example.org>" for n in range(15)]
    found = read(mail(references=[*ids, "no id", "<a b@c>", "<x@y>\r\nBcc: z@w"], in_reply_to="<a@b>\r\nBcc: z@w"))
    assert found["References"].split() == ids[5:]
    assert (found["In-Reply-To"], found["Bcc"]) == (None, None)


HEADERS = {"From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "X-Auto-Response-Suppress", "Precedence",
           "Content-Language", "MIME-Version", "Content-Type"}  # fmt: skip


@settings(max_examples=37, deadline=None)
@given(subject=st.text(max_size=200), name=st.text(max_size=80), text=st.text(max_size=300))
def test_any_text_makes_a_sound_mail(subject, name, text):
    data = mail(RenderedMail(subject, text, f"<p>{text}</p>"), recipient_name=name, sender_name=name)
    wire_is_fine(data)
    found = read(data)
    assert set(found.keys()) == HEADERS
    assert parseaddr(email.message_from_bytes(data)["To"])[1] == "joerg@example.org"
    assert [part.get_content_type() for part in found.walk()] == ["multipart/alternative", "text/plain", "text/html"]


def test_names_come_back():
    odd = 'Anna "Ass" O\\Brien', "Müller, Dr. K. (Berlin)", "Ann-Kathrin d'Arc"
    for name in ("Jörg", *odd, "X" * 120, "漢字 " * 4):
        found = read(mail(recipient_name=name))["To"].addresses[0]
        assert (found.display_name, found.addr_spec) == (" ".join(name.split()), "joerg@example.org")


BAD = ["", "x", "a@b@c", "a b@c", "jörg@example.org", "a@b\r\nBcc: c@d", "<a@b>", "a@b,c@d"]


@pytest.mark.parametrize("address", BAD)
def test_bad_addresses_are_refused(address):
    with pytest.raises(OperatorError):
        mail(recipient=address)
    with pytest.raises(OperatorError):
        mail(sender=address)


def test_bad_ids_of_ours_are_refused():
    for cid in ("", "a b@c", "a@b>\r\nX: y", 'a"@b'):
        with pytest.raises(OperatorError):
            mail(replace(PLAIN, images={cid: PNG}))
    for message_id in ("", "a@b", "<a@b> <c@d>", "<a@b\r\nX: y>"):
        with pytest.raises(OperatorError):
            mail(message_id=message_id)


# ---- files, and a mail that is sent once more ----

ICS = File("zat.ics", "text/calendar; charset=utf-8; method=PUBLISH", "BEGIN:VCALENDAR\r\nSUMMARY:Ä\r\n".encode())
WITH_FILE = replace(PICTURE, files=(ICS,))
LATER = datetime(2026, 11, 21, 8, 30, tzinfo=UTC)


def test_what_is_attached_stands_beside_the_mail() -> None:
    found = read(mail(WITH_FILE))
    assert [part.get_content_type() for part in found.walk()][::6] == ["multipart/mixed", "text/calendar"]
    (file,) = found.iter_attachments()
    assert (file.get_filename(), file.get_param("method")) == ("zat.ics", "PUBLISH")
    assert file.get_payload(decode=True) == ICS.data
    assert extract_plain_text(mail(WITH_FILE)) == extract_plain_text(mail(PLAIN))
    assert all(len(line) <= 998 for line in mail(WITH_FILE).split(b"\r\n"))


def once_more(raw: bytes, **more: str) -> bytes:
    values = {"recipient": "anna@new.example", "recipient_name": "Änna", "message_id": "<two@club.example>"}
    return compose_repeated_mail(raw, date=LATER, **{"in_reply_to": "<asked@home.example>", **values, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize("rendered", [PLAIN, WITH_FILE])
def test_once_more_all_parts_are_the_same(rendered: RenderedMail) -> None:
    first = mail(rendered, in_reply_to="<thread@club.example>", reply_to="games+K7Q2@example.org")
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


def test_once_more_a_broken_id_is_left_out_and_nobody_is_refused() -> None:
    new = read(once_more(mail(PLAIN), in_reply_to="no id\r\nBcc: x@y.example"))
    assert new["In-Reply-To"] is None
    assert new["Bcc"] is None
    assert new["Auto-Submitted"] == "auto-replied"
    with pytest.raises(OperatorError):
        once_more(mail(PLAIN), recipient="a b@home.example")
