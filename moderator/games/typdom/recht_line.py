"""The line of a word in the making: its ends, where an announced word can lie, what lies beside it."""

from __future__ import annotations

from collections.abc import Iterator

from moderator.games.typdom.board import Direction, Run, Table, run_through
from moderator.games.typdom.recht_state import Side


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
