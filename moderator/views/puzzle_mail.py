"""The mail of the week: the solution of the puzzle before, and a new one to find. Also on demand; and what becomes of
an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from moderator.common import tokens
from moderator.common.enums import MailKind
from moderator.delivery.compose import build_club_page, build_reply_address, reader_of
from moderator.delivery.lists import ensure_player_token
from moderator.delivery.route import Recipient, deliver_now, route
from moderator.language.messages import render_code, render_label
from moderator.notifications.content import PuzzleNotification
from moderator.notifications.pages import LineOutcome, Page, Receipt, ReplyAddress
from moderator.rules import turn_data
from moderator.rules.game import Note, agreed
from moderator.rules.outcomes import CommandDone, CommandRefused
from moderator.rules.robots import choose
from moderator.rules.turn_data import TurnData
from moderator.service.desk import Desk
from moderator.store import puzzles
from moderator.store.tables import MatchRow, PlayerRow, PuzzleRow
from moderator.views import links
from moderator.views import puzzles as club
from moderator.views.loaded_match import load_match_rules
from moderator.views.puzzles import PuzzleSolvers

if TYPE_CHECKING:
    from moderator.review.puzzle import PuzzlePosition


def build_puzzle_reply(desk: Desk, player: PlayerRow) -> ReplyAddress:
    """Return the address that brings an answer back; it opens nothing else."""
    return build_reply_address(desk, tokens.PUZZLE, ensure_player_token(desk, player))


def notify_weekly_puzzle(
    desk: Desk, player: PlayerRow, puzzle: PuzzleRow | None, before: PuzzleRow | None, *, answers: bool = False
) -> bool:
    """Send one player the week's mail: the ``puzzle`` that is set, and the solution of the one ``before``. ``answers``:
    it was asked for. Returns False if there is nothing in it, or nobody reads it."""
    shown = _find_weekly_view(desk, puzzle) if puzzle is not None else None
    solved, game = _get_last_solution(desk, before) if before is not None else ((), "")
    if puzzle is not None and shown is not None:
        about = *shown.about, *_iter_reader_notes(desk, player, puzzle)
        content = PuzzleNotification(
            puzzle.number, about, tuple(_iter_how_to_notes(desk, player, puzzle)), solved, game
        )
        page = build_club_page(
            desk,
            MailKind.PUZZLE,
            reader_of(player),
            reply=build_puzzle_reply(desk, player),
            content=content,
            **shown.position,
        )
        return route(desk, Recipient(player), _attach_turn_and_board(desk, page, shown.turn), answers=answers)
    if not solved:
        return False
    content = PuzzleNotification(solved=solved, solved_game=game)
    page = build_club_page(desk, MailKind.PUZZLE, reader_of(player), reply=None, content=content)
    return route(desk, Recipient(player), page, answers=answers)


@dataclass(frozen=True)
class PuzzleView:
    """The part of a week's puzzle that every reader sees alike."""

    about: tuple[Note, ...]
    position: Mapping[str, Any]
    """Fields of the page: the position as the mover saw it."""
    turn: TurnData
    """The same for programs and for the page to lay tiles on; all of it that is the reader's own is empty."""


def _find_weekly_view(desk: Desk, puzzle: PuzzleRow) -> PuzzleView | None:
    """Return the view of the puzzle, built once in a run however many read it; None where the match does not show the
    position any more."""
    match = desk.session.get_one(MatchRow, puzzle.match_id)
    key = puzzle.number, match.status, match.entries
    found: PuzzleView | None = desk.cache.get_weekly("shown", key, lambda: _find_puzzle_view(desk, puzzle))
    return found


def _find_puzzle_view(desk: Desk, puzzle: PuzzleRow) -> PuzzleView | None:
    there = club.find_puzzle_position(desk, puzzle)
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
        "examples": choose.example_moves(there.game, view, there.context),
    }
    return PuzzleView(about, position, _build_puzzle_turn(desk, puzzle, there))


def _build_puzzle_turn(desk: Desk, puzzle: PuzzleRow, there: PuzzlePosition) -> TurnData:
    """Return the position as turn data, without the match it is from."""
    view, (game, options) = there.view, load_match_rules(desk.session.get_one(MatchRow, puzzle.match_id))
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
        board=turn_data.build_table_values(game, view),
        reply=turn_data.TurnReply("", ""),
        language="",
        zone="",
        deadline=turn_data.format_utc_moment(puzzle.until),
        tiles=() if shared else view.hand_counts,
        common=shared,
        puzzle=puzzle.number,
    )


def _attach_turn_and_board(desk: Desk, page: Page, turn: TurnData) -> Page:
    """Return the page with what lets its reader lay the tiles on a board, or have a program do it."""
    language, back = page.reader.language, page.reply
    assert back is not None
    title = render_label("puzzle-title", language, number=turn.puzzle, game=render_code("name", language, turn.game))
    title = title.replace("\u00a0", " ")  # it becomes a subject
    answer = turn_data.TurnReply(back.address, f"{title} {back.subject}")
    own = replace(turn, name=title[: turn_data.NAME], reply=answer, language=language, zone=page.reader.zone)
    there = links.link_to_board(desk.config, desk.session, turn.game, language)
    return replace(page, turn=own, board_page=there)


def _get_last_solution(desk: Desk, before: PuzzleRow) -> tuple[tuple[Note, ...], str]:
    """Return the notes on a puzzle that takes no answers any more (solution, and who found it), and its game; built
    once in a run."""

    def collect_solution() -> tuple[tuple[Note, ...], str]:
        return tuple(_iter_closing_notes(desk, before)), desk.session.get_one(MatchRow, before.match_id).game

    found: tuple[tuple[Note, ...], str] = desk.cache.get_weekly("solved", before.number, collect_solution)
    return found


def _iter_reader_notes(desk: Desk, player: PlayerRow, puzzle: PuzzleRow) -> Iterator[Note]:
    if puzzle.withdrawn_at is None and player.number in puzzles.load_seated_players(desk.session, puzzle.match_id):
        yield Note("puzzle-you-sat-there")


def _iter_how_to_notes(desk: Desk, player: PlayerRow, puzzle: PuzzleRow) -> Iterator[Note]:
    if answer := puzzles.find_puzzle_answer(desk.session, puzzle, player.number):
        yield Note("puzzle-answered", {"move": answer.move, "points": answer.points})
    yield Note("puzzle-how", {"until": puzzle.until})
    yield Note("puzzle-stop" if player.puzzles else "puzzle-start")


def _iter_closing_notes(desk: Desk, puzzle: PuzzleRow) -> Iterator[Note]:
    """Yield the notes on a puzzle that takes no answers any more: solution and solvers, or that it was withdrawn."""
    if puzzle.withdrawn_at is not None:
        yield Note("puzzle-withdrawn", {"count": puzzle.number})
        return
    yield from iter_solution_notes(desk, puzzle)
    yield from iter_solver_notes(club.load_puzzle_solvers(desk, puzzle))


def iter_solution_notes(desk: Desk, puzzle: PuzzleRow) -> Iterator[Note]:
    """Yield the notes on what there was to find, and where the puzzle comes from."""
    match = desk.session.get_one(MatchRow, puzzle.match_id)
    values = {"count": puzzle.number, "move": puzzle.best, "points": puzzle.most}
    yield Note("puzzle-solution", values)
    yield Note("puzzle-from", {"match": match.code, "name": match.name})


def iter_solver_notes(who: PuzzleSolvers) -> Iterator[Note]:
    """Yield the notes about those who have answered."""
    if who.found:
        yield Note("puzzle-found-by", {"names": who.found})
    else:
        yield Note("puzzle-found-by-none" if who.others else "puzzle-no-answers")
    if who.seated:
        yield Note("puzzle-seated-found", {"names": who.seated})


def notify_puzzle_receipt(desk: Desk, player: PlayerRow, game: str, lines: Sequence[LineOutcome]) -> None:
    """Report to the player what became of the lines of an answer. Delivered at once, also while a backlog is handled: a
    mail at the end of a run does not know the game, and only the game can say what is wrong with a move."""
    kept = any(line.status == "move" for line in lines)
    page = build_club_page(
        desk,
        MailKind.DONE,
        reader_of(player),
        reply=build_puzzle_reply(desk, player),
        about_game=game,
        receipt=Receipt(CommandDone() if kept else CommandRefused(), tuple(lines)),
    )
    deliver_now(desk, Recipient(player), page, answers=True)
