"""A moderator's command in one file."""

from __future__ import annotations

from moderator.commands.declaration import Command, CommandGiver, CommandReach, CommandScope, ShellCommand
from moderator.commands.moderator_call import MATCH, PLAYER, WHY, Outcome, build_staff_outcome, get_seat_by_name
from moderator.common.errors import Misused
from moderator.store.tables import MatchRow
from moderator.views.unit_of_work import UnitOfWork


@Command(
    "greet",
    scope=CommandScope.MATCH,
    who=CommandGiver.MODERATOR,
    reach=CommandReach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, PLAYER, WHY),
    shell=ShellCommand("greet", "Say hello to PLAYER."),
)
def greet(work: UnitOfWork, match: MatchRow, name: str, why: str) -> Outcome:
    if not why:
        raise Misused("greet-how")
    _, player = get_seat_by_name(work, match, name)
    return build_staff_outcome("greeted", name=player.name, match=match.code, line=why)
