"""A robot's turn: many points and many tiles, with a second word where one is allowed. Bounded, not exhaustive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from moderator.engine.contract import Words
from moderator.games.typdom.board import Laying, Run, Table, lay
from moderator.games.typdom.search import placements
from moderator.games.typdom.state import Public
from moderator.games.typdom.tiles import STAR, rest_points, take
from moderator.games.typdom.turn import Turn

Worth = Callable[[Table, Run], int]

MOST = 4000
"""Words without a jolly that are looked at."""
MOST_STARRED = 300
"""Words with one; they are looked at where there are no others, or few tiles left."""
FEW = 6
FIRSTS = 6
"""First words for which a second one is looked for."""
NO_SECOND = 6
"""What a word loses that demands a second one which is not there."""


def best_turn(public: Public, hand: Sequence[str], words: Words, worth: Worth) -> Turn | None:
    """The best of the turns looked at, ties by square and word; None if no word was found."""

    def value(laying: Laying) -> int:
        points = worth(laying.table, laying.runs[0])
        return 2 * (points + len(laying.laid)) + rest_points(laying.used)

    def ranked(table: Table, tiles: Sequence[str]) -> list[tuple[int, Laying]]:
        found = [(value(laying), laying) for laying in _looked_at(table, tiles, words)]
        return sorted(found, key=lambda one: (-one[0], one[1].square, one[1].direction, one[1].place.word))

    firsts = ranked(public.table, hand)
    turns = [(score - NO_SECOND * first.connects, Turn((first.place,))) for score, first in firsts[:1]]
    turns += [(score, Turn((first.place,))) for score, first in firsts if not first.connects][:1]
    for score, first in [one for one in firsts if one[1].connects][:FIRSTS]:
        rest = take(hand, first.used)
        if not rest:
            turns.append((score, Turn((first.place,))))
        for more, second in ranked(first.table, rest)[:1]:
            turns.append((score + more, Turn((first.place, second.place))))
    return max(turns, key=lambda one: one[0])[1] if turns else None


def _looked_at(table: Table, hand: Sequence[str], words: Words) -> Iterable[Laying]:
    plain = [tile for tile in hand if not tile.startswith(STAR)]
    found = [lay(table, place, hand) for place in islice(placements(table, plain, words), MOST)]
    if len(plain) < len(hand) and (not found or len(hand) <= FEW):
        found += [lay(table, place, hand) for place in islice(placements(table, hand, words), MOST_STARRED)]
    return found
