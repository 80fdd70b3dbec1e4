"""How the club's matches ended: what is kept with each, and what a tournament said about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from moderator.match.ending import Ending, How, ending
from moderator.match.outcome import Outcome
from moderator.states import GameKind, TournamentRuling
from moderator.store import tournaments
from moderator.store.db import Session
from moderator.store.models import Match, TournamentGame
from moderator.tournaments.field import Result, finished

Decided = tuple[TournamentRuling, Mapping[str, Any]]
"""What a tournament said about a match: how it was settled, and the result as it is stored."""


def ending_of(session: Session, match: Match) -> Ending | None:
    """Of a match; None while it runs."""
    row = tournaments.pairing_of(session, match.number) if match.tournament_id is not None else None
    said = None if row is None or row.result is None else (row.ruling, row.result)
    return of_stored(match.result, said)


def of_stored(result: Mapping[str, Any] | None, said: Decided | None) -> Ending | None:
    """Of what ``Match.result`` holds. What a tournament has kept of an earlier end of a match that was played again
    says nothing of this one, unless it was the moderator's word."""
    if result is None:
        return None
    found = Outcome.from_json(result)
    if said is None:
        return ending(found)
    ruling, kept = said[0], Result.from_json(said[1])
    if ruling != TournamentRuling.MODERATOR and kept != to_result(found):
        return ending(found)
    return ending(_ruled(found, kept) if ruling == TournamentRuling.MODERATOR else found, ruling).counting(kept.points)


def of_pairing(row: TournamentGame) -> Ending | None:
    """Of a pairing as its tournament counts it; None while it is open."""
    if row.result is None:
        return None
    kept = Result.from_json(row.result)
    bare = Outcome(kept.scores, kept.scores, kept.places, tuple(sorted(kept.forfeits)))
    found = ending(bare, row.ruling).counting(kept.points)
    left = row.kind == GameKind.FORFEIT and found.how == How.LEFT
    return replace(found, how=How.FORFEIT) if left else found


def to_result(found: Outcome) -> Result:
    """What an ended match is worth in a tournament."""
    return finished(found.scores if found.points is None else found.points, found.out)


def _ruled(found: Outcome, word: Result) -> Outcome:
    """The match as the moderator said."""
    return replace(found, points=word.scores, places=word.places, out=tuple(sorted(word.forfeits)))
