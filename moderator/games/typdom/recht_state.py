"""Values of »Wer behält recht?«: options, moves, the word in the making, the public state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from moderator.games.typdom import state as common
from moderator.games.typdom.board import Direction, Run, TypdomTable, get_tile_run
from moderator.games.typdom.state import JollyExchange
from moderator.games.typdom.tiles import Colour
from moderator.rules.game import BEFORE

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
