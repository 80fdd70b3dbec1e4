"""One command of the moderator's, and what stands in it: match, round, player, days, reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sqlmodel import col, select

from moderator.desk.accepting import ActUpon
from moderator.desk.desk import Desk
from moderator.desk.live import Live
from moderator.desk.tokens import CODE
from moderator.engine.contract import Note
from moderator.errors import Misused
from moderator.mail.model import Line
from moderator.states import MatchStatus
from moderator.store.models import Match, Player, Seat

Outcome = tuple[Note, ...]
_CODE = re.compile(rf"(?<!\w)\[?({CODE.pattern})\]?(?!\w)", re.IGNORECASE)
_NAMED = re.compile(
    rf"(?<!\w)(?:(?:in|für|fuer|for|of)\s+)?(?:(?:partie|match|game)\s+)?\[?{CODE.pattern}\]?(?!\w)", re.IGNORECASE
)
_ROUND = re.compile(r"(?<!\w)(?:r|runde|round)\.?\s*(\d{1,4})(?!\w)", re.IGNORECASE)
_ENTRY = re.compile(r"(?<!\w)(?:zug|eintrag|nr\.?|move|entry|#)\s*(\d{1,6})(?!\w)", re.IGNORECASE)
_FORCE = re.compile(r"!|(?<!\w)(?:erzwingen|erzwinge|trotzdem|force|anyway)(?!\w)", re.IGNORECASE)
_NUMBER = re.compile(r"(?<!\w)(\d{1,3})\s*(?:tage?n?|days?)?(?!\w)", re.IGNORECASE)
SHORTEST = 3
"""Letters of a name that is cut short."""


@dataclass(frozen=True)
class Command:
    """A command as it stands in a mail; ``body``: the lines of a text, which may have no end (not ``closed``)."""

    name: str
    line: Line
    argument: str = ""
    body: tuple[str, ...] = ()
    closed: bool = True


@dataclass(frozen=True)
class Call:
    """A command as it stands in a mail of the moderator's."""

    desk: Desk
    command: Command
    section: str = ""
    """Code of the match under whose heading it stands."""
    unread: tuple[Line, ...] = ()
    """Lines of the mail that are no command."""
    act_upon: ActUpon | None = None
    """How a mail is acted upon, for the command that lets another one count."""

    @property
    def line(self) -> str:
        """All of the line, as it was written."""
        return self.command.line.text

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
        before, _, after = self.command.argument.partition(":")
        return before.strip(), after.strip()

    def match(self, needed: bool = True) -> Match | None:
        """The match that the line names, or the heading above it; None if neither does and none is ``needed``."""
        codes = [found.upper() for found in _CODE.findall(self.head)] or [self.section]
        found = self.desk.session.exec(select(Match).where(Match.code == codes[0])).first() if codes[0] else None
        if found is None and (needed or codes[0]):
            raise Misused("boss-no-match" if codes[0] else "boss-which-match", match=codes[0], matches=self._running())
        return found

    def _running(self) -> list[str]:
        query = select(Match.code, Match.name).where(
            col(Match.status).in_((MatchStatus.RUNNING, MatchStatus.SUSPENDED))
        )
        return [f"{code} ({name})" for code, name in self.desk.session.exec(query.order_by(col(Match.id)))]

    def playing(self) -> tuple[Match, Live]:
        """The match, which must be running. Raises Misused or Suspended."""
        match = self.match()
        assert match is not None
        return match, running(self.desk, match)

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


def running(desk: Desk, match: Match) -> Live:
    """The match, if it is being played. Raises Misused or Suspended."""
    if match.status == MatchStatus.SUSPENDED:
        desk.shelf.live(desk.session, match)
    if match.status != MatchStatus.RUNNING:
        raise Misused(f"match-{match.status}", match=match.code, name=match.name)
    return desk.shelf.live(desk.session, match)


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


def words_of(desk: Desk, live: Live, match: Match, note: Note, language: str) -> str:
    """A note of the match's game as a sentence, for mails that belong to no game."""
    from moderator.render.messages import sentence

    return sentence(note, language, live.game.key, [player.name for player in desk.players(match)])


def outcome(code: str, **params: Any) -> Outcome:
    """One sentence."""
    return (Note(code, params),)
