"""Tie-breaks: what separates entrants with equal points, each by its code, larger is better.

Unplayed games follow FIDE's handbook C.07 in the edition that took effect on 1 March 2026. In a Swiss tournament:

- A round of one's own that was not played (bye, forfeit) counts as if against a virtual opponent with one's own points,
  but no more than half of the rounds so far give (Art. 16.4.2), and where an opponent had been paired no more than
  that one's adjusted points (16.4.1). The edition of 2023 had no such limit.
- As somebody's opponent one has one's points, but byes of one's own wish behind the last round in which one was there
  count as draws (16.3).
- A cut takes a round missed by one's own will (forfeit lost, bye of less than a point) before the smallest one (16.5).
- Direct encounter counts games that were played.

In a round robin games won or lost without play count like any other, and a free round is nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Final

from moderator.common.enums import GameKind
from moderator.common.errors import OperatorError
from moderator.common.text import suggest
from moderator.tournaments.field import HALF, Game, TournamentState
from moderator.tournaments.formats import get_format

Value = tuple[Fraction, ...]
"""Mostly one number. Direct encounter has one for each time it was applied, none where it does not apply."""

CAP: Final = 100


@dataclass(frozen=True)
class TieBreakData:
    """A tournament with what all tie-breaks ask for. ``t`` holds only the games that count
    (``standings.drop_uncounted_games``)."""

    t: TournamentState

    @cached_property
    def games(self) -> Mapping[int, tuple[Game, ...]]:
        """The finished games and byes of each entrant by round."""
        found: dict[int, list[Game]] = {one.number: [] for one in self.t.entrants}
        for game in self.t.games:
            if game.result is not None:
                for number in game.seats:
                    found[number].append(game)
        return {number: tuple(games) for number, games in found.items()}

    @cached_property
    def points(self) -> Mapping[int, Fraction]:
        return {n: sum((game.get_points(n) for game in games), Fraction(0)) for n, games in self.games.items()}

    @cached_property
    def round_count(self) -> int:
        """The number of rounds so far, the running one included."""
        return max((game.round for game in self.t.games), default=0)

    @property
    def is_round_robin(self) -> bool:
        return get_format(self.t).round_robin

    @cached_property
    def adjusted_points(self) -> Mapping[int, Fraction]:
        """The points that an entrant has as somebody's opponent."""
        return (
            self.points
            if self.is_round_robin
            else {one.number: _compute_adjusted_points(self, one.number) for one in self.t.entrants}
        )


def has_multi_seat_games(t: TournamentState) -> bool:
    """Return whether more than two sit at a table."""
    return any(len(game.seats) > 2 for game in t.games)


def is_meeting(field: TieBreakData, game: Game) -> bool:
    """Return whether ``game`` counts as a meeting of those who sit there."""
    return len(game.seats) > 1 and (field.is_round_robin or game.kind == GameKind.GAME)


def has_missed_round(game: Game, number: int) -> bool:
    """Return whether ``number`` missed this round by its own will."""
    if game.kind == GameKind.BYE:
        return game.get_points(number) < 1
    return game.kind == GameKind.FORFEIT and _has_forfeited(game, number)


def _has_forfeited(game: Game, number: int) -> bool:
    return game.result is not None and game.seats.index(number) in game.result.forfeits


def _count_missing_rounds(field: TieBreakData, number: int) -> int:
    """Count the rounds in which ``number`` has nothing at all, not even a running game: before it came, after it
    left."""
    return field.round_count - len({game.round for game in field.t.games if number in game.seats})


def _compute_adjusted_points(field: TieBreakData, number: int) -> Fraction:
    games = field.games[number]
    there = max((game.round for game in games if not has_missed_round(game, number)), default=0)
    total = Fraction(0)
    for game in games:
        total += HALF if game.kind == GameKind.BYE and game.round > there else game.get_points(number)
    used = {game.round for game in field.t.games if number in game.seats}
    return total + HALF * sum(1 for round in range(there + 1, field.round_count + 1) if round not in used)


@dataclass(frozen=True)
class Contribution:
    """The part that one round adds to Buchholz (``strength``) and, times ``own`` points, to Sonneborn-Berger."""

    strength: Fraction
    own: Fraction
    absent: bool


def _list_contributions(field: TieBreakData, number: int) -> list[Contribution]:
    parts = []
    mine = field.points[number]
    virtual = min(mine, HALF * field.round_count)
    for game in field.games[number]:
        others = [other for other in game.seats if other != number]
        if is_meeting(field, game):
            strength = sum((field.adjusted_points[other] for other in others), Fraction(0))
            parts.append(Contribution(strength, game.get_points(number), False))
        elif not field.is_round_robin:
            strength = min([mine, *(field.adjusted_points[other] for other in others)]) if others else virtual
            parts.append(Contribution(strength, game.get_points(number), has_missed_round(game, number)))
    if not field.is_round_robin:
        parts += [Contribution(virtual, Fraction(0), True)] * _count_missing_rounds(field, number)
    return parts


def compute_buchholz(field: TieBreakData, number: int, cut: int = 0) -> Fraction:
    """Return the opponents' points, without the ``cut`` least ones."""
    parts = _list_contributions(field, number)
    for _ in range(min(cut, len(parts))):
        parts.remove(min(parts, key=lambda part: (not part.absent, part.strength)))
    return sum((part.strength for part in parts), Fraction(0))


def compute_sonneborn_berger(field: TieBreakData, number: int) -> Fraction:
    """Return the points of each opponent times one's own against it."""
    return sum((part.strength * part.own for part in _list_contributions(field, number)), Fraction(0))


def count_wins(field: TieBreakData, number: int) -> int:
    """Count the rounds with the full point, played or not (C.07 Art. 7.1)."""
    return sum(game.get_points(number) == 1 for game in field.games[number])


def count_first_places(field: TieBreakData, number: int) -> Fraction:
    """Count the tables won; a shared first place counts by its part."""
    total = Fraction(0)
    for game in field.games[number]:
        assert game.result is not None
        if game.kind != GameKind.BYE and game.result.places[game.seats.index(number)] == 1:
            total += Fraction(1, game.result.places.count(1))
    return total


def compute_spread(field: TieBreakData, number: int) -> Fraction:
    """Return the own game points less the others' (their mean, if several), game by game no more than the option
    ``spread_cap`` either way (100; 0 = without limit). Games in which somebody forfeits add nothing."""
    cap = int(field.t.options.get("spread_cap", CAP))
    total = Fraction(0)
    for game in field.games[number]:
        assert game.result is not None
        if game.kind != GameKind.GAME or game.result.forfeits:
            continue
        own = game.result.scores[game.seats.index(number)]
        gap = own - Fraction(sum(game.result.scores) - own, len(game.seats) - 1)
        total += max(-Fraction(cap), min(Fraction(cap), gap)) if cap else gap
    return total


def compute_score_share(field: TieBreakData, number: int) -> Fraction:
    """Return the part of each table's game points that is one's own, added up over the tables. Where scores fall below
    0 they are counted from the lowest one; of nothing everybody has an equal part."""
    total = Fraction(0)
    for game in field.games[number]:
        assert game.result is not None
        if game.kind != GameKind.GAME:
            continue
        low = min(0, *game.result.scores)
        whole = sum(score - low for score in game.result.scores)
        own = game.result.scores[game.seats.index(number)] - low
        total += Fraction(own, whole) if whole else Fraction(1, len(game.seats))
    return total


def compute_direct_encounter(field: TieBreakData, group: Iterable[int]) -> dict[int, Value]:
    """Return the direct encounter within ``group``: the mean points against each of the others, added up, if all of
    them met; then again among those who are equal still. The value is empty where they did not all meet, and where it
    says nothing new."""
    numbers = sorted(group)
    # The results of the first of each pair against the second, meeting by meeting.
    results: dict[tuple[int, int], list[Fraction]] = {}
    inside = frozenset(numbers)
    for first in numbers:
        for game in field.games[first]:
            if is_meeting(field, game):
                for other in game.seats:
                    if other > first and other in inside:
                        results.setdefault((first, other), []).append(get_points_between(game, first, other))
    if len(numbers) < 2 or any(not results.get(pair) for pair in combinations(numbers, 2)):
        return dict.fromkeys(numbers, ())
    points = dict.fromkeys(numbers, Fraction(0))
    for (a, b), scores in results.items():
        mean = sum(scores, Fraction(0)) / len(scores)
        points[a] += mean
        points[b] += _compute_second_mean(field, a, b, mean)
    values: dict[int, Value] = {}
    for own in set(points.values()):
        equal = [number for number in numbers if points[number] == own]
        again = compute_direct_encounter(field, equal) if 1 < len(equal) < len(numbers) else {}
        if len(set(again.values())) < 2:
            again = {}
        values |= {number: (own, *again.get(number, ())) for number in equal}
    return values


def _compute_second_mean(field: TieBreakData, a: int, b: int, mean: Fraction) -> Fraction:
    scores = [get_points_between(game, b, a) for game in field.games[b] if a in game.seats and is_meeting(field, game)]
    return sum(scores, Fraction(0)) / len(scores) if scores else 1 - mean


def get_points_between(game: Game, one: int, other: int) -> Fraction:
    """Return the points that ``one`` got against ``other`` at this table: its points of two seats, of more 1, 1/2 or 0
    by their places; nothing for somebody who forfeits."""
    assert game.result is not None
    if len(game.seats) == 2:
        return game.get_points(one)
    mine, theirs = (game.result.places[game.seats.index(number)] for number in (one, other))
    if _has_forfeited(game, one):
        return Fraction(0)
    return Fraction(1) if mine < theirs else HALF if mine == theirs else Fraction(0)


Column = Callable[[TieBreakData, Iterable[int]], Mapping[int, Value]]


def _build_column(function: Callable[[TieBreakData, int], Fraction | int]) -> Column:
    return lambda field, group: {number: (Fraction(function(field, number)),) for number in group}


COLUMNS: Final[Mapping[str, Column]] = {
    "direct": compute_direct_encounter,
    "sonneborn-berger": _build_column(compute_sonneborn_berger),
    "buchholz-cut-1": _build_column(lambda field, number: compute_buchholz(field, number, 1)),
    "buchholz": _build_column(compute_buchholz),
    "wins": _build_column(count_wins),
    "spread": _build_column(compute_spread),
    "share": _build_column(compute_score_share),
    "firsts": _build_column(count_first_places),
}

MULTI_SEAT: Final = ("share", "firsts", "direct")


def list_tiebreaks(t: TournamentState) -> tuple[str, ...]:
    """List the tie-breaks of ``t`` in the order in which they are applied: option ``tiebreaks``, else by format. Raises
    OperatorError for one that does not exist."""
    own = t.options.get("tiebreaks")
    if own is None:
        return MULTI_SEAT if has_multi_seat_games(t) or get_format(t).several_seats else get_format(t).tiebreaks
    for code in own:
        if code not in COLUMNS:
            raise OperatorError(f"There is no tie-break {code!r}.", suggest(code, COLUMNS))
    return tuple(own)
