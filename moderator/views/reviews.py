"""The reviews of the club's finished matches: worked out turn by turn, and kept. Seats are kept by number:
whoever reads one is told today's names."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from time import process_time
from typing import TYPE_CHECKING

from moderator.common.enums import MatchStatus
from moderator.common.errors import OperatorError
from moderator.store import reviews
from moderator.store.database import Session
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import rebuild_with_history
from moderator.views.match_cache import MatchCache

if TYPE_CHECKING:
    from moderator.review.review import Review, Reviewed
    from moderator.review.turns import ReviewMaterial


def is_match_over(match: MatchRow) -> bool:
    """Return whether nothing of the match is secret any more."""
    return match.status == MatchStatus.FINISHED


def find_complete_review(session: Session, match: MatchRow) -> Review | None:
    """Find the review of the match as it is now; None if it is not complete yet."""
    from moderator.review.review import decode_review

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
    work: ReviewMaterial
    turns: list[Reviewed]
    kept: int
    """How many of the turns are in the database."""

    @property
    def is_complete(self) -> bool:
        return len(self.turns) == len(self.work.turns)

    def review_next_turns(self, seconds: float | None) -> float:
        """Review turns until so many seconds of CPU are spent (None: all of them), a turn at least; returns what was
        spent."""
        from moderator.review.review import review_turn

        began = process_time()
        while not self.is_complete:
            self.turns.append(review_turn(self.work, len(self.turns)))
            if seconds is not None and process_time() - began >= seconds:
                break
        return process_time() - began


def build_review_work(session: Session, cache: MatchCache, match: MatchRow) -> ReviewMaterial:
    """Build all that reviews and puzzles of a finished match are made of. Raises OperatorError for a club without its
    dictionary, MatchSuspended for a log that does not fit."""
    from moderator.review.turns import build_review_material

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
    from moderator.review.review import decode_turn_comparison

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
    from moderator.review.review import build_review

    row = reviews.find_current_review(session, match)
    elsewhere = row is not None and (
        row.due_at is None or reviews.count_turn_reviews(session, match.number) != made.kept
    )
    if row is None or row.entries != made.entries or elsewhere:  # somebody else is at it, or was faster
        return None
    reviews.add_turn_reviews(session, match.number, made.kept, [asdict(one) for one in made.turns[made.kept :]])
    made.kept = len(made.turns)
    found = build_review(made.work, made.turns) if made.is_complete else None
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
