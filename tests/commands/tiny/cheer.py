"""A player's command in one file."""

from __future__ import annotations

from moderator.commands.call import Answer, Call, said
from moderator.commands.declaration import Argument, Command, Group, Scope
from moderator.errors import Misused


def _times(call: Call) -> int:
    times = int(call.request.argument or 1)
    if times > 9:
        raise Misused("cheer-too-often")
    return times


@Command("cheer", scope=Scope.CLUB, group=Group.TALK, pattern=r"\d*", arguments=(Argument("times", _times),))
def cheer(call: Call, times: int) -> Answer:
    return said("cheered", name=call.player.name, count=times)
