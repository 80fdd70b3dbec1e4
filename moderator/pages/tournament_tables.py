"""Tables of tournaments for the mail: cells for the HTML, lines of fixed width for the text.

Nothing in a cell of its own may be read as a move when a program gives every cell a line: numbers of two digits stand
one below the other, points have their unit, and a name stands between its place and its number.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from moderator.pages.messages import label, say
from moderator.pages.tournament_view import TournamentTable
from moderator.paths import LANGUAGES
from moderator.printable import clean_name
from moderator.tournaments.crosstable import Crosstable, TableLine

PHONE: Final = 354
"""Room for a table on a phone, in css pixels."""
NAME: Final = 140
POINTS: Final = 56
CELLS_FOR: Final = 30
"""Of more lines only the places, names and points of some are shown: the large services cut a mail above 100 kB."""
SHORT: Final = 14
AROUND: Final = 2
OWN: Final = "*"
WIDTH: Final = 78
"""Columns of a table as text."""
LEAST_NAME: Final = 10
LEGEND: Final = 60
HOLD: Final = "\u00a0"
"""Between cells: a mail program that wraps a quoted line breaks at spaces, and its end ("1–3", "-30") might be read as
a move. These lines it leaves whole."""
Cell = tuple[str, ...]
"""Letters one below the other."""


@dataclass(frozen=True)
class Row:
    name: str
    """``3. Anna · Nr. 7``."""
    cells: tuple[Cell, ...]
    points: str
    small: str = ""
    """What stands below it: tie-breaks and possible places."""
    mine: bool = False


@dataclass(frozen=True)
class Grid:
    """A table in HTML."""

    heads: tuple[Cell, ...]
    width: int
    """Of a cell between name and points, in css pixels."""
    rows: tuple[Row, ...]
    points: bool = True
    """Whether there is a column of points."""

    @property
    def split(self) -> bool:
        """Whether the cells stand on a line of their own, below the name."""
        return len(self.heads) * self.width > PHONE - POINTS - NAME

    @property
    def two(self) -> bool:
        """Whether every row has a second line."""
        return bool(self.heads) or any(row.small for row in self.rows)

    @property
    def columns(self) -> int:
        return 1 + len(self.heads) + self.points


def whole(table: TournamentTable, language: str) -> tuple[Grid, int]:
    """The table with as much of who played whom as there is room for on a phone; of a long one as ``short``."""
    cross = table.cross
    assert cross is not None
    if len(cross.lines) > CELLS_FOR:
        return short(table, language, CELLS_FOR)
    middle = _middle(cross, language)
    rows = tuple(
        _row(line, table, language, cells, _small(line, cross.columns, language))
        for line, cells in zip(cross.lines, middle.cells, strict=True)
    )
    return Grid(middle.heads, _cell_width(middle.letters), rows), 0


def _cell_width(letters: int) -> int:
    return 10 + 8 * letters


@dataclass(frozen=True)
class Middle:
    """What stands between names and points."""

    heads: tuple[Cell, ...]
    cells: tuple[tuple[Cell, ...], ...]
    """Of each line."""
    letters: int
    """Of the widest one."""


def _middle(cross: Crosstable, language: str) -> Middle:
    """Of a list by rounds the last ones that fit."""
    if cross.kind == "cross":
        cells = tuple(tuple(tuple(cell) for cell in line.cells) for line in cross.lines)
        return Middle(tuple(tuple(str(head)) for head in cross.heads), cells, 1)
    longest = max((len(cell) for line in cross.lines for cell in line.cells), default=1)
    most = max(1, (PHONE - POINTS) // _cell_width(max(longest, 2)))
    heads = tuple((say("cup-round", language, round=head),) for head in cross.heads[-most:])
    cells = tuple(tuple((_apart(cell),) for cell in line.cells[-most:]) for line in cross.lines)
    return Middle(heads, cells, max(longest, 2))


def _apart(cell: str) -> str:
    """``7·1`` for ``7/1``, which might be read as a domino."""
    return cell.replace("/", "·")


def short(table: TournamentTable, language: str, most: int = SHORT) -> tuple[Grid, int]:
    """Places, names, points: the first ones, and those around the reader; and how many are left out."""
    cross = table.cross
    assert cross is not None
    own = next((at for at, line in enumerate(cross.lines) if line.number == table.you), None)
    near = range(0) if own is None else range(own - AROUND, own + AROUND + 1)
    kept = [line for at, line in enumerate(cross.lines) if at < most or at in near]
    rows = tuple(_row(line, table, language) for line in kept)
    return Grid((), 0, rows), len(cross.lines) - len(kept)


def _row(line: TableLine, table: TournamentTable, language: str, cells: tuple[Cell, ...] = (), small: str = "") -> Row:
    points = label("cup-points-cell", language, points=number(line.points, language))
    return Row(named(line, language), cells, points, small, line.number == table.you)


def _small(line: TableLine, columns: tuple[str, ...], language: str) -> str:
    """Tie-breaks and possible places."""
    found = [
        f"{say(f'cup-tie-{code}', language)}{HOLD}{number(value, language)}"
        for code, value in zip(columns, line.ties, strict=True)
        if value
    ]
    if line.per_move not in ("", "–"):
        found.append(label("cup-per-move", language, count=number(line.per_move, language)).replace(" ", HOLD))
    if line.range:
        first, _, last = line.range.partition("–")
        found.append(
            label("cup-possible" if last else "cup-certain", language, first=first, last=last).replace(" ", HOLD)
        )
    return " · ".join(found)


def named(line: TableLine, language: str) -> str:
    """``3. Anna · Nr. 7``."""
    code = "cup-row" if line.place else "cup-row-out"
    text = label(code, language, place=line.place, name=line.name, number=line.number)
    name, dot, number = text.rpartition(" · ")
    return name + dot.replace(" ", HOLD) + number.replace(" ", HOLD)


def number(value: str, language: str) -> str:
    """Decimals as the language has them."""
    return value.replace(".", label("decimal-mark", language))


def lines(table: TournamentTable, language: str) -> tuple[str, ...]:
    """``whole`` for the text mail, at most 78 columns; the reader's own line has a star."""
    assert table.cross is not None
    return _printed(table.cross, table.you, language)


@lru_cache(maxsize=256)
def _printed(cross: Crosstable, you: int | None, language: str) -> tuple[str, ...]:
    shown = (
        replace(
            line,
            name=f"{OWN}{line.name}" if line.number == you else line.name,
            points=number(line.points, language),
            ties=tuple(number(value, language) for value in line.ties),
            per_move=number(line.per_move, language),
        )
        for line in cross.lines
    )
    return tuple(text(replace(cross, lines=tuple(shown)), language).splitlines())


def short_lines(grid: Grid) -> tuple[str, ...]:
    """A ``short`` table in fixed columns."""
    return tuple(_short_lines(grid))


def _short_lines(grid: Grid) -> Iterator[str]:
    names = [f"{OWN if row.mine else HOLD}{HOLD}{row.name}" for row in grid.rows]
    wide = max(map(len, names), default=0)
    points = max((len(row.points) for row in grid.rows), default=0)
    for name, row in zip(names, grid.rows, strict=True):
        small = f"  {row.small}" if row.small else ""
        yield (f"{name:<{wide}}  {row.points:>{points}}" + small).rstrip().replace(" ", HOLD)


def order(table: TournamentTable, code: str, you: str, language: str) -> Grid:
    """Rungs or final places, where there are no points."""
    rows = (
        Row(label(code, language, place=place, name=clean_name(name)), (), "", mine=name == you)
        for place, name in table.order
    )
    return Grid((), 0, tuple(rows), points=False)


# ---- as text ----


def text(table: Crosstable, language: str) -> str:
    """Plain text, no line wider than 78 columns; of a list too wide the last rounds are shown, and tie-breaks that do
    not fit are left out from the last one on."""
    table = _fitting(table)
    grid = [_head(table, language), *(_cells(line) for line in table.lines)]
    widths = [max(len(line[column]) for line in grid) for column in range(len(grid[0]))]
    widths[2] = min(widths[2], max(LEAST_NAME, WIDTH - sum(widths) - len(widths) + 1 + widths[2]))
    printed = [_aligned(line, widths).replace(" ", HOLD) for line in grid]
    legend = textwrap.wrap(say(f"cup-legend-{table.kind}", language), LEGEND)
    return "\n".join([*printed, *legend]) + "\n"


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    shown = [_cut(cell, width) for cell, width in zip(line, widths, strict=True)]
    columns = [
        cell.ljust(width) if column == 2 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(shown, widths, strict=True))
    ]
    return " ".join(columns).rstrip()


def _cut(cell: str, width: int) -> str:
    if len(cell) <= width:
        return cell
    ending = "…)" if cell.endswith(")") else "…"
    return cell[: width - len(ending)] + ending


def _head(table: Crosstable, language: str) -> tuple[str, ...]:
    cross = table.kind == "cross"
    heads = (str(head) if cross else say("cup-round", language, round=head) for head in table.heads)
    ties = (say(f"cup-tie-{code}", language) for code in table.columns)
    left = (label("cup-per-move-short", language),) if tells_of_moves(table) else ()
    span = (say("cup-range", language),) if any(line.range for line in table.lines) else ()
    names = (say(f"cup-{code}", language) for code in ("place", "number", "name"))
    return (*names, *heads, say("cup-points", language), *ties, *left, *span)


def _cells(line: TableLine) -> tuple[str, ...]:
    left, span = ((one,) if one else () for one in (line.per_move, line.range))
    return (line.place, str(line.number), line.name, *line.cells, line.points, *line.ties, *left, *span)


def tie_breaks_told(table: Crosstable, language: str) -> str:
    """What the columns behind the points are, in the order in which they decide; "" where there are none."""
    columns = [_tiebreak(code, language) for code in table.columns]
    return label("cup-tiebreaks", language, columns=columns) if columns else ""


def _tiebreak(code: str, language: str) -> str:
    """``Sonneborn-Berger (SoBe)``."""
    name, short = label(f"cup-tie-name-{code}", language), say(f"cup-tie-{code}", language)
    return name if name.casefold() == short.casefold() else label("cup-tiebreak", language, name=name, short=short)


def tells_of_moves(table: Crosstable) -> bool:
    """Whether it has the column of points left per move."""
    return any(line.per_move for line in table.lines)


def _fitting(table: Crosstable) -> Crosstable:
    """Without the columns that do not fit beside names of ``LEAST_NAME``: first rounds of long ago (at least three
    stay), then the points left per move, then the last tie-breaks. Everybody has a possible place, or nobody."""
    if any(line.range for line in table.lines):
        table = replace(table, lines=tuple(replace(line, range=line.range or "–") for line in table.lines))
    while _least(table) > WIDTH:
        if table.kind != "cross" and len(table.heads) > 3:
            lines = tuple(replace(line, cells=line.cells[1:]) for line in table.lines)
            table = replace(table, heads=table.heads[1:], lines=lines)
        elif tells_of_moves(table):
            table = replace(table, lines=tuple(replace(line, per_move="") for line in table.lines))
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
