"""The table of a tournament for the eye: who against whom up to 14 players, above that a list by rounds.

``crosstable`` makes the cells, which page and picture (pictures.py) share; ``text`` prints them in up to 78 columns.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal

from moderator.languages import LANGUAGES
from moderator.render.messages import clean_name, say
from moderator.states import GameKind
from moderator.tournament.field import HALF, Game, Tournament
from moderator.tournament.formats import of
from moderator.tournament.standings import Row, counted, standings
from moderator.tournament.tiebreaks import Value, multi_seat

WIDTH: Final = 78
MOST: Final = 14
"""Up to so many players a round robin is shown as who against whom."""
LEAST_NAME: Final = 10
OWN: Final = "x"
"""The cell of somebody against itself."""
LEGEND: Final = 60
HOLD: Final = "\u00a0"
"""Between cells: a mail program that wraps a quoted line breaks at spaces, and its end ("1–3", "-30") might be read as
a move. These lines it leaves whole."""


@dataclass(frozen=True)
class TableLine:
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


@dataclass(frozen=True)
class Crosstable:
    kind: Literal["cross", "rounds", "tables"]
    heads: tuple[int, ...]
    """cross: the numbers of the entrants in the order of the lines; else rounds."""
    columns: tuple[str, ...]
    """Codes of the tie-breaks in the order applied; messages ``cup-tie-…``."""
    lines: tuple[TableLine, ...]


def crosstable(t: Tournament, ranges: Mapping[int, tuple[int, int]] | None = None) -> Crosstable:
    """The table at this moment. ``ranges``: possible final places (bounds.final_places)."""
    table = standings(t)
    several = multi_seat(t) or of(t).several_seats
    cross = of(t).round_robin and not several and len(t.entrants) <= MOST
    heads = (
        tuple(row.entrant.number for row in table.rows)
        if cross
        else tuple(range(1, max((game.round for game in t.games), default=0) + 1))
    )
    kind: Literal["cross", "rounds", "tables"] = "cross" if cross else "tables" if several else "rounds"
    games: dict[int, list[Game]] = {one.number: [] for one in t.entrants}
    for game in t.with_games(counted(t).games).games:
        for number in game.seats:
            games[number].append(game)
    lines = []
    for row in table.rows:
        own = games[row.entrant.number]
        cells = tuple(_against(own, row, n) if cross else _in_round(own, row, n, several) for n in heads)
        lines.append(_line(row, cells, (ranges or {}).get(row.entrant.number)))
    return Crosstable(kind, heads, table.columns, tuple(lines))


def _line(row: Row, cells: tuple[str, ...], span: tuple[int, int] | None) -> TableLine:
    name, left = clean_name(row.entrant.name), row.entrant.left is not None
    return TableLine(
        "" if row.place is None else str(row.place),
        row.entrant.number,
        f"({name})" if left else name,
        cells,
        number_text(row.points),
        tuple(map(_value, row.ties)),
        left,
        "" if span is None else str(span[0]) if span[0] == span[1] else f"{span[0]}–{span[1]}",
    )


def number_text(value: Fraction) -> str:
    """``2½``, ``-7``, ``1.25``: halves as such, other fractions with two decimals."""
    if value.denominator == 1:
        return str(value)
    if value.denominator == 2 and value > 0:
        return f"{value.numerator // 2 or ''}½"
    return f"{float(value):.2f}"


def _value(value: Value) -> str:
    return "/".join(map(number_text, value))


def result_letter(game: Game, number: int) -> str:
    """``1 = 0`` of a game played, ``+ -`` of one decided without play, ``.`` while it runs."""
    if game.result is None:
        return "."
    seat = game.seats.index(number)
    if game.kind == GameKind.FORFEIT:
        return "-" if seat in game.result.forfeits else "+"
    points = game.result.points[seat]
    return "1" if points > HALF else "=" if points == HALF else "0"


def _against(games: Sequence[Game], row: Row, other: int) -> str:
    own = row.entrant.number
    if own == other:
        return OWN
    return "".join(result_letter(game, own) for game in games if other in game.seats)


def _in_round(games: Sequence[Game], row: Row, round: int, several: bool) -> str:
    own = row.entrant.number
    return " ".join(_round_cell(game, own, several) for game in games if game.round == round)


def _round_cell(game: Game, own: int, several: bool) -> str:
    if game.kind == GameKind.BYE:
        points = game.points(own)
        return "f" if points == 1 else "h" if points == HALF else "-"
    if not several:
        other = next(number for number in game.seats if number != own)
        return f"{other}/{result_letter(game, own)}"
    if game.result is None:
        return "."
    seat = game.seats.index(own)
    shared = "=" if game.result.places.count(game.result.places[seat]) > 1 else ""
    return "-" if seat in game.result.forfeits else f"{game.result.places[seat]}{shared}"


def text(table: Crosstable, language: str) -> str:
    """Plain text, no line wider than 78 columns; of a list too wide the last rounds are shown, and tie-breaks that do
    not fit are left out from the last one on."""
    table = _fitting(table)
    grid = [_head(table, language), *(_cells(line) for line in table.lines)]
    widths = [max(len(line[column]) for line in grid) for column in range(len(grid[0]))]
    widths[2] = min(widths[2], max(LEAST_NAME, WIDTH - sum(widths) - len(widths) + 1 + widths[2]))
    lines = [_printed(line, widths).replace(" ", HOLD) for line in grid]
    legend = textwrap.wrap(say(f"cup-legend-{table.kind}", language), LEGEND)
    return "\n".join([*lines, *legend]) + "\n"


def _printed(line: Sequence[str], widths: Sequence[int]) -> str:
    shown = [_cut(cell, width) for cell, width in zip(line, widths, strict=True)]
    aligned = [
        cell.ljust(width) if column == 2 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(shown, widths, strict=True))
    ]
    return " ".join(aligned).rstrip()


def _cut(cell: str, width: int) -> str:
    if len(cell) <= width:
        return cell
    ending = "…)" if cell.endswith(")") else "…"
    return cell[: width - len(ending)] + ending


def _head(table: Crosstable, language: str) -> tuple[str, ...]:
    cross = table.kind == "cross"
    heads = (str(head) if cross else say("cup-round", language, round=head) for head in table.heads)
    ties = (say(f"cup-tie-{code}", language) for code in table.columns)
    span = (say("cup-range", language),) if any(line.range for line in table.lines) else ()
    names = (say(f"cup-{code}", language) for code in ("place", "number", "name"))
    return (*names, *heads, say("cup-points", language), *ties, *span)


def _cells(line: TableLine) -> tuple[str, ...]:
    span = (line.range,) if line.range else ()
    return (line.place, str(line.number), line.name, *line.cells, line.points, *line.ties, *span)


def _fitting(table: Crosstable) -> Crosstable:
    """Without the columns that do not fit beside names of ``LEAST_NAME``: first rounds of long ago (at least three
    stay), then the last tie-breaks. Everybody has a possible place, or nobody."""
    if any(line.range for line in table.lines):
        table = replace(table, lines=tuple(replace(line, range=line.range or "–") for line in table.lines))
    while _least(table) > WIDTH:
        if table.kind != "cross" and len(table.heads) > 3:
            lines = tuple(replace(line, cells=line.cells[1:]) for line in table.lines)
            table = replace(table, heads=table.heads[1:], lines=lines)
        elif table.columns:
            lines = tuple(replace(line, ties=line.ties[:-1]) for line in table.lines)
            table = replace(table, columns=table.columns[:-1], lines=lines)
        else:
            break
    return table


def _least(table: Crosstable) -> int:
    """Width in the language with the longer heads."""
    widest = 0
    for language in LANGUAGES:
        grid = [_head(table, language), *(_cells(line) for line in table.lines)]
        widths = [max(len(line[column]) for line in grid) for column in range(len(grid[0]))]
        widths[2] = min(widths[2], LEAST_NAME)
        widest = max(widest, sum(widths) + len(widths) - 1)
    return widest
