"""Laying tiles: what the rules allow at which head, what a turn scores; and positions as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from moderator.common.errors import Illegal, PlayerError, RecordError
from moderator.games.domijongg import notation, state
from moderator.games.domijongg.state import (
    BRANCHES,
    FOLLOWERS,
    RANK,
    WALL,
    DomiJonggOptions,
    DomiJonggPublic,
    Item,
    JonggTurn,
    SnakeTile,
    get_tile_kind,
    is_special_tile,
)
from moderator.rules.codec import Audience, PositionCodec
from moderator.rules.game import Note, State
from moderator.rules.position import Diagram
from moderator.rules.state import Context, View


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
        laid=(SnakeTile(single, -1, 0, state.START),),
        tips=(0, 0),
        plan=state.begin_snake_plan(),
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
        if not 1 <= part.head <= len(public.tips):
            raise Illegal("no-such-head", head=part.head, heads=list(range(1, len(before.tips) + 1)))
        if part.head not in open_heads:
            raise Illegal("other-head", head=part.head, first=first.head)
        for item in part.items:
            _check_item(public, part.head, item)
            if len(item) == 2:
                open_heads.add(len(public.tips) + 1)
            public = add_snake_item(public, part.head, item)
    tip = before.heads[first.head - 1]
    same = tip if first.items[0] == (tip,) else ""
    fresh = len(public.laid) - len(before.laid)
    return LaidTurn(replace(public, fresh=fresh), same, len(public.tips) - len(before.tips))


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
        plan, cell = state.extend_head(public.plan, head, is_special_tile(item[0]))
        return replace(public, laid=(*public.laid, SnakeTile(item[0], at, head, cell)), tips=tips, plan=plan)
    new = len(tips) + 1
    plan, one, other = state.fork_head(public.plan, head)
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


class DomiJonggCodec(PositionCodec[DomiJonggPublic]):
    """``snake``: the tiles as they were laid, each with the number of the tile it was laid at (from 0, the
    singlestone), the head that it became, and its cell; in a diagram ``board``: the singlestone, then ``1: T3`` or
    ``1: T3+E``. ``heads``, by number: the tile at its end, or all from the last fork on; ``labels``: cells of their
    numbers; ``fresh``: how many tiles the last turn laid; ``gains`` and ``penalties`` of this game; ``leader``;
    ``idle``: turns in a row without a tile since the wall is used up."""

    def write(self, state: State[DomiJonggPublic], audience: Audience) -> dict[str, Any]:
        public, laid = state.public, state.public.laid
        if audience is Audience.DIAGRAM:
            items = _iter_snake_items([(one.tile, one.head) for one in laid])
            facts = {"gains": public.gains, "penalties": public.penalties, "leader": public.leader, "idle": public.idle}
            board = [laid[0].tile, *(f"{head}: {'+'.join(item)}" for head, item in items)]
            return {"turn": state.to_move[0], "board": board, **facts}
        if audience is Audience.SEAT:
            snake = [[one.tile, one.at, one.head, *one.cell] for one in laid]
            labels = [list(cell) for cell in public.plan.labels]
            return {"snake": snake, "heads": list(public.heads), "labels": labels, "fresh": public.fresh}
        chains = {
            str(head): [laid[place].tile for place in list_chain_places(public, head)]
            for head in range(1, len(public.tips) + 1)
        }
        tiles = [
            {"tile": one.tile, "at": None if one.at < 0 else one.at, "head": one.head, "cell": list(one.cell)}
            for one in laid
        ]
        return {"heads": chains, "snake": tiles, "round": public.round, "leader": public.leader}

    def read(
        self, values: Diagram, options: DomiJonggOptions, audience: Audience, ctx: Context | None
    ) -> State[DomiJonggPublic]:
        round, seat, leader = values.round(), 0, 0
        if audience is Audience.DIAGRAM:
            seat, leader = values.turn(), (round - 1) % values.seats
            public = self._read_board(values, options, round)
        else:
            public = self._read_snake(values, options, round)
        public = replace(
            public,
            leader=values.seat("leader", leader),
            gains=values.gains(),
            penalties=values.per_seat(lambda one: values.whole("penalties", seat=one)),
            idle=values.whole("idle"),
        )
        return State(public, (), (), (), (seat,))

    def find_tile(self, text: str) -> str | None:
        return find_jongg_tile(text)

    def list_box(self, state: State[DomiJonggPublic]) -> tuple[str, ...]:
        return WALL

    def list_lying(self, state: State[DomiJonggPublic]) -> list[str]:
        return [laid.tile for laid in state.public.laid]

    def _read_snake(self, values: Diagram, options: DomiJonggOptions, round_number: int) -> DomiJonggPublic:
        """Return the table with every tile laid again: where it lies follows from what was laid before it."""
        rows = values.get("snake")
        laid = [(one["tile"], one["head"]) if isinstance(one, dict) else (one[0], int(one[2])) for one in rows]
        if any(tile not in RANK for tile, _ in laid):
            raise RecordError("The snake holds a tile that there is not.")
        public = begin_snake(options, values.seats, laid[0][0], round_number)
        for head, item in _iter_snake_items(laid):
            if not 1 <= head <= len(public.tips):
                raise RecordError(f"The snake has no head {head}.")
            public = add_snake_item(public, head, item)
        return replace(public, fresh=values.whole("fresh", most=len(laid) - 1))

    def _read_board(self, values: Diagram, options: DomiJonggOptions, round_number: int) -> DomiJonggPublic:
        entries = values.lines("board")
        single = find_jongg_tile(entries[0]) if entries else None
        if single is not None and not is_special_tile(single):
            public = lay_written_turns(values, begin_snake(options, values.seats, single, round_number))
            return replace(public, fresh=0)
        where = ("board", 0) if entries else ("board",)
        values.wrong(where, "the board begins with the singlestone: a suit tile, a wind or a dragon.")
        return begin_snake(options, values.seats, "E", round_number)


def find_jongg_tile(text: str) -> str | None:
    """Return the tile of a text, None for none."""
    return text.upper() if text.upper() in RANK else None


def lay_written_turns(values: Diagram, public: DomiJonggPublic) -> DomiJonggPublic:
    """Return the table after the turns behind the singlestone in ``board``, whoever laid them."""
    for n, entry in enumerate(values.lines("board")[1:], start=1):
        try:
            turn = notation.parse_jongg_turn(entry, View(None, public, (), (), 0, (), ()))
            public = lay_jongg_turn(public, turn).public
        except PlayerError as error:
            values.wrong(("board", n), f"{entry!r} cannot be laid there ({error.code}).")
            break
    return public


def _iter_snake_items(laid: Sequence[tuple[str, int]]) -> Iterator[tuple[int, Item]]:
    """Yield (head, one tile or the two of a fork) of all tiles behind the singlestone with the heads that they became:
    the second one of a fork opened the next."""
    at, heads = 1, 2
    while at < len(laid):
        tile, head = laid[at]
        forks = at + 1 < len(laid) and laid[at + 1][1] == heads + 1
        yield head, (tile, laid[at + 1][0]) if forks else (tile,)
        at, heads = at + 1 + forks, heads + forks
