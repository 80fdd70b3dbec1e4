"""Reviews of finished matches: what is due, what is made of each, who waits for one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, delete, func, or_, select

from moderator.common.enums import REVIEWER, MailKind, MatchStatus
from moderator.store.matches import COUNTS
from moderator.store.tables import (
    MatchReview,
    MatchRow,
    OutboxRow,
    PlayerRow,
    PuzzleAnswer,
    PuzzleRow,
    ReviewRequest,
    SeatRow,
    TurnReview,
)

CHUNK = 500
"""Matches asked about in one statement."""


def queue_review(session: Session, match: MatchRow, now: datetime) -> MatchReview:
    """Queue the review of a match and drop the old one: the match is over, or its log has become longer since, or a
    review is wanted anew."""
    delete_review(session, match.number)
    row = MatchReview(match_id=match.number, version=REVIEWER, entries=match.entries, due_at=now)
    session.add(row)
    session.flush()
    return row


def delete_review(session: Session, match_id: int, requests: bool = False) -> None:
    """Delete the review of a match that is not over any more. Players who wait for it go on waiting, unless the
    ``list_review_requests`` are deleted, too."""
    session.flush()
    if requests:
        session.execute(delete(ReviewRequest).where(col(ReviewRequest.match_id) == match_id))
    session.execute(delete(TurnReview).where(col(TurnReview.match_id) == match_id))
    session.execute(delete(MatchReview).where(col(MatchReview.match_id) == match_id))


def find_current_review(session: Session, match: MatchRow) -> MatchReview | None:
    """Find the stored review of the match as it is now, complete or not; None where there is none."""
    if match.status != MatchStatus.FINISHED:
        return None
    found = session.get(MatchReview, match.number)
    return found if found is not None and (found.entries, found.version) == (match.entries, REVIEWER) else None


def find_next_due_review(session: Session, now: datetime) -> int | None:
    """Find the match whose review is to be worked on next; one that somebody waits for comes first, then the one that
    was due first."""
    waited = select(ReviewRequest.id).where(ReviewRequest.match_id == MatchReview.match_id).exists()
    due = or_(col(MatchReview.due_at) <= now, col(MatchReview.version) < REVIEWER)
    query = select(MatchReview.match_id).where(due)
    order = (waited.desc(), col(MatchReview.due_at), col(MatchReview.match_id))
    return session.exec(query.order_by(*order).limit(1)).first()


def list_turn_reviews(session: Session, match_id: int) -> list[dict[str, Any]]:
    """List the reviews of the match's turns so far, in the order of play."""
    query = select(TurnReview.content).where(TurnReview.match_id == match_id)
    return [dict(content) for content in session.exec(query.order_by(col(TurnReview.number)))]


def count_turn_reviews(session: Session, match_id: int) -> int:
    """Count the match's turns that are reviewed."""
    return session.exec(select(func.count()).where(TurnReview.match_id == match_id)).one()


def find_turn_review(session: Session, match_id: int, number: int) -> dict[str, Any] | None:
    """Find the review of one turn."""
    found = session.get(TurnReview, (match_id, number))
    return None if found is None else dict(found.content)


def add_turn_reviews(session: Session, match_id: int, after: int, contents: Sequence[dict[str, Any]]) -> None:
    """Add the next turns; ``after``: how many there are already."""
    for number, content in enumerate(contents, start=after + 1):
        session.add(TurnReview(match_id=match_id, number=number, content=content))
    session.flush()


def defer_review(session: Session, match_id: int, why: str, until: datetime) -> bool:
    """Defer a review that failed; it is tried again then. Returns whether the failure is new: it failed otherwise, or
    not at all, when it was last tried."""
    row = session.get(MatchReview, match_id)
    new = row is None or row.trouble != why
    if row is not None:
        session.execute(delete(TurnReview).where(col(TurnReview.match_id) == match_id))
        row.trouble, row.due_at, row.version, row.content = why, until, REVIEWER, None
        session.add(row)
    return new


def load_complete_reviews(session: Session, matches: Collection[int]) -> dict[int, dict[str, Any]]:
    """Load the content of the reviews of these matches, by the match's id, as far as they are complete and hold; the
    turns are left out."""
    found: dict[int, dict[str, Any]] = {}
    wanted = sorted(matches)
    for start in range(0, len(wanted), CHUNK):
        query = select(MatchReview.match_id, MatchReview.content).join(
            MatchRow, col(MatchRow.id) == MatchReview.match_id
        )
        query = query.where(col(MatchReview.match_id).in_(wanted[start : start + CHUNK]))
        query = query.where(MatchReview.entries == MatchRow.entries, MatchRow.status == MatchStatus.FINISHED)
        query = query.where(col(MatchReview.due_at).is_(None), MatchReview.version == REVIEWER)
        found |= {number: dict(content) for number, content in session.exec(query) if content is not None}
    return found


# ---- who waits for one ----


def request_review(session: Session, match_id: int, player_id: int, now: datetime) -> None:
    """Record that the player gets the review when it is complete, once, however often it was asked for."""
    query = select(ReviewRequest.id).where(ReviewRequest.match_id == match_id, ReviewRequest.player_id == player_id)
    if session.exec(query).first() is None:
        session.add(ReviewRequest(match_id=match_id, player_id=player_id, at=now))
        session.flush()


def list_review_requests(session: Session, match_id: int) -> list[int]:
    """List the ids of the players who wait for the review, in the order in which they asked."""
    query = select(ReviewRequest.player_id).where(ReviewRequest.match_id == match_id)
    return list(session.exec(query.order_by(col(ReviewRequest.id))))


def delete_review_requests(session: Session, match_id: int) -> None:
    """Delete all requests for the review."""
    session.execute(delete(ReviewRequest).where(col(ReviewRequest.match_id) == match_id))


# ---- Puzzles of the week: what was set, who has answered, what of finished matches has not been set yet.


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
