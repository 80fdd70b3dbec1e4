"""A mail that ``compose`` made, with less in it: for a server that takes none so large. Message-ID, sender and
recipient stay, so it is the same mail to everybody who may have got the whole one."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

from moderator.common.message_files import choose_folder_language, load_message_files
from moderator.mail.build import build_multipart, encode_quoted_printable

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

    First it loses pictures and pages to lay tiles on, then all that is attached, then everything but its text; it says
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
