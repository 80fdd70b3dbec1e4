"""Rules of the tiles of Dominos: what may be agreed, what lies on the table, the open ends and what they count; and its
positions as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from moderator.common.errors import ConfigError, Illegal
from moderator.rules.codec import Audience, PositionCodec
from moderator.rules.game import FENCE, State
from moderator.rules.orders.conditions import AfterDraw
from moderator.rules.position import Diagram
from moderator.rules.state import Context

# ---- the double-six set: names, worth, order for the opening ----


SET = tuple(f"{high}{low}" for high in range(7) for low in range(high + 1))
"""All 28 tiles, the higher half first: 00 10 11 20 … 66. In this order they are shuffled."""


def build_domino_name(one: int, other: int) -> str:
    """Return the tile of two halves: ``build_domino_name(4, 6) == "64"``."""
    return f"{max(one, other)}{min(one, other)}"


def format_domino(name: str) -> str:
    """Return a tile as racks, lists and sentences print it: ``6ǀ4`` for ``64`` or ``6-4``. Anything else stays."""
    halves = name.replace("-", "")
    return FENCE.join(halves) if len(halves) == 2 and halves.isdecimal() else name


def is_double_domino(tile: str) -> bool:
    """Return whether a tile is a double. ``tile`` may be a name or a tile as it lies (``46``)."""
    return tile[0] == tile[1]


def count_pips(tiles: Iterable[str]) -> int:
    return sum(int(half) for tile in tiles for half in tile)


def rank_opening_domino(tile: str) -> tuple[bool, int, str]:
    """Return the key of the opening order: doubles above all others, then by pips, then by the higher half."""
    return is_double_domino(tile), count_pips([tile]), tile


def get_highest_domino(tiles: Iterable[str]) -> str:
    """Return the tile that opens. Raises ValueError if there is none."""
    return max(tiles, key=rank_opening_domino)


# ---- the line, the arms of the spinner, the open ends ----


PLACES = ("L", "R", "N", "S")


@dataclass(frozen=True, slots=True)
class DominoEnd:
    """An open end."""

    value: int
    """What a tile must show to be laid here."""
    counts: int
    """What it adds to the sum of the ends."""


@dataclass(frozen=True, slots=True)
class DominosBoard:
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
def get_open_ends(board: DominosBoard) -> Mapping[str, DominoEnd]:
    """Return the open ends by place, in the order L R N S; none while nothing lies."""
    line = board.line
    if not line:
        return {}
    left, right = int(line[0][0]), int(line[-1][1])
    if len(line) == 1:  # each side shows one half, of a double too
        found = {"L": DominoEnd(left, left), "R": DominoEnd(right, right)}
    else:
        found = {
            "L": DominoEnd(left, _compute_end_count(line[0], left)),
            "R": DominoEnd(right, _compute_end_count(line[-1], right)),
        }
    if has_open_arms(board) and board.spinner is not None:
        free = DominoEnd(int(line[board.spinner][0]), 0)
        for place, arm in (("N", board.north), ("S", board.south)):
            value = int(arm[-1][1]) if arm else 0
            found[place] = DominoEnd(value, _compute_end_count(arm[-1], value)) if arm else free
    return found


def has_open_arms(board: DominosBoard) -> bool:
    """Return whether N and S may be built on: both long sides of the spinner are taken, or the option says at any
    time."""
    at = board.spinner
    return at is not None and (board.any_time or 0 < at < len(board.line) - 1)


def _compute_end_count(tile: str, value: int) -> int:
    """Return what the last tile of an arm counts: a double both its halves."""
    return 2 * value if is_double_domino(tile) else value


def sum_open_ends(board: DominosBoard) -> int:
    """Return the sum of the open ends."""
    return sum(end.counts for end in get_open_ends(board).values())


def score_end_sum(end_sum: int) -> int:
    """Return the points of a move that leaves the ends with this sum."""
    return end_sum if end_sum % 5 == 0 else 0


def lay_domino(board: DominosBoard, tile: str, place: str) -> DominosBoard:
    """Return the board with one more tile; ``place`` is "" for the first. Raises Illegal (place-missing, place-closed,
    does-not-fit)."""
    if not board.line:
        spinner = 0 if is_double_domino(tile) else None
        return replace(board, line=(tile,), spinner=spinner, laid=((tile, ""),))
    value = _get_open_value(board, tile, place)
    other = tile[1] if int(tile[0]) == value else tile[0]
    outwards = f"{value}{other}"
    laid, spinner = (*board.laid, (tile, place)), board.spinner
    if place == "N":
        return replace(board, north=(*board.north, outwards), laid=laid)
    if place == "S":
        return replace(board, south=(*board.south, outwards), laid=laid)
    if place == "L":
        spinner = 0 if spinner is None and is_double_domino(tile) else None if spinner is None else spinner + 1
        return replace(board, line=(outwards[::-1], *board.line), spinner=spinner, laid=laid)
    spinner = len(board.line) if spinner is None and is_double_domino(tile) else spinner
    return replace(board, line=(*board.line, outwards), spinner=spinner, laid=laid)


def _get_open_value(board: DominosBoard, tile: str, place: str) -> int:
    """Return the number that the tile meets at ``place``. Raises Illegal."""
    now = get_open_ends(board)
    shown = {name: end.value for name, end in now.items()}
    if not place:
        code = "place-missing" if list_fitting_places(board, tile) else "does-not-fit"
        raise Illegal(code, tile=tile, ends=shown)
    if place not in now:
        raise Illegal("place-closed" if board.spinner is not None else "no-spinner", place=place, ends=shown)
    if str(now[place].value) not in tile:
        raise Illegal("does-not-fit", tile=tile, ends=shown)
    return now[place].value


def list_fitting_places(board: DominosBoard, tile: str) -> tuple[str, ...]:
    """Return the places where a tile fits, in the order L R N S; ("",) while nothing lies."""
    if not board.line:
        return ("",)
    return tuple(place for place, end in get_open_ends(board).items() if str(end.value) in tile)


def iter_domino_placements(board: DominosBoard, hand: tuple[str, ...]) -> Iterator[tuple[str, str, int]]:
    """Yield (tile, place, points) of everything that a hand can lay, in its order."""
    for tile in hand:
        for place in list_fitting_places(board, tile):
            yield tile, place, score_end_sum(sum_open_ends(lay_domino(board, tile, place)))


def list_laid_dominoes(board: DominosBoard) -> tuple[str, ...]:
    """Return the names of all tiles on the table, in the order in which they were laid."""
    return tuple(tile for tile, _ in board.laid)


def round_pips_down(hand: tuple[str, ...]) -> int:
    """Return the pips of a hand, rounded down to a multiple of five."""
    return count_pips(hand) // 5 * 5


# ---- options, moves, what everybody sees ----


@dataclass(frozen=True)
class DominosOptions:
    """The options that may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["sequential"] = "sequential"
    target: int = 100
    leader: Literal["highest_tile", "round_winner"] = "highest_tile"
    spinner_any_time: bool = False
    blocked_winner: Literal["highest_score", "lowest_hand"] = "highest_score"

    def __post_init__(self) -> None:
        if self.target < 1:
            raise ConfigError(f"target = {self.target} is too small.", "At least 1.")


@dataclass(frozen=True, slots=True)
class DominoPlacement:
    """The laying of a tile. ``place`` is L, R, N or S; "" for the first tile of a round, and where none was named and
    none fits. ``at_least``: only if it scores that many points."""

    tile: str
    place: str = ""
    at_least: int | None = None


Move = DominoPlacement | AfterDraw


@dataclass(frozen=True)
class DominosPublic:
    """The state that everybody sees."""

    options: DominosOptions
    board: DominosBoard
    gains: tuple[tuple[int, ...], ...] = ((), ())
    """Per seat the points won by laying in this round, in order."""
    round: int = 1
    leader: int = 0
    """Seat that opened this round, or is to."""
    last: int = 0
    """Seat that laid the last tile."""
    drew: int | None = None
    """Seat to move that had to draw in this turn."""


class DominosCodec(PositionCodec[DominosPublic]):
    """``laid``, in a diagram ``board``: the tiles as they were laid; ``gains``: points won by laying in this round;
    ``leader``, who opened it; ``last``, who laid last; ``drew``, who had to draw in this turn. What follows from
    ``laid`` saves working it out: ``line``, ``north`` and ``south``, tiles as they lie, ``spinner``, ``ends``,
    ``sum``."""

    def write(self, state: State[DominosPublic], audience: Audience) -> dict[str, Any]:
        public, board = state.public, state.public.board
        laid = [f"{tile}@{place}" if place else tile for tile, place in board.laid]
        facts = {"gains": public.gains, "leader": public.leader, "last": public.last}
        if audience is Audience.DIAGRAM:
            return {"turn": state.to_move[0], "board": laid, **facts, "drew": public.drew is not None}
        ends = {place: {"value": end.value, "counts": end.counts} for place, end in get_open_ends(board).items()}
        line, north, south = map(list, (board.line, board.north, board.south))
        spinner, total = board.spinner, sum_open_ends(board)
        if audience is Audience.SEAT:
            lying = {"laid": laid, "line": line, "north": north, "south": south, "spinner": spinner}
            return lying | {"ends": ends, "sum": total, "drew": public.drew}
        return {
            "round": public.round,
            "leader": public.leader,
            "ends": ends,
            "sum": total,
            "line": line,
            "arms": {"N": north, "S": south},
            "spinner": None if spinner is None else line[spinner],
            "laid": laid,
            "gains": [list(row) for row in public.gains],
        }

    def read(
        self, values: Diagram, options: DominosOptions, audience: Audience, ctx: Context | None
    ) -> State[DominosPublic]:
        is_diagram = audience is Audience.DIAGRAM
        seat = values.turn() if is_diagram else 0
        board = read_laid_dominoes(values, "board" if is_diagram else "laid", options)
        drew = values.who("drew") if not is_diagram else seat if values.flag("drew") else None
        leader, last = values.seat("leader"), values.seat("last", 1 - seat if is_diagram else 0)
        public = DominosPublic(options, board, values.gains(), values.round(), leader, last, drew)
        return State(public, (), (), (), (seat,))

    def find_tile(self, text: str) -> str | None:
        return find_domino(text)

    def list_box(self, state: State[DominosPublic]) -> tuple[str, ...]:
        return SET

    def list_lying(self, state: State[DominosPublic]) -> tuple[str, ...]:
        return list_laid_dominoes(state.public.board)


def find_domino(text: str) -> str | None:
    """Return the tile of a text, None for none. ``46`` and ``4-6`` are the tile 64, too."""
    halves = text.replace("-", "")
    name = build_domino_name(int(halves[0]), int(halves[1])) if len(halves) == 2 and halves.isdecimal() else ""
    return name if name in SET else None


def read_laid_dominoes(values: Diagram, key: str, options: DominosOptions) -> DominosBoard:
    """Return the board of ``["66", "62@L", "61@R"]``, tiles in the order in which they were laid."""
    board = DominosBoard(any_time=options.spinner_any_time)
    for n, entry in enumerate(values.lines(key)):
        text, _, place = entry.replace(" ", "").upper().partition("@")
        tile = find_domino(text)
        if tile is None:
            values.wrong((key, n), f"{entry!r} is no domino; expected for example 64 or 62@L.")
            break
        if tile in list_laid_dominoes(board):
            values.wrong((key, n), f"{tile} lies already.")
            break
        try:
            board = lay_domino(board, tile, place if board.line else "")
        except Illegal as error:
            values.wrong((key, n), f"{entry!r} cannot be laid there ({error.code}).")
            break
    return board
