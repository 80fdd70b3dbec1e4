"""The mail of the week: the solution of the puzzle before, and a new one to find. Also on demand; and what becomes of
an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from moderator.club import puzzles as club
from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.match import robot
from moderator.match.contract import Note
from moderator.match.decision import Done, NotDone
from moderator.outbox.lists import secret_of
from moderator.outbox.post import new_page, reader, reply_to
from moderator.outbox.tell import To, now, tell
from moderator.pages.content import Weekly
from moderator.pages.pages import LineRead, Page, Receipt, Reply
from moderator.states import MailKind
from moderator.store import puzzles
from moderator.store.models import Match, Player, Puzzle

if TYPE_CHECKING:
    from moderator.review.puzzle import Position


def reply(desk: Desk, player: Player) -> Reply:
    """What brings an answer back: the address opens nothing but that."""
    return reply_to(desk, tokens.PUZZLE, secret_of(desk, player))


def send(desk: Desk, player: Player, puzzle: Puzzle | None, before: Puzzle | None, *, answers: bool = False) -> bool:
    """The week's mail to one player: the ``puzzle`` that is set, the solution of that ``before``. ``answers``: it was
    asked for. False = there is nothing in it, or nobody reads it."""
    there = club.position(desk, puzzle) if puzzle is not None else None
    solved = tuple(_solution(desk, before)) if before is not None else ()
    if (puzzle is None or there is None) and not solved:
        return False
    game = desk.session.get_one(Match, before.match_id).game if before is not None else ""
    if puzzle is None or there is None:
        page = new_page(
            desk, MailKind.PUZZLE, reader(player), reply=None, content=Weekly(solved=solved, solved_game=game)
        )
        return tell(desk, To(player), page, answers=answers)
    content = Weekly(
        puzzle.number,
        tuple(_about(desk, player, puzzle, there)),
        tuple(_how(desk, player, puzzle)),
        solved,
        game,
    )
    page = _shown(desk, player, there, content)
    return tell(desk, To(player), page, answers=answers)


def _shown(desk: Desk, player: Player, there: Position, content: Weekly) -> Page:
    """The position as the mover saw it."""
    view = there.view
    return new_page(
        desk,
        MailKind.PUZZLE,
        reader(player),
        reply=reply(desk, player),
        about_game=there.game.key,
        scene=there.game.scene(view),
        rack=view.hand,
        stock=view.stock_count,
        stock_kinds=getattr(view.public, "left", {}),
        situation=there.game.situation(view),
        examples=robot.shown(there.game, view, there.context),
        content=content,
    )


def _about(desk: Desk, player: Player, puzzle: Puzzle, there: Position) -> Iterator[Note]:
    yield Note("puzzle-task", {"turns": puzzle.turns})
    others = [score for seat, score in enumerate(there.state.scores) if seat != there.seat]
    yield Note("puzzle-score", {"own": there.state.scores[there.seat], "others": others})
    if puzzle.withdrawn_at is None and player.number in puzzles.seated(desk.session, puzzle.match_id):
        yield Note("puzzle-you-sat-there")


def _how(desk: Desk, player: Player, puzzle: Puzzle) -> Iterator[Note]:
    if answer := puzzles.answer_of(desk.session, puzzle, player.number):
        yield Note("puzzle-answered", {"move": answer.move, "points": answer.points})
    yield Note("puzzle-how", {"until": puzzle.until})
    yield Note("puzzle-stop" if player.puzzles else "puzzle-start")


def _solution(desk: Desk, puzzle: Puzzle) -> Iterator[Note]:
    """Of a puzzle that takes no answers any more."""
    if puzzle.withdrawn_at is not None:
        yield Note("puzzle-withdrawn", {"count": puzzle.number})
        return
    yield from solution(desk, puzzle)
    for code, names in solvers(desk, puzzle):
        yield Note(code, {"names": names})


def solution(desk: Desk, puzzle: Puzzle) -> Iterator[Note]:
    """What there was to find, and where it comes from."""
    match = desk.session.get_one(Match, puzzle.match_id)
    values = {"count": puzzle.number, "move": puzzle.best, "points": puzzle.most}
    yield Note("puzzle-solution", values)
    yield Note("puzzle-from", {"match": match.code, "name": match.name})


def solvers(desk: Desk, puzzle: Puzzle) -> Iterator[tuple[str, Sequence[str]]]:
    """(name of the sentence, who it names) about those who have answered."""
    who = club.solvers(desk, puzzle)
    if who.found:
        yield "puzzle-found-by", who.found
    else:
        yield "puzzle-found-by-none" if who.others else "puzzle-no-answers", ()
    if who.seated:
        yield "puzzle-seated-found", who.seated


def receipt(desk: Desk, player: Player, game: str, lines: Sequence[LineRead]) -> None:
    """What became of the lines of an answer. At once, also while a backlog is handled: what is told at the end of a run
    forgets the game, and only that can say what is wrong with a move."""
    kept = any(line.status == "move" for line in lines)
    page = new_page(
        desk,
        MailKind.DONE,
        reader(player),
        reply=reply(desk, player),
        about_game=game,
        receipt=Receipt(Done() if kept else NotDone(), tuple(lines)),
    )
    now(desk, To(player), page, answers=True)
