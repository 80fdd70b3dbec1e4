"""Values of Domi Jongg: the 144 tiles and which may lie at which, options, a turn, what lies on the table, and where.

Names: suits ``B1``–``B9`` (bamboo), ``K1``–``K9`` (circles), ``T1``–``T9`` (thousands), winds ``E`` ``S`` ``W`` ``N``,
dragons ``DR`` ``DG`` ``DW``, flowers ``F1``–``F4``, seasons ``J1``–``J4``.

Tiles lie on cells of a canvas nine columns wide that grows downwards. Cells are chosen when a tile is laid, from what
lies there and nothing else, and never change. Each head keeps one free cell beside its tile for its number. A head with
no room left goes on in the free rows below everything."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

from moderator.common.errors import ConfigError
from moderator.rules.game import BEFORE

COLUMNS = 9
START = (4, 0)
"""Cell of the singlestone."""
STRIDE = COLUMNS + 2
"""Cells are numbered row by row, with a wall of one cell on either side and above; a set of cells is one whole
number, a bit for each, so that a flood over the whole canvas is a few shifts."""
NEAR = 5
"""Cells within so many steps of a head are its elbow-room …"""
WANTED = 12
"""… and as many of them are plenty."""


@dataclass(frozen=True, slots=True)
class SnakeTip:
    """The end of one head, by cell numbers."""

    at: int
    label: int
    """The cell beside it that is kept free."""
    special: bool = False
    """A flower or season: it may fork, so it wants two free neighbours."""


@dataclass(frozen=True, slots=True)
class SnakePlan:
    """The taken cells and the heads' ends, by head."""

    taken: int
    tips: tuple[SnakeTip, ...]

    @property
    def labels(self) -> tuple[tuple[int, int], ...]:
        """The cell of its number, for head 1, 2, …."""
        return tuple(_to_cell(tip.label) for tip in self.tips)


UNSEEN = SnakePlan(0, ())
"""Of a table that nobody will look at: no cell is sought for its tiles, all lie on the first."""


def begin_snake_plan() -> SnakePlan:
    """Return the plan of the singlestone by itself; head 1 on its left, head 2 on its right."""
    start = (START[1] + 1) * STRIDE + START[0] + 1
    return SnakePlan(1 << start, (SnakeTip(start, start - 1), SnakeTip(start, start + 1)))


@lru_cache(maxsize=4096)
def extend_head(plan: SnakePlan, head: int, special: bool) -> tuple[SnakePlan, tuple[int, int]]:
    """Lay one tile at ``head`` (from 1): return the new plan and the tile's cell."""
    if plan == UNSEEN:
        return plan, START
    mine = head - 1
    taken = plan.taken | _collect_label_cells(plan.tips, mine)
    beside = (
        SnakeTip(at, label, special)
        for at in _list_free_neighbours(plan.tips[mine].at, taken)
        for label in _list_free_neighbours(at, taken | 1 << at)
    )
    best = _choose_plan((_set_tip(plan, mine, tip) for tip in beside), plan.tips[mine], (mine,))
    best = best or _place_below(plan, plan.tips[mine], mine, special)
    return best, _to_cell(best.tips[mine].at)


@lru_cache(maxsize=4096)
def fork_head(plan: SnakePlan, head: int) -> tuple[SnakePlan, tuple[int, int], tuple[int, int]]:
    """Lay two tiles at ``head``: the first keeps its number, the second opens the next. Return the new plan and both
    cells."""
    if plan == UNSEEN:
        return plan, START, START
    mine, new = head - 1, len(plan.tips)
    best = _choose_plan(_iter_forked_plans(plan, mine), plan.tips[mine], (mine, new))
    best = best or _place_below(extend_head(plan, head, False)[0], plan.tips[mine], new, False)
    return best, _to_cell(best.tips[mine].at), _to_cell(best.tips[new].at)


def _iter_forked_plans(plan: SnakePlan, mine: int) -> Iterator[SnakePlan]:
    """Yield every way to lay two tiles beside a head's end, each with a free cell of its own."""
    taken = plan.taken | _collect_label_cells(plan.tips, mine)
    for first, second in itertools.permutations(_list_free_neighbours(plan.tips[mine].at, taken), 2):
        both = taken | 1 << first | 1 << second
        for one, other in itertools.product(_list_free_neighbours(first, both), _list_free_neighbours(second, both)):
            if one != other:
                yield _set_tip(_set_tip(plan, mine, SnakeTip(first, one)), len(plan.tips), SnakeTip(second, other))


def _place_below(plan: SnakePlan, origin: SnakeTip, head: int, special: bool) -> SnakePlan:
    """Lay a tile that belongs at ``origin`` in the free rows below everything, in a column as near as may be."""
    row = (_get_bottom_row(plan) + 2) * STRIDE
    places = sorted(range(row + 1, row + 1 + COLUMNS), key=lambda at: abs(at % STRIDE - origin.at % STRIDE))
    tips = (SnakeTip(at, label, special) for at in places for label in _list_free_neighbours(at, plan.taken | 1 << at))
    best = _choose_plan((_set_tip(plan, head, tip) for tip in tips), origin, (head,))
    assert best is not None  # a free row has room for a tile and its number
    return best


def _set_tip(plan: SnakePlan, head: int, tip: SnakeTip) -> SnakePlan:
    return SnakePlan(plan.taken | 1 << tip.at, (*plan.tips[:head], tip, *plan.tips[head + 1 :]))


def _collect_label_cells(tips: Iterable[SnakeTip], without: int = -1) -> int:
    cells = 0
    for head, tip in enumerate(tips):
        if head != without:
            cells |= 1 << tip.label
    return cells


def _list_free_neighbours(cell: int, taken: int) -> list[int]:
    return [at for at in (cell + 1, cell - 1, cell + STRIDE, cell - STRIDE) if at > STRIDE and _is_free_cell(at, taken)]


def _is_free_cell(cell: int, taken: int) -> bool:
    return not taken >> cell & 1 and 0 < cell % STRIDE < STRIDE - 1


def _get_bottom_row(plan: SnakePlan) -> int:
    return max(plan.taken.bit_length() - 1, *(tip.label for tip in plan.tips)) // STRIDE


def _to_cell(number: int) -> tuple[int, int]:
    y, x = divmod(number, STRIDE)
    return x - 1, y - 1


# ---- which of several plans is best ----

ROW, LABEL_ROW, CONTACT, BEND, ELSEWHERE = 1.5, 0.4, 0.3, 0.8, 0.2
DEAD, NARROW, NO_FORK = 100.0, 3.0, 15.0
"""What each thing costs: rows of the tile and of its number, each neighbour, a bend, another cell than the number had;
a head without a way out, each cell of elbow-room that it lacks, a special without room to fork. Found by trying: over
random games these leave few heads that have to go on elsewhere (about 3 a game) and short sheets (about 22 rows)."""


@lru_cache(maxsize=256)
def _build_canvas(rows: int) -> int:
    """Return all cells of the first ``rows`` rows."""
    row = (1 << COLUMNS) - 1
    return sum(row << (y + 1) * STRIDE + 1 for y in range(rows))


def _widen_cells(cells: int) -> int:
    return cells | cells << 1 | cells >> 1 | cells << STRIDE | cells >> STRIDE


def _fill_reachable_cells(cells: int, free: int) -> int:
    """Return all of ``free`` that can be reached from ``cells``."""
    while True:
        wider = cells | _widen_cells(cells) & free
        if wider == cells:
            return cells
        cells = wider


def _choose_plan(choices: Iterable[SnakePlan], origin: SnakeTip, heads: tuple[int, ...]) -> SnakePlan | None:
    """Return the plan with the lowest cost, the first of equal ones; None without any. ``heads`` are those that grow
    from ``origin``."""
    return min(choices, key=lambda plan: _compute_plan_cost(plan, origin, heads), default=None)


def _compute_plan_cost(plan: SnakePlan, origin: SnakeTip, heads: tuple[int, ...]) -> float:
    """Return the cost of a plan: heads that can't get out any more, little elbow-room, rows, bends, contacts."""
    rows, labels = _get_bottom_row(plan) + 2, _collect_label_cells(plan.tips)
    free = _build_canvas(rows) & ~plan.taken & ~labels
    out = _fill_reachable_cells(_build_canvas(rows) & ~_build_canvas(rows - 2), free)
    cost = sum(_compute_tip_cost(tip, plan.taken | labels, free, out) for tip in plan.tips)
    for tip in (plan.tips[head] for head in heads):
        cost += ROW * (tip.at // STRIDE) + LABEL_ROW * (tip.label // STRIDE)
        cost += CONTACT * (4 - len(_list_free_neighbours(tip.at, plan.taken)))
        if tip.label - tip.at != tip.at - origin.at:
            cost += BEND
        if tip.at != origin.label:
            cost += ELSEWHERE
    return cost


def _compute_tip_cost(tip: SnakeTip, taken: int, free: int, out: int) -> float:
    """Return the cost of one head's place. ``free``: cells that no tile and no number has, ``out``: those of them from
    which the rows below can be reached."""
    label = 1 << tip.label
    room = label
    for _ in range(NEAR):
        room |= _widen_cells(room) & free
    trouble = NARROW * max(0, WANTED - room.bit_count())
    if not _widen_cells(label | 1 << tip.at) & out:
        trouble += DEAD
    if tip.special and len(_list_free_neighbours(tip.at, taken & ~label)) < 2:
        trouble += NO_FORK
    return trouble


SUITS: Final = "BKT"
WINDS: Final = ("E", "S", "W", "N")
DRAGONS: Final = ("DR", "DG", "DW")
SPECIAL_KINDS: Final = "FJ"

SUITED: Final = tuple(f"{suit}{number}" for suit in SUITS for number in range(1, 10))
SPECIALS: Final = tuple(f"{kind}{number}" for kind in SPECIAL_KINDS for number in range(1, 5))
NAMES: Final = (*SUITED, *WINDS, *DRAGONS, *SPECIALS)
"""Every tile once, in the order in which hands are sorted and turns are tried."""
WALL: Final = (*(name for name in (*SUITED, *WINDS, *DRAGONS) for _ in range(4)), *SPECIALS)
"""All 144 in the order that the shuffle begins with."""
RANK: Final = {name: place for place, name in enumerate(NAMES)}


def is_special_tile(tile: str) -> bool:
    """Return whether a tile is a flower or a season."""
    return tile[0] in SPECIAL_KINDS


def get_tile_kind(tile: str) -> str:
    """Return ``suit``, ``wind``, ``dragon`` or ``special``."""
    return "wind" if tile in WINDS else "dragon" if tile in DRAGONS else "special" if is_special_tile(tile) else "suit"


def _may_follow(lying: str, new: str) -> bool:
    if lying in DRAGONS:
        return new in DRAGONS or new in WINDS
    if lying in WINDS:
        return new in WINDS or new in DRAGONS or is_special_tile(new)
    if is_special_tile(lying):
        return is_special_tile(new) and (new[0] == lying[0] or new[1] == lying[1])
    numbered = new not in WINDS and new not in DRAGONS
    return new[0] == lying[0] or (numbered and new[1] == lying[1])


def _may_branch(lying: str, new: str) -> bool:
    return is_special_tile(lying) and (new in WINDS or (new in SUITED and new[1] == lying[1]))


FOLLOWERS: Final = {lying: frozenset(new for new in NAMES if _may_follow(lying, new)) for lying in NAMES}
"""Lying tile -> what may be laid at it by itself."""
BRANCHES: Final = {lying: frozenset(new for new in NAMES if _may_branch(lying, new)) for lying in NAMES}
"""Lying tile -> what may be one of the two tiles of a fork at it; nothing but at flowers and seasons."""


# ---- options, a turn, the table ----


_RANGES = {"games": (1, 24), "start_count": (2, 12), "max_heads": (2, 10)}


@dataclass(frozen=True)
class DomiJonggOptions:
    """The options that may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["sequential"] = "sequential"
    games: int | None = None
    """None: as many as there are seats."""
    start_count: int | None = None
    """None: 6, 5, 4 tiles for 2, 3, 4 and more seats."""
    max_heads: int = 10
    first: Literal["lot", "seat"] = field(default="lot", metadata={BEFORE: "seat"})

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise ConfigError(f"{name} = {value} is out of range.", f"From {least} to {most}.")

    def get_full_hand_size(self, seats: int) -> int:
        """Return the start count: so many tiles are dealt to each seat, and drawn up to after a turn."""
        return self.start_count or {2: 6, 3: 5}.get(seats, 4)


Item = tuple[str, ...]
"""One tile, or the two of a fork: the first keeps the head's number, the second opens the next free one."""


@dataclass(frozen=True, slots=True)
class HeadExtension:
    """The tiles that are laid at one head, from the snake outwards."""

    head: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class JonggTurn:
    """A turn: ``1: T3+E, T2; 3: N, DR``. Heads after the first are those that the turn itself opened."""

    parts: tuple[HeadExtension, ...]
    at_least: int | None = None
    """Only if it scores that much (``ab 2``)."""

    @property
    def tiles(self) -> tuple[str, ...]:
        """All its tiles in the order in which they are laid."""
        return tuple(tile for part in self.parts for item in part.items for tile in item)


@dataclass(frozen=True, slots=True)
class SnakeTile:
    """One tile on the table."""

    tile: str
    at: int
    """Place in ``Public.laid`` of the tile that it was laid at; -1 for the singlestone."""
    head: int
    """Number of the head that it became; 0 for the singlestone."""
    cell: tuple[int, int]
    """Where it lies, (column, row) from 0; never changes."""


@dataclass(frozen=True)
class DomiJonggPublic:
    """The state that everybody sees."""

    options: DomiJonggOptions
    seats: int
    laid: tuple[SnakeTile, ...]
    """In the order of laying; the first is the singlestone."""
    tips: tuple[int, ...]
    """For head 1, 2, …: place in ``laid`` of the tile at its end."""
    plan: SnakePlan
    """Which cells are taken and which are kept free."""
    round: int = 1
    """Number of the game in the series."""
    leader: int = 0
    """Seat that leads this game."""
    fresh: int = 0
    """How many tiles the last turn laid: the last ones of ``laid``."""
    gains: tuple[tuple[int, ...], ...] = ()
    """Per seat: what its turns of this game scored, without those that scored nothing."""
    penalties: tuple[int, ...] = ()
    """Per seat: penalty tiles of this game."""
    idle: int = 0
    """Turns in a row without a laid tile since the wall is used up."""

    @property
    def games(self) -> int:
        """Games of the series."""
        return self.options.games or self.seats

    @property
    def full_hand(self) -> int:
        """The start count."""
        return self.options.get_full_hand_size(self.seats)

    @property
    def heads(self) -> tuple[str, ...]:
        """The tile at the end of head 1, 2, …"""
        return tuple(self.laid[tip].tile for tip in self.tips)
