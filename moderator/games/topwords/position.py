"""Positions of Topwords as plain values, for each who reads them, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from moderator.games.topwords.state import (
    CENTRE,
    EMPTY,
    SIZE,
    TopwordsOptions,
    TopwordsPublic,
    find_letter,
    get_stack_index,
    get_stack_name,
    list_bag_tiles,
    read_topwords_rows,
)
from moderator.rules.game import State
from moderator.rules.position import PLAYERS, Audience, Diagram, PositionCodec
from moderator.rules.state import Context


class TopwordsCodec(PositionCodec[TopwordsPublic]):
    """``rows``: ten of ten stacks, each from bottom to top; in a diagram ``board``, each row a text, ``.`` for no
    stack. ``fresh``: squares that the last word covered anew; ``starter``: who began, or is the first of this round;
    ``passes`` in a row; ``exchanges`` so far."""

    def write(self, state: State[TopwordsPublic], audience: Audience) -> dict[str, Any]:
        public, options = state.public, state.public.options
        rows = [list(public.board[y * SIZE : (y + 1) * SIZE]) for y in range(SIZE)]
        if audience is Audience.SEAT:
            return {"rows": rows, "fresh": [get_stack_name(square, options) for square in public.fresh]}
        if audience is Audience.RECORD:
            return {"rows": rows, "round": public.round, "starter": public.starter}
        return {
            **({"turn": state.to_move[0]} if options.pace == "sequential" else {}),
            "board": [" ".join(stack or EMPTY for stack in row) for row in rows] if any(public.board) else [],
            "starter": (public.starter + _count_turned_seats(public)) % state.seats,
            "passes": public.passes,
            "exchanges": public.exchanges,
        }

    def read(
        self, values: Diagram, options: TopwordsOptions, audience: Audience, ctx: Context | None
    ) -> State[TopwordsPublic]:
        is_diagram, round, starter = audience is Audience.DIAGRAM, values.round(), values.seat("starter")
        to_move = (values.turn(),) if is_diagram and options.pace == "sequential" else tuple(range(values.seats))
        board = read_topwords_rows(values, "board" if is_diagram else "rows", options)
        if is_diagram and not values.faults and any(board) and not _is_connected(board):
            values.wrong(("board",), "the words do not hang together, or none lies on the centre.")
        passes, exchanges = values.whole("passes"), values.whole("exchanges")
        fresh = () if is_diagram else tuple(get_stack_index(one, options) for one in values.get("fresh") or ())
        public = TopwordsPublic(options, board, round, starter, passes, exchanges, fresh)
        if is_diagram:
            public = replace(public, starter=(starter - _count_turned_seats(public)) % values.seats)
        return State(public, (), (), (), to_move)

    def find_tile(self, text: str) -> str | None:
        return find_letter(text)

    def list_box(self, state: State[TopwordsPublic]) -> tuple[str, ...]:
        return list_bag_tiles(state.public.options.tiles)

    def list_lying(self, state: State[TopwordsPublic]) -> str:
        return "".join(state.public.board)

    def read_hands(self, values: Diagram, state: State[TopwordsPublic]) -> tuple[tuple[str, ...], ...]:
        common = state.public.options.pace == "common"
        return (values.tiles("rack", self.find_tile) or (),) if common else values.racks(self.find_tile)

    def complete(self, state: State[TopwordsPublic], values: Diagram) -> State[TopwordsPublic]:
        most = state.public.options.full_rack
        for seat, hand in enumerate(state.hands):
            if len(hand) > most:
                path = ("rack",) if len(state.hands) == 1 else (PLAYERS, seat, "rack")
                values.wrong(path, f"{len(hand)} tiles are more than a rack holds: {most}.")
        return state


def _count_turned_seats(public: TopwordsPublic) -> int:
    """Return how many seats after ``starter`` the first of this round sits."""
    return public.round - 1 if public.options.pace == "common" else 0


def _is_connected(board: tuple[str, ...]) -> bool:
    """Return whether the centre is covered and every stack hangs together with it."""
    waiting = [square for square in CENTRE if board[square]]
    reached = set(waiting)
    while waiting:
        square = waiting.pop()
        y, x = divmod(square, SIZE)
        near = [(y, x - 1), (y, x + 1), (y - 1, x), (y + 1, x)]
        found = {b * SIZE + a for b, a in near if 0 <= a < SIZE and 0 <= b < SIZE and board[b * SIZE + a]} - reached
        reached |= found
        waiting += found
    return len(reached) == sum(map(bool, board))
