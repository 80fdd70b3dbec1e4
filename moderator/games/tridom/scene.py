"""The table as a neutral drawing."""

from __future__ import annotations

from moderator.engine.scenes import Triangle, Triangles
from moderator.games.tridom.state import Public


def draw(public: Public) -> Triangles:
    """The lying tiles and the free cells, each by place number; the last tile is fresh."""
    board = public.board
    cells = list(enumerate(board.cells, start=1))
    return Triangles(
        tiles=tuple(
            Triangle(*cell, place, board.tiles[cell], place == public.last)
            for place, cell in cells
            if cell in board.tiles
        ),
        free=tuple(Triangle(*cell, place, board.free[cell]) for place, cell in cells if cell in board.free),
    )
