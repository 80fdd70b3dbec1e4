"""Texts of mails from outside: bytes to text, text to clean lines; encoded words, addresses and Message-IDs of header
fields. Everything here takes linear time and never raises for any input.

Own readers of header fields instead of ``email.utils``: those recurse over brackets, and in some Python versions read
``alice@example.org)bob@evil`` as alice's address (CVE-2023-27043). Here a strange address is no address.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import email.message
import quopri
import re
import unicodedata
from collections.abc import Iterator

from moderator.common.text import to_ascii_address

_CHARSET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+-]{0,39}")
_NO_CHARSET = {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"}
"""Codecs of Python that no mail is written in; some of them take quadratic time."""
_LATIN = {"iso8859-1", "iso8859-15", "cp1252", "ascii"}
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f\x80-\x84\x86-\x9f\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]+"
)
"""Controls, soft hyphen, zero-width and bidirectional marks, variation selectors, BOM, tags."""
_SPACES = re.compile("[\t\u00a0\u115f\u1160\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]")
"""Tabs and every space that is not U+0020, blank letters included."""
_SURROGATES = re.compile("[\ud800-\udfff]")
_SOFT_BREAKS = re.compile("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_QUOTED = re.compile(r"\s*(?:[A-Za-zÄÖÜäöü]{0,3}[>＞]|[|¦]|&gt;)")
_CHUNK = 200
"""NFC sorts runs of combining marks in quadratic time, so a long line is normalised in pieces of about this length."""
_MARKS = 30
"""So many combining marks behind one letter are not torn apart by that (the Unicode standard allows no more either)."""


def decode_text(data: bytes, declared: str) -> str:
    """Decode ``data``: byte order mark, then the declared charset, UTF-8, Windows-1252, Latin-1.

    Two wrong labels are put right: "iso-8859-1" (or -15, us-ascii, windows-1252) on bytes that are UTF-8, and
    "iso-8859-1" where Windows-1252 is meant."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    name = _find_codec(declared)
    if name.startswith("utf-16"):
        return data.decode(_guess_utf16_order(data) if name == "utf-16" else name, "replace")
    order = ["utf-8", "cp1252"] if name in _LATIN or not name else [name, "utf-8", "cp1252"]
    for candidate in order:
        try:
            return data.decode(candidate)
        except (UnicodeError, LookupError):
            continue
    return data.decode("latin-1")


def _find_codec(declared: str) -> str:
    """Find Python's name of a declared charset; "" for unknown ones and for codecs that are no charset."""
    if not _CHARSET_NAME.fullmatch(declared):
        return ""
    try:
        info = codecs.lookup(declared)
        b"a\0".decode(info.name, "ignore")  # base64, rot13 and the like refuse this
    except (LookupError, ValueError):
        return ""
    return "" if info.name.replace("-", "_") in _NO_CHARSET else info.name


def _guess_utf16_order(data: bytes) -> str:
    """Guess the byte order of UTF-16 without a mark: western text has its zero bytes first (big-endian) or second."""
    head = data[:2000]
    return "utf-16-be" if head[::2].count(0) > head[1::2].count(0) else "utf-16-le"


def clean_mail_text(text: str) -> str:
    """Remove invisible characters, make all spaces plain, replace lone surrogates by U+FFFD. Breaks stay."""
    text = _INVISIBLE.sub("", text)
    text = _SPACES.sub(" ", text)
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def iter_clean_lines(text: str) -> Iterator[str]:
    """Yield the lines of cleaned text, right-stripped.

    A break other than LF or CRLF (a lone CR, U+2028, form feed …) divides new text, but inside a quoted line it is a
    space: its second half would lose the quotation mark."""
    for line in text.replace("\r\n", "\n").split("\n"):
        line = line.rstrip()
        if _SOFT_BREAKS.search(line):
            yield from _iter_line_parts(line)
        else:
            yield line


def _iter_line_parts(line: str) -> Iterator[str]:
    pieces = _SOFT_BREAKS.split(line)
    for number, piece in enumerate(pieces):
        if is_quoted_line(piece):
            yield " ".join(pieces[number:]).rstrip()
            return
        yield piece.rstrip()


def is_quoted_line(line: str) -> bool:
    """Return whether the line carries a mark of quotation: ``>`` (also ``AB>`` and a full-width one), ``|`` or
    ``&gt;``."""
    return _QUOTED.match(line) is not None


def normalize_unicode(line: str) -> str:
    """Convert a line to NFC: Apple's mail programs send umlauts as two characters."""
    if line.isascii():
        return line
    if len(line) <= _CHUNK:
        return unicodedata.normalize("NFC", line)
    pieces: list[str] = []
    at = 0
    while at < len(line):
        end = at + _CHUNK
        for back in range(end, end - _MARKS, -1):
            if back >= len(line) or not unicodedata.combining(line[back]):
                end = back
                break
        pieces.append(unicodedata.normalize("NFC", line[at:end]))
        at = end
    return "".join(pieces)


def decode_raw_header(raw: str) -> str:
    """Decode a header field as the parser gives it (bytes above 127 as surrogates) to text on one line: no surrogates,
    and U+FFFD for each NUL, which no database takes."""
    if not raw.isascii():
        raw = decode_text(raw.encode("utf-8", "surrogateescape"), "")
    return raw.replace("\r", "").replace("\n", "").replace("\0", "\ufffd")


def clean_to_one_line(text: str, limit: int) -> str:
    """Clean and compose a text for a subject or name: runs of blanks as one space, at most ``limit`` characters."""
    return normalize_unicode(" ".join(clean_mail_text(text[: 4 * limit]).split()))[:limit]


# ---- header fields ----


FIELD_LIMIT = 16_000
"""Characters of a header field that are read at all."""
_WORD = re.compile(r"=\?([^?\s*]{1,40})(?:\*[^?\s]{0,20})?\?([bBqQ])\?([^?]*)\?=")
_ADDRESS = re.compile(r"[^\s<>()\[\]{},;:\\\"@\x00-\x20\x7f]{1,64}@(?=.{1,253}\Z)[^\W_][\w-]*(?:\.[^\W_][\w-]*)*")
_ID = re.compile(r"<[^<>\s\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffd]{1,990}>")
_TOKEN = re.compile(r'[^\s"()<>,;:\\]+|\s+|.', re.DOTALL)


def get_raw_field(message: email.message.Message, name: str) -> str:
    """Return the first field of that name, undecoded; "" without one."""
    value = message.get(name, "")
    return value if isinstance(value, str) else str(value)


def list_raw_fields(message: email.message.Message, name: str) -> list[str]:
    """List all fields of that name, topmost first, undecoded."""
    return [str(value) for value in message.get_all(name, [])]


def get_field_text(message: email.message.Message, name: str, limit: int = 500) -> str:
    """Return a field for reading: RFC 2047 words decoded, on one line, at most ``limit`` characters."""
    return clean_to_one_line(decode_header_words(get_raw_field(message, name)[: 8 * limit]), limit)


def decode_header_words(raw: str) -> str:
    """Decode RFC 2047 words and stray 8-bit bytes; what cannot be decoded stays as it is."""
    pieces: list[str] = []
    pending, charset, end = b"", "", 0
    for match in _WORD.finditer(raw):
        gap = raw[end : match.start()]
        data = _decode_word_bytes(match[2], match[3])
        joined = bool(end) and not gap.strip()
        if not joined or match[1].lower() != charset:
            pieces.append(decode_text(pending, charset))
            pending = b""
        if not joined:
            pieces.append(_decode_eight_bit(gap))
        pending, charset, end = pending + data, match[1].lower(), match.end()
    pieces.append(decode_text(pending, charset))
    pieces.append(_decode_eight_bit(raw[end:]))
    return "".join(pieces)


def _decode_word_bytes(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    if encoding in "qQ":
        return quopri.decodestring(data, header=True)
    try:
        return base64.b64decode(data + b"=" * (-len(data) % 4))
    except (binascii.Error, ValueError):
        return data


def _decode_eight_bit(text: str) -> str:
    if text.isascii():
        return text
    return decode_text(text.encode("utf-8", "surrogateescape"), "")


def parse_addresses(raw: str) -> list[tuple[str, str]]:
    """Parse an address field into (display name, address) of each mailbox; address "" for one that is malformed.

    Groups give their members. A piece without any "@" (as in ``Lee, Anna <anna@example.org>``) is taken as a part of
    the next name."""
    found: list[tuple[str, str]] = []
    name = ""
    for piece in _split_mailboxes(raw[:FIELD_LIMIT]):
        display, address, plain = piece
        if not address and plain and "@" not in plain:
            name = f"{name} {plain}".strip()
            continue
        target = address or plain
        if not target:
            continue
        label = clean_to_one_line(decode_header_words(f"{name} {display}".strip()), 200)
        found.append((label, target if is_mail_address(target) else ""))
        name = ""
    return found


def is_mail_address(text: str) -> bool:
    """Return whether that is a bare address of visible characters, without spaces, brackets and the like."""
    return _ADDRESS.fullmatch(text) is not None and text.isprintable() and "\ufffd" not in text


def _split_mailboxes(raw: str) -> list[tuple[str, str, str]]:
    """Split at top-level commas into (display, text in angle brackets, text without brackets).

    A piece with unbalanced brackets, or with text behind its angle bracket, comes with a target that is no address."""
    pieces: list[tuple[str, str, str]] = []
    display, inside, depth, quoted, angle, spoiled = "", "", 0, False, 0, False
    escaped = False
    for token in [*_TOKEN.findall(raw), ","]:
        if escaped:
            escaped = False
            display += token if not depth else ""
        elif token == "\\" and (quoted or depth):
            escaped = True
        elif quoted or (token == '"' and not depth):
            quoted = quoted != (token == '"')
            display += token if token != '"' else ""
            spoiled |= angle == 1
        elif token in "()":
            depth += 1 if token == "(" else -1
            spoiled |= depth < 0
        elif depth > 0:
            continue
        elif token in "<>":
            spoiled |= angle != (token == ">")
            angle += 1
        elif token == ":" and not angle:
            spoiled |= "@" in display
            display = ""  # so far it was the name of a group
        elif token in ",;" and angle != 1:
            pieces.append(_build_piece(display, inside, angle, spoiled))
            display, inside, depth, angle, spoiled = "", "", 0, 0, False
        elif angle == 1:
            inside += token
        else:
            spoiled |= angle > 1 and not token.isspace()
            display += token
    if depth > 0 or quoted or angle == 1:
        pieces.append(("", "@", ""))  # an open bracket swallowed the rest: say so
    return pieces


def _build_piece(display: str, inside: str, angle: int, spoiled: bool) -> tuple[str, str, str]:
    if spoiled:
        return "", "@", ""
    display = " ".join(display.split())
    if angle:
        return display, inside.strip() or "@", ""
    return "", "", display


def single_sender(message: email.message.Message) -> tuple[str, str]:
    """Return (name, address in lower case) of From; ("", "") unless there is exactly one From with exactly one
    address."""
    fields = list_raw_fields(message, "From")
    found = parse_addresses(fields[0]) if len(fields) == 1 else []
    return (found[0][0], to_ascii_address(found[0][1].lower())) if len(found) == 1 and found[0][1] else ("", "")


def parse_message_ids(raw: str) -> list[str]:
    """Parse the Message-IDs in a text, with their angle brackets, in order, each once."""
    return list(dict.fromkeys(_ID.findall(raw)))
