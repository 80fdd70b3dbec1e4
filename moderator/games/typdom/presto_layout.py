"""A finished crossword of Presto: its rows as they are drawn, top left square A1, its notation
``Gitter (EXAMEN / .B / .*AR)``, and a robot that finds one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from moderator.errors import Unreadable
from moderator.games.typdom.board import SIZE, Place, Run, Table, index, lay, letters_of, neighbours, words_on
from moderator.games.typdom.search import placements
from moderator.games.typdom.tiles import COUNTS, STAR, VOWELS, as_held, colour, take
from moderator.match.contract import Words
from moderator.words.letters import UMLAUTS

EMPTY = "."
Squares = Mapping[tuple[int, int], str]
"""(column, row), both from any number on -> ``E``, or ``*E`` where a jolly stands for it."""

_CELL = re.compile(r"\*[A-Z]|[A-Z]|\.")


@dataclass(frozen=True, slots=True)
class Layout:
    """A submission. ``rows``: from the top, ``.`` for an empty square, a star before what a jolly stands for; no empty
    row or column around it, nothing empty at the end of a row."""

    rows: tuple[str, ...]

    @property
    def squares(self) -> dict[tuple[int, int], str]:
        """(column, row) from 0 -> tile as it lies."""
        return {
            (x, y): cell
            for y, row in enumerate(self.rows)
            for x, cell in enumerate(_CELL.findall(row))
            if cell != EMPTY
        }

    @property
    def table(self) -> Table:
        """The tiles on a table of their own, the top left square A1."""
        return Table(SIZE, {y * SIZE + x: tile for (x, y), tile in self.squares.items()})

    @property
    def width(self) -> int:
        """Columns."""
        return max(len(_CELL.findall(row)) for row in self.rows)


def layout_of(squares: Squares) -> Layout:
    """The drawing of some tiles, of which there is at least one."""
    return Layout(rows_of(squares))


def rows_of(squares: Squares) -> tuple[str, ...]:
    """``Layout.rows`` of some tiles, of which there is at least one."""
    left, top = min(x for x, _ in squares), min(y for _, y in squares)
    rows = []
    for y in range(top, max(y for _, y in squares) + 1):
        last = max((x for x, line in squares if line == y), default=left - 1)
        rows.append("".join(squares.get((x, y), EMPTY) for x in range(left, last + 1)) or EMPTY)
    return tuple(rows)


def write(layout: Layout) -> str:
    """``Gitter (EXAMEN / .B / .*AR)``."""
    return f"Gitter ({' / '.join(layout.rows)})"


def read_rows(rows: Sequence[str], line: str, hand: Iterable[str] = ()) -> Layout:
    """The layout of drawn rows whose empty squares are ``.``; blanks mean nothing.

    One or two small letters among capitals are jollies, if the rack ``hand`` (of () nothing is known) holds any. Raises
    Unreadable: grid-umlaut, grid-letter, grid-star, grid-empty, grid-too-large, each with ``line``.
    """
    drawn = [row.replace(" ", "") for row in rows]
    held = tuple(hand)
    small = [c for row in drawn for c in row if c.islower()]
    big = sum(c.isupper() for row in drawn for c in row)
    marks = len(small) <= 2 < big and (not held or any(tile.startswith(STAR) for tile in held))
    squares: dict[tuple[int, int], str] = {}
    for y, row in enumerate(drawn):
        if marks:
            row = re.sub(r"(?<!\*)[a-z]", lambda found: STAR + found[0], row)
        for x, cell in enumerate(_cells(row, line)):
            if cell != EMPTY:
                squares[x, y] = cell
    if not squares:
        raise Unreadable("grid-empty", line=line)
    layout = layout_of(squares)
    if len(layout.rows) > SIZE or layout.width > SIZE:
        raise Unreadable("grid-too-large", line=line, most=SIZE)
    return layout


def _cells(row: str, line: str) -> list[str]:
    for character in row:
        if character.upper() in UMLAUTS or character in "ßẞ":
            raise Unreadable(
                "grid-umlaut", line=line, letter=character.upper(), letters=UMLAUTS.get(character.upper(), "SS")
            )
        if character != STAR and not _CELL.fullmatch(character.upper()):
            raise Unreadable("grid-letter", line=line, letter=character, row=row)
    cells = _CELL.findall(row.upper())
    if len("".join(cells)) < len(row):
        raise Unreadable("grid-star", line=line, row=row)
    return cells


def merge(words: Iterable[tuple[int, int, str, str]], line: str) -> Layout:
    """The layout of words that were placed one by one: (column, row, direction, word with stars). Two words may share a
    square, and either may have the star. Raises Unreadable("two-letters", line, letters)."""
    squares: dict[tuple[int, int], str] = {}
    for column, row, direction, word in words:
        for n, tile in enumerate(letters_of(word)):
            at = (column + n, row) if direction == "w" else (column, row + n)
            other = squares.get(at, tile)
            if other[-1] != tile[-1]:
                raise Unreadable("two-letters", line=line, letters=sorted((other[-1], tile[-1])), word=word)
            squares[at] = max(other, tile, key=len)
    return layout_of(squares)


def with_jollies(layout: Layout, hand: Iterable[str]) -> Layout:
    """The layout with stars such that it takes as many tiles of the rack as can be. Those that stand there are kept if
    they will do; else the jollies stand for the letters that the rack lacks."""
    held = Counter(hand)
    if not Counter(as_held(tile) for tile in layout.squares.values()) - held:
        return layout
    squares = {at: tile[-1] for at, tile in layout.squares.items()}
    lacking = Counter(squares.values()) - held
    free = {name: count for name, count in held.items() if name.startswith(STAR)}
    starred = [at for at, tile in layout.squares.items() if tile.startswith(STAR)]
    for at in (*starred, *squares):
        letter, jolly = squares[at], as_held(STAR + squares[at][-1])
        if lacking[letter] > 0 and free.get(jolly, 0) > 0:
            squares[at] = STAR + letter
            lacking[letter] -= 1
            free[jolly] -= 1
    return layout_of(squares)


def parts(table: Table) -> list[Run]:
    """The squares of each connected part, the largest first, of equal ones the upper."""
    left = set(table.squares)
    found: list[Run] = []
    while left:
        reached, waiting = set[int](), [min(left)]
        while waiting:
            square = waiting.pop()
            if square in left:
                left.remove(square)
                reached.add(square)
                waiting += neighbours(square, table.size)
        found.append(tuple(sorted(reached)))
    return sorted(found, key=lambda part: (-len(part), part))


def used(layout: Layout) -> Counter[str]:
    """The tiles of a layout as they stand in a rack."""
    return Counter(as_held(tile) for tile in layout.squares.values())


def of_colour(tiles: Iterable[str], name: str) -> list[str]:
    """Those that are ``red`` or ``black``."""
    return [tile for tile in tiles if colour(tile) == name]


def words_of(layout: Layout) -> list[str]:
    """All words of a layout, across from the top, then down from the left."""
    table = layout.table
    return [table.text(run) for run in sorted(words_on(table), key=lambda run: (run[1] - run[0] > 1, run))]


def left_over(layout: Layout, hand: Sequence[str]) -> tuple[str, ...]:
    """The tiles of the rack that a layout does not use, in their order."""
    gone = Counter(as_held(tile) for tile in layout.squares.values())
    kept = []
    for tile in hand:
        if gone[tile]:
            gone[tile] -= 1
        else:
            kept.append(tile)
    return tuple(kept)


# ---- a robot: lays its whole rack as one crossword, word by word, a few positions at a time ----
# Bounded, so it may find nothing where there is something.


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


def solve(hand: Sequence[str], most_left: int, words: Words, listings: int = LISTINGS) -> Layout | None:
    """A crossword that leaves at most ``most_left`` tiles of the rack, the fewer the better; None if none was found in
    as many ``listings``."""
    if _hopeless(hand, most_left, words):
        return None
    here = [_Position(Table(SIZE), tuple(sorted(hand)))]
    budget = listings
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
