"""The board as an HTML table with inline styles: for readers whose mail program hides pictures. No CSS needed."""

from __future__ import annotations

from functools import lru_cache
from html import escape

from moderator.match.contract import FENCE, Cell, Grid
from moderator.pages import theme

_BASE = "text-align:center;padding:0;"


@lru_cache(maxsize=128)
def table(scene: Grid, alt: str = "") -> str:
    """One ``<table>``, at most 20 kB for 10 by 10, readable at 390 px. ``alt`` becomes its spoken label."""
    tiles = {(cell.x, cell.y): cell for cell in scene.cells}
    in_words = {
        (x, y)
        for x0, y0, x1, y1 in scene.words
        for x in range(min(x0, x1), max(x0, x1) + 1)
        for y in range(min(y0, y1), max(y0, y1) + 1)
    }
    head = "".join(f"<td>{escape(name)}</td>" for name in scene.columns)
    rows = []
    for y, row in enumerate(scene.rows):
        squares = "".join(
            _square(tiles.get((x, y)), (x, y) in scene.shaded, (x, y) in in_words) for x in range(len(scene.columns))
        )
        label = f'<td style="{_BASE}color:{theme.LABEL};font-size:13px">{escape(row)}{FENCE}</td>'
        rows.append(f'<tr height="32">{label}{squares}</tr>')
    return (
        f'<table aria-label="{escape(alt)}" width="100%" cellspacing="0" cellpadding="0" bgcolor="{theme.GROUND}" '
        f'style="max-width:498px;table-layout:fixed;border-collapse:collapse;background:{theme.GROUND};'
        f'color:{theme.INK};font:bold 17px/1.1 Arial,Helvetica,sans-serif">'
        f'<tr height="24" style="font-size:13px;color:{theme.LABEL};{_BASE}"><td width="7%"></td>{head}</tr>'
        f"{''.join(rows)}</table>"
    )


def _square(cell: Cell | None, shaded: bool, in_word: bool) -> str:
    """Bordered square; laid by the last move: thick frame; part of a formed word: tinted field."""
    if cell is None:
        ground, content = (theme.CENTRE, "+") if shaded else ("", "")
        style = f"border:1px solid {theme.GRID};" + (
            f"background:{ground};color:{theme.CENTRE_MARK};" if shaded else ""
        )
        return f'<td style="{_BASE}{style}">{content or "&nbsp;"}</td>'
    ground = theme.FIELD if in_word and cell.height == 1 and not cell.fresh else theme.tile_colour(cell.height)
    frame = f"3px solid {theme.LAST}" if cell.fresh else f"1px solid {theme.EDGE}"
    if in_word and not cell.fresh:
        frame = f"1px dashed {theme.LAST}"
    ink = f"color:{theme.VOWEL};" if cell.shape == "round" else ""
    height = f'<sub style="font-size:11px">{cell.height}</sub>' if cell.height > 1 else ""
    letter = ("*" if cell.joker else "") + escape(cell.letter)
    return f'<td bgcolor="{ground}" style="{_BASE}{ink}background:{ground};border:{frame}">{letter}{height}</td>'
