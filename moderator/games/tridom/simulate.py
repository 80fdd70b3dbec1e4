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
    get_cell_corners,
    get_cell_neighbours,
    get_cells_around,
    get_fit_table,
    get_tile_value,
    list_tridom_tiles,
    sum_tile_values,
)
from moderator.games.tridom.state import DRAW_COST, DRAWS, NOTHING_LAID, OUT, TridomPlacement, TridomPublic
from moderator.rules.game import State

TILES = ("", *sorted(list_tridom_tiles(mirrored=True), key=lambda tile: (get_tile_value(tile), tile)))
"""By the length of the number whose highest bit is the tile's."""
VALUES = tuple(get_tile_value(tile) if tile else 0 for tile in TILES)
BITS = {tile: 1 << place for place, tile in enumerate(TILES[1:])}


class TridomSimulation:
    """A table as it is being played on."""

    def __init__(self, state: State[TridomPublic]) -> None:
        board = state.public.board
        self.options = state.public.options
        self.hands = [to_tile_bits(hand) for hand in state.hands]
        self.stock = [BITS[tile] for tile in reversed(state.stock)]
        self.scores = list(state.scores)
        self.tiles, self.numbers = set(board.tiles), dict(board.numbers)
        self.known = dict(board.free)
        self.free = {
            cell: (get_fitting_bits(known), self.compute_bonus(cell, known)) for cell, known in board.free.items()
        }
        """Free cells by place number: what fits there, and the bonus for closing a form."""

    def compute_bonus(self, cell: Cell, known: Known) -> int:
        """Return the points of a tile in a free cell beside its numbers."""
        if None in known:
            return 0
        count = sum(map(self.tiles.issuperset, list_corner_companions(cell)))
        extra = self.options.score_hexagons(count)
        return extra if count and self.options.bonus == "highest" else extra + BRIDGE

    def lay_tile(self, seat: int, tile: int, cell: Cell) -> None:
        """Move a tile off the hand, onto the table, and its points on the account."""
        _, bonus = self.free.pop(cell)
        self.hands[seat] ^= tile
        place = tile.bit_length()
        self.scores[seat] += VALUES[place] + bonus
        self.tiles.add(cell)
        numbers, free, tiles = self.numbers, self.free, self.tiles
        numbers.update(zip(get_cell_corners(cell), get_fit_table()[self.known[cell]][TILES[place]], strict=True))
        for near in get_cell_neighbours(cell):
            if near not in tiles:
                free.setdefault(near, (0, 0))
        for near, a, b, c in list_touching_cells(cell):
            if near in free:
                known = self.known[near] = numbers.get(a), numbers.get(b), numbers.get(c)
                free[near] = get_fitting_bits(known), self.compute_bonus(near, known)

    def find_best(self, hand: int) -> tuple[int, Cell] | None:
        """Return the placement with the most points, of equal ones the first by place; None where nothing fits."""
        most, found = -1, None
        for cell, (fits, bonus) in self.free.items():
            here = fits & hand
            if here and VALUES[here.bit_length()] + bonus > most:
                most = VALUES[here.bit_length()] + bonus
                found = 1 << here.bit_length() - 1, cell
        return found

    def draw_and_choose(self, seat: int) -> tuple[int, Cell] | None:
        """Return the placement after drawing, of which the points are taken off; None if nothing could be laid."""
        for _ in range(min(DRAWS, len(self.stock))):
            tile = self.stock.pop()
            self.hands[seat] |= tile
            self.scores[seat] -= DRAW_COST
            if found := self.find_best(tile):
                return found
        self.scores[seat] -= NOTHING_LAID
        return None

    def play_to_end(self, seat: int) -> None:
        """Play to the end, after ``seat`` has laid."""
        seats, passes = len(self.hands), 0
        while self.hands[seat] and passes < seats:
            seat = (seat + 1) % seats
            found = self.find_best(self.hands[seat]) or self.draw_and_choose(seat)
            if found:
                self.lay_tile(seat, *found)
            passes = 0 if found or self.stock else passes + 1
        self.score_round_end(seat)

    def score_round_end(self, last: int) -> None:
        """Give the winner 25 and the numbers that the others hold; without one each loses its own."""
        rests = [sum_tile_values(tuple(tile for tile, bit in BITS.items() if bit & hand)) for hand in self.hands]
        if not self.hands[last]:
            self.scores[last] += OUT + sum(rests)
        else:
            self.scores = [score - rest for score, rest in zip(self.scores, rests, strict=True)]


def to_tile_bits(tiles: Iterable[str]) -> int:
    """Return a set of different tiles as a number."""
    return sum(BITS[tile] for tile in tiles)


@cache
def get_fitting_bits(known: Known) -> int:
    """Return the tiles that fit a cell of which this is known."""
    return to_tile_bits(get_fit_table().get(known, ()))


@cache
def list_corner_companions(cell: Cell) -> tuple[frozenset[Cell], ...]:
    """Return for each corner of a cell the other five cells that meet there."""
    return tuple(frozenset(get_cells_around(point)) - {cell} for point in get_cell_corners(cell))


@cache
def list_touching_cells(cell: Cell) -> tuple[tuple[Cell, Point, Point, Point], ...]:
    """Return the cells that share a corner with a cell, each with its own corners."""
    return tuple(
        (near, *get_cell_corners(near))
        for near in sorted({near for one in list_corner_companions(cell) for near in one})
    )


def simulate_tridom_round(state: State[TridomPublic], move: TridomPlacement) -> tuple[int, ...]:
    """Return the scores at the end of the round after a move of the seat to move, which must be legal; no tile may be
    there twice."""
    seat = state.to_move[0]
    table = TridomSimulation(state)
    table.lay_tile(seat, BITS[move.tile], state.public.board.cells[move.place - 1])
    table.play_to_end(seat)
    return tuple(table.scores)
