"""How fast rounds are paired: Swiss rounds of a field of 100, and rotations that have to be searched.

`python -m bench.tournament` prints medians in seconds (processor time), the pairing with its ratio to a floor taken
in the same run: the same solver on the same field, knowing nothing but the differences of scores. Target: Swiss round
of 100 players <= 0.5 s.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from bench.target import at_most
from moderator.tournaments.field import TournamentState, build_result, build_seeded_entrants, list_opponents, sum_points
from moderator.tournaments.formats import swiss, tables

T = TypeVar("T")

PLAYERS = 100
ROUNDS = 7
ROTATIONS = ((14, 4), (20, 4), (30, 5), (60, 6))
"""(players, seats) without an exact plan."""


def timed(action: Callable[[], T]) -> tuple[T, float]:
    start = time.process_time()
    found = action()
    return found, time.process_time() - start


def floor(t: TournamentState) -> None:
    """The solver alone: squared differences of scores, no rematch."""
    import networkx as nx

    scores = {entrant.number: int(2 * sum_points(t, entrant.number)) for entrant in t.entrants}
    graph = nx.Graph()
    for one in scores:
        met = set(list_opponents(t, one))
        graph.add_weighted_edges_from(
            (one, other, -((scores[one] - scores[other]) ** 2)) for other in scores if other > one and other not in met
        )
    nx.max_weight_matching(graph, maxcardinality=True)


def run() -> None:
    dice = random.Random(1)
    t = TournamentState("swiss", build_seeded_entrants([(f"P{n}", 2000.0 - n) for n in range(PLAYERS)]), seed=1)
    swiss.pair_swiss_round(TournamentState("swiss", t.entrants[:4]), 1)
    pairings, floors = [], []
    for round in range(1, ROUNDS + 1):
        found, took = timed(lambda t=t, round=round: swiss.pair_swiss_round(t, round))  # type: ignore[misc]
        pairings.append(took)
        floors.append(timed(lambda t=t: floor(t))[1])  # type: ignore[misc]
        results = [build_result([dice.randrange(3), dice.randrange(3)]) for _ in found]
        t = t.with_games(replace(g, result=g.result or r) for g, r in zip(found, results, strict=True))
    median, worst, bare = statistics.median(pairings), max(pairings), statistics.median(floors)
    print(f"  Swiss rounds of {PLAYERS}: worst {worst:.2f} s of {ROUNDS}")
    at_most("a Swiss round, median", median, 0.5, " s")
    print(f"  the solver alone: median {bare:.2f} s; ratio {median / bare:.2f}")
    for players, seats in ROTATIONS:
        plan, took = timed(lambda p=players, s=seats: tables.build_rotation(range(1, p + 1), s))  # type: ignore[misc]
        rounds = max(game.round for game in plan)
        print(f"  rotation of {players} at tables of {seats}, {rounds} rounds: {took:.2f} s")


if __name__ == "__main__":
    run()
