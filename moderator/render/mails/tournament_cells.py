"""Tables of tournaments for the mail: cells for the HTML, lines of fixed width for the text.

Nothing in a cell of its own may be read as a move when a program gives every cell a line: numbers of two digits stand
one below the other, points have their unit, and a name stands between its place and its number.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from moderator.common.disk import LANGUAGES
from moderator.common.text import clean_name
from moderator.language.messages import render_code, render_label
from moderator.notifications.content import TournamentTable
from moderator.render.document import Row, Table
from moderator.tournaments.standings import Crosstable, CrosstableLine

AROUND: Final = 1
OWN: Final = "*"
WIDTH: Final = 78
"""Columns of a table as text."""
LEAST_NAME: Final = 10
LEGEND: Final = 60
HOLD: Final = "\u00a0"
"""Between cells: a mail program that wraps a quoted line breaks at spaces, and its end ("1–3", "-30") might be read as
a move. These lines it leaves whole."""


def build_short_table(table: TournamentTable, language: str, most: int | None) -> tuple[Table, int]:
    """Return place, name and points of the first ones and of those around the reader, and how many are left out. With
    ``most`` None nobody is."""
    cross = table.cross
    assert cross is not None
    own = next((at for at, line in enumerate(cross.lines) if line.number == table.you), None)
    kept = _choose_rows(len(cross.lines), own, len(cross.lines) if most is None else most)
    rows = tuple(_build_row(cross.lines[at], table, language) for at in kept)
    shown = Table(rows, lines=tuple(_iter_short_lines(rows)), is_small=True)
    return shown, len(cross.lines) - len(kept)


def _choose_rows(count: int, own: int | None, most: int) -> list[int]:
    """Return the rows to show: the first ones, and those around the reader."""
    near = range(0) if own is None or own < most else range(own - AROUND, min(own + AROUND + 1, count))
    return [*range(min(count, most - len(near))), *near]


def _build_row(line: CrosstableLine, table: TournamentTable, language: str) -> Row:
    points = format_decimal(line.points, language)
    mine = line.number == table.you
    name = clean_name(line.name)
    if line.place:
        text = render_label("cup-row", language, place=line.place, name=name)
    else:
        text = render_label("cup-row-out", language, name=name.strip("()"))
    return Row(text, (points,), is_mine=mine, is_bold=mine)


def render_ranked_name(line: CrosstableLine, language: str) -> str:
    """Return ``3. Anna · Nr. 7``."""
    code = "cup-ranked" if line.place else "cup-ranked-out"
    text = render_label(code, language, place=line.place, name=line.name, number=line.number)
    name, dot, number = text.rpartition(" · ")
    return name + dot.replace(" ", HOLD) + number.replace(" ", HOLD)


def format_decimal(value: str, language: str) -> str:
    """Return decimals as the language writes them."""
    return value.replace(".", render_label("decimal-mark", language))


def _iter_short_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the rows in fixed columns."""
    names = [f"{OWN if row.is_mine else HOLD}{HOLD}{row.name}" for row in rows]
    shown = [row.numbers[-1] if row.numbers else "" for row in rows]
    wide, points = max(map(len, names), default=0), max(map(len, shown), default=0)
    for name, number, row in zip(names, shown, rows, strict=True):
        below = f"  {row.below}" if row.below else ""
        yield (f"{name:<{wide}}  {number:>{points}}" + below).rstrip().replace(" ", HOLD)


def build_order_table(table: TournamentTable, code: str, you: str, language: str, most: int) -> Table:
    """Return a table of rungs or final places, where there are no points."""
    own = next((at for at, (_, name) in enumerate(table.order) if name == you), None)
    shown = (table.order[at] for at in _choose_rows(len(table.order), own, most))
    rows = tuple(
        Row(render_label(code, language, place=place, name=clean_name(name)), is_mine=name == you, is_bold=name == you)
        for place, name in shown
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
