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
class Tip:
    """The end of one head, by cell numbers."""

    at: int
    label: int
    """The cell beside it that is kept free."""
    special: bool = False
    """A flower or season: it may fork, so it wants two free neighbours."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Taken cells and the heads' ends, by head."""

    taken: int
    tips: tuple[Tip, ...]

    @property
    def labels(self) -> tuple[tuple[int, int], ...]:
        """For head 1, 2, …: the cell of its number."""
        return tuple(_cell(tip.label) for tip in self.tips)


UNSEEN = Plan(0, ())
"""Of a table that nobody will look at: no cell is sought for its tiles, all lie on the first."""


def begin() -> Plan:
    """The singlestone alone; head 1 on its left, head 2 on its right."""
    start = (START[1] + 1) * STRIDE + START[0] + 1
    return Plan(1 << start, (Tip(start, start - 1), Tip(start, start + 1)))


@lru_cache(maxsize=4096)
def grow(plan: Plan, head: int, special: bool) -> tuple[Plan, tuple[int, int]]:
    """One tile at ``head`` (from 1): the new plan and the tile's cell."""
    if plan == UNSEEN:
        return plan, START
    mine = head - 1
    taken = plan.taken | _labels(plan.tips, mine)
    beside = (
        Tip(at, label, special)
        for at in _free_beside(plan.tips[mine].at, taken)
        for label in _free_beside(at, taken | 1 << at)
    )
    best = _best((_with(plan, mine, tip) for tip in beside), plan.tips[mine], (mine,))
    best = best or _below(plan, plan.tips[mine], mine, special)
    return best, _cell(best.tips[mine].at)


@lru_cache(maxsize=4096)
def fork(plan: Plan, head: int) -> tuple[Plan, tuple[int, int], tuple[int, int]]:
    """Two tiles at ``head``: the first keeps its number, the second opens the next. The new plan and both cells."""
    if plan == UNSEEN:
        return plan, START, START
    mine, new = head - 1, len(plan.tips)
    best = _best(_forked(plan, mine), plan.tips[mine], (mine, new))
    best = best or _below(grow(plan, head, False)[0], plan.tips[mine], new, False)
    return best, _cell(best.tips[mine].at), _cell(best.tips[new].at)


def _forked(plan: Plan, mine: int) -> Iterator[Plan]:
    """Every way to lay two tiles beside a head's end, each with a free cell of its own."""
    taken = plan.taken | _labels(plan.tips, mine)
    for first, second in itertools.permutations(_free_beside(plan.tips[mine].at, taken), 2):
        both = taken | 1 << first | 1 << second
        for one, other in itertools.product(_free_beside(first, both), _free_beside(second, both)):
            if one != other:
                yield _with(_with(plan, mine, Tip(first, one)), len(plan.tips), Tip(second, other))


def _below(plan: Plan, origin: Tip, head: int, special: bool) -> Plan:
    """A tile that belongs at ``origin`` in the free rows below everything, in a column as near as may be."""
    row = (_bottom(plan) + 2) * STRIDE
    places = sorted(range(row + 1, row + 1 + COLUMNS), key=lambda at: abs(at % STRIDE - origin.at % STRIDE))
    tips = (Tip(at, label, special) for at in places for label in _free_beside(at, plan.taken | 1 << at))
    best = _best((_with(plan, head, tip) for tip in tips), origin, (head,))
    assert best is not None  # a free row has room for a tile and its number
    return best


def _with(plan: Plan, head: int, tip: Tip) -> Plan:
    return Plan(plan.taken | 1 << tip.at, (*plan.tips[:head], tip, *plan.tips[head + 1 :]))


def _labels(tips: Iterable[Tip], without: int = -1) -> int:
    cells = 0
    for head, tip in enumerate(tips):
        if head != without:
            cells |= 1 << tip.label
    return cells


def _free_beside(cell: int, taken: int) -> list[int]:
    return [at for at in (cell + 1, cell - 1, cell + STRIDE, cell - STRIDE) if at > STRIDE and _free(at, taken)]


def _free(cell: int, taken: int) -> bool:
    return not taken >> cell & 1 and 0 < cell % STRIDE < STRIDE - 1


def _bottom(plan: Plan) -> int:
    return max(plan.taken.bit_length() - 1, *(tip.label for tip in plan.tips)) // STRIDE


def _cell(number: int) -> tuple[int, int]:
    y, x = divmod(number, STRIDE)
    return x - 1, y - 1


# ---- which of several plans is best ----

ROW, LABEL_ROW, CONTACT, BEND, ELSEWHERE = 1.5, 0.4, 0.3, 0.8, 0.2
DEAD, NARROW, NO_FORK = 100.0, 3.0, 15.0
"""What each thing costs: rows of the tile and of its number, each neighbour, a bend, another cell than the number had;
a head without a way out, each cell of elbow-room that it lacks, a special without room to fork. Found by trying: over
random games these leave few heads that have to go on elsewhere (about 3 a game) and short sheets (about 22 rows)."""


@lru_cache(maxsize=256)
def _canvas(rows: int) -> int:
    """All cells of the first ``rows`` rows."""
    row = (1 << COLUMNS) - 1
    return sum(row << (y + 1) * STRIDE + 1 for y in range(rows))


def _spread(cells: int) -> int:
    return cells | cells << 1 | cells >> 1 | cells << STRIDE | cells >> STRIDE


def _flood(cells: int, free: int) -> int:
    """All of ``free`` that can be reached from ``cells``."""
    while True:
        wider = cells | _spread(cells) & free
        if wider == cells:
            return cells
        cells = wider


def _best(choices: Iterable[Plan], origin: Tip, heads: tuple[int, ...]) -> Plan | None:
    """The plan with the least to be said against it, the first of equal ones; None without any. ``heads`` are those
    that grow from ``origin``."""
    return min(choices, key=lambda plan: _cost(plan, origin, heads), default=None)


def _cost(plan: Plan, origin: Tip, heads: tuple[int, ...]) -> float:
    """What speaks against a plan: heads that can't get out any more, little elbow-room, rows, bends, contacts."""
    rows, labels = _bottom(plan) + 2, _labels(plan.tips)
    free = _canvas(rows) & ~plan.taken & ~labels
    out = _flood(_canvas(rows) & ~_canvas(rows - 2), free)
    cost = sum(_trouble(tip, plan.taken | labels, free, out) for tip in plan.tips)
    for tip in (plan.tips[head] for head in heads):
        cost += ROW * (tip.at // STRIDE) + LABEL_ROW * (tip.label // STRIDE)
        cost += CONTACT * (4 - len(_free_beside(tip.at, plan.taken)))
        if tip.label - tip.at != tip.at - origin.at:
            cost += BEND
        if tip.at != origin.label:
            cost += ELSEWHERE
    return cost


def _trouble(tip: Tip, taken: int, free: int, out: int) -> float:
    """What speaks against one head's place. ``free``: cells that no tile and no number has, ``out``: those of them
    from which the rows below can be reached."""
    label = 1 << tip.label
    room = label
    for _ in range(NEAR):
        room |= _spread(room) & free
    trouble = NARROW * max(0, WANTED - room.bit_count())
    if not _spread(label | 1 << tip.at) & out:
        trouble += DEAD
    if tip.special and len(_free_beside(tip.at, taken & ~label)) < 2:
        trouble += NO_FORK
    return trouble
