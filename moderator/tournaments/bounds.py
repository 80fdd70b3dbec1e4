"""The range of places that an entrant can still end at: sound (the final place always lies in it) and monotone (with
each result it only narrows).

Tie-breaks are unknown until the end, so equal points leave both orders open. A running game may end in a win, a draw, a
loss, or with both forfeiting; of more than two seats in any way. In rounds of a Swiss tournament that are not paired
yet each may get anything from 0 to a point. Entrants who come later are not foreseen, nor games beyond the planned
rounds.

Somebody may leave a round robin before half of its games are finished, and then its results count no more: what was won
against those who still may is not certain. Nor is the point of a running game whose other seat has left: who leaves,
too, before it is written down does not get it. ``withdrawals=False`` leaves both out, for "if nobody leaves".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats import of
from moderator.tournaments.standings import annulled, counted, finished_share, standings
from moderator.tournaments.tiebreaks import Field

EXACT: Final = 8
"""Up to so many running games of two seats the worst place is worked out exactly."""
Pair = tuple[int, int]


@dataclass(frozen=True)
class Outlook:
    """Points that are certain and points that are possible, by number; games that are open."""

    floor: Mapping[int, Fraction]
    now: Mapping[int, Fraction]
    ceiling: Mapping[int, Fraction]
    fickle: frozenset[int]
    """Who may still leave so that its results count for nobody."""
    pending: bool
    """A running game counts as won, because the other seat has left."""
    open: tuple[Game, ...]
    later: bool
    """Rounds are still to be paired."""


def final_places(t: TournamentState, withdrawals: bool = True) -> dict[int, tuple[int, int]]:
    """(best, worst) place by number. Those who do not count (``standings.annulled``) have none."""
    outlook = _outlook(t, withdrawals)
    if not (outlook.open or outlook.later or outlook.pending or outlook.fickle):
        return {number: (place, place) for number, place in standings(t).places().items()}
    return {number: (_best(outlook, number), _worst(outlook, number)) for number in sorted(outlook.now)}


def _outlook(t: TournamentState, withdrawals: bool) -> Outlook:
    out = annulled(t)
    valid = counted(t)
    field = Field(valid)
    running = tuple(game for game in valid.games if game.result is None)
    unpaired = max(0, t.rounds - field.rounds) if of(t).planned else 0
    fickle: frozenset[int] = frozenset()
    unwritten = {(game.round, game.table) for game in t.games if game.result is None} if withdrawals else set()
    # While any game runs, also one that counts no more, somebody may leave.
    if of(t).round_robin and (unwritten or (withdrawals and unpaired)):
        fickle = frozenset(one.number for one in t.entrants if one.left is None and _may_drop_out(t, one.number))
    floor, ceiling, now = {}, {}, {}
    pending = False
    for one in t.entrants:
        number, games = one.number, field.games[one.number]
        if number in out:
            continue
        given = {game for game in games if (game.round, game.table) in unwritten and game.result}
        loose = {game for game in games if any(seat in fickle for seat in game.seats if seat != number)}
        pending = pending or (one.left is None and bool(given))
        now[number] = field.points[number]
        floor[number] = now[number] - sum((game.points(number) for game in given | loose), Fraction(0))
        still = sum(number in game.seats for game in running) + (unpaired if one.left is None else 0)
        ceiling[number] = now[number] + still
    return Outlook(floor, now, ceiling, fickle, pending, running, unpaired > 0)


def _may_drop_out(t: TournamentState, number: int) -> bool:
    done, total = finished_share(t, number)
    return 2 * done < total or not total


def _best(outlook: Outlook, number: int) -> int:
    """Behind those only who are certain to be ahead: two who play each other may both forfeit."""
    mine = outlook.ceiling[number]
    return 1 + sum(floor > mine and other not in outlook.fickle for other, floor in outlook.floor.items())


def _worst(outlook: Outlook, number: int) -> int:
    """Ahead of those only who cannot come level, all together."""
    mine = outlook.floor[number]
    others = [other for other in outlook.now if other != number]
    if outlook.later or len(outlook.open) > EXACT or any(len(game.seats) != 2 for game in outlook.open):
        return 1 + sum(outlook.ceiling[other] >= mine for other in others)
    points = {other: outlook.now[other] for other in others}
    games: list[Pair] = []
    for game in outlook.open:
        one, other = game.seats
        if number in (one, other):
            points[other if one == number else one] += 1
        else:
            games.append((one, other))
    return 1 + _most_level(games, points, mine)


def _most_level(games: list[Pair], points: dict[int, Fraction], mine: Fraction) -> int:
    """How many can have at least ``mine`` points at once when ``games`` end in the worst way."""
    if not games:
        return sum(value >= mine for value in points.values())
    (one, other), rest = games[0], games[1:]
    if points[one] >= mine or not _reachable(one, games, points, mine):
        return _most_level(rest, points | {other: points[other] + 1}, mine)
    if points[other] >= mine or not _reachable(other, games, points, mine):
        return _most_level(rest, points | {one: points[one] + 1}, mine)
    ends = (Fraction(1), Fraction(1, 2), Fraction(0))
    return max(
        _most_level(rest, points | {one: points[one] + end, other: points[other] + 1 - end}, mine) for end in ends
    )


def _reachable(number: int, games: list[Pair], points: dict[int, Fraction], mine: Fraction) -> bool:
    return points[number] + sum(number in game for game in games) >= mine
