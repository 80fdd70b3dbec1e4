"""How long all ratings take from scratch: 100,000 games of 2,000 players at tables of two, four and six.

`python -m bench.ratings` prints seconds, and the ratio to a floor taken in the same run: the bare library rating the
same games in the same order. Target: at most 10 s for each size of table.
"""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime, timedelta

from bench.target import at_most
from moderator.tournaments.ratings import RatingEntry, compute_ratings

GAMES = 100_000
PLAYERS = 2_000
START = datetime(2020, 1, 1, tzinfo=UTC)


def ledger(seats: int, games: int = GAMES) -> list[RatingEntry]:
    """Games in mixed order; the smaller number mostly wins."""
    dice = random.Random(seats)
    names = [f"player{number}@example.org" for number in range(PLAYERS)]
    entries = []
    for number in range(games):
        sitting = dice.sample(range(PLAYERS), seats)
        strength = [player + dice.randrange(PLAYERS) for player in sitting]
        places = tuple(1 + sum(other < own for other in strength) for own in strength)
        players = tuple(names[player] for player in sitting)
        entries.append(RatingEntry(START + timedelta(minutes=number), f"K{number:06}", players, places))
    dice.shuffle(entries)
    return entries


def bare(entries: list[RatingEntry]) -> float:
    """Seconds of the library alone."""
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    known = {player: model.rating() for entry in entries for player in entry.players}
    games = [(e.players, [float(place) for place in e.places]) for e in sorted(entries, key=lambda e: e.finished_at)]
    start = time.perf_counter()
    for players, ranks in games:
        for player, team in zip(players, model.rate([[known[p]] for p in players], ranks=ranks), strict=True):
            known[player] = team[0]
    return time.perf_counter() - start


def run() -> None:
    """Measure and print."""
    for seats in (2, 4, 6):
        entries = ledger(seats)
        floor = bare(entries)
        start = time.perf_counter()
        found = compute_ratings(entries)
        took = time.perf_counter() - start
        settled = sum(rating.is_settled for rating in found.values())
        print(
            f"  {GAMES:,} games, {seats} seats {took:7.2f} s   {took / floor:5.2f} x the bare library ({floor:.2f} s)"
            f"   {settled:,} of {len(found):,} settled",
            flush=True,
        )
        at_most(f"ratings of {GAMES:,} games, {seats} seats", took, 10, " s")


if __name__ == "__main__":
    run()
