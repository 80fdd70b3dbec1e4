"""Schedules: exact plans for tables of three to six, where everybody meets everybody equally often, and round robins.

Kept as base blocks over the integers modulo m: adding 1 to all of a block's positions, m times, gives m tables (the
position after the last one, written ``END``, stays where it is). Affine planes come from lines over a field, the plan
of 16 at tables of six from the crosses of a square. The tests count all meetings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moderator.common.enums import GameKind
from moderator.tournaments.field import Game

END = -1

Block = tuple[int, ...]


@dataclass(frozen=True)
class Design:
    """Tables of positions from 0."""

    rounds: tuple[tuple[Block, ...], ...]
    """Everybody sits at one table of each round; a single round if all tables start at once and people sit at
    several."""
    meetings: int
    """Of every pair."""
    games: int
    """Of every position."""

    @property
    def is_resolved(self) -> bool:
        """True if it goes in rounds with one table for each position."""
        return len(self.rounds) == self.games


_CYCLIC: dict[tuple[int, int], tuple[Block, ...]] = {
    (4, 3): ((0, 1, 2),),
    (6, 3): ((0, 1, END), (0, 1, 3)),
    (7, 3): ((0, 1, 3),),
    (12, 3): ((0, 1, 3), (2, 5, 7), (4, 8, 9), (6, 10, END)),
    (13, 3): ((0, 1, 4), (0, 2, 7)),
    (19, 3): ((0, 1, 4), (0, 2, 9), (0, 5, 11)),
    (25, 3): ((0, 1, 3), (0, 4, 11), (0, 5, 13), (0, 6, 15)),
    (5, 4): ((0, 1, 2, 3),),
    (7, 4): ((0, 1, 2, 4),),
    (8, 4): ((0, 1, 2, 4), (3, 5, 6, END)),
    (9, 4): ((0, 1, 2, 4), (0, 1, 4, 6)),
    (12, 4): ((0, 1, 2, 5), (3, 6, 7, 9), (4, 8, 10, END)),
    (13, 4): ((0, 1, 3, 9),),
    (37, 4): ((0, 1, 3, 24), (0, 4, 9, 15), (0, 7, 17, 25)),
    (6, 5): ((0, 1, 2, 3, 4),),
    (10, 5): ((0, 1, 2, 4, END), (0, 1, 3, 5, 6)),
    (11, 5): ((0, 1, 2, 4, 7),),
    (21, 5): ((0, 1, 4, 14, 16),),
    (7, 6): ((0, 1, 2, 3, 4, 5),),
    (11, 6): ((0, 1, 2, 4, 5, 7),),
    (12, 6): ((0, 1, 2, 4, 5, 7), (3, 6, 8, 9, 10, END)),
    (31, 6): ((0, 1, 3, 8, 12, 18),),
}
"""(players, seats): base blocks modulo the number of players, one less where ``END`` is among them."""

_FIFTEEN: tuple[Block, ...] = ((0, 7, END), (1, 2, 4), (8, 3, 12), (9, 10, 6), (11, 5, 13))
"""The first round of 15 at tables of three: 0 to 6 and 7 to 13 each turn modulo 7."""


def find_exact_design(players: int, seats: int) -> Design | None:
    """Return the plan for ``players`` at tables of ``seats`` with the fewest games, or None if none is known here."""
    if (players, seats) == (15, 3):
        return _build_design([_turn_blocks(_FIFTEEN, 15, by) for by in range(7)], 3)
    if players == seats**2 and seats in _FIELDS:
        return _build_design(_build_plane(seats), seats)
    if (players, seats) == (16, 6):
        return _build_design([_build_crosses()], seats)
    if (players, seats) in _CYCLIC:
        return _build_design(_expand_blocks(players, _CYCLIC[players, seats]), seats)
    return None


def _build_design(rounds: list[tuple[Block, ...]], seats: int) -> Design:
    blocks = [block for blocks in rounds for block in blocks]
    games = sum(0 in block for block in blocks)
    meetings = sum(0 in block and 1 in block for block in blocks)
    return Design(tuple(rounds), meetings, games)


def _expand_blocks(players: int, bases: tuple[Block, ...]) -> list[tuple[Block, ...]]:
    modulus = players - any(END in base for base in bases)
    rounds = [
        tuple(tuple(modulus if p == END else (p + by) % modulus for p in base) for base in bases)
        for by in range(modulus)
    ]
    # Where the base blocks hold everybody once (12 at tables of four, say), each turn of them is a round.
    if sorted(p for base in bases for p in base) == [END, *range(modulus)]:
        return rounds
    return [tuple(block for blocks in zip(*rounds, strict=True) for block in blocks)]


def _turn_blocks(blocks: tuple[Block, ...], players: int, by: int) -> tuple[Block, ...]:
    half = players // 2
    return tuple(
        tuple(players - 1 if p == END else p // half * half + (p % half + by) % half for p in block) for block in blocks
    )


def _compute_product4(a: int, b: int) -> int:
    # The field of four elements: 0, 1 and the two roots of x*x = x + 1, written 2 and 3; its sum is ``^``.
    return 0 if 0 in (a, b) else (a + b - 2) % 3 + 1


_FIELDS: dict[int, tuple[Callable[[int, int], int], Callable[[int, int], int]]] = {
    3: (lambda a, b: (a + b) % 3, lambda a, b: a * b % 3),
    4: (lambda a, b: a ^ b, _compute_product4),
    5: (lambda a, b: (a + b) % 5, lambda a, b: a * b % 5),
}
"""Order: (sum, product)."""


def _build_plane(order: int) -> list[tuple[Block, ...]]:
    """Return the lines y = slope * x + shift, and those of constant x; parallel lines make a round."""
    add, times = _FIELDS[order]
    axis = range(order)
    lines = [tuple(tuple(x * order + add(times(slope, x), shift) for x in axis) for shift in axis) for slope in axis]
    return [*lines, tuple(tuple(x * order + y for y in axis) for x in axis)]


def _build_crosses() -> tuple[Block, ...]:
    """Return for each cell of a square of 4 x 4 the other cells of its row and its column."""
    cells = [(x, y) for x in range(4) for y in range(4)]
    return tuple(tuple(x * 4 + y for x, y in cells if (x == column) != (y == row)) for column, row in cells)


# ---- round robins ----
#
# Round robins of two-seat games by the Berger tables. All games start at once: a round number is only information.


def build_berger_rounds(count: int) -> list[list[tuple[int, int]]]:
    """Return the Berger table for ``count`` players: rounds of pairs of positions from 1, the starter first.

    With an odd count the pair with the missing last position is left out: that player is free in this round."""
    even = count + count % 2
    circle = even - 1
    table: list[list[tuple[int, int]]] = []
    for number in range(circle):
        still = number * (even // 2) % circle
        pairs = [(still + 1, even) if number % 2 == 0 else (even, still + 1)]
        pairs += [((still + b) % circle + 1, (still - b) % circle + 1) for b in range(1, even // 2)]
        table.append([pair for pair in pairs if max(pair) <= count])
    return table if count > 1 else []


def build_round_robin(numbers: Sequence[int], double: bool = False) -> tuple[Game, ...]:
    """Return all games of a round robin; ``numbers`` are entrants by position in the table (seed or lot).

    Starts of each entrant differ by at most one. Double: a second cycle with the starts reversed, so that they are
    equal in the end."""
    cycle = build_berger_rounds(len(numbers))
    cycles = [cycle, [[(second, first) for first, second in pairs] for pairs in cycle]] if double else [cycle]
    every = [pairs for one in cycles for pairs in one]
    return tuple(
        Game(number, table, (numbers[first - 1], numbers[second - 1]))
        for number, pairs in enumerate(every, start=1)
        for table, (first, second) in enumerate(pairs, start=1)
    )


def build_late_games(games: Sequence[Game], late_entrant: int, double: bool = False) -> tuple[Game, ...]:
    """Return the games of a ``late_entrant`` against everybody in ``games``, as one more round (double: two).

    It starts against those who started more often than not, so that everybody's starts differ by at most one again."""
    surplus = {number: 0 for game in games for number in game.seats}
    for game in games:
        if game.kind != GameKind.BYE:
            surplus[game.seats[0]] += 1
            surplus[game.seats[1]] -= 1
    last = max((game.round for game in games), default=0)
    order = sorted(surplus, key=lambda number: (-surplus[number], number))
    half = (len(order) + 1) // 2
    pairs = [(late_entrant, other) if place < half else (other, late_entrant) for place, other in enumerate(order)]
    more = [Game(last + 1, table, pair) for table, pair in enumerate(pairs, start=1)]
    if double:
        more += [Game(last + 2, game.table, game.seats[::-1]) for game in more]
    return tuple(more)
