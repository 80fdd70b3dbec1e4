"""What the reviews of a league's matches add to its tables: how many points each entrant has left per move."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction

from moderator.store import reviews, tournaments
from moderator.store.database import Session
from moderator.store.tables import Tournament
from moderator.tournaments.formats import get_format


def compute_points_left(session: Session, tournament: Tournament, division: int) -> Mapping[int, Fraction]:
    """Compute the points per move that each entrant has left, by number in the table of that division; an entrant who
    has moved in no match that was reviewed is left out. Empty for what is no league, and for a game whose turns bring
    no points."""
    if not get_format(tournament).divisions:
        return {}
    pairings = tournaments.list_pairings(session, tournament, division)
    found = reviews.load_complete_reviews(session, {row.match_id for row in pairings if row.match_id is not None})
    left, moves = defaultdict[int, Fraction](Fraction), Counter[int]()
    for row in pairings:
        one = found.get(row.match_id or 0)
        if one is None or one["unit"] != "points":
            continue
        for seat, number in enumerate(row.seats):
            left[number] += Fraction(one["loss"][seat])
            moves[number] += one["moves"][seat]
    return {number: left[number] / count for number, count in moves.items() if count}
