"""Mails made to hurt (see bombs.py): an answer comes, and it comes soon. The guard is generous; each takes well under
two seconds."""

from __future__ import annotations

import time
import unicodedata

import pytest

from moderator.mail.html_text import html_lines
from moderator.mail.inbound import read_mail
from moderator.mail.model import Incoming
from tests.mail.bombs import BOMBS, HEAD, build
from tests.mail.new_text import new_text

GUARD = 4.0
"""Seconds of processor time; on a machine with nothing else to do the slowest takes one."""


def quick(data: bytes) -> Incoming:
    start = time.process_time()
    got = read_mail(data)
    assert time.process_time() - start < GUARD
    return got


def texts(got: Incoming) -> list[str]:
    """Everything in it that may reach the database or a mail."""
    bounce = (got.bounce.status, *got.bounce.addresses, *got.bounce.original_ids) if got.bounce else ()
    found = [got.message_id, got.sender, got.sender_name, got.subject, *got.recipients, *got.in_reply_to, *bounce]
    return [*found, *got.authentication, *(line.text for line in got.lines)]


@pytest.mark.matrix("mail")
@pytest.mark.parametrize("name", BOMBS)
def test_every_bomb_is_read_soon_and_gives_clean_text(name: str) -> None:
    found = texts(quick(build(name)))
    assert not [text[:80] for text in found if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text)]


@pytest.mark.parametrize(
    "name",
    [
        "1,000 multiparts", "1,000 multiparts, closed", "1,000 mails", "lines in multiparts", "lines in 20 multiparts",
        "50,000 parts", "parts without a head", "status in a mail",
    ],
)  # fmt: skip
def test_a_mail_of_parts_without_end_is_read_by_its_head(name: str) -> None:
    got = quick(build(name))
    assert (got.lines, got.damaged, got.ignored) == ((), "nested", {"unparsable": 1})
    assert got.sender == "anna@home.example"


@pytest.mark.parametrize(
    "name", [name for name in BOMBS if "From" in name and name not in ("umlauts in From", "nul in a name")]
)
def test_a_strange_sender_is_none(name: str) -> None:
    assert quick(build(name)).sender == ""


def test_an_address_may_have_umlauts() -> None:
    assert quick(build("umlauts in From")).sender == "änna@hömé.example"


def test_a_name_loses_what_is_not_seen() -> None:
    got = quick(build("nul in a name"))
    assert (got.sender, got.sender_name[:4]) == ("anna@home.example", "Anna")


@pytest.mark.parametrize(
    "name",
    ["5,000 parameters", "5,000 split parameters", "semicolons in a type", "backslashes in a type", "header of 10 MB"],
)
def test_the_text_below_a_long_header(name: str) -> None:
    assert [line.text for line in quick(build(name)).lines] == ["E5 w HAUS"]


def test_many_parts_below_the_limit() -> None:
    data = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 9000 + b"--b--\n"
    assert len(quick(data).lines) == 9000


@pytest.mark.slow
def test_what_is_beyond_the_limits_is_counted() -> None:
    """A million characters of text, then twenty thousand lines of it."""
    got = quick(build("large base64"))
    assert len(got.lines) == 1_000_000 // 56
    assert got.ignored == {"too-long": 270_001 - len(got.lines)}
    got = quick(HEAD + b"\n" + b"x\n" * 30_000)
    assert (len(got.lines), got.ignored) == (20_000, {"too-long": 10_001})


def test_a_line_beyond_the_limit_is_not_cut_in_two() -> None:
    got = quick(HEAD + b"\nE5 w HAUS\n" + b"C3 s MOND " * 120_000 + b"\nA1 w EIS\n")
    assert [line.text for line in got.lines] == ["E5 w HAUS"]
    assert got.ignored == {"too-long": 3}


def test_many_order_lines() -> None:
    got = quick(build("10,000 order lines"))
    assert len(got.lines) == 10_000
    assert got.lines[-1].number == 10_000


SLOW_TEXTS = {
    "one long line": "ä" * 5_000_000,
    "combining marks": "a" + "\u0300\u0323" * 1_000_000,
    "openers": "Am 20.11.2026 um 10:15 hat die Anna von nebenan mir und allen anderen das,\n" * 20_000,
    "bare attributions": "Anna schrieb:\n\n\n\n\n\n" * 20_000,
    "headers": "Von: a\n\n" * 40_000,
    "rules": "_____________\n\n" * 40_000,
    "blank after a rule": "-----\n" + "\n" * 200_000,
    "addresses": "x@y\n" * 100_000,
    "stars": ("*" * 400 + "\n") * 5000,
    "phones": ("Gesendet von " + "x " * 200 + "\n") * 5000,
    "soft breaks": "a\u2028" * 500_000,
    "returns": "\r" * 2_000_000,
    "spaces": " " * 5_000_000 + "x",
    "quote marks": ">" * 5_000_000,
}


@pytest.mark.matrix("mail")
@pytest.mark.parametrize("name", SLOW_TEXTS)
def test_text(name: str) -> None:
    start = time.process_time()
    lines, _ = new_text(SLOW_TEXTS[name])
    assert time.process_time() - start < GUARD
    assert len(lines) <= 20_000


SLOW_HTML = {
    "end tags": "</a " * 200_000 + ">",
    "style attribute": '<p style="' + "a:b;" * 200_000 + '">x</p>',
    "declarations": "<![CDATA[" * 100_000,
    "brackets": "< " * 300_000,
}


@pytest.mark.parametrize("name", SLOW_HTML)
def test_html(name: str) -> None:
    start = time.process_time()
    assert isinstance(html_lines(SLOW_HTML[name]), list)
    assert time.process_time() - start < GUARD


def test_odd_characters() -> None:
    assert [line.text for line in quick(HEAD + b"\nE5 w H\x00AUS\n\x00\n").lines] == ["E5 w HAUS"]
    body = "E5 w \u202eH\u200bAU\u0308S\u2069\n".encode()
    assert [line.text for line in quick(HEAD + b"\n" + body).lines] == ["E5 w HAÜS"]
    surrogates = HEAD + b"Content-Type: text/plain; charset=utf-16-le\n\nx\xd8\x00\xd8E\x005\x00\n"
    assert all(c < "\ud800" or c > "\udfff" for line in quick(surrogates).lines for c in line.text)


@pytest.mark.matrix("mail")
@pytest.mark.parametrize("before", range(195, 205))
def test_a_decomposed_umlaut_stays_whole_wherever_it_stands(before: int) -> None:
    """Apple's mail programs send umlauts as two characters, and a paragraph as one line."""
    line = "x" * before + unicodedata.normalize("NFD", "Ä" * 300)
    got = quick(HEAD + b"Content-Type: text/plain; charset=utf-8\n\n" + line.encode() + b"\n")
    assert [line.text for line in got.lines] == ["x" * before + "Ä" * 300]


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\x00", b":", b"From", b" x\n", b"\xff" * 100, b"From \n\n\n", b"\r\r\r"]
)
def test_scraps(data: bytes) -> None:
    assert quick(data).sender == ""
