"""Pairings of a Swiss tournament of two-seat games, by a matching of least cost.

Never broken: nobody meets the same opponent twice (games decided without play do not count as met), nobody gets a
second bye or a bye after a full point without play. Then, each before all that follow: nobody starts (or comes
second) three times in a row or three times more often than not, unless no legal pairing is left otherwise; the bye
goes to the lowest score; the sum of the squared differences of scores is least; starts are even; nobody floats to
another score again and again; top half of a score against its bottom half by seeding. A last, drawn share of the
cost makes the cheapest pairing the only one: the same field gives the same pairing, in whatever order it is handed
in.

This is as close in scores as FIDE's Dutch system (C.04.3), but not that system."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from moderator.common.enums import GameKind
from moderator.common.errors import OperatorError
from moderator.tournaments.field import (
    Entrant,
    Game,
    TournamentState,
    build_bye,
    draw_lot,
    list_games_of,
    list_opponents,
    sum_points,
)
from moderator.tournaments.formats.contract import Chosen, Format, declare_option

Reason = Literal["too-few", "no-bye", "met"]
Way = Literal["rematches", "bye", "end"]

_WAYS: dict[Way, str] = {
    "rematches": "allow rematches for this round",
    "bye": "give a bye by hand",
    "end": "end the tournament here",
}


class NoPairing(OperatorError):
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


def pair_swiss_round(
    t: TournamentState, round_number: int, *, rematches: bool = False, byes: Collection[int] = ()
) -> tuple[Game, ...]:
    """Return the pairing of ``round_number``, not yet part of the tournament (see ``TournamentState.with_games``): the
    best table first; a bye, with its result, last.

    ``rematches``: two may meet again, as few as possible (option ``allow_rematch`` of the tournament does the same for
    all rounds). ``byes``: entrants who get a full-point bye by the moderator's word, whatever they had. Raises
    NoPairing; OperatorError if a game of an earlier round has no result yet, or the round is paired already."""
    if any(game.round == round_number and len(game.seats) > 1 for game in t.games):
        raise OperatorError(f"Round {round_number} is paired already.", "Pair the next one.")
    for game in t.games:
        if game.round < round_number and game.result is None:
            raise OperatorError(
                f"Round {round_number} cannot be paired: table {game.table} of round {game.round} is not finished.",
                "Wait, or adjudicate the game.",
            )
    seated = [e for e in t.entrants if e.is_active(round_number) and e.number not in byes]
    field = build_swiss_players(t, round_number, [e.number for e in seated])
    allowed = rematches or bool(t.options.get("allow_rematch"))
    if len(field) + len(byes) < 2:
        raise NoPairing(round_number, "too-few", seated, ("end",))
    odd = len(field) % 2 == 1
    if odd and not any(p.may_have_bye for p in field):
        raise NoPairing(round_number, "no-bye", seated, ("bye", "end"))
    matched = find_cheapest_pairs(field, allowed, t.seed, round_number)
    if 2 * len(matched) < len(field) + odd:
        paired = {number for edge in matched for number in edge}
        alone = [e for e in seated if e.number not in paired] or seated
        raise NoPairing(round_number, "met", alone, ("end",) if allowed else ("rematches", "bye", "end"))
    return _build_pairing(t, round_number, field, matched, sorted(byes))


def find_cheapest_pairs(
    field: Iterable[SwissPlayer], rematches: bool, seed: int, round_number: int
) -> set[tuple[int, int]]:
    """Return pairs of entrant numbers, the smaller first; ``(0, number)`` is the bye. As many pairs as legally
    possible, and among those of the least cost. The order of ``field`` does not matter."""
    ranked = sorted(field, key=lambda p: p.rank)
    nodes = ([FREE] if len(ranked) % 2 else []) + [p.number for p in ranked]
    costs = {
        (p.number, o.number): compute_pair_cost(p, o, rematches, seed, round_number)
        for place, p in enumerate(ranked)
        for o in ranked[place + 1 :]
        if rematches or o.number not in p.met
    }
    if len(ranked) % 2:
        costs |= {(FREE, p.number): compute_bye_cost(p, seed, round_number) for p in ranked if p.may_have_bye}
    return solve_matching(nodes, combine_costs(costs, len(ranked)))


def solve_matching(nodes: Sequence[int], weights: Mapping[tuple[int, int], int]) -> set[tuple[int, int]]:
    """Return the matching of the least weight among those with the most edges; each edge with its smaller node
    first."""
    import networkx as nx

    class PlainGraph(nx.Graph):  # type: ignore[misc]  # networkx tells no types
        """A graph that gives a node's edges as the plain dict that they are. The solver asks some 300,000 times for one
        edge, and networkx makes a view for each."""

        def __getitem__(self, node: int) -> Any:
            return self._adj[node]

    graph = PlainGraph()
    graph.add_nodes_from(nodes)
    for edge, weight in weights.items():
        graph.add_edge(*edge, weight=-weight)
    matching = nx.max_weight_matching(graph, maxcardinality=True)
    return {(min(edge), max(edge)) for edge in matching}


def _build_pairing(
    t: TournamentState,
    round_number: int,
    field: Sequence[SwissPlayer],
    matched: set[tuple[int, int]],
    given: Sequence[int],
) -> tuple[Game, ...]:
    by_number = {p.number: p for p in field}
    pairs = [(by_number[one], by_number[other]) for one, other in matched if one != FREE]
    pairs = [pair if pair[0].rank < pair[1].rank else (pair[1], pair[0]) for pair in pairs]
    pairs.sort(key=lambda pair: (-pair[0].score - pair[1].score, pair[0].rank))
    taken = max((game.table for game in t.games if game.round == round_number), default=0)
    seats = [seat_starter_first(high, low, t.seed, round_number) for high, low in pairs]
    games = [Game(round_number, taken + n, (a.number, b.number)) for n, (a, b) in enumerate(seats, start=1)]
    free = sorted(other for one, other in matched if one == FREE) + list(given)
    games += [build_bye(round_number, taken + len(games) + n, number) for n, number in enumerate(free, start=1)]
    return tuple(games)


def add_late_entrant(t: TournamentState, name: str, rating: float, round_number: int) -> TournamentState:
    """Return ``t`` with a late entrant who can be paired from ``round_number`` on, under the next free number.

    Each missed round is a bye worth option ``late_points``: "0" (default) or "1/2"."""
    points = Fraction(str(t.options.get("late_points", "0")))
    if points not in (0, Fraction(1, 2)):
        raise OperatorError(f"late_points = {str(points)!r} is not known.", 'Possible: "0", "1/2".')
    if any(entrant.name == name for entrant in t.entrants):
        raise OperatorError(f"{name!r} takes part already.", "Give each entrant its own name.")
    number = max((entrant.number for entrant in t.entrants), default=0) + 1
    missed = [build_bye(r, 1 + max((g.table for g in t.games if g.round == r), default=0), number, points)
              for r in range(1, round_number)]  # fmt: skip
    return t.with_entrants([Entrant(number, name, rating, joined=round_number)]).with_games(missed)


# ---- what a pair of a Swiss round costs, share by share; the order of the shares is the order of the rules ----


FREE = 0
"""Stands for "no opponent" in a pair; entrants are numbered from 1."""

Cost = tuple[int, ...]
"""(rematches, starts against the rule of three, score of the bye, squared difference of scores, uneven starts,
repeated floats, distance from the seeding's order, lot). Sums compare share by share."""

_LOT_BITS = 48


@dataclass(frozen=True)
class SwissPlayer:
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

    def is_against_rule(self, first: bool) -> bool:
        """Return whether to start now (or to come second) would be the third time in a row, or three more than the
        other."""
        return self.starts[-2:] == (first, first) or abs(self.surplus + (1 if first else -1)) >= 3

    def get_unease(self, first: bool) -> tuple[int, int]:
        """Return (breaks the rule of three, how uneven its starts are then)."""
        return self._uneases[first]

    @cached_property
    def _uneases(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The unease of coming second and of starting; every pair of the field asks."""
        return self._compute_unease(False), self._compute_unease(True)

    def _compute_unease(self, first: bool) -> tuple[int, int]:
        again = self.starts[-1:] == (first,)
        return int(self.is_against_rule(first)), 2 * (self.surplus + (1 if first else -1)) ** 2 + again


def build_swiss_players(t: TournamentState, round_number: int, numbers: Sequence[int]) -> list[SwissPlayer]:
    """Return the field of ``round_number``, by rank. ``numbers``: who is to be paired."""
    scores = {e.number: int(2 * sum_points(t, e.number)) for e in t.entrants}
    order = sorted(numbers, key=lambda number: (-scores[number], number))
    groups = {s: [n for n in order if scores[n] == s] for s in {scores[n] for n in order}}
    before = {r: _sum_scores_before(t, r) for r in (round_number - 1, round_number - 2)}
    found = []
    for rank, number in enumerate(order):
        own = list_games_of(t, number)
        group = groups[scores[number]]
        starts = tuple(game.seats[0] == number for game in own if game.kind == GameKind.GAME)
        full = any(g.kind != GameKind.GAME and g.get_points(number) == 1 for g in own)
        floats = tuple(_get_float(t, number, r, before[r]) for r in (round_number - 1, round_number - 2))
        met = frozenset(list_opponents(t, number))
        found.append(
            SwissPlayer(number, rank, scores[number], len(group), group.index(number), met, starts, floats, not full)
        )
    return found


def _sum_scores_before(t: TournamentState, round_number: int) -> dict[int, int]:
    earlier = [game for game in t.games if game.round < round_number]
    totals: dict[int, int] = {}
    for game in earlier:
        for number in game.seats:
            totals[number] = totals.get(number, 0) + int(2 * game.get_points(number))
    return totals


def _get_float(t: TournamentState, number: int, round_number: int, scores: Mapping[int, int]) -> int:
    for game in t.games:
        if game.round == round_number and number in game.seats:
            if game.kind != GameKind.GAME:
                return -1 if game.get_points(number) else 0
            other = game.seats[1 - game.seats.index(number)]
            mine, theirs = scores.get(number, 0), scores.get(other, 0)
            return (theirs > mine) - (theirs < mine)
    return 0


def compute_pair_cost(high: SwissPlayer, low: SwissPlayer, rematches: bool, seed: int, round_number: int) -> Cost:
    """Compute the cost of a pair of opponents, ``high`` the better ranked."""
    first, second = seat_starter_first(high, low, seed, round_number)
    unease = [a + b for a, b in zip(first.get_unease(True), second.get_unease(False), strict=True)]
    apart = high.score - low.score
    again = _weigh_float(high, -1) + _weigh_float(low, 1) if apart else 0
    if apart:
        off = (high.group - 1 - high.position) + low.position
    else:
        off = abs(low.position - high.position - high.group // 2)
    met = int(rematches and low.number in high.met)
    return (met, unease[0], 0, apart**2, unease[1], again, off**2, _draw_lot(high, low.rank, seed, round_number))


def compute_bye_cost(p: SwissPlayer, seed: int, round_number: int) -> Cost:
    """Compute the cost of a bye for ``p``."""
    off = p.group - 1 - p.position
    return (0, 0, p.score, 0, 0, _weigh_float(p, -1), off**2, _draw_lot(p, -1, seed, round_number))


def _weigh_float(p: SwissPlayer, way: int) -> int:
    return sum(weight for weight, before in zip((2, 1), p.floats, strict=True) if before == way)


def _draw_lot(p: SwissPlayer, other: int, seed: int, round_number: int) -> int:
    # Drawn for every pair anew: two different pairings of equal sum are then as good as impossible.
    return draw_lot(seed, "swiss", round_number, p.rank, other) >> (64 - _LOT_BITS)


def seat_starter_first(
    high: SwissPlayer, low: SwissPlayer, seed: int, round_number: int
) -> tuple[SwissPlayer, SwissPlayer]:
    """Return the two in seat order: as even as possible; then the last round in which their starts differed turned
    round; then the better ranked starts at every other table (by lot at the odd or the even ones)."""
    straight = [a + b for a, b in zip(high.get_unease(True), low.get_unease(False), strict=True)]
    swapped = [a + b for a, b in zip(high.get_unease(False), low.get_unease(True), strict=True)]
    if straight != swapped:
        return (high, low) if straight < swapped else (low, high)
    for mine, theirs in zip(reversed(high.starts), reversed(low.starts), strict=False):
        if mine != theirs:
            return (low, high) if mine else (high, low)
    return (high, low) if (high.rank + draw_lot(seed, "starts")) % 2 else (low, high)


def combine_costs(costs: Mapping[tuple[int, int], Cost], count: int) -> dict[tuple[int, int], int]:
    """Return each cost as one whole number, such that sums over a pairing of ``count`` players compare share by
    share."""
    pairs = count // 2 + 1
    bases = [1 + pairs * max(share) for share in zip(*costs.values(), strict=True)]
    numbers = {}
    for edge, cost in costs.items():
        number = 0
        for share, base in zip(cost, bases, strict=True):
            number = number * base + share
        numbers[edge] = number
    return numbers


@dataclass(frozen=True)
class SwissOptions:
    rounds: int = declare_option(0, least=0, most=100)
    late_entry: bool = declare_option(True)
    allow_rematch: bool = declare_option(False)
    late_points: Literal["0", "1/2"] = declare_option("0")


class Swiss(Format):
    key = "swiss"
    options = SwissOptions
    tiebreaks = ("direct", "sonneborn-berger", "buchholz-cut-1", "buchholz", "wins", "spread")
    pairs_by_table = True

    def is_open_in(self, settings: Chosen, number: int, rounds: int) -> bool:
        return settings.own.late_entry and not (rounds and number >= rounds)

    def describe_variant(self, rounds: int, legs: int) -> str:
        return "" if rounds else "-open"

    def infer_settings(self, found: Sequence[TournamentState]) -> dict[str, Any]:
        return {"rounds": found[0].rounds}

    def count_rounds(self, t: TournamentState, settings: Chosen) -> int:
        players = len(t.entrants)
        # With more than half as many rounds as entrants, five and six often come to a round without a legal pairing.
        usual = max(3, min((players - 1).bit_length() + 1, (players + 1) // 2))
        return min(settings.own.rounds or usual, max(1, players - 1))

    def pair(
        self,
        t: TournamentState,
        number: int,
        settings: Chosen,
        *,
        division: int = 1,
        rematches: bool = False,
        byes: Collection[int] = (),
    ) -> Sequence[Game]:
        return pair_swiss_round(t, number, rematches=rematches, byes=byes)


SWISS = Swiss()
