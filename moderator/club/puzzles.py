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

from moderator.club import reviews
from moderator.club.desk import Desk
from moderator.club.live_match import Suspended
from moderator.errors import OperatorError
from moderator.match.time.calendar import local, local_day
from moderator.states import MatchStatus
from moderator.store import puzzles
from moderator.store.models import Match, Puzzle

if TYPE_CHECKING:
    from moderator.review.puzzle import Position
    from moderator.review.puzzle import Puzzle as Found
    from moderator.review.review import Reviewed
    from moderator.review.turns import Work

LOOKED_AT = 24
"""Positions that are searched for one puzzle, at most."""
ENOUGH = 4
"""When so many of them make one, the hardest is taken."""
SUNDAY, A_MINUTE = timedelta(days=6), timedelta(minutes=1)


@dataclass(frozen=True)
class Chosen:
    """A position, and what there is to find in it."""

    match: Match
    turn: Reviewed
    found: Found


# ---- the calendar ----


def monday(desk: Desk) -> date:
    """Of the week that the club's daily hour has come in last."""
    day = local_day(desk.config.club.daily_hour(desk.now), desk.config.club.zone)
    return day - timedelta(days=day.weekday())


def last_minute(desk: Desk, week: date) -> datetime:
    """Of the Sunday of the week that begins on that Monday."""
    return local(week + SUNDAY, 23, ZoneInfo(desk.config.club.zone), 59)


def year_of(desk: Desk, puzzle: Puzzle) -> int:
    """The year of its last day."""
    return local_day(puzzle.until, desk.config.club.zone).year


def current(desk: Desk) -> Puzzle | None:
    """The puzzle that takes answers now, or took them when the mail that is acted on arrived; none whose solution is
    told: an answer that is confirmed after that might be one of several."""
    found = puzzles.last(desk.session)
    if found is None or found.withdrawn_at is not None or found.told_at is not None:
        return None
    return found if desk.written < found.until + A_MINUTE else None


# ---- positions ----


def work_of(desk: Desk, match: Match) -> Work | None:
    """All that positions of a match are made of; None where it is not over, its log does not fit, or its dictionary
    cannot be opened."""
    if match.status != MatchStatus.FINISHED:
        return None
    try:
        return reviews.work_of(desk.session, desk.cache, match)
    except (Suspended, OperatorError):
        return None


def position(desk: Desk, puzzle: Puzzle) -> Position | None:
    """The position of a puzzle; None where its match does not show it any more."""
    from moderator.review.puzzle import position

    work = work_of(desk, desk.session.get_one(Match, puzzle.match_id))
    return position(work, puzzle.entry, puzzle.seat) if work is not None else None


def choose(desk: Desk, week: date) -> Chosen | None:
    """The hardest of the first positions that make a puzzle and were never set; None if no match has any. Turns whose
    player did not find the best come first, in an order that is another one each week: no week looks again at what
    another one has looked at in vain, and nothing else."""

    def order(one: tuple[int, Reviewed]) -> tuple[bool, bytes]:
        match, turn = one
        return turn.left == 0, hashlib.sha256(f"{week} {match} {turn.n} {turn.seat}".encode()).digest()

    works: dict[int, Work | None] = {}
    good: list[Chosen] = []
    for match, turn in sorted(_unset(desk), key=order)[:LOOKED_AT]:
        good += _looked_at(desk, works, match, turn)
        if len(good) >= ENOUGH:
            break
    return max(good, key=lambda one: one.found.hardness, default=None)


def _unset(desk: Desk) -> Iterator[tuple[int, Reviewed]]:
    """(match, turn) that may be a puzzle by what the review tells, and was never one."""
    from moderator.review.puzzle import GAME, is_promising
    from moderator.review.review import read_turn

    used = {(one.match_id, one.entry, one.seat) for one in puzzles.every(desk.session)}
    for match, content in puzzles.reviewed(desk.session, GAME):
        turn = read_turn(content)
        if is_promising(turn) and (match, turn.n, turn.seat) not in used:
            yield match, turn


def _looked_at(desk: Desk, works: dict[int, Work | None], number: int, turn: Reviewed) -> Iterator[Chosen]:
    from moderator.review.puzzle import found, position

    match = desk.session.get_one(Match, number)
    if number not in works:
        works[number] = work_of(desk, match)
    work = works[number]
    there = position(work, turn.n, turn.seat) if work is not None else None
    known = found(there, turn.worth) if there is not None else None
    if known is not None:
        yield Chosen(match, turn, known)


# ---- who has found what ----


@dataclass(frozen=True)
class Solvers:
    """Who has answered a puzzle."""

    found: tuple[str, ...]
    """Names of those who found the best move, by name."""
    others: int
    """How many others have answered."""
    seated: tuple[str, ...]
    """Names of those who found it and had a seat in the match: it counts for nothing."""


@dataclass(frozen=True)
class Line:
    """A player in the table of a year."""

    place: int
    player: int
    """Primary key."""
    name: str
    found: int
    answered: int


def solvers(desk: Desk, puzzle: Puzzle) -> Solvers:
    """Of a puzzle that takes no answers any more."""
    return _solvers(puzzle, _answers(desk, [puzzle])[puzzle.number])


def over(desk: Desk) -> list[tuple[Puzzle, Solvers]]:
    """Those whose solution may be read, the newest first."""
    found = _over(desk)
    answers = _answers(desk, found)
    return [(one, _solvers(one, answers[one.number])) for one in found]


def _over(desk: Desk) -> list[Puzzle]:
    return [one for one in puzzles.every(desk.session) if one.withdrawn_at is None and one.told_at is not None]


@dataclass(frozen=True)
class Given:
    """An answer to a puzzle."""

    player: int
    """Primary key."""
    name: str
    points: int
    seated: bool
    """In the match that the puzzle is from: it counts for nothing."""


def _answers(desk: Desk, asked: Sequence[Puzzle]) -> Mapping[int, list[Given]]:
    """By puzzle; one question for all of them."""
    found: dict[int, list[Given]] = defaultdict(list)
    sat = puzzles.seated_there(desk.session)
    one = [asked[0].number] if len(asked) == 1 else None
    for puzzle, points, player, name in puzzles.answers(desk.session, one):
        found[puzzle].append(Given(player, name, points, (puzzle, player) in sat))
    return found


def _solvers(puzzle: Puzzle, answers: Sequence[Given]) -> Solvers:
    best = [one for one in answers if one.points >= puzzle.most]
    found = sorted((one.name for one in best if not one.seated), key=str.casefold)
    seated = sorted((one.name for one in best if one.seated), key=str.casefold)
    others = sum(not one.seated for one in answers if one.points < puzzle.most)
    return Solvers(tuple(found), others, tuple(seated))


def table(desk: Desk, year: int, until: datetime | None = None) -> tuple[Line, ...]:
    """Who has found how many of a year's, those that are over (``until``: those that were over before): the most found
    first, then the fewest answers."""
    found: Counter[int] = Counter()
    answered: Counter[int] = Counter()
    names: dict[int, str] = {}
    told = [one for one in _over(desk) if until is None or (one.told_at is not None and one.told_at < until)]
    answers = _answers(desk, told)
    for puzzle in (one for one in told if year_of(desk, one) == year):
        for one in answers[puzzle.number]:
            if not one.seated:
                names[one.player] = one.name
                answered[one.player] += 1
                found[one.player] += one.points >= puzzle.most
    order = sorted(names, key=lambda one: (-found[one], answered[one], names[one].casefold()))
    return tuple(
        Line(1 + sum(found[other] > found[one] for other in names), one, names[one], found[one], answered[one])
        for one in order
    )
