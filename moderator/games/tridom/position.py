"""Positions of both Tridoms as plain values, for each who reads them, and back."""

from __future__ import annotations

from dataclasses import dataclass
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
from moderator.games.tridom.state import DRAWS, TridomOptions, TridomPublic
from moderator.rules.game import State
from moderator.rules.position import Audience, Diagram, PositionCodec
from moderator.rules.state import Context

UNKNOWN = "?"


@dataclass(frozen=True)
class TridomCodec(PositionCodec[TridomPublic]):
    """The cells that have a place: ``places``, or ``tiles`` and ``free``, each ``[place, x, y, "3?5"]``, clockwise from
    the tip; in a diagram ``board``, the tiles with their places as they were laid, or a table of cells, as in records.
    ``mover``, ``drawn``: who is to move, and tiles that it has drawn in this turn; ``last``: place of the tile laid
    last; ``gains``: points won and lost in this round; ``passes`` in a row with an empty stock."""

    mirrored: bool

    def write(self, state: State[TridomPublic], audience: Audience) -> dict[str, Any]:
        public, board = state.public, state.public.board
        if audience is Audience.DIAGRAM:
            first, *others = zip(board.tiles, list_lying_tiles(board), strict=True)
            laid = [
                "".join(map(str, board.tiles[first[0]])),
                *(f"{name}@{board.places[cell]}" for cell, name in others),
            ]
            facts = {"gains": public.gains, "drawn": public.drawn, "passes": public.passes}
            return {"turn": public.mover, "board": laid, **facts}
        cells = [
            (place, *cell, board.tiles.get(cell) or board.free[cell], cell in board.tiles)
            for place, cell in enumerate(board.cells, start=1)
        ]
        if audience is Audience.SEAT:
            found: dict[str, Any] = {"tiles": [], "free": []}
            for *where, known, lies in cells:
                signs = "".join(UNKNOWN if one is None else str(one) for one in known)
                found["tiles" if lies else "free"].append([*where, signs])
            return found | {"last": public.last, "mover": public.mover, "drawn": public.drawn}
        places = [
            {"place": place, "x": x, "y": y, "corners": list(known), "tile": lies} for place, x, y, known, lies in cells
        ]
        facts = {"round": public.round, "mover": public.mover, "drawn": public.drawn, "last": public.last}
        return {"places": places, **facts}

    def read(
        self, values: Diagram, options: TridomOptions, audience: Audience, ctx: Context | None
    ) -> State[TridomPublic]:
        if audience is Audience.DIAGRAM:
            seat = values.turn()
            board, last = self._read_board(values)
        else:
            seat, board = values.seat("mover"), self._read_cells(values, audience)
            last = values.whole("last") or None
        drawn, passes = values.whole("drawn", most=DRAWS), values.whole("passes", most=values.seats - 1)
        gains, round = values.gains(), values.round()
        public = TridomPublic(options, self.mirrored, board, gains, round, seat, drawn, passes, last)
        return State(public, (), (), (), (seat,))

    def find_tile(self, text: str) -> str | None:
        return find_tridom_tile(text, self.mirrored)

    def list_box(self, state: State[TridomPublic]) -> tuple[str, ...]:
        return list_tridom_tiles(self.mirrored)

    def list_lying(self, state: State[TridomPublic]) -> list[str]:
        return list_lying_tiles(state.public.board)

    def _read_cells(self, values: Diagram, audience: Audience) -> TridomBoard:
        """Return the board of all cells with their places. Raises RecordError."""
        if audience is Audience.RECORD:
            found = [[one[key] for key in ("place", "x", "y", "corners", "tile")] for one in values.get("places")]
        else:
            found = [
                [place, x, y, [None if sign == UNKNOWN else int(sign) for sign in signs], key == "tiles"]
                for key in ("tiles", "free")
                for place, x, y, signs in values.get(key)
            ]
        cells: list[Cell] = []
        tiles: dict[Cell, Corners] = {}
        free: dict[Cell, Known] = {}
        for _, x, y, (a, b, c), lies in sorted(found, key=lambda one: int(one[0])):
            cells.append((int(x), int(y)))
            if not lies:
                free[cells[-1]] = a, b, c
            elif self.find_tile(f"{a}{b}{c}"):
                tiles[cells[-1]] = a, b, c
            else:
                raise RecordError(f"There is no such tile as that on {cells[-1]}.")
        numbers = {p: n for at, lying in tiles.items() for p, n in zip(get_cell_corners(at), lying, strict=True)}
        return TridomBoard(tuple(cells), {cell: n for n, cell in enumerate(cells, start=1)}, tiles, numbers, free)

    def _read_board(self, values: Diagram) -> tuple[TridomBoard, int | None]:
        """Return the board of a diagram, and the place of the tile laid last."""
        if isinstance(given := values.get("board"), dict):
            try:
                return parse_tridom_board(given, self.mirrored), None
            except RecordError as error:
                values.wrong(("board",), str(error))
                return TridomBoard(), None
        board, last = TridomBoard(), None
        entries = values.lines("board")
        if not entries:
            values.wrong(("board",), "at least one tile lies.")
        for n, entry in enumerate(entries):
            digits, _, place = entry.replace(" ", "").partition("@")
            tile, number = self.find_tile(digits), int(place) if board.cells and place.isdecimal() else 1
            if tile is None:
                fault = f"{entry!r} is no tile; expected for example 225@8."
            elif tile in list_lying_tiles(board):
                fault = f"{tile} lies already."
            elif (found := _find_fit(board, tile, number, digits)) is None:
                fault = f"{entry!r} does not fit there: its numbers differ, or the place is not free."
            else:
                board, last = board.with_tile(*found), number
                continue
            values.wrong(("board", n), fault)
            break
        return board, last


def list_lying_tiles(board: TridomBoard) -> list[str]:
    """Return the tiles on the board by name, in the order in which they were laid."""
    return [min(list_tile_rotations("".join(map(str, corners)))) for corners in board.tiles.values()]


def _find_fit(board: TridomBoard, tile: str, place: int, digits: str) -> tuple[Cell, Corners] | None:
    """Return the cell of a place and how the tile lies there; None if it does not fit. The first one lies as ``digits``
    say, its tip up."""
    if not board.cells:
        a, b, c = map(int, digits)
        return (START, (a, b, c)) if min(list_tile_rotations(digits)) == tile else None
    cell = board.find_cell(place)
    if cell is None or cell not in board.free:
        return None
    lying = get_fit_table().get(board.free[cell], {}).get(tile)
    return None if lying is None else (cell, lying)
