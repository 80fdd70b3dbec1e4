"""Rotations for games of three to six seats: everybody meets everybody about equally often.

Where an exact plan is known it is used, else a search with a recorded seed; ``Rotation`` says what was reached. The
first seats are as even as the tables allow, then the second ones, and so on.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from moderator.errors import OperatorError
from moderator.tournament.designs import Block, exact
from moderator.tournament.field import Game
from moderator.tournament.rotation_search import search

MOST_GAMES = 8
"""A plan in which pairs meet more than once is only taken unasked if nobody has more games than this."""


@dataclass(frozen=True)
class Rotation:
    """A plan of all games."""

    games: tuple[Game, ...]
    exact: bool
    """From a plan in which all pairs meet equally often."""
    meetings: tuple[int, int]
    """Of the pair that meets least and of the one that meets most."""
    starts: tuple[int, int]
    """Fewest and most games that someone starts."""

    @property
    def even(self) -> bool:
        """Meetings of any two pairs differ by at most one: no plan of these games does better."""
        return self.meetings[1] - self.meetings[0] <= 1


def sizes(players: int, seats: int) -> tuple[int, ...]:
    """Table sizes of a round: at most ``seats``, as few tables as that allows, sizes differing by at most one.

    So ``seats`` and one less wherever the number of players allows it. Raises OperatorError for fewer than two
    players or a table that would have a single seat.
    """
    if seats < 2 or players < 2:
        raise OperatorError(f"{players} entrants at tables of {seats}: that is no tournament.", "At least two play.")
    tables = -(-players // seats)
    small, more = divmod(players, tables)
    if small < 2:
        raise OperatorError(f"{players} entrants do not fit tables of {seats}.", "Take one more or one less.")
    return (small + 1,) * more + (small,) * (tables - more)


def rotation(numbers: Sequence[int], seats: int, rounds: int | None = None, seed: int = 0) -> Rotation:
    """A plan for the entrants ``numbers`` (by position) at tables of ``seats``.

    ``rounds``: games of each entrant; None = until everybody has met everybody about once (an exact plan may take
    more, see MOST_GAMES). With an exact plan that does not go in rounds, all games have round 1 and start at once.
    """
    shape = sizes(len(numbers), seats)
    plan = _exact(len(numbers), seats, rounds)
    found = plan or search(shape, rounds or -(-(len(numbers) - 1) // (max(shape) - 1)), seed)
    flat = [block for blocks in found for block in blocks]
    seated = iter(seat_evenly(flat))
    games = tuple(
        Game(number, table, tuple(numbers[position] for position in next(seated)))
        for number, blocks in enumerate(found, start=1)
        for table, _ in enumerate(blocks, start=1)
    )
    met = Counter(frozenset(pair) for block in flat for pair in combinations(block, 2))
    times = [met[frozenset(pair)] for pair in combinations(range(len(numbers)), 2)]
    first = Counter(game.seats[0] for game in games)
    starts = [first[number] for number in numbers]
    return Rotation(games, min(times) == max(times), (min(times), max(times)), (min(starts), max(starts)))


def _exact(players: int, seats: int, rounds: int | None) -> Sequence[Sequence[Block]] | None:
    design = exact(players, seats)
    if design is None:
        return None
    if rounds is None:
        return design.rounds if design.meetings == 1 or design.games <= MOST_GAMES else None
    if rounds == design.games:
        return design.rounds
    # Some rounds of a plan in which pairs meet once: nobody meets twice.
    return design.rounds[:rounds] if design.resolved and design.meetings == 1 and rounds < design.games else None


def seat_evenly(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, each in seat order: nobody has more first seats than need be, and of each later seat everybody has
    its share of what is left, rounded up or down."""
    left = [list(block) for block in blocks]
    seated: list[list[int]] = [[] for _ in blocks]
    for seat in range(max(map(len, blocks), default=0)):
        open_ = [place for place, rest in enumerate(left) if rest]
        shares: Counter[int] = Counter()
        if seat:
            for place in open_:
                shares.update({player: _WHOLE // len(left[place]) for player in left[place]})
        for place, chosen in zip(open_, one_of_each([left[place] for place in open_], shares), strict=True):
            left[place].remove(chosen)
            seated[place].append(chosen)
    return [tuple(block) for block in seated]


_WHOLE = 60
"""One seat in the unit of shares, so that halves to sixths are whole."""


def one_of_each(blocks: Sequence[Sequence[int]], shares: Mapping[int, int]) -> list[int]:
    """One member of each block, such that the squared distances of everybody's number of blocks from its share (in
    sixtieths; missing = 0) add up to the least: an optimal semi-matching."""
    members = [sorted(block) for block in blocks]
    load = {player: -shares.get(player, 0) for block in members for player in block}
    chosen = []
    for block in members:
        pick = min(block, key=lambda player: (load[player], player))
        chosen.append(pick)
        load[pick] += _WHOLE
    relieved = True
    while relieved:
        relieved = False
        for player in sorted(load):
            while path := _relief(player, members, chosen, load):
                relieved = True
                for place, taker in path:
                    load[chosen[place]] -= _WHOLE
                    chosen[place] = taker
                    load[taker] += _WHOLE
    return chosen


def _relief(
    start: int, members: Sequence[Sequence[int]], chosen: Sequence[int], load: Mapping[int, int]
) -> list[tuple[int, int]]:
    """Blocks and who takes them over, from ``start`` on, so that someone more than one block short gets one."""
    came: dict[int, tuple[int, int]] = {start: (-1, start)}
    queue = deque([start])
    while queue:
        player = queue.popleft()
        if load[player] < load[start] - _WHOLE:
            path = []
            while player != start:
                place, giver = came[player]
                path.append((place, player))
                player = giver
            return path[::-1]
        for place, holder in enumerate(chosen):
            if holder == player:
                for other in members[place]:
                    if other not in came:
                        came[other] = (place, player)
                        queue.append(other)
    return []
