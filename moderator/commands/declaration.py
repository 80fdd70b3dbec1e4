"""What a command is: one declaration above the function that carries it out.

    @Command(
        "board",
        scope=Scope.MATCH,
        group=Group.SHOW,
        asks=True,
    )
    def board(call: Call) -> Answer: ...

Whatever reads or tells of commands asks ``get_player_commands()`` or ``get_staff_commands()``: how a line is read, the
help, the receipts, the log of what was commanded, the command line. They are found by importing the modules in
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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeVar

from moderator.commands import moderator, player
from moderator.common.errors import Impossible, Misused, OperatorError, PlayerError
from moderator.common.mails import Line
from moderator.common.message_files import Owners, claim_word, load_per_language, normalize_spelling
from moderator.common.tokens import CODE
from moderator.language.spelling import IN, MATCH_WORD, PLEASE
from moderator.notifications.pages import LineOffer, LineOutcome
from moderator.rules.game import Note
from moderator.rules.outcomes import NothingToWithdraw, OrderWithdrawn
from moderator.service.match.match import Match
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views.loaded_match import LiveMatch
from moderator.views.unit_of_work import UnitOfWork

Function = TypeVar("Function", bound=Callable[..., Any])
LATE = 1000
"""Where a command stands in the help that names no place: at the end of its group."""


class CommandGiver(StrEnum):
    """The persons who may give a command."""

    SEAT = "seat"
    """Whoever may act for a seat: a seat's token is enough."""
    PLAYER = "player"
    """Only the player himself, from the registered address."""
    MODERATOR = "moderator"
    """The chief or, as far as ``CommandReach`` goes, a referee: by mail with the token; the chief also on the command
    line."""


class CommandReach(StrEnum):
    """The part of the club that a moderator's command shows or changes; it decides who may give the command by mail."""

    SELF = "self"
    """Nothing but what concerns its writer; the chief and every referee."""
    MATCHES = "matches"
    """The matches that it names: who is in charge of them. Where it names none it is about all, and the chief's."""
    CLUB = "club"
    """The whole club: only the chief."""


class CommandScope(StrEnum):
    """The things that a command can be about."""

    MATCH = "match"
    """One match of the writer's, always."""
    EITHER = "either"
    """A match, or all of them."""
    CLUB = "club"
    """The writer, in whichever match it stands."""
    TOURNAMENT = "tournament"
    """A tournament: the names of all are known when its line is read."""


class CommandGroup(StrEnum):
    """A heading of the help."""

    TURN = "turn"
    SHOW = "show"
    TALK = "talk"
    MATCHES = "matches"
    SETTINGS = "settings"


class LoggedPart(StrEnum):
    """The part of a command's line that is stored in the list of commands."""

    ALL = "all"
    HEAD = "head"
    """What stands before a colon."""
    NOTHING = "nothing"
    """It is not for the eyes of a moderator who may be playing along: a move that is only tried, a text that has its
    own place."""


@dataclass(frozen=True)
class CommandText:
    """A command in one language."""

    words: str
    """Separated by |, the usual one first. They count in any case, with umlauts or AE, OE, UE."""
    help: str
    """What it does, as the end of a sentence that begins with the word."""
    example: str = ""
    """A line that is right, "" for a command that is a word and nothing else. ``{…}`` is filled by ``fills``."""
    said: str = ""
    """How the help writes it; "" = its first word in capitals."""
    short: str = ""
    """What the short help has of it in a match: ``LINE = what it does``."""
    anywhere: str = ""
    """The same of a line that can stand in any mail."""

    @property
    def name(self) -> str:
        return self.said or self.first_word.upper()

    @property
    def first_word(self) -> str:
        return self.words.partition("|")[0]


_KEYS = {one.name for one in fields(CommandText)}


def _return_value(work: Any, value: Any) -> Any:
    return value


@dataclass(frozen=True)
class ShellParameter:
    """An argument as the command line asks for it: ``code``, or the option ``--round``."""

    name: str
    kind: type = str
    help: str = ""
    required: bool = True
    """Of an argument; an option never is."""
    default: Any = None
    many: bool = False
    """All words that follow are this one argument."""
    take: Callable[[Any, Any], Any] = _return_value
    """What the function gets, from the unit of work and what was typed. Raises OperatorError."""


@dataclass(frozen=True)
class CommandArgument:
    """An argument of the function besides the place of the command: its keyword, how it is read from the command as it
    stands in a mail (``read`` raises Misused), and how the command line asks for it (None = it does not)."""

    name: str
    read: Callable[[Any], Any]
    parameter: ShellParameter | None = None


@dataclass(frozen=True)
class ShellCommand:
    """A command of ``moderator match …``."""

    name: str
    help: str


def _raise_undone(*_: Any) -> Any:
    raise NotImplementedError("a command without a function")


def accept_any_argument(argument: str) -> bool:
    """Return True: a value of ``Command.short``, where any text may follow the word."""
    return True


@dataclass(frozen=True)
class Command:
    """A declaration. Used as a decorator it is entered into the table."""

    name: str
    """For the log, for mails that are told later, for the code; never shown to players."""
    scope: CommandScope
    group: CommandGroup | None = None
    """Where the help of players names it."""
    rank: int = LATE
    """Place within its group, or in the moderator's help."""
    who: CommandGiver = CommandGiver.SEAT
    reach: CommandReach | None = None
    """Of a command of the moderator's; each must say it."""
    refusal: str = "settings-need-your-address"
    """Said to somebody who may not."""
    pattern: str = ""
    """Of what may follow the word; "" = nothing may follow."""
    arguments: tuple[CommandArgument, ...] = ()
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
    shell: ShellCommand | None = None
    """The same on the command line."""
    elsewhere: str = ""
    """What the command line has instead, under a name of its own."""
    logged: LoggedPart = LoggedPart.ALL
    fills: Callable[[Any], Mapping[str, str]] | None = None
    """What the placeholders of its example stand for, where it was given."""
    act: Callable[..., Any] = field(default=_raise_undone, compare=False)
    texts: Mapping[str, CommandText] = field(default_factory=dict, compare=False)
    """By language; in the table of commands there is one for each."""

    def __call__(self, function: Function) -> Function:
        table = _declared[self.who is CommandGiver.MODERATOR]
        if (self.who is CommandGiver.MODERATOR) != (self.reach is not None):
            raise ValueError(f"The command {self.name} must say how far it reaches, if it is the moderator's.")
        if self.name in table:
            raise ValueError(f"There are two commands {self.name}.")
        table[self.name] = replace(self, act=function)
        _sort_commands.cache_clear()
        return function

    @property
    def words_folder(self) -> Path:
        """The folder that holds the words of the command."""
        return Path(self.act.__globals__["__file__"]).parent

    def get_text(self, language: str) -> CommandText:
        """Return the text in a language; in English where there are no files of that language."""
        return self.texts.get(language) or self.texts["en"]

    @cached_property
    def all_words(self) -> frozenset[str]:
        """All words of the command, spelt plain."""
        return _split_words(tuple(text.words for text in self.texts.values()))


@cache
def _split_words(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(normalize_spelling(word) for some in words for word in some.split("|"))


_declared: dict[bool, dict[str, Command]] = {False: {}, True: {}}
"""By name, without words; those of the moderator apart, whose mails nobody else's commands stand in."""


def get_player_commands() -> Mapping[str, Command]:
    """Return the players' commands by name, in the order of the help."""
    _import_commands(player)
    return _sort_commands(False)


def get_staff_commands() -> Mapping[str, Command]:
    """Return the moderator's commands by name, in the order of the help."""
    _import_commands(moderator)
    return _sort_commands(True)


@cache
def _sort_commands(moderators: bool) -> Mapping[str, Command]:
    order = [None, *CommandGroup]
    found = sorted(_declared[moderators].values(), key=lambda one: (order.index(one.group), one.rank, one.name))
    owners: Owners = {}
    return {one.name: _add_texts(one, owners) for one in found}


def _add_texts(command: Command, owners: Owners) -> Command:
    """Return the command with its texts. ``owners``: of the words of the commands so far. Raises OperatorError for a
    word that two commands have, for a language that lacks the command, and for an entry that lacks something."""
    said = load_per_language(command.words_folder, "command", command.name)
    texts: dict[str, CommandText] = {}
    for language, (file, entry) in said.items():
        place = f"{file} [command.{command.name}]"
        if not {"words", "help"} <= entry.keys() <= _KEYS or not all(isinstance(one, str) for one in entry.values()):
            raise OperatorError(
                f"{place} has {', '.join(entry)}.", "It needs words and help; example, said, short, anywhere if it has."
            )
        texts[language] = text = CommandText(**entry)
        for word in _split_words((text.words,)):
            claim_word(owners, word, f"[command.{command.name}]", file)
    return replace(command, texts=texts)


@cache
def _import_commands(folder: ModuleType) -> None:
    for module in pkgutil.iter_modules(folder.__path__):
        import_module(f"{folder.__name__}.{module.name}")


# ---- how a line is looked up ----


SHORTEST = 3
"""Letters of the shortest prefix."""
FEW = 3
"""Words of a line that is a command for sure, even if the rest of it makes no sense."""
_BEHIND = re.compile(rf"(?:^|\s+)(?:{IN}\s+)?(?:{MATCH_WORD}\s+)?\[?{CODE.pattern}\]?\W*$", re.IGNORECASE)
"""What may stand behind any command: the match that it means."""
_POLITE = re.compile(rf"(?:^|\s+){PLEASE}\W*$", re.IGNORECASE)
_POLITE_ROUND = re.compile(rf"^{PLEASE}\s+|\s+{PLEASE}\W*$", re.IGNORECASE)
_NAMES_A_MATCH = re.compile(rf"(?<!\w){CODE.pattern}(?!\w)", re.IGNORECASE)
_GLUED = re.compile(r"^((?:[^\W\d_]+ ){0,3}[^\W\d_]+ ?):(?=\w)")
"""Words and a colon with no blank behind it, as a mail program leaves a prefilled answer that ends with one."""
_ENDS = re.compile(r"(;|[.,!?]\s|\s(?:und|and|et)\s)")
FEW_OF_MODERATOR = 4
"""The same of a line of the moderator's that names no match."""


def with_tournament_names(names: Callable[[], Collection[str]]) -> tuple[Command, ...]:
    """Return the table for a club with tournaments of these ``names`` (``tournament_words.list_name_keys``), which are
    asked for when a line seems to be about one."""

    def with_names(reads: Callable[..., object]) -> Callable[..., object]:
        return lambda argument: reads(argument, names=names())

    return tuple(
        replace(one, reads=with_names(one.reads)) if one.scope is CommandScope.TOURNAMENT and one.reads else one
        for one in get_player_commands().values()
    )


def find_command(
    line: str, commands: Iterable[Command] | None = None, whole: bool = False
) -> tuple[Command, str] | None:
    """Return (command, what follows it) of a line, or None for a line that is none. An argument that the command cannot
    use is given all the same if the line is short: then it is meant as that command. ``whole``: not abbreviated."""
    text = _GLUED.sub(r"\1: ", line.strip()[:1000])
    ready = tuple(get_player_commands().values() if commands is None else commands)
    for word, rest in _iter_word_splits(text):
        command = _find_by_word(word, ready, None if rest or whole else _may_be_cut_short)
        if command is None or (command.colon and not _has_colon(text, rest)):
            continue
        argument = rest.lstrip(":= ").strip() if command.pattern else rest
        if not command.body:
            argument = _POLITE.sub("", argument.rstrip(" .!"))
        bare = argument if command.body else _BEHIND.sub("", argument)
        if can_take_argument(command, bare):
            return command, argument if command.pattern else argument[len(bare) :]
        if command.short is not None and len(text.split()) <= FEW and command.short(argument):
            return command, argument
    return None


def _has_colon(text: str, rest: str) -> bool:
    """Return whether a colon stands between the command's word and what follows it."""
    return rest.startswith(":") or text[: len(text) - len(rest)].rstrip().endswith(":")


def find_staff_command(line: str, under: bool = False, whole: bool = False) -> tuple[Command, str] | None:
    """Return the same for a line of the moderator's. ``under`` a match's heading it need not name one."""
    text, more = line.strip()[:1000], line.strip()[1000:]
    text = text if more else _POLITE_ROUND.sub("", text)
    for word, rest in _iter_word_splits(text):
        command = _find_by_word(word, tuple(get_staff_commands().values()), None if whole else _has_word_prefix)
        if command is None:
            continue
        argument = rest.lstrip(":= ").strip()
        argument = argument if command.body else argument.rstrip(" .")
        fits = re.fullmatch(command.pattern, argument.rstrip(" !"), re.IGNORECASE | re.DOTALL) is not None
        code = _NAMES_A_MATCH.search(argument) is not None
        named = under or command.scope is not CommandScope.MATCH or code
        # A word that is not cut short, and a match: that is meant, even if the rest of it makes no sense.
        sure = (fits and named) or (code and word in command.all_words)
        if sure or (len(text.split()) <= FEW_OF_MODERATOR and _is_likely_argument(argument)):
            return command, argument + more
    return None


def list_possible_commands(line: str) -> tuple[Command, ...]:
    """Return the commands of the moderator's that a line may mean of which the word is cut too short."""
    text = line.strip()[:1000]
    if len(text.split()) > FEW_OF_MODERATOR and not _NAMES_A_MATCH.search(text):
        return ()
    every = get_staff_commands().values()
    found = (tuple(one for one in every if word and _has_word_prefix(one, word)) for word, _ in _iter_word_splits(text))
    return next(filter(None, found), ())


def find_second_command(text: str) -> str:
    """Return a second command behind a semicolon of a line; behind any other end of a sentence only one that names a
    match. "" = none."""
    parts = _ENDS.split(text[:1000])
    for end, part in zip(parts[1::2], parts[2::2], strict=True):
        if find_staff_command(part) and (end == ";" or _NAMES_A_MATCH.search(part)):
            return part.strip()
    return ""


def _iter_word_splits(text: str) -> Iterator[tuple[str, str]]:
    """Yield (what may be the command's word, spelt plain, and what follows it), the longest first."""
    for count in range(min(4, len(text.split())), 0, -1):
        parts = text.split(None, count)
        yield normalize_spelling(" ".join(parts[:count])).rstrip(":.!,;"), "".join(parts[count:]).strip()


def _is_likely_argument(argument: str) -> bool:
    """Return whether what follows a command's word looks as if it was meant so: nothing, one word, or a number."""
    return len(argument.split()) <= 1 or re.search(r"\d", argument) is not None


def can_take_argument(command: Command, argument: str) -> bool:
    """Return whether a line with that behind the word is this command for sure."""
    fits = re.fullmatch(command.pattern, argument, re.IGNORECASE | re.DOTALL) is not None
    return fits and (command.reads is None or command.reads(argument) is not None)


def _find_by_word(
    word: str, commands: tuple[Command, ...], begins: Callable[[Command, str], bool] | None
) -> Command | None:
    """Return the command that has this word, or the only one that ``begins`` so."""
    for one in commands:
        if word in one.all_words:
            return one
    if begins is None or len(word) < SHORTEST:
        return None
    found = [one for one in commands if begins(one, word)]
    return found[0] if len(found) == 1 else None


def _may_be_cut_short(command: Command, word: str) -> bool:
    return not command.whole and any(one.startswith(word) and " " not in one for one in command.all_words)


def _has_word_prefix(command: Command, word: str) -> bool:
    return any(one.startswith(word) for one in command.all_words)


# ---- One command of a player's mail, with all that the function that carries it out needs.


@dataclass(frozen=True)
class CommandLine:
    """A command as it stands in a mail. ``argument`` is what follows the command word, ``body`` the lines of a text
    that it introduces (press), without the line that ends it."""

    command: Command
    line: Line
    argument: str = ""
    body: tuple[str, ...] = ()
    closed: bool = True
    """False: the text has no end, so that nobody knows what belongs to it."""
    below: tuple[Line, ...] = ()
    """The same lines as in ``body``, with their numbers."""

    @property
    def name(self) -> str:
        return self.command.name


@dataclass(frozen=True)
class CommandContext:
    """The place of a command: its writer, and the seat and match that it means (None: no match at all)."""

    work: UnitOfWork
    player: PlayerRow
    request: CommandLine
    match: MatchRow | None = None
    seat: SeatRow | None = None
    live: LiveMatch | None = None
    whole: bool = True
    """The writer may act for all their seats. False when a token came from an address that is not theirs, or whose
    provider says that it is forged: then it opens its own seat only."""

    @property
    def required_match(self) -> tuple[Match, SeatRow]:
        """The match and the seat, for commands that always have them (scope "match"). Raises ValueError elsewhere."""
        if self.match is None or self.seat is None or self.live is None:
            raise ValueError(f"{self.request.name} was called without a match")
        return Match(self.work, self.match, self.live), self.seat


@dataclass(frozen=True)
class CommandOutcome:
    """The result of a command. ``notes`` say it beside the command's line; ``lines`` are shown behind it (the lines of
    an order that was only tried); ``mailed``: a mail of its own answers it, so that none is needed for it alone."""

    notes: tuple[Note, ...] = ()
    lines: Sequence[LineOutcome] = ()
    mailed: bool = False
    offer: LineOffer | None = None
    """Nothing was done yet: the line that does it is asked back."""
    decided: OrderWithdrawn | NothingToWithdraw | None = None
    """What became of the stored order, where the command was about that."""


def run_player_command(call: CommandContext) -> CommandOutcome:
    """Run the command. Raises Misused: its writer may not give it, or it cannot be done as it is written."""
    command = call.request.command
    if command.who is CommandGiver.PLAYER and not call.whole:
        raise Impossible(command.refusal)
    answer: CommandOutcome = command.act(call, **{one.name: one.read(call) for one in command.arguments})
    return answer


def done_with(code: str, **params: object) -> CommandOutcome:
    """Return an outcome of one sentence."""
    return CommandOutcome((Note(code, params),))


class NestedRefusal(Misused):
    """The refusal of a text that is not sent, and ``why``. Its ``lines`` are shown as what they are."""

    def __init__(self, why: PlayerError, lines: Sequence[LineOutcome]) -> None:
        super().__init__(why.code, **why.params)
        self.why = why
        self.lines = lines
