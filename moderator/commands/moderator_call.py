"""One command of the moderator's: what may stand in it (match, round, player, days, reason), how that stands in a line
of a mail and how the command line takes it, and what it leads to."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.club.spelling import MATCH_WORD
from moderator.club.tokens import CODE
from moderator.commands.call import Request
from moderator.commands.declaration import Argument, Parameter
from moderator.errors import Impossible, Misused
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.pages.dates import localised
from moderator.pages.messages import sentence
from moderator.pages.pages import Page, Reader
from moderator.play.create import find_match
from moderator.states import MailKind, MatchStatus
from moderator.store import matches
from moderator.store.models import Match, Player, Seat
from moderator.texts import pattern

Outcome = tuple[Note, ...]
SHORTEST = 3
"""Letters of a name that is cut short."""


def running(desk: Desk, match: Match) -> LiveMatch:
    """The match, if it is being played. Raises Misused or Suspended."""
    if match.status == MatchStatus.SUSPENDED:
        desk.cache.live(desk.session, match)
    if match.status != MatchStatus.RUNNING:
        raise Impossible(f"match-{match.status}", match=match.code, name=match.name)
    return desk.cache.live(desk.session, match)


def seat_of(desk: Desk, match: Match, name: str) -> tuple[Seat, Player]:
    """The seat of the player so named; a name may be cut short as long as only one begins so. Raises Misused."""
    wanted = " ".join(name.casefold().split())
    seated = desk.seated(match)
    found = [pair for pair in seated if pair[1].name_key == wanted]
    if not found and len(wanted) >= SHORTEST:
        found = [pair for pair in seated if pair[1].name_key.startswith(wanted)]
    if len(found) != 1:
        raise Misused("boss-no-seat", name=name or "?", match=match.code, names=[p.name for _, p in seated])
    return found[0]


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

    def _running(self) -> list[str]:
        return [f"{match.code} ({match.name})" for match in matches.going(self.desk.session)]

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
    command = call.request.command
    outcome: Outcome = command.act(call.desk, **{one.name: one.read(call) for one in command.arguments})
    return outcome


ABOUT_A_MATCH = rf"(?:{_A_MATCH})?"
"""Pattern of a line that may name a match and says nothing else."""


def _found(desk: Desk, code: str | None) -> Match | None:
    return find_match(desk.session, code) if code else None


MATCH = Argument("match", ModeratorCall.match, Parameter("code", take=_found))
MAYBE_MATCH = Argument("match", lambda call: call.match(needed=False), Parameter("code", take=_found, required=False))
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
