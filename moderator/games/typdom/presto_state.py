"""Values of Presto: its options and what everybody sees; its positions as plain values, and back; a finished crossword:
its rows as they are drawn, top left square A1, its notation ``Gitter (EXAMEN / .B / .*AR)``, and a robot that finds
one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from moderator.common.errors import ConfigError, PlayerError, RecordError, Unreadable
from moderator.games.typdom.board import (
    SIZE,
    Placement,
    Run,
    TypdomTable,
    decode_table_squares,
    encode_table_squares,
    get_square_index,
    lay_typdom_word,
    list_square_neighbours,
    list_table_runs,
    split_starred_word,
)
from moderator.games.typdom.search import iter_typdom_placements
from moderator.games.typdom.state import check_option_range as check_option
from moderator.games.typdom.tiles import (
    BLACK,
    COUNTS,
    RED,
    STAR,
    VOWELS,
    colour,
    find_typdom_tile,
    remove_tiles_from_rack,
    to_rack_tile,
)
from moderator.rules.codec import Audience, PositionCodec
from moderator.rules.game import State, Words
from moderator.rules.position import PLAYERS, Diagram
from moderator.rules.state import Context
from moderator.words.kinds import UMLAUTS


@dataclass(frozen=True)
class PrestoOptions:
    """The options that may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["race"] = "race"
    rounds: int = 1
    target: int | None = None
    finish_with_one_left: bool = False
    policy: str = "typdom"
    unknown_words: Literal["reject", "ask"] = "reject"

    def __post_init__(self) -> None:
        check_option("rounds", self.rounds, 1, 99)
        if self.target is not None:
            check_option("target", self.target, 1, 999)
            if self.rounds != 1:
                raise ConfigError("rounds and target exclude each other.", "A match to a target takes what it takes.")


@dataclass(frozen=True)
class PrestoPublic:
    """The state that everybody sees. Layouts are secret until their round is over, see ``State.private``."""

    options: PrestoOptions
    round: int = 1
    finished: tuple[int, ...] = ()
    """Seats that have finished in this round, the first first."""
    gave_up: tuple[int, ...] = ()
    """Seats that are out of this round without a layout."""
    gains: tuple[int, ...] = ()
    """Per seat the points of this round."""
    last: tuple[tuple[int, CrosswordLayout], ...] = ()
    """(seat, layout) of those that finished the round before, or the last one of the match, the first first."""
    empty: int = 0
    """Rounds in a row that nobody finished."""


# ---- positions as plain values ----


class PrestoCodec(PositionCodec[PrestoPublic]):
    """``finished`` and ``gave_up``: seats; ``last``, in a record ``layouts``: the crosswords of the round before, as
    ``rows`` or ``squares``; in a diagram, per seat, ``layout``, the rows of a crossword that is right, and ``gains`` of
    this round; ``empty``: rounds in a row that nobody finished."""

    def write(self, state: State[PrestoPublic], audience: Audience) -> dict[str, Any]:
        public = state.public
        seats = {"finished": list(public.finished), "gave_up": list(public.gave_up)}
        if audience is Audience.DIAGRAM:
            layouts = tuple(list(own.rows) if isinstance(own, CrosswordLayout) else [] for own in state.private)
            return {**seats, "gains": public.gains, "empty": public.empty, "layout": layouts}
        if audience is Audience.SEAT:
            return {**seats, "last": [{"seat": seat, "rows": list(layout.rows)} for seat, layout in public.last]}
        last = [{"seat": seat, "squares": encode_table_squares(layout.table)} for seat, layout in public.last]
        return {"squares": last[0]["squares"] if last else {}, "layouts": last, "round": public.round, **seats}

    def read(
        self, values: Diagram, options: PrestoOptions, audience: Audience, ctx: Context | None
    ) -> State[PrestoPublic]:
        seats = range(values.seats)
        finished, gave_up = values.several("finished"), values.several("gave_up")
        gains = values.per_seat(lambda seat: values.whole("gains", seat=seat))
        public = PrestoPublic(options, values.round(), finished, gave_up, gains)
        private: tuple[CrosswordLayout | None, ...] = ()
        if audience is Audience.DIAGRAM:
            public = replace(public, empty=values.whole("empty"))
            private = values.per_seat(lambda seat: _read_layout(values, seat))
            drawn = {seat for seat in seats if private[seat] is not None}
            if drawn != set(finished) or len(finished) > len(drawn):
                values.wrong(("finished",), "those who have finished, and nobody else, have a layout.")
        else:
            rows = audience is Audience.SEAT
            last = values.get("last" if rows else "layouts")
            found = [
                (int(one["seat"]), parse_crossword_rows(one["rows"], "") if rows else _read_squares(one))
                for one in last
            ]
            if not {seat for seat, _ in found} <= set(seats):
                raise RecordError("A crossword is of no seat.")
            public = replace(public, last=tuple(found))
        to_move = tuple(seat for seat in seats if seat not in finished and seat not in gave_up)
        return State(public, (), (), (), to_move, private)

    def find_tile(self, text: str) -> str | None:
        return find_typdom_tile(text)

    def list_box(self, state: State[PrestoPublic]) -> tuple[str, ...]:
        return *RED, *BLACK

    def list_lying(self, state: State[PrestoPublic]) -> list[str]:
        return [tile for own in state.private if own is not None for tile in count_used_tiles(own).elements()]

    def read_hands(self, values: Diagram, state: State[PrestoPublic]) -> tuple[tuple[str, ...], ...]:
        return values.racks(find_typdom_tile, state.public.finished)


def _read_squares(values: Mapping[str, Any]) -> CrosswordLayout:
    squares = decode_table_squares(values["squares"]).squares
    return build_crossword({(at % SIZE, at // SIZE): tile for at, tile in squares.items()})


def _read_layout(values: Diagram, seat: int) -> CrosswordLayout | None:
    rows = values.lines("layout", seat)
    try:
        return parse_crossword_rows(rows, "") if rows else None
    except PlayerError as error:
        values.wrong((PLAYERS, seat, "layout"), f"this is no crossword ({error.code}).")
        return None


EMPTY = "."
Squares = Mapping[tuple[int, int], str]
"""(column, row), both from any number on -> ``E``, or ``*E`` where a jolly stands for it."""

_CELL = re.compile(r"\*[A-Z]|[A-Z]|\.")


@dataclass(frozen=True, slots=True)
class CrosswordLayout:
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
    def table(self) -> TypdomTable:
        """The tiles on a table of their own, the top left square A1."""
        return TypdomTable(SIZE, {y * SIZE + x: tile for (x, y), tile in self.squares.items()})

    @property
    def width(self) -> int:
        """The number of columns."""
        return max(len(_CELL.findall(row)) for row in self.rows)


def build_crossword(squares: Squares) -> CrosswordLayout:
    """Build the drawing of some tiles, of which there is at least one."""
    return CrosswordLayout(build_crossword_rows(squares))


def build_crossword_rows(squares: Squares) -> tuple[str, ...]:
    """Build ``CrosswordLayout.rows`` of some tiles, of which there is at least one."""
    left, top = min(x for x, _ in squares), min(y for _, y in squares)
    rows = []
    for y in range(top, max(y for _, y in squares) + 1):
        last = max((x for x, line in squares if line == y), default=left - 1)
        rows.append("".join(squares.get((x, y), EMPTY) for x in range(left, last + 1)) or EMPTY)
    return tuple(rows)


def format_crossword(layout: CrosswordLayout) -> str:
    """Return ``Gitter (EXAMEN / .B / .*AR)``."""
    return f"Gitter ({' / '.join(layout.rows)})"


def parse_crossword_rows(rows: Sequence[str], line: str, hand: Iterable[str] = ()) -> CrosswordLayout:
    """Return the layout of drawn rows whose empty squares are ``.``; blanks mean nothing.

    One or two small letters among capitals are jollies, if the rack ``hand`` (of () nothing is known) holds any. Raises
    Unreadable: grid-umlaut, grid-letter, grid-star, grid-empty, grid-too-large, each with ``line``."""
    drawn = [row.replace(" ", "") for row in rows]
    held = tuple(hand)
    small = [c for row in drawn for c in row if c.islower()]
    big = sum(c.isupper() for row in drawn for c in row)
    marks = len(small) <= 2 < big and (not held or any(tile.startswith(STAR) for tile in held))
    squares: dict[tuple[int, int], str] = {}
    for y, row in enumerate(drawn):
        if marks:
            row = re.sub(r"(?<!\*)[a-z]", lambda found: STAR + found[0], row)
        for x, cell in enumerate(_parse_cells(row, line)):
            if cell != EMPTY:
                squares[x, y] = cell
    if not squares:
        raise Unreadable("grid-empty", line=line)
    layout = build_crossword(squares)
    if len(layout.rows) > SIZE or layout.width > SIZE:
        raise Unreadable("grid-too-large", line=line, most=SIZE)
    return layout


def _parse_cells(row: str, line: str) -> list[str]:
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


def merge_placed_words(words: Iterable[tuple[int, int, str, str]], line: str) -> CrosswordLayout:
    """Return the layout of words that were placed one by one: (column, row, direction, word with stars). Two words may
    share a square, and either may have the star. Raises Unreadable("two-letters", line, letters)."""
    squares: dict[tuple[int, int], str] = {}
    for column, row, direction, word in words:
        for n, tile in enumerate(split_starred_word(word)):
            at = (column + n, row) if direction == "w" else (column, row + n)
            other = squares.get(at, tile)
            if other[-1] != tile[-1]:
                raise Unreadable("two-letters", line=line, letters=sorted((other[-1], tile[-1])), word=word)
            squares[at] = max(other, tile, key=len)
    return build_crossword(squares)


def assign_jollies(layout: CrosswordLayout, hand: Iterable[str]) -> CrosswordLayout:
    """Return the layout with stars such that it takes as many tiles of the rack as can be. Those that stand there
    remain if they will do; else the jollies stand for the letters that the rack lacks."""
    held = Counter(hand)
    if not Counter(to_rack_tile(tile) for tile in layout.squares.values()) - held:
        return layout
    squares = {at: tile[-1] for at, tile in layout.squares.items()}
    lacking = Counter(squares.values()) - held
    free = {name: count for name, count in held.items() if name.startswith(STAR)}
    starred = [at for at, tile in layout.squares.items() if tile.startswith(STAR)]
    for at in (*starred, *squares):
        letter, jolly = squares[at], to_rack_tile(STAR + squares[at][-1])
        if lacking[letter] > 0 and free.get(jolly, 0) > 0:
            squares[at] = STAR + letter
            lacking[letter] -= 1
            free[jolly] -= 1
    return build_crossword(squares)


def list_connected_parts(table: TypdomTable) -> list[Run]:
    """Return the squares of each connected part, the largest first, of equal ones the upper."""
    left = set(table.squares)
    found: list[Run] = []
    while left:
        reached, waiting = set[int](), [min(left)]
        while waiting:
            square = waiting.pop()
            if square in left:
                left.remove(square)
                reached.add(square)
                waiting += list_square_neighbours(square, table.size)
        found.append(tuple(sorted(reached)))
    return sorted(found, key=lambda part: (-len(part), part))


def count_used_tiles(layout: CrosswordLayout) -> Counter[str]:
    """Return the tiles of a layout as they stand in a rack."""
    return Counter(to_rack_tile(tile) for tile in layout.squares.values())


def filter_by_colour(tiles: Iterable[str], name: str) -> list[str]:
    """Return the tiles that are ``red`` or ``black``."""
    return [tile for tile in tiles if colour(tile) == name]


def list_crossword_words(layout: CrosswordLayout) -> list[str]:
    """Return all words of a layout, across from the top, then down from the left."""
    table = layout.table
    return [
        table.get_run_text(run) for run in sorted(list_table_runs(table), key=lambda run: (run[1] - run[0] > 1, run))
    ]


def list_unused_tiles(layout: CrosswordLayout, hand: Sequence[str]) -> tuple[str, ...]:
    """Return the tiles of the rack that a layout does not use, in their order."""
    gone = Counter(to_rack_tile(tile) for tile in layout.squares.values())
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
class _SolverPosition:
    table: TypdomTable
    hand: tuple[str, ...]

    @property
    def cost(self) -> float:
        return _estimate_cost(self.hand)


def find_crossword(
    hand: Sequence[str], most_left: int, words: Words, listings: int = LISTINGS
) -> CrosswordLayout | None:
    """Return a crossword that leaves at most ``most_left`` tiles of the rack, the fewer the better; None if none was
    found in as many ``listings``."""
    # Whether the rack holds letters that are in no word, at least in no short one.
    wanted = {tile for tile in hand if not tile.startswith(STAR)}
    for word in words.playable(SHORT):
        wanted.difference_update(word)
        if not wanted:
            break
    if len(wanted) > most_left:
        return None
    here = [_SolverPosition(TypdomTable(SIZE), tuple(sorted(hand)))]
    budget = listings
    nearly: _SolverPosition | None = None
    while here and budget > 0:
        following: dict[tuple[tuple[int, str], ...], _SolverPosition] = {}
        for position in here[:budget]:
            budget -= 1
            for after in _list_best_positions(position, words):
                if not after.hand:
                    return _build_crossword(after.table)
                if len(after.hand) <= most_left and nearly is None:
                    nearly = after
                following.setdefault(tuple(sorted(after.table.squares.items())), after)
        ranked = sorted(following.values(), key=lambda one: one.cost)
        here = ranked[: KEPT_EARLY if ranked and len(ranked[0].hand) > EARLY else KEPT]
    return _build_crossword(nearly.table) if nearly else None


def _list_best_positions(position: _SolverPosition, words: Words) -> list[_SolverPosition]:
    """Return the positions after the best words, each with other tiles left."""
    found: dict[tuple[str, ...], tuple[float, Placement]] = {}
    for place in _iter_placements(position, words):
        left = _compute_rest(position, place)
        if left not in found:
            found[left] = _estimate_cost(left), place
    chosen = sorted(found.values(), key=lambda one: (one[0], one[1].square, one[1].direction, one[1].word))
    positions = []
    for _, place in chosen[:BRANCHES]:
        laying = lay_typdom_word(position.table, place, position.hand)
        positions.append(_SolverPosition(laying.table, remove_tiles_from_rack(position.hand, laying.used_tiles)))
    return positions


def _iter_placements(position: _SolverPosition, words: Words) -> Iterator[Placement]:
    plain = [tile for tile in position.hand if not tile.startswith(STAR)]
    yield from islice(iter_typdom_placements(position.table, plain, words), MOST)
    if len(plain) < len(position.hand) <= FEW:
        yield from islice(iter_typdom_placements(position.table, position.hand, words), STARRED)


def _compute_rest(position: _SolverPosition, place: Placement) -> tuple[str, ...]:
    """Return the rack after a word."""
    at, step = get_square_index(place.square), position.table.get_step(place.direction)
    left = list(position.hand)
    for n, tile in enumerate(split_starred_word(place.word)):
        if at + n * step not in position.table.squares:
            left.remove(tile if len(tile) == 1 else "*r" if tile[-1] in VOWELS else "*b")
    return tuple(left)


def _estimate_cost(hand: Iterable[str]) -> float:
    """Estimate how hard it will be to get rid of these tiles."""
    counts = Counter(hand)
    size = sum(counts.values())
    vowels = sum(count for tile, count in counts.items() if tile in VOWELS)
    jollies = sum(count for tile, count in counts.items() if tile.startswith(STAR))
    hard = sum(HARD.get(tile, 0.0) * count + 0.3 * (count - 1) ** 2 for tile, count in counts.items())
    return size + hard + 1.5 * abs(vowels - BALANCE * (size - jollies)) - 0.5 * jollies


def _build_crossword(table: TypdomTable) -> CrosswordLayout:
    return build_crossword({(square % SIZE, square // SIZE): tile for square, tile in table.squares.items()})
