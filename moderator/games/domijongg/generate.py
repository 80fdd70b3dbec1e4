"""Legal turns: all of them, shortest first, and the best one.

A turn is built step by step; a step lays one tile or a fork at the head in hand, or goes on to another head that the
turn has opened. Heads are taken in the order of their numbers, so that each turn comes once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from moderator.games.domijongg.snake import bonuses
from moderator.games.domijongg.state import BRANCHES, FOLLOWERS, RANK, Extension, Item, Move, Public, is_special
from moderator.match.contract import View

LISTED = 2000
"""So many turns are listed at most: a hand of twelve tiles of one suit has hundreds of millions."""
LOOKED_AT = 5_000
"""So many positions the search for the best turn looks at, at most."""
LOOKED_AT_QUICKLY = 100
"""The same for a good turn, as one plays on."""

Hand = tuple[str, ...]
"""In the order of ``tiles.RANK``."""


@dataclass(frozen=True, slots=True)
class Partial:
    """A turn being built; legal as it stands."""

    parts: tuple[Extension, ...]
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


def turns(view: View[Public]) -> Iterator[tuple[Move, int]]:
    """Legal turns with their points, in the order of the number of tiles; at most ``LISTED`` and, if it is not among
    them, the best one. Nothing for a seat that is not to move."""
    if view.seat is None or view.seat not in view.to_move:
        return
    worth = points(view)
    listed = set[Move]()
    for partial in _all(view):
        if len(listed) == LISTED:
            top = best(view)
            if top is not None and top not in listed:
                yield top, value(view, top)
            return
        listed.add(Move(partial.parts))
        yield Move(partial.parts), worth(partial)


def points(view: View[Public]) -> Callable[[Partial], int]:
    """What a turn of this hand scores."""
    held, wall_empty = len(view.hand), view.stock_count == 0
    large = held > view.public.full_hand

    def worth(turn: Partial) -> int:
        return bonuses(turn.same, turn.forks, turn.laid == held, large, wall_empty)

    return worth


def value(view: View[Public], move: Move) -> int:
    """What a legal turn scores."""
    first = move.parts[0]
    same = first.items[0] == (view.public.heads[first.head - 1],)
    forks = sum(len(item) == 2 for part in move.parts for item in part.items)
    return points(view)(Partial(move.parts, (), "", (), 0, len(move.tiles), forks, same))


def placements(public: Public, hand: Hand) -> Iterator[Partial]:
    """Everything that can be laid first: one tile or one fork, at any head."""
    rest = tuple(sorted(hand, key=RANK.__getitem__))
    heads = public.heads
    for head, tip in enumerate(heads, start=1):
        start = Partial((Extension(head, ()),), rest, tip, (), len(heads))
        yield from _steps(start, public.options.max_heads)


def _all(view: View[Public]) -> Iterator[Partial]:
    """Every turn, those of one tile first."""
    limit = view.public.options.max_heads
    now, later, after = list[Partial](), list[Partial](), list[Partial]()
    for partial in placements(view.public, view.hand):
        (now if partial.laid == 1 else later).append(partial)
    while now or later:
        for partial in now:
            yield partial
            for longer in _longer(partial, limit):
                (later if longer.laid == partial.laid + 1 else after).append(longer)
        now, later, after = later, after, []


def _longer(partial: Partial, limit: int) -> Iterator[Partial]:
    """One step more, at the head in hand or at one that was opened and comes later."""
    yield from _steps(partial, limit)
    for n, (head, tip) in enumerate(partial.opened):
        there = Partial(
            (*partial.parts, Extension(head, ())),
            partial.rest,
            tip,
            partial.opened[n + 1 :],
            partial.heads,
            partial.laid,
            partial.forks,
            partial.same,
        )
        yield from _steps(there, limit)


def _steps(partial: Partial, limit: int) -> Iterator[Partial]:
    followers, branches = FOLLOWERS[partial.tip], BRANCHES[partial.tip]
    for place, tile in _distinct(partial.rest):
        if tile in followers:
            rest = partial.rest[:place] + partial.rest[place + 1 :]
            yield _with(partial, (tile,), rest)
    if not branches or partial.heads >= limit:
        return
    for place, tile in _distinct(partial.rest):
        if tile in branches:
            rest = partial.rest[:place] + partial.rest[place + 1 :]
            for second, other in _distinct(rest):
                if other in branches:
                    yield _with(partial, (tile, other), rest[:second] + rest[second + 1 :])


def _with(partial: Partial, item: Item, rest: Hand) -> Partial:
    *before, last = partial.parts
    parts = (*before, Extension(last.head, (*last.items, item)))
    if len(item) == 2:
        heads = partial.heads + 1
        opened = (*partial.opened, (heads, item[1]))
        laid, forks = partial.laid + 2, partial.forks + 1
        return Partial(parts, rest, item[0], opened, heads, laid, forks, partial.same)
    same = partial.same or (partial.laid == 0 and item[0] == partial.tip)
    laid = partial.laid + 1
    return Partial(parts, rest, item[0], partial.opened, partial.heads, laid, partial.forks, same)


def _distinct(tiles: Hand) -> Iterator[tuple[int, str]]:
    """Each different tile of a sorted hand once, with its place."""
    last = ""
    for place, tile in enumerate(tiles):
        if tile != last:
            yield place, tile
            last = tile


def best(view: View[Public], looked_at: int = LOOKED_AT) -> Move | None:
    """The turn with the most points, of equal ones the longest, of those the first in the order of heads and tiles;
    None if nothing can be laid. Looks at no more than ``looked_at`` positions."""
    search = _Search(view, looked_at)
    found: Partial | None = None
    value = (-1, -1)
    for start in placements(view.public, view.hand):
        more = search.more(start)
        here = (more[0] + start.same + start.forks, more[1] + start.laid)
        if here > value:
            found, value = start, here
    while found is not None and (longer := search.onward(found)) is not None:
        found = longer
    return Move(found.parts) if found else None


class _Search:
    """What can still be gained after a partial turn: (points, tiles), by what is left in the hand and at the heads."""

    def __init__(self, view: View[Public], looked_at: int) -> None:
        self._looked_at = looked_at
        self._limit = view.public.options.max_heads
        held = len(view.hand)
        self._out = bonuses(False, 0, True, held > view.public.full_hand, view.stock_count == 0)
        self._known: dict[tuple[Hand, str, tuple[str, ...], int], tuple[int, int]] = {}

    def more(self, partial: Partial) -> tuple[int, int]:
        """The most that further steps can add, points before tiles."""
        if not partial.rest:
            return self._out, 0
        tips = tuple(sorted(tip for _, tip in partial.opened))
        key = (partial.rest, partial.tip, tips, partial.heads)
        if key in self._known:
            return self._known[key]
        value = self._known[key] = (0, 0)
        if len(self._known) <= self._looked_at:
            forks = sum(map(is_special, (*partial.rest, partial.tip, *tips)))
            for longer in _longer(partial, self._limit):
                value = max(value, self._through(partial, longer))
                if value == (self._out + forks, len(partial.rest)):
                    break
            self._known[key] = value
        return value

    def onward(self, partial: Partial) -> Partial | None:
        """The first step on a best way; None where that is to stop."""
        value = self.more(partial)
        if value == (0, 0) or not partial.rest:
            return None
        return next(step for step in _longer(partial, self._limit) if self._through(partial, step) == value)

    def _through(self, partial: Partial, longer: Partial) -> tuple[int, int]:
        points, tiles = self.more(longer)
        return points + longer.forks - partial.forks, tiles + longer.laid - partial.laid
