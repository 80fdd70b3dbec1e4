"""A mail's new text, cut into what concerns which match, and the commands in it.

A line ``Partie K7Q2``, ``[K7Q2]`` or ``K7Q2:`` (alone or before an order) says which match the lines from there
on mean; a command may name its match behind itself (``Stand K7Q2``). Commands are looked up in
commands/vocabulary.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from moderator.desk.commands.call import Command
from moderator.desk.commands.vocabulary import VERBS, Verb, find
from moderator.desk.spelling import plain
from moderator.desk.tokens import CODE
from moderator.mail.model import Line

SUBJECT = 0
"""Number of the line that a mail's subject is."""
_HEADING = re.compile(
    rf"\s*(?:(?:partie|spiel|match|game)\s+)?(\[)?({CODE.pattern})(?:-[0-9A-Z]*)?(\])?\s*(:|\s|$)\s*(.*)",
    re.IGNORECASE | re.DOTALL,
)
_CODE_BEHIND = re.compile(
    rf"(.*?)(?:^|\s+)(?:in\s+)?(?:(?:partie|spiel|match|game)\s+)?\[?({CODE.pattern})\]?\W*",
    re.IGNORECASE | re.DOTALL,
)
_DRAWN = re.compile(r"[\w.*·|\s]*(?:\.\.|\.\w|\*|(?<!\w)[^\W\d] [^\W\d](?!\w))[\w.*·|\s]*")
"""A row of a drawing, as a solution of Presto may be sent: letters and dots."""
_END = re.compile(r"\W*(?:ende|end|schluss)(?:\s+(?:der\s+)?(?:presse|press|nachricht|message))?\W*", re.IGNORECASE)
_REPLY = re.compile(r"(?:\s*(?:re|aw|antw|antwort|fwd?|wg)(?:\[\d+\])?\s*:|\s*\[[^\]]*\])+", re.IGNORECASE)


@dataclass
class Section:
    """Lines for one match. ``code`` is "" for lines before any heading."""

    code: str
    lines: list[Line] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)


def bounded(lines: Sequence[Line], most: int, characters: int) -> list[Line]:
    """The first lines: at most so many, and of so many characters in all, so that reading them takes no time."""
    kept: list[Line] = []
    for line in lines[:most]:
        characters -= len(line.text)
        if characters < 0:
            break
        kept.append(line)
    return kept


def cut(
    lines: Sequence[Line], subject: str = "", verbs: Sequence[Verb] = VERBS, ended: bool = False, writer: str = ""
) -> list[Section]:
    """The sections in order; lines of one match that stand in several places come together. A command in ``subject``
    comes before all others. ``ended``: the writer has put ``ENDE`` below these lines. ``writer``: a line that is that
    name, or part of it, signs the mail and is no word cut short (Anne does not mean ``annehmen``)."""
    sections = {"": Section("")}
    current = sections[""]
    if (first := _in_subject(subject, verbs)) is not None:
        _section_for(first, sections, current)[0].commands.append(first)
    rest = list(lines)
    while rest:
        line = rest.pop(0)
        text = line.text
        heading = _HEADING.match(text[:300])
        if heading:
            current = sections.setdefault(heading.group(2).upper(), Section(heading.group(2).upper()))
            text = heading.group(5) + text[300:]
        if not text.strip():
            continue
        signed = plain(text).strip(" .,!") in {plain(name) for name in (writer, *writer.split())}
        found = None if _in_a_drawing(line, lines) else find(text, verbs, whole=signed)
        if found is None:
            current.lines.append(Line(line.number, text))
            continue
        verb, argument = found
        command = Command(verb.name, line, argument)
        if _goes_on(verb, argument):
            command = _with_body(command, rest, ended)
        section, command = _section_for(command, sections, current)
        section.commands.append(command)
    return [section for section in sections.values() if section.lines or section.commands]


def _in_subject(subject: str, verbs: Sequence[Verb]) -> Command | None:
    """A subject that is a command and nothing else; its words are not cut short there."""
    text = _REPLY.sub("", subject[:300]).strip()
    found = find(text, verbs) if text else None
    if found is None or _goes_on(*found):
        return None
    verb, argument = found
    word = plain(text.rpartition(argument)[0] if argument else text).rstrip(":.! ")
    return Command(verb.name, Line(SUBJECT, text), argument) if word in plain(verb.words).split("|") else None


def _section_for(command: Command, sections: dict[str, Section], current: Section) -> tuple[Section, Command]:
    """The section that a command belongs to: the one of the match that it names, else the one it stands in."""
    in_a_text = command.body or ":" in command.argument
    behind = None if in_a_text else _CODE_BEHIND.fullmatch(command.argument)
    if behind is None:
        return current, command
    code = behind.group(2).upper()
    return sections.setdefault(code, Section(code)), Command(command.name, command.line, behind.group(1).strip())


def _goes_on(verb: Verb, argument: str) -> bool:
    """Whether its text stands in the lines below: ``Presse an Bert``, ``Einspruch:``."""
    if not verb.text:
        return False
    return not argument or argument.endswith(":") or (verb.text == "letter" and ":" not in argument)


def _with_body(command: Command, rest: list[Line], ended: bool) -> Command:
    """Take the lines of a text from ``rest``, up to ``ENDE``. Without an end all are taken: none of them may be read as
    anything else, and none is passed on."""
    body: list[Line] = []
    closed = ended
    while rest:
        line = rest.pop(0)
        if _END.fullmatch(line.text):
            closed = True
            break
        body.append(line)
    text = tuple(line.text for line in body)
    return Command(command.name, command.line, command.argument, text, closed, tuple(body))


def _in_a_drawing(line: Line, lines: Sequence[Line]) -> bool:
    """Whether a single word stands right above or below a row of a drawing: then it is a row itself."""
    if not line.text.strip().isalpha():
        return False
    return any(_DRAWN.fullmatch(other.text.strip()) for other in _neighbours(line, lines))


def _neighbours(line: Line, lines: Sequence[Line]) -> Iterable[Line]:
    return (other for other in lines if abs(other.number - line.number) == 1 and other.text.strip())
