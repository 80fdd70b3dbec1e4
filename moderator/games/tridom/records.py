"""The fixed deals of records: racks, stock, a starting board."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from moderator.errors import RecordError
from moderator.games.tridom.board import Board, from_tiles
from moderator.games.tridom.geometry import Cell
from moderator.games.tridom.tiles import Corners, Hands, cut, named, rotations

_CELL = re.compile(r"\(?\s*(-?\d{1,3})\s*,\s*(-?\d{1,3})\s*\)?")


def read_deal(fixed: Mapping[str, Any], seats: int, mirrored: bool) -> tuple[Hands, tuple[str, ...]]:
    """Racks and stock. Without racks they are cut from the stock. Raises RecordError."""
    stock = read_tiles(fixed.get("stock", ()), "stock", mirrored)
    if "racks" not in fixed:
        return cut(stock, seats, mirrored)
    racks = fixed["racks"]
    if not isinstance(racks, list | tuple) or len(racks) != seats:
        raise RecordError(f"racks needs {seats} lists of tiles.", 'Like [["225", "345"], ["001"]].')
    return tuple(read_tiles(rack, "racks", mirrored) for rack in racks), stock


def read_starter(fixed: Mapping[str, Any], seats: int) -> int | None:
    """The seat that begins, if it is fixed. Raises RecordError."""
    starter = fixed.get("starter")
    if starter is not None and (isinstance(starter, bool) or starter not in range(seats)):
        raise RecordError(f"starter = {starter!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    return starter


def read_tiles(values: Any, where: str, mirrored: bool) -> tuple[str, ...]:
    """Tiles of a record by name, in any rotation. Raises RecordError."""
    if not isinstance(values, list | tuple):
        raise RecordError(f"{where} = {values!r} is wrong.", 'Expected: a list of tiles such as "225".')
    found = [named(tile, mirrored) if isinstance(tile, str) else None for tile in values]
    for tile, name in zip(values, found, strict=True):
        if name is None:
            raise RecordError(f"{where}: there is no tile {tile!r}.", "A tile is three digits from 0 to 5.")
    return tuple(name for name in found if name is not None)


def read_board(values: Any, mirrored: bool) -> Board:
    """``{"(0,0)": "211", …}``: cell -> digits clockwise from its tip. Raises RecordError."""
    hint = 'Expected: {"(0,0)": "211", …}, cells and the numbers clockwise from the tip.'
    if not isinstance(values, Mapping) or not values:
        raise RecordError("board is no table of cells.", hint)
    tiles: dict[Cell, Corners] = {}
    for where, digits in values.items():
        found = _CELL.fullmatch(str(where))
        name = named(digits, mirrored) if isinstance(digits, str) else None
        if found is None or name is None:
            raise RecordError(f"board: {where!r}: {digits!r} is no tile on a cell.", hint)
        if min(rotations(digits)) != name:
            raise RecordError(f"board: {digits!r} is a mirror image.", "It exists in SuperTridom only.")
        tiles[int(found[1]), int(found[2])] = (int(digits[0]), int(digits[1]), int(digits[2]))
    try:
        return from_tiles(tiles)
    except ValueError as error:
        raise RecordError(f"board: the numbers at corner {error.args[0]} differ.", hint) from error
