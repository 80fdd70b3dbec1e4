"""The deal and the opening of a round."""

from __future__ import annotations

from moderator.engine.contract import Context, Note, State
from moderator.errors import RecordError
from moderator.games.tridom.board import START, Board
from moderator.games.tridom.state import Options, Public
from moderator.games.tridom.steps import lay_down
from moderator.games.tridom.tiles import Hands, all_tiles, cut, is_triple, value

TRIPLE, TRIPLE_ZERO, NO_TRIPLE = 20, 40, 10
"""Points for opening, beside the tile's own."""


def deal(number: int, seats: int, mirrored: bool, ctx: Context) -> tuple[Hands, tuple[str, ...]]:
    """Racks and stock of round ``number``. The tiles are mixed from the
    order of their names, under the label ``round<n>``."""
    return cut(ctx.shuffle(f"round{number}", all_tiles(mirrored)), seats, mirrored)


def rank(tile: str, options: Options) -> tuple[int, ...]:
    """The higher, the rather it opens: triples by value, then the others by sum, highest and second number."""
    if is_triple(tile):
        top = tile == "000" and options.triple_zero == "highest"
        return 1, 99 if top else value(tile)
    return 0, value(tile), *sorted(map(int, tile), reverse=True)


def opener(hands: Hands, options: Options, starter: int | None = None) -> tuple[int, str]:
    """Seat and tile that open: the best of all racks, or of the rack of ``starter``; of equals the first seat's, and
    in a rack the first by name. Raises RecordError if there is no tile."""
    held = [
        (rank(tile, options), -seat, tile)
        for seat, hand in enumerate(hands)
        for tile in sorted(hand, reverse=True)
        if starter in (None, seat)
    ]
    if not held:
        raise RecordError("Nobody holds a tile to open with.", 'Give the opening seat a tile in "racks".')
    best = max(one[:2] for one in held)
    return -best[1], min(tile for *key, tile in held if tuple(key) == best)


def opened(state: State[Public], seat: int, tile: str) -> tuple[State[Public], Note]:
    """The first tile, its tip up, its first number at the tip; the next seat's turn begins."""
    a, b, c = (int(digit) for digit in tile)
    extra = (TRIPLE_ZERO if tile == "000" else TRIPLE) if is_triple(tile) else NO_TRIPLE
    points = value(tile) + extra
    laid = lay_down(state, seat, tile, Board().lay(START, (a, b, c)), 1, points)
    params = {"tile": tile, "value": value(tile), "extra": extra, "points": points}
    return laid, Note("opened", params, seat=seat, points=points)


def new_round(
    number: int, scores: tuple[int, ...], hands: Hands, stock: tuple[str, ...], options: Options, mirrored: bool
) -> State[Public]:
    """A round before its opening."""
    public = Public(options, mirrored, Board(), ((),) * len(scores), number)
    return State(public, hands, stock, scores, (0,))
