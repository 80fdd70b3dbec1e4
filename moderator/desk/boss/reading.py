"""The moderator's mail, cut into commands. Unlike a player's it holds no moves, so that words may be cut short wherever
only one command begins so, and the match may stand anywhere in the line or in a heading above it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from moderator.commands.reading import SHORTEST
from moderator.desk.boss.call import Command
from moderator.desk.boss.vocabulary import BOSS_VERBS, Verb
from moderator.desk.spelling import plain
from moderator.desk.tokens import CODE
from moderator.mail.model import Line

Told = tuple[Command, str]
"""A command, and the code of the match under whose heading it stands ("" = none)."""
_HEADING = re.compile(
    rf"\s*(?:(?:partie|match|game)\s+)?\[?({CODE.pattern})(?:-[0-9A-Z]*)?\]?\s*(?::|\s|$)\s*(.*)", re.I | re.S
)
_END = re.compile(r"\W*(?:ende|end|schluss)\W*", re.IGNORECASE)
_REPLY = re.compile(r"(?:\s*(?:re|aw|antw|antwort|fwd?|wg)(?:\[\d+\])?\s*:|\s*\[[^\]]*-[^\]]*\])+", re.IGNORECASE)
_POLITE = re.compile(r"^(?:bitte|please)\s+|\s+(?:bitte|please)\W*$", re.IGNORECASE)
_NAMED = re.compile(rf"(?<!\w){CODE.pattern}(?!\w)", re.IGNORECASE)
FEW = 4
"""Words of a line that is a command even if it names no match and the rest makes no sense."""


def read(lines: Sequence[Line], subject: str, ended: bool) -> tuple[list[Told], list[Line]]:
    """The commands in the order of the mail, one in the subject first, and the lines that are none. ``ended``: the
    writer has put ``ENDE`` below these lines."""
    told: list[Told] = []
    unread: list[Line] = []
    title = _REPLY.sub("", subject[:300]).strip()
    if (found := find(title, whole=True)) is not None:
        told.append((Command(found[0].name, Line(0, title), found[1]), ""))
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
        command = Command(found[0].name, line, found[1])
        told.append((_with_body(command, rest, ended) if _goes_on(*found) else command, code))
    return told, unread


def find(text: str, under: bool = False, whole: bool = False) -> tuple[Verb, str] | None:
    """(command, what follows its word) of a line, or None. ``under`` a match's heading it need not name one; ``whole``:
    the word must not be cut short."""
    line = _POLITE.sub("", text.strip()[:1000])
    for count in range(min(4, len(line.split())), 0, -1):
        parts = line.split(None, count)
        verb = _verb(plain(" ".join(parts[:count])).rstrip(":.!,"), whole)
        if verb is None:
            continue
        argument = "".join(parts[count:]).lstrip(":= ").strip()
        argument = argument if verb.text else argument.rstrip(" .")
        fits = re.fullmatch(verb.argument, argument.rstrip(" !"), re.IGNORECASE | re.DOTALL) is not None
        named = under or verb.scope != "match" or _NAMED.search(argument) is not None
        if (fits and named) or (len(line.split()) <= FEW and _meant(argument)):
            return verb, argument
    return None


def _meant(argument: str) -> bool:
    """Whether what follows a command's word looks as if it was meant so: nothing, one word, or a number."""
    return len(argument.split()) <= 1 or re.search(r"\d", argument) is not None


def _verb(word: str, whole: bool) -> Verb | None:
    for verb in BOSS_VERBS:
        if word in _words(verb):
            return verb
    if whole or len(word) < SHORTEST:
        return None
    found = {verb.name: verb for verb in BOSS_VERBS if any(one.startswith(word) for one in _words(verb))}
    return next(iter(found.values())) if len(found) == 1 else None


def _words(verb: Verb) -> tuple[str, ...]:
    return tuple(plain(word) for word in verb.words.split("|"))


def _goes_on(verb: Verb, argument: str) -> bool:
    """Whether its text stands in the lines below."""
    return bool(verb.text) and (not argument or argument.endswith(":") or ":" not in argument)


def _with_body(command: Command, rest: list[Line], ended: bool) -> Command:
    """Take the lines of a text from ``rest``, up to ``ENDE``; without an end all of them, so that none is read as
    anything else."""
    body: list[str] = []
    while rest:
        line = rest.pop(0)
        if _END.fullmatch(line.text):
            return Command(command.name, command.line, command.argument, tuple(body))
        body.append(line.text)
    return Command(command.name, command.line, command.argument, tuple(body), closed=ended)
