"""One command of the moderator's: what may stand in it (match, round, player, days, reason), how that stands in a line
of a mail and how the command line takes it, and what it leads to."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from moderator.club import referees
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.club.names import Unclear, one_of
from moderator.club.spelling import MATCH_WORD
from moderator.club.tokens import CODE
from moderator.commands.call import Request
from moderator.commands.declaration import Argument, Parameter, Reach
from moderator.errors import Impossible, Misused
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


_CODE = re.compile(rf"(?<!\w)\[?({CODE.pattern})\]?(?!\w)", re.IGNORECASE)
HERE = Path(__file__).parent / "moderator"
"""Where the words of the moderator's mails lie."""
_A_MATCH = rf"(?:{pattern(HERE, 'boss-in')}\s+)?(?:{MATCH_WORD}\s+)?\[?{CODE.pattern}\]?"
_NAMED = re.compile(rf"(?<!\w){_A_MATCH}(?!\w)", re.IGNORECASE)
_ROUND = re.compile(rf"(?<!\w){pattern(HERE, 'boss-round')}\.?\s*(\d{{1,4}})(?!\w)", re.IGNORECASE)
_ENTRY = re.compile(rf"(?<!\w)(?:{pattern(HERE, 'boss-entry')}|#)\s*(\d{{1,6}})(?!\w)", re.IGNORECASE)
_FORCE = re.compile(rf"!|(?<!\w){pattern(HERE, 'boss-force')}(?!\w)", re.IGNORECASE)
_NUMBER = re.compile(rf"(?<!\w)(\d{{1,3}})\s*{pattern(HERE, 'boss-days')}?(?!\w)", re.IGNORECASE)


@dataclass(frozen=True)
class ModeratorCall:
    """A command as it stands in a mail of the moderator's."""

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

    @property
    def line(self) -> str:
        """All of the line, as it was written."""
        return self.request.line.text

    @property
    def head(self) -> str:
        """What stands behind the command's word and before a colon."""
        return self._parts[0]

    @property
    def text(self) -> str:
        """What stands behind the colon: a reason, a move, a notice."""
        return self._parts[1]

    @property
    def _parts(self) -> tuple[str, str]:
        before, _, after = self.request.argument.partition(":")
        return before.strip(), after.strip()

    def match(self, needed: bool = True) -> Match | None:
        """The match that the line names, or the heading above it; None if neither does and none is ``needed``."""
        codes = [found.upper() for found in _CODE.findall(self.head)] or [self.section]
        found = matches.by_code(self.desk.session, codes[0]) if codes[0] else None
        if found is None and (needed or codes[0]):
            if not codes[0]:
                raise Misused("boss-which-match", matches=self._running())
            raise Impossible("boss-no-match", match=codes[0], matches=self._running())
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

    @property
    def rest(self) -> str:
        """The head without the match's code."""
        return " ".join(_NAMED.sub(" ", self.head).split())

    @property
    def round(self) -> int | None:
        return _int(_ROUND.search(self.rest))

    @property
    def entry(self) -> int | None:
        """The number of an entry of the log: ``Zug 17``."""
        return _int(_ENTRY.search(self.rest))

    @property
    def number(self) -> int | None:
        return _int(_NUMBER.search(self.rest))

    @property
    def forced(self) -> bool:
        """``R5!``, ``erzwingen``."""
        return _FORCE.search(self.line.partition(":")[0]) is not None


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
    values = {one.name: one.read(call) for one in command.arguments}
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
DAYS = Argument("days", lambda call: call.number, Parameter("days", int))
WHY = Argument("why", lambda call: call.text, Parameter("--why", help="A reason, for the players.", default=""))
PLAYER = Argument("name", lambda call: call.rest, Parameter("player"))
ORDER = Argument("text", lambda call: call.text, Parameter("order"))


def force(help: str) -> Argument:
    """``R5!``: also where something speaks against it; ``help`` says what."""
    return Argument("force", lambda call: call.forced, Parameter("--force", bool, help, default=False))


def reading(argument: Argument, read: Any) -> Argument:
    """The same, read otherwise from a line of a mail."""
    return replace(argument, read=read)
