"""What the moderator's commands ask for: how it stands in a line of a mail, and how the command line takes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from moderator.club.desk import Desk
from moderator.club.tokens import CODE
from moderator.commands.declaration import Argument, Parameter
from moderator.commands.moderator_call import ModeratorCall
from moderator.play.create import find_match
from moderator.store.models import Match

ABOUT_A_MATCH = rf"(?:(?:(?:in|für|fuer|for|of)\s+)?(?:(?:partie|match|game)\s+)?\[?{CODE.pattern}\]?)?"
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
