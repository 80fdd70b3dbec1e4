"""A mail that ``compose`` made, with less in it: for a server that takes none so large. Message-ID, sender and
recipient stay, so it is the same mail to everybody who may have got the whole one."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

from moderator.mail.compose import multipart, quoted
from moderator.texts import parsed, spoken

_FIRST = b"\r\nMIME-Version: 1.0\r\n"
"""Behind it the body begins."""
_HEAD = re.compile(rb'Content-Type: multipart/(\w+)[^"]*?(?:type="text/html";\s*)?boundary="([^"]+)"\r\n\r\n')
_LANGUAGE = re.compile(rb"\r\nContent-Language: (\w+)")
_PAGE = b"Content-Type: text/html"
_PICTURE = re.compile(r'<img\b[^<>]*?\bsrc="cid:[^<>]*>')
WIDTH = 70
_ALT = re.compile(r'\balt="([^"]*)"')


def lighter(raw: bytes) -> bytes | None:
    """First without pictures and pages to lay tiles on, then without anything attached, then its text alone; it says
    so itself. None = there is no less."""
    head, first, body = raw.partition(_FIRST)
    found = _LANGUAGE.search(head)
    less = _less(body, _sentence(found[1].decode() if found else "")) if first else None
    return None if less is None else head + first + less


def versions(raw: bytes) -> Iterator[bytes]:
    """The mail itself, and then with less and less in it."""
    less: bytes | None = raw
    while less is not None:
        yield less
        less = lighter(less)


def _less(body: bytes, sentence: str) -> bytes | None:
    kind, boundary, parts = _parts(body)
    content, files = (parts[0], parts[1:]) if kind == "mixed" else (body, [])
    inner, mark, both = _parts(content)
    if inner != "alternative" or len(both) != 2:
        return None
    text, html = _text(both[0], sentence), both[1]
    _, _, pictured = _parts(html)
    kept = [file for file in files if not file.startswith(_PAGE)]
    if pictured or kept != files:
        html = _html(pictured[0] if pictured else html, sentence)
        content = multipart("alternative", mark, [text, html])
        return multipart("mixed", boundary, [content, *kept]) if kept else content
    if files:
        return multipart("alternative", mark, [text, _html(html, sentence)])
    return text


def _parts(body: bytes) -> tuple[str, str, list[bytes]]:
    """(subtype, boundary, parts) of a multipart; ("", "", []) of anything else."""
    found = _HEAD.match(body)
    if found is None:
        return "", "", []
    line = b"--" + found[2]
    *parts, _ = re.split(rb"(?:\A|(?<=\r\n))" + re.escape(line) + rb"(?:--)?\r\n", body[found.end() :])
    return found[1].decode(), found[2].decode(), parts[1:]


def _sentence(language: str) -> str:
    folder = Path(__file__).parent
    return next(iter(parsed(folder, spoken(folder, language)).values()))["mail-lighter"]  # type: ignore[no-any-return]


def _text(part: bytes, sentence: str) -> bytes:
    head, text = _read(part)
    if sentence in " ".join(text.split()):
        return part
    return _written(head, f"{text.rstrip()}\n\n{fill(sentence, WIDTH)}\n")


def _html(part: bytes, sentence: str) -> bytes:
    """Each picture becomes the words that say what is on it."""
    head, html = _read(part)
    html = _PICTURE.sub(lambda found: alt[1] if (alt := _ALT.search(found[0])) else "", html)
    end = html.rfind("</body>")
    if sentence not in html:
        html = f"{html[:end]}<p>{sentence}</p>{html[end:]}" if end >= 0 else f"{html}<p>{sentence}</p>"
    return _written(head, html)


def _read(part: bytes) -> tuple[bytes, str]:
    head, _, content = part.partition(b"\r\n\r\n")
    return head, quopri.decodestring(content).decode("utf-8", "replace").replace("\r\n", "\n")


def _written(head: bytes, text: str) -> bytes:
    return head + b"\r\n\r\n" + quoted(text) + b"\r\n"
