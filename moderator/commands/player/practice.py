"""A table for training: the player against a robot of the level that is named. Its result counts for no rating."""

from __future__ import annotations

from pathlib import Path

from moderator.commands.call import CommandContext, CommandOutcome
from moderator.commands.declaration import Command, CommandGiver, CommandGroup, CommandScope
from moderator.common.enums import Level
from moderator.common.errors import Impossible, Misused, OperatorError
from moderator.common.message_files import load_synonyms, normalize_spelling
from moderator.games import REGISTRY
from moderator.language.messages import render_label
from moderator.language.spelling import find_games_by_name, get_game_name
from moderator.rules.game import Note
from moderator.service import practice

HERE = Path(__file__).parent
CALLED = {level: load_synonyms(HERE, f"level-{level.value}") for level in Level}
FILLING = load_synonyms(HERE, "before-a-level")


@Command(
    "practise",
    scope=CommandScope.CLUB,
    group=CommandGroup.MATCHES,
    rank=80,
    who=CommandGiver.PLAYER,
    pattern=r".{0,60}",
    whole=True,
)
def start_practice_by_command(call: CommandContext) -> CommandOutcome:
    """Begin a match against a robot at once, ``Üben Topwords stark``; without a level it is that of the club."""
    desk, player = call.desk, call.player
    language = player.language
    words = [word for word in normalize_spelling(call.request.argument).strip(" .!?").split() if word not in FILLING]
    named = [level for word in words for level, called in CALLED.items() if word in called]
    wanted = " ".join(word for word in words if not any(word in called for called in CALLED.values()))
    keys = find_games_by_name(wanted)
    if len(keys) != 1 or len(named) > 1:
        raise Misused("practise-which", games=[get_game_name(key, language) for key in keys or REGISTRY])
    if practice.count_practice_tables(desk.session, player.number) >= practice.MOST:
        raise Impossible("practise-enough", count=practice.MOST)
    level = named[0] if named else Level.CLUB
    try:
        match, robot = practice.begin_practice(desk, player, keys[0], level, render_label("practice-table", language))
    except OperatorError:
        raise Impossible("practise-not-here", game=get_game_name(keys[0], language)) from None
    facts = {"match": match.code, "game": get_game_name(match.game, language), "name": robot.name}
    return CommandOutcome((Note("practise-begun", facts),), mailed=True)
