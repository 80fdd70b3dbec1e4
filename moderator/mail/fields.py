"""Reading header fields of mails from outside: encoded words, addresses, Message-IDs.

Own readers instead of ``email.utils``: those recurse over brackets, and in some Python versions read
``alice@example.org)bob@evil`` as alice's address (CVE-2023-27043). Here a strange address is no address.
"""

from __future__ import annotations

import base64
import binascii
import email.message
import quopri
import re

from moderator.mail.clean import decode_text, one_line
from moderator.mail.parts import FIELD_LIMIT

_WORD = re.compile(r"=\?([^?\s*]{1,40})(?:\*[^?\s]{0,20})?\?([bBqQ])\?([^?]*)\?=")
_ADDRESS = re.compile(r"[^\s<>()\[\]{},;:\\\"@\x00-\x20\x7f]{1,64}@(?=.{1,253}\Z)[^\W_][\w-]*(?:\.[^\W_][\w-]*)*")
_ID = re.compile(r"<[^<>\s\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffd]{1,990}>")
_TOKEN = re.compile(r'[^\s"()<>,;:\\]+|\s+|.', re.DOTALL)


def raw_field(message: email.message.Message, name: str) -> str:
    """The first field of that name, undecoded; "" without one."""
    value = message.get(name, "")
    return value if isinstance(value, str) else str(value)


def raw_fields(message: email.message.Message, name: str) -> list[str]:
    """All fields of that name, topmost first, undecoded."""
    return [str(value) for value in message.get_all(name, [])]


def field_text(message: email.message.Message, name: str, limit: int = 500) -> str:
    """A field for reading: RFC 2047 words decoded, on one line, at most ``limit`` characters."""
    return one_line(decode_words(raw_field(message, name)[: 8 * limit]), limit)


def decode_words(raw: str) -> str:
    """Decode RFC 2047 words and stray 8-bit bytes; what cannot be decoded stays as it is."""
    pieces: list[str] = []
    pending, charset, end = b"", "", 0
    for match in _WORD.finditer(raw):
        gap = raw[end : match.start()]
        data = _word_bytes(match[2], match[3])
        joined = bool(end) and not gap.strip()
        if not joined or match[1].lower() != charset:
            pieces.append(decode_text(pending, charset))
            pending = b""
        if not joined:
            pieces.append(_eight_bit(gap))
        pending, charset, end = pending + data, match[1].lower(), match.end()
    pieces.append(decode_text(pending, charset))
    pieces.append(_eight_bit(raw[end:]))
    return "".join(pieces)


def _word_bytes(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    if encoding in "qQ":
        return quopri.decodestring(data, header=True)
    try:
        return base64.b64decode(data + b"=" * (-len(data) % 4))
    except (binascii.Error, ValueError):
        return data


def _eight_bit(text: str) -> str:
    if text.isascii():
        return text
    return decode_text(text.encode("utf-8", "surrogateescape"), "")


def addresses(raw: str) -> list[tuple[str, str]]:
    """(display name, address) of each mailbox in an address field; address "" for one that is malformed.

    Groups give their members. A piece without any "@" (as in ``Lee, Anna <anna@example.org>``) is taken as a part
    of the next name.
    """
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
        label = one_line(decode_words(f"{name} {display}".strip()), 200)
        found.append((label, target if is_address(target) else ""))
        name = ""
    return found


def is_address(text: str) -> bool:
    """Whether that is a bare address of visible characters, without spaces, brackets and the like."""
    return _ADDRESS.fullmatch(text) is not None and text.isprintable() and "\ufffd" not in text


def _split_mailboxes(raw: str) -> list[tuple[str, str, str]]:
    """Pieces between top-level commas as (display, text in angle brackets, text without brackets).

    A piece with unbalanced brackets, or with text behind its angle bracket, comes with a target that is no address.
    """
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
            pieces.append(_piece(display, inside, angle, spoiled))
            display, inside, depth, angle, spoiled = "", "", 0, 0, False
        elif angle == 1:
            inside += token
        else:
            spoiled |= angle > 1 and not token.isspace()
            display += token
    if depth > 0 or quoted or angle == 1:
        pieces.append(("", "@", ""))  # an open bracket swallowed the rest: say so
    return pieces


def _piece(display: str, inside: str, angle: int, spoiled: bool) -> tuple[str, str, str]:
    if spoiled:
        return "", "@", ""
    display = " ".join(display.split())
    if angle:
        return display, inside.strip() or "@", ""
    return "", "", display


def the_sender(message: email.message.Message) -> tuple[str, str]:
    """(name, address in lower case) of From; ("", "") unless there is exactly one From with exactly one address."""
    fields = raw_fields(message, "From")
    found = addresses(fields[0]) if len(fields) == 1 else []
    return (found[0][0], found[0][1].lower()) if len(found) == 1 and found[0][1] else ("", "")


def message_ids(raw: str) -> list[str]:
    """Message-IDs with their angle brackets, in order, each once."""
    return list(dict.fromkeys(_ID.findall(raw)))
