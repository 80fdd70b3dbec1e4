"""The board as a neutral drawing."""

from __future__ import annotations

from moderator.engine.contract import Cell, Grid
from moderator.games.topwords.state import CENTRE, LETTERS, SIZE, Public


def draw(public: Public) -> Grid:
    """All occupied squares with their heights; fresh tiles and formed words of the last move; a shaded centre."""
    letters, numbers = tuple(LETTERS), tuple(str(n) for n in range(1, SIZE + 1))
    by_column = public.options.letter_axis == "columns"
    fresh = frozenset(public.fresh)
    return Grid(
        columns=letters if by_column else numbers,
        rows=numbers if by_column else letters,
        cells=tuple(
            Cell(x=square % SIZE, y=square // SIZE, letter=stack[-1], height=len(stack), fresh=square in fresh)
            for square, stack in enumerate(public.board)
            if stack
        ),
        shaded=frozenset((square % SIZE, square // SIZE) for square in CENTRE),
        words=tuple((run[0] % SIZE, run[0] // SIZE, run[-1] % SIZE, run[-1] // SIZE) for run in public.runs),
        row_first=not by_column,
    )
