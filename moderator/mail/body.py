"""The text of a mail: which MIME parts count, their transfer encoding, charset and format=flowed."""

from __future__ import annotations

import binascii
import quopri
from collections.abc import Iterator

from moderator.mail.clean import clean_text, decode_text, split_lines
from moderator.mail.fields import raw_field
from moderator.mail.html_text import html_lines
from moderator.mail.parts import Part
from moderator.mail.reply import Kind

_LIMIT = 1_000_000
"""Characters of text that are read of a mail. What follows is left out, from a whole line on."""


def body_lines(message: Part) -> tuple[list[tuple[str, Kind]], str, int]:
    """(cleaned lines with what is known of their kind, damage, lines beyond the limit) for the reply cutter.

    All text/plain parts that are no attachments, one after the other; if none holds text, all text/html parts.
    Attached mails and files never count, nor does what has a file's name and stands behind other text. ``damage`` is
    "broken-parts" for a multipart that has no parts.
    """
    html: list[Part] = []
    lines: list[tuple[str, Kind]] = []
    damage, left, beyond = "", _LIMIT, 0
    for part in text_parts(message):
        kind = part.get_content_type()
        if part.get_content_maintype() == "multipart":
            damage = "broken-parts"
        elif kind == "text/html":
            html.append(part)
        elif kind == "text/plain" and not (lines and parameter(part, "name")):
            text, over = _within(part_text(part), left)
            left, beyond = left - len(text), beyond + over
            lines += [(line, "") for line in plain_lines(part, text)]
    if any(text.strip() for text, _ in lines):
        return lines, "", beyond
    left = _LIMIT
    for part in html:
        source, over = _within(part_text(part), left, whole_lines=False)
        left, beyond = left - len(source), beyond + over
        lines += html_lines(source)
    return lines, damage if not any(text for text, _ in lines) else "", beyond


def _within(text: str, left: int, *, whole_lines: bool = True) -> tuple[str, int]:
    """(what may be read of it, lines left out)."""
    if len(text) <= left:
        return text, 0
    end = text.rfind("\n", 0, left) + 1 if whole_lines else left
    return text[:end], text.count("\n", end) + 1


def text_parts(message: Part) -> Iterator[Part]:
    """Leaves in the order of the mail, without attachments and without the insides of attached mails.

    A multipart that could not be taken apart comes as a leaf.
    """
    waiting = [message]
    while waiting:
        part = waiting.pop()
        if _attached(part) or part.get_content_maintype() == "message":
            continue
        if part.is_multipart():
            waiting.extend(reversed(part.children))
        else:
            yield part


def _attached(part: Part) -> bool:
    disposition = raw_field(part, "Content-Disposition").strip().lower()
    return disposition.startswith("attachment") or "filename" in disposition


def part_bytes(part: Part) -> bytes:
    """Content of a leaf with its transfer encoding undone. Damaged base64 gives what can be read of it."""
    data = part.raw_bytes
    encoding = raw_field(part, "Content-Transfer-Encoding").partition(";")[0].strip().lower()
    if encoding == "base64":
        return _base64(data)
    return quopri.decodestring(data) if encoding == "quoted-printable" else data


def _base64(data: bytes) -> bytes:
    try:
        return binascii.a2b_base64(data)
    except binascii.Error:
        alphabet = bytes.maketrans(b"-_", b"+/")
        wanted = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        others = bytes(sorted(set(range(256)) - set(wanted)))
        digits = data.translate(alphabet).partition(b"=")[0].translate(None, others)
        return binascii.a2b_base64(digits[: len(digits) - len(digits) % 4])


def part_text(part: Part) -> str:
    """Content of a text part as the sender's charset has it, or the likeliest other one."""
    return decode_text(part_bytes(part), parameter(part, "charset"))


def parameter(part: Part, name: str) -> str:
    """A parameter of Content-Type, bare; "" if absent or unreadable."""
    try:
        value = part.get_param(name, "")
    except (ValueError, TypeError, LookupError):  # e.g. an RFC 2231 parameter with a broken number
        return ""
    text = value[2] if isinstance(value, tuple) else value
    return str(text or "").strip().strip("'\"")


def plain_lines(part: Part, text: str) -> list[str]:
    """Cleaned lines of a text/plain part with this text, unwrapped if it says format=flowed."""
    if parameter(part, "format").lower() == "flowed":
        text = unflow(text, parameter(part, "delsp").lower() == "yes")
    return list(split_lines(clean_text(text)))


def unflow(text: str, delsp: bool = False) -> str:
    """RFC 3676: join lines that end with a space to the next one of the same depth of quotation.

    ``delsp`` takes that space away. Quoted lines keep their marks ("> "), the signature separator stands alone.
    """
    done: list[str] = []
    pieces: list[str] = []
    depth = 0
    for raw in text.replace("\r\n", "\n").split("\n"):
        content = raw.lstrip(">")
        level = len(raw) - len(content)
        content = content[1:] if content.startswith(" ") else content
        separator = content.rstrip("\r") in ("-- ", "--")
        if pieces and (level != depth or separator):
            done.append(_quoted("".join(pieces), depth))
            pieces = []
        depth = level
        flowed = content.endswith(" ") and not separator
        pieces.append(content[:-1] if flowed and delsp else content)
        if not flowed:
            done.append(_quoted("".join(pieces), depth))
            pieces = []
    if pieces:
        done.append(_quoted("".join(pieces), depth))
    return "\n".join(done)


def _quoted(text: str, depth: int) -> str:
    return f"{'>' * depth} {text}" if depth else text
