"""Whole mails: encodings, parts, headers."""

from __future__ import annotations

import base64
import email
import quopri
import time
import unicodedata
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.errors import OperatorError
from moderator.mail.clean import addresses, decode_words
from moderator.mail.compose import again, compose
from moderator.mail.html_text import html_lines
from moderator.mail.inbound import read_mail
from moderator.mail.model import File, Rendered
from moderator.mail.parts import unflow
from moderator.mail.reply import without
from moderator.people.vcards import Person, decoded, read_csv, read_vcards
from tests.beside import CORPORA, needs_corpora
from tests.mail.new_text import new_text
from tests.policies import READ

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


pytestmark = needs_corpora


def test_german_replies_are_exact() -> None:
    def check(path: Path) -> None:
        lines, _ = new_text(path.with_name(path.name.replace(".expected", "")).read_bytes().decode())
        assert "\n".join(line.text for line in lines) == path.read_text(encoding="utf-8").strip("\n")

    expected = sorted(CORPORA.glob("own-german/*.expected.txt"))
    assert len(expected) >= 20
    for case in expected:
        check(case)


def test_every_mail_is_read_quickly() -> None:
    paths = sorted(CORPORA.glob("*/*.eml"))
    assert len(paths) > 100
    for path in paths:
        data = path.read_bytes()
        start = time.process_time()
        got = read_mail(data)
        assert time.process_time() - start < 2.0, path.name
        assert got.machine or not got.bounce, path.name


def test_every_body_is_cut() -> None:
    for path in sorted(CORPORA.glob("*/*.txt")):
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        lines, ignored = new_text(text)
        assert len(lines) + sum(ignored.values()) <= len(text.splitlines()), path.name
        assert not any(line.text.lstrip().startswith(">") for line in lines), path.name


def test_every_html_body_is_read() -> None:
    for path in sorted(CORPORA.glob("*/*.html")):
        assert html_lines(path.read_bytes().decode("utf-8", "replace")), path.name


def test_most_delivery_reports_are_recognised() -> None:
    """117 reports that other programs learned from; what is left are answering machines and lists."""
    mails = [read_mail(path.read_bytes()) for path in sorted(CORPORA.glob("flufl-bounce/*.eml"))]
    assert sum(bool(got.machine) for got in mails) >= 0.9 * len(mails)
    assert sum(bool(got.bounce and got.bounce.addresses) for got in mails) >= 0.6 * len(mails)


def card(*lines: str) -> str:
    return "\r\n".join(["BEGIN:VCARD", *lines, "END:VCARD", ""])


@pytest.mark.parametrize(
    ("text", "name", "address"),
    [
        (card("VERSION:3.0", "FN:Anna Berg", "EMAIL:anna@home.example"), "Anna Berg", "anna@home.example"),
        (card("VERSION:2.1", "N:Berg;Anna;;;", "EMAIL;INTERNET:a@home.example"), "Anna Berg", "a@home.example"),
        (card("FN:A", "EMAIL;TYPE=work:w@x.example", "EMAIL;TYPE=home,PREF:h@x.example"), "A", "h@x.example"),
        (card("FN:A", "EMAIL;PREF=1:one@x.example", "EMAIL:two@x.example"), "A", "one@x.example"),
        (card("FN:A", "EMAIL;HOME:one@x.example", "EMAIL;INTERNET;PREF:two@x.example"), "A", "two@x.example"),
        (
            card("FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=A4=", "ger", "EMAIL:j@x.example"),
            "Jäger",
            "j@x.example",
        ),
        (
            card("FN:Anna Be", " rg", "item1.EMAIL;type=INTERNET:anna@", " home.example"),
            "Anna Berg",
            "anna@home.example",
        ),
        (card("FN:Berg\\, Anna", "EMAIL:a@x.example", "PHOTO;ENCODING=b;TYPE=JPEG:/9j/"), "Berg, Anna", "a@x.example"),
        (card("FN:A", 'EMAIL;X-LABEL="a:b;c":a@x.example'), "A", "a@x.example"),
    ],
)
def test_a_card_is_a_name_and_an_address(text: str, name: str, address: str) -> None:
    assert [(one.name, one.address) for one in read_vcards(text, "cards.vcf")] == [(name, address)]


def test_cards_know_their_lines_and_a_file_without_any_is_refused() -> None:
    both = card("FN:A", "EMAIL:a@x.example") + card("FN:B")
    assert read_vcards(both, "x") == [Person("A", "a@x.example", line=1), Person("B", "", line=5)]
    with pytest.raises(OperatorError, match=r"book\.vcf:1: no vCard"):
        read_vcards("name,address\n", "book.vcf")


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_list_has_a_head_and_any_of_three_marks(mark: str) -> None:
    text = "\n".join(
        mark.join(row) for row in [["Name", "E-Mail", "Sprache", "Tel"], ["Anna", "a@x.example", "en", "1"]]
    )
    assert read_csv(f"{text}\n\n", "x") == [Person("Anna", "a@x.example", "en", line=2)]


def test_old_programs_write_other_letters() -> None:
    assert decoded("Jäger".encode("cp1252"), "x") == "Jäger"
    assert decoded("\ufeffJäger".encode(), "x") == "Jäger"
    with pytest.raises(OperatorError, match="no text"):
        decoded("Jäger".encode("utf-16"), "x")


NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LATER = datetime(2026, 11, 21, 8, 30, tzinfo=UTC)
ICS = File("zat.ics", "text/calendar; charset=utf-8; method=PUBLISH", "BEGIN:VCALENDAR\r\nSUMMARY:Ä\r\n".encode())
PLAIN_PART = Rendered("Betreff", "Text\n", "<p>Text</p>", {})
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
    assert kinds(read(made(PLAIN_PART))) == ["multipart/alternative", "text/plain", "text/html"]


@pytest.mark.parametrize("name", ['a".ics', "a b.ics", "ä.ics", "a\r\nB: c.ics", ""])
def test_a_file_name_is_plain(name: str) -> None:
    with pytest.raises(OperatorError):
        made(Rendered("", "", "", {}, (File(name, "text/plain", b""),)))


def once_more(raw: bytes, **more: str) -> bytes:
    values = {"recipient": "anna@new.example", "recipient_name": "Änna", "message_id": "<two@club.example>"}
    return again(raw, date=LATER, **{"in_reply_to": "<asked@home.example>", **values, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize("rendered", [PLAIN_PART, PICTURE])
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
    new = read(once_more(made(PLAIN_PART), in_reply_to="no id\r\nBcc: x@y.example"))
    assert new["In-Reply-To"] is None
    assert new["Bcc"] is None
    assert new["Auto-Submitted"] == "auto-replied"


def test_once_more_to_nobody_is_refused() -> None:
    with pytest.raises(OperatorError):
        once_more(made(PLAIN_PART), recipient="a b@home.example")
