"""The board in one paragraph: for readers who hear it and for programs that hide pictures."""

from __future__ import annotations

from functools import lru_cache

from moderator.engine.contract import Grid
from moderator.render.messages import label
from moderator.render.text import name, square_name


@lru_cache(maxsize=128)
def alt(scene: Grid, language: str, last: str = "") -> str:
    """Size, last move (``last``, a sentence), new tiles with their squares, heights from two on."""
    parts = [label("alt-size", language, columns=len(scene.columns), rows=len(scene.rows))]
    if last:
        parts.append(label("alt-last", language, what=last))
    cells = sorted(scene.cells, key=lambda cell: (cell.y, cell.x))
    fresh = [f"{cell.letter} {square_name(scene, cell.x, cell.y)}" for cell in cells if cell.fresh]
    if fresh:
        parts.append(label("alt-fresh", language, tiles=fresh))
    stacks = [f"{square_name(scene, cell.x, cell.y)} {name(cell)}" for cell in cells if cell.height > 1]
    if stacks:
        parts.append(label("alt-heights", language, stacks=stacks))
    if not cells:
        parts.append(label("alt-empty", language))
    return " ".join(parts)
