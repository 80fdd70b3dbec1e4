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
