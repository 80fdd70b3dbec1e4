"""Knock-out: a bracket by seeds with byes for the best, ties of two games with the seats swapped.

A tie goes to whoever has more tournament points in it, then more game points, then the better seed: it never needs a
third game. Tie ``n`` of a round stands at the tables 2n - 1 and 2n, in bracket order; the match for third place
is tie 2 of the last round."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from moderator.common.errors import OperatorError
from moderator.tournaments.field import Game, TournamentState, build_bye, decide_by_absence
from moderator.tournaments.formats.contract import Bracket, Built, Chosen, Format, Meeting, State, declare_option

Slots = tuple[int | None, ...]
"""Who stands where in the bracket, two neighbours meet; None = nobody (a bye for the neighbour)."""


@dataclass(frozen=True)
class KnockoutTie:
    """Two who meet in a round."""

    number: int
    better: int
    """Of the two the better seed: has the first seat in the first game, and goes through if all else is equal."""
    other: int | None
    """None = bye."""


def build_seed_order(size: int) -> list[int]:
    """Return the seeds from 1 in bracket order, ``size`` a power of two: 8 -> 1 8 4 5 2 7 3 6, so that 1 and 2 meet
    last."""
    order = [1]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) + 1 - one)]
    return order


def count_knockout_rounds(entrants: int) -> int:
    """Count the rounds that a field of ``entrants`` needs."""
    return max(0, (entrants - 1).bit_length())


def list_knockout_ties(t: TournamentState, round_number: int) -> tuple[KnockoutTie, ...]:
    """List the ties of ``round_number``, the match for third place (option ``third``) last.

    Raises OperatorError while a tie of an earlier round is open or if the round does not exist."""
    last = count_knockout_rounds(len(t.entrants))
    if not 1 <= round_number <= last:
        raise OperatorError(f"There is no round {round_number}: the knock-out has {last}.", "See `moderator cup show`.")
    slots = _list_slots(t, round_number)
    found = [
        _build_tie(number, slots[2 * number - 2], slots[2 * number - 1]) for number in range(1, len(slots) // 2 + 1)
    ]
    if round_number == last and (bool(t.options.get("third")) and len(t.entrants) > 2):
        losers = [
            loser
            for tie in list_knockout_ties(t, round_number - 1)
            if (loser := determine_tie_outcome(t, round_number - 1, tie)[1]) is not None
        ]
        if len(losers) == 2:
            found.append(_build_tie(2, losers[0], losers[1]))
    return tuple(found)


def _build_tie(number: int, one: int | None, other: int | None) -> KnockoutTie:
    present = sorted(who for who in (one, other) if who is not None)
    return KnockoutTie(number, present[0], present[1] if len(present) == 2 else None)


def _list_slots(t: TournamentState, round_number: int) -> Slots:
    if round_number == 1:
        numbers = sorted(entrant.number for entrant in t.entrants)
        order = build_seed_order(1 << count_knockout_rounds(len(numbers)))
        return tuple(numbers[seed - 1] if seed <= len(numbers) else None for seed in order)
    return tuple(determine_tie_outcome(t, round_number - 1, tie)[0] for tie in list_knockout_ties(t, round_number - 1))


def determine_tie_outcome(t: TournamentState, round_number: int, tie: KnockoutTie) -> tuple[int, int | None]:
    """Return (who goes through, who is out): once the next round is paired, who plays in it. Raises OperatorError while
    a game of the tie is open."""
    if tie.other is None:
        return tie.better, None
    following = (tie.number + 1) // 2
    met = {n for g in t.games if g.round == round_number + 1 and (g.table + 1) // 2 == following for n in g.seats}
    if len(met & {tie.better, tie.other}) == 1:
        return (tie.better, tie.other) if tie.better in met else (tie.other, tie.better)
    games = [g for g in t.games if g.round == round_number and g.table in (2 * tie.number - 1, 2 * tie.number)]
    if len(games) < _get_legs(t) or any(game.result is None for game in games):
        raise OperatorError(
            f"Tie {tie.number} of round {round_number} is not finished.", "Wait, or adjudicate its open games."
        )
    better, other = (_sum_tie(games, number) for number in (tie.better, tie.other))
    return (tie.better, tie.other) if better >= other else (tie.other, tie.better)


def _sum_tie(games: Sequence[Game], number: int) -> tuple[Fraction, int]:
    results = [(game.result, game.seats.index(number)) for game in games if game.result is not None]
    points = sum((result.points[seat] for result, seat in results), Fraction(0))
    return points, sum(result.scores[seat] for result, seat in results)


def _get_legs(t: TournamentState) -> int:
    return int(t.options.get("legs", 2))


def pair_knockout_round(t: TournamentState, round_number: int) -> tuple[Game, ...]:
    """Return the games of ``round_number``: option ``legs`` (2, or 1) for each tie, a bye where nobody is opposite.

    A player who has withdrawn loses without play; if both have, the better seed stays in the bracket and loses the next
    tie. Raises OperatorError while a tie of the round before is open."""
    games: list[Game] = []
    for tie in list_knockout_ties(t, round_number):
        table = 2 * tie.number - 1
        if tie.other is None:
            games.append(build_bye(round_number, table, tie.better))
            continue
        seats = (tie.better, tie.other)
        absent = [number for number in seats if not t.get_entrant(number).is_active(round_number)]
        for leg in range(_get_legs(t)):
            game = Game(round_number, table + leg, seats[::-1] if leg else seats)
            games.append(decide_by_absence(game, absent) if absent else game)
    return tuple(games)


def rank_knockout(t: TournamentState) -> tuple[tuple[int, int], ...]:
    """Return (place, entrant) of all, by place and seed, when the last round is over.

    Those who went out in the same round share their place, but for a match for third place."""
    last = count_knockout_rounds(len(t.entrants))
    if not last:
        return tuple((1, entrant.number) for entrant in t.entrants)
    placed: list[tuple[int, int]] = []
    for round in range(last, 0, -1):
        done = [(tie, determine_tie_outcome(t, round, tie)) for tie in list_knockout_ties(t, round)]
        if round == last:
            placed += [(2 * at + 1, through) for at, (_, (through, _)) in enumerate(done)]
            placed += [(2 * at + 2, out) for at, (_, (_, out)) in enumerate(done) if out is not None]
        elif round < last - 1 or len(placed) < 4:
            known = {number for _, number in placed}
            out_now = [out for _, (_, out) in done if out is not None and out not in known]
            placed += [(len(known) + 1, number) for number in out_now]
    return tuple(sorted(placed))


def iter_meetings(t: TournamentState, round_number: int) -> Iterator[Meeting]:
    """Yield the ties of a round as they stand; none while a result before it has been taken back."""
    try:
        found = list_knockout_ties(t, round_number)
    except OperatorError:
        return
    for tie in found:
        numbers = tuple(number for number in (tie.better, tie.other) if number is not None)
        games = [g for g in t.games if g.round == round_number and g.table in (2 * tie.number - 1, 2 * tie.number)]
        try:
            through, _ = determine_tie_outcome(t, round_number, tie)
        except OperatorError:
            through = None
        done = tie.other is not None and any(game.result is not None for game in games)
        sums = [_sum_tie(games, number) for number in numbers] if done else []
        third = round_number == count_knockout_rounds(len(t.entrants)) and tie.number == 2
        yield Meeting(round_number, numbers, tuple(p for p, _ in sums), through, third, tuple(own for _, own in sums))


@dataclass(frozen=True)
class KnockoutOptions:
    legs: Literal[1, 2] = declare_option(2)
    third: bool = declare_option(False)


class Knockout(Format):
    key = "knockout"
    options = KnockoutOptions
    table = False

    def count_games_of_two(self, settings: Chosen) -> int:
        return int(settings.own.legs)

    def describe_variant(self, rounds: int, legs: int) -> str:
        return "-1" if legs == 1 else ""

    def count_rounds(self, t: TournamentState, settings: Chosen) -> int:
        return count_knockout_rounds(len(t.entrants))

    def build_standing(self, t: TournamentState, state: State, number: int, over: bool = False) -> Bracket:
        known = tuple(one for at in range(1, number + 1) for one in iter_meetings(t, at))
        return Bracket(known, rank_knockout(t) if over else ())

    def is_settled(self, game: int, number: int) -> bool:
        return game < number

    def find_dependants(self, game: int, number: int, *, taken: bool, reported: bool) -> Built | None:
        return "winner" if game < number else super().find_dependants(game, number, taken=taken, reported=reported)

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
        return pair_knockout_round(t, number)


KNOCKOUT = Knockout()
