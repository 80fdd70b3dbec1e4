"""The mail of the week: the solution of the puzzle before, and a new one to find. Also on demand; and what becomes of
an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from moderator.club import archive, tokens
from moderator.club import puzzles as club
from moderator.club.desk import Desk
from moderator.club.live_match import rules_of
from moderator.club.puzzles import Solvers
from moderator.match import robot, turn_data
from moderator.match.contract import Note, agreed
from moderator.match.decision import Done, NotDone
from moderator.match.turn_data import TurnData
from moderator.outbox.lists import secret_of
from moderator.outbox.post import new_page, reader, reply_to
from moderator.outbox.tell import To, now, tell
from moderator.pages.content import Weekly
from moderator.pages.messages import label, say
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
    shown = _of_week(desk, puzzle) if puzzle is not None else None
    solved, game = _of_last(desk, before) if before is not None else ((), "")
    if puzzle is not None and shown is not None:
        about = *shown.about, *_about(desk, player, puzzle)
        content = Weekly(puzzle.number, about, tuple(_how(desk, player, puzzle)), solved, game)
        page = new_page(
            desk, MailKind.PUZZLE, reader(player), reply=reply(desk, player), content=content, **shown.position
        )
        return tell(desk, To(player), _with_board(desk, page, shown.turn), answers=answers)
    if not solved:
        return False
    content = Weekly(solved=solved, solved_game=game)
    page = new_page(desk, MailKind.PUZZLE, reader(player), reply=None, content=content)
    return tell(desk, To(player), page, answers=answers)


@dataclass(frozen=True)
class Shown:
    """What every reader of a week's puzzle is shown alike."""

    about: tuple[Note, ...]
    position: Mapping[str, Any]
    """Fields of the page: the position as the mover saw it."""
    turn: TurnData
    """The same for programs and for the page to lay tiles on; all of it that is the reader's own is empty."""


def _of_week(desk: Desk, puzzle: Puzzle) -> Shown | None:
    """Worked out once in a run, however many read it; None where the match does not show the position any more."""
    match = desk.session.get_one(Match, puzzle.match_id)
    key = puzzle.number, match.status, match.entries
    found: Shown | None = desk.cache.of_week("shown", key, lambda: _shown(desk, puzzle))
    return found


def _shown(desk: Desk, puzzle: Puzzle) -> Shown | None:
    there = club.position(desk, puzzle)
    if there is None:
        return None
    view = there.view
    own, others = there.state.scores[there.seat], [*there.state.scores]
    del others[there.seat]
    about = Note("puzzle-task", {"turns": puzzle.turns}), Note("puzzle-score", {"own": own, "others": others})
    position = {
        "about_game": there.game.key,
        "scene": there.game.scene(view),
        "rack": view.hand,
        "stock": view.stock_count,
        "stock_kinds": getattr(view.public, "left", {}),
        "situation": there.game.situation(view),
        "examples": robot.shown(there.game, view, there.context),
    }
    return Shown(about, position, _turn(desk, puzzle, there))


def _turn(desk: Desk, puzzle: Puzzle, there: Position) -> TurnData:
    """It does not say which match it is from."""
    view, (game, options) = there.view, rules_of(desk.session.get_one(Match, puzzle.match_id))
    shared = len(there.state.hands) == 1 < there.state.seats
    return TurnData(
        match=tokens.PUZZLE,
        game=game.key,
        entry=puzzle.number,
        round=there.state.public.round,
        seat=there.seat,
        scores=view.scores,
        rack=view.hand,
        stock=view.stock_count,
        options=agreed(game, options, there.state.seats),
        board=turn_data.table_of(game, view),
        reply=turn_data.Reply("", ""),
        language="",
        zone="",
        deadline=turn_data.moment(puzzle.until),
        tiles=() if shared else view.hand_counts,
        common=shared,
        puzzle=puzzle.number,
    )


def _with_board(desk: Desk, page: Page, turn: TurnData) -> Page:
    """The page with what lets its reader lay the tiles on a board, or have a program do it."""
    language, back = page.reader.language, page.reply
    assert back is not None
    title = label("puzzle-title", language, number=turn.puzzle, game=say("name", language, turn.game))
    title = title.replace("\u00a0", " ")  # it becomes a subject
    answer = turn_data.Reply(back.address, f"{title} {back.subject}")
    own = replace(turn, name=title[: turn_data.NAME], reply=answer, language=language, zone=page.reader.zone)
    there = archive.link_to_board(desk.config, desk.session, turn.game, language)
    return replace(page, turn=own, board_page=there)


def _of_last(desk: Desk, before: Puzzle) -> tuple[tuple[Note, ...], str]:
    """The solution of a puzzle that takes no answers any more, with who found it, and its game; once in a run."""

    def made() -> tuple[tuple[Note, ...], str]:
        return tuple(_solution(desk, before)), desk.session.get_one(Match, before.match_id).game

    found: tuple[tuple[Note, ...], str] = desk.cache.of_week("solved", before.number, made)
    return found


def _about(desk: Desk, player: Player, puzzle: Puzzle) -> Iterator[Note]:
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
    yield from of_solvers(club.solvers(desk, puzzle))


def solution(desk: Desk, puzzle: Puzzle) -> Iterator[Note]:
    """What there was to find, and where it comes from."""
    match = desk.session.get_one(Match, puzzle.match_id)
    values = {"count": puzzle.number, "move": puzzle.best, "points": puzzle.most}
    yield Note("puzzle-solution", values)
    yield Note("puzzle-from", {"match": match.code, "name": match.name})


def of_solvers(who: Solvers) -> Iterator[Note]:
    """About those who have answered."""
    if who.found:
        yield Note("puzzle-found-by", {"names": who.found})
    else:
        yield Note("puzzle-found-by-none" if who.others else "puzzle-no-answers")
    if who.seated:
        yield Note("puzzle-seated-found", {"names": who.seated})


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
