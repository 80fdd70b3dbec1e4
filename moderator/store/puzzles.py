"""Puzzles of the week: what was set, who has answered, what of finished matches has not been set yet."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, func, select

from moderator.common.enums import MailKind
from moderator.review import REVIEWER
from moderator.store.matches import COUNTS
from moderator.store.tables import (
    MatchReview,
    MatchRow,
    OutboxRow,
    PlayerRow,
    PuzzleAnswer,
    PuzzleRow,
    SeatRow,
    TurnReview,
)

WEEK = "puzzle-week"
"""Key of the row with the Monday of the week that was begun last."""


MAILS = "puzzle-mails"
"""Key of the row that says which mails of the week are not made yet: number of the puzzle that is set, of the one whose
solution is told (0 = none), primary key of the player who got one last."""


def iter_reviewed_turns(session: Session, game: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (match, its game, a reviewed turn) of all matches that count and whose review is complete."""
    query = select(TurnReview.match_id, TurnReview.content)
    query = query.join(MatchRow, col(MatchRow.id) == TurnReview.match_id)
    query = query.join(MatchReview, col(MatchReview.match_id) == TurnReview.match_id)
    query = query.where(COUNTS, MatchRow.game == game, MatchReview.entries == MatchRow.entries)
    query = query.where(col(MatchReview.due_at).is_(None), MatchReview.version == REVIEWER)
    for match, content in session.exec(query.order_by(col(TurnReview.match_id), col(TurnReview.number))):
        yield match, dict(content)


def list_all_puzzles(session: Session) -> Sequence[PuzzleRow]:
    """List all puzzles, the newest first."""
    return session.exec(select(PuzzleRow).order_by(col(PuzzleRow.id).desc())).all()


def find_last_puzzle(session: Session) -> PuzzleRow | None:
    return session.exec(select(PuzzleRow).order_by(col(PuzzleRow.id).desc()).limit(1)).first()


def list_puzzles_to_resolve(session: Session, now: datetime) -> Sequence[PuzzleRow]:
    """List the puzzles that take no answers any more and whose solution was not sent, the oldest first."""
    query = select(PuzzleRow).where(col(PuzzleRow.told_at).is_(None), col(PuzzleRow.until) <= now)
    return session.exec(query.order_by(col(PuzzleRow.id))).all()


def withdraw_puzzles(session: Session, match: int, now: datetime) -> None:
    """Withdraw the puzzles of a match that is not over any more, unless their solution was sent already."""
    query = select(PuzzleRow).where(PuzzleRow.match_id == match, col(PuzzleRow.told_at).is_(None))
    for puzzle in session.exec(query.where(col(PuzzleRow.withdrawn_at).is_(None))).all():
        puzzle.withdrawn_at = now
        session.add(puzzle)


def list_puzzle_answers(
    session: Session, puzzles: Collection[int] | None = None
) -> Sequence[tuple[int, int, int, str]]:
    """List (puzzle, points, player, their name) of each answer to these puzzles, or to all; in the order in which the
    players joined."""
    query = select(PuzzleAnswer.puzzle_id, PuzzleAnswer.points, PlayerRow.id, PlayerRow.name)
    query = query.join(PlayerRow, col(PlayerRow.id) == PuzzleAnswer.player_id).order_by(col(PlayerRow.id))
    found = session.exec(query if puzzles is None else query.where(col(PuzzleAnswer.puzzle_id).in_(puzzles)))
    return [(puzzle, points, player or 0, name) for puzzle, points, player, name in found]


def load_puzzle_seats(session: Session) -> frozenset[tuple[int, int]]:
    """Load (puzzle, player) of all who had a seat in the match that a puzzle is from."""
    query = select(PuzzleRow.id, SeatRow.player_id).join(SeatRow, col(SeatRow.match_id) == PuzzleRow.match_id)
    return frozenset((puzzle or 0, player) for puzzle, player in session.exec(query))


def find_puzzle_answer(session: Session, puzzle: PuzzleRow, player: int) -> PuzzleAnswer | None:
    query = select(PuzzleAnswer).where(PuzzleAnswer.puzzle_id == puzzle.number, PuzzleAnswer.player_id == player)
    return session.exec(query).first()


def load_seated_players(session: Session, match: int) -> frozenset[int]:
    """Load the ids of the players who had a seat in the match when it ended."""
    return frozenset(session.exec(select(SeatRow.player_id).where(SeatRow.match_id == match)))


def list_puzzle_subscribers(session: Session, after: int) -> Sequence[int]:
    """List the ids, above ``after`` and in their order, of the players who want the puzzle and whose mail does not come
    back."""
    query = select(PlayerRow.id).where(col(PlayerRow.puzzles).is_(True), col(PlayerRow.address).is_not(None))
    query = query.where(PlayerRow.undeliverable == "", col(PlayerRow.id) > after)
    return [number for number in session.exec(query.order_by(col(PlayerRow.id))) if number is not None]


def find_puzzle_mail_time(session: Session, message_ids: Collection[str]) -> datetime | None:
    """Find the time at which the latest of our mails about puzzles with these Message-IDs was made; None if none is."""
    about = (MailKind.PUZZLE, MailKind.DONE)
    query = select(func.max(OutboxRow.created_at)).where(col(OutboxRow.message_id).in_(message_ids))
    return session.exec(query.where(col(OutboxRow.kind).in_(about))).one()
