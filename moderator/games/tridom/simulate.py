"""A round of Tridom played to its end by seats that take the most points, in plain numbers: what the search asks some
thousand times for a move. ``tests/games/test_simulate.py`` plays the same by the rules.

A set of tiles is an integer with a bit for each of them, the higher the more a tile counts: of what fits a cell and
lies in a hand, the highest bit is the best tile, for no two tiles that fit the same cell count the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from moderator.games.tridom.board import (
    BRIDGE,
    Cell,
    Known,
    Point,
    all_tiles,
    around,
    corners,
    neighbours,
    value,
    ways,
    worth,
)
from moderator.games.tridom.state import DRAW_COST, DRAWS, NOTHING_LAID, OUT, Lay, Public
from moderator.match.contract import State

TILES = ("", *sorted(all_tiles(mirrored=True), key=lambda tile: (value(tile), tile)))
"""By the length of the number whose highest bit is the tile's."""
VALUES = tuple(value(tile) if tile else 0 for tile in TILES)
BITS = {tile: 1 << place for place, tile in enumerate(TILES[1:])}


class Round:
    """A table as it is being played on."""

    def __init__(self, state: State[Public]) -> None:
        board = state.public.board
        self.options = state.public.options
        self.hands = [bits(hand) for hand in state.hands]
        self.stock = [BITS[tile] for tile in reversed(state.stock)]
        self.scores = list(state.scores)
        self.tiles, self.numbers = set(board.tiles), dict(board.numbers)
        self.known = dict(board.free)
        self.free = {cell: (fitting(known), self.bonus(cell, known)) for cell, known in board.free.items()}
        """Free cells by place number: what fits there, and the bonus for closing a form."""

    def bonus(self, cell: Cell, known: Known) -> int:
        """What a tile in a free cell scores beside its numbers."""
        if None in known:
            return 0
        count = sum(map(self.tiles.issuperset, others(cell)))
        extra = self.options.hexagons(count)
        return extra if count and self.options.bonus == "highest" else extra + BRIDGE

    def lay(self, seat: int, tile: int, cell: Cell) -> None:
        """Off the hand, onto the table, the points on the account."""
        _, bonus = self.free.pop(cell)
        self.hands[seat] ^= tile
        place = tile.bit_length()
        self.scores[seat] += VALUES[place] + bonus
        self.tiles.add(cell)
        numbers, free, tiles = self.numbers, self.free, self.tiles
        numbers.update(zip(corners(cell), ways()[self.known[cell]][TILES[place]], strict=True))
        for near in neighbours(cell):
            if near not in tiles:
                free.setdefault(near, (0, 0))
        for near, a, b, c in touching(cell):
            if near in free:
                known = self.known[near] = numbers.get(a), numbers.get(b), numbers.get(c)
                free[near] = fitting(known), self.bonus(near, known)

    def best(self, hand: int) -> tuple[int, Cell] | None:
        """The placement with the most points, of equal ones the first by place; None where nothing fits."""
        most, found = -1, None
        for cell, (fits, bonus) in self.free.items():
            here = fits & hand
            if here and VALUES[here.bit_length()] + bonus > most:
                most = VALUES[here.bit_length()] + bonus
                found = 1 << here.bit_length() - 1, cell
        return found

    def drawn(self, seat: int) -> tuple[int, Cell] | None:
        """The placement after drawing, of which the points are taken off; None if nothing could be laid."""
        for _ in range(min(DRAWS, len(self.stock))):
            tile = self.stock.pop()
            self.hands[seat] |= tile
            self.scores[seat] -= DRAW_COST
            if found := self.best(tile):
                return found
        self.scores[seat] -= NOTHING_LAID
        return None

    def play(self, seat: int) -> None:
        """To the end, after ``seat`` has laid."""
        seats, passes = len(self.hands), 0
        while self.hands[seat] and passes < seats:
            seat = (seat + 1) % seats
            found = self.best(self.hands[seat]) or self.drawn(seat)
            if found:
                self.lay(seat, *found)
            passes = 0 if found or self.stock else passes + 1
        self.close(seat)

    def close(self, last: int) -> None:
        """The winner gets 25 and the numbers that the others hold; without one each loses its own."""
        rests = [worth(tiles_of(hand)) for hand in self.hands]
        if not self.hands[last]:
            self.scores[last] += OUT + sum(rests)
        else:
            self.scores = [score - rest for score, rest in zip(self.scores, rests, strict=True)]


def bits(tiles: Iterable[str]) -> int:
    """A set of different tiles as a number."""
    return sum(BITS[tile] for tile in tiles)


def tiles_of(hand: int) -> tuple[str, ...]:
    """The tiles of such a number."""
    return tuple(tile for tile, bit in BITS.items() if bit & hand)


@cache
def fitting(known: Known) -> int:
    """The tiles that fit a cell of which this is known."""
    return bits(ways().get(known, ()))


@cache
def others(cell: Cell) -> tuple[frozenset[Cell], ...]:
    """For each corner of a cell the other five that meet there."""
    return tuple(frozenset(around(point)) - {cell} for point in corners(cell))


@cache
def touching(cell: Cell) -> tuple[tuple[Cell, Point, Point, Point], ...]:
    """The cells that share a corner with a cell, each with its own corners."""
    return tuple((near, *corners(near)) for near in sorted({near for one in others(cell) for near in one}))


def scores_after(state: State[Public], move: Lay) -> tuple[int, ...]:
    """The scores at the end of the round after a move of the seat to move, which must be legal; no tile may be there
    twice."""
    seat = state.to_move[0]
    table = Round(state)
    table.lay(seat, BITS[move.tile], state.public.board.cells[move.place - 1])
    table.play(seat)
    return tuple(table.scores)
