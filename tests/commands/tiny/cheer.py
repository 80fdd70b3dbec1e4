"""A player's command in one file."""

from __future__ import annotations

from moderator.commands.declaration import (
    Command,
    CommandArgument,
    CommandContext,
    CommandGroup,
    CommandOutcome,
    CommandScope,
    done_with,
)
from moderator.common.errors import Misused


def _times(call: CommandContext) -> int:
    times = int(call.request.argument or 1)
    if times > 9:
        raise Misused("cheer-too-often")
    return times


@Command(
    "cheer",
    scope=CommandScope.CLUB,
    group=CommandGroup.TALK,
    pattern=r"\d*",
    arguments=(CommandArgument("times", _times),),
)
def cheer(call: CommandContext, times: int) -> CommandOutcome:
    return done_with("cheered", name=call.player.name, count=times)
