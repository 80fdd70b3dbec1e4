"""The board as plain JSON, for programs that show it and compose a move; and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moderator.games.topwords.state import (
    ALPHABET,
    CENTRE,
    SIZE,
    TopwordsOptions,
    TopwordsPublic,
    get_stack_index,
    get_stack_name,
    list_bag_tiles,
    parse_topwords_board,
)
from moderator.rules.game import Context, State
from moderator.rules.position import Diagram, written


def encode_topwords_table(public: TopwordsPublic) -> dict[str, Any]:
    """{"rows": ten lists of ten stacks from bottom to top, "fresh": squares that the last word covered anew}."""
    rows = [list(public.board[y * SIZE : (y + 1) * SIZE]) for y in range(SIZE)]
    return {"rows": rows, "fresh": [get_stack_name(square, public.options) for square in public.fresh]}


def decode_topwords_table(values: Mapping[str, Any], options: TopwordsOptions, round_number: int) -> TopwordsPublic:
    """Return the table of plain values. Raises RecordError, Illegal."""
    fresh = tuple(get_stack_index(square, options) for square in values["fresh"])
    return TopwordsPublic(options, parse_topwords_board(values["rows"], options), round_number, fresh=fresh)


# ---- the whole position, as somebody writes it down ----

EMPTY = "."


def encode_topwords_diagram(state: State[TopwordsPublic]) -> dict[str, Any]:
    """``board``: ten rows of ten stacks, each from bottom to top, ``.`` for none; ``starter``: who began, or is the
    first of this round; ``passes`` in a row; ``exchanges`` so far."""
    public = state.public
    rows = [" ".join(stack or EMPTY for stack in public.board[y * SIZE : (y + 1) * SIZE]) for y in range(SIZE)]
    alone = public.options.pace == "sequential"
    starter = public.starter if public.options.pace != "common" else (public.starter + public.round - 1) % state.seats
    return written(
        state,
        **({"turn": state.to_move[0]} if alone else {}),
        board=rows if any(public.board) else [],
        starter=starter,
        passes=public.passes,
        exchanges=public.exchanges,
    )


def decode_topwords_diagram(diagram: Diagram, options: TopwordsOptions, ctx: Context) -> State[TopwordsPublic]:
    """Return the state of a diagram, as the opposite of ``encode_topwords_diagram``."""
    round, starter = diagram.round(), diagram.who("starter", 0) or 0
    to_move = (diagram.turn(),) if options.pace == "sequential" else tuple(range(diagram.seats))
    board = _decode_rows(diagram, options)
    hands = (diagram.tiles("rack", _find_letter) or (),) if options.pace == "common" else diagram.racks(_find_letter)
    stock = diagram.stock(list_bag_tiles(options.tiles), "".join(board), hands, _find_letter, ctx, round)
    for seat, hand in enumerate(hands):
        if len(hand) > options.full_rack:
            path = ("rack",) if options.pace == "common" else ("player", seat, "rack")
            diagram.wrong(path, f"{len(hand)} tiles are more than a rack holds: {options.full_rack}.")
    if options.pace == "common":
        starter = (starter - round + 1) % diagram.seats
    passes, exchanges = diagram.whole("passes"), diagram.whole("exchanges")
    public = TopwordsPublic(options, board, round, starter, passes, exchanges)
    return State(public, hands, stock, diagram.scores(), to_move)


def _find_letter(text: str) -> str | None:
    return text.upper() if len(text) == 1 and text.upper() in ALPHABET else None


def _decode_rows(diagram: Diagram, options: TopwordsOptions) -> tuple[str, ...]:
    rows = diagram.lines("board")
    empty = ("",) * (SIZE * SIZE)
    if not rows:
        return empty
    if len(rows) != SIZE:
        diagram.wrong(("board",), f"{len(rows)} rows; there are {SIZE}.")
        return empty
    board: list[str] = []
    for n, row in enumerate(rows):
        stacks = ["" if stack == EMPTY else stack.upper() for stack in row.split()]
        wrong = [stack for stack in stacks if not ALPHABET.issuperset(stack) or len(stack) > options.max_height]
        if wrong:
            diagram.wrong(("board", n), f"{wrong[0]!r} is no stack of at most {options.max_height} letters.")
        elif len(stacks) != SIZE:
            diagram.wrong(("board", n), f"{len(stacks)} squares; there are {SIZE}, . for an empty one.")
        board += stacks if len(stacks) == SIZE and not wrong else [""] * SIZE
    if not diagram.faults and not _is_connected(board):
        diagram.wrong(("board",), "the words do not hang together, or none lies on the centre.")
    return tuple(board)


def _is_connected(board: list[str]) -> bool:
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
