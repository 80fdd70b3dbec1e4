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
from typing import Final, Literal

from moderator.common.enums import GameKind
from moderator.common.text import clean_name
from moderator.tournaments.field import HALF, Entrant, Game, TournamentState, decide_by_absence
from moderator.tournaments.formats import get_format
from moderator.tournaments.tiebreaks import (
    COLUMNS,
    TieBreakData,
    Value,
    compute_spread,
    count_wins,
    has_multi_seat_games,
    list_tiebreaks,
)


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


# ---- The table of a tournament for the eye: who against whom up to 14 players, above that a list by rounds.
#
# These are its cells; ``render/mails/tournament.py`` prints them, ``render/boards/bench.py`` draws them.


MOST: Final = 14
"""Up to so many players a round robin is shown as who against whom."""
OWN: Final = "x"
"""The cell of somebody against itself."""


@dataclass(frozen=True)
class CrosstableLine:
    place: str
    """"" for those who do not count."""
    number: int
    name: str
    """In brackets for who left."""
    cells: tuple[str, ...]
    """Beside ``Crosstable.heads``: ``1 = 0 + - .``, several of a double round robin; ``7/1`` in a list by rounds."""
    points: str
    ties: tuple[str, ...]
    left: bool
    range: str = ""
    """Possible final places, where asked for."""
    per_move: str = ""
    """Points left per move in the matches that were reviewed; "–" = in none of this entrant's; "" = not told here."""


@dataclass(frozen=True)
class Crosstable:
    kind: Literal["cross", "rounds", "tables"]
    heads: tuple[int, ...]
    """cross: the numbers of the entrants in the order of the lines; else rounds."""
    columns: tuple[str, ...]
    """Codes of the tie-breaks in the order applied; messages ``cup-tie-…``."""
    lines: tuple[CrosstableLine, ...]


def build_crosstable(
    t: TournamentState,
    ranges: Mapping[int, tuple[int, int]] | None = None,
    per_move: Mapping[int, Fraction] | None = None,
) -> Crosstable:
    """Build the table at this moment. ``ranges``: possible final places (``standings.compute_place_ranges``);
    ``per_move``: points left per move, by number; None or empty = nothing is told of that."""
    table = compute_standings(t)
    several = has_multi_seat_games(t) or get_format(t).several_seats
    cross = get_format(t).round_robin and not several and len(t.entrants) <= MOST
    heads = (
        tuple(row.entrant.number for row in table.rows)
        if cross
        else tuple(range(1, max((game.round for game in t.games), default=0) + 1))
    )
    kind: Literal["cross", "rounds", "tables"] = "cross" if cross else "tables" if several else "rounds"
    games: dict[int, list[Game]] = {one.number: [] for one in t.entrants}
    for game in t.with_games(drop_uncounted_games(t).games).games:
        for number in game.seats:
            games[number].append(game)
    lines = []
    for row in table.rows:
        own = games[row.entrant.number]
        cells = tuple(_format_against(own, row, n) if cross else _format_in_round(own, row, n, several) for n in heads)
        span = (ranges or {}).get(row.entrant.number)
        name, left = clean_name(row.entrant.name), row.entrant.left is not None
        line = CrosstableLine(
            "" if row.place is None else str(row.place),
            row.entrant.number,
            f"({name})" if left else name,
            cells,
            format_fraction(row.points),
            tuple(map(_format_value, row.ties)),
            left,
            "" if span is None else str(span[0]) if span[0] == span[1] else f"{span[0]}–{span[1]}",
        )
        lines.append(replace(line, per_move=_format_per_move(per_move, line.number)) if per_move else line)
    return Crosstable(kind, heads, table.columns, tuple(lines))


def _format_per_move(known: Mapping[int, Fraction], number: int) -> str:
    return f"{float(known[number]):.1f}" if number in known else "–"


def format_fraction(value: Fraction) -> str:
    """Format a number, ``2½``, ``-7``, ``1.25``: halves as such, other fractions with two decimals."""
    if value.denominator == 1:
        return str(value)
    if value.denominator == 2 and value > 0:
        return f"{value.numerator // 2 or ''}½"
    return f"{float(value):.2f}"


def _format_value(value: Value) -> str:
    return "/".join(map(format_fraction, value))


def get_result_letter(game: Game, number: int) -> str:
    """Return the sign of a result: ``1 = 0`` of a game played, ``+ -`` of one decided without play, ``.`` while it
    runs."""
    if game.result is None:
        return "."
    seat = game.seats.index(number)
    if game.kind == GameKind.FORFEIT:
        return "-" if seat in game.result.forfeits else "+"
    points = game.result.points[seat]
    return "1" if points > HALF else "=" if points == HALF else "0"


def _format_against(games: Sequence[Game], row: StandingsRow, other: int) -> str:
    own = row.entrant.number
    if own == other:
        return OWN
    return "".join(get_result_letter(game, own) for game in games if other in game.seats)


def _format_in_round(games: Sequence[Game], row: StandingsRow, round_number: int, several: bool) -> str:
    own = row.entrant.number
    return " ".join(_format_round_cell(game, own, several) for game in games if game.round == round_number)


def _format_round_cell(game: Game, own: int, several: bool) -> str:
    if game.kind == GameKind.BYE:
        points = game.get_points(own)
        return "f" if points == 1 else "h" if points == HALF else "-"
    if not several:
        other = next(number for number in game.seats if number != own)
        return f"{other}/{get_result_letter(game, own)}"
    if game.result is None:
        return "."
    seat = game.seats.index(own)
    shared = "=" if game.result.places.count(game.result.places[seat]) > 1 else ""
    return "-" if seat in game.result.forfeits else f"{game.result.places[seat]}{shared}"
