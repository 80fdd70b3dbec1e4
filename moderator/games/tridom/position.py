"""The table as plain JSON, for programs that show it and compose a move; and back. The whole position as a diagram."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moderator.common.errors import RecordError
from moderator.games.tridom.board import (
    START,
    Cell,
    Corners,
    Known,
    TridomBoard,
    find_tridom_tile,
    get_cell_corners,
    get_fit_table,
    list_tile_rotations,
    list_tridom_tiles,
    parse_tridom_board,
)
from moderator.games.tridom.state import TridomOptions, TridomPublic
from moderator.rules.game import Context, State
from moderator.rules.position import Diagram, written

UNKNOWN = "?"


def encode_tridom_table(public: TridomPublic) -> dict[str, Any]:
    """{"tiles": [[place, x, y, "345"], …], "free": [[place, x, y, "3?5"], …], "last": place laid last, "mover": seat,
    "drawn": tiles drawn in this turn}; corners clockwise from the tip."""
    board = public.board
    found: dict[str, Any] = {"tiles": [], "free": []}
    for place, cell in enumerate(board.cells, start=1):
        kind, known = ("tiles", board.tiles[cell]) if cell in board.tiles else ("free", board.free[cell])
        found[kind].append([place, *cell, "".join(UNKNOWN if one is None else str(one) for one in known)])
    return found | {"last": public.last, "mover": public.mover, "drawn": public.drawn}


def decode_tridom_table(
    values: Mapping[str, Any], options: TridomOptions, mirrored: bool, seats: int, round_number: int
) -> TridomPublic:
    """Return the table of plain values. Raises RecordError."""
    tiles, free = _decode_cells(values["tiles"]), _decode_cells(values["free"])
    lying: dict[Cell, tuple[int, int, int]] = {}
    for cell, (a, b, c) in tiles.values():
        if a is None or b is None or c is None or find_tridom_tile(f"{a}{b}{c}", mirrored) is None:
            raise RecordError(f"There is no such tile as that on {cell}.")
        lying[cell] = a, b, c
    every = tiles | free
    if sorted(every) != list(range(1, len(every) + 1)) or len(every) < len(tiles) + len(free):
        raise RecordError("The places are not numbered from 1 on.")
    cells = tuple(every[place][0] for place in sorted(every))
    board = TridomBoard(
        cells,
        {cell: place for place, cell in enumerate(cells, start=1)},
        lying,
        {point: one for cell, known in lying.items() for point, one in zip(get_cell_corners(cell), known, strict=True)},
        {cell: known for _, (cell, known) in sorted(free.items())},
    )
    last = None if values["last"] is None else int(values["last"])
    mover, drawn = int(values["mover"]), int(values["drawn"])
    if mover not in range(seats) or drawn < 0:
        raise RecordError("Nobody can have drawn so.")
    return TridomPublic(options, mirrored, board, ((),) * seats, round_number, mover, drawn, last=last)


def _decode_cells(values: Any) -> dict[int, tuple[Cell, Known]]:
    """Return place -> cell and corners."""
    found: dict[int, tuple[Cell, Known]] = {}
    for place, x, y, text in values:
        a, b, c = (None if sign == UNKNOWN else int(sign) for sign in text)
        found[int(place)] = (int(x), int(y)), (a, b, c)
    return found


# ---- the whole position, as somebody writes it down ----


def encode_tridom_diagram(state: State[TridomPublic]) -> dict[str, Any]:
    """Return ``board``: the tiles with their places as they were laid; per seat ``gains``, its points won and lost in
    this round; ``drawn``: tiles that the seat to move has drawn; ``passes`` in a row with an empty stock."""
    public = state.public
    first, *others = public.board.tiles.items()
    board = ["".join(map(str, first[1]))]
    board += [
        f"{min(list_tile_rotations(''.join(map(str, lying))))}@{public.board.places[cell]}" for cell, lying in others
    ]
    return written(
        state,
        turn=public.mover,
        board=board,
        gains=public.gains,
        drawn=public.drawn,
        passes=public.passes,
    )


def decode_tridom_diagram(
    diagram: Diagram, options: TridomOptions, mirrored: bool, ctx: Context
) -> State[TridomPublic]:
    """Return the state of a diagram, as the opposite of ``encode_tridom_diagram``; what is forced then has not happened
    yet. A ``board`` may be a table of cells, as in records."""
    round, seat = diagram.round(), diagram.turn()
    given = diagram.get("board")
    board, last = (
        _decode_cell_board(diagram, given, mirrored)
        if isinstance(given, dict)
        else _decode_laid_board(diagram, mirrored)
    )
    hands = diagram.racks(lambda text: find_tridom_tile(text, mirrored))
    lying = [min(list_tile_rotations("".join(map(str, one)))) for one in board.tiles.values()]
    stock = diagram.stock(
        list_tridom_tiles(mirrored), lying, hands, lambda text: find_tridom_tile(text, mirrored), ctx, round
    )
    gains = diagram.per_seat(lambda one: diagram.numbers("gains", one))
    drawn, passes = diagram.whole("drawn", most=3), diagram.whole("passes", most=diagram.seats - 1)
    public = TridomPublic(options, mirrored, board, gains, round, seat, drawn, passes, last)
    return State(public, hands, stock, diagram.scores(), (seat,))


def _decode_cell_board(diagram: Diagram, given: Mapping[str, Any], mirrored: bool) -> tuple[TridomBoard, int | None]:
    try:
        return parse_tridom_board(given, mirrored), None
    except RecordError as error:
        diagram.wrong(("board",), str(error))
        return TridomBoard(), None


def _decode_laid_board(diagram: Diagram, mirrored: bool) -> tuple[TridomBoard, int | None]:
    """Return the board after each tile was laid on its place, and the last of these."""
    board, last = TridomBoard(), None
    entries = diagram.lines("board")
    if not entries:
        diagram.wrong(("board",), "at least one tile lies.")
    for n, entry in enumerate(entries):
        digits, _, place = entry.replace(" ", "").partition("@")
        tile, number = find_tridom_tile(digits, mirrored), int(place) if place.isdecimal() else 1
        found = None
        if tile is None:
            diagram.wrong(("board", n), f"{entry!r} is no tile; expected for example 225@8.")
        elif any(min(list_tile_rotations("".join(map(str, one)))) == tile for one in board.tiles.values()):
            diagram.wrong(("board", n), f"{tile} lies already.")
        else:
            found = _find_opening_fit(tile, digits) if not board.cells else _find_fit(board, tile, number)
            if found is None:
                diagram.wrong(
                    ("board", n), f"{entry!r} does not fit there: its numbers differ, or the place is not free."
                )
        if found is None:
            break
        board, last = board.with_tile(*found), number if board.cells else 1
    return board, last


def _find_opening_fit(tile: str, digits: str) -> tuple[Cell, Corners] | None:
    """Return the tile that opens, its tip up; None for a mirror image."""
    a, b, c = map(int, digits)
    return (START, (a, b, c)) if min(list_tile_rotations(digits)) == tile else None


def _find_fit(board: TridomBoard, tile: str, place: int) -> tuple[Cell, Corners] | None:
    cell = board.find_cell(place)
    if cell is None or cell not in board.free:
        return None
    lying = get_fit_table().get(board.free[cell], {}).get(tile)
    return None if lying is None else (cell, lying)
