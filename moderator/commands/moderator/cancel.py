"""The moderator cancels a match that was set up by mistake."""

from __future__ import annotations

from moderator.commands.declaration import Command, CommandGiver, CommandReach, CommandScope, ShellCommand
from moderator.commands.moderator_call import (
    ABOUT_A_MATCH,
    HERE,
    MATCH,
    WHY,
    Outcome,
    build_force_argument,
    build_staff_outcome,
)
from moderator.common.enums import MatchStatus
from moderator.common.errors import Impossible
from moderator.common.message_files import load_word_pattern
from moderator.service import seat_changes
from moderator.service.desk import Desk
from moderator.store.tables import MatchRow


@Command(
    "cancel",
    scope=CommandScope.MATCH,
    rank=145,
    who=CommandGiver.MODERATOR,
    reach=CommandReach.MATCHES,
    pattern=rf"{ABOUT_A_MATCH}(?:\s*!|\s+{load_word_pattern(HERE, 'boss-force')})?(?:\s*:.*)?",
    whole=True,
    arguments=(MATCH, build_force_argument("Also where moves were made, or after its end."), WHY),
    shell=ShellCommand(
        "cancel",
        "Cancel a match that was set up by mistake: it counts nowhere, and all who knew of it are told. One that has "
        "not begun goes wholly.",
    ),
)
def cancel_match_by_staff(desk: Desk, match: MatchRow, force: bool = False, why: str = "") -> Outcome:
    """Cancel a match, so that it never counts, whether it has begun, or is over. ``build_force_argument``: also where
    somebody has moved, or it had a result. Raises Misused."""
    if not force and match.status == MatchStatus.FINISHED:
        raise Impossible("boss-cancel-over", match=match.code)
    moves = 0 if force or match.status == MatchStatus.CANCELLED else seat_changes.count_people_moves(desk, match)
    if moves:
        raise Impossible("boss-cancel-moves", match=match.code, count=moves)
    code, name = match.code, match.name
    told = seat_changes.cancel_match(desk, match, why)
    return build_staff_outcome(
        "boss-cancelled" if told else "boss-cancelled-quietly", match=code, name=name, names=told
    )
