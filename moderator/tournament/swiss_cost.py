"""What a pair of a Swiss round costs, share by share; the order of the shares is the order of the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from moderator.states import GameKind
from moderator.tournament.field import Tournament, games_of, opponents, score
from moderator.tournament.lots import lot

FREE = 0
"""Stands for "no opponent" in a pair; entrants are numbered from 1."""

Cost = tuple[int, ...]
"""(rematches, starts against the rule of three, score of the bye, squared difference of scores, uneven starts,
repeated floats, distance from the seeding's order, lot). Sums compare share by share."""

_LOT_BITS = 48


@dataclass(frozen=True)
class Player:
    """An entrant as the pairing sees it."""

    number: int
    rank: int
    """From 0, by score and number."""
    score: int
    """In half points."""
    group: int
    """How many have this score."""
    position: int
    """From 0, within those."""
    met: frozenset[int]
    starts: tuple[bool, ...]
    """Started it? Of the games it played, in order."""
    floats: tuple[int, ...]
    """Of the last two rounds, the last first: -1 down, 1 up, 0 none."""
    may_have_bye: bool

    @cached_property
    def surplus(self) -> int:
        """Starts less seconds."""
        return 2 * sum(self.starts) - len(self.starts)

    def breaks(self, first: bool) -> bool:
        """To start now (or to come second) would be the third time in a row, or three more than the other."""
        return self.starts[-2:] == (first, first) or abs(self.surplus + (1 if first else -1)) >= 3

    def unease(self, first: bool) -> tuple[int, int]:
        """(breaks the rule of three, how uneven its starts are then)."""
        return self._uneases[first]

    @cached_property
    def _uneases(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Of coming second, of starting; every pair of the field asks."""
        return self._unease(False), self._unease(True)

    def _unease(self, first: bool) -> tuple[int, int]:
        again = self.starts[-1:] == (first,)
        return int(self.breaks(first)), 2 * (self.surplus + (1 if first else -1)) ** 2 + again


def players(t: Tournament, round: int, numbers: Sequence[int]) -> list[Player]:
    """The field of ``round``, by rank. ``numbers``: who is to be paired."""
    scores = {e.number: int(2 * score(t, e.number)) for e in t.entrants}
    order = sorted(numbers, key=lambda number: (-scores[number], number))
    groups = {s: [n for n in order if scores[n] == s] for s in {scores[n] for n in order}}
    before = {r: _scores_before(t, r) for r in (round - 1, round - 2)}
    found = []
    for rank, number in enumerate(order):
        own = games_of(t, number)
        group = groups[scores[number]]
        starts = tuple(game.seats[0] == number for game in own if game.kind == GameKind.GAME)
        full = any(g.kind != GameKind.GAME and g.points(number) == 1 for g in own)
        floats = tuple(_float(t, number, r, before[r]) for r in (round - 1, round - 2))
        met = frozenset(opponents(t, number))
        found.append(
            Player(number, rank, scores[number], len(group), group.index(number), met, starts, floats, not full)
        )
    return found


def _scores_before(t: Tournament, round: int) -> dict[int, int]:
    earlier = [game for game in t.games if game.round < round]
    totals: dict[int, int] = {}
    for game in earlier:
        for number in game.seats:
            totals[number] = totals.get(number, 0) + int(2 * game.points(number))
    return totals


def _float(t: Tournament, number: int, round: int, scores: Mapping[int, int]) -> int:
    for game in t.games:
        if game.round == round and number in game.seats:
            if game.kind != GameKind.GAME:
                return -1 if game.points(number) else 0
            other = game.seats[1 - game.seats.index(number)]
            mine, theirs = scores.get(number, 0), scores.get(other, 0)
            return (theirs > mine) - (theirs < mine)
    return 0


def pair_cost(high: Player, low: Player, rematches: bool, seed: int, round: int) -> Cost:
    """Of two opponents, ``high`` the better ranked."""
    first, second = starter_first(high, low, seed, round)
    unease = [a + b for a, b in zip(first.unease(True), second.unease(False), strict=True)]
    apart = high.score - low.score
    again = _again(high, -1) + _again(low, 1) if apart else 0
    if apart:
        off = (high.group - 1 - high.position) + low.position
    else:
        off = abs(low.position - high.position - high.group // 2)
    met = int(rematches and low.number in high.met)
    return (met, unease[0], 0, apart**2, unease[1], again, off**2, _lot(high, low.rank, seed, round))


def bye_cost(p: Player, seed: int, round: int) -> Cost:
    """Of a bye for ``p``."""
    off = p.group - 1 - p.position
    return (0, 0, p.score, 0, 0, _again(p, -1), off**2, _lot(p, -1, seed, round))


def _again(p: Player, way: int) -> int:
    return sum(weight for weight, before in zip((2, 1), p.floats, strict=True) if before == way)


def _lot(p: Player, other: int, seed: int, round: int) -> int:
    # Drawn for every pair anew: two different pairings of equal sum are then as good as impossible.
    return lot(seed, "swiss", round, p.rank, other) >> (64 - _LOT_BITS)


def starter_first(high: Player, low: Player, seed: int, round: int) -> tuple[Player, Player]:
    """The two in seat order: as even as possible; then the last round in which their starts differed turned round;
    then the better ranked starts at every other table (by lot at the odd or the even ones)."""
    straight = [a + b for a, b in zip(high.unease(True), low.unease(False), strict=True)]
    swapped = [a + b for a, b in zip(high.unease(False), low.unease(True), strict=True)]
    if straight != swapped:
        return (high, low) if straight < swapped else (low, high)
    for mine, theirs in zip(reversed(high.starts), reversed(low.starts), strict=False):
        if mine != theirs:
            return (low, high) if mine else (high, low)
    return (high, low) if (high.rank + lot(seed, "starts")) % 2 else (low, high)


def totals(costs: Mapping[tuple[int, int], Cost], count: int) -> dict[tuple[int, int], int]:
    """Each cost as one whole number, such that sums over a pairing of ``count`` players compare share by share."""
    pairs = count // 2 + 1
    bases = [1 + pairs * max(share) for share in zip(*costs.values(), strict=True)]
    numbers = {}
    for edge, cost in costs.items():
        number = 0
        for share, base in zip(cost, bases, strict=True):
            number = number * base + share
        numbers[edge] = number
    return numbers
