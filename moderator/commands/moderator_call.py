"""One command of the moderator's, and what stands in it: match, round, player, days, reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from moderator.club.desk import Desk
from moderator.club.tokens import CODE
from moderator.commands.call import Request
from moderator.commands.outcome import Outcome
from moderator.errors import Impossible, Misused
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.store import matches
from moderator.store.models import Match

_CODE = re.compile(rf"(?<!\w)\[?({CODE.pattern})\]?(?!\w)", re.IGNORECASE)
_NAMED = re.compile(
    rf"(?<!\w)(?:(?:in|für|fuer|for|of)\s+)?(?:(?:partie|match|game)\s+)?\[?{CODE.pattern}\]?(?!\w)", re.IGNORECASE
)
_ROUND = re.compile(r"(?<!\w)(?:r|runde|round)\.?\s*(\d{1,4})(?!\w)", re.IGNORECASE)
_ENTRY = re.compile(r"(?<!\w)(?:zug|eintrag|nr\.?|move|entry|#)\s*(\d{1,6})(?!\w)", re.IGNORECASE)
_FORCE = re.compile(r"!|(?<!\w)(?:erzwingen|erzwinge|trotzdem|force|anyway)(?!\w)", re.IGNORECASE)
_NUMBER = re.compile(r"(?<!\w)(\d{1,3})\s*(?:tage?n?|days?)?(?!\w)", re.IGNORECASE)


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
