"""What a run does that has nothing else to do: it goes on with the reviews of finished matches, a turn at a time, each
kept before the next, so that a run that dies loses one turn."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from moderator.config import Config
from moderator.errors import OperatorError, StoreError, TransientError, place_of
from moderator.run.intake import Summary
from moderator.run.log import LOG

if TYPE_CHECKING:
    from moderator.club.reviews import Draft
    from moderator.club.run_cache import RunCache
    from moderator.store.db import Store

PUT_OFF = timedelta(days=1)
"""Until a review is tried again that could not be made."""


def go_on(config: Config, store: Store, cache: RunCache, now: Callable[[], datetime], summary: Summary) -> None:
    """Review matches while this run has seconds left for it. On PostgreSQL one worker does."""
    from moderator.store import reviews

    with store.turn("reviews") as mine:
        while mine and cache.review_seconds > 0:
            with store.transaction() as session:
                number = reviews.next_due(session, now())
            if number is None:
                return
            _match(config, store, cache, now(), summary, number)


def _match(config: Config, store: Store, cache: RunCache, now: datetime, summary: Summary, number: int) -> None:
    """One match as far as the seconds go. Whatever fails here concerns this review only: it is put off."""
    from moderator.club.live_match import Suspended

    try:
        made = _begun(store, cache, now, number)
        while _turn(config, store, cache, now, summary, made) and cache.review_seconds > 0:
            pass
    except (StoreError, TransientError):
        raise
    except Suspended as error:
        if _put_off(store, now, number, error.reason):
            summary.trouble(error.reason, about=f"the review of match {_code(store, number)}")
    except OperatorError as error:
        if _put_off(store, now, number, str(error)):
            summary.trouble(str(error), about=f"the review of match {_code(store, number)}")
    except Exception as error:
        import traceback

        what = f"the review of match {_code(store, number)}"
        if _put_off(store, now, number, repr(error)):
            summary.trouble(f"{what}: {traceback.format_exc().strip()}", f"{what}: {place_of(error)}")


def _code(store: Store, number: int) -> str:
    from moderator.store.models import Match

    with store.transaction() as session:
        return session.get_one(Match, number).code


def _begun(store: Store, cache: RunCache, now: datetime, number: int) -> Draft:
    from time import process_time

    from moderator.club import reviews
    from moderator.store.models import Match

    began = process_time()
    try:
        with store.transaction() as session:
            cache.used_in(session)
            return reviews.draft(session, cache, session.get_one(Match, number), now)
    finally:
        cache.review_spent += process_time() - began


def _turn(config: Config, store: Store, cache: RunCache, now: datetime, summary: Summary, made: Draft) -> bool:
    """One turn more; False when there is nothing more to do for this match."""
    from moderator.club import reviews
    from moderator.club.desk import Desk
    from moderator.outbox.reviews import tell_waiting
    from moderator.store.models import Match

    cache.review_spent += made.go_on(0)
    with store.transaction() as session:
        desk = Desk(config, session, now, cache)
        match = session.get_one(Match, made.match_id)
        found = reviews.keep(session, match, made)
        if found is not None:
            tell_waiting(desk, match, found)
            summary.reviews += 1
            LOG.info("match %s: review made", match.code)
    return found is None and made.kept == len(made.turns)


def _put_off(store: Store, now: datetime, number: int, why: str) -> bool:
    """Whether the operator has not heard of it yet."""
    from moderator.store import reviews

    with store.transaction() as session:
        return reviews.put_off(session, number, why[:500], now + PUT_OFF)
