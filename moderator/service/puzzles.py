"""The puzzle of the week: set on Monday, answered until Sunday, told the Monday after.

The week begins with the club's daily hour of its Monday, in the first run that comes then: a machine that was off does
it later in the week; a week that nobody saw, or of which less than a day is left, is left out. Each week is begun
once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
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
from moderator.views.links import build_player_page, build_reply_address, ensure_player_token
from moderator.views.loaded_match import LiveMatch, load_match_rules
from moderator.views.match_cache import MatchCache
from moderator.views.match_view import build_seated_page
from moderator.views.puzzles import iter_solution_notes, iter_solver_notes, load_puzzle_solvers
from moderator.views.unit_of_work import Recipient, UnitOfWork

A_DAY = timedelta(days=1)


@dataclass(frozen=True)
class PuzzleWeek:
    """Begins the weeks: closes the last puzzle, sets a new one, and has everybody told who wants to be."""

    work: UnitOfWork

    @property
    def monday(self) -> date:
        """The day on which the running week began."""
        return puzzles.compute_puzzle_monday(self.work.config, self.work.now)

    def is_due(self) -> bool:
        """Return whether a week is to be begun; one of which less than a day is left is not. Where no puzzle is set any
        more, a week is begun to tell the last solution."""
        begun = key_values.find_value(self.work.session, reviews.WEEK) or ""
        left = puzzles.compute_puzzle_end(self.work.config, self.monday) - self.work.now
        if begun >= self.monday.isoformat() or left < A_DAY:
            return False
        return self.work.config.puzzle.weekly or bool(reviews.list_puzzles_to_resolve(self.work.session, self.work.now))

    def mark_begun(self) -> None:
        """Mark the week, so that nothing more of it is looked for."""
        key_values.save_value(self.work.session, reviews.WEEK, self.monday.isoformat())

    def begin_week(self) -> None:
        """Close the last puzzle and set a new one; the mails about both are due."""
        self.mark_begun()
        before = self._close_due_puzzles()
        puzzle = self._set_puzzle() if self.work.config.puzzle.weekly else None
        key_values.save_value(
            self.work.session, reviews.MAILS, f"{puzzle.number if puzzle else 0} {before.number if before else 0} 0"
        )

    def list_recipients(self) -> Sequence[int]:
        """List the primary keys of the players whose mail of the week is not made yet, in the order in which they get
        it. A run that died over it is continued by the next one."""
        row = key_values.find_value(self.work.session, reviews.MAILS)
        waiting = reviews.list_puzzle_subscribers(self.work.session, int(row.split()[-1])) if row else ()
        if row and not waiting:
            key_values.delete_value(self.work.session, reviews.MAILS)
        return waiting

    def notify_recipient(self, number: int) -> None:
        """Notify one player of the solution of the last puzzle and of the new one, in one mail."""
        row = key_values.find_value(self.work.session, reviews.MAILS)
        if row is None or int(row.split()[-1]) >= number:
            return  # another worker was faster
        self.mark_mailed(number)
        puzzle, before = (self.work.session.get(PuzzleRow, int(one)) for one in row.split()[:2])
        PuzzleReader(self.work, self.work.session.get_one(PlayerRow, number)).notify_puzzle(puzzle, before)

    def mark_mailed(self, number: int) -> None:
        """Mark that no player up to this one gets one more."""
        if row := key_values.find_value(self.work.session, reviews.MAILS):
            key_values.save_value(self.work.session, reviews.MAILS, " ".join([*row.split()[:2], str(number)]))

    def _close_due_puzzles(self) -> PuzzleRow | None:
        """Close the puzzles that are due; returns the one whose solution is told now."""
        found, session, now = None, self.work.session, self.work.now
        for found in reviews.list_puzzles_to_resolve(session, now):
            found.told_at = now
            reopened = session.get_one(MatchRow, found.match_id).status != MatchStatus.FINISHED
            if reopened and found.withdrawn_at is None:
                found.withdrawn_at = now
            session.add(found)
        session.flush()
        return found

    def _set_puzzle(self) -> PuzzleRow | None:
        """Set the puzzle of the week that begins; None where no match has one."""
        chosen = puzzles.choose_puzzle(self.work.session, self.work.cache, self.monday)
        if chosen is None:
            return None
        match, turn, found = chosen
        puzzle = PuzzleRow(
            match_id=match.number,
            entry=turn.n,
            seat=turn.seat,
            best=found.best,
            most=found.most,
            turns=found.of,
            hardness=found.hardness,
            set_at=self.work.now,
            until=puzzles.compute_puzzle_end(self.work.config, self.monday),
        )
        self.work.session.add(puzzle)
        self.work.session.flush()
        return puzzle

    def withdraw_puzzle(self) -> PuzzleRow | None:
        """Withdraw the puzzle that runs, so that it counts for nothing; None if there is none. Its position never comes
        again."""
        puzzle = puzzles.find_current_puzzle(self.work.session, self.work.written_at)
        if puzzle is not None:
            puzzle.withdrawn_at = self.work.now
            self.work.session.add(puzzle)
        return puzzle

    def get_running_puzzle(self) -> tuple[PuzzleRow, PuzzlePosition]:
        """Return the puzzle that takes answers, with its position. Raises Impossible where there is none."""
        puzzle = puzzles.find_current_puzzle(self.work.session, self.work.written_at)
        if puzzle is None:
            last = reviews.find_last_puzzle(self.work.session)
            if last is not None and last.told_at is None and last.withdrawn_at is None:
                raise Impossible("puzzle-too-late", until=last.until)
            raise Impossible("puzzle-none" if self.work.config.puzzle.weekly else "puzzle-off")
        there = puzzles.find_puzzle_position(self.work.session, self.work.cache, puzzle)
        if there is None:
            raise Impossible("puzzle-gone")
        return puzzle, there


@dataclass(frozen=True)
class PuzzleReader:
    """A player who reads the puzzle of the week, and answers it."""

    work: UnitOfWork
    player: PlayerRow

    def answer_puzzle(self, lines: Sequence[Line]) -> tuple[str, tuple[LineOutcome, ...]]:
        """Store the first move among the lines that is possible as the player's answer. Returns the game and what
        became of each line. Raises Impossible where nothing is asked, and for what was meant for an older puzzle: its
        move names places of another board."""
        puzzle, there = PuzzleWeek(self.work).get_running_puzzle()
        sent = reviews.find_puzzle_mail_time(self.work.session, self.work.answered) if self.work.answered else None
        if sent is not None and sent < puzzle.set_at:
            raise Impossible("puzzle-older", count=puzzle.number)
        if self.work.written_at < puzzle.set_at:
            raise Impossible("puzzle-before", count=puzzle.number)
        view, game = there.view, there.game
        found = parse_order_lines(lines, lambda text: game.parse_move(text, view), game.format_move, game.style)
        right, kept = _find_example_move(there, self.player.language), False
        read = []
        for line in found.lines:
            if line.move is not None and not kept:
                read.append(self._record_answer(puzzle, line, there.judge_move(line.canonical)))
                kept = read[-1].status == "move"
            else:
                read.append(_build_other_line(line, right))
        return game.key, tuple(read)

    def _record_answer(self, puzzle: PuzzleRow, line: OrderLine, worth: AlternativePreview) -> LineOutcome:
        """Record an answer. Whether it is the best there is, its writer reads with everybody else."""
        if worth.undecided or worth.refused or worth.points is None:
            why = [Note(worth.refused.code, worth.refused.params)] if worth.refused else []
            why += [Note("puzzle-word", {"words": list(worth.undecided)})] if worth.undecided else []
            return LineOutcome(
                line.number, line.text, "impossible", line.canonical, notes=(*why, Note("puzzle-unchanged"))
            )
        kept = reviews.find_puzzle_answer(self.work.session, puzzle, self.player.number)
        if kept is not None and self.work.written_at < kept.at:
            later = Note("puzzle-later", {"order": kept.move})
            return LineOutcome(line.number, line.text, "impossible", line.canonical, notes=(later,))
        replaced = kept.move if kept is not None and kept.move != worth.canonical else ""
        row = kept or PuzzleAnswer(
            puzzle_id=puzzle.number, player_id=self.player.number, move="", points=0, at=self.work.written_at
        )
        row.move, row.points, row.at = worth.canonical, worth.points, self.work.written_at
        self.work.session.add(row)
        self.work.session.flush()
        notes = [Note("puzzle-kept", {"until": puzzle.until})]
        notes += [Note("puzzle-replaces", {"order": replaced})] if replaced else []
        if self.player.number in reviews.load_seated_players(self.work.session, puzzle.match_id):
            notes.append(Note("puzzle-you-sat-there"))
        return LineOutcome(line.number, line.text, "move", worth.canonical, points=worth.points, notes=tuple(notes))

    def _build_reply(self) -> ReplyAddress:
        """Return the address that brings an answer back; it opens nothing else."""
        return build_reply_address(self.work.config, tokens.PUZZLE, ensure_player_token(self.work.session, self.player))

    def notify_puzzle(self, puzzle: PuzzleRow | None, before: PuzzleRow | None, *, answers: bool = False) -> None:
        """Send one player the week's mail, if there is something in it: the ``puzzle`` that is set, and the solution of
        the one ``before``. ``answers``: it was asked for."""
        shown = _find_weekly_view(self.work.session, self.work.cache, puzzle) if puzzle is not None else None
        solved, game = (
            _get_last_solution(self.work.session, self.work.cache, before) if before is not None else ((), "")
        )
        if puzzle is not None and shown is not None:
            told, position, turn = shown
            about = *told, *self._iter_reader_notes(puzzle)
            content = PuzzleNotification(puzzle.number, about, tuple(self._iter_how_to_notes(puzzle)), solved, game)
            page = build_player_page(
                self.work, MailKind.PUZZLE, self.player, reply=self._build_reply(), content=content, **position
            )
            notify_reader(
                self.work,
                Recipient(self.player),
                _attach_turn_and_board(self.work.session, self.work.config, page, turn),
                answers=answers,
            )
        elif solved:
            content = PuzzleNotification(solved=solved, solved_game=game)
            page = build_player_page(self.work, MailKind.PUZZLE, self.player, reply=None, content=content)
            notify_reader(self.work, Recipient(self.player), page, answers=answers)

    def _iter_reader_notes(self, puzzle: PuzzleRow) -> Iterator[Note]:
        if puzzle.withdrawn_at is None and self.player.number in reviews.load_seated_players(
            self.work.session, puzzle.match_id
        ):
            yield Note("puzzle-you-sat-there")

    def _iter_how_to_notes(self, puzzle: PuzzleRow) -> Iterator[Note]:
        if answer := reviews.find_puzzle_answer(self.work.session, puzzle, self.player.number):
            yield Note("puzzle-answered", {"move": answer.move, "points": answer.points})
        yield Note("puzzle-how", {"until": puzzle.until})
        yield Note("puzzle-stop" if self.player.puzzles else "puzzle-start")

    def notify_receipt(self, game: str, lines: Sequence[LineOutcome]) -> None:
        """Report to the player what became of the lines of an answer. Delivered at once, also while a backlog is
        handled: a mail at the end of a run does not know the game, and only the game can say what is wrong with a
        move."""
        kept = any(line.status == "move" for line in lines)
        page = build_player_page(
            self.work,
            MailKind.DONE,
            self.player,
            reply=self._build_reply(),
            about_game=game,
            receipt=Receipt(CommandDone() if kept else CommandRefused(), tuple(lines)),
        )
        notify_reader(self.work, Recipient(self.player), page, answers=True, waited=True)


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


def refuse_puzzle_answer(
    session: Session, lines: Sequence[Line], error: PlayerError
) -> tuple[str, tuple[LineOutcome, ...]]:
    """Build the outcome of an answer to which there is no question: the game and the first line."""
    why, last = Note(error.code, error.params), reviews.find_last_puzzle(session)
    game = session.get_one(MatchRow, last.match_id).game if last is not None else ""
    return game, tuple(LineOutcome(line.number, line.text, "impossible", notes=(why,)) for line in lines[:1])


@dataclass(frozen=True)
class ReviewSender:
    """Tells of the review of a finished match: whoever asked for it, and all who read how the match ended."""

    work: UnitOfWork
    match: MatchRow

    def build_page(self, live: LiveMatch, seat: SeatRow, player: PlayerRow, review: Review) -> Page:
        """Return a page with the whole review, for a player with a seat."""
        names = tuple(one.name for one in self.work.list_players(self.match))
        content = build_review_text(review)
        return build_seated_page(
            self.work, MailKind.REVIEW, self.match, live, seat, player, content=content, names=names
        )

    def notify_requesters(self, review: Review) -> None:
        """Send the finished review, once, to everybody who asked for it."""
        waiting = reviews.list_review_requests(self.work.session, self.match.number)
        if not waiting:
            return
        live = self.work.cache.load_match(self.work.session, self.match)
        for seat, player in self.work.list_seated(self.match):
            if player.number in waiting:
                notify_reader(
                    self.work,
                    Recipient(player, self.match, seat),
                    self.build_page(live, seat, player, review),
                    once=True,
                )
        reviews.delete_review_requests(self.work.session, self.match.number)

    def summarize_review(self) -> tuple[Note, ...]:
        """Return where the lead went to another seat for good, for the mail about the end of the match; () where it
        never did, or the review is not complete within this run's seconds. The result waits for nothing: what is not
        ready now stands in the match's page later.
        Raises StoreError, TransientError."""
        try:
            found = puzzles.advance_match_review(self.work.session, self.work.cache, self.match, self.work.now)
        except (StoreError, TransientError):
            raise
        except Exception:
            return ()  # whatever it is, a match ends without it; the queue has it, and says why it cannot be made
        return notes.list_turning_notes(found) if found is not None else ()


PuzzleView = tuple[tuple[Note, ...], Mapping[str, Any], TurnData]
"""The part of a week's puzzle that every reader sees alike: what it is about, fields of the page (the position as the
mover saw it), and the same for programs and for the touch board; what is the reader's own there is empty."""


def _find_weekly_view(session: Session, cache: MatchCache, puzzle: PuzzleRow) -> PuzzleView | None:
    """Return the view of the puzzle, built once in a run however many read it; None where the match does not show the
    position any more."""
    match = session.get_one(MatchRow, puzzle.match_id)
    key = puzzle.number, match.status, match.entries
    found: PuzzleView | None = cache.get_weekly("shown", key, lambda: _find_puzzle_view(session, cache, puzzle))
    return found


def _find_puzzle_view(session: Session, cache: MatchCache, puzzle: PuzzleRow) -> PuzzleView | None:
    there = puzzles.find_puzzle_position(session, cache, puzzle)
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
        "stock_kinds": view.stock_kinds,
        "situation": there.game.describe_situation(view),
        "examples": choose.example_moves(there.game, view, there.context),
    }
    return about, position, _build_puzzle_turn(session, puzzle, there)


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


def _iter_closing_notes(session: Session, puzzle: PuzzleRow) -> Iterator[Note]:
    """Yield the notes on a puzzle that takes no answers any more: solution and solvers, or that it was withdrawn."""
    if puzzle.withdrawn_at is not None:
        yield Note("puzzle-withdrawn", {"count": puzzle.number})
        return
    yield from iter_solution_notes(session, puzzle)
    yield from iter_solver_notes(load_puzzle_solvers(session, puzzle))
