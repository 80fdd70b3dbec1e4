"""How the club's matches ended: what is kept with each, and what a tournament said about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from moderator.common.enums import GameKind, TournamentRuling
from moderator.rules.ending import EndCause, Ending, MatchOutcome, build_ending
from moderator.store import tournaments
from moderator.store.database import Session
from moderator.store.tables import MatchRow, TournamentGame
from moderator.tournaments.field import Result, build_result

Decided = tuple[TournamentRuling, Mapping[str, Any]]
"""What a tournament said about a match: how it was settled, and the result as it is stored."""


def find_match_ending(session: Session, match: MatchRow) -> Ending | None:
    """Find the ending of a match; None while it runs."""
    row = tournaments.find_pairing_of_match(session, match.number) if match.tournament_id is not None else None
    said = None if row is None or row.result is None else (row.ruling, row.result)
    return build_stored_ending(match.result, said)


def build_stored_ending(result: Mapping[str, Any] | None, decided: Decided | None) -> Ending | None:
    """Build the ending from what ``Match.result`` holds; None where it holds nothing. A tournament's result of an
    earlier end of a match that was played again says nothing of this one, unless it was the moderator's word."""
    if result is None:
        return None
    found = MatchOutcome.from_json(result)
    if decided is None:
        return build_ending(found)
    ruling, kept = decided[0], Result.from_json(decided[1])
    if ruling != TournamentRuling.MODERATOR and kept != to_tournament_result(found):
        return build_ending(found)
    return build_ending(
        _with_ruled_result(found, kept) if ruling == TournamentRuling.MODERATOR else found, ruling
    ).with_counts(kept.points)


def build_pairing_ending(row: TournamentGame) -> Ending | None:
    """Build the ending of a pairing as its tournament counts it; None while it is open."""
    if row.result is None:
        return None
    kept = Result.from_json(row.result)
    bare = MatchOutcome(kept.scores, kept.scores, kept.places, tuple(sorted(kept.forfeits)))
    found = build_ending(bare, row.ruling).with_counts(kept.points)
    left = row.kind == GameKind.FORFEIT and found.how == EndCause.LEFT
    return replace(found, how=EndCause.FORFEIT) if left else found


def to_tournament_result(found: MatchOutcome) -> Result:
    """Convert the outcome of an ended match to its result in a tournament."""
    return build_result(found.scores if found.points is None else found.points, found.out)


def _with_ruled_result(found: MatchOutcome, word: Result) -> MatchOutcome:
    """Return the outcome with the moderator's scores and places."""
    return replace(found, points=word.scores, places=word.places, out=tuple(sorted(word.forfeits)))
