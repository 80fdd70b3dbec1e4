"""The review of a match of the club: from its rows to what `moderator/review` is made of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from moderator.club.live_match import walk
from moderator.club.run_cache import RunCache
from moderator.errors import OperatorError
from moderator.states import MatchStatus
from moderator.store.db import Session
from moderator.store.models import Match

if TYPE_CHECKING:
    from moderator.review.review import Review


def is_over(match: Match) -> bool:
    """Whether nothing of it is secret any more."""
    return match.status == MatchStatus.FINISHED


def review_of(session: Session, cache: RunCache, match: Match) -> Review:
    """The whole review. Raises OperatorError for a match that is not over and for a club without its dictionary,
    Suspended for a log that does not fit."""
    from moderator.review.review import whole
    from moderator.review.turns import work

    if not is_over(match):
        raise OperatorError(f"Match {match.code} is not over.", "A review is made of finished matches.")
    found = walk(session, match, cache.config.deadlines)
    live = found.live
    context = replace(cache.context(live), out=())
    seed = bytes.fromhex(match.seed)
    return whole(work(live.game, live.table.pace, context, found.entries, found.past, found.results, seed))
