"""Whole mails: encodings, parts, headers."""

import base64
import quopri
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.common.errors import OperatorError
from moderator.importers.files import AddressBookEntry, decode_address_book, parse_people_csv, parse_vcards
from moderator.mail.clean import decode_header_words, parse_addresses
from moderator.mail.html_text import parse_html_lines
from moderator.mail.mime import join_flowed_lines
from moderator.mail.parse import parse_mail_bytes
from moderator.mail.reply import cut_quotes
from tests.helpers import CORPORA, list_lines, needs_corpora
from tests.mail.new_text import new_text

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
    return [line.text for line in parse_mail_bytes(data).lines]


def test_a_plain_mail_is_read_with_all_its_fields() -> None:
    got = parse_mail_bytes(mail("In-Reply-To: <a@x>", "References: <b@x> <a@x>", body=TEXT + "\n> E6 w GEHEIM\n"))
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
def test_each_charset_and_encoding_is_decoded(charset: str, encoding: str) -> None:
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


def test_decomposed_umlauts_crlf_a_byte_order_mark_and_damaged_base64_are_read() -> None:
    assert texts(mail(body=unicodedata.normalize("NFD", TEXT))) == MOVES
    assert texts(mail(body="\ufeff" + TEXT).replace(b"\n", b"\r\n")) == MOVES
    for damage in ("=", "!!", "A"):
        body = base64.b64encode(b"E5 w HAUS\nC3 s MOND\n").decode().rstrip("=") + damage
        assert texts(mail("Content-Transfer-Encoding: base64", body=body))[0] == "E5 w HAUS"


FLOWED = (
    "E5 w HAUS (AH) 12; \nsonst C3 s MOND\n> hier das \n> Zitat\n> E6 w GEHEIM \nneu\n>> tief \n> flach\n"
    "  Einzug\n-- \nAnna\n"
)


def test_flowed_lines_are_joined() -> None:
    got = parse_mail_bytes(mail("Content-Type: text/plain; charset=utf-8; format=flowed", body=FLOWED))
    assert [line.text for line in got.lines] == ["E5 w HAUS (AH) 12; sonst C3 s MOND", "neu", " Einzug"]
    assert got.ignored == {"quote": 4, "signature": 2}
    fields = 'Content-Type: text/plain; format="flowed"; delsp=Yes'
    assert texts(mail(fields, body="E5 w HAUS; so \nnst C3 s MOND\n")) == ["E5 w HAUS; sonst C3 s MOND"]
    assert texts(mail("Content-Type: text/plain", body="E5 w HAUS \nC3 s MOND\n")) == ["E5 w HAUS", "C3 s MOND"]


@given(st.text(alphabet="> a-\n\r", max_size=60), st.booleans())
def test_unflow_never_frees_a_quote(text: str, delsp: bool) -> None:
    new = [line for line in text.split("\n") if not line.startswith(">")]
    assert len([line for line in join_flowed_lines(text, delsp).split("\n") if not line.startswith(">")]) <= len(new)


def multipart(kind: str, *parts: tuple[str, str]) -> bytes:
    body = "".join(f"--b\n{fields}\n\n{text}\n" for fields, text in parts) + "--b--\n"
    return mail(f'Content-Type: multipart/{kind}; boundary="b"', body=body)


PLAIN, HTML = "Content-Type: text/plain; charset=utf-8", "Content-Type: text/html; charset=utf-8"


MOVE_HTML = HTML, "<p>Hallo,</p><div>E5 w H&Auml;USER<br>sonst C3 s MÜLL</div>"
STUBS = (
    "", " \n\u00a0\n", "Diese Nachricht ist im HTML-Format.", "This is a message in HTML.", "[cid:logo.png]", "Hallo,",
    "-- \nGeprüft von Avast", "____________\nRunde mailing list\nrunde@verein.example",
)  # fmt: skip


@pytest.mark.parametrize("stub", STUBS)
@pytest.mark.parametrize("kind", ["alternative", "mixed", "related"])
def test_a_stub_of_text_never_hides_the_html(kind: str, stub: str) -> None:
    for parts in ([(PLAIN, stub), MOVE_HTML], [MOVE_HTML, (PLAIN, stub)]):
        read = texts(multipart(kind, *parts))
        assert [line for line in read if line in MOVES] == MOVES


@pytest.mark.parametrize("kind", ["alternative", "mixed"])
def test_two_forms_of_one_text_are_read_once(kind: str) -> None:
    both = (PLAIN, TEXT), (HTML, "<p>E5 w <b>H&Auml;USER</b><br>sonst C3 s MÜLL</p>")
    assert texts(multipart(kind, *both)) == MOVES
    assert texts(multipart("alternative", *reversed(both))) == MOVES


def test_parts_are_read_in_order_their_boundary_may_be_folded_and_one_that_is_missing_is_told() -> None:
    assert texts(mail(HTML, body="<div>E5 w H&Auml;USER<br>sonst C3 s MÜLL</div>")) == MOVES
    picture = "Content-Type: image/png", "x"
    assert texts(multipart("mixed", (PLAIN, "E5 w HÄUSER"), picture, (PLAIN, "sonst C3 s MÜLL"))) == MOVES
    got = parse_mail_bytes(mail("Content-Type: multipart/mixed", body="--b\n\nE5 w HAUS\n--b--\n"))
    assert (got.lines, got.damaged) == ((), "broken-parts")
    data = mail('Content-Type: multipart/mixed; boundary="a\r\n b"', body="--a b\r\n\r\nE5 w HAUS\r\n--a b--\r\n")
    assert texts(data) == ["E5 w HAUS"]


def test_of_a_mail_that_was_cut_off_only_the_head_is_read() -> None:
    got = parse_mail_bytes(mail(body=TEXT), full=False)
    assert (got.lines, got.damaged, got.ignored) == ((), "truncated", {"truncated": 1})
    assert got.sender == "joerg@example.org"


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
def test_encoded_words_of_a_header_are_decoded(raw: str, text: str | None) -> None:
    got = decode_header_words(raw)
    if text:
        assert got == text


def test_a_message_id_is_in_angle_brackets_or_none_and_subject_is_one_line() -> None:
    words = b"=?utf-8?q?Zug=0D=0ABcc:_x=00?=\n =?utf-8?q?=E2=80=AE?=" + b" lang" * 500
    subject = parse_mail_bytes(b"From: a@example.org\nSubject: " + words + b"\n\n").subject
    assert subject.startswith("Zug Bcc: x lang lang")
    assert len(subject) == 500
    assert "Grüße" in parse_mail_bytes("Subject: Grüße\n\n".encode()).subject
    assert "Grüße" in parse_mail_bytes("Subject: Grüße\n\n".encode("latin-1")).subject
    ids = {"<a@b>": "<a@b>", "a@b": "<a@b>", "  <a@b> x": "<a@b>", "<[abc]@x>": "<[abc]@x>", "": "", "a b": ""}
    assert {raw: parse_mail_bytes(f"Message-ID: {raw}\n\n".encode()).message_id for raw in ids} == ids


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
        ('"Anna <a@example.org>', ""),
        ("<a@example.org", ""),
        ("a@b@example.org", ""),
        ("<>", ""),
        ("", ""),
        ("undisclosed-recipients:;", ""),
        ("(" * 500 + "a@example.org", ""),
        ("a@" + "a" * 5000, ""),
        ("a@example.org\n b@example.org", ""),
    ],
)
def test_the_sender_is_the_one_address_in_from(raw: str, sender: str) -> None:
    assert parse_mail_bytes(f"From: {raw}\nSubject: x\n\n".encode()).sender == sender


def test_two_from_fields_or_none_are_nobody_and_authentication_is_raw_and_in_order() -> None:
    data = b"Authentication-Results: mx; dmarc=pass\nAuthentication-Results: y;\n dkim=fail\n\n"
    assert parse_mail_bytes(data).authentication == ("mx; dmarc=pass", "y; dkim=fail")
    assert parse_mail_bytes(b"From: a@example.org\nFrom: a@example.org\n\n").sender == ""
    assert parse_mail_bytes(b"Subject: x\n\n").sender == ""


def test_recipients_are_taken_from_every_field_and_from_groups() -> None:
    found = parse_addresses("Runde: Anna <a@example.org>, b@example.org; c@example.org")
    assert found == [("Anna", "a@example.org"), ("", "b@example.org"), ("", "c@example.org")]
    data = (
        b"To: Spiel <GM+g7.Tok@example.net>, b@example.org\nCc: c@example.org\nDelivered-To: gm@example.net\n"
        b"Delivered-To: gm+g7.tok@example.net\nX-Original-To: d@example.net\nEnvelope-To: e@example.net\n"
        b"X-Forwarded-To: f@example.net g@example.net\n\n"
    )
    others = ["b@example.org", "c@example.org", "gm@example.net", "d@example.net", "e@example.net"]
    assert parse_mail_bytes(data).recipients == ("GM+g7.Tok@example.net", *others)


def test_a_text_with_a_file_name_counts_only_if_it_is_the_first() -> None:
    """Old mail programs attach text files without saying that they are attached."""
    head = b"From: anna@home.example\nContent-Type: multipart/mixed; boundary=b\n\n"
    plain, named = b"--b\n\nE5 w HAUS\n", b"--b\nContent-Type: text/plain; name=Makefile\n\nhelp:\n"
    assert [line.text for line in parse_mail_bytes(head + plain + named + b"--b--\n").lines] == ["E5 w HAUS"]
    assert [line.text for line in parse_mail_bytes(head + named + plain + b"--b--\n").lines] == ["help:", "E5 w HAUS"]


# ---- HTML ----

NEW = "E5 w HAUS"


def texts_of(html: str) -> list[str]:
    return [line.text for line in cut_quotes(parse_html_lines(html))[0]]


SECRET = "<div>E6 w GEHEIM</div>"


@pytest.mark.parametrize("quote", list_lines(Path(__file__).parent / "quotes.txt", "html"))
def test_quotes_are_cut(quote: str) -> None:
    html = quote.partition(" | ")[2].replace("{}", SECRET)
    assert texts_of(f"<html><body><div>{NEW}</div><br>{html}</body></html>") == [NEW]


def test_blocks_of_html_are_lines_and_invisible_characters_within_a_word_go() -> None:
    html = """<p>Hallo&nbsp;Moderator,<br>mein   Zug:</p><ul><li>E5 w <b>HÄ</b>USER</li>
    <li>C3 s MOND &amp; mehr</li></ul>
    <table><tr><td>H3 w</td><td>TOR</td></tr><tr><td>passe</td></tr></table>
    <pre>a  b\nc</pre><div>Gr&uuml;&szlig;e</div>"""
    moves = ["E5 w HÄUSER", "C3 s MOND & mehr", "H3 w TOR", "passe"]
    assert texts_of(html) == ["Hallo Moderator,", "mein Zug:", *moves, "a  b", "c", "Grüße"]
    html = "<blockquote>Dein Zug?</blockquote><p>E5 w HAUS</p><blockquote>E6 w GEHEIM</blockquote><p>H3 w TOR</p>"
    assert texts_of(html) == ["E5 w HAUS", "H3 w TOR"]
    assert texts_of("<p>E5 w H&shy;A&#8203;U&zwnj;S</p>") == ["E5 w HAUS"]


@pytest.mark.slow
def test_tags_beyond_the_limit_are_left_out() -> None:
    assert [text for text, _ in parse_html_lines("<p>E5 w HAUS</p>" + "<p>x</p>" * 40_000) if text][:2] == [
        "E5 w HAUS",
        "x",
    ]
    assert len([text for text, _ in parse_html_lines("<p>x</p>" * 40_000) if text]) == 25_000


# ---- real mails ----


@needs_corpora
def test_german_replies_are_exact() -> None:
    expected = sorted(CORPORA.glob("own-german/*.expected.txt"))
    assert len(expected) >= 20
    for path in expected:
        lines, _ = new_text(path.with_name(path.name.replace(".expected", "")).read_bytes().decode())
        assert "\n".join(line.text for line in lines) == path.read_text(encoding="utf-8").strip("\n")


@needs_corpora
def test_most_delivery_reports_are_recognised() -> None:
    """117 reports that other programs learned from; what is left are answering machines and lists."""
    mails = [parse_mail_bytes(path.read_bytes()) for path in sorted(CORPORA.glob("flufl-bounce/*.eml"))]
    assert sum(bool(got.machine) for got in mails) >= 0.9 * len(mails)
    assert sum(bool(got.bounce and got.bounce.addresses) for got in mails) >= 0.6 * len(mails)


# ---- address books ----


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
    assert [(one.name, one.address) for one in parse_vcards(text, "cards.vcf")] == [(name, address)]


def test_cards_know_their_lines_and_a_list_has_a_head_and_any_of_three_marks() -> None:
    both = card("FN:A", "EMAIL:a@x.example") + card("FN:B")
    assert parse_vcards(both, "x") == [AddressBookEntry("A", "a@x.example", line=1), AddressBookEntry("B", "", line=5)]
    with pytest.raises(OperatorError, match=r"book\.vcf:1: no vCard"):
        parse_vcards("name,address\n", "book.vcf")
    for mark in (",", ";", "\t"):
        text = "Name,E-Mail,Sprache,Tel\nAnna,a@x.example,en,1\n\n".replace(",", mark)
        assert parse_people_csv(text, "x") == [AddressBookEntry("Anna", "a@x.example", "en", line=2)]
    assert decode_address_book("Jäger".encode("cp1252"), "x") == "Jäger"
    assert decode_address_book("\ufeffJäger".encode(), "x") == "Jäger"
    with pytest.raises(OperatorError, match="no text"):
        decode_address_book("Jäger".encode("utf-16"), "x")
