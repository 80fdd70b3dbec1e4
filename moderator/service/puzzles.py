"""The puzzle of the week: set on Monday, answered until Sunday, told the Monday after.

The week begins with the club's daily hour of its Monday, in the first run that comes then: a machine that was off does
it later in the week; a week that nobody saw, or of which less than a day is left, is left out. Each week is begun
once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from moderator.common.enums import MatchStatus
from moderator.common.errors import Impossible, PlayerError
from moderator.language.messages import render_note
from moderator.mail.model import Line
from moderator.notifications.pages import LineOutcome
from moderator.rules.game import Note
from moderator.rules.orders.parse import OrderLine, parse_order_lines
from moderator.rules.table import AlternativePreview
from moderator.service.desk import Desk
from moderator.store import key_values, puzzles
from moderator.store.tables import MatchRow, PlayerRow, PuzzleAnswer, PuzzleRow
from moderator.views import puzzles as club
from moderator.views import puzzles as puzzle_mail

if TYPE_CHECKING:
    from moderator.review.puzzle import PuzzlePosition

A_DAY = timedelta(days=1)


def is_puzzle_week_due(desk: Desk) -> bool:
    """Return whether a week is to be begun; one of which less than a day is left is not. Where no puzzle is set any
    more, a week is begun to tell the last solution."""
    begun, week = key_values.find_value(desk.session, puzzles.WEEK) or "", club.compute_puzzle_monday(desk)
    left = club.compute_puzzle_end(desk, week) - desk.now
    if begun >= week.isoformat() or left < A_DAY:
        return False
    return desk.config.puzzle.weekly or bool(puzzles.list_puzzles_to_resolve(desk.session, desk.now))


def mark_puzzle_week(desk: Desk) -> None:
    """Mark the week, so that nothing more of it is looked for."""
    key_values.save_value(desk.session, puzzles.WEEK, club.compute_puzzle_monday(desk).isoformat())


def begin_puzzle_week(desk: Desk) -> None:
    """Close the last puzzle and set a new one; the mails about both are due."""
    mark_puzzle_week(desk)
    before = _close_due_puzzles(desk)
    puzzle = _set_weekly_puzzle(desk) if desk.config.puzzle.weekly else None
    key_values.save_value(desk.session, puzzles.MAILS, _format_mail_progress(puzzle, before, 0))


def list_puzzle_recipients(desk: Desk) -> Sequence[int]:
    """List the primary keys of the players whose mail of the week is not made yet, in the order in which they get it. A
    run that died over it is continued by the next one."""
    row = key_values.find_value(desk.session, puzzles.MAILS)
    waiting = puzzles.list_puzzle_subscribers(desk.session, int(row.split()[-1])) if row else ()
    if row and not waiting:
        key_values.delete_value(desk.session, puzzles.MAILS)
    return waiting


def notify_puzzle_recipient(desk: Desk, number: int) -> None:
    """Notify one player of the solution of the last puzzle and of the new one, in one mail."""
    row = key_values.find_value(desk.session, puzzles.MAILS)
    if row is None or int(row.split()[-1]) >= number:
        return  # another worker was faster
    mark_puzzle_mailed(desk, number)
    puzzle, before = (desk.session.get(PuzzleRow, int(one)) for one in row.split()[:2])
    puzzle_mail.notify_weekly_puzzle(desk, desk.session.get_one(PlayerRow, number), puzzle, before)


def mark_puzzle_mailed(desk: Desk, number: int) -> None:
    """Mark that no player up to this one gets one more."""
    if row := key_values.find_value(desk.session, puzzles.MAILS):
        key_values.save_value(desk.session, puzzles.MAILS, " ".join([*row.split()[:2], str(number)]))


def _format_mail_progress(puzzle: PuzzleRow | None, before: PuzzleRow | None, last: int) -> str:
    return f"{puzzle.number if puzzle else 0} {before.number if before else 0} {last}"


def _close_due_puzzles(desk: Desk) -> PuzzleRow | None:
    """Close the puzzles that are due; returns the one whose solution is told now."""
    found = None
    for found in puzzles.list_puzzles_to_resolve(desk.session, desk.now):
        found.told_at = desk.now
        reopened = desk.session.get_one(MatchRow, found.match_id).status != MatchStatus.FINISHED
        if reopened and found.withdrawn_at is None:
            found.withdrawn_at = desk.now
        desk.session.add(found)
    desk.session.flush()
    return found


def _set_weekly_puzzle(desk: Desk) -> PuzzleRow | None:
    """Set the puzzle of the week that begins; None where no match has one."""
    week = club.compute_puzzle_monday(desk)
    chosen = club.choose_puzzle(desk, week)
    if chosen is None:
        return None
    puzzle = PuzzleRow(
        match_id=chosen.match.number,
        entry=chosen.turn.n,
        seat=chosen.turn.seat,
        best=chosen.found.best,
        most=chosen.found.most,
        turns=chosen.found.of,
        hardness=chosen.found.hardness,
        set_at=desk.now,
        until=club.compute_puzzle_end(desk, week),
    )
    desk.session.add(puzzle)
    desk.session.flush()
    return puzzle


def withdraw_current_puzzle(desk: Desk) -> PuzzleRow | None:
    """Withdraw the puzzle that runs, so that it counts for nothing; None if there is none. Its position never comes
    again."""
    puzzle = club.find_current_puzzle(desk)
    if puzzle is not None:
        puzzle.withdrawn_at = desk.now
        desk.session.add(puzzle)
    return puzzle


def get_running_puzzle(desk: Desk) -> tuple[PuzzleRow, PuzzlePosition]:
    """Return the puzzle that takes answers, with its position. Raises Impossible where there is none."""
    puzzle = club.find_current_puzzle(desk)
    if puzzle is None:
        last = puzzles.find_last_puzzle(desk.session)
        if last is not None and last.told_at is None and last.withdrawn_at is None:
            raise Impossible("puzzle-too-late", until=last.until)
        raise Impossible("puzzle-none" if desk.config.puzzle.weekly else "puzzle-off")
    there = club.find_puzzle_position(desk, puzzle)
    if there is None:
        raise Impossible("puzzle-gone")
    return puzzle, there


# ---- answers ----


def answer_puzzle(desk: Desk, player: PlayerRow, lines: Sequence[Line]) -> tuple[str, tuple[LineOutcome, ...]]:
    """Store the first move among the lines that is possible as the player's answer. Returns the game and what became of
    each line. Raises Impossible where nothing is asked, and for what was meant for an older puzzle: its move names
    places of another board."""
    puzzle, there = get_running_puzzle(desk)
    sent = puzzles.find_puzzle_mail_time(desk.session, desk.answered) if desk.answered else None
    if sent is not None and sent < puzzle.set_at:
        raise Impossible("puzzle-older", count=puzzle.number)
    if desk.written_at < puzzle.set_at:
        raise Impossible("puzzle-before", count=puzzle.number)
    view, game = there.view, there.game
    found = parse_order_lines(lines, lambda text: game.parse(text, view), game.format, game.style)
    right, kept = _find_example_move(there, player.language), False
    read = []
    for line in found.lines:
        if line.move is not None and not kept:
            read.append(_record_puzzle_answer(desk, player, puzzle, line, there.judge_move(line.canonical)))
            kept = read[-1].status == "move"
        else:
            read.append(_build_other_line(line, right))
    return game.key, tuple(read)


def _find_example_move(there: PuzzlePosition, language: str) -> str:
    from moderator.rules.robots import choose

    found = choose.example_moves(there.game, there.view, there.context)
    return found.get("move") or render_note(
        Note(found.get("pattern", "example.place"), found), language, there.game.key
    )


def _build_other_line(line: OrderLine, right: str) -> LineOutcome:
    """Build the outcome of a line that is no answer, or no longer one: only one move counts."""
    if line.error is not None:
        why = Note(line.error.code, line.error.params)
        return LineOutcome(line.number, line.text, "error", notes=(why,), example=right)
    if line.status == "text":
        return LineOutcome(line.number, line.text, "text")
    return LineOutcome(line.number, line.text, "impossible", line.canonical, notes=(Note("puzzle-one-move"),))


def _record_puzzle_answer(
    desk: Desk, player: PlayerRow, puzzle: PuzzleRow, line: OrderLine, worth: AlternativePreview
) -> LineOutcome:
    """Record an answer. Whether it is the best there is, its writer reads with everybody else."""
    if worth.undecided or worth.refused or worth.points is None:
        why = [Note(worth.refused.code, worth.refused.params)] if worth.refused else []
        why += [Note("puzzle-word", {"words": list(worth.undecided)})] if worth.undecided else []
        return LineOutcome(line.number, line.text, "impossible", line.canonical, notes=(*why, Note("puzzle-unchanged")))
    kept = puzzles.find_puzzle_answer(desk.session, puzzle, player.number)
    if kept is not None and desk.written_at < kept.at:
        later = Note("puzzle-later", {"order": kept.move})
        return LineOutcome(line.number, line.text, "impossible", line.canonical, notes=(later,))
    replaced = kept.move if kept is not None and kept.move != worth.canonical else ""
    row = kept or PuzzleAnswer(puzzle_id=puzzle.number, player_id=player.number, move="", points=0, at=desk.written_at)
    row.move, row.points, row.at = worth.canonical, worth.points, desk.written_at
    desk.session.add(row)
    desk.session.flush()
    notes = [Note("puzzle-kept", {"until": puzzle.until})]
    notes += [Note("puzzle-replaces", {"order": replaced})] if replaced else []
    if player.number in puzzles.load_seated_players(desk.session, puzzle.match_id):
        notes.append(Note("puzzle-you-sat-there"))
    return LineOutcome(line.number, line.text, "move", worth.canonical, points=worth.points, notes=tuple(notes))


def refuse_puzzle_answer(desk: Desk, lines: Sequence[Line], error: PlayerError) -> tuple[str, tuple[LineOutcome, ...]]:
    """Build the outcome of an answer to which there is no question: the game and the first line."""
    why, last = Note(error.code, error.params), puzzles.find_last_puzzle(desk.session)
    game = desk.session.get_one(MatchRow, last.match_id).game if last is not None else ""
    return game, tuple(LineOutcome(line.number, line.text, "impossible", notes=(why,)) for line in lines[:1])
