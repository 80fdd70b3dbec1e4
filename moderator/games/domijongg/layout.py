"""Where the tiles lie: on cells of a canvas nine columns wide that grows downwards.

Cells are chosen when a tile is laid, from what lies there and nothing else, and never change. Each head keeps one free
cell beside its tile for its number. A head with no room left goes on in the free rows below everything.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

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
