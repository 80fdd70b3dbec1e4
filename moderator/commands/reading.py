"""How a line is looked up in the table of commands.

A word counts in any case, with umlauts or AE, OE, UE, and may be cut short as long as only one command begins so and
nothing follows it. What is no command for sure is a remark or a move, so a line must be a command from its first word
to its last.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import partial

from moderator.commands.declaration import Command, Scope, players
from moderator.desk.spelling import plain
from moderator.desk.tokens import CODE

SHORTEST = 3
"""Letters of the shortest prefix."""
FEW = 3
"""Words of a line that is a command for sure, even if the rest of it makes no sense."""
_BEHIND = re.compile(
    rf"(?:^|\s+)(?:in\s+)?(?:(?:partie|spiel|match|game)\s+)?\[?{CODE.pattern}\]?\W*$",
    re.IGNORECASE,
)
"""What may stand behind any command: the match that it means."""
_POLITE = re.compile(r"(?:^|\s+)(?:bitte|please)\W*$", re.IGNORECASE)


def knowing(tournaments: Collection[str]) -> tuple[Command, ...]:
    """The table for a club with tournaments of these names (``cup_words.keys``)."""
    names = tuple(tournaments)
    return tuple(
        replace(one, reads=partial(one.reads, names=names)) if one.scope is Scope.TOURNAMENT and one.reads else one
        for one in players().values()
    )


def find(line: str, commands: Iterable[Command] | None = None, whole: bool = False) -> tuple[Command, str] | None:
    """(command, what follows it) of a line, or None for a line that is none. An argument that the command cannot use
    is given all the same if the line is short: then it is meant as that command. ``whole``: not abbreviated."""
    text = line.strip()[:1000]
    ready = tuple(players().values() if commands is None else commands)
    for count in range(min(4, len(text.split())), 0, -1):
        head = text.split(None, count)[:count]
        rest = text.split(None, count)[count:]
        command = _named(plain(" ".join(head)).rstrip(":.!,"), ready, short=not (rest or whole))
        if command is None:
            continue
        argument = rest[0].strip() if rest else ""
        argument = argument.lstrip(":= ").strip() if command.pattern else argument
        argument = argument if command.body else argument.rstrip(" .!")
        if not command.body:
            argument = _POLITE.sub("", argument)
        bare = argument if command.body else _BEHIND.sub("", argument)
        if takes(command, bare):
            return command, argument if command.pattern else argument[len(bare) :]
        if command.short is not None and len(text.split()) <= FEW and command.short(argument):
            return command, argument
    return None


def takes(command: Command, argument: str) -> bool:
    """Whether a line with that behind the word is this command for sure."""
    fits = re.fullmatch(command.pattern, argument, re.IGNORECASE | re.DOTALL) is not None
    return fits and (command.reads is None or command.reads(argument) is not None)


def _named(word: str, commands: tuple[Command, ...], short: bool) -> Command | None:
    for one in commands:
        if word in one.words:
            return one
    if not short or len(word) < SHORTEST:
        return None
    found = [one for one in commands if _begins(one, word)]
    return found[0] if len(found) == 1 else None


def _begins(command: Command, word: str) -> bool:
    return not command.whole and any(one.startswith(word) and " " not in one for one in command.words)
