"""Tables of tournaments for the mail: cells for the HTML, lines of fixed width for the text.

Nothing in a cell of its own may be read as a move when a program gives every cell a line: numbers of two digits stand
one below the other, points have their unit, and a name stands between its place and its number.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from moderator.common.disk import LANGUAGES
from moderator.common.text import clean_name
from moderator.language.messages import render_code, render_label
from moderator.notifications.content import TournamentTable
from moderator.render.document import PHONE, POINTS, Cell, Row, Table
from moderator.tournaments.standings import Crosstable, CrosstableLine

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


def build_full_table(table: TournamentTable, language: str) -> tuple[Table, int]:
    """Return the table with as many results of single games as there is room for on a phone, and 0; of a long one what
    ``build_short_table`` returns. As text it is whole."""
    cross = table.cross
    assert cross is not None
    lines = render_table_lines(table, language)
    if len(cross.lines) > CELLS_FOR:
        short, left = build_short_table(table, language, CELLS_FOR)
        return replace(short, lines=lines), left
    middle = _build_middle_columns(cross, language)
    rows = tuple(
        _build_row(line, table, language, cells, _render_tie_breaks(line, cross.columns, language))
        for line, cells in zip(cross.lines, middle.cells, strict=True)
    )
    return _build_points_table(
        rows,
        language,
        lines=lines,
        cells=middle.heads,
        width=_compute_cell_width(middle.letters),
        legend=(render_label(f"cup-legend-{cross.kind}", language),) if middle.heads else (),
    ), 0


def _build_points_table(rows: tuple[Row, ...], language: str, **more: Any) -> Table:
    numbers = (render_label("cup-column-points", language),)
    return Table(rows, head=render_label("cup-column-name", language), numbers=numbers, is_small=True, **more)


def _compute_cell_width(letters: int) -> int:
    return 10 + 8 * letters


@dataclass(frozen=True)
class MiddleColumns:
    """The columns between names and points."""

    heads: tuple[Cell, ...]
    cells: tuple[tuple[Cell, ...], ...]
    """Of each line."""
    letters: int
    """Of the widest one."""


def _build_middle_columns(cross: Crosstable, language: str) -> MiddleColumns:
    """Return the columns between names and points; of a list by rounds the last ones that fit."""
    if cross.kind == "cross":
        cells = tuple(tuple(tuple(cell) for cell in line.cells) for line in cross.lines)
        return MiddleColumns(tuple(tuple(str(head)) for head in cross.heads), cells, 1)
    longest = max((len(cell) for line in cross.lines for cell in line.cells), default=1)
    most = max(1, (PHONE - POINTS) // _compute_cell_width(max(longest, 2)))
    heads = tuple((render_code("cup-round", language, round=head),) for head in cross.heads[-most:])
    cells = tuple(tuple((_replace_slash(cell),) for cell in line.cells[-most:]) for line in cross.lines)
    return MiddleColumns(heads, cells, max(longest, 2))


def _replace_slash(cell: str) -> str:
    """Return ``7·1`` for ``7/1``, which might be read as a domino."""
    return cell.replace("/", "·")


def build_short_table(table: TournamentTable, language: str, most: int = SHORT) -> tuple[Table, int]:
    """Return places, names, points of the first ones and of those around the reader, and how many are left out."""
    cross = table.cross
    assert cross is not None
    own = next((at for at, line in enumerate(cross.lines) if line.number == table.you), None)
    near = range(0) if own is None else range(own - AROUND, own + AROUND + 1)
    kept = [line for at, line in enumerate(cross.lines) if at < most or at in near]
    rows = tuple(_build_row(line, table, language) for line in kept)
    return _build_points_table(rows, language, lines=tuple(_iter_short_lines(rows))), len(cross.lines) - len(kept)


def _build_row(
    line: CrosstableLine, table: TournamentTable, language: str, cells: tuple[Cell, ...] = (), small: str = ""
) -> Row:
    points = render_label("cup-points-cell", language, points=format_decimal(line.points, language))
    mine = line.number == table.you
    return Row(render_ranked_name(line, language), (points,), cells, small, is_mine=mine, is_bold=mine)


def _render_tie_breaks(line: CrosstableLine, columns: tuple[str, ...], language: str) -> str:
    """Return tie-breaks and possible places."""
    found = [
        f"{render_code(f'cup-tie-{code}', language)}{HOLD}{format_decimal(value, language)}"
        for code, value in zip(columns, line.ties, strict=True)
        if value
    ]
    if line.per_move not in ("", "–"):
        found.append(
            render_label("cup-per-move", language, count=format_decimal(line.per_move, language)).replace(" ", HOLD)
        )
    if line.range:
        first, _, last = line.range.partition("–")
        found.append(
            render_label("cup-possible" if last else "cup-certain", language, first=first, last=last).replace(" ", HOLD)
        )
    return " · ".join(found)


def render_ranked_name(line: CrosstableLine, language: str) -> str:
    """Return ``3. Anna · Nr. 7``."""
    code = "cup-row" if line.place else "cup-row-out"
    text = render_label(code, language, place=line.place, name=line.name, number=line.number)
    name, dot, number = text.rpartition(" · ")
    return name + dot.replace(" ", HOLD) + number.replace(" ", HOLD)


def format_decimal(value: str, language: str) -> str:
    """Return decimals as the language writes them."""
    return value.replace(".", render_label("decimal-mark", language))


def render_table_lines(table: TournamentTable, language: str) -> tuple[str, ...]:
    """Return the table of ``build_full_table`` for the text mail, at most 78 columns; the reader's own line has a
    star."""
    assert table.cross is not None
    return _render_table_lines(table.cross, table.you, language)


@lru_cache(maxsize=256)
def _render_table_lines(cross: Crosstable, you: int | None, language: str) -> tuple[str, ...]:
    shown = (
        replace(
            line,
            name=f"{OWN}{line.name}" if line.number == you else line.name,
            points=format_decimal(line.points, language),
            ties=tuple(format_decimal(value, language) for value in line.ties),
            per_move=format_decimal(line.per_move, language),
        )
        for line in cross.lines
    )
    return tuple(render_crosstable_text(replace(cross, lines=tuple(shown)), language).splitlines())


def _iter_short_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the rows in fixed columns."""
    names = [f"{OWN if row.is_mine else HOLD}{HOLD}{row.name}" for row in rows]
    shown = [row.numbers[-1] if row.numbers else "" for row in rows]
    wide, points = max(map(len, names), default=0), max(map(len, shown), default=0)
    for name, number, row in zip(names, shown, rows, strict=True):
        below = f"  {row.below}" if row.below else ""
        yield (f"{name:<{wide}}  {number:>{points}}" + below).rstrip().replace(" ", HOLD)


def build_order_table(table: TournamentTable, code: str, you: str, language: str) -> Table:
    """Return a table of rungs or final places, where there are no points."""
    rows = tuple(
        Row(render_label(code, language, place=place, name=clean_name(name)), is_mine=name == you, is_bold=name == you)
        for place, name in table.order
    )
    return Table(rows, lines=tuple(_iter_short_lines(rows)), is_small=True)


# ---- as text ----


def render_crosstable_text(table: Crosstable, language: str) -> str:
    """Return plain text, no line wider than 78 columns; of a list too wide the last rounds are shown, and tie-breaks
    that do not fit are left out from the last one on."""
    table = _fit_columns(table)
    grid = [_list_heads(table, language), *(_list_cells(line) for line in table.lines)]
    widths = [max(len(line[column]) for line in grid) for column in range(len(grid[0]))]
    widths[2] = min(widths[2], max(LEAST_NAME, WIDTH - sum(widths) - len(widths) + 1 + widths[2]))
    printed = [_format_columns(line, widths).replace(" ", HOLD) for line in grid]
    legend = textwrap.wrap(render_code(f"cup-legend-{table.kind}", language), LEGEND)
    return "\n".join([*printed, *legend]) + "\n"


def _format_columns(line: Sequence[str], widths: Sequence[int]) -> str:
    shown = [_cut_cell(cell, width) for cell, width in zip(line, widths, strict=True)]
    columns = [
        cell.ljust(width) if column == 2 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(shown, widths, strict=True))
    ]
    return " ".join(columns).rstrip()


def _cut_cell(cell: str, width: int) -> str:
    if len(cell) <= width:
        return cell
    ending = "…)" if cell.endswith(")") else "…"
    return cell[: width - len(ending)] + ending


def _list_heads(table: Crosstable, language: str) -> tuple[str, ...]:
    cross = table.kind == "cross"
    heads = (str(head) if cross else render_code("cup-round", language, round=head) for head in table.heads)
    ties = (render_code(f"cup-tie-{code}", language) for code in table.columns)
    left = (render_label("cup-per-move-short", language),) if has_move_column(table) else ()
    span = (render_code("cup-range", language),) if any(line.range for line in table.lines) else ()
    names = (render_code(f"cup-{code}", language) for code in ("place", "number", "name"))
    return (*names, *heads, render_code("cup-points", language), *ties, *left, *span)


def _list_cells(line: CrosstableLine) -> tuple[str, ...]:
    left, span = ((one,) if one else () for one in (line.per_move, line.range))
    return (line.place, str(line.number), line.name, *line.cells, line.points, *line.ties, *left, *span)


def render_tie_break_legend(table: Crosstable, language: str) -> str:
    """Return the meaning of the columns behind the points, in the order in which they decide; an empty text where there
    are none."""
    columns = [_render_tie_break(code, language) for code in table.columns]
    return render_label("cup-tiebreaks", language, columns=columns) if columns else ""


def _render_tie_break(code: str, language: str) -> str:
    """Return ``Sonneborn-Berger (SoBe)``."""
    name, short = render_label(f"cup-tie-name-{code}", language), render_code(f"cup-tie-{code}", language)
    return (
        name if name.casefold() == short.casefold() else render_label("cup-tiebreak", language, name=name, short=short)
    )


def has_move_column(table: Crosstable) -> bool:
    """Return whether the table has the column of points left per move."""
    return any(line.per_move for line in table.lines)


def _fit_columns(table: Crosstable) -> Crosstable:
    """Drop the columns that do not fit beside names of ``LEAST_NAME``: first rounds of long ago (at least three stay),
    then the points left per move, then the last tie-breaks. Possible places are given for everybody or for nobody."""
    if any(line.range for line in table.lines):
        table = replace(table, lines=tuple(replace(line, range=line.range or "–") for line in table.lines))
    while _compute_least_width(table) > WIDTH:
        if table.kind != "cross" and len(table.heads) > 3:
            lines = tuple(replace(line, cells=line.cells[1:]) for line in table.lines)
            table = replace(table, heads=table.heads[1:], lines=lines)
        elif has_move_column(table):
            table = replace(table, lines=tuple(replace(line, per_move="") for line in table.lines))
        elif table.columns:
            lines = tuple(replace(line, ties=line.ties[:-1]) for line in table.lines)
            table = replace(table, columns=table.columns[:-1], lines=lines)
        else:
            break
    return table


def _compute_least_width(table: Crosstable) -> int:
    """Return the table's least width, in the language with the longest headings."""
    widest = 0
    for language in LANGUAGES:
        grid = [_list_heads(table, language), *(_list_cells(line) for line in table.lines)]
        widths = [max(len(line[column]) for line in grid) for column in range(len(grid[0]))]
        widths[2] = min(widths[2], LEAST_NAME)
        widest = max(widest, sum(widths) + len(widths) - 1)
    return widest
