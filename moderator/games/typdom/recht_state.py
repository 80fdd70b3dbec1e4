"""Values of »Wer behält recht?«: options, moves, the word in the making, the public state; all that as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from moderator.common.errors import Illegal, RecordError
from moderator.games.typdom import board
from moderator.games.typdom import state as common
from moderator.games.typdom.board import Direction, Run, TypdomTable, get_square_index, get_square_name, get_tile_run
from moderator.games.typdom.state import JollyExchange
from moderator.games.typdom.tiles import Colour, count_colours, deal_first_hands, to_rack_tile
from moderator.rules.game import BEFORE, Context, State
from moderator.rules.sequential import read_starter

Side = Literal["front", "back"]
SIDES: tuple[Side, ...] = ("front", "back")


@dataclass(frozen=True)
class RechtOptions(common.RestOptions):
    """The options that may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    buy_before_pass: bool = field(default=True, metadata={BEFORE: False})


# ---- moves ----


@dataclass(frozen=True, slots=True)
class RechtTile:
    """One tile to lay. ``letter`` is ``E``, or ``*E`` for a jolly; ``at`` is "front", "back", a square's name, or ""
    where the announced word must tell."""

    letter: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class RechtLaying:
    """The laying of a tile, or of more as a premium, with the announcement of a word.

    ``word`` is the announced one. With ``goes_on`` the standing announcement remains: then ``word`` is "" or that word,
    as a condition. ``direction`` is that of a new word, "" where it follows from the table."""

    tiles: tuple[RechtTile, ...]
    word: str = ""
    direction: Direction | Literal[""] = ""
    goes_on: bool = False
    exchanges: tuple[JollyExchange, ...] = ()


@dataclass(frozen=True, slots=True)
class RechtPurchase:
    """The purchase of a tile. The seat stays to move, unless it passes at once."""

    colour: Colour
    then_pass: bool = False
    exchanges: tuple[JollyExchange, ...] = ()


@dataclass(frozen=True, slots=True)
class RechtPass:
    """A turn that reports on: nothing is laid."""

    exchanges: tuple[JollyExchange, ...] = ()


@dataclass(frozen=True, slots=True)
class RechtCompletion:
    """The completion of one's own announcement where it can lie in several ways. ``square`` is that of its first
    letter."""

    square: str
    exchanges: tuple[JollyExchange, ...] = ()


Move = RechtLaying | RechtPurchase | RechtPass | RechtCompletion


# ---- the table ----


@dataclass(frozen=True, slots=True)
class WordInProgress:
    """The word in the making."""

    direction: Direction
    run: Run
    """Squares of the fragment."""
    word: str = ""
    """As announced; "" while no announcement stands (its author is out)."""
    author: int | None = None
    places: tuple[Run, ...] = ()
    """Where the announced word may come to lie, in reading order: all its squares."""


@dataclass(frozen=True, slots=True)
class FinishedWord:
    """The word completed last, which the next one has to cross."""

    direction: Direction
    run: Run


@dataclass(frozen=True)
class RechtPublic(common.TypdomPublic):
    """The state that everybody sees. ``passes``: turns in a row in which nothing was laid, bought or exchanged;
    ``runs``: words that the last move completed."""

    options: RechtOptions
    running: WordInProgress | None = None
    finished: FinishedWord | None = None
    bought: bool = False
    """The seat to move has bought in this turn."""
    completing: bool = False
    """The seat to move must complete its announcement and may choose where it lies."""
    gone: tuple[int, ...] = ()
    """Seats that could not complete their announcement, in that order."""


# ---- the line of a word in the making: its ends, where an announced word can lie, what lies beside it ----


def get_other_direction(direction: Direction) -> Direction:
    """Return the other direction."""
    return "s" if direction == "w" else "w"


def get_line_position(table: TypdomTable, direction: Direction, square: int) -> int:
    """Return the number of a square in its line, from 0."""
    return square % table.size if direction == "w" else square // table.size


def find_end_square(table: TypdomTable, direction: Direction, run: Run, side: Side) -> int | None:
    """Return the square right before or right behind a run; None at the edge of the table."""
    step = table.get_step(direction)
    if side == "front":
        return run[0] - step if get_line_position(table, direction, run[0]) else None
    return run[-1] + step if get_line_position(table, direction, run[-1]) < table.size - 1 else None


def lay_tile_on_table(table: TypdomTable, square: int, tile: str) -> TypdomTable:
    """Return the table with one more tile, ``E`` or ``*E``."""
    return TypdomTable(table.size, {**table.squares, square: tile})


def find_word_across(table: TypdomTable, direction: Direction, square: int, letter: str) -> str:
    """Return the word that a letter on a free square of the line would make across it; "" if none."""
    probe = lay_tile_on_table(table, square, letter)
    run = get_tile_run(probe, square, get_other_direction(direction))
    return probe.get_run_text(run) if len(run) > 1 else ""


def is_in_tile_square(table: TypdomTable, square: int) -> bool:
    """Return whether a lying tile is part of four in a square."""
    size, here = table.size, (square % table.size, square // table.size)
    for dx in (-1, 1):
        for dy in (-1, 1):
            corners = [(here[0] + a, here[1] + b) for a in (0, dx) for b in (0, dy)]
            inside = all(0 <= x < size and 0 <= y < size for x, y in corners)
            if inside and all(y * size + x in table.squares for x, y in corners):
                return True
    return False


def list_word_places(table: TypdomTable, direction: Direction, run: Run, word: str) -> tuple[Run, ...]:
    """Return all ways in which a word can come to lie over a run, the first square first: the tiles that lie in its
    line fit, and it touches nothing at its ends. The words across are not looked at."""
    return tuple(_iter_word_places(table, direction, run, word))


def _iter_word_places(table: TypdomTable, direction: Direction, run: Run, word: str) -> Iterator[Run]:
    step, text = table.get_step(direction), table.get_run_text(run)
    at = get_line_position(table, direction, run[0])
    for offset in range(len(word) - len(run), -1, -1):
        if word[offset : offset + len(run)] != text or at < offset or at - offset + len(word) > table.size:
            continue
        first = run[0] - offset * step
        squares = tuple(range(first, first + len(word) * step, step))
        ends = (find_end_square(table, direction, squares, "front"), find_end_square(table, direction, squares, "back"))
        if any(square in table.squares for square in ends):
            continue
        if all(table.get_letter(square) in ("", letter) for square, letter in zip(squares, word, strict=True)):
            yield squares


def list_words_across(table: TypdomTable, direction: Direction, place: Run, word: str) -> tuple[str, ...]:
    """Return the words that a word makes across its line on the squares that are still free."""
    pairs = zip(place, word, strict=True)
    found = (find_word_across(table, direction, s, letter) for s, letter in pairs if s not in table.squares)
    return tuple(text for text in found if text)


# ---- a game as plain values: what a record may fix of the first one, and what is exported ----


HINT = (
    'For example {"squares": {"T20": "A"}, '
    '"running": {"square": "T20", "direction": "s", "word": "NAHT", "author": 1}}.'
)


def deal_recht_match(
    seats: int, options: RechtOptions, ctx: Context, fixed: Mapping[str, Any]
) -> tuple[State[RechtPublic], int | None]:
    """Return (the first deal, with nobody to move; the seat that a record lets begin). Raises OperatorError,
    RecordError."""
    public = _parse_board(fixed.get("board") or {}, options, seats, ctx)
    lying = [to_rack_tile(tile) for tile in public.table.squares.values()]
    hands, stock = deal_first_hands(fixed, seats, options.dealt_colours, ctx.shuffle, lying)
    starter = read_starter(fixed, seats)
    public = replace(public, left=count_colours(stock), gains=((),) * seats)
    return State(public, hands, stock, (0,) * seats, ()), starter


def _parse_board(values: Any, options: RechtOptions, seats: int, ctx: Context) -> RechtPublic:
    """Return the table of squares, or of {"squares", "running", "finished"} as they are exported. Raises
    RecordError."""
    whole = isinstance(values, Mapping) and "squares" in values
    if whole and (unknown := set(values) - {"squares", "running", "finished"}):
        raise RecordError(f"board: {', '.join(sorted(map(str, unknown)))} is not known.", HINT)
    table = board.decode_table_squares(values["squares"] if whole else values, options.table_size)
    public = RechtPublic(options=options, table=table)
    if not whole:
        return public
    running, finished = values.get("running"), values.get("finished")
    if running:
        public = replace(public, running=_parse_running(running, table, seats, ctx))
    if finished:
        direction, run = _parse_run(finished, table, "finished")
        public = replace(public, finished=FinishedWord(direction, run))
    return public


def _parse_run(values: Any, table: TypdomTable, where: str) -> tuple[Direction, Run]:
    if not isinstance(values, Mapping) or values.get("direction") not in ("w", "s"):
        raise RecordError(f"board: {where} has the wrong shape.", HINT)
    squares = values.get("squares") or [values.get("square")]
    direction: Direction = "w" if values["direction"] == "w" else "s"
    try:
        first = get_square_index(str(squares[0]).upper(), table.size)
    except Illegal:
        raise RecordError(f"board: {where}: there is no square {squares[0]!r}.", HINT) from None
    if first not in table.squares:
        raise RecordError(f"board: {where}: nothing lies on {squares[0]}.", HINT)
    return direction, get_tile_run(table, first, direction)


def _parse_running(values: Any, table: TypdomTable, seats: int, ctx: Context) -> WordInProgress:
    direction, run = _parse_run(values, table, "running")
    word, author = values.get("word") or "", values.get("author")
    if not word:
        return WordInProgress(direction, run)
    if not isinstance(author, int) or not 0 <= author < seats:
        raise RecordError(f"board: running: author = {author!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    fitting = tuple(
        place
        for place in list_word_places(table, direction, run, str(word))
        if all(
            ctx.words.judge(text).ruling == "accept" for text in list_words_across(table, direction, place, str(word))
        )
    )
    if not fitting or len(word) <= len(run):
        raise RecordError(f"board: running: {word} cannot grow out of {table.get_run_text(run)}.", HINT)
    return WordInProgress(direction, run, str(word), author, fitting)


def encode_recht_public(public: RechtPublic) -> dict[str, Any]:
    """Return all that everybody sees as plain JSON; RULES.md lists the keys."""
    table, running, finished = public.table, public.running, public.finished
    return {
        "squares": board.encode_table_squares(table),
        "stock": dict(public.left),
        "round": public.round,
        "starter": public.starter,
        "stake": public.stake,
        "running": None if running is None else _encode_running(running, table),
        "finished": None if finished is None else _encode_run(finished.direction, finished.run, table),
        "passes": public.passes,
        "bought": public.bought,
        "completing": public.completing,
        "out": list(public.gone),
    }


def _encode_run(direction: Direction, run: Run, table: TypdomTable) -> dict[str, Any]:
    return {"squares": _list_square_names(run, table), "direction": direction, "letters": table.get_run_text(run)}


def _encode_running(running: WordInProgress, table: TypdomTable) -> dict[str, Any]:
    return {
        **_encode_run(running.direction, running.run, table),
        "word": running.word,
        "author": running.author,
        "places": [_list_square_names(place, table) for place in running.places],
    }


def _list_square_names(run: Run, table: TypdomTable) -> list[str]:
    return [get_square_name(square, table.size) for square in run]
