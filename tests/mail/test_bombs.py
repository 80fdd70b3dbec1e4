"""Mails made to hurt: an answer comes, and it comes soon. The guard is generous; each takes well under two seconds."""

from __future__ import annotations

import base64
import time

import pytest

from moderator.mail.html_text import html_lines
from moderator.mail.inbound import read_mail
from moderator.mail.model import Incoming
from moderator.mail.reply import new_text

GUARD = 10.0
"""Seconds."""
HEAD = b"From: anna@example.org\nTo: gm@example.net\nSubject: Zug\n"


def quick(data: bytes) -> Incoming:
    start = time.perf_counter()
    got = read_mail(data)
    assert time.perf_counter() - start < GUARD
    return got


def nested(depth: int, body: bytes) -> bytes:
    opened = (b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(depth))
    return HEAD + b"".join(opened) + body


@pytest.mark.parametrize(
    "data",
    [
        nested(1000, b"\nE5 w HAUS\n"),
        HEAD + b"Content-Type: message/rfc822\n\n" * 1000 + b"E5 w HAUS\n",
        nested(99, b"\n" * 300_000),
    ],
    ids=["multiparts", "rfc822", "lines in multiparts"],
)
def test_nested(data: bytes) -> None:
    got = quick(data)
    assert (got.lines, got.damaged, got.ignored) == ((), "nested", {"unparsable": 1})
    assert got.sender == "anna@example.org"


def test_brackets_in_from() -> None:
    assert quick(b"From: " + b"(" * 500 + b"a@example.org\n\nE5 w HAUS\n").sender == ""
    assert quick(b"From: " + b"<" * 500_000 + b"\nTo: " + b'"' * 500_000 + b"\n\nE5 w HAUS\n").sender == ""


def test_many_parts() -> None:
    data = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n\n" * 50_000 + b"--b--\n"
    assert len(quick(data).lines) == 50_000


@pytest.mark.parametrize(
    "parameters",
    [b"".join(b";\n x*%d*=a" % n for n in range(5000)), b";" * 1_000_000, b'; x="' + b"\\" * 1_000_000],
    ids=["rfc2231", "semicolons", "backslashes"],
)
def test_parameters(parameters: bytes) -> None:
    data = HEAD + b"Content-Type: text/plain" + parameters + b"\n\nE5 w HAUS\n"
    assert [line.text for line in quick(data).lines] == ["E5 w HAUS"]


@pytest.mark.parametrize("piece", [b"=?utf-8?q?a", b"x", b"=?utf-8?q?=C3?= ", b"\xc3"])
def test_long_subject(piece: bytes) -> None:
    got = quick(b"From: anna@example.org\nSubject: " + piece * (1_000_000 // len(piece)) + b"\n\nE5 w HAUS\n")
    assert len(got.subject) <= 500
    assert len(got.lines) == 1


def test_large_base64() -> None:
    body = base64.encodebytes(b"E5 w HAUS und ein langer Satz dazu, der nichts bedeutet\n" * 270_000)
    assert len(body) > 20_000_000
    got = quick(HEAD + b"Content-Transfer-Encoding: base64\n\n" + body)
    assert len(got.lines) == 200_000
    assert got.ignored == {"too-long": 70_001}


def test_many_order_lines() -> None:
    got = quick(HEAD + b"\n" + b"E5 w HAUS; sonst C3 s MOND\n" * 10_000)
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


@pytest.mark.parametrize("name", SLOW_TEXTS)
def test_text(name: str) -> None:
    start = time.perf_counter()
    lines, _ = new_text(SLOW_TEXTS[name])
    assert time.perf_counter() - start < GUARD
    assert len(lines) <= 200_000


SLOW_HTML = {
    "comments": "<!-- " * 200_000,
    "open tags": "<a " * 300_000,
    "quotes": "<a x='>" * 150_000,
    "attributes": "<a" + " x=y" * 250_000 + ">",
    "end tags": "</a " * 200_000 + ">",
    "deep": "<div>" * 100_000 + "x" + "</div>" * 100_000,
    "misnested": "<b><div>" + "<i>" * 100_000 + "</b>" * 100_000,
    "references": "&#99999999999;" * 70_000,
    "styles": "<style>" * 50_000,
    "style rules": "<style>" + "a{" * 300_000,
    "style attribute": '<p style="' + "a:b;" * 200_000 + '">x</p>',
    "declarations": "<![CDATA[" * 100_000,
    "brackets": "< " * 300_000,
}


@pytest.mark.parametrize("name", SLOW_HTML)
def test_html(name: str) -> None:
    start = time.perf_counter()
    assert isinstance(html_lines(SLOW_HTML[name]), list)
    assert time.perf_counter() - start < GUARD


def test_odd_characters() -> None:
    assert [line.text for line in quick(HEAD + b"\nE5 w H\x00AUS\n\x00\n").lines] == ["E5 w HAUS"]
    body = "E5 w \u202eH\u200bAU\u0308S\u2069\n".encode()
    assert [line.text for line in quick(HEAD + b"\n" + body).lines] == ["E5 w HAÜS"]
    surrogates = HEAD + b"Content-Type: text/plain; charset=utf-16-le\n\nx\xd8\x00\xd8E\x005\x00\n"
    assert all(c < "\ud800" or c > "\udfff" for line in quick(surrogates).lines for c in line.text)


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\x00", b":", b"From", b" x\n", b"\xff" * 100, b"From \n\n\n", b"\r\r\r"]
)
def test_scraps(data: bytes) -> None:
    assert quick(data).sender == ""
