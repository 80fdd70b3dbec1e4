"""How the strong robot plays Kreuzwort-Spiel and Point-Typ-Dom: it looks at its next turn, too, on the table as this
one leaves it and with the tiles that it keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from moderator.games.typdom.board import Laying, Table, exchange, lay
from moderator.games.typdom.state import Turn
from moderator.games.typdom.tiles import rest_points, take

Ranked = Callable[[Table, Sequence[str]], list[tuple[int, Laying]]]
"""What can be laid with some tiles, each with its value, best first."""

Value = Callable[[Laying], int]
"""The value of one of them."""

COMPARED = 5
"""First words that are looked at, of those that demand a second one and of the others each."""
NEXT = 0.6
"""What the next turn's value counts: others lay before it, tiles are bought."""
RID = 15
"""What it is worth to have laid all tiles."""
STUCK = 0.4
"""What it costs to keep a tile, for each point of the rest, if nothing can be laid with what is kept."""


def best(table: Table, hand: Sequence[str], ranked: Ranked, no_second: int) -> Turn | None:
    """The turn with the best value together with the one that may follow it; None without a word."""
    turns = compared(table, hand, ranked, no_second)
    return max(turns, key=lambda one: one[0])[1] if turns else None


def compared(
    table: Table, hand: Sequence[str], ranked: Ranked, no_second: int, firsts: int = COMPARED
) -> list[tuple[float, Turn]]:
    """The turns that are looked at, each with its value together with the one that may follow it. ``no_second``: what a
    first word loses that demands a second one which is not there."""
    turns: list[tuple[float, Turn]] = []
    for score, first in _firsts(ranked(table, hand), firsts):
        rest = take(hand, first.used)
        lacks = no_second if first.connects and rest else 0
        turns.append((score - lacks + _ahead(first.table, rest, ranked), Turn((first.place,))))
        if first.connects and rest:
            for more, second in ranked(first.table, rest)[:1]:
                kept = take(rest, second.used)
                value = score + more + _ahead(second.table, kept, ranked)
                turns.append((value, Turn((first.place, second.place))))
    return turns


def equity(table: Table, hand: Sequence[str], turn: Turn, value: Value, ranked: Ranked, no_second: int) -> float:
    """What a turn that was played is worth by the same reckoning, whatever it was."""
    for swap in turn.exchanges:
        table, hand = exchange(table, swap.square, swap.letter, hand)
    worth, due = 0, False
    for place in turn.places:
        laying = lay(table, place, hand)
        worth, due = worth + value(laying), bool(laying.connects)
        table, hand = laying.table, take(hand, laying.used)
    lacks = no_second if len(turn.places) == 1 and due and hand else 0
    return worth - lacks + _ahead(table, hand, ranked)


def _firsts(found: Sequence[tuple[int, Laying]], most: int) -> list[tuple[int, Laying]]:
    """The best of both kinds, each set of tiles once: where else the same ones lie changes little."""
    chosen: list[tuple[int, Laying]] = []
    for connects in (True, False):
        seen = set[tuple[str, ...]]()
        for score, one in found:
            if bool(one.connects) is connects and len(seen) < most and (used := tuple(sorted(one.used))) not in seen:
                seen.add(used)
                chosen.append((score, one))
    return chosen


def _ahead(table: Table, kept: Sequence[str], ranked: Ranked) -> float:
    """What the tiles kept may bring in the next turn."""
    if not kept:
        return RID
    following = ranked(table, kept)
    return NEXT * following[0][0] if following else -STUCK * rest_points(kept)
