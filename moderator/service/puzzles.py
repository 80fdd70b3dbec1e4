"""The puzzle of the week: set on Monday, answered until Sunday, told the Monday after.

The week begins with the club's daily hour of its Monday, in the first run that comes then: a machine that was off does
it later in the week; a week that nobody saw, or of which less than a day is left, is left out. Each week is begun
once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from moderator.common import tokens
from moderator.common.enums import MailKind, MatchStatus
from moderator.common.errors import Impossible, PlayerError, StoreError, TransientError
from moderator.common.mails import Line
from moderator.language.messages import render_code, render_label, render_note
from moderator.notifications.content import PuzzleNotification, ReplyAddress, build_review_text
from moderator.notifications.pages import LineOutcome, Page, Receipt
from moderator.review import notes
from moderator.review.puzzle import PuzzlePosition
from moderator.review.review import Review
from moderator.rules import turn_data
from moderator.rules.game import resolve_option_values
from moderator.rules.orders.parse import OrderLine, parse_order_lines
from moderator.rules.outcomes import CommandDone, CommandRefused
from moderator.rules.robots import choose
from moderator.rules.state import Note
from moderator.rules.table import AlternativePreview
from moderator.rules.turn_data import TurnData
from moderator.service.notifications import notify_reader
from moderator.settings import Config
from moderator.store import key_values, reviews
from moderator.store.club_tables import PuzzleAnswer, PuzzleRow
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views import links, puzzles
from moderator.views.loaded_match import LiveMatch, load_match_rules
from moderator.views.mail_pages import build_club_page, build_player_reader, build_reply_address, ensure_player_token
from moderator.views.match_cache import MatchCache
from moderator.views.match_view import build_seated_page
from moderator.views.notification import Recipient
from moderator.views.puzzles import iter_solution_notes, iter_solver_notes, load_puzzle_solvers
from moderator.views.unit_of_work import UnitOfWork

A_DAY = timedelta(days=1)


def is_puzzle_week_due(work: UnitOfWork) -> bool:
    """Return whether a week is to be begun; one of which less than a day is left is not. Where no puzzle is set any
    more, a week is begun to tell the last solution."""
    begun, week = (
        key_values.find_value(work.session, reviews.WEEK) or "",
        puzzles.compute_puzzle_monday(work.config, work.now),
    )
    left = puzzles.compute_puzzle_end(work.config, week) - work.now
    if begun >= week.isoformat() or left < A_DAY:
        return False
    return work.config.puzzle.weekly or bool(reviews.list_puzzles_to_resolve(work.session, work.now))


def mark_puzzle_week(work: UnitOfWork) -> None:
    """Mark the week, so that nothing more of it is looked for."""
    key_values.save_value(work.session, reviews.WEEK, puzzles.compute_puzzle_monday(work.config, work.now).isoformat())


def begin_puzzle_week(work: UnitOfWork) -> None:
    """Close the last puzzle and set a new one; the mails about both are due."""
    mark_puzzle_week(work)
    before = _close_due_puzzles(work.session, work.now)
    puzzle = _set_weekly_puzzle(work) if work.config.puzzle.weekly else None
    key_values.save_value(work.session, reviews.MAILS, _format_mail_progress(puzzle, before, 0))


def list_puzzle_recipients(session: Session) -> Sequence[int]:
    """List the primary keys of the players whose mail of the week is not made yet, in the order in which they get it. A
    run that died over it is continued by the next one."""
    row = key_values.find_value(session, reviews.MAILS)
    waiting = reviews.list_puzzle_subscribers(session, int(row.split()[-1])) if row else ()
    if row and not waiting:
        key_values.delete_value(session, reviews.MAILS)
    return waiting


def notify_puzzle_recipient(work: UnitOfWork, number: int) -> None:
    """Notify one player of the solution of the last puzzle and of the new one, in one mail."""
    row = key_values.find_value(work.session, reviews.MAILS)
    if row is None or int(row.split()[-1]) >= number:
        return  # another worker was faster
    mark_puzzle_mailed(work.session, number)
    puzzle, before = (work.session.get(PuzzleRow, int(one)) for one in row.split()[:2])
    notify_weekly_puzzle(work, work.session.get_one(PlayerRow, number), puzzle, before)


def mark_puzzle_mailed(session: Session, number: int) -> None:
    """Mark that no player up to this one gets one more."""
    if row := key_values.find_value(session, reviews.MAILS):
        key_values.save_value(session, reviews.MAILS, " ".join([*row.split()[:2], str(number)]))


def _format_mail_progress(puzzle: PuzzleRow | None, before: PuzzleRow | None, last: int) -> str:
    return f"{puzzle.number if puzzle else 0} {before.number if before else 0} {last}"


def _close_due_puzzles(session: Session, now: datetime) -> PuzzleRow | None:
    """Close the puzzles that are due; returns the one whose solution is told now."""
    found = None
    for found in reviews.list_puzzles_to_resolve(session, now):
        found.told_at = now
        reopened = session.get_one(MatchRow, found.match_id).status != MatchStatus.FINISHED
        if reopened and found.withdrawn_at is None:
            found.withdrawn_at = now
        session.add(found)
    session.flush()
    return found


def _set_weekly_puzzle(work: UnitOfWork) -> PuzzleRow | None:
    """Set the puzzle of the week that begins; None where no match has one."""
    week = puzzles.compute_puzzle_monday(work.config, work.now)
    chosen = puzzles.choose_puzzle(work.session, work.cache, week)
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
        set_at=work.now,
        until=puzzles.compute_puzzle_end(work.config, week),
    )
    work.session.add(puzzle)
    work.session.flush()
    return puzzle


def withdraw_current_puzzle(work: UnitOfWork) -> PuzzleRow | None:
    """Withdraw the puzzle that runs, so that it counts for nothing; None if there is none. Its position never comes
    again."""
    puzzle = puzzles.find_current_puzzle(work)
    if puzzle is not None:
        puzzle.withdrawn_at = work.now
        work.session.add(puzzle)
    return puzzle


def get_running_puzzle(work: UnitOfWork) -> tuple[PuzzleRow, PuzzlePosition]:
    """Return the puzzle that takes answers, with its position. Raises Impossible where there is none."""
    puzzle = puzzles.find_current_puzzle(work)
    if puzzle is None:
        last = reviews.find_last_puzzle(work.session)
        if last is not None and last.told_at is None and last.withdrawn_at is None:
            raise Impossible("puzzle-too-late", until=last.until)
        raise Impossible("puzzle-none" if work.config.puzzle.weekly else "puzzle-off")
    there = puzzles.find_puzzle_position(work, puzzle)
    if there is None:
        raise Impossible("puzzle-gone")
    return puzzle, there


# ---- answers ----


def answer_puzzle(work: UnitOfWork, player: PlayerRow, lines: Sequence[Line]) -> tuple[str, tuple[LineOutcome, ...]]:
    """Store the first move among the lines that is possible as the player's answer. Returns the game and what became of
    each line. Raises Impossible where nothing is asked, and for what was meant for an older puzzle: its move names
    places of another board."""
    puzzle, there = get_running_puzzle(work)
    sent = reviews.find_puzzle_mail_time(work.session, work.answered) if work.answered else None
    if sent is not None and sent < puzzle.set_at:
        raise Impossible("puzzle-older", count=puzzle.number)
    if work.written_at < puzzle.set_at:
        raise Impossible("puzzle-before", count=puzzle.number)
    view, game = there.view, there.game
    found = parse_order_lines(lines, lambda text: game.parse_move(text, view), game.format_move, game.style)
    right, kept = _find_example_move(there, player.language), False
    read = []
    for line in found.lines:
        if line.move is not None and not kept:
            read.append(_record_puzzle_answer(work, player, puzzle, line, there.judge_move(line.canonical)))
            kept = read[-1].status == "move"
        else:
            read.append(_build_other_line(line, right))
    return game.key, tuple(read)


def _find_example_move(there: PuzzlePosition, language: str) -> str:
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
    work: UnitOfWork, player: PlayerRow, puzzle: PuzzleRow, line: OrderLine, worth: AlternativePreview
) -> LineOutcome:
    """Record an answer. Whether it is the best there is, its writer reads with everybody else."""
    if worth.undecided or worth.refused or worth.points is None:
        why = [Note(worth.refused.code, worth.refused.params)] if worth.refused else []
        why += [Note("puzzle-word", {"words": list(worth.undecided)})] if worth.undecided else []
        return LineOutcome(line.number, line.text, "impossible", line.canonical, notes=(*why, Note("puzzle-unchanged")))
    kept = reviews.find_puzzle_answer(work.session, puzzle, player.number)
    if kept is not None and work.written_at < kept.at:
        later = Note("puzzle-later", {"order": kept.move})
        return LineOutcome(line.number, line.text, "impossible", line.canonical, notes=(later,))
    replaced = kept.move if kept is not None and kept.move != worth.canonical else ""
    row = kept or PuzzleAnswer(puzzle_id=puzzle.number, player_id=player.number, move="", points=0, at=work.written_at)
    row.move, row.points, row.at = worth.canonical, worth.points, work.written_at
    work.session.add(row)
    work.session.flush()
    notes = [Note("puzzle-kept", {"until": puzzle.until})]
    notes += [Note("puzzle-replaces", {"order": replaced})] if replaced else []
    if player.number in reviews.load_seated_players(work.session, puzzle.match_id):
        notes.append(Note("puzzle-you-sat-there"))
    return LineOutcome(line.number, line.text, "move", worth.canonical, points=worth.points, notes=tuple(notes))


def refuse_puzzle_answer(
    session: Session, lines: Sequence[Line], error: PlayerError
) -> tuple[str, tuple[LineOutcome, ...]]:
    """Build the outcome of an answer to which there is no question: the game and the first line."""
    why, last = Note(error.code, error.params), reviews.find_last_puzzle(session)
    game = session.get_one(MatchRow, last.match_id).game if last is not None else ""
    return game, tuple(LineOutcome(line.number, line.text, "impossible", notes=(why,)) for line in lines[:1])


# ---- Who is told of the review of a finished match: whoever asked for it, and all who read how the match ended.


def build_review_page(
    work: UnitOfWork, match: MatchRow, live: LiveMatch, seat: SeatRow, player: PlayerRow, review: Review
) -> Page:
    """Return a page with the whole review, for a player with a seat."""
    return build_seated_page(
        work.config,
        work.now,
        MailKind.REVIEW,
        match,
        live,
        seat,
        player,
        content=build_review_text(review),
        names=tuple(one.name for one in work.list_players(match)),
    )


def notify_review_requesters(work: UnitOfWork, match: MatchRow, review: Review) -> None:
    """Send the finished review, once, to everybody who asked for it."""
    waiting = reviews.list_review_requests(work.session, match.number)
    if not waiting:
        return
    live = work.cache.load_match(work.session, match)
    for seat, player in work.list_seated(match):
        if player.number in waiting:
            notify_reader(
                work,
                Recipient(player, match, seat),
                build_review_page(work, match, live, seat, player, review),
                once=True,
            )
    reviews.delete_review_requests(work.session, match.number)


def summarize_review(work: UnitOfWork, match: MatchRow) -> tuple[Note, ...]:
    """Return five lines of the review for the mail about the end of the match; () where the review is not complete
    within this run's seconds. The result waits for nothing: what is not ready now stands in the match's page later.
    Raises StoreError, TransientError."""
    try:
        found = puzzles.advance_match_review(work.session, work.cache, match, work.now)
    except (StoreError, TransientError):
        raise
    except Exception:
        return ()  # whatever it is, a match ends without it; the queue has it, and says why it cannot be made
    return notes.list_short_summary(found) if found is not None else ()


def build_puzzle_reply(session: Session, config: Config, player: PlayerRow) -> ReplyAddress:
    """Return the address that brings an answer back; it opens nothing else."""
    return build_reply_address(config, tokens.PUZZLE, ensure_player_token(session, player))


def notify_weekly_puzzle(
    work: UnitOfWork, player: PlayerRow, puzzle: PuzzleRow | None, before: PuzzleRow | None, *, answers: bool = False
) -> None:
    """Send one player the week's mail, if there is something in it: the ``puzzle`` that is set, and the solution of the
    one ``before``. ``answers``: it was asked for."""
    shown = _find_weekly_view(work, puzzle) if puzzle is not None else None
    solved, game = _get_last_solution(work.session, work.cache, before) if before is not None else ((), "")
    if puzzle is not None and shown is not None:
        about = *shown.about, *_iter_reader_notes(work.session, player, puzzle)
        content = PuzzleNotification(
            puzzle.number, about, tuple(_iter_how_to_notes(work.session, player, puzzle)), solved, game
        )
        page = build_club_page(
            work.config,
            work.now,
            MailKind.PUZZLE,
            build_player_reader(player),
            reply=build_puzzle_reply(work.session, work.config, player),
            content=content,
            **shown.position,
        )
        notify_reader(
            work,
            Recipient(player),
            _attach_turn_and_board(work.session, work.config, page, shown.turn),
            answers=answers,
        )
    elif solved:
        content = PuzzleNotification(solved=solved, solved_game=game)
        page = build_club_page(
            work.config, work.now, MailKind.PUZZLE, build_player_reader(player), reply=None, content=content
        )
        notify_reader(work, Recipient(player), page, answers=answers)


@dataclass(frozen=True)
class PuzzleView:
    """The part of a week's puzzle that every reader sees alike."""

    about: tuple[Note, ...]
    position: Mapping[str, Any]
    """Fields of the page: the position as the mover saw it."""
    turn: TurnData
    """The same for programs and for the page to lay tiles on; all of it that is the reader's own is empty."""


def _find_weekly_view(work: UnitOfWork, puzzle: PuzzleRow) -> PuzzleView | None:
    """Return the view of the puzzle, built once in a run however many read it; None where the match does not show the
    position any more."""
    match = work.session.get_one(MatchRow, puzzle.match_id)
    key = puzzle.number, match.status, match.entries
    found: PuzzleView | None = work.cache.get_weekly("shown", key, lambda: _find_puzzle_view(work, puzzle))
    return found


def _find_puzzle_view(work: UnitOfWork, puzzle: PuzzleRow) -> PuzzleView | None:
    there = puzzles.find_puzzle_position(work, puzzle)
    if there is None:
        return None
    view = there.view
    own, others = there.state.scores[there.seat], [*there.state.scores]
    del others[there.seat]
    about = Note("puzzle-task", {"turns": puzzle.turns}), Note("puzzle-score", {"own": own, "others": others})
    position = {
        "about_game": there.game.key,
        "scene": there.game.build_scene(view),
        "rack": view.hand,
        "stock": view.stock_count,
        "stock_kinds": getattr(view.public, "left", {}),
        "situation": there.game.describe_situation(view),
        "examples": choose.example_moves(there.game, view, there.context),
    }
    return PuzzleView(about, position, _build_puzzle_turn(work.session, puzzle, there))


def _build_puzzle_turn(session: Session, puzzle: PuzzleRow, there: PuzzlePosition) -> TurnData:
    """Return the position as turn data, without the match it is from."""
    view, (game, options) = there.view, load_match_rules(session.get_one(MatchRow, puzzle.match_id))
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
        options=resolve_option_values(game, options, there.state.seats),
        board=turn_data.build_table_values(game, view),
        reply=turn_data.TurnReply("", ""),
        language="",
        zone="",
        deadline=turn_data.format_utc_moment(puzzle.until),
        tiles=() if shared else view.hand_counts,
        common=shared,
        puzzle=puzzle.number,
    )


def _attach_turn_and_board(session: Session, config: Config, page: Page, turn: TurnData) -> Page:
    """Return the page with what lets its reader lay the tiles on a board, or have a program do it."""
    language, back = page.reader.language, page.reply
    assert back is not None
    title = render_label("puzzle-title", language, number=turn.puzzle, game=render_code("name", language, turn.game))
    title = title.replace("\u00a0", " ")  # it becomes a subject
    answer = turn_data.TurnReply(back.address, f"{title} {back.subject}")
    own = replace(turn, name=title[: turn_data.NAME], reply=answer, language=language, zone=page.reader.zone)
    there = links.link_to_board(config, session, turn.game, language)
    return replace(page, turn=own, board_page=there)


def _get_last_solution(session: Session, cache: MatchCache, before: PuzzleRow) -> tuple[tuple[Note, ...], str]:
    """Return the notes on a puzzle that takes no answers any more (solution, and who found it), and its game; built
    once in a run."""

    def collect_solution() -> tuple[tuple[Note, ...], str]:
        return tuple(_iter_closing_notes(session, before)), session.get_one(MatchRow, before.match_id).game

    found: tuple[tuple[Note, ...], str] = cache.get_weekly("solved", before.number, collect_solution)
    return found


def _iter_reader_notes(session: Session, player: PlayerRow, puzzle: PuzzleRow) -> Iterator[Note]:
    if puzzle.withdrawn_at is None and player.number in reviews.load_seated_players(session, puzzle.match_id):
        yield Note("puzzle-you-sat-there")


def _iter_how_to_notes(session: Session, player: PlayerRow, puzzle: PuzzleRow) -> Iterator[Note]:
    if answer := reviews.find_puzzle_answer(session, puzzle, player.number):
        yield Note("puzzle-answered", {"move": answer.move, "points": answer.points})
    yield Note("puzzle-how", {"until": puzzle.until})
    yield Note("puzzle-stop" if player.puzzles else "puzzle-start")


def _iter_closing_notes(session: Session, puzzle: PuzzleRow) -> Iterator[Note]:
    """Yield the notes on a puzzle that takes no answers any more: solution and solvers, or that it was withdrawn."""
    if puzzle.withdrawn_at is not None:
        yield Note("puzzle-withdrawn", {"count": puzzle.number})
        return
    yield from iter_solution_notes(session, puzzle)
    yield from iter_solver_notes(load_puzzle_solvers(session, puzzle))


def notify_puzzle_receipt(work: UnitOfWork, player: PlayerRow, game: str, lines: Sequence[LineOutcome]) -> None:
    """Report to the player what became of the lines of an answer. Delivered at once, also while a backlog is handled: a
    mail at the end of a run does not know the game, and only the game can say what is wrong with a move."""
    kept = any(line.status == "move" for line in lines)
    page = build_club_page(
        work.config,
        work.now,
        MailKind.DONE,
        build_player_reader(player),
        reply=build_puzzle_reply(work.session, work.config, player),
        about_game=game,
        receipt=Receipt(CommandDone() if kept else CommandRefused(), tuple(lines)),
    )
    notify_reader(work, Recipient(player), page, answers=True, waited=True)
