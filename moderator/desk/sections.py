"""A mail's new text, cut into what concerns which match, and the commands in it.

A line ``Partie K7Q2``, ``[K7Q2]`` or ``K7Q2:`` (alone or before an order) says which match the lines from there
on mean.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from moderator.desk.tokens import CODE
from moderator.mail.model import Line

Command = Literal["help", "status", "withdraw", "single-on", "single-off"]
SETTINGS = frozenset({"single-on", "single-off"})
"""Commands that concern the player, whichever match the line stands in."""

COMMANDS: dict[str, Command] = {
    "hilfe": "help",
    "help": "help",
    "stand": "status",
    "status": "status",
    "brett": "status",
    "board": "status",
    "bank": "status",
    "rack": "status",
    "steine": "status",
    "zurückziehen": "withdraw",
    "zurueckziehen": "withdraw",
    "zug zurückziehen": "withdraw",
    "zug zurueckziehen": "withdraw",
    "withdraw": "withdraw",
}

_SINGLE = re.compile(
    r"(?:(?:auto(?:matisch(?:er)?)?[\s_-]*)?(?:einzelz(?:ug|(?:ü|ue)ge)|single(?:[\s_-]*moves?)?)|autosingle)"
    r"\s*[:=]?\s*(?:(?P<on>an|ein|on|ja|yes|true)|aus|ab|off|nein|no|false)",
    re.IGNORECASE,
)
_HEADING = re.compile(
    rf"\s*(?:(?:partie|spiel|match|game)\s+)?(\[)?({CODE.pattern})(?:-[0-9A-Z]*)?(\])?\s*(:|\s|$)\s*(.*)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass
class Section:
    """Lines for one match. ``code`` is "" for lines before any heading."""

    code: str
    lines: list[Line] = field(default_factory=list)
    commands: list[tuple[Line, Command]] = field(default_factory=list)


def cut(lines: Sequence[Line]) -> list[Section]:
    """The sections in order; lines of one match that stand in several places come together."""
    sections = {"": Section("")}
    current = sections[""]
    for line in lines:
        text = line.text
        heading = _HEADING.match(text[:300])
        if heading:
            code = heading.group(2).upper()
            current = sections.setdefault(code, Section(code))
            text = heading.group(5) + text[300:]
        if not text.strip():
            continue
        command = _command(text)
        if command:
            current.commands.append((line, command))
        else:
            current.lines.append(Line(line.number, text))
    return [section for section in sections.values() if section.lines or section.commands]


def _command(text: str) -> Command | None:
    words = text.strip().rstrip(".!")
    if single := _SINGLE.fullmatch(words[:60]):
        return "single-on" if single["on"] else "single-off"
    return COMMANDS.get(words.casefold())
