"""Rules of the tiles of Dominos: what may be agreed, what lies on the table, the open ends and what they count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from moderator.errors import ConfigError, Illegal
from moderator.match.conditions import AfterDraw
from moderator.match.contract import FENCE

# ---- the double-six set: names, worth, order for the opening ----


SET = tuple(f"{high}{low}" for high in range(7) for low in range(high + 1))
"""All 28 tiles, the higher half first: 00 10 11 20 … 66. In this order they are shuffled."""


def named(one: int, other: int) -> str:
    """The tile of two halves: ``named(4, 6) == "64"``."""
    return f"{max(one, other)}{min(one, other)}"


def printed(name: str) -> str:
    """A tile as racks, lists and sentences print it: ``6ǀ4`` for ``64`` or ``6-4``. Anything else stays."""
    halves = name.replace("-", "")
    return FENCE.join(halves) if len(halves) == 2 and halves.isdecimal() else name


def double(tile: str) -> bool:
    """``tile`` may be a name or a tile as it lies (``46``)."""
    return tile[0] == tile[1]


def pips(tiles: Iterable[str]) -> int:
    return sum(int(half) for tile in tiles for half in tile)


def rank(tile: str) -> tuple[bool, int, str]:
    """Key of the opening order: doubles above all others, then by pips, then by the higher half."""
    return double(tile), pips([tile]), tile


def highest(tiles: Iterable[str]) -> str:
    """The tile that opens. ValueError if there is none."""
    return max(tiles, key=rank)


# ---- the line, the arms of the spinner, the open ends ----


PLACES = ("L", "R", "N", "S")


@dataclass(frozen=True, slots=True)
class End:
    """An open end."""

    value: int
    """What a tile must show to be laid here."""
    counts: int
    """What it adds to the sum of the ends."""


@dataclass(frozen=True, slots=True)
class Board:
    """The tiles of one round. Tiles in ``line`` and the arms are written as they lie: ``46`` is the tile 64."""

    line: tuple[str, ...] = ()
    """From left to right."""
    north: tuple[str, ...] = ()
    """From the spinner outwards, like ``south``."""
    south: tuple[str, ...] = ()
    spinner: int | None = None
    """Index in ``line`` of the first double of the round."""
    laid: tuple[tuple[str, str], ...] = ()
    """(tile, place) in the order in which they were laid; the first has no place."""
    any_time: bool = False
    """N and S are open as soon as the spinner lies."""


@lru_cache(maxsize=4096)
def ends(board: Board) -> Mapping[str, End]:
    """The open ends by place, in the order L R N S; none while nothing lies."""
    line = board.line
    if not line:
        return {}
    left, right = int(line[0][0]), int(line[-1][1])
    if len(line) == 1:  # each side shows one half, of a double too
        found = {"L": End(left, left), "R": End(right, right)}
    else:
        found = {"L": End(left, _counts(line[0], left)), "R": End(right, _counts(line[-1], right))}
    if arms_open(board) and board.spinner is not None:
        free = End(int(line[board.spinner][0]), 0)
        for place, arm in (("N", board.north), ("S", board.south)):
            value = int(arm[-1][1]) if arm else 0
            found[place] = End(value, _counts(arm[-1], value)) if arm else free
    return found


def arms_open(board: Board) -> bool:
    """Whether N and S may be built on: both long sides of the spinner are taken, or the option says at any time."""
    at = board.spinner
    return at is not None and (board.any_time or 0 < at < len(board.line) - 1)


def _counts(tile: str, value: int) -> int:
    """What the last tile of an arm counts: a double both its halves."""
    return 2 * value if double(tile) else value


def total(board: Board) -> int:
    """The sum of the open ends."""
    return sum(end.counts for end in ends(board).values())


def points(total: int) -> int:
    """What a move scores that leaves the ends with this sum."""
    return total if total % 5 == 0 else 0


def lay(board: Board, tile: str, place: str) -> Board:
    """The board with one more tile; ``place`` is "" for the first. Raises Illegal (place-missing, place-closed,
    does-not-fit)."""
    if not board.line:
        spinner = 0 if double(tile) else None
        return replace(board, line=(tile,), spinner=spinner, laid=((tile, ""),))
    value = _open_value(board, tile, place)
    other = tile[1] if int(tile[0]) == value else tile[0]
    outwards = f"{value}{other}"
    laid, spinner = (*board.laid, (tile, place)), board.spinner
    if place == "N":
        return replace(board, north=(*board.north, outwards), laid=laid)
    if place == "S":
        return replace(board, south=(*board.south, outwards), laid=laid)
    if place == "L":
        spinner = 0 if spinner is None and double(tile) else None if spinner is None else spinner + 1
        return replace(board, line=(outwards[::-1], *board.line), spinner=spinner, laid=laid)
    spinner = len(board.line) if spinner is None and double(tile) else spinner
    return replace(board, line=(*board.line, outwards), spinner=spinner, laid=laid)


def _open_value(board: Board, tile: str, place: str) -> int:
    """The number that the tile meets at ``place``. Raises Illegal."""
    now = ends(board)
    shown = {name: end.value for name, end in now.items()}
    if not place:
        code = "place-missing" if fitting(board, tile) else "does-not-fit"
        raise Illegal(code, tile=tile, ends=shown)
    if place not in now:
        raise Illegal("place-closed" if board.spinner is not None else "no-spinner", place=place, ends=shown)
    if str(now[place].value) not in tile:
        raise Illegal("does-not-fit", tile=tile, ends=shown)
    return now[place].value


def fitting(board: Board, tile: str) -> tuple[str, ...]:
    """The places where a tile fits, in the order L R N S; ("",) while nothing lies."""
    if not board.line:
        return ("",)
    return tuple(place for place, end in ends(board).items() if str(end.value) in tile)


def placements(board: Board, hand: tuple[str, ...]) -> Iterator[tuple[str, str, int]]:
    """(tile, place, points) of everything that a hand can lay, in its order."""
    for tile in hand:
        for place in fitting(board, tile):
            yield tile, place, points(total(lay(board, tile, place)))


def tiles(board: Board) -> tuple[str, ...]:
    """Names of all tiles on the table, in the order in which they were laid."""
    return tuple(tile for tile, _ in board.laid)


def rounded(hand: tuple[str, ...]) -> int:
    """The pips of a hand, rounded down to a multiple of five."""
    return pips(hand) // 5 * 5


# ---- options, moves, what everybody sees ----


@dataclass(frozen=True)
class Options:
    """What may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["sequential"] = "sequential"
    target: int = 100
    leader: Literal["highest_tile", "round_winner"] = "highest_tile"
    spinner_any_time: bool = False
    blocked_winner: Literal["highest_score", "lowest_hand"] = "highest_score"

    def __post_init__(self) -> None:
        if self.target < 1:
            raise ConfigError(f"target = {self.target} is too small.", "At least 1.")


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay a tile. ``place`` is L, R, N or S; "" for the first tile of a round, and where none was named and none
    fits. ``at_least``: only if it scores that many points."""

    tile: str
    place: str = ""
    at_least: int | None = None


Move = Lay | AfterDraw


@dataclass(frozen=True)
class Public:
    """What everybody sees."""

    options: Options
    board: Board
    gains: tuple[tuple[int, ...], ...] = ((), ())
    """Per seat the points won by laying in this round, in order."""
    round: int = 1
    leader: int = 0
    """Seat that opened this round, or is to."""
    last: int = 0
    """Seat that laid the last tile."""
    drew: int | None = None
    """Seat to move that had to draw in this turn."""
