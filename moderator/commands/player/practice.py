"""A table for training: the player against a robot of the level that is named. Its result counts for no rating."""

from __future__ import annotations

from pathlib import Path

from moderator.club.spelling import game_name, games_called
from moderator.commands.call import Answer, Call
from moderator.commands.declaration import Command, Group, Scope, Who
from moderator.errors import Impossible, Misused, OperatorError
from moderator.games import REGISTRY
from moderator.match.contract import Note
from moderator.pages.messages import label
from moderator.play import practice
from moderator.states import Level
from moderator.texts import heard, plain

HERE = Path(__file__).parent
CALLED = {level: heard(HERE, f"level-{level.value}") for level in Level}
FILLING = heard(HERE, "before-a-level")


@Command(
    "practise",
    scope=Scope.CLUB,
    group=Group.MATCHES,
    rank=80,
    who=Who.PLAYER,
    pattern=r".{0,60}",
    whole=True,
)
def practise(call: Call) -> Answer:
    """``Üben Topwords stark``: a match against a robot begins at once; without a level it is that of the club."""
    desk, player = call.desk, call.player
    language = player.language
    words = [word for word in plain(call.request.argument).strip(" .!?").split() if word not in FILLING]
    named = [level for word in words for level, called in CALLED.items() if word in called]
    wanted = " ".join(word for word in words if not any(word in called for called in CALLED.values()))
    keys = games_called(wanted)
    if len(keys) != 1 or len(named) > 1:
        raise Misused("practise-which", games=[game_name(key, language) for key in keys or REGISTRY])
    if practice.running(desk.session, player.number) >= practice.MOST:
        raise Impossible("practise-enough", count=practice.MOST)
    level = named[0] if named else Level.CLUB
    try:
        match, robot = practice.begin(desk, player, keys[0], level, label("practice-table", language))
    except OperatorError:
        raise Impossible("practise-not-here", game=game_name(keys[0], language)) from None
    facts = {"match": match.code, "game": game_name(match.game, language), "name": robot.name}
    return Answer((Note("practise-begun", facts),), mailed=True)
