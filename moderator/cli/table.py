"""Lists as aligned columns with headings: as they are where somebody reads on, fitted to the width of a terminal."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator, Sequence

GAP = "  "
KEPT_WHOLE = 16
"""Columns of that width or less are not wrapped: codes, times, states."""


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print the rows below their headings. Columns in which no row has anything are left out."""
    used = [number for number in range(len(headings)) if any(row[number] for row in rows)]
    headings, rows = [headings[number] for number in used], [[row[number] for number in used] for row in rows]
    if sys.stdout.isatty():
        _print_on_terminal(headings, rows)
    else:
        print("\n".join(iter_aligned_lines([headings, *rows])))


def iter_aligned_lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the rows as lines, each column as wide as its widest cell."""
    widths = [max(map(_count_cells, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (f"{cell}{' ' * (width - _count_cells(cell))}" for cell, width in zip(row, widths, strict=True))
        yield GAP.join(cells).rstrip()


def _count_cells(text: str) -> int:
    """Count the cells that a text takes: letters of the East take two, accents that combine none."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else not unicodedata.combining(c) for c in text)


def _print_on_terminal(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console  # it takes as long to load as all else that a list needs
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, len(GAP), 0, 0), pad_edge=False, header_style="bold")
    for heading, column in zip(headings, zip(*rows, strict=True), strict=True):
        width = max(map(_count_cells, (heading, *column)))
        whole = width if width <= KEPT_WHOLE else None
        table.add_column(heading, overflow="fold", no_wrap=whole is not None, min_width=whole)
    for row in rows:
        table.add_row(*map(Text, row))
    Console(highlight=False, emoji=False, markup=False).print(table)
