"""The puzzle of the week: set on Monday, answered until Sunday, told the Monday after.

The week begins with the club's daily hour of its Monday, in the first run that comes then: a machine that was off does
it later in the week; a week that nobody saw, or of which less than a day is left, is left out. Each week is begun
once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from moderator.club import puzzles as club
from moderator.club.desk import Desk
from moderator.errors import Impossible, PlayerError
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.match.orders import OrderLine, read_lines
from moderator.match.table import Preview
from moderator.outbox import puzzle_mail
from moderator.pages.messages import sentence
from moderator.pages.pages import LineRead
from moderator.states import MatchStatus
from moderator.store import key_values, puzzles
from moderator.store.models import Match, Player, Puzzle, PuzzleAnswer

if TYPE_CHECKING:
    from moderator.review.puzzle import Position

A_DAY = timedelta(days=1)


def due(desk: Desk) -> bool:
    """Whether a week is to be begun; one of which less than a day is left is not. Where no puzzle is set any more, a
    week is begun to tell the last solution."""
    begun, week = key_values.read(desk.session, puzzles.WEEK) or "", club.monday(desk)
    left = club.last_minute(desk, week) - desk.now
    if begun >= week.isoformat() or left < A_DAY:
        return False
    return desk.config.puzzle.weekly or bool(puzzles.to_tell(desk.session, desk.now))


def leave(desk: Desk) -> None:
    """Nothing more of this week is looked for."""
    key_values.write(desk.session, puzzles.WEEK, club.monday(desk).isoformat())


def begin(desk: Desk) -> None:
    """Close the last puzzle and set a new one; the mails about both are due."""
    leave(desk)
    before = _closed(desk)
    puzzle = _set(desk) if desk.config.puzzle.weekly else None
    key_values.write(desk.session, puzzles.MAILS, _mails(puzzle, before, 0))


def to_mail(desk: Desk) -> Sequence[int]:
    """Primary keys of the players whose mail of the week is not made yet, in the order in which they get it. A run that
    died over it is continued by the next one."""
    row = key_values.read(desk.session, puzzles.MAILS)
    waiting = puzzles.who_want_it(desk.session, int(row.split()[-1])) if row else ()
    if row and not waiting:
        key_values.remove(desk.session, puzzles.MAILS)
    return waiting


def mail(desk: Desk, number: int) -> None:
    """The solution of the last puzzle and the new one to one player, in one mail."""
    row = key_values.read(desk.session, puzzles.MAILS)
    if row is None or int(row.split()[-1]) >= number:
        return  # another worker was faster
    mailed(desk, number)
    puzzle, before = (desk.session.get(Puzzle, int(one)) for one in row.split()[:2])
    puzzle_mail.send(desk, desk.session.get_one(Player, number), puzzle, before)


def mailed(desk: Desk, number: int) -> None:
    """Nobody up to this player gets one more."""
    if row := key_values.read(desk.session, puzzles.MAILS):
        key_values.write(desk.session, puzzles.MAILS, " ".join([*row.split()[:2], str(number)]))


def _mails(puzzle: Puzzle | None, before: Puzzle | None, last: int) -> str:
    return f"{puzzle.number if puzzle else 0} {before.number if before else 0} {last}"


def _closed(desk: Desk) -> Puzzle | None:
    """The puzzle whose solution is told now."""
    found = None
    for found in puzzles.to_tell(desk.session, desk.now):
        found.told_at = desk.now
        reopened = desk.session.get_one(Match, found.match_id).status != MatchStatus.FINISHED
        if reopened and found.withdrawn_at is None:
            found.withdrawn_at = desk.now
        desk.session.add(found)
    desk.session.flush()
    return found


def _set(desk: Desk) -> Puzzle | None:
    """The puzzle of the week that begins; None where no match has one."""
    week = club.monday(desk)
    chosen = club.choose(desk, week)
    if chosen is None:
        return None
    puzzle = Puzzle(
        match_id=chosen.match.number,
        entry=chosen.turn.n,
        seat=chosen.turn.seat,
        best=chosen.found.best,
        most=chosen.found.most,
        turns=chosen.found.of,
        hardness=chosen.found.hardness,
        set_at=desk.now,
        until=club.last_minute(desk, week),
    )
    desk.session.add(puzzle)
    desk.session.flush()
    return puzzle


def withdraw(desk: Desk) -> Puzzle | None:
    """The puzzle that runs counts for nothing; None if there is none. Its position never comes again."""
    puzzle = club.current(desk)
    if puzzle is not None:
        puzzle.withdrawn_at = desk.now
        desk.session.add(puzzle)
    return puzzle


def running(desk: Desk) -> tuple[Puzzle, Position]:
    """The puzzle that takes answers, with its position. Raises Impossible where there is none."""
    puzzle = club.current(desk)
    if puzzle is None:
        last = puzzles.last(desk.session)
        if last is not None and last.told_at is None and last.withdrawn_at is None:
            raise Impossible("puzzle-too-late", until=last.until)
        raise Impossible("puzzle-none" if desk.config.puzzle.weekly else "puzzle-off")
    there = club.position(desk, puzzle)
    if there is None:
        raise Impossible("puzzle-gone")
    return puzzle, there


# ---- answers ----


def answer(desk: Desk, player: Player, lines: Sequence[Line]) -> tuple[str, tuple[LineRead, ...]]:
    """Keep the first move among the lines that is possible as the player's answer. Returns the game and what became of
    each line. Raises Impossible where nothing is asked, and for what was meant for an older puzzle: its move names
    places of another board."""
    puzzle, there = running(desk)
    sent = puzzles.answered_mail(desk.session, desk.answered) if desk.answered else None
    if sent is not None and sent < puzzle.set_at:
        raise Impossible("puzzle-older", count=puzzle.number)
    if desk.written < puzzle.set_at:
        raise Impossible("puzzle-before", count=puzzle.number)
    view, game = there.view, there.game
    found = read_lines(lines, lambda text: game.parse(text, view), game.format, game.style)
    right, kept = _example(there, player.language), False
    read = []
    for line in found.lines:
        if line.move is not None and not kept:
            read.append(_judged(desk, player, puzzle, line, there.judge(line.canonical)))
            kept = read[-1].status == "move"
        else:
            read.append(_other(line, right))
    return game.key, tuple(read)


def _example(there: Position, language: str) -> str:
    from moderator.match import robot

    found = robot.shown(there.game, there.view, there.context)
    return found.get("move") or sentence(Note(found.get("pattern", "example.place"), found), language, there.game.key)


def _other(line: OrderLine, right: str) -> LineRead:
    """A line that is no answer, or no longer one: only one move counts."""
    if line.error is not None:
        why = Note(line.error.code, line.error.params)
        return LineRead(line.number, line.text, "error", notes=(why,), example=right)
    if line.status == "text":
        return LineRead(line.number, line.text, "text")
    return LineRead(line.number, line.text, "impossible", line.canonical, notes=(Note("puzzle-one-move"),))


def _judged(desk: Desk, player: Player, puzzle: Puzzle, line: OrderLine, worth: Preview) -> LineRead:
    """Whether it is the best there is, its writer hears with everybody else."""
    if worth.undecided or worth.refused or worth.points is None:
        why = [Note(worth.refused.code, worth.refused.params)] if worth.refused else []
        why += [Note("puzzle-word", {"words": list(worth.undecided)})] if worth.undecided else []
        return LineRead(line.number, line.text, "impossible", line.canonical, notes=(*why, Note("puzzle-unchanged")))
    kept = puzzles.answer_of(desk.session, puzzle, player.number)
    if kept is not None and desk.written < kept.at:
        later = Note("puzzle-later", {"order": kept.move})
        return LineRead(line.number, line.text, "impossible", line.canonical, notes=(later,))
    replaced = kept.move if kept is not None and kept.move != worth.canonical else ""
    row = kept or PuzzleAnswer(puzzle_id=puzzle.number, player_id=player.number, move="", points=0, at=desk.written)
    row.move, row.points, row.at = worth.canonical, worth.points, desk.written
    desk.session.add(row)
    desk.session.flush()
    notes = [Note("puzzle-kept", {"until": puzzle.until})]
    notes += [Note("puzzle-replaces", {"order": replaced})] if replaced else []
    if player.number in puzzles.seated(desk.session, puzzle.match_id):
        notes.append(Note("puzzle-you-sat-there"))
    return LineRead(line.number, line.text, "move", worth.canonical, points=worth.points, notes=tuple(notes))


def refused(desk: Desk, lines: Sequence[Line], error: PlayerError) -> tuple[str, tuple[LineRead, ...]]:
    """The same of an answer to which there is no question."""
    why, last = Note(error.code, error.params), puzzles.last(desk.session)
    game = desk.session.get_one(Match, last.match_id).game if last is not None else ""
    return game, tuple(LineRead(line.number, line.text, "impossible", notes=(why,)) for line in lines[:1])
