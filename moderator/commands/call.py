"""One command of a player's mail, with all that the function that carries it out needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moderator.commands.declaration import Command, CommandGiver
from moderator.common.errors import Impossible, Misused, PlayerError
from moderator.inbox.identify import Identity
from moderator.mail.model import Line
from moderator.notifications.pages import LineOffer, LineOutcome
from moderator.rules.game import Note
from moderator.rules.outcomes import NothingToWithdraw, OrderWithdrawn
from moderator.service.desk import Desk
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views.loaded_match import LiveMatch


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

    desk: Desk
    writer: Identity
    request: CommandLine
    match: MatchRow | None = None
    seat: SeatRow | None = None
    live: LiveMatch | None = None

    @property
    def player(self) -> PlayerRow:
        return self.writer.player

    @property
    def required_match(self) -> tuple[MatchRow, SeatRow, LiveMatch]:
        """The match, the seat and the loaded match, for commands that always have them (scope "match"). Raises
        ValueError elsewhere."""
        if self.match is None or self.seat is None or self.live is None:
            raise ValueError(f"{self.request.name} was called without a match")
        return self.match, self.seat, self.live


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
    if command.who is CommandGiver.PLAYER and not call.writer.whole:
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
