"""What a run does that has nothing else to do: it goes on with the reviews of finished matches, a turn at a time, each
kept before the next, so that a run that dies loses one turn."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from datetime import datetime, timedelta
from time import process_time

from moderator.common.errors import OperatorError, StoreError, TransientError, format_error_place
from moderator.delivery.deliver import open_unit_of_work
from moderator.run.log import LOG, RunSummary
from moderator.service.puzzles import notify_review_requesters
from moderator.settings import Config
from moderator.store.database import Store
from moderator.store.reviews import defer_review, find_next_due_review
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import MatchSuspended
from moderator.views.match_cache import MatchCache
from moderator.views.puzzles import ReviewDraft, prepare_review_draft, save_review_draft

PUT_OFF = timedelta(days=1)
"""Until a review is tried again that could not be made."""


def continue_reviews(
    config: Config, store: Store, cache: MatchCache, now: Callable[[], datetime], summary: RunSummary
) -> None:
    """Review matches while this run has seconds left for it. On PostgreSQL one worker does."""
    with store.advisory_lock("reviews") as mine:
        while mine and cache.review_seconds > 0:
            with store.begin_transaction() as session:
                number = find_next_due_review(session, now())
            if number is None:
                return
            _review_match(config, store, cache, now(), summary, number)


def _review_match(
    config: Config, store: Store, cache: MatchCache, now: datetime, summary: RunSummary, number: int
) -> None:
    """Review one match as far as the seconds last. Whatever fails here concerns this review only: it is deferred."""
    try:
        made = _begin_draft(store, cache, now, number)
        while _review_turn(config, store, cache, now, summary, made) and cache.review_seconds > 0:
            pass
    except (StoreError, TransientError):
        raise
    except MatchSuspended as error:
        if _defer_review(store, now, number, error.reason):
            summary.add_trouble(error.reason, about=f"the review of match {_get_match_code(store, number)}")
    except OperatorError as error:
        if _defer_review(store, now, number, str(error)):
            summary.add_trouble(str(error), about=f"the review of match {_get_match_code(store, number)}")
    except Exception as error:
        what = f"the review of match {_get_match_code(store, number)}"
        if _defer_review(store, now, number, repr(error)):
            summary.add_trouble(f"{what}: {traceback.format_exc().strip()}", f"{what}: {format_error_place(error)}")


def _get_match_code(store: Store, number: int) -> str:
    with store.begin_transaction() as session:
        return session.get_one(MatchRow, number).code


def _begin_draft(store: Store, cache: MatchCache, now: datetime, number: int) -> ReviewDraft:
    began = process_time()
    try:
        with store.begin_transaction() as session:
            cache.attach(session)
            return prepare_review_draft(session, cache, session.get_one(MatchRow, number), now)
    finally:
        cache.review_spent += process_time() - began


def _review_turn(
    config: Config, store: Store, cache: MatchCache, now: datetime, summary: RunSummary, made: ReviewDraft
) -> bool:
    """Review one more turn; returns False when there is nothing more to do for this match."""
    cache.review_spent += made.review_next_turns(0)
    with store.begin_transaction() as session, open_unit_of_work(config, session, now, cache) as desk:
        match = session.get_one(MatchRow, made.match_id)
        found = save_review_draft(session, match, made)
        if found is not None:
            notify_review_requesters(desk, match, found)
            summary.reviews += 1
            LOG.info("match %s: review made", match.code)
    return found is None and made.kept == len(made.turns)


def _defer_review(store: Store, now: datetime, number: int, why: str) -> bool:
    """Defer the review; returns whether the failure is new to the operator."""
    with store.begin_transaction() as session:
        return defer_review(session, number, why[:500], now + PUT_OFF)
