"""A moderator's command in one file."""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.commands.declaration import Command, Reach, Scope, Shell, Who
from moderator.commands.moderator_call import MATCH, PLAYER, WHY, Outcome, outcome, seat_of
from moderator.errors import Misused
from moderator.store.models import Match


@Command(
    "greet",
    scope=Scope.MATCH,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, PLAYER, WHY),
    shell=Shell("greet", "Say hello to PLAYER."),
)
def greet(desk: Desk, match: Match, name: str, why: str) -> Outcome:
    if not why:
        raise Misused("greet-how")
    _, player = seat_of(desk, match, name)
    return outcome("greeted", name=player.name, match=match.code, line=why)
