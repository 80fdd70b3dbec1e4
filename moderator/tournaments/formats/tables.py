"""Rotations for games of three to six seats: everybody meets everybody about equally often.

Where an exact plan is known it is used, else a search with a recorded seed. The
first seats are as even as the tables allow, then the second ones, and so on.

Exact plans are kept as base blocks over the integers modulo m: adding 1 to all of a block's positions, m times, gives m
tables (the position after the last one, written ``END``, stays where it is). Affine planes come from lines over a
field, the plan of 16 at tables of six from the crosses of a square. The tests count all meetings."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moderator.common.enums import GameKind
from moderator.common.errors import OperatorError
from moderator.common.text import count_noun
from moderator.tournaments.field import Draws, Game, TournamentState, draw_lot
from moderator.tournaments.formats.contract import Chosen, Format, declare_option

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


MOST_GAMES = 8
"""A plan in which pairs meet more than once is only taken unasked if nobody has more games than this."""


def compute_table_sizes(players: int, seats: int) -> tuple[int, ...]:
    """Return the table sizes of a round: at most ``seats``, as few tables as that allows, sizes differing by at most
    one.

    So ``seats`` and one less wherever the number of players allows it. Raises OperatorError for fewer than two players
    or a table that would have a single seat."""
    if seats < 2 or players < 2:
        raise OperatorError(
            f"{count_noun(players, 'entrant')} at tables of {seats}: that is no tournament.", "At least two play."
        )
    tables = -(-players // seats)
    small, more = divmod(players, tables)
    if small < 2:
        raise OperatorError(
            f"Tables of {seats} do not come out even with {count_noun(players, 'entrant')}.",
            "Take one more or one less.",
        )
    return (small + 1,) * more + (small,) * (tables - more)


def build_rotation(numbers: Sequence[int], seats: int, rounds: int | None = None, seed: int = 0) -> tuple[Game, ...]:
    """Return a plan for the entrants ``numbers`` (by position) at tables of ``seats``.

    ``rounds``: games of each entrant; None = until everybody has met everybody about once (an exact plan may take more,
    see MOST_GAMES). With an exact plan that does not go in rounds, all games have round 1 and start at once."""
    shape = compute_table_sizes(len(numbers), seats)
    plan = _find_exact_rounds(len(numbers), seats, rounds)
    found = plan or search_rotation(shape, rounds or -(-(len(numbers) - 1) // (max(shape) - 1)), seed)
    flat = [block for blocks in found for block in blocks]
    seated = iter(seat_evenly(flat))
    return tuple(
        Game(number, table, tuple(numbers[position] for position in next(seated)))
        for number, blocks in enumerate(found, start=1)
        for table, _ in enumerate(blocks, start=1)
    )


def _find_exact_rounds(players: int, seats: int, rounds: int | None) -> Sequence[Sequence[Block]] | None:
    design = find_exact_design(players, seats)
    if design is None:
        return None
    if rounds is None:
        return design.rounds if design.meetings == 1 or design.games <= MOST_GAMES else None
    if rounds == design.games:
        return design.rounds
    # Some rounds of a plan in which pairs meet once: nobody meets twice.
    return design.rounds[:rounds] if design.is_resolved and design.meetings == 1 and rounds < design.games else None


def seat_evenly(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks, each in seat order: nobody has more first seats than need be, and of each later seat everybody
    has its share of what is left, rounded up or down."""
    left = [list(block) for block in blocks]
    seated: list[list[int]] = [[] for _ in blocks]
    for seat in range(max(map(len, blocks), default=0)):
        open_ = [place for place, rest in enumerate(left) if rest]
        shares: Counter[int] = Counter()
        if seat:
            for place in open_:
                shares.update({player: _WHOLE // len(left[place]) for player in left[place]})
        for place, chosen in zip(open_, choose_one_of_each([left[place] for place in open_], shares), strict=True):
            left[place].remove(chosen)
            seated[place].append(chosen)
    return [tuple(block) for block in seated]


_WHOLE = 60
"""One seat in the unit of shares, so that halves to sixths are whole."""


def choose_one_of_each(blocks: Sequence[Sequence[int]], shares: Mapping[int, int]) -> list[int]:
    """Choose one member of each block, such that the squared distances of everybody's number of blocks from its share
    (in sixtieths; missing = 0) add up to the least: an optimal semi-matching."""
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
            while path := _find_relief(player, members, chosen, load):
                relieved = True
                for place, taker in path:
                    load[chosen[place]] -= _WHOLE
                    chosen[place] = taker
                    load[taker] += _WHOLE
    return chosen


def _find_relief(
    start: int, members: Sequence[Sequence[int]], chosen: Sequence[int], load: Mapping[int, int]
) -> list[tuple[int, int]]:
    """Return blocks and who takes them over, from ``start`` on, so that someone more than one block short gets one."""
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


# ---- rotation search ----
# The search for a rotation where no exact plan is known: swaps between two tables of a round, whole numbers only.
#
# Swaps for the worse are taken ever more rarely (simulated annealing). Chances and costs are whole numbers drawn from
# the recorded seed, so that every machine finds the same plan.


STEPS = 60_000
"""Of one attempt."""
ATTEMPTS = 4
COOLINGS = 40
_ONE = 1 << 16


def search_rotation(sizes: Sequence[int], rounds: int, seed: int) -> list[list[Block]]:
    """Search for ``rounds`` rounds of tables of ``compute_table_sizes``, positions from 0, in which pairs meet as
    evenly as was found."""
    best: _Plan | None = None
    for attempt in range(ATTEMPTS):
        draws = Draws(seed, f"rotation {attempt}")
        plan = _Plan(sizes, rounds, draws)
        plan.optimize_by_swaps(draws)
        if best is None or plan.least < best.least:
            best = plan
        if best.least == best.bound:
            break
    assert best is not None
    return [[tuple(table) for table in tables] for tables in best.kept]


def _compute_least_squares(total: int, count: int) -> int:
    """Return the least sum of squares of ``count`` whole numbers that add up to ``total``."""
    low, more = divmod(total, count)
    return (count - more) * low**2 + more * (low + 1) ** 2


class _Plan:
    """A rotation under way. Cost: squared meetings of all pairs, and twice the squared visits to smaller tables."""

    def __init__(self, sizes: Sequence[int], rounds: int, draws: Draws) -> None:
        players = sum(sizes)
        self.rounds: list[list[list[int]]] = []
        self.met = [[0] * players for _ in range(players)]
        self.small = [0] * players
        for _ in range(rounds):
            order = draws.shuffle_items(range(players))
            tables = [[order.pop() for _ in range(size)] for size in sizes]
            self.rounds.append(tables)
            for table in tables:
                for player in table:
                    self.small[player] += len(table) < sizes[0]
                    for other in table:
                        self.met[player][other] += other != player
        pairs = rounds * sum(size * (size - 1) for size in sizes) // 2
        visits = rounds * sum(size for size in sizes if size < sizes[0])
        self.bound = _compute_least_squares(pairs, players * (players - 1) // 2) + 2 * _compute_least_squares(
            visits, players
        )
        self.cost = sum(n * n for row in self.met for n in row) // 2 + 2 * sum(n * n for n in self.small)
        self.least = self.cost
        self._store_best()

    def _store_best(self) -> None:
        self.least = self.cost
        self.kept = [[list(table) for table in tables] for tables in self.rounds]

    def optimize_by_swaps(self, draws: Draws) -> None:
        """Swap until the bound is reached or the steps are used up; the best plan met on the way is kept."""
        tables = len(self.rounds[0])
        if tables < 2:
            return
        chance = _ONE * 9 // 10
        for step in range(STEPS):
            if step % (STEPS // COOLINGS) == 0:
                chance = chance * 85 // 100
            round_ = self.rounds[draws.draw_below(len(self.rounds))]
            one = draws.draw_below(tables)
            other = (one + 1 + draws.draw_below(tables - 1)) % tables
            self._try_swap(round_[one], round_[other], draws, chance)
            if self.cost < self.least:
                self._store_best()
                if self.least == self.bound:
                    return

    def _try_swap(self, table: list[int], other: list[int], draws: Draws, chance: int) -> None:
        i, j = draws.draw_below(len(table)), draws.draw_below(len(other))
        a, b = table[i], other[j]
        worse = self._compute_change(a, b, table, other)
        if worse > 0:
            likely = _ONE
            for _ in range((worse + 1) // 2):
                likely = likely * chance // _ONE
            if draws.draw_below(_ONE) >= likely:
                return
        self._swap_players(a, b, table, other)
        table[i], other[j] = b, a
        self.cost += worse

    def _compute_change(self, a: int, b: int, table: list[int], other: list[int]) -> int:
        met_a, met_b = self.met[a], self.met[b]
        change = 0
        for x in table:
            if x != a:
                change += met_b[x] - met_a[x] + 1
        for x in other:
            if x != b:
                change += met_a[x] - met_b[x] + 1
        change *= 2
        if len(table) != len(other):
            to_small, to_big = (a, b) if len(table) > len(other) else (b, a)
            change += 4 * (self.small[to_small] - self.small[to_big] + 1)
        return change

    def _swap_players(self, a: int, b: int, table: list[int], other: list[int]) -> None:
        met = self.met
        for mine, loses, gains in ((table, a, b), (other, b, a)):
            for x in mine:
                if x not in (a, b):
                    met[loses][x] -= 1
                    met[x][loses] -= 1
                    met[gains][x] += 1
                    met[x][gains] += 1
        if len(table) != len(other):
            to_small, to_big = (a, b) if len(table) > len(other) else (b, a)
            self.small[to_small] += 1
            self.small[to_big] -= 1


@dataclass(frozen=True)
class TablesOptions:
    rounds: int = declare_option(0, least=0, most=100)
    seats: int = declare_option(4, least=2, most=6)
    at_once: bool = declare_option(True)


class Tables(Format):
    key = "tables"
    options = TablesOptions
    days = 90
    several_seats = True
    laid_out = True

    def is_at_once(self, settings: Chosen) -> bool:
        return bool(settings.own.at_once)

    def get_most_seats(self, settings: Chosen) -> int:
        return int(settings.own.seats)

    def infer_settings(self, found: Sequence[TournamentState]) -> dict[str, Any]:
        return {"seats": max((len(game.seats) for t in found for game in t.games), default=2)}

    def pair(
        self,
        t: TournamentState,
        number: int,
        settings: Chosen,
        *,
        division: int = 1,
        rematches: bool = False,
        byes: Collection[int] = (),
    ) -> Sequence[Game]:
        numbers = [one.number for one in t.entrants if one.is_active(number)]
        seed = draw_lot(t.seed, "rotation", division)
        return build_rotation(numbers, settings.own.seats, settings.own.rounds or None, seed)


TABLES = Tables()
