"""Mails made to hurt, by name: each a function of the header fields that say from whom and to whom it goes.

``build(name)`` gives the bytes. Sizes are those of an attack, not of an accident; together they are some 150 MB.
"""

from __future__ import annotations

import base64
import random
import unicodedata
from collections.abc import Callable, Iterator

HEAD = b"From: Anna <anna@home.example>\nTo: games@club.example\nMessage-ID: <bomb@home.example>\n"
ORDER = b"E5 w HAUS\n"
SHORT = b"Subject: Zug\n"
PLAIN = b"Subject: Zug\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
HTML = b"Subject: Zug\nContent-Type: text/html; charset=utf-8\n\n"
MIXED = b"Subject: Zug\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
REPORT = b"Subject: Undelivered\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
BASE64 = b"Content-Transfer-Encoding: base64\nSubject: Zug\n\n"
QUOTED = b"Content-Transfer-Encoding: quoted-printable\nSubject: Zug\n\n"
FLOWED = b"Content-Type: text/plain; format=flowed; delsp=yes\nSubject: Zug\n\n"
SENTENCE = b"E5 w HAUS und ein langer Satz dazu, der nichts bedeutet\n"
MARKS = "\u0300\u0323"
"""Two combining marks in the order that is not the normal one."""
MEGA = 1_000_000

Bomb = Callable[[bytes], bytes]


def build(name: str, head: bytes = HEAD) -> bytes:
    """The mail of that name. ``head`` are its header fields From, To and Message-ID, each with a line feed."""
    return BOMBS[name](head)


def _after(rest: bytes | Callable[[], bytes]) -> Bomb:
    """A mail that is harmless up to what follows From, To and Message-ID."""
    return lambda head: head + (rest() if callable(rest) else rest)


def _text(text: Callable[[], str]) -> Bomb:
    return lambda head: head + PLAIN + text().encode("utf-8", "surrogatepass")


def _html(text: Callable[[], str]) -> Bomb:
    return lambda head: head + HTML + text().encode()


def _from(value: bytes) -> Bomb:
    """Instead of the head's own From."""
    return lambda head: b"From: " + value + b"\n" + head.split(b"\n", 1)[1] + SHORT + b"\n" + ORDER


def _parts(content: Callable[[], bytes], count: int = 1) -> Bomb:
    return lambda head: head + MIXED + (b"--b\n" + content() + b"\n") * count + b"--b--\n"


def _nested(depth: int, body: bytes) -> bytes:
    opened = (b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(depth))
    return SHORT + b"".join(opened) + b"\n" + body


def _nested_closed(depth: int) -> bytes:
    opened = _nested(depth, ORDER)
    return opened + b"".join(b"--b%d--\n" % n for n in reversed(range(depth)))


def _noise(size: int) -> bytes:
    return random.Random(1).randbytes(size)


def _any_text(size: int) -> str:
    dice = random.Random(2)
    return "".join(chr(dice.choice((dice.randrange(32, 127), dice.randrange(0xA0, 0x3000)))) for _ in range(size))


def _uuencoded(lines: int) -> bytes:
    return b"begin 644 zug.exe\n" + b"M" + b"86)C" * 15 + b"\n" + (b"M" + b"86)C" * 15 + b"\n") * lines + b"`\nend\n"


def _bodies() -> Iterator[tuple[str, Bomb]]:
    """Plain text, as the reply cutter and the order sheet get it."""
    yield "10,000 order lines", _text(lambda: "E5 w HAUS; sonst C3 s MOND\n" * 10_000)
    yield "order line of 1 MB", _text(lambda: "E5 w HAUS; sonst " * 60_000)
    yield "semicolons", _text(lambda: ";" * MEGA)
    yield "brackets", _text(lambda: "E5 w " + "(" * MEGA)
    yield "pairs of brackets", _text(lambda: "E5 w HAUS " + "()" * (MEGA // 2))
    yield "markers", _text(lambda: "sonst E5 w HAUS oder " * 45 + "\n" + "Ersatz 2: 1. - * > " * 50_000)
    yield "lines of markers", _text(lambda: ("- 2. Ersatz 2: sonst " * 45 + "\n") * 1000)
    yield "hundred long lines", _text(lambda: (("E5 w HAUS dann 6-4 an oder " * 37)[:999] + "\n") * 100)
    yield "hundred cries for help", _text(lambda: "Hilfe\n" * 100)
    yield "hundred letters", _text(lambda: "Presse an alle: hu\nPresse an Bert\n" * 50)
    codes = [f"{letter}{n}Q{n}" for letter in "CDFGHJKLMNPQ" for n in range(2, 10)]
    yield "hundred matches", _text(lambda: "".join(f"[{code}] E5 w HAUS\n" for code in codes))
    yield "words of 1 MB", _text(lambda: "Hilfe" * 200_000)
    yield "digits", _text(lambda: "9" * MEGA)
    yield "lines of digits", _text(lambda: ("Ersatz " + "9" * 4400 + ": E5 w HAUS\n") * 100)
    yield "digits of other scripts", _text(lambda: "E٥ w HAUS\nE５ w HAUS\nE² w HAUS\nⅤ w HAUS\n" * 1000)
    yield "spaces", _text(lambda: " " * MEGA + "x")
    yield "tabs and words", _text(lambda: "a\t" * 500_000)
    yield "blank lines", _text(lambda: "\n" * MEGA)
    yield "returns", _text(lambda: "\r" * MEGA)
    yield "quote marks", _text(lambda: ">" * MEGA)
    yield "quoted lines", _text(lambda: "> E5 w HAUS\n" * 90_000)
    yield "openers", _text(lambda: "Am 20.11.2026 um 10:15 hat die Anna von nebenan mir und allen,\n" * 15_000)
    yield "header lines", _text(lambda: "Von: a\n\n" * 100_000)
    yield "rules", _text(lambda: "_____________\n\n" * 60_000)
    yield "soft breaks", _text(lambda: "a\u2028" * 300_000)
    yield "one line of letters", _text(lambda: "ä" * 500_000)
    yield "combining marks", _text(lambda: "a" + MARKS * 250_000)
    yield "lines of combining marks", _text(lambda: ("E5 w HA" + MARKS * 400 + "\n") * 600)
    yield "decomposed umlauts", _text(lambda: unicodedata.normalize("NFD", "Ö9 w ÄÖÜ\n") * 60_000)
    yield "expanding letters", _text(lambda: "E5 w " + "ﷺ" * 300_000 + "\n" + "ß" * 300_000)
    yield "lone surrogates", _text(lambda: "E5 w HA\ud800US \udfff\n" * 20_000)
    yield "nothing seen", _text(lambda: "E5\u202e w\u200b H\u2066AU\u0308S\u2069\ufeff\u00ad\n" * 30_000)
    yield "nuls", _after(PLAIN + b"E5 w H\x00AUS\n\x00\x00\n" + b"\x00" * MEGA)
    yield "nuls in a letter", _after(PLAIN + b"Presse an alle: hu\x00hu \xed\xa0\x80\xff\nENDE\n")
    yield "controls", _after(PLAIN + bytes(range(1, 32)) * 30_000)
    yield "noise", _after(lambda: SHORT + b"\n" + _noise(MEGA))
    yield "any text", _text(lambda: _any_text(300_000))
    yield "uuencode", _after(lambda: SHORT + b"\n" + ORDER + _uuencoded(15_000))
    yield "flowed", _after(lambda: FLOWED + b">" * 5000 + b" x \n" * 200_000)
    yield "flowed depths", _after(lambda: FLOWED + b"".join(b">" * (n % 300) + b" x \n" for n in range(6000)))
    yield "large base64", _after(lambda: BASE64 + base64.encodebytes(SENTENCE * 270_000))
    yield "large combining marks", _text(lambda: "a" + MARKS * 5 * MEGA)
    yield "broken base64", _after(lambda: BASE64 + b"RTUgdyBIQVVT=!\xff" * 60_000)
    yield "broken quoted-printable", _after(QUOTED + b"E5 w H=C3=\n=ZZ=\r=\xff=A\n" * 40_000)
    yield "soft line breaks", _after(QUOTED + b"=\n" * 400_000)
    yield "bare attributions", _text(lambda: "Anna schrieb:\n\n\n\n\n\n" * 20_000)
    yield "blank after a rule", _text(lambda: "-----\n" + "\n" * 200_000)
    yield "addresses", _text(lambda: "x@y\n" * 100_000)
    yield "stars", _text(lambda: ("*" * 400 + "\n") * 2500)
    yield "phones", _text(lambda: ("Gesendet von " + "x " * 200 + "\n") * 2500)


LYING = (
    b"utf-16", b"utf-32", b"utf-7", b"idna", b"punycode", b"unicode_escape", b"rot13", b"base64", b"zlib", b"bz2",
    b"hex", b"iso-2022-jp", b"hz", b"gb18030", b"cp65001", b"x-unknown", b"\xff\xfe", b"../../etc/passwd",
    b"=?utf-8?q?utf-8?=", b"us-ascii\x00", b"undefined", b"mbcs", b"utf-8\"; x=\"", b"big5hkscs", b"euc_jisx0213",
    b"cp037", b"utf_8_sig",
)  # fmt: skip
"""Names of charsets that are none, that are another, or that no mail is written in."""


def _charsets() -> Iterator[tuple[str, Bomb]]:
    for name in LYING:
        label = name.decode("ascii", "backslashreplace").strip('"; ')
        head = b"Subject: =?" + name + b"?b?RTUgdyBIQVVT?=\nContent-Type: text/plain; charset=" + name + b"\n\n"
        yield f"charset {label}", _after(head + b"E5 w HAUS \xc3\xa4\xff \\u0000 +AOQ- ~{<:Ky~}\n" * 2000)


def _structures() -> Iterator[tuple[str, Bomb]]:
    """Parts within parts, and what files may be in them."""
    yield "1,000 multiparts", _after(lambda: _nested(1000, ORDER))
    yield "1,000 multiparts, closed", _after(lambda: _nested_closed(1000))
    yield "90 multiparts, closed", _after(lambda: _nested_closed(90))
    yield "1,000 mails", _after(lambda: SHORT + b"Content-Type: message/rfc822\n\n" * 1000 + ORDER)
    yield "300 mails", _after(lambda: SHORT + b"Content-Type: message/rfc822\n\n" * 300 + ORDER)
    yield "lines in multiparts", _after(lambda: _nested(99, b"\n" * 300_000))
    yield "lines in 20 multiparts", _after(lambda: _nested(20, b"-\n" * 450_000))
    yield "50,000 parts", _parts(lambda: b"\nx\n", 50_000)
    yield "50,000 HTML parts", _parts(lambda: b"Content-Type: text/html\n\n<p>x\n", 25_000)
    yield "parts without a head", _parts(lambda: b"", 100_000)
    yield "boundary that is not there", _after(MIXED + ORDER * 50_000)
    yield "empty boundary", _after(b'Subject: Zug\nContent-Type: multipart/mixed; boundary=""\n\n--\n\n' + ORDER)
    yield "no boundary", _after(b"Subject: Zug\nContent-Type: multipart/mixed\n\n--\n\n" + ORDER)
    long, signs = b"x" * 60_000, b"(.*)*+[a"
    yield "boundary of 60 KB", _after(MIXED.replace(b"=b", b"=" + long) + b"--" + long + b"\n\nx\n")
    closed = b"--%b\n\nE5 w HAUS\n--%b--\n"
    yield "boundary with signs", _after(MIXED.replace(b"=b", b'="' + signs + b'"') + closed % (signs, signs))
    coded = MIXED.replace(b"\n\n", b"\nContent-Transfer-Encoding: base64\n\n")
    yield "multipart in base64", _after(coded + closed % (b"b", b"b"))
    status = b"Content-Type: message/delivery-status\n\n"
    yield "lines of a report", _after(REPORT + b"--b\n" + status + b"Final-Recipient: rfc822; a@b.example\n\n" * 25_000)
    yield "words of a report", _after(REPORT + b"--b\n\n" + b"user unknown account mailbox address " * 27_000)
    yield "report of nothing", _after(REPORT)
    yield "status in a mail", _after(SHORT + status + b"\n" * 300_000)
    external = b'Content-Type: message/external-body; access-type=local-file; name="/etc/passwd"\n\n\n'
    yield "external body", _after(SHORT + external + ORDER)
    yield "partial mail", _after(b"Subject: Zug\nContent-Type: message/partial; id=x; number=1; total=9\n\n" + ORDER)
    outlook = b"Content-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64\n\n"
    yield "winmail.dat", _parts(lambda: outlook + base64.encodebytes(b"\x78\x9f\x3e\x22" + _noise(500_000)))
    signature = b"Content-Type: application/pkcs7-signature; name=smime.p7s\n\n"
    yield "signed", _parts(lambda: signature + _noise(100_000).replace(b"--", b"xx"))
    yield "calendar", _parts(lambda: b"Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\n" * 1000)


def _headers() -> Iterator[tuple[str, Bomb]]:
    yield "brackets in From", _from(b"(" * 500 + b"anna@home.example")
    yield "angles in From", _from(b"<" * 500_000)
    yield "quotes in From", _from(b'"' * 500_001 + b" <anna@home.example>")
    yield "addresses in From", _from(b", ".join(b"a%d@home.example" % n for n in range(30_000)))
    yield "nul in From", _from(b"Anna\x00 <anna\x00@home.example>")
    yield "nul in a name", _from(b"=?utf-8?q?An=00na=ED=A0=80?= <anna@home.example>")
    yield "surrogate in From", _from(b"\xff\xfe\xed\xa0\x80 <\xed\xa0\x80@home.example>")
    yield "umlauts in From", _from("Änna <änna@hömé.example>".encode())
    yield "dots in From", _from(b"a@" + b"a." * 500_000)
    yield "at signs in From", _from(b"@" * 500_000)
    yield "empty From", _from(b"")
    yield "two Froms", lambda head: b"From: bert@home.example\n" + head + SHORT + b"\n" + ORDER
    for name, piece in (("words", b"=?utf-8?q?a"), ("x", b"x"), ("bytes", b"\xc3"), ("marks", MARKS.encode())):
        yield f"subject of 1 MB: {name}", _after(b"Subject: " + piece * (MEGA // len(piece)) + b"\n\n" + ORDER)
    yield "nul in the subject", _after(b"Subject: Zug\x00 =?utf-8?q?=00=ED=A0=80?=\n\n" + ORDER)
    yield "folded subject", _after(b"Subject: x\n" + b" =?utf-8?b?eA==?=\n" * 60_000 + b"\n" + ORDER)
    yield "Message-ID of 100 KB", _with_id(b"x" * 100_000)
    yield "nul in Message-ID", _with_id(b"a\x00b\xff")
    yield "control in Message-ID", _with_id(b"a\x01\x7f\x1b")
    references = b"\n ".join(b"<%d@club.example>" % n for n in range(10_000))
    yield "10,000 references", _after(b"References: " + references + b"\n\n" + ORDER)
    yield "nul in references", _after(b"In-Reply-To: <a\x00\xff@club.example>\n\n" + ORDER)
    for name, more in (
        ("5,000 parameters", b"; x=y" * 5000),
        ("5,000 split parameters", b"".join(b";\n x*%d*=a" % n for n in range(5000))),
        ("semicolons in a type", b";" * MEGA),
        ("backslashes in a type", b'; x="' + b"\\" * MEGA),
    ):
        yield name, _after(b"Content-Type: text/plain" + more + b"\n\n" + ORDER)
    yield "header of 10 MB", _after(b"X-Long: " + b"x" * 10 * MEGA + b"\n\n" + ORDER)
    yield "headers without end", _after(b"X-Many: y\n" * 100_000 + b"\n" + ORDER)
    yield "recipients", _after(b"Cc: " + b",\n ".join(b"p%d@home.example" % n for n in range(20_000)) + b"\n\n" + ORDER)
    yield "many recipients", _after(b"Cc: p@home.example\n" * 40_000 + b"\n" + ORDER)
    results = b"Authentication-Results: mx.club.example; " + b"dkim=pass (" * 80_000
    yield "authentications", _after(results + b"\n\n" + ORDER)
    yield "8-bit headers", _after(b"\xc3\xa4\xff: \xe4\nS\xfcbject: x\nSubject: \xe4\xf6\xff\n\n" + ORDER)
    yield "headers without colons", _after(b"Subject Zug\n" * 1000 + b"\n" + ORDER)
    dates = b"Mon, 0 Jan 0000 00:00:00 +0000", b"1 Jan 99999 00:00:00 +9999", b"9" * 100_000, b"\x00", b"-1 -1 -1"
    for date in dates:
        yield f"date {date[:24].decode('ascii', 'backslashreplace')}", _after(b"Date: " + date + b"\n\n" + ORDER)
    yield "Received", _after(b"Received: from x by y; Fri, 99 Foo 99999 99:99:99 +9999\n" * 10_000 + b"\n" + ORDER)


def _with_id(name: bytes) -> Bomb:
    """Instead of the head's own Message-ID."""

    def build(head: bytes) -> bytes:
        rest = b"".join(line + b"\n" for line in head.splitlines() if not line.lower().startswith(b"message-id"))
        return rest + b"Message-ID: <" + name + b"@x>\n\n" + ORDER

    return build


def _markup() -> Iterator[tuple[str, Bomb]]:
    yield "100,000 divs", _html(lambda: "<div>" * 100_000 + "E5 w HAUS" + "</div>" * 60_000)
    yield "comments", _html(lambda: "<!-- " * 180_000)
    yield "open tags", _html(lambda: "<a " * 300_000)
    yield "quotes in tags", _html(lambda: "<a x='>" * 130_000)
    yield "attributes", _html(lambda: "<a" + " x=y" * 220_000 + ">")
    yield "misnested", _html(lambda: "<b><div>" + "<i>" * 100_000 + "</b>" * 100_000)
    yield "references", _html(lambda: "&#99999999999;&#0;&#xD800;" * 30_000)
    yield "styles", _html(lambda: "<style>" * 120_000)
    yield "style rules", _html(lambda: "<style>" + "a{" * 400_000)
    yield "classes", _html(lambda: '<p class="' + "quote " * 150_000 + '">x</p>')
    yield "tables", _html(lambda: "<table><tr><td>" * 60_000 + "x")
    yield "lists of marks", _html(lambda: "<p>" + MARKS * 200_000)
    yield "ampersands", _html(lambda: "&" * 900_000)
    yield "end tags", _html(lambda: "</a " * 200_000 + ">")
    yield "style attribute", _html(lambda: '<p style="' + "a:b;" * 200_000 + '">x</p>')
    yield "declarations", _html(lambda: "<![CDATA[" * 100_000)
    yield "brackets of HTML", _html(lambda: "< " * 300_000)
    for unit in ("<!-- ", "<style>", "<", "<a ", "&a", "<img", "</style", "<style", "&" + "a" * 29):
        yield f"hidden {unit}", _html(lambda unit=unit: "<div hidden>" + unit * (400_000 // len(unit)))


BOMBS: dict[str, Bomb] = {
    **dict(_bodies()),
    **dict(_charsets()),
    **dict(_structures()),
    **dict(_headers()),
    **dict(_markup()),
    "nothing": lambda head: b"",
    "a line feed": lambda head: b"\n",
    "a nul": lambda head: b"\x00",
    "mbox": lambda head: b"From \n\n\n" + head + b"\n" + ORDER,
    "no body": lambda head: head,
    "only a body": lambda head: b"\n" + ORDER,
    "returns only": lambda head: (head + SHORT + b"\n" + ORDER).replace(b"\n", b"\r"),
}
