"""The table: squares and their names, what may be laid where, and the table as a neutral drawing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from moderator.common.errors import Illegal, RecordError
from moderator.games.typdom.tiles import LETTERS, STAR, VOWELS, to_rack_tile
from moderator.rules.game import Cell, Grid

Direction = Literal["w", "s"]
Run = tuple[int, ...]
"""Squares of one run of tiles, in reading order."""

SIZE = 40
BUILT_UP = 3
"""A jolly with tiles on so many of its four sides cannot be exchanged any more."""


@dataclass(frozen=True)
class TypdomTable:
    """The tiles that lie. Squares are numbered row by row from 0 (A1) on; never changed in place."""

    size: int = SIZE
    squares: Mapping[int, str] = field(default_factory=dict)
    """Square -> ``E``, or ``*E`` where a jolly stands for it."""

    @property
    def start(self) -> int:
        """The square that the first word covers: T20 on a table of 40."""
        middle = self.size // 2 - 1
        return middle * self.size + middle

    def get_step(self, direction: Direction) -> int:
        """Return the distance from one square of a word to the next."""
        return 1 if direction == "w" else self.size

    def get_letter(self, square: int) -> str:
        """Return the letter that a square shows; "" if it is empty."""
        return self.squares.get(square, "")[-1:]

    def get_run_text(self, run: Run) -> str:
        """Return the letters of a run."""
        return "".join(self.squares[square][-1] for square in run)


@dataclass(frozen=True, slots=True)
class Placement:
    """The laying of a word. ``square`` is ``T20``, ``word`` in capitals with a star before each letter that a jolly
    stands for.

    ``named`` are the words that the player says arise besides."""

    square: str
    direction: Direction
    word: str
    named: tuple[str, ...] = ()


@dataclass(frozen=True)
class LaidWord:
    """A placement, worked out on a table."""

    laid: tuple[tuple[int, str], ...]
    """(square, tile as it lies: ``E`` or ``*E``) of every new tile, in reading order."""
    table: TypdomTable
    """The table afterwards."""
    runs: tuple[Run, ...]
    """Words with a new tile: the laid one first, then the crossing ones in reading order."""
    connects: bool
    """It joins letters of two or more words that lay there, which gives the right to a second word."""
    square: str
    direction: Direction

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.table.get_run_text(run) for run in self.runs)

    @property
    def used_tiles(self) -> tuple[str, ...]:
        """The tiles that leave the rack, as they stand there."""
        return tuple(to_rack_tile(tile) for _, tile in self.laid)

    @property
    def placement(self) -> Placement:
        """The placement in its canonical form: stars only where a jolly is laid now."""
        new = dict(self.laid)
        word = "".join(new.get(square, self.table.get_letter(square)) for square in self.runs[0])
        return Placement(self.square, self.direction, word)


# ---- squares ----


@cache
def list_column_names(size: int) -> tuple[str, ...]:
    """Return A … Z, AA … AN."""
    return tuple((LETTERS[n // 26 - 1] if n >= 26 else "") + LETTERS[n % 26] for n in range(size))


def get_square_name(square: int, size: int = SIZE) -> str:
    """Return ``T20`` for a square's number."""
    y, x = divmod(square, size)
    return f"{list_column_names(size)[x]}{y + 1}"


def get_example_squares(size: int) -> dict[str, str]:
    """Return the squares that sentences show, in the middle column of this table: T20, T19, T21, T22 on one of 40."""
    start = TypdomTable(size).start
    rows = {"middle": 0, "above": -1, "below": 1, "further": 2}
    return {which: get_square_name(start + down * size, size) for which, down in rows.items()}


def get_square_index(square: str, size: int = SIZE) -> int:
    """Return the number of the square of that name, column first. Raises Illegal("square-off-board", square, last)."""
    found = _map_square_numbers(size).get(square)
    if found is None:
        raise Illegal("square-off-board", square=square, last=get_square_name(size * size - 1, size))
    return found


@cache
def _map_square_numbers(size: int) -> Mapping[str, int]:
    """Return the numbers of all squares by name: a search asks for thousands."""
    return {get_square_name(square, size): square for square in range(size * size)}


def list_square_neighbours(square: int, size: int) -> list[int]:
    """Return the two to four squares beside a square."""
    y, x = divmod(square, size)
    around = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
    return [b * size + a for a, b in around if 0 <= a < size and 0 <= b < size]


def get_tile_run(table: TypdomTable, square: int, direction: Direction) -> Run:
    """Return the longest unbroken run of tiles through an occupied square."""
    step, size, squares = table.get_step(direction), table.size, table.squares
    line = square % size if direction == "w" else square // size
    first = last = square
    for _ in range(line):
        if first - step not in squares:
            break
        first -= step
    for _ in range(size - 1 - line):
        if last + step not in squares:
            break
        last += step
    return tuple(range(first, last + 1, step))


def list_table_runs(table: TypdomTable) -> tuple[Run, ...]:
    """Return all runs of two or more tiles, across first, each in reading order."""
    found: dict[Run, None] = {}
    directions: tuple[Direction, ...] = ("w", "s")
    for direction in directions:
        for square in sorted(table.squares):
            run = get_tile_run(table, square, direction)
            if len(run) > 1:
                found[run] = None
    return tuple(found)


# ---- laying ----


def split_starred_word(word: str) -> tuple[str, ...]:
    """Return ``TE*X`` -> ("T", "E", "*X")."""
    found: list[str] = []
    star = False
    for character in word:
        if character == STAR:
            star = True
            continue
        found.append(STAR + character if star else character)
        star = False
    return tuple(found)


def lay_typdom_word(table: TypdomTable, place: Placement, hand: Sequence[str]) -> LaidWord:
    """Work out a placement with the tiles of ``hand``; the dictionary is not asked. A star where a tile lies already
    means nothing.

    Raises Illegal: square-off-board, too-short, off-board, other-letter, nothing-laid, not-whole-word, no-start,
    not-connected, no-jolly, wrong-jolly, mark-jolly, not-your-letters.
    """
    wanted = split_starred_word(place.word)
    squares = _list_squares(table, place, len(wanted))
    plain = "".join(letter[-1] for letter in wanted)
    laid: list[tuple[int, str]] = []
    for square, letter in zip(squares, wanted, strict=True):
        shown = table.get_letter(square)
        if not shown:
            laid.append((square, letter))
        elif shown != letter[-1]:
            raise Illegal("other-letter", word=plain, square=get_square_name(square, table.size), letter=shown)
    if not laid:
        raise Illegal("nothing-laid", word=plain, square=place.square)
    after = TypdomTable(table.size, {**table.squares, **dict(laid)})
    run = get_tile_run(after, squares[0], place.direction)
    if run != squares:
        raise Illegal(
            "not-whole-word", word=plain, run=after.get_run_text(run), square=get_square_name(run[0], table.size)
        )
    if not table.squares:
        if table.start not in squares:
            raise Illegal("no-start", word=plain, square=get_square_name(table.start, table.size))
    elif not any(square in table.squares for square in squares):
        raise Illegal("not-connected", word=plain, square=place.square)
    _check_tiles(laid, squares, hand, place)
    across: Direction = "s" if place.direction == "w" else "w"
    crossing = [found for square, _ in laid if len(found := get_tile_run(after, square, across)) > 1]
    connects = _count_stretches(table, squares) > 1
    return LaidWord(tuple(laid), after, (run, *crossing), connects, place.square, place.direction)


def _list_squares(table: TypdomTable, place: Placement, length: int) -> Run:
    start = get_square_index(place.square, table.size)
    if length < 2:
        raise Illegal("too-short", word=place.word)
    y, x = divmod(start, table.size)
    room = table.size - (x if place.direction == "w" else y)
    if length > room:
        raise Illegal("off-board", word=place.word, square=place.square, room=room, length=length)
    step = table.get_step(place.direction)
    return tuple(range(start, start + length * step, step))


def _check_tiles(laid: Sequence[tuple[int, str]], squares: Run, hand: Sequence[str], place: Placement) -> None:
    used = Counter(to_rack_tile(tile) for _, tile in laid)
    missing = used - Counter(hand)
    if not missing:
        return
    for _, tile in laid:
        if tile.startswith(STAR) and to_rack_tile(tile) in missing:
            other = any(held.startswith(STAR) and held != to_rack_tile(tile) for held in hand)
            raise Illegal("wrong-jolly" if other else "no-jolly", letter=tile[-1], word=place.word)
    lacking = sorted(missing.elements())
    if not Counter(to_rack_tile(STAR + letter) for letter in lacking) - (Counter(hand) - used):
        letters, left = list(split_starred_word(place.word)), Counter(missing)
        for square, tile in laid:
            if left[tile] > 0:
                left[tile] -= 1
                letters[squares.index(square)] = STAR + tile
        raise Illegal("mark-jolly", letters=lacking, word=place.word, suggestion="".join(letters))
    raise Illegal("not-your-letters", letters=lacking, word=place.word)


def _count_stretches(table: TypdomTable, squares: Run) -> int:
    """Return how many stretches of lying tiles the squares of a new word hold. Each belongs to another word: a single
    tile to the one that crosses there, several side by side are a word themselves. So a word is joined to another one
    as soon as there are two; merely lengthening a word that others cross joins nothing."""
    lying = [square in table.squares for square in squares]
    return sum(now and not before for before, now in zip([False, *lying], lying, strict=False))


# ---- jollies on the table ----


def list_exchangeable_jollies(table: TypdomTable) -> tuple[int, ...]:
    """Return the squares of lying jollies that are not built up on three or more of their four sides."""
    jollies = (square for square, tile in table.squares.items() if tile.startswith(STAR))
    return tuple(sorted(square for square in jollies if not _is_built_up(table, square)))


def _is_built_up(table: TypdomTable, square: int) -> bool:
    return sum(beside in table.squares for beside in list_square_neighbours(square, table.size)) >= BUILT_UP


def exchange_jolly(
    table: TypdomTable, square: str, letter: str, hand: Sequence[str]
) -> tuple[TypdomTable, tuple[str, ...]]:
    """Return (table, hand) after a lying jolly was taken for the letter that it stands for.

    Raises Illegal: square-off-board, no-jolly-there, jolly-shows, jolly-built-up, not-your-letters."""
    at = get_square_index(square, table.size)
    tile = table.squares.get(at, "")
    if not tile.startswith(STAR):
        raise Illegal("no-jolly-there", square=square)
    if tile[-1] != letter:
        raise Illegal("jolly-shows", square=square, letter=tile[-1])
    if _is_built_up(table, at):
        raise Illegal("jolly-built-up", square=square)
    if letter not in hand:
        raise Illegal("not-your-letters", letters=[letter], word="")
    held = list(hand)
    held[held.index(letter)] = to_rack_tile(tile)
    return TypdomTable(table.size, {**table.squares, at: letter}), tuple(held)


# ---- as JSON ----


def encode_table_squares(table: TypdomTable) -> dict[str, str]:
    """Return {"T20": "E", "U20": "*A"}, row by row."""
    return {get_square_name(square, table.size): table.squares[square] for square in sorted(table.squares)}


def decode_table_squares(values: Any, size: int = SIZE) -> TypdomTable:
    """Return the table, as the opposite of ``encode_table_squares``, for a record's ``board``. Raises RecordError."""
    hint = 'Expected: {"T20": "E", "U20": "*A"}, capitals A-Z, a star before what a jolly stands for.'
    if not isinstance(values, Mapping):
        raise RecordError("board has the wrong shape.", hint)
    squares = {}
    for where, tile in values.items():
        if not isinstance(tile, str) or tile.removeprefix(STAR) not in set(LETTERS):
            raise RecordError(f"board: {tile!r} at {where} is no tile.", hint)
        try:
            squares[get_square_index(str(where).upper(), size)] = tile
        except Illegal:
            raise RecordError(f"board: there is no square {where!r} on a table of {size}.", hint) from None
    return TypdomTable(size, squares)


# ---- the drawing: the part in use and one ring around it, under its real coordinates ----


AROUND_START = 4
"""Squares that an empty table shows on each side of the start."""


def build_typdom_scene(table: TypdomTable, fresh: Collection[int] = (), runs: Iterable[Run] = ()) -> Grid:
    """Build the drawing: vowels round, consonants square, jollies marked. ``fresh``: squares of the last move's tiles;
    ``runs``: the words that it formed. An empty table shows the squares around the start."""
    left, top, right, bottom = _get_drawn_bounds(table)
    new = frozenset(fresh)
    cells = (
        Cell(
            x=square % table.size - left,
            y=square // table.size - top,
            letter=tile[-1],
            fresh=square in new,
            shape="round" if tile[-1] in VOWELS else "square",
            joker=tile.startswith(STAR),
        )
        for square, tile in sorted(table.squares.items())
    )
    start = (table.start % table.size - left, table.start // table.size - top)
    return Grid(
        columns=list_column_names(table.size)[left : right + 1],
        rows=tuple(str(y + 1) for y in range(top, bottom + 1)),
        cells=tuple(cells),
        shaded=frozenset() if table.squares else frozenset({start}),
        words=tuple(_get_run_frame(run, table.size, left, top) for run in runs),
    )


def _get_drawn_bounds(table: TypdomTable) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of the part that is drawn."""
    ring = 1 if table.squares else AROUND_START
    squares = table.squares or (table.start,)
    xs, ys = [square % table.size for square in squares], [square // table.size for square in squares]
    last = table.size - 1
    return max(0, min(xs) - ring), max(0, min(ys) - ring), min(last, max(xs) + ring), min(last, max(ys) + ring)


def _get_run_frame(run: Run, size: int, left: int, top: int) -> tuple[int, int, int, int]:
    return run[0] % size - left, run[0] // size - top, run[-1] % size - left, run[-1] // size - top
