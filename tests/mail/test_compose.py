"""Mails as bytes: read back by the standard library they say what went in, and nothing gets into a header."""

from __future__ import annotations

import email
import email.policy
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parseaddr, parsedate_to_datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.errors import OperatorError
from moderator.mail.compose import compose, plain_text
from moderator.mail.html_text import html_lines
from moderator.mail.model import File, Rendered
from moderator.mail.reply import cut

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40
TEXT = "Grüße\n\n.\n" + "." * 200 + "\nFrom " + "here " * 40 + "\n  a = b  \n" + "ä" * 300 + "\n"
PLAIN = Rendered(
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
    return compose(rendered, **values | changes)


def read(data):
    return email.message_from_bytes(data, policy=email.policy.default)


def test_parts_and_headers():
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
    assert (found["Auto-Submitted"], found["Precedence"], found["X-Auto-Response-Suppress"]) == (
        "auto-generated",
        "bulk",
        "All",
    )
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
    for data in (
        mail(PICTURE),
        mail(PLAIN),
        mail(replace(PLAIN, files=(File("a.txt", "text/plain", b"no text of it"),))),
    ):
        assert plain_text(data) == read(data).get_body(("plain",)).get_content()
    assert "ß" in plain_text(mail(replace(PLAIN, text="Grüße, Größe\n")))
    assert plain_text(b"Subject: empty\r\nContent-Type: text/html\r\n\r\n<p>") == ""


def test_texts_come_back_exactly():
    found = read(mail(PICTURE))
    assert found.get_body(("plain",)).get_content().replace("\r\n", "\n") == PLAIN.text
    assert found.get_body(("html",)).get_content().replace("\r\n", "\n") == PLAIN.html


def test_an_answer_is_marked_as_one():
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


def test_the_wire_is_ascii_with_crlf_and_short_lines():
    wire_is_fine(mail(PICTURE))


def test_long_message_ids_are_never_encoded():
    """The standard library's bug that breaks threading: cpython issue 79986."""
    ids = [f"<{'x' * n}.{n}@mail.example.org>" for n in (40, 77, 90, 140, 300)]
    data = mail(in_reply_to=ids[4], references=ids)
    head = data.split(b"\r\n\r\n")[0].decode()
    assert "=?" not in head.split("In-Reply-To:")[1].split("Auto-Submitted")[0]
    assert f"In-Reply-To: {ids[4]}\r\n" in data.decode()
    assert read(data)["References"].split() == ids


def test_references_are_the_latest_ten_and_broken_ones_are_left_out():
    ids = [f"<{n}@example.org>" for n in range(15)]
    found = read(mail(references=[*ids, "no id", "<a b@c>", "<x@y>\r\nBcc: z@w"], in_reply_to="<a@b>\r\nBcc: z@w"))
    assert found["References"].split() == ids[5:]
    assert (found["In-Reply-To"], found["Bcc"]) == (None, None)


HEADERS = {"From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "X-Auto-Response-Suppress", "Precedence",
           "Content-Language", "MIME-Version", "Content-Type"}  # fmt: skip


@pytest.mark.parametrize(
    "evil",
    [
        "x\r\nBcc: a@b.c",
        "x\nBcc: a@b.c",
        "x\u2028Bcc: a@b.c",
        "x\u0085Bcc: a@b.c",
        "x\r\n\r\nbody",
        "=?utf-8?q?x=0D=0ABcc:_a@b.c?=",
    ],
)
def test_nothing_gets_into_a_header(evil):
    data = mail(replace(PLAIN, subject=evil), recipient_name=evil, sender_name=evil)
    found = read(data)
    assert set(found.keys()) == HEADERS
    assert found.is_multipart()
    assert found["To"].addresses[0].addr_spec == "joerg@example.org"


@settings(max_examples=37, deadline=None)
@given(subject=st.text(max_size=200), name=st.text(max_size=80), text=st.text(max_size=300))
def test_any_text_makes_a_sound_mail(subject, name, text):
    data = mail(Rendered(subject, text, f"<p>{text}</p>"), recipient_name=name, sender_name=name)
    wire_is_fine(data)
    found = read(data)
    assert set(found.keys()) == HEADERS
    assert parseaddr(email.message_from_bytes(data)["To"])[1] == "joerg@example.org"
    assert [part.get_content_type() for part in found.walk()] == ["multipart/alternative", "text/plain", "text/html"]


def test_names_come_back():
    for name in (
        "Jörg",
        'Anna "Ass" O\\Brien',
        "Müller, Dr. K. (Berlin)",
        "Ann-Kathrin d'Arc",
        "X" * 120,
        "漢字 " * 4,
    ):
        found = read(mail(recipient_name=name))["To"].addresses[0]
        assert (found.display_name, found.addr_spec) == (" ".join(name.split()), "joerg@example.org")


def test_the_same_mail_gives_the_same_bytes():
    assert mail(PICTURE) == mail(PICTURE)
    assert mail(PICTURE) != mail(PICTURE, recipient="anna@example.org")


BAD = ["", "x", "a@b@c", "a b@c", "jörg@example.org", "a@b\r\nBcc: c@d", "<a@b>", "a@b,c@d"]


@pytest.mark.parametrize("address", BAD)
def test_bad_addresses_are_refused(address):
    with pytest.raises(OperatorError):
        mail(recipient=address)
    with pytest.raises(OperatorError):
        mail(sender=address)


@pytest.mark.parametrize("cid", ["", "a b@c", "a@b>\r\nX: y", 'a"@b'])
def test_bad_content_ids_are_refused(cid):
    with pytest.raises(OperatorError):
        mail(replace(PLAIN, images={cid: PNG}))


def test_a_bad_message_id_of_ours_is_refused():
    for message_id in ("", "a@b", "<a@b> <c@d>", "<a@b\r\nX: y>"):
        with pytest.raises(OperatorError):
            mail(message_id=message_id)


NEW = "E5 w HAUS"


def texts(html: str) -> list[str]:
    return [line.text for line in cut(html_lines(html))[0]]


SECRET = "<div>E6 w GEHEIM</div>"
QUOTES = {
    "cite": f"<blockquote type='cite'>{SECRET}</blockquote>",
    "gmail": "<div class='gmail_quote gmail_quote_container'><div class='gmail_attr'>пт: &lt;a@b.example&gt;</div>"
    f"<blockquote class='gmail_quote'>{SECRET}</blockquote>{SECRET}</div>",
    "outlook web": f"<div id='appendonsend'></div><hr><div id='divRplyFwdMsg'><b>Od:</b> x</div>{SECRET}",
    "outlook web, prefixed": f"<div id='x_divRplyFwdMsg'>x</div>{SECRET}",
    "outlook desktop": "<div style='border:none;border-top:solid #E1E1E1 1.0pt'><p><b>Von:</b> Moderator<br>"
    f"<b>Gesendet:</b> Freitag, 20. November 2026 10:15<br><b>An:</b> Anna</p></div>{SECRET}",
    "outlook 2003": f"<div style='border:none;border-left:solid blue 1.5pt;padding:0cm'>{SECRET}</div>",
    "thunderbird": "<div class='moz-cite-prefix'>Am 20.11.2026 um 10:15 schrieb M:<br></div>"
    f"<blockquote>{SECRET}</blockquote>",
    "thunderbird forward": f"<div class='moz-forward-container'>{SECRET}</div>",
    "yahoo": f"<div id='yahoo_quoted_1234' class='yahoo_quoted'>{SECRET}</div>",
    "proton": f"<div class='protonmail_quote'>{SECRET}</div>",
    "zimbra": f"<hr id='zwchr' data-marker='__DIVIDER__'><div data-marker='__HEADERS__'>x</div>{SECRET}",
    "gmx": f"<div name='quote' style='margin:10px'>{SECRET}</div>",
    "hotmail": f"<hr id='stopSpelling'>Date: x{SECRET}",
    "mac outlook": f"<span id='OLK_SRC_BODY_SECTION'>{SECRET}</span>",
    "roundcube": f"<p id='reply-intro'>Am 20.11.2026 schrieb M:</p><blockquote>{SECRET}</blockquote>",
    "yahoo text": "<div>Am Freitag, 20. November 2026, 10:15 hat M &lt;gm@example.org&gt; Folgendes geschrieben:</div>"
    + SECRET,
    "signature": f"<div class='gmail_signature'>{SECRET}</div>",
    "unclosed cite": f"<blockquote>{SECRET}<p>E6 w GEHEIM",
    "misnested": f"<b><blockquote>x</b>{SECRET}</blockquote>",
}
HIDDEN = {
    "display": f"<div style='display : none'>{SECRET}</div>",
    "display important": f"<span style='DISPLAY:none !important'>{SECRET}</span>",
    "visibility": f"<p style='visibility:hidden'>{SECRET}</p>",
    "font": f"<span style='color:red;font-size:0px'>{SECRET}</span>",
    "mso": f"<span style='mso-hide:all'>{SECRET}</span>",
    "height": f"<div style='max-height:0;overflow:hidden'>{SECRET}</div>",
    "opacity": f"<div style='opacity:0'>{SECRET}</div>",
    "attribute": f"<div hidden>{SECRET}</div>",
    "class": f"<head><style>p.x, .pre {{ color:red; display:none }}</style></head><div class='pre'>{SECRET}</div>",
    "comment": "<!-- E6 w GEHEIM --><!--[if mso]>E6 w GEHEIM<![endif]-->",
    "unclosed comment": "<!-- E6 w GEHEIM",
    "script": "<script>E6 w GEHEIM</script>",
    "style": "<style>E6 w GEHEIM</style>",
    "head": "<html><head><title>E6 w GEHEIM</title></head><body></body></html>",
    "input": "<textarea>E6 w GEHEIM</textarea><select><option>E6 w GEHEIM</select>",
    "struck out": "<div><s>E6 w GEHEIM</s></div><div><del>E6 w GEHEIM</del></div>",
    "strike style": "<span style='text-decoration:line-through'>E6 w GEHEIM</span>",
    "in a quote": f"<blockquote><div>{SECRET}</div></blockquote>",
}


@pytest.mark.parametrize("name", QUOTES)
def test_quotes_are_cut(name: str) -> None:
    assert texts(f"<html><body><div>{NEW}</div><br>{QUOTES[name]}</body></html>") == [NEW]


@pytest.mark.parametrize("name", HIDDEN)
def test_what_is_not_seen_does_not_count(name: str) -> None:
    assert texts(f"<div>{NEW}</div>{HIDDEN[name]}") == [NEW]


@pytest.mark.parametrize("name", [name for name in HIDDEN if "unclosed" not in name])
def test_what_is_seen_after_hidden_text_counts(name: str) -> None:
    assert texts(f"{HIDDEN[name]}<div>{NEW}</div>") == [NEW]


@pytest.mark.parametrize("style", ["font-size:0.9em", "opacity:0.5", "max-height:0.5em", "line-height:0", "color:#000"])
def test_small_is_not_hidden(style: str) -> None:
    assert texts(f"<p style='{style}'>{NEW}</p>") == [NEW]


def test_lines() -> None:
    html = """<p>Hallo&nbsp;Moderator,<br>mein   Zug:</p><ul><li>E5 w <b>HÄ</b>USER</li>
    <li>C3 s MOND &amp; mehr</li></ul>
    <table><tr><td>H3 w</td><td>TOR</td></tr><tr><td>passe</td></tr></table>
    <pre>a  b\nc</pre><div>Gr&uuml;&szlig;e</div>"""
    expected = [
        "Hallo Moderator,",
        "mein Zug:",
        "E5 w HÄUSER",
        "C3 s MOND & mehr",
        "H3 w TOR",
        "passe",
        "a  b",
        "c",
        "Grüße",
    ]
    assert texts(html) == expected


def test_answers_between_quotes_stay() -> None:
    html = "<blockquote>Dein Zug?</blockquote><p>E5 w HAUS</p><blockquote>E6 w GEHEIM</blockquote><p>H3 w TOR</p>"
    assert texts(html) == ["E5 w HAUS", "H3 w TOR"]


def test_invisible_characters_within_a_word() -> None:
    assert texts("<p>E5 w H&shy;A&#8203;U&zwnj;S</p>") == ["E5 w HAUS"]


TAGS = [
    "<div>",
    "</div>",
    "<blockquote>",
    "</blockquote>",
    "<b>",
    "</b>",
    "<p",
    ">",
    "<!--",
    "-->",
    "<![CDATA[",
    "&#x",
    "'",
]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(TAGS), st.text(max_size=8)), max_size=40).map("".join))
def test_any_html_gives_lines(html: str) -> None:
    for text, kind in html_lines(html):
        assert "\n" not in text
        assert kind in ("", "quote", "signature")


@pytest.mark.slow
def test_tags_beyond_the_limit_are_left_out() -> None:
    """What stands before them is read."""
    assert [text for text, _ in html_lines("<p>E5 w HAUS</p>" + "<p>x</p>" * 40_000) if text][:2] == ["E5 w HAUS", "x"]
    assert len([text for text, _ in html_lines("<p>x</p>" * 40_000) if text]) == 25_000
