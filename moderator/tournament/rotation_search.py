"""The search for a rotation where no exact plan is known: swaps between two tables of a round, whole numbers only.

Swaps for the worse are taken ever more rarely (simulated annealing). Chances and costs are whole numbers drawn from
the recorded seed, so that every machine finds the same plan.
"""

from __future__ import annotations

from collections.abc import Sequence

from moderator.tournament.designs import Block
from moderator.tournament.lots import Draws

STEPS = 60_000
"""Of one attempt."""
ATTEMPTS = 4
COOLINGS = 40
_ONE = 1 << 16


def search(sizes: Sequence[int], rounds: int, seed: int) -> list[list[Block]]:
    """``rounds`` rounds of tables of ``sizes``, positions from 0, in which pairs meet as evenly as was found."""
    best: _Plan | None = None
    for attempt in range(ATTEMPTS):
        draws = Draws(seed, f"rotation {attempt}")
        plan = _Plan(sizes, rounds, draws)
        plan.anneal(draws)
        if best is None or plan.least < best.least:
            best = plan
        if best.least == best.bound:
            break
    assert best is not None
    return [[tuple(table) for table in tables] for tables in best.kept]


def _even_squares(total: int, count: int) -> int:
    """The least sum of squares of ``count`` whole numbers that add up to ``total``."""
    low, more = divmod(total, count)
    return (count - more) * low**2 + more * (low + 1) ** 2


class _Plan:
    """A rotation under way. Cost: squared meetings of all pairs, and twice the squared visits to smaller tables."""

    def __init__(self, sizes: Sequence[int], rounds: int, draws: Draws) -> None:
        players = sum(sizes)
        self.rounds: list[list[list[int]]] = []
        self.met = [[0] * players for _ in range(players)]
        self.small = [0] * players
        for _ in range(rounds):
            order = draws.shuffled(range(players))
            tables = [[order.pop() for _ in range(size)] for size in sizes]
            self.rounds.append(tables)
            for table in tables:
                for player in table:
                    self.small[player] += len(table) < sizes[0]
                    for other in table:
                        self.met[player][other] += other != player
        pairs = rounds * sum(size * (size - 1) for size in sizes) // 2
        visits = rounds * sum(size for size in sizes if size < sizes[0])
        self.bound = _even_squares(pairs, players * (players - 1) // 2) + 2 * _even_squares(visits, players)
        self.cost = sum(n * n for row in self.met for n in row) // 2 + 2 * sum(n * n for n in self.small)
        self.least = self.cost
        self._keep()

    def _keep(self) -> None:
        self.least = self.cost
        self.kept = [[list(table) for table in tables] for tables in self.rounds]

    def anneal(self, draws: Draws) -> None:
        """Swap until the bound is reached or the steps are used up; the best plan met on the way is kept."""
        tables = len(self.rounds[0])
        if tables < 2:
            return
        chance = _ONE * 9 // 10
        for step in range(STEPS):
            if step % (STEPS // COOLINGS) == 0:
                chance = chance * 85 // 100
            round_ = self.rounds[draws.below(len(self.rounds))]
            one = draws.below(tables)
            other = (one + 1 + draws.below(tables - 1)) % tables
            self._try(round_[one], round_[other], draws, chance)
            if self.cost < self.least:
                self._keep()
                if self.least == self.bound:
                    return

    def _try(self, table: list[int], other: list[int], draws: Draws, chance: int) -> None:
        i, j = draws.below(len(table)), draws.below(len(other))
        a, b = table[i], other[j]
        worse = self._change(a, b, table, other)
        if worse > 0:
            likely = _ONE
            for _ in range((worse + 1) // 2):
                likely = likely * chance // _ONE
            if draws.below(_ONE) >= likely:
                return
        self._swap(a, b, table, other)
        table[i], other[j] = b, a
        self.cost += worse

    def _change(self, a: int, b: int, table: list[int], other: list[int]) -> int:
        met_a, met_b = self.met[a], self.met[b]
        change = 0
        for x in table:
            if x != a:
                change += met_b[x] - met_a[x] + 1
        for x in other:
            if x != b:
                change += met_a[x] - met_b[x] + 1
        change *= 2
        if len(table) != len(other):
            to_small, to_big = (a, b) if len(table) > len(other) else (b, a)
            change += 4 * (self.small[to_small] - self.small[to_big] + 1)
        return change

    def _swap(self, a: int, b: int, table: list[int], other: list[int]) -> None:
        met = self.met
        for mine, loses, gains in ((table, a, b), (other, b, a)):
            for x in mine:
                if x not in (a, b):
                    met[loses][x] -= 1
                    met[x][loses] -= 1
                    met[gains][x] += 1
                    met[x][gains] += 1
        if len(table) != len(other):
            to_small, to_big = (a, b) if len(table) > len(other) else (b, a)
            self.small[to_small] += 1
            self.small[to_big] -= 1
