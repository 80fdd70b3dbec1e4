"""Puzzles of the week: what was set, who has answered, what of finished matches has not been set yet."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, func, select

from moderator.review import REVIEWER
from moderator.states import MailKind
from moderator.store.matches import COUNTS
from moderator.store.models import Match, MatchReview, Outbox, Player, Puzzle, PuzzleAnswer, Seat, TurnReview

WEEK = "puzzle-week"
"""Key of the row with the Monday of the week that was begun last."""


MAILS = "puzzle-mails"
"""Key of the row that says which mails of the week are not made yet: number of the puzzle that is set, of the one whose
solution is told (0 = none), primary key of the player who got one last."""


def reviewed(session: Session, game: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(match, a reviewed turn) of all matches of a game that count and whose review is whole."""
    query = select(TurnReview.match_id, TurnReview.content)
    query = query.join(Match, col(Match.id) == TurnReview.match_id)
    query = query.join(MatchReview, col(MatchReview.match_id) == TurnReview.match_id)
    query = query.where(COUNTS, Match.game == game, MatchReview.entries == Match.entries)
    query = query.where(col(MatchReview.due_at).is_(None), MatchReview.version == REVIEWER)
    for match, content in session.exec(query.order_by(col(TurnReview.match_id), col(TurnReview.number))):
        yield match, dict(content)


def every(session: Session) -> Sequence[Puzzle]:
    """The newest first."""
    return session.exec(select(Puzzle).order_by(col(Puzzle.id).desc())).all()


def last(session: Session) -> Puzzle | None:
    return session.exec(select(Puzzle).order_by(col(Puzzle.id).desc()).limit(1)).first()


def to_tell(session: Session, now: datetime) -> Sequence[Puzzle]:
    """Those that take no answers any more and whose solution was not told, the oldest first."""
    query = select(Puzzle).where(col(Puzzle.told_at).is_(None), col(Puzzle.until) <= now)
    return session.exec(query.order_by(col(Puzzle.id))).all()


def withdraw(session: Session, match: int, now: datetime) -> None:
    """What was set of a match that is not over any more counts for nothing, unless its solution is told already."""
    query = select(Puzzle).where(Puzzle.match_id == match, col(Puzzle.told_at).is_(None))
    for puzzle in session.exec(query.where(col(Puzzle.withdrawn_at).is_(None))).all():
        puzzle.withdrawn_at = now
        session.add(puzzle)


def answers(session: Session, puzzles: Collection[int] | None = None) -> Sequence[tuple[int, int, int, str]]:
    """(puzzle, points, player, their name) of each answer to these puzzles, or to all; whoever joined first comes
    first."""
    query = select(PuzzleAnswer.puzzle_id, PuzzleAnswer.points, Player.id, Player.name)
    query = query.join(Player, col(Player.id) == PuzzleAnswer.player_id).order_by(col(Player.id))
    found = session.exec(query if puzzles is None else query.where(col(PuzzleAnswer.puzzle_id).in_(puzzles)))
    return [(puzzle, points, player or 0, name) for puzzle, points, player, name in found]


def seated_there(session: Session) -> frozenset[tuple[int, int]]:
    """(puzzle, player) of all who had a seat in the match that a puzzle is from."""
    query = select(Puzzle.id, Seat.player_id).join(Seat, col(Seat.match_id) == Puzzle.match_id)
    return frozenset((puzzle or 0, player) for puzzle, player in session.exec(query))


def answer_of(session: Session, puzzle: Puzzle, player: int) -> PuzzleAnswer | None:
    query = select(PuzzleAnswer).where(PuzzleAnswer.puzzle_id == puzzle.number, PuzzleAnswer.player_id == player)
    return session.exec(query).first()


def seated(session: Session, match: int) -> frozenset[int]:
    """Ids of the players who had a seat in the match when it ended."""
    return frozenset(session.exec(select(Seat.player_id).where(Seat.match_id == match)))


def who_want_it(session: Session, after: int) -> Sequence[int]:
    """Primary keys above ``after``, in their order; of nobody whose mail comes back."""
    query = select(Player.id).where(col(Player.puzzles).is_(True), col(Player.address).is_not(None))
    query = query.where(Player.undeliverable == "", col(Player.id) > after)
    return [number for number in session.exec(query.order_by(col(Player.id))) if number is not None]


def answered_mail(session: Session, message_ids: Collection[str]) -> datetime | None:
    """When the latest of our mails about puzzles with these Message-IDs was made; None if none is."""
    about = (MailKind.PUZZLE, MailKind.DONE)
    query = select(func.max(Outbox.created_at)).where(col(Outbox.message_id).in_(message_ids))
    return session.exec(query.where(col(Outbox.kind).in_(about))).one()
