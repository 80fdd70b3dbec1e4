"""The puzzle of the week: whether somebody wants it, what it is, and an answer to it."""

from __future__ import annotations

from moderator.commands.declaration import (
    Command,
    CommandContext,
    CommandGiver,
    CommandGroup,
    CommandOutcome,
    CommandScope,
    LoggedPart,
    done_with,
)
from moderator.commands.player.settings import OFF, ON
from moderator.common.errors import Impossible
from moderator.common.mails import Line
from moderator.common.message_files import build_any_pattern, normalize_spelling
from moderator.service.puzzles import PuzzleReader, PuzzleWeek

MOVE = r"(?=.*\d)(?=.*[^\W\d_]|.*@)[\w*+@:;,() -]{2,60}"
"""What may be a move; no sentence that goes on with a point, as ours do where they name the puzzle."""


@Command(
    "puzzle",
    scope=CommandScope.CLUB,
    group=CommandGroup.SETTINGS,
    rank=55,
    who=CommandGiver.PLAYER,
    pattern=rf"|{build_any_pattern(ON | OFF)}|{MOVE}",
    whole=True,
    logged=LoggedPart.NOTHING,
)
def handle_puzzle_command(call: CommandContext) -> CommandOutcome:
    """Switch the puzzle of the week, ``Aufgabe an``, ``Aufgabe aus``; alone: send this week's; with a move behind it:
    take the answer."""
    word = normalize_spelling(call.request.argument).strip().rstrip(".!")
    if word in ON or word in OFF:
        return _switch_puzzles(call, word in ON)
    running, _ = PuzzleWeek(call.work).get_running_puzzle()
    if not word:
        PuzzleReader(call.work, call.player).notify_puzzle(running, None, answers=True)
        return CommandOutcome(mailed=True)
    line = Line(call.request.line.number, call.request.argument)
    reader = PuzzleReader(call.work, call.player)
    reader.notify_receipt(*reader.answer_puzzle([line]))
    return CommandOutcome(mailed=True)


def _switch_puzzles(call: CommandContext, on: bool) -> CommandOutcome:
    if on and not call.work.config.puzzle.weekly:
        raise Impossible("puzzle-off")
    call.player.puzzles = on
    call.work.session.add(call.player)
    if not on:
        return done_with("puzzles-stopped")
    try:
        running, _ = PuzzleWeek(call.work).get_running_puzzle()
    except Impossible:
        return done_with("puzzles-wanted")
    return done_with("puzzles-wanted-running", until=running.until)
