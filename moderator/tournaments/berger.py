"""Round robins of two-seat games by the Berger tables. All games start at once: a round number is only information."""

from __future__ import annotations

from collections.abc import Sequence

from moderator.states import GameKind
from moderator.tournaments.field import Game


def rounds(count: int) -> list[list[tuple[int, int]]]:
    """The Berger table for ``count`` players: rounds of pairs of positions from 1, the starter first.

    With an odd count the pair with the missing last position is left out: that player is free in this round.
    """
    even = count + count % 2
    circle = even - 1
    table: list[list[tuple[int, int]]] = []
    for number in range(circle):
        still = number * (even // 2) % circle
        pairs = [(still + 1, even) if number % 2 == 0 else (even, still + 1)]
        pairs += [((still + b) % circle + 1, (still - b) % circle + 1) for b in range(1, even // 2)]
        table.append([pair for pair in pairs if max(pair) <= count])
    return table if count > 1 else []


def schedule(numbers: Sequence[int], double: bool = False) -> tuple[Game, ...]:
    """All games of a round robin; ``numbers`` are entrants by position in the table (seed or lot).

    Starts of each entrant differ by at most one. Double: a second cycle with the starts reversed, so that they are
    equal in the end.
    """
    cycle = rounds(len(numbers))
    cycles = [cycle, [[(second, first) for first, second in pairs] for pairs in cycle]] if double else [cycle]
    every = [pairs for one in cycles for pairs in one]
    return tuple(
        Game(number, table, (numbers[first - 1], numbers[second - 1]))
        for number, pairs in enumerate(every, start=1)
        for table, (first, second) in enumerate(pairs, start=1)
    )


def late(games: Sequence[Game], newcomer: int, double: bool = False) -> tuple[Game, ...]:
    """The games of a ``newcomer`` against everybody in ``games``, as one more round (double: two).

    It starts against those who started more often than not, so that everybody's starts differ by at most one again.
    """
    surplus = {number: 0 for game in games for number in game.seats}
    for game in games:
        if game.kind != GameKind.BYE:
            surplus[game.seats[0]] += 1
            surplus[game.seats[1]] -= 1
    last = max((game.round for game in games), default=0)
    order = sorted(surplus, key=lambda number: (-surplus[number], number))
    half = (len(order) + 1) // 2
    pairs = [(newcomer, other) if place < half else (other, newcomer) for place, other in enumerate(order)]
    more = [Game(last + 1, table, pair) for table, pair in enumerate(pairs, start=1)]
    if double:
        more += [Game(last + 2, game.table, game.seats[::-1]) for game in more]
    return tuple(more)
