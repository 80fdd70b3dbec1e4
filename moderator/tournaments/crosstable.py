"""The table of a tournament for the eye: who against whom up to 14 players, above that a list by rounds.

These are its cells; ``render/mails/tournament_cells.py`` prints them, ``render/boards/crosstable.py`` draws them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal

from moderator.common.enums import GameKind
from moderator.common.text import clean_name
from moderator.tournaments.field import HALF, Game, TournamentState
from moderator.tournaments.formats import get_format
from moderator.tournaments.standings import StandingsRow, compute_standings, drop_uncounted_games
from moderator.tournaments.tiebreaks import Value, has_multi_seat_games

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
        line = _build_line(row, cells, (ranges or {}).get(row.entrant.number))
        lines.append(replace(line, per_move=_format_per_move(per_move, line.number)) if per_move else line)
    return Crosstable(kind, heads, table.columns, tuple(lines))


def _build_line(row: StandingsRow, cells: tuple[str, ...], span: tuple[int, int] | None) -> CrosstableLine:
    name, left = clean_name(row.entrant.name), row.entrant.left is not None
    return CrosstableLine(
        "" if row.place is None else str(row.place),
        row.entrant.number,
        f"({name})" if left else name,
        cells,
        format_fraction(row.points),
        tuple(map(_format_value, row.ties)),
        left,
        "" if span is None else str(span[0]) if span[0] == span[1] else f"{span[0]}–{span[1]}",
    )


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
