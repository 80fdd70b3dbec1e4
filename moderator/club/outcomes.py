"""How finished matches ended (``Match.result``), recomputed from their logs: for matches that ended before this was
kept, and to make sure of the others."""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, log_of, rebuild
from moderator.match.outcome import Outcome, outcome
from moderator.match.replay import Entry
from moderator.store.models import Match


def result_of(live: LiveMatch, log: list[Entry]) -> Outcome:
    """Of a match that is over: what its result is for tables and ratings. A game that was stopped is ranked by its
    score less the racks, or by its score where that says nothing."""
    ended = outcome(live.game, live.table, log, adjudicated=True)
    return ended if ended.points is not None else ended.awarded(ended.scores)


def refill(desk: Desk, number: int) -> bool:
    """Work the result of a finished match out from its log. True = it was lacking or another one. Raises Suspended
    for a log that does not replay."""
    match = desk.session.get_one(Match, number)
    found = result_of(rebuild(desk.session, match, desk.config.deadlines), log_of(desk.session, match)).to_json()
    if match.result == found:
        return False
    match.result = found
    desk.session.add(match)
    return True
