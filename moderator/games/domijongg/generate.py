"""Legal turns: all of them, shortest first, and the best one.

A turn is built step by step; a step lays one tile or a fork at the head in hand, or goes on to another head that the
turn has opened. Heads are taken in the order of their numbers, so that each turn comes once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from moderator.games.domijongg.snake import compute_turn_points
from moderator.games.domijongg.state import (
    BRANCHES,
    FOLLOWERS,
    RANK,
    DomiJonggPublic,
    HeadExtension,
    Item,
    JonggTurn,
    is_special_tile,
)
from moderator.rules.game import View

LISTED = 2000
"""So many turns are listed at most: a hand of twelve tiles of one suit has hundreds of millions."""
LOOKED_AT = 5_000
"""So many positions the search for the best turn looks at, at most."""
LOOKED_AT_QUICKLY = 100
"""The same for a good turn, as one plays on."""

Hand = tuple[str, ...]
"""In the order of ``state.RANK``."""


@dataclass(frozen=True, slots=True)
class PartialTurn:
    """A turn being built; legal as it stands."""

    parts: tuple[HeadExtension, ...]
    rest: Hand
    tip: str
    """Tile at the end of the head in hand."""
    opened: tuple[tuple[int, str], ...]
    """Other heads that the turn has opened and not gone to: (number, tile), by number."""
    heads: int
    """How many there are now."""
    laid: int = 0
    forks: int = 0
    same: bool = False


def iter_jongg_turns(view: View[DomiJonggPublic]) -> Iterator[tuple[JonggTurn, int]]:
    """Yield legal turns with their points, in the order of the number of tiles; at most ``LISTED`` and, if it is not
    among them, the best one. Nothing for a seat that is not to move."""
    if view.seat is None or view.seat not in view.to_move:
        return
    worth = build_turn_scorer(view)
    listed = set[JonggTurn]()
    for partial in _iter_all_turns(view):
        if len(listed) == LISTED:
            top = find_best_jongg_turn(view)
            if top is not None and top not in listed:
                yield top, score_jongg_turn(view, top)
            return
        listed.add(JonggTurn(partial.parts))
        yield JonggTurn(partial.parts), worth(partial)


def build_turn_scorer(view: View[DomiJonggPublic]) -> Callable[[PartialTurn], int]:
    """Return a function that gives the points of a turn of this hand."""
    held, wall_empty = len(view.hand), view.stock_count == 0
    large = held > view.public.full_hand

    def score_turn(turn: PartialTurn) -> int:
        return compute_turn_points(turn.same, turn.forks, turn.laid == held, large, wall_empty)

    return score_turn


def score_jongg_turn(view: View[DomiJonggPublic], move: JonggTurn) -> int:
    """Return the points of a legal turn."""
    first = move.parts[0]
    same = first.items[0] == (view.public.heads[first.head - 1],)
    forks = sum(len(item) == 2 for part in move.parts for item in part.items)
    return build_turn_scorer(view)(PartialTurn(move.parts, (), "", (), 0, len(move.tiles), forks, same))


def iter_first_steps(public: DomiJonggPublic, hand: Hand) -> Iterator[PartialTurn]:
    """Yield everything that can be laid first: one tile or one fork, at any head."""
    rest = tuple(sorted(hand, key=RANK.__getitem__))
    heads = public.heads
    for head, tip in enumerate(heads, start=1):
        start = PartialTurn((HeadExtension(head, ()),), rest, tip, (), len(heads))
        yield from _iter_steps(start, public.options.max_heads)


def _iter_all_turns(view: View[DomiJonggPublic]) -> Iterator[PartialTurn]:
    """Yield every turn, those of one tile first."""
    limit = view.public.options.max_heads
    now, later, after = list[PartialTurn](), list[PartialTurn](), list[PartialTurn]()
    for partial in iter_first_steps(view.public, view.hand):
        (now if partial.laid == 1 else later).append(partial)
    while now or later:
        for partial in now:
            yield partial
            for longer in _iter_longer_turns(partial, limit):
                (later if longer.laid == partial.laid + 1 else after).append(longer)
        now, later, after = later, after, []


def _iter_longer_turns(partial: PartialTurn, limit: int) -> Iterator[PartialTurn]:
    """Yield the turns that are one step longer, at the head in hand or at one that was opened and comes later."""
    yield from _iter_steps(partial, limit)
    for n, (head, tip) in enumerate(partial.opened):
        there = PartialTurn(
            (*partial.parts, HeadExtension(head, ())),
            partial.rest,
            tip,
            partial.opened[n + 1 :],
            partial.heads,
            partial.laid,
            partial.forks,
            partial.same,
        )
        yield from _iter_steps(there, limit)


def _iter_steps(partial: PartialTurn, limit: int) -> Iterator[PartialTurn]:
    followers, branches = FOLLOWERS[partial.tip], BRANCHES[partial.tip]
    for place, tile in _iter_distinct_tiles(partial.rest):
        if tile in followers:
            rest = partial.rest[:place] + partial.rest[place + 1 :]
            yield _extend_turn(partial, (tile,), rest)
    if not branches or partial.heads >= limit:
        return
    for place, tile in _iter_distinct_tiles(partial.rest):
        if tile in branches:
            rest = partial.rest[:place] + partial.rest[place + 1 :]
            for second, other in _iter_distinct_tiles(rest):
                if other in branches:
                    yield _extend_turn(partial, (tile, other), rest[:second] + rest[second + 1 :])


def _extend_turn(partial: PartialTurn, item: Item, rest: Hand) -> PartialTurn:
    *before, last = partial.parts
    parts = (*before, HeadExtension(last.head, (*last.items, item)))
    if len(item) == 2:
        heads = partial.heads + 1
        opened = (*partial.opened, (heads, item[1]))
        laid, forks = partial.laid + 2, partial.forks + 1
        return PartialTurn(parts, rest, item[0], opened, heads, laid, forks, partial.same)
    same = partial.same or (partial.laid == 0 and item[0] == partial.tip)
    laid = partial.laid + 1
    return PartialTurn(parts, rest, item[0], partial.opened, partial.heads, laid, partial.forks, same)


def _iter_distinct_tiles(tiles: Hand) -> Iterator[tuple[int, str]]:
    """Yield each different tile of a sorted hand once, with its place."""
    last = ""
    for place, tile in enumerate(tiles):
        if tile != last:
            yield place, tile
            last = tile


def find_best_jongg_turn(view: View[DomiJonggPublic], looked_at: int = LOOKED_AT) -> JonggTurn | None:
    """Return the turn with the most points, of equal ones the longest, of those the first in the order of heads and
    tiles; None if nothing can be laid. Looks at no more than ``looked_at`` positions."""
    search = _GainSearch(view, looked_at)
    found: PartialTurn | None = None
    value = (-1, -1)
    for start in iter_first_steps(view.public, view.hand):
        more = search.compute_gain(start)
        here = (more[0] + start.same + start.forks, more[1] + start.laid)
        if here > value:
            found, value = start, here
    while found is not None and (longer := search.find_next_step(found)) is not None:
        found = longer
    return JonggTurn(found.parts) if found else None


class _GainSearch:
    """A search for what can still be gained after a partial turn: (points, tiles), by what is left in the hand and at
    the heads."""

    def __init__(self, view: View[DomiJonggPublic], looked_at: int) -> None:
        self._looked_at = looked_at
        self._limit = view.public.options.max_heads
        held = len(view.hand)
        self._out = compute_turn_points(False, 0, True, held > view.public.full_hand, view.stock_count == 0)
        self._known: dict[tuple[Hand, str, tuple[str, ...], int], tuple[int, int]] = {}

    def compute_gain(self, partial: PartialTurn) -> tuple[int, int]:
        """Return the most that further steps can add, points before tiles."""
        if not partial.rest:
            return self._out, 0
        tips = tuple(sorted(tip for _, tip in partial.opened))
        key = (partial.rest, partial.tip, tips, partial.heads)
        if key in self._known:
            return self._known[key]
        value = self._known[key] = (0, 0)
        if len(self._known) <= self._looked_at:
            forks = sum(map(is_special_tile, (*partial.rest, partial.tip, *tips)))
            for longer in _iter_longer_turns(partial, self._limit):
                value = max(value, self._compute_gain_through(partial, longer))
                if value == (self._out + forks, len(partial.rest)):
                    break
            self._known[key] = value
        return value

    def find_next_step(self, partial: PartialTurn) -> PartialTurn | None:
        """Return the first step on a best way; None where that is to stop."""
        value = self.compute_gain(partial)
        if value == (0, 0) or not partial.rest:
            return None
        return next(
            step
            for step in _iter_longer_turns(partial, self._limit)
            if self._compute_gain_through(partial, step) == value
        )

    def _compute_gain_through(self, partial: PartialTurn, longer: PartialTurn) -> tuple[int, int]:
        points, tiles = self.compute_gain(longer)
        return points + longer.forks - partial.forks, tiles + longer.laid - partial.laid
