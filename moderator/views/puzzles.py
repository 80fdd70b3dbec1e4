"""The puzzle of the week: which position is set, what an answer to it is worth, and who has found how many.

Only matches that are over are asked, and only those turns of which the whole review is kept. An answer of somebody who
had a seat in the match is judged like any other, but counts for nothing: its review lay open to them.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from moderator.common.enums import MatchStatus
from moderator.common.errors import OperatorError
from moderator.rules.time.calendar import resolve_local_hour, to_local_day
from moderator.service.desk import Desk
from moderator.store import puzzles
from moderator.store.tables import MatchRow, PuzzleRow
from moderator.views import reviews
from moderator.views.loaded_match import MatchSuspended

if TYPE_CHECKING:
    from moderator.review.puzzle import PuzzlePosition
    from moderator.review.puzzle import PuzzleSolution as Found
    from moderator.review.review import Reviewed
    from moderator.review.turns import ReviewMaterial
from dataclasses import replace
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
from moderator.store.tables import PlayerRow
from moderator.views import links
from moderator.views.loaded_match import load_match_rules

if TYPE_CHECKING:
    from moderator.review.puzzle import PuzzlePosition


LOOKED_AT = 24
"""Positions that are searched for one puzzle, at most."""
ENOUGH = 4
"""When so many of them make one, the hardest is taken."""
SUNDAY, A_MINUTE = timedelta(days=6), timedelta(minutes=1)


@dataclass(frozen=True)
class ChosenPuzzle:
    """A position, and what there is to find in it."""

    match: MatchRow
    turn: Reviewed
    found: Found


# ---- the calendar ----


def compute_puzzle_monday(desk: Desk) -> date:
    """Compute the Monday of the week that the club's daily hour has come in last."""
    day = to_local_day(desk.config.club.compute_last_daily_time(desk.now), desk.config.club.zone)
    return day - timedelta(days=day.weekday())


def compute_puzzle_end(desk: Desk, week: date) -> datetime:
    """Compute the last minute of the Sunday of the week that begins on that Monday."""
    return resolve_local_hour(week + SUNDAY, 23, ZoneInfo(desk.config.club.zone), 59)


def compute_puzzle_year(desk: Desk, puzzle: PuzzleRow) -> int:
    """Compute the year of the puzzle's last day."""
    return to_local_day(puzzle.until, desk.config.club.zone).year


def find_current_puzzle(desk: Desk) -> PuzzleRow | None:
    """Find the puzzle that takes answers now, or took them when the mail that is acted on arrived; none whose solution
    is told: an answer that is confirmed after that might be one of several."""
    found = puzzles.find_last_puzzle(desk.session)
    if found is None or found.withdrawn_at is not None or found.told_at is not None:
        return None
    return found if desk.written_at < found.until + A_MINUTE else None


# ---- positions ----


def find_puzzle_work(desk: Desk, match: MatchRow) -> ReviewMaterial | None:
    """Find all that positions of a match are made of; None where it is not over, its log does not fit, or its
    dictionary cannot be opened."""
    if match.status != MatchStatus.FINISHED:
        return None
    try:
        return reviews.build_review_work(desk.session, desk.cache, match)
    except (MatchSuspended, OperatorError):
        return None


def find_puzzle_position(desk: Desk, puzzle: PuzzleRow) -> PuzzlePosition | None:
    """Find the position of a puzzle; None where its match does not show it any more."""
    from moderator.review.puzzle import find_turn_position

    work = find_puzzle_work(desk, desk.session.get_one(MatchRow, puzzle.match_id))
    return find_turn_position(work, puzzle.entry, puzzle.seat) if work is not None else None


def choose_puzzle(desk: Desk, week: date) -> ChosenPuzzle | None:
    """Choose a position that was never set, of the game whose last puzzle is longest ago; None if no match has any."""

    def build_sort_key(one: tuple[int, Reviewed]) -> tuple[bool, bytes]:
        match, turn = one
        return turn.left == 0, hashlib.sha256(f"{week} {match} {turn.n} {turn.seat}".encode()).digest()

    works: dict[int, ReviewMaterial | None] = {}
    good: list[ChosenPuzzle] = []
    for match, turn in sorted(_list_unused_turns(desk), key=build_sort_key)[:LOOKED_AT]:
        good += _iter_puzzles_of_turn(desk, works, match, turn)
        if len(good) >= ENOUGH:
            break
    return max(good, key=lambda one: one.found.hardness, default=None)


def _list_unused_turns(desk: Desk) -> Iterator[tuple[int, Reviewed]]:
    """List by game the (match, turn) pairs that may be a puzzle by what the review tells, and were never one."""
    from moderator.review.puzzle import GAME, is_promising
    from moderator.review.review import decode_turn_comparison

    used = {(one.match_id, one.entry, one.seat) for one in puzzles.list_all_puzzles(desk.session)}
    for match, content in puzzles.iter_reviewed_turns(desk.session, GAME):
        turn = decode_turn_comparison(content)
        if is_promising(turn) and (match, turn.n, turn.seat) not in used:
            yield match, turn


def _iter_puzzles_of_turn(
    desk: Desk, works: dict[int, ReviewMaterial | None], number: int, turn: Reviewed
) -> Iterator[ChosenPuzzle]:
    from moderator.review.puzzle import find_puzzle, find_turn_position

    match = desk.session.get_one(MatchRow, number)
    if number not in works:
        works[number] = find_puzzle_work(desk, match)
    work = works[number]
    there = find_turn_position(work, turn.n, turn.seat) if work is not None else None
    known = find_puzzle(there, turn.worth) if there is not None else None
    if known is not None:
        yield ChosenPuzzle(match, turn, known)


# ---- who has found what ----


@dataclass(frozen=True)
class PuzzleSolvers:
    """The players who have answered a puzzle."""

    found: tuple[str, ...]
    """Names of those who found the best move, by name."""
    others: int
    """How many others have answered."""
    seated: tuple[str, ...]
    """Names of those who found it and had a seat in the match: it counts for nothing."""


@dataclass(frozen=True)
class PuzzleTableLine:
    """A player in the table of a year."""

    place: int
    player: int
    """Primary key."""
    name: str
    found: int
    answered: int


def load_puzzle_solvers(desk: Desk, puzzle: PuzzleRow) -> PuzzleSolvers:
    """Load the solvers of a puzzle that takes no answers any more."""
    return _build_puzzle_solvers(puzzle, _load_answers_by_puzzle(desk, [puzzle])[puzzle.number])


def list_resolved_puzzles(desk: Desk) -> list[tuple[PuzzleRow, PuzzleSolvers]]:
    """List the puzzles whose solution may be read, with their solvers, the newest first."""
    found = _list_resolved_rows(desk)
    answers = _load_answers_by_puzzle(desk, found)
    return [(one, _build_puzzle_solvers(one, answers[one.number])) for one in found]


def _list_resolved_rows(desk: Desk) -> list[PuzzleRow]:
    return [
        one for one in puzzles.list_all_puzzles(desk.session) if one.withdrawn_at is None and one.told_at is not None
    ]


@dataclass(frozen=True)
class GivenAnswer:
    """An answer to a puzzle."""

    player: int
    """Primary key."""
    name: str
    points: int
    seated: bool
    """In the match that the puzzle is from: it counts for nothing."""


def _load_answers_by_puzzle(desk: Desk, asked: Sequence[PuzzleRow]) -> Mapping[int, list[GivenAnswer]]:
    """Load the answers to each puzzle, by one query for all of them."""
    found: dict[int, list[GivenAnswer]] = defaultdict(list)
    sat = puzzles.load_puzzle_seats(desk.session)
    one = [asked[0].number] if len(asked) == 1 else None
    for puzzle, points, player, name in puzzles.list_puzzle_answers(desk.session, one):
        found[puzzle].append(GivenAnswer(player, name, points, (puzzle, player) in sat))
    return found


def _build_puzzle_solvers(puzzle: PuzzleRow, answers: Sequence[GivenAnswer]) -> PuzzleSolvers:
    best = [one for one in answers if one.points >= puzzle.most]
    found = sorted((one.name for one in best if not one.seated), key=str.casefold)
    seated = sorted((one.name for one in best if one.seated), key=str.casefold)
    others = sum(not one.seated for one in answers if one.points < puzzle.most)
    return PuzzleSolvers(tuple(found), others, tuple(seated))


def build_puzzle_table(desk: Desk, year: int, until: datetime | None = None) -> tuple[PuzzleTableLine, ...]:
    """Build the table of a year: how many of its puzzles each player has found, of those that are over (``until``:
    those that were over before); the most found first, then the fewest answers."""
    found: Counter[int] = Counter()
    answered: Counter[int] = Counter()
    names: dict[int, str] = {}
    told = [
        one for one in _list_resolved_rows(desk) if until is None or (one.told_at is not None and one.told_at < until)
    ]
    answers = _load_answers_by_puzzle(desk, told)
    for puzzle in (one for one in told if compute_puzzle_year(desk, one) == year):
        for one in answers[puzzle.number]:
            if not one.seated:
                names[one.player] = one.name
                answered[one.player] += 1
                found[one.player] += one.points >= puzzle.most
    order = sorted(names, key=lambda one: (-found[one], answered[one], names[one].casefold()))
    return tuple(
        PuzzleTableLine(
            1 + sum(found[other] > found[one] for other in names), one, names[one], found[one], answered[one]
        )
        for one in order
    )


# ---- The mail of the week: the solution of the puzzle before, and a new one to find. Also on demand; and what
# becomes of an answer.


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
    there = find_puzzle_position(desk, puzzle)
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
    yield from iter_solver_notes(load_puzzle_solvers(desk, puzzle))


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
