"""One command of the moderator's: what may stand in it (match, round, player, days, reason), how that stands in a line
of a mail and how the command line takes it, and what it leads to."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from moderator.club import referees
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.club.names import Unclear, one_of
from moderator.club.spelling import MATCH_WORD, PLEASE
from moderator.club.tokens import CODE
from moderator.commands.call import Request
from moderator.commands.declaration import Argument, Parameter, Reach, next_command
from moderator.commands.player.leave import read_longer
from moderator.errors import Impossible, Misused, PlayerError
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.pages.dates import localised
from moderator.pages.messages import sentence
from moderator.pages.pages import Page, Reader
from moderator.play.create import find_match
from moderator.states import MailKind, MatchStatus
from moderator.store import matches
from moderator.store.models import Match, Player, Protest, Seat
from moderator.texts import pattern

Outcome = tuple[Note, ...]


def running(desk: Desk, match: Match) -> LiveMatch:
    """The match, if it is being played. Raises Misused or Suspended."""
    if match.status == MatchStatus.SUSPENDED:
        desk.cache.live(desk.session, match)
    if match.status != MatchStatus.RUNNING:
        raise Impossible(f"match-{match.status}", match=match.code, name=match.name)
    return desk.cache.live(desk.session, match)


def seat_of(desk: Desk, match: Match, name: str) -> tuple[Seat, Player]:
    """The seat of the player so named. Raises Misused."""
    seated = desk.seated(match)
    names = [player.name for _, player in seated]
    try:
        return seated[one_of(name, names)]
    except Unclear:
        raise Misused("boss-no-seat", name=name or "?", match=match.code, names=names) from None


def outcome(code: str, **params: Any) -> Outcome:
    """One sentence."""
    return (Note(code, params),)


def spoken(desk: Desk, notes: Sequence[Note], language: str) -> list[str]:
    """Sentences for the command line: moments on the club's clock."""
    club = desk.config.club
    to = Reader(club.name, club.moderator, language, club.zone)
    page = Page(MailKind.BOSS, to, club.name, desk.now, notes=tuple(notes))
    return [sentence(note, language) for note in localised(page).notes]


HERE = Path(__file__).parent / "moderator"
"""Where the words of the moderator's mails lie."""
_A_MATCH = rf"(?:{pattern(HERE, 'boss-in')}\s+)?(?:{MATCH_WORD}\s+)?\[?(?P<code>{CODE.pattern})\]?"
_NAMED = re.compile(rf"(?<!\w){_A_MATCH}(?!\w)", re.IGNORECASE)
_ROUND = re.compile(rf"(?<!\w){pattern(HERE, 'boss-round')}\.?\s*(\d{{1,4}})(?!\w)", re.IGNORECASE)
_ENTRY = re.compile(rf"(?<!\w)(?:{pattern(HERE, 'boss-entry')}|#)\s*(\d{{1,6}})(?!\w)", re.IGNORECASE)
_FORCE = re.compile(rf"!|(?<!\w){pattern(HERE, 'boss-force')}(?!\w)", re.IGNORECASE)
_POLITE = re.compile(rf"(?<!\w){PLEASE}(?!\w)", re.IGNORECASE)
_SEPARATORS = " .,;!"
"""What may stand between the parts of a line and says nothing."""


class Written:
    """What stands behind a command's word: a head, and behind a colon a text. Each argument takes its part of it; what
    nothing has taken nobody has understood, and the command is refused."""

    def __init__(self, argument: str) -> None:
        head, _, text = argument.partition(":")
        self.head, self.text = _POLITE.sub(" ", head), text.strip()

    def take(self, part: re.Pattern[str]) -> re.Match[str] | None:
        """The first such part of the head."""
        found = part.search(self.head)
        if found is not None:
            self.head = f"{self.head[: found.start()]} {self.head[found.end() :]}"
        return found

    def take_head(self) -> str:
        head, self.head = self.left_of_head, ""
        return head

    def take_text(self) -> str:
        text, self.text = self.text, ""
        return text

    @property
    def left_of_head(self) -> str:
        return " ".join(self.head.split()).strip(_SEPARATORS)

    @property
    def left(self) -> str:
        """What nothing has taken."""
        return ": ".join(filter(None, (self.left_of_head, self.text)))


@dataclass(frozen=True)
class ModeratorCall:
    """A command as it stands in a mail of the moderator's. What its properties give is taken from the line."""

    desk: Desk
    request: Request
    section: str = ""
    """Code of the match under whose heading it stands."""
    unread: tuple[Line, ...] = ()
    """Lines of the mail that are no command."""
    accept: Callable[[Desk, int], Note] | None = None
    """Lets another mail count. It is handed down, because what that leads to may be one of these commands."""
    today: Callable[[Desk], Outcome] | None = None
    """Tells all that waits. It is handed down, because what it tells of stands above the commands."""

    @cached_property
    def written(self) -> Written:
        return Written(self.request.argument)

    @cached_property
    def all(self) -> str:
        """All that stands behind the command's word, for a command that reads it by itself."""
        self.written.head = self.written.text = ""
        return self.request.argument

    @cached_property
    def text(self) -> str:
        """What stands behind the colon: a reason, a move, a notice."""
        return self.written.take_text()

    @cached_property
    def code(self) -> str:
        """Of the match that the line names; "" = none."""
        found = self.written.take(_NAMED)
        return found["code"].upper() if found else ""

    def match(self, needed: bool = True) -> Match | None:
        """The match that the line names, or the heading above it; None if neither does and none is ``needed``."""
        code = self.code or self.section
        found = matches.by_code(self.desk.session, code) if code else None
        if found is None and (needed or code):
            if not code:
                raise Misused("boss-which-match", matches=self._running())
            raise Impossible("boss-no-match", match=code, matches=self._running())
        return found

    def matches(self) -> tuple[Match, ...]:
        """The match that is named, or all running ones that the writer may look at. Raises Impossible where there are
        none of those."""
        named = self.match(needed=False)
        found = (named,) if named else self._going()
        if not found:
            raise Impossible("boss-nothing-runs" if referees.commanding(self.desk).chief else "charge-nothing")
        return found

    def _going(self) -> tuple[Match, ...]:
        rows = matches.going(self.desk.session)
        return tuple(match for match in rows if referees.open_to_commander(self.desk, match))

    def _running(self) -> list[str]:
        return [f"{match.code} ({match.name})" for match in self._going()]

    @cached_property
    def rest(self) -> str:
        """The head without the match's code."""
        _ = self.code
        return self.written.take_head()

    @cached_property
    def round(self) -> int | None:
        return _int(self.written.take(_ROUND))

    @cached_property
    def entry(self) -> int | None:
        """The number of an entry of the log: ``Zug 17``."""
        return _int(self.written.take(_ENTRY))

    @cached_property
    def forced(self) -> bool:
        """``R5!``, ``erzwingen``."""
        return self.written.take(_FORCE) is not None


def _int(found: re.Match[str] | None) -> int | None:
    return int(found.group(1)) if found else None


def act(call: ModeratorCall) -> Outcome:
    """Read what the command asks for, and carry it out. Raises Misused, Suspended or OperatorError."""
    outcome: Outcome = call.request.command.act(call.desk, **_admitted(call))
    return outcome


def _admitted(call: ModeratorCall) -> dict[str, Any]:
    """What the command asks for: the one gate for all commands that come by mail. A command gets matches, and what
    belongs to one, from here only, and only those that its writer may look at. Raises Misused for a line that is
    written wrongly, Impossible for who may not give it."""
    command = call.request.command
    if command.reach is Reach.CLUB:
        _for_the_chief(call)
    if other := next_command(call.request.argument):
        raise Misused("boss-several", line=other)
    values = {one.name: one.read(call) for one in command.arguments}
    if left := call.written.left:
        raise Misused("boss-left-over", line=left)
    if command.reach is Reach.MATCHES:
        about = [match for value in values.values() for match in _matches(call.desk, value)]
        for match in about:
            referees.check(call.desk, match)
        if not about:
            _for_the_chief(call)
    return values


def _for_the_chief(call: ModeratorCall) -> None:
    if not referees.commanding(call.desk).chief:
        raise Impossible("charge-club", club=call.desk.config.club.name)


def _matches(desk: Desk, value: Any) -> Sequence[Match]:
    """Those that an argument names."""
    if isinstance(value, Protest):
        return (desk.session.get_one(Match, value.match_id),)
    if isinstance(value, tuple):
        return tuple(match for one in value for match in _matches(desk, one))
    return (value,) if isinstance(value, Match) else ()


ABOUT_A_MATCH = rf"(?:{_A_MATCH})?"
"""Pattern of a line that may name a match and says nothing else."""


def read_days(desk: Desk, text: str) -> int | date | None:
    """``3``, ``2 weeks``, ``until 12 Dec``, as it stands in a mail or is typed: so many days, or the last one; None =
    nothing is said. Raises Misused."""
    try:
        return read_longer(text, desk.today) if text else None
    except PlayerError:
        raise Misused("boss-days-how", line=text) from None


def _found(desk: Desk, code: str | None) -> Match | None:
    return find_match(desk.session, code) if code else None


def _found_or_all(desk: Desk, code: str | None) -> Sequence[Match]:
    found = (find_match(desk.session, code),) if code else tuple(matches.going(desk.session))
    if not found:
        raise Impossible("boss-nothing-runs")
    return found


MATCH = Argument("match", ModeratorCall.match, Parameter("code", take=_found))
MAYBE_MATCH = Argument("match", lambda call: call.match(needed=False), Parameter("code", take=_found, required=False))
RUNNING = Argument("matches", ModeratorCall.matches, Parameter("code", take=_found_or_all, required=False))
ROUND = Argument(
    "round", lambda call: call.round, Parameter("--round", int, "The round that is meant, as a safety catch.")
)
ENTRY = Argument(
    "entry",
    lambda call: call.entry,
    Parameter("--entry", int, "Back to just before this entry of `match log`, instead of a round."),
)
DAYS = Argument("days", lambda call: read_days(call.desk, call.rest), Parameter("days", take=read_days, many=True))
WHY = Argument("why", lambda call: call.text, Parameter("--why", help="A reason, for the players.", default=""))
PLAYER = Argument("name", lambda call: call.rest, Parameter("player"))
ORDER = Argument("text", lambda call: call.text, Parameter("order"))


def force(help: str) -> Argument:
    """``R5!``: also where something speaks against it; ``help`` says what."""
    return Argument("force", lambda call: call.forced, Parameter("--force", bool, help, default=False))


def reading(argument: Argument, read: Any) -> Argument:
    """The same, read otherwise from a line of a mail."""
    return replace(argument, read=read)
