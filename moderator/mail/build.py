"""A laid-out mail as bytes for the wire: CRLF, ASCII only, one recipient.

Put together by hand instead of by ``email.message``: the standard library encodes Message-IDs of 77 and more
characters in In-Reply-To and References as RFC 2047 words, which breaks threading (cpython issue 79986), and it
encodes the same picture anew for every reader. What comes out is read back by ``email`` in the tests.
"""

from __future__ import annotations

import binascii
import email
import quopri
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.header import Header
from email.utils import format_datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from textwrap import fill
from typing import Literal

from moderator.common.errors import OperatorError
from moderator.common.mails import File, RenderedMail
from moderator.common.message_files import choose_folder_language, load_message_files

CRLF = "\r\n"
NAME_LENGTH = 200
REFERENCES = 10
"""So many of the thread's latest Message-IDs go into References."""
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_ATOM = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+")
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,900}>")


@dataclass(frozen=True)
class Conversation:
    """The values, beside References, by which mail programs know that mails belong together. See
    docs/inside/mails.md."""

    topic: str
    """The same in all of them, whatever their subjects say."""
    key: str
    """Of this conversation alone."""
    begun: datetime

    @property
    def thread_index(self) -> str:
        """The header ``Thread-Index`` (MS-OXOMSG, 2.2.1.3): the time of the beginning, in 100 ns since 1601 without the
        last two bytes, and a GUID.

        All mails have the index of the first one: which mail answers which, References say."""
        ticks = int((self.begun - _EPOCH) / timedelta(microseconds=1)) * 10
        header = ticks.to_bytes(8, "big")[:6] + sha256(self.key.encode("utf-8", "replace")).digest()[:16]
        return binascii.b2a_base64(header, newline=False).decode("ascii")


def compose_mail(
    rendered: RenderedMail,
    *,
    sender: str,
    sender_name: str,
    recipient: str,
    recipient_name: str,
    message_id: str,
    date: datetime,
    in_reply_to: str = "",
    references: Sequence[str] = (),
    conversation: Conversation | None = None,
    reply_to: str = "",
    auto: Literal["auto-replied", "auto-generated"] = "auto-generated",
    list_id: str = "",
    list_unsubscribe_mailto: str = "",
    language: str = "de",
) -> bytes:
    """Compose the mail as bytes. Message-IDs come with their angle brackets, ``date`` is aware.

    ``auto`` says whether it answers a mail or was sent by ourselves (RFC 3834). The same arguments give the same bytes,
    so a mail that is sent twice can be recognised. Raises OperatorError for an address or a Message-ID that no header
    may hold."""
    headers = [
        ("From", _format_mailbox(sender_name, sender)),
        ("To", _format_mailbox(recipient_name, recipient)),
        ("Subject", _encode_header_text("Subject", rendered.subject)),
        ("Date", format_datetime(date)),
        ("Message-ID", _require_message_id(message_id)),
    ]
    if reply_to:
        headers.append(("Reply-To", _require_address(reply_to)))
    if _MESSAGE_ID.fullmatch(in_reply_to):  # somebody else's; a broken one is left out
        headers.append(("In-Reply-To", in_reply_to))
    if thread := [i for i in references if _MESSAGE_ID.fullmatch(i)][-REFERENCES:]:
        headers.append(("References", (CRLF + " ").join(thread)))
    if conversation is not None:
        headers.append(("Thread-Topic", _encode_header_text("Thread-Topic", conversation.topic)))
        headers.append(("Thread-Index", conversation.thread_index))
    headers += [("Auto-Submitted", auto), ("X-Auto-Response-Suppress", "All")]
    if auto == "auto-generated":
        headers.append(("Precedence", "bulk"))
    if list_id:
        headers.append(("List-Id", f"<{_to_header_line(list_id)}>"))
    if list_unsubscribe_mailto:
        headers.append(("List-Unsubscribe", f"<mailto:{_quote_uri(list_unsubscribe_mailto)}>"))
    if rendered.state:
        headers.append(("X-Moderator-State", _encode_header_text("X-Moderator-State", rendered.state)))
    headers += [("Content-Language", _to_header_line(language)), ("MIME-Version", "1.0")]
    mark = sha256((message_id + recipient).encode("utf-8", "replace")).hexdigest()[:24]
    head = "".join(f"{name}: {value}{CRLF}" for name, value in headers)
    return head.encode("ascii") + _build_body(rendered, mark)


def compose_repeated_mail(
    raw: bytes, *, recipient: str, recipient_name: str, message_id: str, date: datetime, in_reply_to: str | None
) -> bytes:
    """Compose a mail that ``compose_mail`` made once more, as the answer to another (None: to none).

    It has all its parts, under a new Message-ID (mail programs hide a mail whose Message-ID they have seen) and date.
    Raises OperatorError as ``compose_mail`` does."""
    head, _, body = raw.partition(b"\r\n\r\n")
    new = {
        "to": ("To", _format_mailbox(recipient_name, recipient)),
        "date": ("Date", format_datetime(date)),
        "message-id": ("Message-ID", _require_message_id(message_id)),
    }
    dropped = set()
    if in_reply_to is not None:
        new["auto-submitted"] = ("Auto-Submitted", "auto-replied")
        dropped.add("precedence")
    if in_reply_to and _MESSAGE_ID.fullmatch(in_reply_to):
        new["auto-submitted"] = ("In-Reply-To", f"{in_reply_to}{CRLF}Auto-Submitted: auto-replied")
        dropped.add("in-reply-to")
    lines = []
    for header in re.split(r"\r\n(?![ \t])", head.decode("ascii")):
        name = header.partition(":")[0].lower()
        if name in new:
            lines.append(": ".join(new[name]))
        elif name not in dropped:
            lines.append(header)
    return CRLF.join(lines).encode("ascii") + b"\r\n\r\n" + body


def extract_plain_text(raw: bytes) -> str:
    """Extract the text of a mail that ``compose_mail`` made; "" where there is none."""
    return next(_iter_plain_texts(raw), "")


def extract_all_text(raw: bytes) -> str:
    """Extract the text of a mail that ``compose_mail`` made, and of the text files that are attached to it."""
    return "\n".join(_iter_plain_texts(raw))


def _iter_plain_texts(raw: bytes) -> Iterator[str]:
    """Yield the text parts. Read by the library's older policy: the newer one takes each header apart five times, which
    makes it six times as slow."""
    for part in email.message_from_bytes(raw).walk():
        if part.get_content_type() == "text/plain":
            text = part.get_payload(decode=True)
            yield text.decode("utf-8", "replace") if isinstance(text, bytes) else ""


def _build_body(rendered: RenderedMail, mark: str) -> bytes:
    """Build multipart/alternative of plain text and either HTML or HTML with its pictures; attached files stand beside
    that in a multipart/mixed."""
    html = _build_part("text/html; charset=utf-8", "quoted-printable", encode_quoted_printable(rendered.html))
    if rendered.images:
        pictures = [_build_picture_part(cid, data) for cid, data in rendered.images.items()]
        html = build_multipart('related; type="text/html"', f"=_r{mark}", [html, *pictures])
    text = _build_part("text/plain; charset=utf-8", "quoted-printable", encode_quoted_printable(rendered.text))
    content = build_multipart("alternative", f"=_a{mark}", [text, html])
    if not rendered.files:
        return content
    return build_multipart("mixed", f"=_m{mark}", [content, *(_build_file_part(file) for file in rendered.files)])


def build_multipart(kind: str, boundary: str, parts: Sequence[bytes]) -> bytes:
    """Build a multipart. «=_» never occurs in quoted-printable text or base64, so the boundary is safe (RFC 2045,
    6.7)."""
    line = f"--{boundary}".encode("ascii")
    head = f'Content-Type: multipart/{kind};{CRLF} boundary="{boundary}"{CRLF}{CRLF}'.encode("ascii")
    return head + b"".join(line + b"\r\n" + part for part in parts) + line + b"--\r\n"


def _build_part(kind: str, encoding: str, content: bytes, extra: str = "") -> bytes:
    head = f"Content-Type: {kind}{CRLF}Content-Transfer-Encoding: {encoding}{CRLF}{extra}{CRLF}"
    return head.encode("ascii") + content + b"\r\n"


def encode_quoted_printable(text: str) -> bytes:
    """Encode a text as quoted-printable with CRLF. Lines that begin with «.» or «From » are protected from old mail
    servers."""
    data = CRLF.join(text.splitlines()).encode("utf-8", "replace") + b"\r\n"
    encoded = binascii.b2a_qp(data, istext=True)
    return re.sub(rb"(?m)^(?:From |\.)[^\r]*", _protect_line, encoded)


def _protect_line(found: re.Match[bytes]) -> bytes:
    """Encode the line's first character, and break the line softly behind it where it would become too long."""
    line: bytes = found[0]
    rest = line[1:] if len(line) <= 74 else b"=\r\n" + re.sub(rb"^\.", b"=2E", line[1:])
    return b"=%02X" % line[0] + rest


@lru_cache(maxsize=64)
def _encode_base64(data: bytes) -> bytes:
    """Encode once per picture, not once per reader."""
    flat = binascii.b2a_base64(data, newline=False)
    return b"\r\n".join(flat[i : i + 76] for i in range(0, len(flat), 76))


def _build_picture_part(cid: str, data: bytes) -> bytes:
    if not re.fullmatch(r"[A-Za-z0-9._+@-]+", cid):
        raise OperatorError(f"A picture has the Content-ID {cid!r}.", "Report this: ids are letters, digits, . - _ @.")
    name = cid.split("@")[0] + ".png"
    extra = f'Content-ID: <{cid}>{CRLF}Content-Disposition: inline; filename="{name}"{CRLF}'
    return _build_part(f'image/png; name="{name}"', "base64", _encode_base64(data), extra)


def _build_file_part(file: File) -> bytes:
    if not re.fullmatch(r"[A-Za-z0-9._-]+", file.name):
        raise OperatorError(f"A file has the name {file.name!r}.", "Report this: names are letters, digits, . - _.")
    extra = f'Content-Disposition: attachment; filename="{file.name}"{CRLF}'
    return _build_part(
        f'{_to_header_line(file.kind)};{CRLF} name="{file.name}"', "base64", _encode_base64(file.data), extra
    )


def _to_header_line(text: str) -> str:
    """Replace all that could end a header line by blanks: control characters and Unicode's line ends."""
    unsafe = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return " ".join("".join(" " if unicodedata.category(c) in unsafe else c for c in text).split())


@lru_cache(maxsize=512)
def _encode_header_text(header: str, text: str) -> str:
    """Encode a header's text, folded, other than ASCII as RFC 2047 words. What looks like such a word is encoded,
    too."""
    text = _to_header_line(text)
    plain = text.isascii() and "=?" not in text
    if plain and len(header) + 2 + len(text) <= 76:
        return text
    charset = "us-ascii" if plain else "utf-8"
    return Header(text, charset, maxlinelen=75, header_name=header).encode(linesep=CRLF)


@lru_cache(maxsize=1024)
def _format_mailbox(name: str, address: str) -> str:
    """Format ``"Jörg K." <joerg@example.org>`` for a header."""
    name, bare = _to_header_line(name)[:NAME_LENGTH].rstrip(), _require_address(address)
    if not name:
        return bare
    if not name.isascii() or "=?" in name:
        phrase = Header(name, "utf-8", maxlinelen=70, header_name="From").encode(linesep=CRLF)
    elif _ATOM.fullmatch(name):
        phrase = name
    else:
        escaped = name.replace("\\", "\\\\").replace('"', '\\"')
        phrase = f'"{escaped}"'
    return f"{phrase}{CRLF} <{bare}>" if len(phrase) + len(bare) > 60 else f"{phrase} <{bare}>"


def _require_address(address: str) -> str:
    fine = address.isascii() and address.count("@") == 1 and not re.search(r"[\x00-\x20<>,;:\"\\()\x7f]", address)
    if not fine or len(address) > 254:
        raise OperatorError(f"No mail can go to the address {address!r}.", "Correct it: name@domain, plain letters.")
    return address


def _require_message_id(message_id: str) -> str:
    if not _MESSAGE_ID.fullmatch(message_id):
        raise OperatorError(f"{message_id[:80]!r} is no Message-ID.", "Report this: it must look like <name@domain>.")
    return message_id


def _quote_uri(target: str) -> str:
    """Percent-encode an address, perhaps with ``?subject=…``, where a header or URI needs it."""
    from urllib.parse import quote

    return quote(_to_header_line(target).removeprefix("mailto:"), safe="@?=&%+-._~/!$'*")


# ---- A mail that ``compose`` made, with less in it: for a server that takes none so large. Message-ID, sender and
# recipient stay, so it is the same mail to everybody who may have got the whole one.


_FIRST = b"\r\nMIME-Version: 1.0\r\n"
"""Behind it the body begins."""
_HEAD = re.compile(rb'Content-Type: multipart/(\w+)[^"]*?(?:type="text/html";\s*)?boundary="([^"]+)"\r\n\r\n')
_LANGUAGE = re.compile(rb"\r\nContent-Language: (\w+)")
_PAGE = b"Content-Type: text/html"
_PICTURE = re.compile(r'<img\b[^<>]*?\bsrc="cid:[^<>]*>')
WIDTH = 70
_ALT = re.compile(r'\balt="([^"]*)"')


def reduce_mail(raw: bytes) -> bytes | None:
    """Reduce a mail by one step; None = it cannot be smaller.

    First it loses pictures and touch boards, then all that is attached, then everything but its text; it says
    so itself."""
    head, first, body = raw.partition(_FIRST)
    found = _LANGUAGE.search(head)
    less = _reduce_body(body, _load_sentence(found[1].decode() if found else "")) if first else None
    return None if less is None else head + first + less


def iter_mail_versions(raw: bytes) -> Iterator[bytes]:
    """Yield the mail itself, and then smaller and smaller versions of it."""
    less: bytes | None = raw
    while less is not None:
        yield less
        less = reduce_mail(less)


def _reduce_body(body: bytes, sentence: str) -> bytes | None:
    kind, boundary, parts = _split_parts(body)
    content, files = (parts[0], parts[1:]) if kind == "mixed" else (body, [])
    inner, mark, both = _split_parts(content)
    if inner != "alternative" or len(both) != 2:
        return None
    text, html = _add_to_text(both[0], sentence), both[1]
    _, _, pictured = _split_parts(html)
    kept = [file for file in files if not file.startswith(_PAGE)]
    if pictured or kept != files:
        html = _reduce_html(pictured[0] if pictured else html, sentence)
        content = build_multipart("alternative", mark, [text, html])
        return build_multipart("mixed", boundary, [content, *kept]) if kept else content
    if files:
        return build_multipart("alternative", mark, [text, _reduce_html(html, sentence)])
    return text


def _split_parts(body: bytes) -> tuple[str, str, list[bytes]]:
    """Split a multipart into (subtype, boundary, parts); ("", "", []) of anything else."""
    found = _HEAD.match(body)
    if found is None:
        return "", "", []
    line = b"--" + found[2]
    *parts, _ = re.split(rb"(?:\A|(?<=\r\n))" + re.escape(line) + rb"(?:--)?\r\n", body[found.end() :])
    return found[1].decode(), found[2].decode(), parts[1:]


def _load_sentence(language: str) -> str:
    folder = Path(__file__).parent
    return next(iter(load_message_files(folder, choose_folder_language(folder, language)).values()))["mail-lighter"]  # type: ignore[no-any-return]


def _add_to_text(part: bytes, sentence: str) -> bytes:
    head, text = _decode_part(part)
    if sentence in " ".join(text.split()):
        return part
    return _encode_part(head, f"{text.rstrip()}\n\n{fill(sentence, WIDTH)}\n")


def _reduce_html(part: bytes, sentence: str) -> bytes:
    """Replace each picture by the words that say what is on it."""
    head, html = _decode_part(part)
    html = _PICTURE.sub(lambda found: alt[1] if (alt := _ALT.search(found[0])) else "", html)
    end = html.rfind("</body>")
    if sentence not in html:
        html = f"{html[:end]}<p>{sentence}</p>{html[end:]}" if end >= 0 else f"{html}<p>{sentence}</p>"
    return _encode_part(head, html)


def _decode_part(part: bytes) -> tuple[bytes, str]:
    head, _, content = part.partition(b"\r\n\r\n")
    return head, quopri.decodestring(content).decode("utf-8", "replace").replace("\r\n", "\n")


def _encode_part(head: bytes, text: str) -> bytes:
    return head + b"\r\n\r\n" + encode_quoted_printable(text) + b"\r\n"
