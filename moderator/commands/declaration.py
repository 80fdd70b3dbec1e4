"""What a command is: one declaration above the function that carries it out.

    @Command(
        "board",
        {"de": Text("brett|spielbrett", "kommt nur das Brett."), "en": Text("board", "you get only the board.")},
        scope=Scope.MATCH,
        group=Group.SHOW,
        asks=True,
    )
    def board(call: Call) -> Answer: ...

Whatever reads or tells of commands asks ``players()`` or ``moderators()``: how a line is read, the help, the receipts,
the log of what was commanded, the command line. They are found by importing the modules in ``commands/player`` and
``commands/moderator``; no list names them.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, TypeVar

from moderator.club.spelling import plain
from moderator.commands import moderator, player

Function = TypeVar("Function", bound=Callable[..., Any])
LATE = 1000
"""Where a command stands in the help that names no place: at the end of its group."""


class Who(StrEnum):
    """Who may give a command."""

    SEAT = "seat"
    """Whoever may act for a seat: a seat's token is enough."""
    PLAYER = "player"
    """Only the player himself, from the registered address."""
    MODERATOR = "moderator"
    """The moderator, by mail with the token or on the command line."""


class Scope(StrEnum):
    """What a command is about."""

    MATCH = "match"
    """One match of the writer's, always."""
    EITHER = "either"
    """A match, or all of them."""
    CLUB = "club"
    """The writer, in whichever match it stands."""
    TOURNAMENT = "tournament"
    """A tournament: the names of all are known when its line is read."""


class Group(StrEnum):
    """A heading of the help."""

    TURN = "turn"
    SHOW = "show"
    TALK = "talk"
    MATCHES = "matches"
    SETTINGS = "settings"


class Logged(StrEnum):
    """How much of its line the list of commands keeps."""

    ALL = "all"
    HEAD = "head"
    """What stands before a colon."""
    NOTHING = "nothing"
    """It is not for the eyes of a moderator who may be playing along: a move that is only tried, a text that has its
    own place."""


@dataclass(frozen=True)
class Text:
    """A command in one language."""

    words: str
    """Separated by |, the usual one first. They count in any case, with umlauts or AE, OE, UE."""
    help: str
    """What it does, as the end of a sentence that begins with the word."""
    example: str = ""
    """A line that is right, "" for a command that is a word and nothing else. ``{…}`` is filled by ``fills``."""
    said: str = ""
    """How the help writes it; "" = its first word in capitals."""

    @property
    def name(self) -> str:
        return self.said or self.first.upper()

    @property
    def first(self) -> str:
        return self.words.partition("|")[0]


def _as_it_is(desk: Any, value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Parameter:
    """How the command line asks for an argument: ``code``, or the option ``--round``."""

    name: str
    kind: type = str
    help: str = ""
    required: bool = True
    """Of an argument; an option never is."""
    default: Any = None
    take: Callable[[Any, Any], Any] = _as_it_is
    """What the function gets, from the desk and what was typed. Raises OperatorError."""


@dataclass(frozen=True)
class Argument:
    """What the function wants to know besides where the command stands: a keyword of its, how it is read from the
    command as it stands in a mail (``read`` raises Misused), and how the command line asks for it (None = it does not).
    """

    name: str
    read: Callable[[Any], Any]
    parameter: Parameter | None = None


@dataclass(frozen=True)
class Shell:
    """A command of ``moderator match …``."""

    name: str
    help: str


def _undone(*_: Any) -> Any:
    raise NotImplementedError("a command without a function")


def always(argument: str) -> bool:
    """For ``Command.short``: whatever follows the word."""
    return True


@dataclass(frozen=True)
class Command:
    """A declaration. Used as a decorator it is entered into the table."""

    name: str
    """For the log, for mails that are told later, for the code; never shown to players."""
    texts: Mapping[str, Text]
    """By language."""
    scope: Scope
    group: Group | None = None
    """Where the help of players names it."""
    rank: int = LATE
    """Place within its group, or in the moderator's help."""
    who: Who = Who.SEAT
    refusal: str = "settings-need-your-address"
    """Said to somebody who may not."""
    pattern: str = ""
    """Of what may follow the word; "" = nothing may follow."""
    arguments: tuple[Argument, ...] = ()
    body: Literal["", "line", "letter"] = ""
    """It brings a text of the player's, which stands in the lines below it up to ``ENDE`` if nothing follows the word
    ("line"), or if no colon does ("letter": before that come the addressees)."""
    reads: Callable[..., object] | None = None
    """Where a pattern is not enough: None = what follows the word makes the line a remark."""
    whole: bool = False
    """Its words are never cut short: too much hangs on them, or the short form means something else."""
    short: Callable[[str], bool] | None = None
    """Whether a short line means it for sure, even if it cannot use what follows the word."""
    above_closing: bool = False
    """It is none below a closing formula: there such a line says how to reach somebody."""
    asks: bool = False
    """It is answered by a mail of its own and changes nothing: a second one like it asks for nothing more."""
    in_match_mail: bool = False
    """What it asks for stands in any mail about the match."""
    once: bool = False
    """A mail says it once, however often it says the same."""
    after_orders: bool = False
    """It is about the order in the same mail, and comes after it."""
    shell: Shell | None = None
    """The same on the command line."""
    elsewhere: str = ""
    """What the command line has instead, under a name of its own."""
    logged: Logged = Logged.ALL
    fills: Callable[[Any], Mapping[str, str]] | None = None
    """What the placeholders of its example stand for, where it was given."""
    act: Callable[..., Any] = field(default=_undone, compare=False)

    def __call__(self, function: Function) -> Function:
        _enter(replace(self, act=function))
        return function

    def text(self, language: str) -> Text:
        """In a language that it has no words in, it speaks English."""
        return self.texts.get(language) or self.texts["en"]

    @cached_property
    def words(self) -> frozenset[str]:
        """All that it is called, spelt plain."""
        return _plain(tuple(text.words for text in self.texts.values()))


@cache
def _plain(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(plain(word) for some in words for word in some.split("|"))


_declared: dict[bool, dict[str, Command]] = {False: {}, True: {}}
"""By name; those of the moderator apart, whose mails nobody else's commands stand in."""


def _enter(command: Command) -> None:
    """Raises ValueError for a name or a word that another command has."""
    table = _declared[command.who is Who.MODERATOR]
    for other in table.values():
        if other.name == command.name or other.words & command.words:
            raise ValueError(f"{command.name} and {other.name}: {sorted(other.words & command.words)}")
    table[command.name] = command
    _sorted.cache_clear()


def players() -> Mapping[str, Command]:
    """The players' commands by name, in the order of the help."""
    _load(player)
    return _sorted(False)


def moderators() -> Mapping[str, Command]:
    """The moderator's commands by name, in the order of the help."""
    _load(moderator)
    return _sorted(True)


@cache
def _sorted(moderators: bool) -> Mapping[str, Command]:
    order = [None, *Group]
    found = sorted(_declared[moderators].values(), key=lambda one: (order.index(one.group), one.rank, one.name))
    return {one.name: one for one in found}


@cache
def _load(folder: ModuleType) -> None:
    for module in pkgutil.iter_modules(folder.__path__):
        import_module(f"{folder.__name__}.{module.name}")
