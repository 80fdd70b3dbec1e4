"""How a line is looked up in the table of commands.

A word counts in any case, with umlauts or AE, OE, UE. In a player's mail it may be cut short as long as only one
command begins so and nothing follows it. What is no command for sure is a remark or a move, so a line must be a command
from its first word to its last. The moderator's mail holds no moves: its words may be cut short wherever only one
command begins so, and the match may stand anywhere in the line or in a heading above it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from moderator.club.spelling import plain
from moderator.club.tokens import CODE
from moderator.commands.declaration import Command, Scope, moderators, players

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
_POLITE_ROUND = re.compile(r"^(?:bitte|please)\s+|\s+(?:bitte|please)\W*$", re.IGNORECASE)
_NAMES_A_MATCH = re.compile(rf"(?<!\w){CODE.pattern}(?!\w)", re.IGNORECASE)
FEW_OF_MODERATOR = 4
"""The same of a line of the moderator's that names no match."""


def knowing(names: Callable[[], Collection[str]]) -> tuple[Command, ...]:
    """The table for a club with tournaments of these ``names`` (``tournament_words.keys``), which are asked for when a
    line seems to be about one."""

    def with_names(reads: Callable[..., object]) -> Callable[..., object]:
        return lambda argument: reads(argument, names=names())

    return tuple(
        replace(one, reads=with_names(one.reads)) if one.scope is Scope.TOURNAMENT and one.reads else one
        for one in players().values()
    )


def find(line: str, commands: Iterable[Command] | None = None, whole: bool = False) -> tuple[Command, str] | None:
    """(command, what follows it) of a line, or None for a line that is none. An argument that the command cannot use
    is given all the same if the line is short: then it is meant as that command. ``whole``: not abbreviated."""
    text = line.strip()[:1000]
    ready = tuple(players().values() if commands is None else commands)
    for word, rest in _cut(text):
        command = _named(word, ready, None if rest or whole else _begins)
        if command is None:
            continue
        argument = rest.lstrip(":= ").strip() if command.pattern else rest
        if not command.body:
            argument = _POLITE.sub("", argument.rstrip(" .!"))
        bare = argument if command.body else _BEHIND.sub("", argument)
        if takes(command, bare):
            return command, argument if command.pattern else argument[len(bare) :]
        if command.short is not None and len(text.split()) <= FEW and command.short(argument):
            return command, argument
    return None


def find_of_moderator(line: str, under: bool = False, whole: bool = False) -> tuple[Command, str] | None:
    """The same for a line of the moderator's. ``under`` a match's heading it need not name one."""
    text = _POLITE_ROUND.sub("", line.strip()[:1000])
    for word, rest in _cut(text):
        command = _named(word, tuple(moderators().values()), None if whole else _begins_somehow)
        if command is None:
            continue
        argument = rest.lstrip(":= ").strip()
        argument = argument if command.body else argument.rstrip(" .")
        fits = re.fullmatch(command.pattern, argument.rstrip(" !"), re.IGNORECASE | re.DOTALL) is not None
        named = under or command.scope is not Scope.MATCH or _NAMES_A_MATCH.search(argument) is not None
        if (fits and named) or (len(text.split()) <= FEW_OF_MODERATOR and _meant(argument)):
            return command, argument
    return None


def _cut(text: str) -> Iterator[tuple[str, str]]:
    """(what may be the command's word, spelt plain, and what follows it), the longest first."""
    for count in range(min(4, len(text.split())), 0, -1):
        parts = text.split(None, count)
        yield plain(" ".join(parts[:count])).rstrip(":.!,"), "".join(parts[count:]).strip()


def _meant(argument: str) -> bool:
    """Whether what follows a command's word looks as if it was meant so: nothing, one word, or a number."""
    return len(argument.split()) <= 1 or re.search(r"\d", argument) is not None


def takes(command: Command, argument: str) -> bool:
    """Whether a line with that behind the word is this command for sure."""
    fits = re.fullmatch(command.pattern, argument, re.IGNORECASE | re.DOTALL) is not None
    return fits and (command.reads is None or command.reads(argument) is not None)


def _named(word: str, commands: tuple[Command, ...], begins: Callable[[Command, str], bool] | None) -> Command | None:
    """The command that is called so, or the only one that ``begins`` so."""
    for one in commands:
        if word in one.words:
            return one
    if begins is None or len(word) < SHORTEST:
        return None
    found = [one for one in commands if begins(one, word)]
    return found[0] if len(found) == 1 else None


def _begins(command: Command, word: str) -> bool:
    return not command.whole and any(one.startswith(word) and " " not in one for one in command.words)


def _begins_somehow(command: Command, word: str) -> bool:
    return any(one.startswith(word) for one in command.words)
