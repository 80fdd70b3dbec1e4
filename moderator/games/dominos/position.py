"""Positions of Dominos as plain values, for each who reads them, and back."""

from __future__ import annotations

from typing import Any

from moderator.common.errors import Illegal
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
from moderator.rules.game import State
from moderator.rules.position import Audience, Diagram, PositionCodec
from moderator.rules.state import Context


class DominosCodec(PositionCodec[DominosPublic]):
    """``laid``, in a diagram ``board``: the tiles as they were laid; ``gains``: points won by laying in this round;
    ``leader``, who opened it; ``last``, who laid last; ``drew``, who had to draw in this turn. What follows from
    ``laid`` saves working it out: ``line``, ``north`` and ``south``, tiles as they lie, ``spinner``, ``ends``,
    ``sum``."""

    def write(self, state: State[DominosPublic], audience: Audience) -> dict[str, Any]:
        public, board = state.public, state.public.board
        laid = [f"{tile}@{place}" if place else tile for tile, place in board.laid]
        facts = {"gains": public.gains, "leader": public.leader, "last": public.last}
        if audience is Audience.DIAGRAM:
            return {"turn": state.to_move[0], "board": laid, **facts, "drew": public.drew is not None}
        ends = {place: {"value": end.value, "counts": end.counts} for place, end in get_open_ends(board).items()}
        line, north, south = map(list, (board.line, board.north, board.south))
        spinner, total = board.spinner, sum_open_ends(board)
        if audience is Audience.SEAT:
            lying = {"laid": laid, "line": line, "north": north, "south": south, "spinner": spinner}
            return lying | {"ends": ends, "sum": total, "drew": public.drew}
        return {
            "round": public.round,
            "leader": public.leader,
            "ends": ends,
            "sum": total,
            "line": line,
            "arms": {"N": north, "S": south},
            "spinner": None if spinner is None else line[spinner],
            "laid": laid,
            "gains": [list(row) for row in public.gains],
        }

    def read(
        self, values: Diagram, options: DominosOptions, audience: Audience, ctx: Context | None
    ) -> State[DominosPublic]:
        is_diagram = audience is Audience.DIAGRAM
        seat = values.turn() if is_diagram else 0
        board = read_laid_dominoes(values, "board" if is_diagram else "laid", options)
        drew = values.who("drew") if not is_diagram else seat if values.flag("drew") else None
        leader, last = values.seat("leader"), values.seat("last", 1 - seat if is_diagram else 0)
        public = DominosPublic(options, board, values.gains(), values.round(), leader, last, drew)
        return State(public, (), (), (), (seat,))

    def find_tile(self, text: str) -> str | None:
        return find_domino(text)

    def list_box(self, state: State[DominosPublic]) -> tuple[str, ...]:
        return SET

    def list_lying(self, state: State[DominosPublic]) -> tuple[str, ...]:
        return list_laid_dominoes(state.public.board)


def find_domino(text: str) -> str | None:
    """Return the tile of a text, None for none. ``46`` and ``4-6`` are the tile 64, too."""
    halves = text.replace("-", "")
    name = build_domino_name(int(halves[0]), int(halves[1])) if len(halves) == 2 and halves.isdecimal() else ""
    return name if name in SET else None


def read_laid_dominoes(values: Diagram, key: str, options: DominosOptions) -> DominosBoard:
    """Return the board of ``["66", "62@L", "61@R"]``, tiles in the order in which they were laid."""
    board = DominosBoard(any_time=options.spinner_any_time)
    for n, entry in enumerate(values.lines(key)):
        text, _, place = entry.replace(" ", "").upper().partition("@")
        tile = find_domino(text)
        if tile is None:
            values.wrong((key, n), f"{entry!r} is no domino; expected for example 64 or 62@L.")
            break
        if tile in list_laid_dominoes(board):
            values.wrong((key, n), f"{tile} lies already.")
            break
        try:
            board = lay_domino(board, tile, place if board.line else "")
        except Illegal as error:
            values.wrong((key, n), f"{entry!r} cannot be laid there ({error.code}).")
            break
    return board
