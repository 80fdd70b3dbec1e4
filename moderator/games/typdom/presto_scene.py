"""The drawing of a finished crossword, its top left square A1."""

from __future__ import annotations

from dataclasses import replace

from moderator.engine.contract import Grid
from moderator.games.typdom import scene
from moderator.games.typdom.board import columns
from moderator.games.typdom.presto_layout import Layout

BLANK = 5
"""Squares along a side where there is nothing to show yet."""


def draw(layout: Layout | None) -> Grid:
    """The crossword without any margin; an empty square field for None."""
    if layout is None:
        return Grid(columns=columns(BLANK), rows=tuple(str(n) for n in range(1, BLANK + 1)), cells=())
    whole = scene.draw(layout.table)
    return replace(whole, columns=whole.columns[: layout.width], rows=whole.rows[: len(layout.rows)])
