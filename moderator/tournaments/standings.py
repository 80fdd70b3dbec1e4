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

from moderator.common.enums import GameKind
from moderator.tournaments.field import Entrant, Game, TournamentState, decide_by_absence
from moderator.tournaments.formats import get_format
from moderator.tournaments.tiebreaks import COLUMNS, TieBreakData, Value, compute_spread, count_wins, list_tiebreaks


@dataclass(frozen=True)
class StandingsRow:
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
    rows: tuple[StandingsRow, ...]
    """From the first to the last; of equal ones the smaller number first; those who do not count at the end."""

    def get_row(self, number: int) -> StandingsRow:
        return next(row for row in self.rows if row.entrant.number == number)

    def get_places(self) -> dict[int, int]:
        """Return a mapping, number -> place, of those who count."""
        return {row.entrant.number: row.place for row in self.rows if row.place is not None}


def count_finished_games(t: TournamentState, number: int) -> tuple[int, int]:
    """Return (games that ``number`` has finished without forfeiting, all its games)."""
    games = [game for game in t.games if number in game.seats and game.kind != GameKind.BYE]
    return sum(_has_finished(game, number) for game in games), len(games)


def _has_finished(game: Game, number: int) -> bool:
    return game.result is not None and game.seats.index(number) not in game.result.forfeits


def list_annulled_entrants(t: TournamentState) -> frozenset[int]:
    """Return the entrants who left a round robin before half of their games were finished; also those who left without
    a game."""
    if not get_format(t).round_robin:
        return frozenset()
    shares = {one.number: count_finished_games(t, one.number) for one in t.entrants if one.left is not None}
    return frozenset(number for number, (done, total) in shares.items() if 2 * done < total or not total)


def drop_uncounted_games(t: TournamentState) -> TournamentState:
    """Return ``t`` with the games that count: without those of the annulled, and with forfeits for the running games of
    others who left a round robin."""
    if not get_format(t).round_robin:
        return t
    out = list_annulled_entrants(t)
    left = {one.number for one in t.entrants if one.left is not None} - out
    games = []
    for game in t.games:
        gone = [number for number in game.seats if number in left]
        if out.isdisjoint(game.seats):
            games.append(decide_by_absence(game, gone) if game.result is None and gone else game)
    return replace(t, games=tuple(games))


def compute_standings(t: TournamentState) -> Standings:
    """Return the table at this moment; running games count nothing. Options: ``tiebreaks`` (list of codes),
    ``spread_cap``."""
    out = list_annulled_entrants(t)
    field = TieBreakData(drop_uncounted_games(t))
    columns = list_tiebreaks(t)
    numbers = [one.number for one in t.entrants if one.number not in out]
    groups = _split_by_value(sorted(numbers), {number: (field.points[number],) for number in numbers})
    values: list[dict[int, Value]] = []
    for code in columns:
        column: dict[int, Value] = {}
        for group in groups:
            column |= COLUMNS[code](field, group)
        values.append(column)
        groups = [part for group in groups for part in _split_by_value(group, column)]
    rows, place = [], 1
    for group in groups:
        rows += [_build_row(field, t.get_entrant(n), place, tuple(column[n] for column in values)) for n in group]
        place += len(group)
    full = TieBreakData(t)
    rows += [_build_row(full, t.get_entrant(number), None, ((),) * len(columns)) for number in sorted(out)]
    return Standings(columns, tuple(rows))


def _split_by_value(group: Sequence[int], column: dict[int, Value]) -> list[list[int]]:
    """Return the group in parts of equal value, the best first; each part by number."""
    return [[n for n in group if column[n] == value] for value in sorted({column[n] for n in group}, reverse=True)]


def _build_row(field: TieBreakData, entrant: Entrant, place: int | None, ties: tuple[Value, ...]) -> StandingsRow:
    number = entrant.number
    games = field.games[number]
    forfeits = sum(game.result is not None and game.seats.index(number) in game.result.forfeits for game in games)
    return StandingsRow(
        place,
        entrant,
        sum(game.kind == GameKind.GAME for game in games),
        field.points[number],
        ties,
        count_wins(field, number),
        compute_spread(field, number),
        forfeits,
    )


def rewind_to_round(t: TournamentState, round_number: int) -> TournamentState:
    """Return ``t`` as it stood when ``round_number`` had ended: later games are left out, later entrants and
    withdrawals, too."""
    entrants = (
        replace(one, left=None if one.left is not None and one.left > round_number + 1 else one.left)
        for one in t.entrants
        if one.joined <= round_number
    )
    here = tuple(entrants)
    known = {one.number for one in here}
    games = (game for game in t.games if game.round <= round_number and known.issuperset(game.seats))
    return replace(t, entrants=here, games=tuple(games))


def compute_places_by_round(t: TournamentState) -> dict[int, tuple[int | None, ...]]:
    """Return the place of every entrant after each round that has a finished game, by number; None while it had none.

    In a round robin, whose games all run at once, a round is only a part of the schedule: who left counts or does not
    count in all rounds as in the whole table."""
    last = max((game.round for game in t.games if game.result is not None), default=0)
    robin, out = get_format(t).round_robin, list_annulled_entrants(t)
    whole = drop_uncounted_games(t)
    places: dict[int, list[int | None]] = {one.number: [] for one in t.entrants}
    for round in range(1, last + 1):
        part = rewind_to_round(t, round)
        if robin:
            entrants = tuple(replace(one, left=None) for one in t.entrants if one.number not in out)
            part = replace(whole, entrants=entrants, games=tuple(g for g in whole.games if g.round <= round))
        table = {row.entrant.number: row.place for row in compute_standings(part).rows}
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


def compute_place_ranges(t: TournamentState, withdrawals: bool = True) -> dict[int, tuple[int, int]]:
    """Return (best, worst) place by number. Those who do not count (``list_annulled_entrants``) have none."""
    outlook = _build_outlook(t, withdrawals)
    if not (outlook.open or outlook.later or outlook.pending or outlook.fickle):
        return {number: (place, place) for number, place in compute_standings(t).get_places().items()}
    return {
        number: (_compute_best_place(outlook, number), _compute_worst_place(outlook, number))
        for number in sorted(outlook.now)
    }


def _build_outlook(t: TournamentState, withdrawals: bool) -> Outlook:
    out = list_annulled_entrants(t)
    valid = drop_uncounted_games(t)
    field = TieBreakData(valid)
    running = tuple(game for game in valid.games if game.result is None)
    unpaired = max(0, t.rounds - field.round_count) if get_format(t).planned else 0
    fickle: frozenset[int] = frozenset()
    unwritten = {(game.round, game.table) for game in t.games if game.result is None} if withdrawals else set()
    # While any game runs, also one that counts no more, somebody may leave.
    if get_format(t).round_robin and (unwritten or (withdrawals and unpaired)):
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
        floor[number] = now[number] - sum((game.get_points(number) for game in given | loose), Fraction(0))
        still = sum(number in game.seats for game in running) + (unpaired if one.left is None else 0)
        ceiling[number] = now[number] + still
    return Outlook(floor, now, ceiling, fickle, pending, running, unpaired > 0)


def _may_drop_out(t: TournamentState, number: int) -> bool:
    done, total = count_finished_games(t, number)
    return 2 * done < total or not total


def _compute_best_place(outlook: Outlook, number: int) -> int:
    """Return the best place, behind those only who are certain to be ahead; two who play each other may both
    forfeit."""
    mine = outlook.ceiling[number]
    return 1 + sum(floor > mine and other not in outlook.fickle for other, floor in outlook.floor.items())


def _compute_worst_place(outlook: Outlook, number: int) -> int:
    """Return the worst place: ahead of those only who cannot come level, all together."""
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
    return 1 + _count_most_level(games, points, mine)


def _count_most_level(games: list[Pair], points: dict[int, Fraction], mine: Fraction) -> int:
    """Count how many can have at least ``mine`` points at once when ``games`` end in the worst way."""
    if not games:
        return sum(value >= mine for value in points.values())
    (one, other), rest = games[0], games[1:]
    if points[one] >= mine or not _can_reach(one, games, points, mine):
        return _count_most_level(rest, points | {other: points[other] + 1}, mine)
    if points[other] >= mine or not _can_reach(other, games, points, mine):
        return _count_most_level(rest, points | {one: points[one] + 1}, mine)
    ends = (Fraction(1), Fraction(1, 2), Fraction(0))
    return max(
        _count_most_level(rest, points | {one: points[one] + end, other: points[other] + 1 - end}, mine) for end in ends
    )


def _can_reach(number: int, games: list[Pair], points: dict[int, Fraction], mine: Fraction) -> bool:
    return points[number] + sum(number in game for game in games) >= mine
