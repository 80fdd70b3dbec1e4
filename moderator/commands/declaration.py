"""What a command is: one declaration above the function that carries it out.

    @Command(
        "board",
        scope=Scope.MATCH,
        group=Group.SHOW,
        asks=True,
    )
    def board(call: Call) -> Answer: ...

Whatever reads or tells of commands asks ``players()`` or ``moderators()``: how a line is read, the help, the
receipts, the log of what was commanded, the command line. They are found by importing the modules in
``commands/player`` and ``commands/moderator``; no list names them.

What a command is called and what the help says of it stands once for each language in a text file of the module's
folder (``asking.messages.de.toml``, or whichever there is of that language)::

    [command.board]
    words = "brett|spielbrett"
    help = "kommt nur das Brett."

How a line is looked up in the table of commands.

A word counts in any case, with umlauts or AE, OE, UE. In a player's mail it may be cut short as long as only one
command begins so and nothing follows it. What is no command for sure is a remark or a move, so a line must be a
command from its first word to its last. The moderator's mail holds no moves: its words may be cut short wherever
only one command begins so, and the match may stand anywhere in the line or in a heading above it."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeVar

from moderator.club.spelling import IN, MATCH_WORD, PLEASE
from moderator.club.tokens import CODE
from moderator.commands import moderator, player
from moderator.errors import OperatorError
from moderator.texts import Owners, claim, in_all, plain

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
    """The chief or, as far as ``Reach`` goes, a referee: by mail with the token; the chief also on the command line."""


class Reach(StrEnum):
    """What a command of the moderator's lays open or changes, and who may therefore give it by mail."""

    SELF = "self"
    """Nothing but what concerns its writer; the chief and every referee."""
    MATCHES = "matches"
    """The matches that it names: who is in charge of them. Where it names none it is about all, and the chief's."""
    CLUB = "club"
    """The whole club: only the chief."""


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


_KEYS = {one.name for one in fields(Text)}


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
    many: bool = False
    """All words that follow are this one argument."""
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
    scope: Scope
    group: Group | None = None
    """Where the help of players names it."""
    rank: int = LATE
    """Place within its group, or in the moderator's help."""
    who: Who = Who.SEAT
    reach: Reach | None = None
    """Of a command of the moderator's; each must say it."""
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
    colon: bool = False
    """It is one only with a colon behind its word: the word begins sentences, too."""
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
    texts: Mapping[str, Text] = field(default_factory=dict, compare=False)
    """By language; in the table of commands there is one for each."""

    def __call__(self, function: Function) -> Function:
        table = _declared[self.who is Who.MODERATOR]
        if (self.who is Who.MODERATOR) != (self.reach is not None):
            raise ValueError(f"The command {self.name} must say how far it reaches, if it is the moderator's.")
        if self.name in table:
            raise ValueError(f"There are two commands {self.name}.")
        table[self.name] = replace(self, act=function)
        _sorted.cache_clear()
        return function

    @property
    def folder(self) -> Path:
        """Where its words lie."""
        return Path(self.act.__globals__["__file__"]).parent

    def text(self, language: str) -> Text:
        """In a language that there are no files of it speaks English."""
        return self.texts.get(language) or self.texts["en"]

    @cached_property
    def words(self) -> frozenset[str]:
        """All that it is called, spelt plain."""
        return _plain(tuple(text.words for text in self.texts.values()))


@cache
def _plain(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(plain(word) for some in words for word in some.split("|"))


_declared: dict[bool, dict[str, Command]] = {False: {}, True: {}}
"""By name, without words; those of the moderator apart, whose mails nobody else's commands stand in."""


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
    owners: Owners = {}
    return {one.name: _worded(one, owners) for one in found}


def _worded(command: Command, owners: Owners) -> Command:
    """With its texts. ``owners``: of the commands so far. Raises OperatorError for a word that
    two commands have, for a language that lacks the command, and for an entry that lacks something."""
    said = in_all(command.folder, "command", command.name)
    texts: dict[str, Text] = {}
    for language, (file, entry) in said.items():
        place = f"{file} [command.{command.name}]"
        if not {"words", "help"} <= entry.keys() <= _KEYS or not all(isinstance(one, str) for one in entry.values()):
            raise OperatorError(f"{place} has {', '.join(entry)}.", "It needs words and help; example, said if it has.")
        texts[language] = text = Text(**entry)
        for word in _plain((text.words,)):
            claim(owners, word, f"[command.{command.name}]", file)
    return replace(command, texts=texts)


@cache
def _load(folder: ModuleType) -> None:
    for module in pkgutil.iter_modules(folder.__path__):
        import_module(f"{folder.__name__}.{module.name}")


# ---- how a line is looked up ----


SHORTEST = 3
"""Letters of the shortest prefix."""
FEW = 3
"""Words of a line that is a command for sure, even if the rest of it makes no sense."""
_BEHIND = re.compile(
    rf"(?:^|\s+)(?:{IN}\s+)?(?:{MATCH_WORD}\s+)?\[?{CODE.pattern}\]?\W*$",
    re.IGNORECASE,
)
"""What may stand behind any command: the match that it means."""
_POLITE = re.compile(rf"(?:^|\s+){PLEASE}\W*$", re.IGNORECASE)
_POLITE_ROUND = re.compile(rf"^{PLEASE}\s+|\s+{PLEASE}\W*$", re.IGNORECASE)
_NAMES_A_MATCH = re.compile(rf"(?<!\w){CODE.pattern}(?!\w)", re.IGNORECASE)
_ENDS = re.compile(r"(;|[.,!?]\s|\s(?:und|and|et)\s)")
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
        if command is None or (command.colon and not _has_colon(text, rest)):
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


def _has_colon(text: str, rest: str) -> bool:
    """Whether a colon stands between the command's word and what follows it."""
    return rest.startswith(":") or text[: len(text) - len(rest)].rstrip().endswith(":")


def find_of_moderator(line: str, under: bool = False, whole: bool = False) -> tuple[Command, str] | None:
    """The same for a line of the moderator's. ``under`` a match's heading it need not name one."""
    text, more = line.strip()[:1000], line.strip()[1000:]
    text = text if more else _POLITE_ROUND.sub("", text)
    for word, rest in _cut(text):
        command = _named(word, tuple(moderators().values()), None if whole else _begins_somehow)
        if command is None:
            continue
        argument = rest.lstrip(":= ").strip()
        argument = argument if command.body else argument.rstrip(" .")
        fits = re.fullmatch(command.pattern, argument.rstrip(" !"), re.IGNORECASE | re.DOTALL) is not None
        code = _NAMES_A_MATCH.search(argument) is not None
        named = under or command.scope is not Scope.MATCH or code
        # A word that is not cut short, and a match: that is meant, even if the rest of it makes no sense.
        sure = (fits and named) or (code and word in command.words)
        if sure or (len(text.split()) <= FEW_OF_MODERATOR and _meant(argument)):
            return command, argument + more
    return None


def could_be(line: str) -> tuple[Command, ...]:
    """The commands of the moderator's that a line may mean of which the word is cut too short."""
    text = line.strip()[:1000]
    if len(text.split()) > FEW_OF_MODERATOR and not _NAMES_A_MATCH.search(text):
        return ()
    every = moderators().values()
    found = (tuple(one for one in every if word and _begins_somehow(one, word)) for word, _ in _cut(text))
    return next(filter(None, found), ())


def next_command(text: str) -> str:
    """A second command behind a semicolon of a line; behind any other end of a sentence only one that names a match.
    "" = none."""
    parts = _ENDS.split(text[:1000])
    for end, part in zip(parts[1::2], parts[2::2], strict=True):
        if find_of_moderator(part) and (end == ";" or _NAMES_A_MATCH.search(part)):
            return part.strip()
    return ""


def _cut(text: str) -> Iterator[tuple[str, str]]:
    """(what may be the command's word, spelt plain, and what follows it), the longest first."""
    for count in range(min(4, len(text.split())), 0, -1):
        parts = text.split(None, count)
        yield plain(" ".join(parts[:count])).rstrip(":.!,;"), "".join(parts[count:]).strip()


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
