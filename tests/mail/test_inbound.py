"""Whole mails: encodings, parts, headers."""

from __future__ import annotations

import base64
import quopri
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.mail.clean import addresses, decode_words
from moderator.mail.inbound import read_mail
from moderator.mail.parts import unflow
from moderator.mail.reply import without

HEAD = (
    "From: Jörg Test <joerg@example.org>\nTo: gm+g7.tok@example.net\nSubject: Re: [G7] Runde 3\n"
    "Message-ID: <m1@example.org>\n"
)
TEXT = "E5 w HÄUSER\nsonst C3 s MÜLL\n"
MOVES = ["E5 w HÄUSER", "sonst C3 s MÜLL"]


def mail(*fields: str, body: bytes | str = "") -> bytes:
    head = HEAD + "".join(f"{field}\n" for field in fields) + "\n"
    return head.encode() + (body if isinstance(body, bytes) else body.encode())


def texts(data: bytes) -> list[str]:
    return [line.text for line in read_mail(data).lines]


def test_a_plain_mail() -> None:
    got = read_mail(mail("In-Reply-To: <a@x>", "References: <b@x> <a@x>", body=TEXT + "\n> E6 w GEHEIM\n"))
    assert got.message_id == "<m1@example.org>"
    assert (got.sender, got.sender_name) == ("joerg@example.org", "Jörg Test")
    assert got.recipients == ("gm+g7.tok@example.net",)
    assert got.subject == "Re: [G7] Runde 3"
    assert got.in_reply_to == ("<a@x>", "<b@x>")
    assert (got.machine, got.bounce, got.damaged) == ("", None, "")
    assert [(line.number, line.text) for line in got.lines] == [(1, MOVES[0]), (2, MOVES[1])]
    assert got.ignored == {"quote": 1}


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "windows-1252", "iso-8859-15", "cp850", "utf-16", "utf-7"])
@pytest.mark.parametrize("encoding", ["base64", "quoted-printable"])
def test_encodings(charset: str, encoding: str) -> None:
    data = TEXT.encode(charset)
    body = base64.encodebytes(data) if encoding == "base64" else quopri.encodestring(data)
    fields = (f"Content-Type: text/plain; charset={charset}", f"Content-Transfer-Encoding: {encoding}")
    assert texts(mail(*fields, body=body)) == MOVES


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1"])
@pytest.mark.parametrize(
    "label", ["", "; charset=utf-8", "; charset=klingon", "; charset*=x", '; charset=""', "; charset"]
)
def test_eight_bit_with_wrong_labels(charset: str, label: str) -> None:
    assert texts(mail(f"Content-Type: text/plain{label}", body=TEXT.encode(charset))) == MOVES


def test_decomposed_umlauts_are_composed() -> None:
    assert texts(mail(body=unicodedata.normalize("NFD", TEXT))) == MOVES


def test_crlf_and_byte_order_mark() -> None:
    assert texts(mail(body="\ufeff" + TEXT).replace(b"\n", b"\r\n")) == MOVES


@pytest.mark.parametrize("damage", ["=", "!!", "A"])
def test_damaged_base64(damage: str) -> None:
    body = base64.b64encode(b"E5 w HAUS\nC3 s MOND\n").decode().rstrip("=") + damage
    assert texts(mail("Content-Transfer-Encoding: base64", body=body))[0] == "E5 w HAUS"


FLOWED = (
    "E5 w HAUS (AH) 12; \nsonst C3 s MOND\n> hier das \n> Zitat\n> E6 w GEHEIM \nneu\n>> tief \n> flach\n"
    "  Einzug\n-- \nAnna\n"
)


def test_flowed() -> None:
    got = read_mail(mail("Content-Type: text/plain; charset=utf-8; format=flowed", body=FLOWED))
    assert [line.text for line in got.lines] == ["E5 w HAUS (AH) 12; sonst C3 s MOND", "neu", " Einzug"]
    assert got.ignored == {"quote": 4, "signature": 2}


def test_flowed_delsp() -> None:
    fields = 'Content-Type: text/plain; format="flowed"; delsp=Yes'
    assert texts(mail(fields, body="E5 w HAUS; so \nnst C3 s MOND\n")) == ["E5 w HAUS; sonst C3 s MOND"]
    assert texts(mail("Content-Type: text/plain", body="E5 w HAUS \nC3 s MOND\n")) == ["E5 w HAUS", "C3 s MOND"]


@given(st.text(alphabet="> a-\n\r", max_size=60), st.booleans())
def test_unflow_never_frees_a_quote(text: str, delsp: bool) -> None:
    new = [line for line in text.split("\n") if not line.startswith(">")]
    assert len([line for line in unflow(text, delsp).split("\n") if not line.startswith(">")]) <= len(new)


def multipart(kind: str, *parts: tuple[str, str]) -> bytes:
    body = "".join(f"--b\n{fields}\n\n{text}\n" for fields, text in parts) + "--b--\n"
    return mail(f'Content-Type: multipart/{kind}; boundary="b"', body=body)


PLAIN, HTML = "Content-Type: text/plain; charset=utf-8", "Content-Type: text/html; charset=utf-8"


def test_text_goes_before_html() -> None:
    assert texts(multipart("alternative", (PLAIN, TEXT), (HTML, "<p>E6 w GEHEIM</p>"))) == MOVES
    assert texts(multipart("alternative", (HTML, "<p>E6 w GEHEIM</p>"), (PLAIN, TEXT))) == MOVES
    assert texts(multipart("alternative", (PLAIN, " \n\u00a0\n"), (HTML, "<p>E5 w HAUS</p>"))) == ["E5 w HAUS"]
    assert texts(mail(HTML, body="<div>E5 w H&Auml;USER<br>sonst C3 s MÜLL</div>")) == MOVES


def test_text_parts_are_read_in_order() -> None:
    assert (
        texts(multipart("mixed", (PLAIN, "E5 w HÄUSER"), ("Content-Type: image/png", "x"), (PLAIN, "sonst C3 s MÜLL")))
        == MOVES
    )


@pytest.mark.parametrize(
    "fields",
    [
        f"{PLAIN}\nContent-Disposition: attachment",
        f'{PLAIN}\nContent-Disposition: attachment; filename="zug.txt"',
        f"{PLAIN}\nContent-Disposition: inline; filename=zug.txt",
        "Content-Type: message/rfc822\n\nFrom: x@example.org",
        "Content-Type: text/calendar",
        "Content-Type: application/pdf",
    ],
)
def test_attachments_do_not_count(fields: str) -> None:
    assert texts(multipart("mixed", (PLAIN, TEXT), (fields, "E6 w GEHEIM"))) == MOVES
    assert texts(multipart("mixed", (fields, "E6 w GEHEIM"))) == []


def test_multipart_without_boundary_is_told() -> None:
    got = read_mail(mail("Content-Type: multipart/mixed", body="--b\n\nE5 w HAUS\n--b--\n"))
    assert (got.lines, got.damaged) == ((), "broken-parts")


def test_folded_boundary() -> None:
    data = mail('Content-Type: multipart/mixed; boundary="a\r\n b"', body="--a b\r\n\r\nE5 w HAUS\r\n--a b--\r\n")
    assert texts(data) == ["E5 w HAUS"]


def test_head_only() -> None:
    got = read_mail(mail(body=TEXT), full=False)
    assert (got.lines, got.damaged, got.ignored) == ((), "truncated", {"truncated": 1})
    assert got.sender == "joerg@example.org"


def test_our_lines() -> None:
    kept, own = without(read_mail(mail(body=TEXT)).lines, ["sonst  C3 s Müll"])
    assert [line.text for line in kept] == MOVES[:1]
    assert own == 1


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("=?utf-8?q?Gr=C3=BC=C3=9Fe_aus?= =?UTF-8?B?IEvDtmxu?=", "Grüße aus Köln"),
        ("=?iso-8859-1?Q?M=FCll?= danach", "Müll danach"),
        ("=?utf-8?B?w?= =?utf-8?B?7w?=", ""),
        ("=?utf-8?q?=C3?=\n =?utf-8?q?=BC?=", "ü"),
        ("=?klingon?q?a?=", "a"),
        ("=?utf-8?b?###?=", None),
        ("kein =?Wort?=", "kein =?Wort?="),
        ("vor=?utf-8?q?_mitten?=drin", "vor mittendrin"),
    ],
)
def test_encoded_words(raw: str, text: str | None) -> None:
    got = decode_words(raw)
    if text:
        assert got == text


def test_subject_is_one_line() -> None:
    data = (
        b"From: a@example.org\nSubject: =?utf-8?q?Zug=0D=0ABcc:_x=00?=\n =?utf-8?q?=E2=80=AE?="
        + b" lang" * 500
        + b"\n\n"
    )
    subject = read_mail(data).subject
    assert subject.startswith("Zug Bcc: x lang lang")
    assert len(subject) == 500
    assert "Grüße" in read_mail("Subject: Grüße\n\n".encode()).subject
    assert "Grüße" in read_mail("Subject: Grüße\n\n".encode("latin-1")).subject


@pytest.mark.parametrize(
    ("raw", "sender"),
    [
        ("Anna@Example.ORG", "anna@example.org"),
        ("Anna <anna@example.org>", "anna@example.org"),
        ('"Lee, Anna (x) <y@z.example>" <anna@example.org>', "anna@example.org"),
        ("Lee, Anna <anna@example.org>", "anna@example.org"),
        ("anna@example.org (Anna (die) Lee)", "anna@example.org"),
        ("=?utf-8?q?J=C3=B6rg=2C?= Lee <j@example.org>", "j@example.org"),
        ("<anna@example.org>", "anna@example.org"),
        ("alice@example.org)bob@evil.example", ""),
        ("alice@example.org(<bob@evil.example", ""),
        ("alice@example.org <bob@evil.example> x@y.example", ""),
        ("a@example.org, b@example.org", ""),
        ("Anna <a@example.org> <b@example.org>", ""),
        ('"Anna <a@example.org>', ""),
        ("<a@example.org", ""),
        ("a@b@example.org", ""),
        ("<>", ""),
        ("", ""),
        ("undisclosed-recipients:;", ""),
        ("a b@example.org", ""),
        ("(" * 500 + "a@example.org", ""),
        ("a@" + "a" * 5000, ""),
        ("a@example.org\n b@example.org", ""),
    ],
)
def test_sender(raw: str, sender: str) -> None:
    assert read_mail(f"From: {raw}\nSubject: x\n\n".encode()).sender == sender


def test_two_from_fields_are_nobody() -> None:
    assert read_mail(b"From: a@example.org\nFrom: a@example.org\n\n").sender == ""
    assert read_mail(b"Subject: x\n\n").sender == ""


def test_groups_and_names() -> None:
    assert addresses("Runde: Anna <a@example.org>, b@example.org; c@example.org") == [
        ("Anna", "a@example.org"),
        ("", "b@example.org"),
        ("", "c@example.org"),
    ]


def test_recipients_from_every_field() -> None:
    data = (
        b"To: Spiel <GM+g7.Tok@example.net>, b@example.org\nCc: c@example.org\nDelivered-To: gm@example.net\n"
        b"Delivered-To: gm+g7.tok@example.net\nX-Original-To: d@example.net\nEnvelope-To: e@example.net\n"
        b"X-Forwarded-To: f@example.net g@example.net\n\n"
    )
    expected = (
        "GM+g7.Tok@example.net",
        "b@example.org",
        "c@example.org",
        "gm@example.net",
        "d@example.net",
        "e@example.net",
    )
    assert read_mail(data).recipients == expected


@pytest.mark.parametrize(
    ("raw", "message_id"),
    [("<a@b>", "<a@b>"), ("a@b", "<a@b>"), ("  <a@b> x", "<a@b>"), ("<[abc]@x>", "<[abc]@x>"), ("", ""), ("a b", "")],
)
def test_message_id(raw: str, message_id: str) -> None:
    assert read_mail(f"Message-ID: {raw}\n\n".encode()).message_id == message_id


def test_authentication_is_raw_and_in_order() -> None:
    data = b"Authentication-Results: mx; dmarc=pass\nAuthentication-Results: y;\n dkim=fail\n\n"
    assert read_mail(data).authentication == ("mx; dmarc=pass", "y; dkim=fail")


PIECES = [
    b"From: a@example.org\n", b"Content-Type: multipart/mixed; boundary=b\n", b"\n", b"--b\n", b"--b--\n",
    b"\r", b"\x00", b"\xff\xfe", b"> E5 w GEHEIM\n", b"Subject: =?utf-8?b?", b"Status: 5.1.1\n",
    b"Content-Type: text/html\n", b"Content-Type: text/plain; charset*0*=utf-8''x; format=flowed\n",
    b"Content-Transfer-Encoding: base64\n", b"Content-Transfer-Encoding: quoted-printable\n",
    b"Content-Type: message/delivery-status\n", b"Content-Type: message/rfc822\n",
    b"Content-Type: multipart/report\n",
]  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=30)), max_size=25).map(b"".join))
def test_any_bytes_give_a_mail(data: bytes) -> None:
    got = read_mail(data)
    assert all(line.text.strip() for line in got.lines)
    assert got.sender == got.sender.lower()
    assert "\n" not in got.subject
    assert all("@" in address for address in got.recipients)
    assert read_mail(data, full=False).lines == ()


def test_a_text_with_a_file_name_counts_only_if_it_is_the_first() -> None:
    """Old mail programs attach text files without saying that they are attached."""
    head = b"From: anna@home.example\nContent-Type: multipart/mixed; boundary=b\n\n"
    plain, named = b"--b\n\nE5 w HAUS\n", b"--b\nContent-Type: text/plain; name=Makefile\n\nhelp:\n"
    assert [line.text for line in read_mail(head + plain + named + b"--b--\n").lines] == ["E5 w HAUS"]
    assert [line.text for line in read_mail(head + named + plain + b"--b--\n").lines] == ["help:", "E5 w HAUS"]
