"""The table as plain JSON, for programs that show it and compose a move; and back. The whole position as a diagram."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moderator.errors import RecordError
from moderator.games.tridom.board import (
    START,
    Board,
    Cell,
    Corners,
    Known,
    all_tiles,
    corners,
    named,
    read_board,
    rotations,
    ways,
)
from moderator.games.tridom.state import Options, Public
from moderator.match.contract import Context, State
from moderator.match.diagram import Diagram, written

UNKNOWN = "?"


def write(public: Public) -> dict[str, Any]:
    """{"tiles": [[place, x, y, "345"], …], "free": [[place, x, y, "3?5"], …], "last": place laid last, "mover": seat,
    "drawn": tiles drawn in this turn}; corners clockwise from the tip."""
    board = public.board
    found: dict[str, Any] = {"tiles": [], "free": []}
    for place, cell in enumerate(board.cells, start=1):
        kind, known = ("tiles", board.tiles[cell]) if cell in board.tiles else ("free", board.free[cell])
        found[kind].append([place, *cell, "".join(UNKNOWN if one is None else str(one) for one in known)])
    return found | {"last": public.last, "mover": public.mover, "drawn": public.drawn}


def read(values: Mapping[str, Any], options: Options, mirrored: bool, seats: int, round: int) -> Public:
    """Raises RecordError."""
    tiles, free = _cells(values["tiles"]), _cells(values["free"])
    lying: dict[Cell, tuple[int, int, int]] = {}
    for cell, (a, b, c) in tiles.values():
        if a is None or b is None or c is None or named(f"{a}{b}{c}", mirrored) is None:
            raise RecordError(f"There is no such tile as that on {cell}.")
        lying[cell] = a, b, c
    every = tiles | free
    if sorted(every) != list(range(1, len(every) + 1)) or len(every) < len(tiles) + len(free):
        raise RecordError("The places are not numbered from 1 on.")
    cells = tuple(every[place][0] for place in sorted(every))
    board = Board(
        cells,
        {cell: place for place, cell in enumerate(cells, start=1)},
        lying,
        {point: one for cell, known in lying.items() for point, one in zip(corners(cell), known, strict=True)},
        {cell: known for _, (cell, known) in sorted(free.items())},
    )
    last = None if values["last"] is None else int(values["last"])
    mover, drawn = int(values["mover"]), int(values["drawn"])
    if mover not in range(seats) or drawn < 0:
        raise RecordError("Nobody can have drawn so.")
    return Public(options, mirrored, board, ((),) * seats, round, mover, drawn, last=last)


def _cells(values: Any) -> dict[int, tuple[Cell, Known]]:
    """Place -> cell and corners."""
    found: dict[int, tuple[Cell, Known]] = {}
    for place, x, y, text in values:
        a, b, c = (None if sign == UNKNOWN else int(sign) for sign in text)
        found[int(place)] = (int(x), int(y)), (a, b, c)
    return found


# ---- the whole position, as somebody writes it down ----


def write_diagram(state: State[Public]) -> dict[str, Any]:
    """``board``: the tiles with their places as they were laid; per seat ``gains``, what it won and lost in this round;
    ``drawn``: tiles that the seat to move has drawn; ``passes`` in a row with an empty stock."""
    public = state.public
    first, *others = public.board.tiles.items()
    board = ["".join(map(str, first[1]))]
    board += [f"{min(rotations(''.join(map(str, lying))))}@{public.board.places[cell]}" for cell, lying in others]
    return written(
        state,
        turn=public.mover,
        board=board,
        gains=public.gains,
        drawn=public.drawn,
        passes=public.passes,
    )


def read_diagram(diagram: Diagram, options: Options, mirrored: bool, ctx: Context) -> State[Public]:
    """The opposite; what is forced then has not happened yet. A ``board`` may be a table of cells, as in records."""
    round, seat = diagram.round(), diagram.turn()
    given = diagram.get("board")
    board, last = _from_cells(diagram, given, mirrored) if isinstance(given, dict) else _laid(diagram, mirrored)
    hands = diagram.racks(lambda text: named(text, mirrored))
    lying = [min(rotations("".join(map(str, one)))) for one in board.tiles.values()]
    stock = diagram.stock(all_tiles(mirrored), lying, hands, lambda text: named(text, mirrored), ctx, round)
    gains = diagram.per_seat(lambda one: diagram.numbers("gains", one))
    drawn, passes = diagram.whole("drawn", most=3), diagram.whole("passes", most=diagram.seats - 1)
    public = Public(options, mirrored, board, gains, round, seat, drawn, passes, last)
    return State(public, hands, stock, diagram.scores(), (seat,))


def _from_cells(diagram: Diagram, given: Mapping[str, Any], mirrored: bool) -> tuple[Board, int | None]:
    try:
        return read_board(given, mirrored), None
    except RecordError as error:
        diagram.wrong(("board",), str(error))
        return Board(), None


def _laid(diagram: Diagram, mirrored: bool) -> tuple[Board, int | None]:
    """The board after each tile was laid on its place, and the last of these."""
    board, last = Board(), None
    entries = diagram.lines("board")
    if not entries:
        diagram.wrong(("board",), "at least one tile lies.")
    for n, entry in enumerate(entries):
        digits, _, place = entry.replace(" ", "").partition("@")
        tile, number = named(digits, mirrored), int(place) if place.isdecimal() else 1
        found = None
        if tile is None:
            diagram.wrong(("board", n), f"{entry!r} is no tile; expected for example 225@8.")
        elif any(min(rotations("".join(map(str, one)))) == tile for one in board.tiles.values()):
            diagram.wrong(("board", n), f"{tile} lies already.")
        else:
            found = _first(tile, digits) if not board.cells else _fitting(board, tile, number)
            if found is None:
                diagram.wrong(
                    ("board", n), f"{entry!r} does not fit there: its numbers differ, or the place is not free."
                )
        if found is None:
            break
        board, last = board.lay(*found), number if board.cells else 1
    return board, last


def _first(tile: str, digits: str) -> tuple[Cell, Corners] | None:
    """The tile that opens, its tip up; None for a mirror image."""
    a, b, c = map(int, digits)
    return (START, (a, b, c)) if min(rotations(digits)) == tile else None


def _fitting(board: Board, tile: str, place: int) -> tuple[Cell, Corners] | None:
    cell = board.cell(place)
    if cell is None or cell not in board.free:
        return None
    lying = ways().get(board.free[cell], {}).get(tile)
    return None if lying is None else (cell, lying)
