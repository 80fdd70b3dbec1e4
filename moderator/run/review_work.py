"""What a run does that has nothing else to do: it goes on with the reviews of finished matches, a turn at a time, each
kept before the next, so that a run that dies loses one turn."""

from __future__ import annotations

import traceback
from datetime import timedelta
from time import process_time

from moderator.common.errors import OperatorError, StoreError, TransientError, format_error_place
from moderator.run.context import RunContext
from moderator.run.log import LOG
from moderator.service.puzzles import ReviewSender
from moderator.store.reviews import defer_review, find_next_due_review
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import MatchSuspended
from moderator.views.puzzles import ReviewDraft, prepare_review_draft, save_review_draft

PUT_OFF = timedelta(days=1)
"""Until a review is tried again that could not be made."""


def continue_reviews(run: RunContext) -> None:
    """Review matches while this run has seconds left for it. On PostgreSQL one worker does."""
    with run.store.advisory_lock("reviews") as mine:
        while mine and run.cache.review_seconds > 0:
            moment = run.stop_clock(run.now)
            with run.store.begin_transaction() as session:
                number = find_next_due_review(session, moment.now)
            if number is None:
                return
            _review_match(moment, number)


def _review_match(run: RunContext, number: int) -> None:
    """Review one match as far as the seconds last. Whatever fails here concerns this review only: it is deferred."""
    try:
        made = _begin_draft(run, number)
        while _review_turn(run, made) and run.cache.review_seconds > 0:
            pass
    except (StoreError, TransientError):
        raise
    except Exception as error:
        _defer_review(run, number, error)


def _begin_draft(run: RunContext, number: int) -> ReviewDraft:
    began = process_time()
    try:
        with run.begin_transaction() as work:
            return prepare_review_draft(work.session, run.cache, work.session.get_one(MatchRow, number), work.now)
    finally:
        run.cache.review_spent += process_time() - began


def _review_turn(run: RunContext, made: ReviewDraft) -> bool:
    """Review one more turn; returns False when there is nothing more to do for this match."""
    run.cache.review_spent += made.review_next_turns(0)
    with run.begin_transaction() as work:
        match = work.session.get_one(MatchRow, made.match_id)
        found = save_review_draft(work.session, match, made)
        if found is not None:
            ReviewSender(work, match).notify_requesters(found)
            run.summary.reviews += 1
            LOG.info("match %s: review made", match.code)
    return found is None and made.kept == len(made.turns)


def _defer_review(run: RunContext, number: int, error: Exception) -> None:
    """Defer the review that failed; the operator hears of a failure that is new."""
    ours = not isinstance(error, MatchSuspended | OperatorError)
    reason = error.reason if isinstance(error, MatchSuspended) else repr(error) if ours else str(error)
    with run.store.begin_transaction() as session:
        is_new = defer_review(session, number, reason[:500], run.now + PUT_OFF)
        what = f"the review of match {session.get_one(MatchRow, number).code}"
    if is_new and ours:
        run.summary.add_trouble(f"{what}: {traceback.format_exc().strip()}", f"{what}: {format_error_place(error)}")
    elif is_new:
        run.summary.add_trouble(reason, about=what)
