"""One command of the moderator's: what may stand in it (match, round, player, days, reason), how that stands in a line
of a mail and how the command line takes it, and what it leads to."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from moderator.commands.declaration import (
    CommandArgument,
    CommandLine,
    CommandReach,
    ShellParameter,
    find_second_command,
)
from moderator.commands.player.leave import parse_extension
from moderator.common.enums import MailKind, MatchStatus
from moderator.common.errors import Impossible, Misused, PlayerError
from moderator.common.mails import Line
from moderator.common.message_files import load_word_pattern
from moderator.common.tokens import CODE
from moderator.language.dates import localize_notes
from moderator.language.messages import render_note
from moderator.language.spelling import MATCH_WORD, PLEASE
from moderator.notifications.pages import Page, Reader
from moderator.rules.game import Note
from moderator.service.create import get_match
from moderator.service.deadlines import list_missing_today
from moderator.service.match.match import Match
from moderator.settings import Config
from moderator.store import matches
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow, Protest, SeatRow
from moderator.views import people
from moderator.views.people import MatchCharge, UnclearName, resolve_name_index
from moderator.views.unit_of_work import UnitOfWork

Outcome = tuple[Note, ...]


def require_running_match(work: UnitOfWork, match: MatchRow) -> Match:
    """Return the loaded match, if it is being played. Raises Misused or MatchSuspended."""
    if match.status == MatchStatus.SUSPENDED:
        work.cache.load_match(work.session, match)
    if match.status != MatchStatus.RUNNING:
        raise Impossible(f"match-{match.status}", match=match.code, name=match.name)
    return Match.load(work, match)


def get_seat_by_name(work: UnitOfWork, match: MatchRow, name: str) -> tuple[SeatRow, PlayerRow]:
    """Return the seat of the player so named. Raises Misused."""
    seated = work.list_seated(match)
    names = [player.name for _, player in seated]
    try:
        return seated[resolve_name_index(name, names)]
    except UnclearName:
        raise Misused("boss-no-seat", name=name or "?", match=match.code, names=names) from None


def build_staff_outcome(code: str, **params: Any) -> Outcome:
    """Return an outcome of one sentence."""
    return (Note(code, params),)


def render_sentences(config: Config, now: datetime, notes: Sequence[Note], language: str) -> list[str]:
    """Return sentences for the command line: times on the club's clock."""
    club = config.club
    to = Reader(club.name, club.moderator, language, club.zone)
    page = Page(MailKind.BOSS, to, club.name, now)
    return [render_note(note, language) for note in localize_notes(notes, page)]


HERE = Path(__file__).parent / "moderator"
"""Where the words of the moderator's mails lie."""
_A_MATCH = rf"(?:{load_word_pattern(HERE, 'boss-in')}\s+)?(?:{MATCH_WORD}\s+)?\[?(?P<code>{CODE.pattern})\]?"
_NAMED = re.compile(rf"(?<!\w){_A_MATCH}(?!\w)", re.IGNORECASE)
_ROUND = re.compile(rf"(?<!\w){load_word_pattern(HERE, 'boss-round')}\.?\s*(\d{{1,4}})(?!\w)", re.IGNORECASE)
_ENTRY = re.compile(rf"(?<!\w)(?:{load_word_pattern(HERE, 'boss-entry')}|#)\s*(\d{{1,6}})(?!\w)", re.IGNORECASE)
_FORCE = re.compile(rf"!|(?<!\w){load_word_pattern(HERE, 'boss-force')}(?!\w)", re.IGNORECASE)
_POLITE = re.compile(rf"(?<!\w){PLEASE}(?!\w)", re.IGNORECASE)
_SEPARATORS = " .,;!"
"""What may stand between the parts of a line and says nothing."""


class ArgumentReader:
    """The text behind a command's word: a head, and behind a colon a text. Each argument takes its part of it; what
    nothing has taken nobody has understood, and the command is refused."""

    def __init__(self, argument: str) -> None:
        head, _, text = argument.partition(":")
        self.head, self.text = _POLITE.sub(" ", head), text.strip()

    def take_part(self, part: re.Pattern[str]) -> re.Match[str] | None:
        """Take the first such part out of the head, and return it."""
        found = part.search(self.head)
        if found is not None:
            self.head = f"{self.head[: found.start()]} {self.head[found.end() :]}"
        return found

    def take_head(self) -> str:
        head, self.head = self.remaining_head, ""
        return head

    def take_text(self) -> str:
        text, self.text = self.text, ""
        return text

    @property
    def remaining_head(self) -> str:
        return " ".join(self.head.split()).strip(_SEPARATORS)

    @property
    def remaining_text(self) -> str:
        """All that nothing has taken."""
        return ": ".join(filter(None, (self.remaining_head, self.text)))


@dataclass(frozen=True)
class StaffCommandContext:
    """A command as it stands in a mail of the moderator's. The values of its properties are taken out of the line."""

    work: UnitOfWork
    request: CommandLine
    section: str = ""
    """Code of the match under whose heading it stands."""
    unread: tuple[Line, ...] = ()
    """Lines of the mail that are no command."""
    accept: Callable[[UnitOfWork, int], Note] | None = None
    """Lets another mail count. It is handed down, because what that leads to may be one of these commands."""
    today: Callable[[], Outcome] | None = None
    """Tells all that waits. It is handed down, because what it tells of stands above the commands."""

    @cached_property
    def argument_reader(self) -> ArgumentReader:
        return ArgumentReader(self.request.argument)

    @cached_property
    def whole_argument(self) -> str:
        """All that stands behind the command's word, for a command that reads it by itself."""
        self.argument_reader.head = self.argument_reader.text = ""
        return self.request.argument

    @cached_property
    def text(self) -> str:
        """The text behind the colon: a reason, a move, a notice."""
        return self.argument_reader.take_text()

    @cached_property
    def match_code(self) -> str:
        """The code of the match that the line names; "" = none."""
        found = self.argument_reader.take_part(_NAMED)
        return found["code"].upper() if found else ""

    def find_match(self, needed: bool = True) -> MatchRow | None:
        """Return the match that the line names, or the heading above it; None if neither does and none is ``needed``.
        Raises Misused, Impossible."""
        code = self.match_code or self.section
        found = matches.find_match_by_code(self.work.session, code) if code else None
        if found is None and (needed or code):
            if not code:
                raise Misused("boss-which-match", matches=self._format_visible_matches())
            raise Impossible("boss-no-match", match=code, matches=self._format_visible_matches())
        return found

    def list_matches(self) -> tuple[MatchRow, ...]:
        """Return the match that is named, or all running ones that the writer may look at. Raises Impossible where
        there are none of those."""
        named = self.find_match(needed=False)
        found = (named,) if named else self._list_visible_matches()
        if not found:
            raise Impossible("boss-nothing-runs" if people.get_commander(self.work).is_chief else "charge-nothing")
        return found

    def _list_visible_matches(self) -> tuple[MatchRow, ...]:
        rows = matches.list_running(self.work.session)
        return tuple(match for match in rows if MatchCharge(self.work, match).may_commander_act())

    def _format_visible_matches(self) -> list[str]:
        return [f"{match.code} ({match.name})" for match in self._list_visible_matches()]

    def list_extended_matches(self) -> tuple[MatchRow, ...]:
        """Return the match that is named; else all whose deadline today somebody will miss, or the player who is named
        behind the days. Raises Misused, Impossible."""
        if (named := self.find_match(needed=False)) is not None:
            return (named,)
        name = self.wanted_extension[1]
        found = tuple(match for match in self._list_visible_matches() if self._is_due_today(match, name))
        if not found:
            raise Impossible("boss-none-due-of" if name else "boss-none-due", name=name)
        return found

    def _is_due_today(self, match: MatchRow, name: str) -> bool:
        names = [said["name"] for said in list_missing_today(self.work, match).values()]
        try:
            return bool(names) and (not name or resolve_name_index(name, names) >= 0)
        except UnclearName:
            return False

    @cached_property
    def wanted_extension(self) -> tuple[int | date | None, str]:
        """By how much a deadline is put off, and the name behind it where no match is named: ``1 Tag Holger``. Raises
        Misused."""
        words = self.head_without_code.split()
        for end in range(len(words), 0, -1):
            with suppress(Misused):
                return parse_days_argument(self.work, " ".join(words[:end])), " ".join(words[end:])
            if self.match_code or self.section:
                break
        return parse_days_argument(self.work, " ".join(words)), ""

    @cached_property
    def head_without_code(self) -> str:
        """The head without the match's code."""
        _ = self.match_code
        return self.argument_reader.take_head()

    @cached_property
    def round_number(self) -> int | None:
        return _to_int(self.argument_reader.take_part(_ROUND))

    @cached_property
    def entry_number(self) -> int | None:
        """The number of an entry of the log: ``Zug 17``."""
        return _to_int(self.argument_reader.take_part(_ENTRY))

    @cached_property
    def is_forced(self) -> bool:
        """True for a line that forces the command: ``R5!``, ``erzwingen``."""
        return self.argument_reader.take_part(_FORCE) is not None


def _to_int(found: re.Match[str] | None) -> int | None:
    return int(found.group(1)) if found else None


def run_staff_command(call: StaffCommandContext) -> Outcome:
    """Read the arguments of the command, and run it: the one gate for all commands that come by mail. A command gets
    matches, and what belongs to one, from here only, and only those that its writer may look at. Raises Misused for a
    line that is written wrongly, Impossible for a writer who may not give it, MatchSuspended or OperatorError."""
    command = call.request.command
    if command.reach is CommandReach.CLUB:
        _require_chief(call)
    if other := find_second_command(call.request.argument):
        raise Misused("boss-several", line=other)
    values = {one.name: one.read(call) for one in command.arguments}
    if left := call.argument_reader.remaining_text:
        raise Misused("boss-left-over", line=left)
    if command.reach is CommandReach.MATCHES:
        about = [match for value in values.values() for match in _list_matches_of(call.work.session, value)]
        for match in about:
            MatchCharge(call.work, match).check_may_command()
        if not about:
            _require_chief(call)
    outcome: Outcome = command.act(call.work, **values)
    return outcome


def _require_chief(call: StaffCommandContext) -> None:
    if not people.get_commander(call.work).is_chief:
        raise Impossible("charge-club", club=call.work.config.club.name)


def _list_matches_of(session: Session, value: Any) -> Sequence[MatchRow]:
    if isinstance(value, Protest):
        return (session.get_one(MatchRow, value.match_id),)
    if isinstance(value, tuple):
        return tuple(match for one in value for match in _list_matches_of(session, one))
    return (value,) if isinstance(value, MatchRow) else ()


ABOUT_A_MATCH = rf"(?:{_A_MATCH})?"
"""Pattern of a line that may name a match and says nothing else."""


def parse_days_argument(work: UnitOfWork, text: str) -> int | date | None:
    """Parse ``3``, ``2 weeks``, ``until 12 Dec``, as it stands in a mail or is typed: so many days, or the last one;
    None = nothing is said. Raises Misused."""
    try:
        return parse_extension(text, work.today) if text else None
    except PlayerError:
        raise Misused("boss-days-how", line=text) from None


def _find_typed_match(work: UnitOfWork, code: str | None) -> MatchRow | None:
    return get_match(work.session, code) if code else None


def _list_typed_matches(work: UnitOfWork, code: str | None) -> Sequence[MatchRow]:
    found = (get_match(work.session, code),) if code else tuple(matches.list_running(work.session))
    if not found:
        raise Impossible("boss-nothing-runs")
    return found


MATCH = CommandArgument("match", StaffCommandContext.find_match, ShellParameter("code", take=_find_typed_match))
MAYBE_MATCH = CommandArgument(
    "match", lambda call: call.find_match(needed=False), ShellParameter("code", take=_find_typed_match, required=False)
)
RUNNING = CommandArgument(
    "matches", StaffCommandContext.list_matches, ShellParameter("code", take=_list_typed_matches, required=False)
)
ROUND = CommandArgument(
    "round_number",
    lambda call: call.round_number,
    ShellParameter("--round", int, "The round that is meant, as a safety catch."),
)
ENTRY = CommandArgument(
    "entry",
    lambda call: call.entry_number,
    ShellParameter("--entry", int, "Take back this entry of `match log` and all later ones, instead of a round."),
)
EXTENDED = CommandArgument(
    "matches",
    StaffCommandContext.list_extended_matches,
    ShellParameter("code", take=lambda work, code: (get_match(work.session, code),)),
)
DAYS = CommandArgument(
    "days", lambda call: call.wanted_extension[0], ShellParameter("days", take=parse_days_argument, many=True)
)
WHY = CommandArgument(
    "why", lambda call: call.text, ShellParameter("--why", help="A reason, for the players.", default="")
)
PLAYER = CommandArgument("name", lambda call: call.head_without_code, ShellParameter("player"))
ORDER = CommandArgument("text", lambda call: call.text, ShellParameter("order"))


def build_force_argument(help_text: str) -> CommandArgument:
    """Return the argument of ``R5!``: also where something speaks against it; ``help_text`` says what."""
    return CommandArgument(
        "force", lambda call: call.is_forced, ShellParameter("--force", bool, help_text, default=False)
    )
