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

from moderator.errors import OperatorError
from moderator.states import GameKind
from moderator.tournaments.field import HALF, Game, TournamentState
from moderator.tournaments.formats import of

Value = tuple[Fraction, ...]
"""Mostly one number. Direct encounter has one for each time it was applied, none where it does not apply."""

CAP: Final = 100


@dataclass(frozen=True)
class Field:
    """A tournament with what all tie-breaks ask for. ``t`` holds only the games that count (``standings.counted``)."""

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
        return {n: sum((game.points(n) for game in games), Fraction(0)) for n, games in self.games.items()}

    @cached_property
    def rounds(self) -> int:
        """How many rounds there have been so far, the running one included."""
        return max((game.round for game in self.t.games), default=0)

    @property
    def robin(self) -> bool:
        return of(self.t).round_robin

    @cached_property
    def adjusted(self) -> Mapping[int, Fraction]:
        """The points that an entrant has as somebody's opponent."""
        return self.points if self.robin else {one.number: _adjusted(self, one.number) for one in self.t.entrants}


def multi_seat(t: TournamentState) -> bool:
    """Whether more than two sit at a table."""
    return any(len(game.seats) > 2 for game in t.games)


def met(field: Field, game: Game) -> bool:
    """Whether ``game`` counts as a meeting of those who sit there."""
    return len(game.seats) > 1 and (field.robin or game.kind == GameKind.GAME)


def absent(game: Game, number: int) -> bool:
    """Whether ``number`` missed this round by its own will."""
    if game.kind == GameKind.BYE:
        return game.points(number) < 1
    return game.kind == GameKind.FORFEIT and _forfeited(game, number)


def _forfeited(game: Game, number: int) -> bool:
    return game.result is not None and game.seats.index(number) in game.result.forfeits


def _missing(field: Field, number: int) -> int:
    """Rounds in which ``number`` has nothing at all, not even a running game: before it came, after it left."""
    return field.rounds - len({game.round for game in field.t.games if number in game.seats})


def _adjusted(field: Field, number: int) -> Fraction:
    games = field.games[number]
    there = max((game.round for game in games if not absent(game, number)), default=0)
    total = Fraction(0)
    for game in games:
        total += HALF if game.kind == GameKind.BYE and game.round > there else game.points(number)
    used = {game.round for game in field.t.games if number in game.seats}
    return total + HALF * sum(1 for round in range(there + 1, field.rounds + 1) if round not in used)


@dataclass(frozen=True)
class Contribution:
    """What one round adds to Buchholz (``strength``) and, times ``own`` points, to Sonneborn-Berger."""

    strength: Fraction
    own: Fraction
    absent: bool


def _parts(field: Field, number: int) -> list[Contribution]:
    parts = []
    mine = field.points[number]
    virtual = min(mine, HALF * field.rounds)
    for game in field.games[number]:
        others = [other for other in game.seats if other != number]
        if met(field, game):
            strength = sum((field.adjusted[other] for other in others), Fraction(0))
            parts.append(Contribution(strength, game.points(number), False))
        elif not field.robin:
            strength = min([mine, *(field.adjusted[other] for other in others)]) if others else virtual
            parts.append(Contribution(strength, game.points(number), absent(game, number)))
    if not field.robin:
        parts += [Contribution(virtual, Fraction(0), True)] * _missing(field, number)
    return parts


def buchholz(field: Field, number: int, cut: int = 0) -> Fraction:
    """The opponents' points, without the ``cut`` least ones."""
    parts = _parts(field, number)
    for _ in range(min(cut, len(parts))):
        parts.remove(min(parts, key=lambda part: (not part.absent, part.strength)))
    return sum((part.strength for part in parts), Fraction(0))


def sonneborn_berger(field: Field, number: int) -> Fraction:
    """The points of each opponent times one's own against it."""
    return sum((part.strength * part.own for part in _parts(field, number)), Fraction(0))


def wins(field: Field, number: int) -> int:
    """Rounds with the full point, played or not (C.07 Art. 7.1)."""
    return sum(game.points(number) == 1 for game in field.games[number])


def firsts(field: Field, number: int) -> Fraction:
    """Tables won; a shared first place counts by its part."""
    total = Fraction(0)
    for game in field.games[number]:
        assert game.result is not None
        if game.kind != GameKind.BYE and game.result.places[game.seats.index(number)] == 1:
            total += Fraction(1, game.result.places.count(1))
    return total


def spread(field: Field, number: int) -> Fraction:
    """Own game points less the others' (their mean, if several), game by game no more than the option ``spread_cap``
    either way (100; 0 = without limit). Games in which somebody forfeits add nothing."""
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


def share(field: Field, number: int) -> Fraction:
    """The part of each table's game points that is one's own, added up over the tables. Where scores fall below 0
    they are counted from the lowest one; of nothing everybody has an equal part."""
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


def direct(field: Field, group: Iterable[int]) -> dict[int, Value]:
    """Direct encounter within ``group``: the mean points against each of the others, added up, if all of them met;
    then again among those who are equal still. The value is empty where they did not all meet, and where it says
    nothing new."""
    numbers = sorted(group)
    results = _meetings(field, numbers)
    if len(numbers) < 2 or any(not results.get(pair) for pair in combinations(numbers, 2)):
        return dict.fromkeys(numbers, ())
    points = dict.fromkeys(numbers, Fraction(0))
    for (a, b), scores in results.items():
        mean = sum(scores, Fraction(0)) / len(scores)
        points[a] += mean
        points[b] += _mean_of_second(field, a, b, mean)
    values: dict[int, Value] = {}
    for own in set(points.values()):
        equal = [number for number in numbers if points[number] == own]
        again = direct(field, equal) if 1 < len(equal) < len(numbers) else {}
        if len(set(again.values())) < 2:
            again = {}
        values |= {number: (own, *again.get(number, ())) for number in equal}
    return values


def _meetings(field: Field, numbers: list[int]) -> dict[tuple[int, int], list[Fraction]]:
    """The results of the first of each pair against the second, meeting by meeting."""
    found: dict[tuple[int, int], list[Fraction]] = {}
    inside = frozenset(numbers)
    for first in numbers:
        for game in field.games[first]:
            if met(field, game):
                for other in game.seats:
                    if other > first and other in inside:
                        found.setdefault((first, other), []).append(between(game, first, other))
    return found


def _mean_of_second(field: Field, a: int, b: int, mean: Fraction) -> Fraction:
    scores = [between(game, b, a) for game in field.games[b] if a in game.seats and met(field, game)]
    return sum(scores, Fraction(0)) / len(scores) if scores else 1 - mean


def between(game: Game, one: int, other: int) -> Fraction:
    """What ``one`` got against ``other`` at this table: its points of two seats, of more 1, 1/2 or 0 by their places;
    nothing for somebody who forfeits."""
    assert game.result is not None
    if len(game.seats) == 2:
        return game.points(one)
    mine, theirs = (game.result.places[game.seats.index(number)] for number in (one, other))
    if _forfeited(game, one):
        return Fraction(0)
    return Fraction(1) if mine < theirs else HALF if mine == theirs else Fraction(0)


Column = Callable[[Field, Iterable[int]], Mapping[int, Value]]


def _each(function: Callable[[Field, int], Fraction | int]) -> Column:
    return lambda field, group: {number: (Fraction(function(field, number)),) for number in group}


COLUMNS: Final[Mapping[str, Column]] = {
    "direct": direct,
    "sonneborn-berger": _each(sonneborn_berger),
    "buchholz-cut-1": _each(lambda field, number: buchholz(field, number, 1)),
    "buchholz": _each(buchholz),
    "wins": _each(wins),
    "spread": _each(spread),
    "share": _each(share),
    "firsts": _each(firsts),
}

MULTI_SEAT: Final = ("share", "firsts", "direct")


def order(t: TournamentState) -> tuple[str, ...]:
    """The tie-breaks of ``t`` in the order in which they are applied: option ``tiebreaks``, else by format.
    Raises OperatorError for one that does not exist."""
    own = t.options.get("tiebreaks")
    if own is None:
        return MULTI_SEAT if multi_seat(t) or of(t).several_seats else of(t).tiebreaks
    for code in own:
        if code not in COLUMNS:
            raise OperatorError(f"There is no tie-break {code!r}.", f"Known: {', '.join(COLUMNS)}.")
    return tuple(own)
