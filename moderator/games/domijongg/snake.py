"""Laying tiles: what the rules allow at which head, and what a turn scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from moderator.common.errors import Illegal
from moderator.games.domijongg import layout
from moderator.games.domijongg.state import (
    BRANCHES,
    FOLLOWERS,
    RANK,
    DomiJonggOptions,
    DomiJonggPublic,
    Item,
    JonggTurn,
    SnakeTile,
    get_tile_kind,
    is_special_tile,
)
from moderator.rules.game import Note


@dataclass(frozen=True)
class LaidTurn:
    """A legal turn, laid."""

    public: DomiJonggPublic
    same: str
    """The tile that came to lie at its like from before this turn; "" = none did."""
    forks: int


def begin_snake(
    options: DomiJonggOptions, seats: int, single: str, round_number: int = 1, leader: int = 0
) -> DomiJonggPublic:
    """Return the table with nothing but the singlestone, which is head 1 and head 2."""
    return DomiJonggPublic(
        options=options,
        seats=seats,
        laid=(SnakeTile(single, -1, 0, layout.START),),
        tips=(0, 0),
        plan=layout.begin_snake_plan(),
        round=round_number,
        leader=leader,
        gains=((),) * seats,
        penalties=(0,) * seats,
    )


def lay_jongg_turn(public: DomiJonggPublic, move: JonggTurn) -> LaidTurn:
    """Return the table after a turn; whose tiles they are is not asked.

    Raises Illegal: no-such-head, other-head, does-not-fit, fork-needed, fork-not-here, fork-does-not-fit,
    too-many-heads."""
    before, first = public, move.parts[0]
    open_heads = {first.head}
    for part in move.parts:
        _check_head(public, before, part.head, open_heads, first.head)
        for item in part.items:
            _check_item(public, part.head, item)
            if len(item) == 2:
                open_heads.add(len(public.tips) + 1)
            public = add_snake_item(public, part.head, item)
    tip = before.heads[first.head - 1]
    same = tip if first.items[0] == (tip,) else ""
    fresh = len(public.laid) - len(before.laid)
    return LaidTurn(replace(public, fresh=fresh), same, len(public.tips) - len(before.tips))


def _check_head(public: DomiJonggPublic, before: DomiJonggPublic, head: int, open_heads: set[int], first: int) -> None:
    if not 1 <= head <= len(public.tips):
        raise Illegal("no-such-head", head=head, heads=list(range(1, len(before.tips) + 1)))
    if head not in open_heads:
        raise Illegal("other-head", head=head, first=first)


def _check_item(public: DomiJonggPublic, head: int, item: Item) -> None:
    lying = public.heads[head - 1]
    if len(item) == 1:
        tile = item[0]
        if tile in FOLLOWERS[lying]:
            return
        if tile in BRANCHES[lying]:
            raise Illegal("fork-needed", tile=tile, lying=lying, head=head)
        raise Illegal("does-not-fit", tile=tile, lying=lying, head=head, reason=f"at-{get_tile_kind(lying)}")
    if not is_special_tile(lying):
        raise Illegal("fork-not-here", lying=lying, head=head)
    for tile in item:
        if tile not in BRANCHES[lying]:
            raise Illegal("fork-does-not-fit", tile=tile, lying=lying, head=head)
    if len(public.tips) >= public.options.max_heads:
        raise Illegal("too-many-heads", limit=public.options.max_heads)


def add_snake_item(public: DomiJonggPublic, head: int, item: Item) -> DomiJonggPublic:
    """Return the table with one more tile, or with both of a fork, at a head that is there. Nothing is checked."""
    at, count = public.tips[head - 1], len(public.laid)
    tips = (*public.tips[: head - 1], count, *public.tips[head:])
    if len(item) == 1:
        plan, cell = layout.extend_head(public.plan, head, is_special_tile(item[0]))
        return replace(public, laid=(*public.laid, SnakeTile(item[0], at, head, cell)), tips=tips, plan=plan)
    new = len(tips) + 1
    plan, one, other = layout.fork_head(public.plan, head)
    laid = (*public.laid, SnakeTile(item[0], at, head, one), SnakeTile(item[1], at, new, other))
    return replace(public, laid=laid, tips=(*tips, count + 1), plan=plan)


SAME, FORK = 1, 1
"""Points of a first tile at its like, of each fork."""


def compute_turn_points(turn_same: bool, forks: int, whole: bool, large: bool, last: bool) -> int:
    """Return the points of a turn. ``whole``: it laid the whole hand, ``large``: which was larger than the start count,
    ``last``: and the wall was used up."""
    hand = sum(note.points for note in list_hand_bonuses(large, last)) if whole else 0
    return SAME * turn_same + FORK * forks + hand


def score_laid_turn(turn: LaidTurn, hand: Sequence[str], wall: int, seat: int) -> tuple[int, tuple[Note, ...]]:
    """Return (points, the notes that say what they are for) of a turn from ``hand`` with so many tiles in the wall."""
    whole, large = turn.public.fresh == len(hand), len(hand) > turn.public.full_hand
    points = compute_turn_points(bool(turn.same), turn.forks, whole, large, wall == 0)
    notes = []
    if turn.same:
        notes.append(Note("bonus-same", {"tile": turn.same, "points": SAME}, seat, SAME))
    if turn.forks:
        won = FORK * turn.forks
        notes.append(Note("bonus-fork", {"count": turn.forks, "points": won}, seat, won))
    return points, (*notes, *(list_hand_bonuses(large, wall == 0, seat) if whole else ()))


def list_hand_bonuses(large: bool, last: bool, seat: int | None = None) -> tuple[Note, ...]:
    """Return what it brings to lay the whole hand, each with its points; see ``compute_turn_points``."""
    code, won = ("bonus-large-hand", 2) if large else ("bonus-hand", 1)
    end = (Note("bonus-last", {"points": 2}, seat, 2),) if last else ()
    return Note(code, {"points": won}, seat, won), *end


def remove_tiles_from_hand(hand: Sequence[str], tiles: Sequence[str]) -> tuple[str, ...]:
    """Return ``hand`` without ``tiles``, order unchanged. Raises Illegal("not-your-tiles", tiles)."""
    gone = Counter(tiles)
    if missing := gone - Counter(hand):
        raise Illegal("not-your-tiles", tiles=sorted(missing.elements(), key=RANK.__getitem__))
    kept = []
    for tile in hand:
        if gone[tile]:
            gone[tile] -= 1
        else:
            kept.append(tile)
    return tuple(kept)


def can_extend_snake(heads: Sequence[str], hand: Sequence[str], max_heads: int) -> bool:
    """Return whether a hand can lay anything: one tile at a head, or a fork."""
    held = set(hand)
    if any(held & FOLLOWERS[lying] for lying in heads):
        return True
    if len(heads) >= max_heads:
        return False
    return any(sum(tile in BRANCHES[lying] for tile in hand) > 1 for lying in heads)


def list_chain_places(public: DomiJonggPublic, head: int) -> tuple[int, ...]:
    """Return the places in ``laid`` from the last fork's flower or season (or the singlestone) to the end of
    ``head``."""
    found = [public.tips[head - 1]]
    children = Counter(laid.at for laid in public.laid)
    while (at := public.laid[found[-1]].at) >= 0:
        found.append(at)
        if children[at] > 1:
            break
    return tuple(reversed(found))
