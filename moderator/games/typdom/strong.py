"""How the strong robot plays Kreuzwort-Spiel and Point-Typ-Dom: it looks at its next turn, too, on the table as this
one leaves it and with the tiles that it keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from moderator.games.typdom.board import LaidWord, TypdomTable, exchange_jolly, lay_typdom_word
from moderator.games.typdom.state import TypdomTurn
from moderator.games.typdom.tiles import remove_tiles_from_rack, sum_rest_points

Ranked = Callable[[TypdomTable, Sequence[str]], list[tuple[int, LaidWord]]]
"""What can be laid with some tiles, each with its value, best first."""

Value = Callable[[LaidWord], int]
"""The value of one of them."""

COMPARED = 5
"""First words that are looked at, of those that demand a second one and of the others each."""
NEXT = 0.6
"""What the next turn's value counts: others lay before it, tiles are bought."""
RID = 15
"""What it is worth to have laid all tiles."""
STUCK = 0.4
"""What it costs to keep a tile, for each point of the rest, if nothing can be laid with what is kept."""


def find_strong_typdom_turn(
    table: TypdomTable, hand: Sequence[str], ranked: Ranked, no_second: int
) -> TypdomTurn | None:
    """Return the turn with the best value together with the one that may follow it; None without a word."""
    turns = list_compared_turns(table, hand, ranked, no_second)
    return max(turns, key=lambda one: one[0])[1] if turns else None


def list_compared_turns(
    table: TypdomTable, hand: Sequence[str], ranked: Ranked, no_second: int, firsts: int = COMPARED
) -> list[tuple[float, TypdomTurn]]:
    """Return the turns that are looked at, each with its value together with the one that may follow it. ``no_second``:
    points that a first word loses that demands a second one which is not there."""
    turns: list[tuple[float, TypdomTurn]] = []
    for score, first in _choose_first_words(ranked(table, hand), firsts):
        rest = remove_tiles_from_rack(hand, first.used_tiles)
        lacks = no_second if first.connects and rest else 0
        turns.append((score - lacks + _estimate_next_turn(first.table, rest, ranked), TypdomTurn((first.placement,))))
        if first.connects and rest:
            for more, second in ranked(first.table, rest)[:1]:
                kept = remove_tiles_from_rack(rest, second.used_tiles)
                value = score + more + _estimate_next_turn(second.table, kept, ranked)
                turns.append((value, TypdomTurn((first.placement, second.placement))))
    return turns


def estimate_typdom_equity(
    table: TypdomTable, hand: Sequence[str], turn: TypdomTurn, value: Value, ranked: Ranked, no_second: int
) -> float:
    """Estimate the worth of a turn that was played by the same reckoning, whatever it was."""
    for swap in turn.exchanges:
        table, hand = exchange_jolly(table, swap.square, swap.letter, hand)
    worth, due = 0, False
    for place in turn.places:
        laying = lay_typdom_word(table, place, hand)
        worth, due = worth + value(laying), bool(laying.connects)
        table, hand = laying.table, remove_tiles_from_rack(hand, laying.used_tiles)
    lacks = no_second if len(turn.places) == 1 and due and hand else 0
    return worth - lacks + _estimate_next_turn(table, hand, ranked)


def _choose_first_words(found: Sequence[tuple[int, LaidWord]], most: int) -> list[tuple[int, LaidWord]]:
    """Return the best of both kinds, each set of tiles once: the same ones laid elsewhere change little."""
    chosen: list[tuple[int, LaidWord]] = []
    for connects in (True, False):
        seen = set[tuple[str, ...]]()
        for score, one in found:
            if (
                bool(one.connects) is connects
                and len(seen) < most
                and (used := tuple(sorted(one.used_tiles))) not in seen
            ):
                seen.add(used)
                chosen.append((score, one))
    return chosen


def _estimate_next_turn(table: TypdomTable, kept: Sequence[str], ranked: Ranked) -> float:
    """Estimate what the tiles that stay on the rack may bring in the next turn."""
    if not kept:
        return RID
    following = ranked(table, kept)
    return NEXT * following[0][0] if following else -STUCK * sum_rest_points(kept)
