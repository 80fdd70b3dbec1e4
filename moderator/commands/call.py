"""One command of a player's mail, with all that the function that carries it out needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.commands.declaration import Command, Who
from moderator.errors import Impossible, Misused, PlayerError
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.match.decision import NothingStored, Withdrawn
from moderator.pages.pages import LineRead, Offer
from moderator.people.identify import Identity
from moderator.store.models import Match, Player, Seat


@dataclass(frozen=True)
class Request:
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
class Call:
    """Where a command stands: who wrote it, and which seat of which match it means (None: of no match at all)."""

    desk: Desk
    writer: Identity
    request: Request
    match: Match | None = None
    seat: Seat | None = None
    live: LiveMatch | None = None

    @property
    def player(self) -> Player:
        return self.writer.player

    @property
    def at(self) -> tuple[Match, Seat, LiveMatch]:
        """For commands that always have a match (scope "match"). Raises ValueError elsewhere."""
        if self.match is None or self.seat is None or self.live is None:
            raise ValueError(f"{self.request.name} was called without a match")
        return self.match, self.seat, self.live


@dataclass(frozen=True)
class Answer:
    """What a command led to. ``notes`` say it beside the command's line; ``lines`` are shown behind it (the lines of an
    order that was only tried); ``mailed``: a mail of its own answers it, so that none is needed for it alone."""

    notes: tuple[Note, ...] = ()
    lines: Sequence[LineRead] = ()
    mailed: bool = False
    offer: Offer | None = None
    """Nothing was done yet: the line that does it is asked back."""
    decided: Withdrawn | NothingStored | None = None
    """What became of the stored order, where the command was about that."""


def act(call: Call) -> Answer:
    """Raises Misused: who gave it may not, or it cannot be done as it is written."""
    command = call.request.command
    if command.who is Who.PLAYER and not call.writer.whole:
        raise Impossible(command.refusal)
    answer: Answer = command.act(call, **{one.name: one.read(call) for one in command.arguments})
    return answer


def said(code: str, **params: object) -> Answer:
    """An answer of one sentence."""
    return Answer((Note(code, params),))


class Unsent(Misused):
    """A text that is not sent, and ``why``. Its ``lines`` are shown as what they are."""

    def __init__(self, why: PlayerError, lines: Sequence[LineRead]) -> None:
        super().__init__(why.code, **why.params)
        self.why = why
        self.lines = lines
