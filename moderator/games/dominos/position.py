"""The table as plain JSON, for programs that show it and compose a move; and back. The whole position as a diagram."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moderator.common.errors import Illegal, RecordError
from moderator.games.dominos.state import (
    SET,
    DominosBoard,
    DominosOptions,
    DominosPublic,
    build_domino_name,
    get_open_ends,
    lay_domino,
    list_laid_dominoes,
    sum_open_ends,
)
from moderator.rules.game import Context, State
from moderator.rules.position import Diagram, written


def encode_domino_table(public: DominosPublic) -> dict[str, Any]:
    """Return {"laid": tiles as they were laid, "line", "north", "south": tiles as they lie, "spinner", "ends", "sum",
    "drew": who had to draw in this turn}. ``laid`` says it all; the rest saves working it out."""
    board = public.board
    return {
        "laid": _encode_laid_tiles(board),
        "line": list(board.line),
        "north": list(board.north),
        "south": list(board.south),
        "spinner": board.spinner,
        "ends": {place: {"value": end.value, "counts": end.counts} for place, end in get_open_ends(board).items()},
        "sum": sum_open_ends(board),
        "drew": public.drew,
    }


def decode_domino_table(values: Mapping[str, Any], options: DominosOptions, round_number: int) -> DominosPublic:
    """Return the table of plain values. Raises RecordError, Illegal."""
    board = DominosBoard(any_time=options.spinner_any_time)
    for one in values["laid"]:
        tile, _, place = one.partition("@")
        if tile not in SET:
            raise RecordError(f"There is no domino {tile!r}.")
        board = lay_domino(board, tile, place)
    drew = None if values.get("drew") is None else int(values["drew"])
    return DominosPublic(options, board, round=round_number, drew=drew)


def _encode_laid_tiles(board: DominosBoard) -> list[str]:
    return [f"{tile}@{place}" if place else tile for tile, place in board.laid]


# ---- the whole position, as somebody writes it down ----


def encode_domino_diagram(state: State[DominosPublic]) -> dict[str, Any]:
    """``board``: the tiles in an order in which they can have been laid; per seat ``gains``, the points won by laying
    in this round; ``leader``, who opened it; ``last``, who laid last; ``drew``: the seat to move had to draw."""
    public = state.public
    return written(
        state,
        turn=state.to_move[0],
        board=_encode_laid_tiles(public.board),
        gains=public.gains,
        leader=public.leader,
        last=public.last,
        drew=public.drew is not None,
    )


def decode_domino_diagram(diagram: Diagram, options: DominosOptions, ctx: Context) -> State[DominosPublic]:
    """Return the state of a diagram, as the opposite of ``encode_domino_diagram``; what is forced then has not happened
    yet."""
    round, seat = diagram.round(), diagram.turn()
    board = _decode_board(diagram, options)
    hands = diagram.racks(_find_tile)
    stock = diagram.stock(SET, list_laid_dominoes(board), hands, _find_tile, ctx, round)
    gains = diagram.per_seat(lambda one: diagram.numbers("gains", one))
    drew = seat if diagram.flag("drew") else None
    last = diagram.who("last", 1 - seat)
    leader = diagram.who("leader", 0)
    public = DominosPublic(options, board, gains, round, leader or 0, last or 0, drew)
    return State(public, hands, stock, diagram.scores(), (seat,))


def _find_tile(text: str) -> str | None:
    """Return the tile of a text, None for none. ``46`` and ``4-6`` are the tile 64, too."""
    halves = text.replace("-", "")
    name = build_domino_name(int(halves[0]), int(halves[1])) if len(halves) == 2 and halves.isdecimal() else ""
    return name if name in SET else None


def _decode_board(diagram: Diagram, options: DominosOptions) -> DominosBoard:
    board = DominosBoard(any_time=options.spinner_any_time)
    for n, entry in enumerate(diagram.lines("board")):
        text, _, place = entry.replace(" ", "").upper().partition("@")
        tile = _find_tile(text)
        if tile is None:
            diagram.wrong(("board", n), f"{entry!r} is no domino; expected for example 64 or 62@L.")
            break
        if tile in list_laid_dominoes(board):
            diagram.wrong(("board", n), f"{tile} lies already.")
            break
        try:
            board = lay_domino(board, tile, place if board.line else "")
        except Illegal as error:
            diagram.wrong(("board", n), f"{entry!r} cannot be laid there ({error.code}).")
            break
    return board
