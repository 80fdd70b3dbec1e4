"""A finished crossword of Presto: its rows as they are drawn, top left square A1, and its notation
``Gitter (EXAMEN / .B / .*AR)``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from moderator.errors import Unreadable
from moderator.games.typdom.board import SIZE, Run, Table, letters_of, neighbours
from moderator.games.typdom.tiles import STAR, as_held, colour
from moderator.lexicon.letters import UMLAUTS

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
