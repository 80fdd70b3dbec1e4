"""The moderator's mail, cut into commands and what is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from moderator.commands.call import Request
from moderator.commands.declaration import Command
from moderator.commands.reading import find_of_moderator as find
from moderator.desk.tokens import CODE
from moderator.mail.model import Line

Told = tuple[Request, str]
"""A command, and the code of the match under whose heading it stands ("" = none)."""
_HEADING = re.compile(
    rf"\s*(?:(?:partie|match|game)\s+)?\[?({CODE.pattern})(?:-[0-9A-Z]*)?\]?\s*(?::|\s|$)\s*(.*)", re.I | re.S
)
_END = re.compile(r"\W*(?:ende|end|schluss)\W*", re.IGNORECASE)
_REPLY = re.compile(r"(?:\s*(?:re|aw|antw|antwort|fwd?|wg)(?:\[\d+\])?\s*:|\s*\[[^\]]*-[^\]]*\])+", re.IGNORECASE)


def read(lines: Sequence[Line], subject: str, ended: bool) -> tuple[list[Told], list[Line]]:
    """The commands in the order of the mail, one in the subject first, and the lines that are none. ``ended``: the
    writer has put ``ENDE`` below these lines."""
    told: list[Told] = []
    unread: list[Line] = []
    title = _REPLY.sub("", subject[:300]).strip()
    if (found := find(title, whole=True)) is not None:
        told.append((Request(found[0], Line(0, title), found[1]), ""))
    rest, code = list(lines), ""
    while rest:
        line = rest.pop(0)
        heading = _HEADING.fullmatch(line.text[:1000])
        text = line.text
        if heading:
            code, text = heading.group(1).upper(), heading.group(2)
        if not text.strip():
            continue
        found = find(text, under=bool(code))
        if found is None:
            unread.append(line)
            continue
        request = Request(found[0], line, found[1])
        told.append((_with_body(request, rest, ended) if _goes_on(*found) else request, code))
    return told, unread


def _goes_on(command: Command, argument: str) -> bool:
    """Whether its text stands in the lines below."""
    return bool(command.body) and (not argument or argument.endswith(":") or ":" not in argument)


def _with_body(request: Request, rest: list[Line], ended: bool) -> Request:
    """Take the lines of a text from ``rest``, up to ``ENDE``; without an end all of them, so that none is read as
    anything else."""
    body: list[str] = []
    while rest:
        line = rest.pop(0)
        if _END.fullmatch(line.text):
            return replace(request, body=tuple(body))
        body.append(line.text)
    return replace(request, body=tuple(body), closed=ended)
