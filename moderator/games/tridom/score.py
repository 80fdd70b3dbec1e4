"""What a laid tile scores: its numbers and a bonus for the form that it completes."""

from __future__ import annotations

from moderator.engine.contract import Note
from moderator.games.tridom.board import BRIDGE, Board
from moderator.games.tridom.geometry import Cell
from moderator.games.tridom.state import Options


def bonuses(board: Board, cell: Cell, options: Options, seat: int | None = None) -> tuple[Note, ...]:
    """The bonuses that count for a tile in ``cell``, each with its points: only the highest, or all of them."""
    if None in board.free[cell]:
        return ()
    code = "bonus-bridge" if board.sides(cell) == 1 else "bonus-sides"
    bridge = Note(code, {"points": BRIDGE}, seat=seat, points=BRIDGE)
    count = board.hexagons(cell)
    if not count:
        return (bridge,)
    extra = options.hexagons(count)
    hexagon = Note("bonus-hexagon", {"count": count, "points": extra}, seat=seat, points=extra)
    return (hexagon,) if options.bonus == "highest" else (hexagon, bridge)


def bonus(board: Board, cell: Cell, options: Options) -> int:
    """Their sum."""
    return sum(note.points for note in bonuses(board, cell, options))
