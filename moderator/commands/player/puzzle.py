"""The puzzle of the week: whether somebody wants it, what it is, and an answer to it."""

from __future__ import annotations

from moderator.commands.call import Answer, Call, said
from moderator.commands.declaration import Command, Group, Logged, Scope, Who
from moderator.commands.player.settings import OFF, ON
from moderator.errors import Impossible
from moderator.mail.model import Line
from moderator.outbox import puzzle_mail
from moderator.play import puzzles
from moderator.texts import one_of, plain

MOVE = r"(?=.*\d)(?=.*[^\W\d_]|.*@)[\w*+@:;,() -]{2,60}"
"""What may be a move; no sentence that goes on with a point, as ours do where they name the puzzle."""


@Command(
    "puzzle",
    scope=Scope.CLUB,
    group=Group.SETTINGS,
    rank=55,
    who=Who.PLAYER,
    pattern=rf"|{one_of(ON | OFF)}|{MOVE}",
    whole=True,
    logged=Logged.NOTHING,
)
def puzzle(call: Call) -> Answer:
    """``Aufgabe an``, ``Aufgabe aus``; alone: this week's; with a move behind it: the answer."""
    word = plain(call.request.argument).strip().rstrip(".!")
    if word in ON or word in OFF:
        return _switch(call, word in ON)
    running, _ = puzzles.running(call.desk)
    if not word:
        puzzle_mail.send(call.desk, call.player, running, None, answers=True)
        return Answer(mailed=True)
    line = Line(call.request.line.number, call.request.argument)
    puzzle_mail.receipt(call.desk, call.player, *puzzles.answer(call.desk, call.player, [line]))
    return Answer(mailed=True)


def _switch(call: Call, on: bool) -> Answer:
    if on and not call.desk.config.puzzle.weekly:
        raise Impossible("puzzle-off")
    call.player.puzzles = on
    call.desk.session.add(call.player)
    if not on:
        return said("puzzles-stopped")
    try:
        running, _ = puzzles.running(call.desk)
    except Impossible:
        return said("puzzles-wanted")
    return said("puzzles-wanted-running", until=running.until)
