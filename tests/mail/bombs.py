"""Mails made to hurt, by name: each a function of the header fields that say from whom and to whom it goes.

``build(name)`` gives the bytes. Sizes are those of an attack, not of an accident; together they are some 150 MB.
"""

import base64
import random
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
    yield "markers", _text(lambda: "sonst E5 w HAUS oder " * 45 + "\n" + "Ersatz 2: 1. - * > " * 50_000)
    yield "hundred letters", _text(lambda: "Presse an alle: hu\nPresse an Bert\n" * 50)
    codes = [f"{letter}{n}Q{n}" for letter in "CDFGHJKLMNPQ" for n in range(2, 10)]
    yield "hundred matches", _text(lambda: "".join(f"[{code}] E5 w HAUS\n" for code in codes))
    yield "digits", _text(lambda: "9" * MEGA)
    yield "lines of digits", _text(lambda: ("Ersatz " + "9" * 4400 + ": E5 w HAUS\n") * 100)
    yield "digits of other scripts", _text(lambda: "E٥ w HAUS\nE５ w HAUS\nE² w HAUS\nⅤ w HAUS\n" * 1000)
    yield "spaces", _text(lambda: " " * MEGA + "x")
    yield "blank lines", _text(lambda: "\n" * MEGA)
    yield "quote marks", _text(lambda: ">" * MEGA)
    yield "quoted lines", _text(lambda: "> E5 w HAUS\n" * 90_000)
    yield "header lines", _text(lambda: "Von: a\n\n" * 100_000)
    yield "soft breaks", _text(lambda: "a\u2028" * 300_000)
    yield "combining marks", _text(lambda: "a" + MARKS * 250_000)
    yield "expanding letters", _text(lambda: "E5 w " + "ﷺ" * 300_000 + "\n" + "ß" * 300_000)
    yield "lone surrogates", _text(lambda: "E5 w HA\ud800US \udfff\n" * 20_000)
    yield "nothing seen", _text(lambda: "E5\u202e w\u200b H\u2066AU\u0308S\u2069\ufeff\u00ad\n" * 30_000)
    yield "nuls", _after(PLAIN + b"E5 w H\x00AUS\n\x00\x00\n" + b"\x00" * MEGA)
    yield "controls", _after(PLAIN + bytes(range(1, 32)) * 30_000)
    yield "noise", _after(lambda: SHORT + b"\n" + _noise(MEGA))
    yield "any text", _text(lambda: _any_text(300_000))
    yield "uuencode", _after(lambda: SHORT + b"\n" + ORDER + _uuencoded(15_000))
    yield "flowed", _after(lambda: FLOWED + b">" * 5000 + b" x \n" * 200_000)
    yield "large base64", _after(lambda: BASE64 + base64.encodebytes(SENTENCE * 270_000))
    yield "large combining marks", _text(lambda: "a" + MARKS * 5 * MEGA)
    yield "broken base64", _after(lambda: BASE64 + b"RTUgdyBIQVVT=!\xff" * 60_000)
    yield "broken quoted-printable", _after(QUOTED + b"E5 w H=C3=\n=ZZ=\r=\xff=A\n" * 40_000)
    yield "soft line breaks", _after(QUOTED + b"=\n" * 400_000)


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
    yield "1,000 mails", _after(lambda: SHORT + b"Content-Type: message/rfc822\n\n" * 1000 + ORDER)
    yield "lines in multiparts", _after(lambda: _nested(99, b"\n" * 300_000))
    yield "lines in 20 multiparts", _after(lambda: _nested(20, b"-\n" * 450_000))
    yield "50,000 parts", _parts(lambda: b"\nx\n", 50_000)
    yield "parts without a head", _parts(lambda: b"", 100_000)
    yield "boundary that is not there", _after(MIXED + ORDER * 50_000)
    long, signs = b"x" * 60_000, b"(.*)*+[a"
    yield "boundary of 60 KB", _after(MIXED.replace(b"=b", b"=" + long) + b"--" + long + b"\n\nx\n")
    closed = b"--%b\n\nE5 w HAUS\n--%b--\n"
    yield "boundary with signs", _after(MIXED.replace(b"=b", b'="' + signs + b'"') + closed % (signs, signs))
    coded = MIXED.replace(b"\n\n", b"\nContent-Transfer-Encoding: base64\n\n")
    yield "multipart in base64", _after(coded + closed % (b"b", b"b"))
    status = b"Content-Type: message/delivery-status\n\n"
    yield "words of a report", _after(REPORT + b"--b\n\n" + b"user unknown account mailbox address " * 27_000)
    yield "status in a mail", _after(SHORT + status + b"\n" * 300_000)
    external = b'Content-Type: message/external-body; access-type=local-file; name="/etc/passwd"\n\n\n'
    yield "external body", _after(SHORT + external + ORDER)
    outlook = b"Content-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64\n\n"
    yield "winmail.dat", _parts(lambda: outlook + base64.encodebytes(b"\x78\x9f\x3e\x22" + _noise(500_000)))
    signature = b"Content-Type: application/pkcs7-signature; name=smime.p7s\n\n"
    yield "signed", _parts(lambda: signature + _noise(100_000).replace(b"--", b"xx"))


def _headers() -> Iterator[tuple[str, Bomb]]:
    yield "brackets in From", _from(b"(" * 500 + b"anna@home.example")
    yield "angles in From", _from(b"<" * 500_000)
    yield "addresses in From", _from(b", ".join(b"a%d@home.example" % n for n in range(30_000)))
    yield "nul in From", _from(b"Anna\x00 <anna\x00@home.example>")
    yield "nul in a name", _from(b"=?utf-8?q?An=00na=ED=A0=80?= <anna@home.example>")
    yield "surrogate in From", _from(b"\xff\xfe\xed\xa0\x80 <\xed\xa0\x80@home.example>")
    yield "umlauts in From", _from("Änna <änna@hömé.example>".encode())
    yield "empty From", _from(b"")
    yield "two Froms", lambda head: b"From: bert@home.example\n" + head + SHORT + b"\n" + ORDER
    for name, piece in (("words", b"=?utf-8?q?a"), ("x", b"x"), ("bytes", b"\xc3"), ("marks", MARKS.encode())):
        yield f"subject of 1 MB: {name}", _after(b"Subject: " + piece * (MEGA // len(piece)) + b"\n\n" + ORDER)
    yield "nul in the subject", _after(b"Subject: Zug\x00 =?utf-8?q?=00=ED=A0=80?=\n\n" + ORDER)
    yield "Message-ID of 100 KB", _with_id(b"x" * 100_000)
    yield "nul in Message-ID", _with_id(b"a\x00b\xff")
    references = b"\n ".join(b"<%d@club.example>" % n for n in range(10_000))
    yield "10,000 references", _after(b"References: " + references + b"\n\n" + ORDER)
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
    results = b"Authentication-Results: mx.club.example; " + b"dkim=pass (" * 80_000
    yield "authentications", _after(results + b"\n\n" + ORDER)
    yield "8-bit headers", _after(b"\xc3\xa4\xff: \xe4\nS\xfcbject: x\nSubject: \xe4\xf6\xff\n\n" + ORDER)
    for date in (b"1 Jan 99999 00:00:00 +9999", b"9" * 100_000, b"\x00"):
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
    yield "attributes", _html(lambda: "<a" + " x=y" * 220_000 + ">")
    yield "misnested", _html(lambda: "<b><div>" + "<i>" * 100_000 + "</b>" * 100_000)
    yield "references", _html(lambda: "&#99999999999;&#0;&#xD800;" * 30_000)
    yield "style rules", _html(lambda: "<style>" + "a{" * 400_000)
    yield "classes", _html(lambda: '<p class="' + "quote " * 150_000 + '">x</p>')
    yield "tables", _html(lambda: "<table><tr><td>" * 60_000 + "x")
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
