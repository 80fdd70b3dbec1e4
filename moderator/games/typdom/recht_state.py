"""Values of »Wer behält recht?«: options, moves, the word in the making, the public state; all that as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from moderator.errors import Illegal, RecordError
from moderator.games.typdom import board
from moderator.games.typdom import state as common
from moderator.games.typdom.board import Direction, Run, Table, index, name, run_through
from moderator.games.typdom.state import Exchange
from moderator.games.typdom.tiles import Colour, as_held, counted, dealt_first
from moderator.match.contract import BEFORE, Context, State
from moderator.match.sequential import read_starter

Side = Literal["front", "back"]
SIDES: tuple[Side, ...] = ("front", "back")


@dataclass(frozen=True)
class Options(common.RestOptions):
    """What may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    buy_before_pass: bool = field(default=True, metadata={BEFORE: False})


# ---- moves ----


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile to lay. ``letter`` is ``E``, or ``*E`` for a jolly; ``at`` is "front", "back", a square's name, or ""
    where the announced word must tell."""

    letter: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay a tile, or more as a premium, and announce a word.

    ``word`` is the announced one. With ``goes_on`` the standing announcement is kept: then ``word`` is "" or that word,
    as a condition. ``direction`` is that of a new word, "" where it follows from the table.
    """

    tiles: tuple[Tile, ...]
    word: str = ""
    direction: Direction | Literal[""] = ""
    goes_on: bool = False
    exchanges: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Buy:
    """Buy a tile. The seat stays to move, unless it passes at once."""

    colour: Colour
    then_pass: bool = False
    exchanges: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Pass:
    """Report on."""

    exchanges: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Complete:
    """Complete one's own announcement where it can lie in several ways. ``square`` is that of its first letter."""

    square: str
    exchanges: tuple[Exchange, ...] = ()


Move = Lay | Buy | Pass | Complete


# ---- the table ----


@dataclass(frozen=True, slots=True)
class Running:
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
class Finished:
    """The word completed last, which the next one has to cross."""

    direction: Direction
    run: Run


@dataclass(frozen=True)
class Public(common.Public):
    """What everybody sees. ``passes``: turns in a row in which nothing was laid, bought or exchanged; ``runs``: words
    that the last move completed."""

    options: Options
    running: Running | None = None
    finished: Finished | None = None
    bought: bool = False
    """The seat to move has bought in this turn."""
    completing: bool = False
    """The seat to move must complete its announcement and may choose where it lies."""
    gone: tuple[int, ...] = ()
    """Seats that could not complete their announcement, in that order."""


# ---- the line of a word in the making: its ends, where an announced word can lie, what lies beside it ----


def across(direction: Direction) -> Direction:
    """The other direction."""
    return "s" if direction == "w" else "w"


def position(table: Table, direction: Direction, square: int) -> int:
    """The number of a square in its line, from 0."""
    return square % table.size if direction == "w" else square // table.size


def end(table: Table, direction: Direction, run: Run, side: Side) -> int | None:
    """The square right before or right behind a run; None at the edge of the table."""
    step = table.step(direction)
    if side == "front":
        return run[0] - step if position(table, direction, run[0]) else None
    return run[-1] + step if position(table, direction, run[-1]) < table.size - 1 else None


def laid(table: Table, square: int, tile: str) -> Table:
    """The table with one more tile, ``E`` or ``*E``."""
    return Table(table.size, {**table.squares, square: tile})


def word_across(table: Table, direction: Direction, square: int, letter: str) -> str:
    """The word that a letter on a free square of the line would make across it; "" if none."""
    probe = laid(table, square, letter)
    run = run_through(probe, square, across(direction))
    return probe.text(run) if len(run) > 1 else ""


def makes_square(table: Table, square: int) -> bool:
    """Whether a lying tile is part of four in a square."""
    size, here = table.size, (square % table.size, square // table.size)
    for dx in (-1, 1):
        for dy in (-1, 1):
            corners = [(here[0] + a, here[1] + b) for a in (0, dx) for b in (0, dy)]
            inside = all(0 <= x < size and 0 <= y < size for x, y in corners)
            if inside and all(y * size + x in table.squares for x, y in corners):
                return True
    return False


def places(table: Table, direction: Direction, run: Run, word: str) -> tuple[Run, ...]:
    """All ways in which a word can come to lie over a run, the first square first: what lies in its line fits, and it
    touches nothing at its ends. The words across are not looked at."""
    return tuple(_places(table, direction, run, word))


def _places(table: Table, direction: Direction, run: Run, word: str) -> Iterator[Run]:
    step, text = table.step(direction), table.text(run)
    at = position(table, direction, run[0])
    for offset in range(len(word) - len(run), -1, -1):
        if word[offset : offset + len(run)] != text or at < offset or at - offset + len(word) > table.size:
            continue
        first = run[0] - offset * step
        squares = tuple(range(first, first + len(word) * step, step))
        ends = (end(table, direction, squares, "front"), end(table, direction, squares, "back"))
        if any(square in table.squares for square in ends):
            continue
        if all(table.letter(square) in ("", letter) for square, letter in zip(squares, word, strict=True)):
            yield squares


def words_across(table: Table, direction: Direction, place: Run, word: str) -> tuple[str, ...]:
    """The words that a word makes across its line on the squares that are still free."""
    pairs = zip(place, word, strict=True)
    found = (word_across(table, direction, s, letter) for s, letter in pairs if s not in table.squares)
    return tuple(text for text in found if text)


# ---- a game as plain values: what a record may fix of the first one, and what is exported ----


HINT = (
    'For example {"squares": {"T20": "A"}, '
    '"running": {"square": "T20", "direction": "s", "word": "NAHT", "author": 1}}.'
)


def first_state(
    seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any]
) -> tuple[State[Public], int | None]:
    """(the first deal, with nobody to move; the seat that a record lets begin). Raises OperatorError, RecordError."""
    public = _read_board(fixed.get("board") or {}, options, seats, ctx)
    lying = [as_held(tile) for tile in public.table.squares.values()]
    hands, stock = dealt_first(fixed, seats, options.hand, ctx.shuffle, lying)
    starter = read_starter(fixed, seats)
    public = replace(public, left=counted(stock), gains=((),) * seats)
    return State(public, hands, stock, (0,) * seats, ()), starter


def _read_board(values: Any, options: Options, seats: int, ctx: Context) -> Public:
    """Squares alone, or {"squares", "running", "finished"} as they are exported."""
    whole = isinstance(values, Mapping) and "squares" in values
    if whole and (unknown := set(values) - {"squares", "running", "finished"}):
        raise RecordError(f"board: {', '.join(sorted(map(str, unknown)))} is not known.", HINT)
    table = board.read(values["squares"] if whole else values, options.table_size)
    public = Public(options=options, table=table)
    if not whole:
        return public
    running, finished = values.get("running"), values.get("finished")
    if running:
        public = replace(public, running=_read_running(running, table, seats, ctx))
    if finished:
        direction, run = _read_run(finished, table, "finished")
        public = replace(public, finished=Finished(direction, run))
    return public


def _read_run(values: Any, table: Table, where: str) -> tuple[Direction, Run]:
    if not isinstance(values, Mapping) or values.get("direction") not in ("w", "s"):
        raise RecordError(f"board: {where} has the wrong shape.", HINT)
    squares = values.get("squares") or [values.get("square")]
    direction: Direction = "w" if values["direction"] == "w" else "s"
    try:
        first = index(str(squares[0]).upper(), table.size)
    except Illegal:
        raise RecordError(f"board: {where}: there is no square {squares[0]!r}.", HINT) from None
    if first not in table.squares:
        raise RecordError(f"board: {where}: nothing lies on {squares[0]}.", HINT)
    return direction, run_through(table, first, direction)


def _read_running(values: Any, table: Table, seats: int, ctx: Context) -> Running:
    direction, run = _read_run(values, table, "running")
    word, author = values.get("word") or "", values.get("author")
    if not word:
        return Running(direction, run)
    if not isinstance(author, int) or not 0 <= author < seats:
        raise RecordError(f"board: running: author = {author!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    fitting = tuple(
        place
        for place in places(table, direction, run, str(word))
        if all(ctx.words.judge(text).ruling == "accept" for text in words_across(table, direction, place, str(word)))
    )
    if not fitting or len(word) <= len(run):
        raise RecordError(f"board: running: {word} cannot grow out of {table.text(run)}.", HINT)
    return Running(direction, run, str(word), author, fitting)


def export(public: Public) -> dict[str, Any]:
    """What everybody sees as plain JSON; RULES.md lists the keys."""
    table, running, finished = public.table, public.running, public.finished
    return {
        "squares": board.export(table),
        "stock": dict(public.left),
        "round": public.round,
        "starter": public.starter,
        "stake": public.stake,
        "running": None if running is None else _running(running, table),
        "finished": None if finished is None else _run(finished.direction, finished.run, table),
        "passes": public.passes,
        "bought": public.bought,
        "completing": public.completing,
        "out": list(public.gone),
    }


def _run(direction: Direction, run: Run, table: Table) -> dict[str, Any]:
    return {"squares": _names(run, table), "direction": direction, "letters": table.text(run)}


def _running(running: Running, table: Table) -> dict[str, Any]:
    return {
        **_run(running.direction, running.run, table),
        "word": running.word,
        "author": running.author,
        "places": [_names(place, table) for place in running.places],
    }


def _names(run: Run, table: Table) -> list[str]:
    return [name(square, table.size) for square in run]
