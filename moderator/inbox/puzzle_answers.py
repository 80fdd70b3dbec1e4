"""A mail to the address for answers to the puzzle of the week: a move alone is the answer.

Commands in it are done like those of any other mail, if it is its owner's own; lines below one that brings a text are
that text. Nothing in it is ever an order in a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from moderator.commands.declaration import KnownPlayer, find_command
from moderator.common.errors import Impossible
from moderator.common.mails import Line, ParsedMail
from moderator.inbox import decide
from moderator.inbox.read import limit_lines
from moderator.service import puzzles
from moderator.views.desk import Desk


def handle_puzzle_answer(desk: Desk, writer: KnownPlayer, mail: ParsedMail) -> None:
    """Act on everything in the mail."""
    lines, _ = decide.drop_own_lines(desk, mail)
    lines = limit_lines(lines, decide.MAX_LINES, decide.MAX_CHARS)
    commands, rest = _split_commands(lines) if writer.whole else ([], lines)
    if commands:
        decide.decide_player_mail(desk, KnownPlayer(writer.player), replace(mail, lines=tuple(commands)))
    said = [line for line in rest if line.text.strip()]
    if commands and not said:
        return
    try:
        game, read = puzzles.answer_puzzle(desk, writer.player, said)
    except Impossible as error:
        game, read = puzzles.refuse_puzzle_answer(desk, said, error)
    if commands and all(line.status == "text" for line in read):
        return  # a greeting beside a command
    puzzles.notify_puzzle_receipt(desk, writer.player, game, read)


def _split_commands(lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """Return the lines of commands, and all others."""
    commands: list[Line] = []
    rest: list[Line] = []
    for at, line in enumerate(lines):
        found = find_command(line.text)
        if found is not None and found[0].body:
            return [*commands, *lines[at:]], rest
        (rest if found is None else commands).append(line)
    return commands, rest
