"""A robot for Presto: lays its whole rack as one crossword, word by word, a few positions at a time. Bounded, so it may
find nothing where there is something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from moderator.engine.contract import Words
from moderator.games.typdom.board import SIZE, Place, Table, index, lay, letters_of
from moderator.games.typdom.presto_layout import Layout, layout_of
from moderator.games.typdom.search import placements
from moderator.games.typdom.tiles import COUNTS, STAR, VOWELS, take

KEPT, KEPT_EARLY = 8, 2
"""Positions that are followed up at each number of words; fewer while there are many tiles."""
EARLY = 13
"""So many."""
BRANCHES = 5
"""Of which so many from each position before."""
LISTINGS = 90
"""Positions in which words are looked for, in all."""
MOST = 800
"""Words that are looked at in each."""
FEW = 5
"""Tiles on the rack from which on jollies are laid, so that they are left for the end."""
STARRED = 400
"""Words with a jolly that are looked at in each position."""
SHORT = 8
"""Letters of words that any letter is looked for in."""
HARD = {letter: 3.0 / (count + 1) for letter, count in COUNTS.items()} | {"Q": 5.0, "Y": 3.0, "X": 3.0, "J": 2.5}
"""What it costs to have a letter left."""
BALANCE = 0.4
"""Vowels for each tile of a rack that words can be made of."""


@dataclass(frozen=True)
class _Position:
    table: Table
    hand: tuple[str, ...]

    @property
    def cost(self) -> float:
        return _cost(self.hand)


def solve(hand: Sequence[str], most_left: int, words: Words) -> Layout | None:
    """A crossword that leaves at most ``most_left`` tiles of the rack, the fewer the better; None if none was found."""
    if _hopeless(hand, most_left, words):
        return None
    here = [_Position(Table(SIZE), tuple(sorted(hand)))]
    budget = LISTINGS
    nearly: _Position | None = None
    while here and budget > 0:
        following: dict[tuple[tuple[int, str], ...], _Position] = {}
        for position in here[:budget]:
            budget -= 1
            for after in _best(position, words):
                if not after.hand:
                    return _layout(after.table)
                if len(after.hand) <= most_left and nearly is None:
                    nearly = after
                following.setdefault(tuple(sorted(after.table.squares.items())), after)
        ranked = sorted(following.values(), key=lambda one: one.cost)
        here = ranked[: KEPT_EARLY if ranked and len(ranked[0].hand) > EARLY else KEPT]
    return _layout(nearly.table) if nearly else None


def _hopeless(hand: Sequence[str], most_left: int, words: Words) -> bool:
    """Whether the rack holds letters that are in no word, at least in no short one."""
    wanted = {tile for tile in hand if not tile.startswith(STAR)}
    for word in words.playable(SHORT):
        wanted.difference_update(word)
        if not wanted:
            break
    return len(wanted) > most_left


def _best(position: _Position, words: Words) -> list[_Position]:
    """The positions after the best words, each with other tiles left."""
    found: dict[tuple[str, ...], tuple[float, Place]] = {}
    for place in _words(position, words):
        left = _left(position, place)
        if left not in found:
            found[left] = _cost(left), place
    chosen = sorted(found.values(), key=lambda one: (one[0], one[1].square, one[1].direction, one[1].word))
    positions = []
    for _, place in chosen[:BRANCHES]:
        laying = lay(position.table, place, position.hand)
        positions.append(_Position(laying.table, take(position.hand, laying.used)))
    return positions


def _words(position: _Position, words: Words) -> Iterator[Place]:
    plain = [tile for tile in position.hand if not tile.startswith(STAR)]
    yield from islice(placements(position.table, plain, words), MOST)
    if len(plain) < len(position.hand) <= FEW:
        yield from islice(placements(position.table, position.hand, words), STARRED)


def _left(position: _Position, place: Place) -> tuple[str, ...]:
    """The rack after a word."""
    at, step = index(place.square), position.table.step(place.direction)
    left = list(position.hand)
    for n, tile in enumerate(letters_of(place.word)):
        if at + n * step not in position.table.squares:
            left.remove(tile if len(tile) == 1 else "*r" if tile[-1] in VOWELS else "*b")
    return tuple(left)


def _cost(hand: Iterable[str]) -> float:
    """How hard it will be to get rid of these tiles."""
    counts = Counter(hand)
    size = sum(counts.values())
    vowels = sum(count for tile, count in counts.items() if tile in VOWELS)
    jollies = sum(count for tile, count in counts.items() if tile.startswith(STAR))
    hard = sum(HARD.get(tile, 0.0) * count + 0.3 * (count - 1) ** 2 for tile, count in counts.items())
    return size + hard + 1.5 * abs(vowels - BALANCE * (size - jollies)) - 0.5 * jollies


def _layout(table: Table) -> Layout:
    return layout_of({(square % SIZE, square // SIZE): tile for square, tile in table.squares.items()})
