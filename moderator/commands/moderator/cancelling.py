"""The moderator cancels a match that was set up by mistake."""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.commands.declaration import Command, Reach, Scope, Shell, Who
from moderator.commands.moderator_call import ABOUT_A_MATCH, HERE, MATCH, WHY, Outcome, force, outcome
from moderator.errors import Impossible
from moderator.play import lifecycle
from moderator.states import MatchStatus
from moderator.store.models import Match
from moderator.texts import pattern


@Command(
    "cancel",
    scope=Scope.MATCH,
    rank=145,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=rf"{ABOUT_A_MATCH}(?:\s*!|\s+{pattern(HERE, 'boss-force')})?(?:\s*:.*)?",
    whole=True,
    arguments=(MATCH, force("Also where moves were made, or after its end."), WHY),
    shell=Shell(
        "cancel",
        "Cancel a match that was set up by mistake: it counts nowhere, and all who knew of it are told. One that has "
        "not begun goes wholly.",
    ),
)
def cancel(desk: Desk, match: Match, force: bool = False, why: str = "") -> Outcome:
    """It never counts, whether it has begun, or is over. ``force``: also where somebody has moved, or it had a result.
    Raises Misused."""
    if not force and match.status == MatchStatus.FINISHED:
        raise Impossible("boss-cancel-over", match=match.code)
    moves = 0 if force or match.status == MatchStatus.CANCELLED else lifecycle.moves_made(desk, match)
    if moves:
        raise Impossible("boss-cancel-moves", match=match.code, count=moves)
    code, name = match.code, match.name
    told = lifecycle.cancel(desk, match, why)
    return outcome("boss-cancelled" if told else "boss-cancelled-quietly", match=code, name=name, names=told)
