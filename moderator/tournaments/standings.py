"""The table of a tournament: points, tie-breaks in the order applied, places; and who counts in it.

The 50 % rule of round robins (FIDE's tournament rules 5.4): who leaves before half of its games are finished stays
in the table with its results, but they count for nobody. Later the games left are lost by forfeit. A game counts as
finished for those who did not forfeit it. In other formats points stay and nothing is taken back.

The range of places that an entrant can still end at: sound (the final place always lies in it) and monotone (with
each result it only narrows).

Tie-breaks are unknown until the end, so equal points leave both orders open. A running game may end in a win, a
draw, a loss, or with both forfeiting; of more than two seats in any way. In rounds of a Swiss tournament that are
not paired yet each may get anything from 0 to a point. Entrants who come later are not foreseen, nor games beyond
the planned rounds.

Somebody may leave a round robin before half of its games are finished, and then its results count no more: what was
won against those who still may is not certain. Nor is the point of a running game whose other seat has left: who
leaves, too, before it is written down does not get it. ``withdrawals=False`` leaves both out, for "if nobody
leaves"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from moderator.states import GameKind
from moderator.tournaments.field import Entrant, Game, TournamentState, walkover
from moderator.tournaments.formats import of
from moderator.tournaments.tiebreaks import COLUMNS, Field, Value, order, spread, wins


@dataclass(frozen=True)
class Row:
    """An entrant's line. ``ties`` stand beside ``Standings.columns``."""

    place: int | None
    """Shared only by those who are equal in every column; None = left early, does not count."""
    entrant: Entrant
    played: int
    """Games really played."""
    points: Fraction
    ties: tuple[Value, ...]
    wins: int
    spread: Fraction
    forfeits: int
    """Games lost by forfeit."""


@dataclass(frozen=True)
class Standings:
    columns: tuple[str, ...]
    """Codes of the tie-breaks in the order applied (tiebreaks.COLUMNS)."""
    rows: tuple[Row, ...]
    """From the first to the last; of equal ones the smaller number first; those who do not count at the end."""

    def row(self, number: int) -> Row:
        return next(row for row in self.rows if row.entrant.number == number)

    def places(self) -> dict[int, int]:
        """Number -> place, of those who count."""
        return {row.entrant.number: row.place for row in self.rows if row.place is not None}


def finished_share(t: TournamentState, number: int) -> tuple[int, int]:
    """(games that ``number`` has finished without forfeiting, all its games)."""
    games = [game for game in t.games if number in game.seats and game.kind != GameKind.BYE]
    return sum(_finished_by(game, number) for game in games), len(games)


def _finished_by(game: Game, number: int) -> bool:
    return game.result is not None and game.seats.index(number) not in game.result.forfeits


def annulled(t: TournamentState) -> frozenset[int]:
    """Who left a round robin before half of its games were finished; whoever left without a game, too."""
    if not of(t).round_robin:
        return frozenset()
    shares = {one.number: finished_share(t, one.number) for one in t.entrants if one.left is not None}
    return frozenset(number for number, (done, total) in shares.items() if 2 * done < total or not total)


def counted(t: TournamentState) -> TournamentState:
    """``t`` with the games that count: without those of the annulled, and with forfeits for the running games of others
    who left a round robin."""
    if not of(t).round_robin:
        return t
    out = annulled(t)
    left = {one.number for one in t.entrants if one.left is not None} - out
    games = []
    for game in t.games:
        gone = [number for number in game.seats if number in left]
        if out.isdisjoint(game.seats):
            games.append(walkover(game, gone) if game.result is None and gone else game)
    return replace(t, games=tuple(games))


def standings(t: TournamentState) -> Standings:
    """The table at this moment; running games count nothing. Options: ``tiebreaks`` (list of codes), ``spread_cap``."""
    out = annulled(t)
    field = Field(counted(t))
    columns = order(t)
    numbers = [one.number for one in t.entrants if one.number not in out]
    groups = _split(sorted(numbers), {number: (field.points[number],) for number in numbers})
    values: list[dict[int, Value]] = []
    for code in columns:
        column: dict[int, Value] = {}
        for group in groups:
            column |= COLUMNS[code](field, group)
        values.append(column)
        groups = [part for group in groups for part in _split(group, column)]
    rows, place = [], 1
    for group in groups:
        rows += [_row(field, t.entrant(n), place, tuple(column[n] for column in values)) for n in group]
        place += len(group)
    full = Field(t)
    rows += [_row(full, t.entrant(number), None, ((),) * len(columns)) for number in sorted(out)]
    return Standings(columns, tuple(rows))


def _split(group: Sequence[int], column: dict[int, Value]) -> list[list[int]]:
    """The group in parts of equal value, the best first; each part by number."""
    return [[n for n in group if column[n] == value] for value in sorted({column[n] for n in group}, reverse=True)]


def _row(field: Field, entrant: Entrant, place: int | None, ties: tuple[Value, ...]) -> Row:
    number = entrant.number
    games = field.games[number]
    forfeits = sum(game.result is not None and game.seats.index(number) in game.result.forfeits for game in games)
    return Row(
        place,
        entrant,
        sum(game.kind == GameKind.GAME for game in games),
        field.points[number],
        ties,
        wins(field, number),
        spread(field, number),
        forfeits,
    )


def after(t: TournamentState, round: int) -> TournamentState:
    """``t`` as it stood when ``round`` had ended: later games are left out, later entrants and withdrawals, too."""
    entrants = (
        replace(one, left=None if one.left is not None and one.left > round + 1 else one.left)
        for one in t.entrants
        if one.joined <= round
    )
    here = tuple(entrants)
    known = {one.number for one in here}
    games = (game for game in t.games if game.round <= round and known.issuperset(game.seats))
    return replace(t, entrants=here, games=tuple(games))


def progress(t: TournamentState) -> dict[int, tuple[int | None, ...]]:
    """The place of every entrant after each round that has a finished game, by number; None while it had none.

    In a round robin, whose games all run at once, a round is only a part of the schedule: who left counts or does not
    count in all rounds as in the whole table.
    """
    last = max((game.round for game in t.games if game.result is not None), default=0)
    robin, out = of(t).round_robin, annulled(t)
    whole = counted(t)
    places: dict[int, list[int | None]] = {one.number: [] for one in t.entrants}
    for round in range(1, last + 1):
        part = after(t, round)
        if robin:
            entrants = tuple(replace(one, left=None) for one in t.entrants if one.number not in out)
            part = replace(whole, entrants=entrants, games=tuple(g for g in whole.games if g.round <= round))
        table = {row.entrant.number: row.place for row in standings(part).rows}
        for number, line in places.items():
            line.append(table.get(number))
    return {number: tuple(line) for number, line in places.items()}


# ---- which places are settled already ----


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
