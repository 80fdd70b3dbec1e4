"""Pairings of a Swiss tournament of two-seat games, by a matching of least cost.

Never broken: nobody meets the same opponent twice (games decided without play do not count as met), nobody gets a
second bye or a bye after a full point without play. Then, each before all that follow: nobody starts (or comes
second) three times in a row or three times more often than not, unless no legal pairing is left otherwise; the bye
goes to the lowest score; the sum of the squared differences of scores is least; starts are even; nobody floats to
another score again and again; top half of a score against its bottom half by seeding. A last, drawn share of the
cost makes the cheapest pairing the only one: the same field gives the same pairing, in whatever order it is handed in.

This is as close in scores as FIDE's Dutch system (C.04.3), but not that system.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from moderator.errors import OperatorError
from moderator.tournament.field import Entrant, Game, Tournament, bye
from moderator.tournament.swiss_cost import FREE, Player, bye_cost, pair_cost, players, starter_first, totals

Reason = Literal["too-few", "no-bye", "met"]
Way = Literal["rematches", "bye", "end"]

_WAYS: dict[Way, str] = {
    "rematches": "allow rematches for this round",
    "bye": "give a bye by hand",
    "end": "end the tournament here",
}


class Impossible(OperatorError):
    """The round has no legal pairing. ``reason``: too-few, no-bye (an odd number, nobody may have the bye) or met
    (too many have met already); ``entrants``: whom it hits; ``ways``: what the moderator can do."""

    def __init__(self, round: int, reason: Reason, entrants: Sequence[Entrant], ways: Sequence[Way]) -> None:
        names = ", ".join(entrant.name for entrant in entrants)
        why = {
            "too-few": "there are fewer than two entrants",
            "no-bye": "the number is odd, and all have had a bye or a full point without play",
            "met": f"no opponent they have not met is left for {names}",
        }[reason]
        hint = "Possible: " + ", or ".join(_WAYS[way] for way in ways) + "."
        super().__init__(f"Round {round} cannot be paired: {why}.", hint)
        self.reason = reason
        self.entrants = tuple(entrants)
        self.ways = tuple(ways)


@dataclass(frozen=True)
class Pairing:
    """A round as paired, not yet part of the tournament (see ``Tournament.with_games``)."""

    games: tuple[Game, ...]
    """The best table first; a bye, with its result, last."""
    rematches: tuple[tuple[int, int], ...] = ()
    """Pairs that meet again, only where the moderator allowed it."""
    uneven: tuple[int, ...] = ()
    """Entrants whose starts had to break the rule of three."""


def pair(
    t: Tournament, round: int, *, rematches: bool = False, byes: Collection[int] = (), absent: Collection[int] = ()
) -> Pairing:
    """The pairing of ``round``.

    ``rematches``: two may meet again, as few as possible (option ``allow_rematch`` of the tournament does the same
    for all rounds). ``byes``: entrants who get a full-point bye by the moderator's word, whatever they had.
    ``absent``: entrants who sit out without points.
    Raises Impossible; OperatorError if a game of an earlier round has no result yet, or the round is paired already.
    """
    _check(t, round)
    seated = [e for e in t.entrants if e.active(round) and e.number not in byes and e.number not in absent]
    field = players(t, round, [e.number for e in seated])
    allowed = rematches or bool(t.options.get("allow_rematch"))
    if len(field) + len(byes) < 2:
        raise Impossible(round, "too-few", seated, ("end",))
    odd = len(field) % 2 == 1
    if odd and not any(p.may_have_bye for p in field):
        raise Impossible(round, "no-bye", seated, ("bye", "end"))
    matched = cheapest(field, allowed, t.seed, round)
    if 2 * len(matched) < len(field) + odd:
        paired = {number for edge in matched for number in edge}
        alone = [e for e in seated if e.number not in paired] or seated
        raise Impossible(round, "met", alone, ("end",) if allowed else ("rematches", "bye", "end"))
    return _games(t, round, field, matched, sorted(byes))


def _check(t: Tournament, round: int) -> None:
    if any(game.round == round and len(game.seats) > 1 for game in t.games):
        raise OperatorError(f"Round {round} is paired already.", "Pair the next one.")
    for game in t.games:
        if game.round < round and game.result is None:
            raise OperatorError(
                f"Round {round} cannot be paired: table {game.table} of round {game.round} is not finished.",
                "Wait, or adjudicate the game.",
            )


def cheapest(field: Iterable[Player], rematches: bool, seed: int, round: int) -> set[tuple[int, int]]:
    """Pairs of entrant numbers, the smaller first; ``(0, number)`` is the bye. As many pairs as legally possible, and
    among those of the least cost. The order of ``field`` does not matter."""
    ranked = sorted(field, key=lambda p: p.rank)
    nodes = ([FREE] if len(ranked) % 2 else []) + [p.number for p in ranked]
    costs = {
        (p.number, o.number): pair_cost(p, o, rematches, seed, round)
        for place, p in enumerate(ranked)
        for o in ranked[place + 1 :]
        if rematches or o.number not in p.met
    }
    if len(ranked) % 2:
        costs |= {(FREE, p.number): bye_cost(p, seed, round) for p in ranked if p.may_have_bye}
    return solve(nodes, totals(costs, len(ranked)))


def solve(nodes: Sequence[int], weights: Mapping[tuple[int, int], int]) -> set[tuple[int, int]]:
    """The matching of the least weight among those with the most edges; each edge with its smaller node first."""
    import networkx as nx

    class Bare(nx.Graph):  # type: ignore[misc]  # networkx tells no types
        """Gives a node's edges as the plain dict that they are. The solver asks some 300,000 times for one edge, and
        networkx makes a view for each."""

        def __getitem__(self, node: int) -> Any:
            return self._adj[node]

    graph = Bare()
    graph.add_nodes_from(nodes)
    for edge, weight in weights.items():
        graph.add_edge(*edge, weight=-weight)
    matching = nx.max_weight_matching(graph, maxcardinality=True)
    return {(min(edge), max(edge)) for edge in matching}


def _games(
    t: Tournament, round: int, field: Sequence[Player], matched: set[tuple[int, int]], given: Sequence[int]
) -> Pairing:
    by_number = {p.number: p for p in field}
    pairs = [(by_number[one], by_number[other]) for one, other in matched if one != FREE]
    pairs = [pair if pair[0].rank < pair[1].rank else (pair[1], pair[0]) for pair in pairs]
    pairs.sort(key=lambda pair: (-pair[0].score - pair[1].score, pair[0].rank))
    taken = max((game.table for game in t.games if game.round == round), default=0)
    seats = [starter_first(high, low, t.seed, round) for high, low in pairs]
    games = [Game(round, taken + n, (a.number, b.number)) for n, (a, b) in enumerate(seats, start=1)]
    free = sorted(other for one, other in matched if one == FREE) + list(given)
    games += [bye(round, taken + len(games) + n, number) for n, number in enumerate(free, start=1)]
    again = [(a.number, b.number) for a, b in seats if b.number in a.met]
    uneven = [p.number for a, b in seats for p, first in ((a, True), (b, False)) if p.breaks(first)]
    return Pairing(tuple(games), tuple(again), tuple(sorted(uneven)))


def join(t: Tournament, name: str, rating: float, round: int) -> Tournament:
    """``t`` with a late entrant who can be paired from ``round`` on, under the next free number.

    Each missed round is a bye worth option ``late_points``: "0" (default) or "1/2".
    """
    points = Fraction(str(t.options.get("late_points", "0")))
    if points not in (0, Fraction(1, 2)):
        raise OperatorError(f"late_points = {str(points)!r} is not known.", 'Possible: "0", "1/2".')
    if any(entrant.name == name for entrant in t.entrants):
        raise OperatorError(f"{name!r} takes part already.", "Give each entrant its own name.")
    number = max((entrant.number for entrant in t.entrants), default=0) + 1
    missed = [bye(r, 1 + max((g.table for g in t.games if g.round == r), default=0), number, points)
              for r in range(1, round)]  # fmt: skip
    return t.with_entrants([Entrant(number, name, rating, joined=round)]).with_games(missed)


def withdraw(t: Tournament, number: int, round: int) -> Tournament:
    """``t`` with ``number`` not paired from ``round`` on; its points and its number stay."""
    return t.with_entrants([replace(t.entrant(number), left=round)])
