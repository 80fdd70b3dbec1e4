"""The puzzle of the week: which position is set, what an answer to it is worth, and who has found how many.

Only matches that are over are asked, and only those turns of which the whole review is kept. An answer of somebody who
had a seat in the match is judged like any other, but counts for nothing: its review lay open to them.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from time import process_time
from zoneinfo import ZoneInfo

from moderator.common.enums import MatchStatus
from moderator.common.errors import OperatorError
from moderator.review.puzzle import GAME, PuzzlePosition, find_puzzle, find_turn_position, is_promising
from moderator.review.puzzle import PuzzleSolution as Found
from moderator.review.review import (
    Review,
    Reviewed,
    ReviewMaterial,
    build_review,
    build_review_material,
    decode_review,
    decode_turn_comparison,
    review_turn,
)
from moderator.rules.game import Note
from moderator.rules.time.calendar import resolve_local_hour, to_local_day
from moderator.settings import Config
from moderator.store import reviews
from moderator.store.club_tables import PuzzleRow
from moderator.store.database import Session
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import MatchSuspended, rebuild_with_history
from moderator.views.match_cache import MatchCache

# ---- The reviews of the club's finished matches: worked out turn by turn, and kept. Seats are kept by number:
# whoever reads one is told today's names.


def is_match_over(match: MatchRow) -> bool:
    """Return whether nothing of the match is secret any more."""
    return match.status == MatchStatus.FINISHED


def find_complete_review(session: Session, match: MatchRow) -> Review | None:
    """Find the review of the match as it is now; None if it is not complete yet."""
    row = reviews.find_current_review(session, match)
    if row is None or row.due_at is not None or row.content is None:
        return None
    return decode_review(row.content | {"turns": reviews.list_turn_reviews(session, match.number)})


@dataclass
class ReviewDraft:
    """A review that is being made: what it is made of, and its turns so far."""

    match_id: int
    entries: int
    """Length of the log that it is made of."""
    material: ReviewMaterial
    turns: list[Reviewed]
    kept: int
    """How many of the turns are in the database."""

    @property
    def is_complete(self) -> bool:
        return len(self.turns) == len(self.material.turns)

    def review_next_turns(self, seconds: float | None) -> float:
        """Review turns until so many seconds of CPU are spent (None: all of them), a turn at least; returns what was
        spent."""
        began = process_time()
        while not self.is_complete:
            self.turns.append(review_turn(self.material, len(self.turns)))
            if seconds is not None and process_time() - began >= seconds:
                break
        return process_time() - began


def build_review_work(session: Session, cache: MatchCache, match: MatchRow) -> ReviewMaterial:
    """Build all that reviews and puzzles of a finished match are made of. Raises OperatorError for a club without its
    dictionary, MatchSuspended for a log that does not fit."""
    found = rebuild_with_history(session, match, cache.config.deadlines)
    live, seed = found.live, bytes.fromhex(match.seed)
    context = replace(cache.build_context(live), out=())
    return build_review_material(live.game, live.options, context, found.entries, found.past, found.results, seed)


def prepare_review_draft(
    session: Session, cache: MatchCache, match: MatchRow, now: datetime, anew: bool = False
) -> ReviewDraft:
    """Load what is made so far; ``anew``: nothing of it counts. What was compared with another dictionary than today's
    is made anew, too. Raises OperatorError for a match that is not over and for a club without its dictionary,
    MatchSuspended for a log that does not fit."""
    if not is_match_over(match):
        raise OperatorError(f"Match {match.code} is not over.", "A review is made of finished matches.")
    session.flush()
    made_of = build_review_work(session, cache, match)
    row = reviews.find_current_review(session, match)
    if row is None or anew or row.due_at is None or row.edition != made_of.edition:
        row = reviews.queue_review(session, match, now)
        row.edition = made_of.edition
        session.add(row)
    turns = [decode_turn_comparison(content) for content in reviews.list_turn_reviews(session, match.number)]
    return ReviewDraft(match.number, match.entries, made_of, turns, len(turns))


def save_review_draft(session: Session, match: MatchRow, made: ReviewDraft) -> Review | None:
    """Save what the draft has besides what is stored; returns the review if it is complete now. A match that has
    changed meanwhile stores nothing of it."""
    row = reviews.find_current_review(session, match)
    elsewhere = row is not None and (
        row.due_at is None or reviews.count_turn_reviews(session, match.number) != made.kept
    )
    if row is None or row.entries != made.entries or elsewhere:  # somebody else is at it, or was faster
        return None
    reviews.add_turn_reviews(session, match.number, made.kept, [asdict(one) for one in made.turns[made.kept :]])
    made.kept = len(made.turns)
    found = build_review(made.material, made.turns) if made.is_complete else None
    if found is not None:
        row.trouble = ""
        row.content = {key: value for key, value in found.to_json().items() if key != "turns"}
        row.due_at = None
    session.add(row)
    session.flush()
    return found


def advance_match_review(session: Session, cache: MatchCache, match: MatchRow, now: datetime) -> Review | None:
    """Return the review of a match that has just ended, or that is asked for, made as far as this run's seconds go.
    None if it is not complete then. Raises like ``prepare_review_draft``."""
    found = find_complete_review(session, match)
    if found is not None or cache.review_seconds <= 0 or cache.catching_up:
        return found
    made = prepare_review_draft(session, cache, match, now)
    cache.review_spent += made.review_next_turns(cache.review_seconds)
    return save_review_draft(session, match, made)


def complete_match_review(
    session: Session, cache: MatchCache, match: MatchRow, now: datetime, anew: bool = False
) -> tuple[Review, bool]:
    """Return the complete review, and whether it was made just now. Raises like ``prepare_review_draft``."""
    found = None if anew else find_complete_review(session, match)
    if found is not None:
        return found, False
    made = prepare_review_draft(session, cache, match, now, anew)
    made.review_next_turns(None)
    new = save_review_draft(session, match, made)
    assert new is not None  # of this very match, in one transaction
    return new, True


LOOKED_AT = 24
"""Positions that are searched for one puzzle, at most."""
ENOUGH = 4
"""When so many of them make one, the hardest is taken."""
SUNDAY, A_MINUTE = timedelta(days=6), timedelta(minutes=1)


# ---- the calendar ----


def compute_puzzle_monday(config: Config, now: datetime) -> date:
    """Compute the Monday of the week that the club's daily hour has come in last."""
    day = to_local_day(config.club.compute_last_daily_time(now), config.club.zone)
    return day - timedelta(days=day.weekday())


def compute_puzzle_end(config: Config, week: date) -> datetime:
    """Compute the last minute of the Sunday of the week that begins on that Monday."""
    return resolve_local_hour(week + SUNDAY, 23, ZoneInfo(config.club.zone), 59)


def compute_puzzle_year(config: Config, puzzle: PuzzleRow) -> int:
    """Compute the year of the puzzle's last day."""
    return to_local_day(puzzle.until, config.club.zone).year


def find_current_puzzle(session: Session, moment: datetime) -> PuzzleRow | None:
    """Find the puzzle that takes answers which were written at that moment; none whose solution is told: an answer that
    is confirmed after that might be one of several."""
    found = reviews.find_last_puzzle(session)
    if found is None or found.withdrawn_at is not None or found.told_at is not None:
        return None
    return found if moment < found.until + A_MINUTE else None


# ---- positions ----


def find_puzzle_work(session: Session, cache: MatchCache, match: MatchRow) -> ReviewMaterial | None:
    """Find all that positions of a match are made of; None where it is not over, its log does not fit, or its
    dictionary cannot be opened."""
    if match.status != MatchStatus.FINISHED:
        return None
    try:
        return build_review_work(session, cache, match)
    except (MatchSuspended, OperatorError):
        return None


def find_puzzle_position(session: Session, cache: MatchCache, puzzle: PuzzleRow) -> PuzzlePosition | None:
    """Find the position of a puzzle; None where its match does not show it any more."""
    material = find_puzzle_work(session, cache, session.get_one(MatchRow, puzzle.match_id))
    return find_turn_position(material, puzzle.entry, puzzle.seat) if material is not None else None


def choose_puzzle(session: Session, cache: MatchCache, week: date) -> tuple[MatchRow, Reviewed, Found] | None:
    """Choose a position that was never set, of the game whose last puzzle is longest ago, and what there is to find in
    it; None if no match has any."""

    def build_sort_key(one: tuple[int, Reviewed]) -> tuple[bool, bytes]:
        match, turn = one
        return turn.left == 0, hashlib.sha256(f"{week} {match} {turn.n} {turn.seat}".encode()).digest()

    works: dict[int, ReviewMaterial | None] = {}
    good: list[tuple[MatchRow, Reviewed, Found]] = []
    for match, turn in sorted(_list_unused_turns(session), key=build_sort_key)[:LOOKED_AT]:
        good += _iter_puzzles_of_turn(session, cache, works, match, turn)
        if len(good) >= ENOUGH:
            break
    return max(good, key=lambda one: one[2].hardness, default=None)


def _list_unused_turns(session: Session) -> Iterator[tuple[int, Reviewed]]:
    """List by game the (match, turn) pairs that may be a puzzle by what the review tells, and were never one."""
    used = {(one.match_id, one.entry, one.seat) for one in reviews.list_all_puzzles(session)}
    for match, content in reviews.iter_reviewed_turns(session, GAME):
        turn = decode_turn_comparison(content)
        if is_promising(turn) and (match, turn.n, turn.seat) not in used:
            yield match, turn


def _iter_puzzles_of_turn(
    session: Session, cache: MatchCache, works: dict[int, ReviewMaterial | None], number: int, turn: Reviewed
) -> Iterator[tuple[MatchRow, Reviewed, Found]]:
    match = session.get_one(MatchRow, number)
    if number not in works:
        works[number] = find_puzzle_work(session, cache, match)
    material = works[number]
    there = find_turn_position(material, turn.n, turn.seat) if material is not None else None
    known = find_puzzle(there, turn.worth) if there is not None else None
    if known is not None:
        yield match, turn, known


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


def load_puzzle_solvers(session: Session, puzzle: PuzzleRow) -> PuzzleSolvers:
    """Load the solvers of a puzzle that takes no answers any more."""
    return _build_puzzle_solvers(puzzle, _load_answers_by_puzzle(session, [puzzle])[puzzle.number])


def list_resolved_puzzles(session: Session) -> list[tuple[PuzzleRow, PuzzleSolvers]]:
    """List the puzzles whose solution may be read, with their solvers, the newest first."""
    found = _list_resolved_rows(session)
    answers = _load_answers_by_puzzle(session, found)
    return [(one, _build_puzzle_solvers(one, answers[one.number])) for one in found]


def _list_resolved_rows(session: Session) -> list[PuzzleRow]:
    return [one for one in reviews.list_all_puzzles(session) if one.withdrawn_at is None and one.told_at is not None]


GivenAnswer = tuple[int, str, int, bool]
"""Primary key and name of the player, points, and whether that player had a seat in the match that the puzzle is from:
then it counts for nothing."""


def _load_answers_by_puzzle(session: Session, asked: Sequence[PuzzleRow]) -> Mapping[int, list[GivenAnswer]]:
    """Load the answers to each puzzle, by one query for all of them."""
    found: dict[int, list[GivenAnswer]] = defaultdict(list)
    sat = reviews.load_puzzle_seats(session)
    one = [asked[0].number] if len(asked) == 1 else None
    for puzzle, points, player, name in reviews.list_puzzle_answers(session, one):
        found[puzzle].append((player, name, points, (puzzle, player) in sat))
    return found


def _build_puzzle_solvers(puzzle: PuzzleRow, answers: Sequence[GivenAnswer]) -> PuzzleSolvers:
    best = [(name, sat) for _, name, points, sat in answers if points >= puzzle.most]
    found = sorted((name for name, sat in best if not sat), key=str.casefold)
    seated = sorted((name for name, sat in best if sat), key=str.casefold)
    others = sum(not sat for _, _, points, sat in answers if points < puzzle.most)
    return PuzzleSolvers(tuple(found), others, tuple(seated))


def build_puzzle_table(
    session: Session, config: Config, year: int, until: datetime | None = None
) -> tuple[PuzzleTableLine, ...]:
    """Build the table of a year: how many of its puzzles each player has found, of those that are over (``until``:
    those that were over before); the most found first, then the fewest answers."""
    found: Counter[int] = Counter()
    answered: Counter[int] = Counter()
    names: dict[int, str] = {}
    told = [
        one
        for one in _list_resolved_rows(session)
        if until is None or (one.told_at is not None and one.told_at < until)
    ]
    answers = _load_answers_by_puzzle(session, told)
    for puzzle in (one for one in told if compute_puzzle_year(config, one) == year):
        for player, name, points, sat in answers[puzzle.number]:
            if not sat:
                names[player] = name
                answered[player] += 1
                found[player] += points >= puzzle.most
    order = sorted(names, key=lambda one: (-found[one], answered[one], names[one].casefold()))
    return tuple(
        PuzzleTableLine(
            1 + sum(found[other] > found[one] for other in names), one, names[one], found[one], answered[one]
        )
        for one in order
    )


# ---- The mail of the week: the solution of the puzzle before, and a new one to find. Also on demand; and what
# becomes of an answer.


def iter_solution_notes(session: Session, puzzle: PuzzleRow) -> Iterator[Note]:
    """Yield the notes on what there was to find, and where the puzzle comes from."""
    match = session.get_one(MatchRow, puzzle.match_id)
    values = {"count": puzzle.number, "move": puzzle.best, "points": puzzle.most}
    yield Note("puzzle-solution", values)
    yield Note("puzzle-from", {"match": match.code, "name": match.name})


def iter_solver_notes(who: PuzzleSolvers) -> Iterator[Note]:
    """Yield the notes about those who have answered."""
    if who.found:
        yield Note("puzzle-found-by", {"names": who.found})
    elif not who.seated:
        yield Note("puzzle-found-by-none" if who.others else "puzzle-no-answers")
    if who.seated:
        yield Note("puzzle-seated-found" if who.found else "puzzle-seated-only", {"names": who.seated})
