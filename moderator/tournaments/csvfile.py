"""Entrants and games as CSV, for spreadsheets: any number of seats, one line per entrant and one per seat of a game.

Written with commas; read with commas or semicolons, halves as ``1/2``, ``0.5``, ``0,5`` or ``½``. A name that begins as
a formula gets an apostrophe before it, which is taken off again.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from moderator.errors import OperatorError
from moderator.states import GameKind
from moderator.tournaments.field import KINDS, Entrant, Game, Result, TournamentState, bye, finished

ENTRANTS: Final = ("number", "name", "rating", "joined", "left")
GAMES: Final = ("round", "table", "kind", "seat", "number", "name", "score", "points", "place", "forfeit")
NEEDED: Final = {ENTRANTS: ("number", "name"), GAMES: ("round", "table", "seat", "number")}
FORMULA: Final = ("=", "+", "-", "@", "'", "\t")
Line = tuple[int, Mapping[str, str]]
"""(number of the line in the file, its cells by column)."""


def export_entrants(t: TournamentState) -> str:
    return _write(ENTRANTS, ([e.number, safe(e.name), f"{e.rating:g}", e.joined, e.left] for e in t.entrants))


def export_games(t: TournamentState) -> str:
    """A running game has no score, points and place."""
    return _write(GAMES, (line for game in t.games for line in _seats(t, game)))


def _seats(t: TournamentState, game: Game) -> Iterator[Sequence[object]]:
    for seat, number in enumerate(game.seats):
        head = (game.round, game.table, game.kind, seat + 1, number, safe(t.entrant(number).name))
        result = game.result
        if result is None:
            yield (*head, "", "", "", "")
        else:
            lost = "yes" if seat in result.forfeits else ""
            yield (*head, result.scores[seat], result.points[seat], result.places[seat], lost)


def _write(columns: Sequence[str], lines: Iterator[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else str(cell) for cell in line] for line in lines)
    return out.getvalue()


def safe(name: str) -> str:
    """The name so that no spreadsheet takes it for a formula."""
    return f"'{name}" if name.startswith(FORMULA) else name


def read_entrants(text: str) -> tuple[Entrant, ...]:
    """By number. Needs the columns number and name. Raises OperatorError with the line and what to do."""
    found: dict[int, Entrant] = {}
    for number, cells in _read(text, ENTRANTS):
        own = _whole(cells, "number", number, 1)
        if own in found:
            raise OperatorError(f"Line {number}: entrant {own} stands there twice.", "Remove one line.")
        if not cells["name"]:
            raise OperatorError(f"Line {number}: the name is missing.", "Write it into the column name.")
        left = _whole(cells, "left", number, 0) if cells["left"] else None
        joined = _whole(cells, "joined", number, 1) if cells["joined"] else 1
        rating = float(_fraction(cells, "rating", number)) if cells["rating"] else 0.0
        found[own] = Entrant(own, cells["name"].removeprefix("'"), rating, joined, left)
    return tuple(found[own] for own in sorted(found))


def read_games(text: str, entrants: Sequence[Entrant]) -> tuple[Game, ...]:
    """By round and table. Without a score the game runs; without points and place they follow from the scores.
    Raises OperatorError with the line and what to do."""
    known = {one.number for one in entrants}
    tables: dict[tuple[int, int], dict[int, Line]] = {}
    for number, cells in _read(text, GAMES):
        if _whole(cells, "number", number, 1) not in known:
            raise OperatorError(f"Line {number}: nobody has the number {cells['number']}.", "Add it to the entrants.")
        seats = tables.setdefault((_whole(cells, "round", number, 1), _whole(cells, "table", number, 1)), {})
        seat = _whole(cells, "seat", number, 1)
        if seat in seats:
            raise OperatorError(f"Line {number}: seat {seat} stands there twice.", "Give each seat a line of its own.")
        seats[seat] = (number, cells)
    return tuple(_game(round, table, tables[round, table]) for round, table in sorted(tables))


def _game(round: int, table: int, lines: Mapping[int, Line]) -> Game:
    if sorted(lines) != list(range(1, len(lines) + 1)):
        number = min(number for number, _ in lines.values())
        raise OperatorError(f"Line {number}: of round {round}, table {table} a seat is missing.", "Seats count from 1.")
    rows = [lines[seat] for seat in sorted(lines)]
    number, cells = rows[0]
    kind = cells["kind"] or ("bye" if len(rows) == 1 else "game")
    if kind not in KINDS:
        raise OperatorError(f"Line {number}: there is no kind {kind!r}.", f"Possible: {', '.join(KINDS)}.")
    seats = tuple(int(cells["number"]) for _, cells in rows)
    try:
        return Game(round, table, seats, _result(rows, kind), GameKind(kind))
    except ValueError as error:
        raise OperatorError(
            f"Line {number}: round {round}, table {table} is no {kind} with {len(seats)} seats.",
            "A bye has one seat, a game several different ones.",
        ) from error


def _result(rows: Sequence[Line], kind: str) -> Result | None:
    given = [bool(cells["score"] or cells["points"]) for _, cells in rows]
    lost = {seat for seat, (_, cells) in enumerate(rows) if _yes(cells["forfeit"])}
    if not any(given) and not lost and kind == "game":
        return None
    number = rows[given.index(False)][0] if any(given) and not all(given) else 0
    if number:
        raise OperatorError(f"Line {number}: the score is missing.", "Give all seats a score, or none.")
    scores = [_whole(cells, "score", line, None) if cells["score"] else 0 for line, cells in rows]
    result = finished(scores, lost) if len(rows) > 1 else bye(1, 1, 1).result
    assert result is not None
    points = tuple(
        _fraction(c, "points", line) if c["points"] else p for (line, c), p in zip(rows, result.points, strict=True)
    )
    places = tuple(
        _whole(c, "place", line, 1) if c["place"] else p for (line, c), p in zip(rows, result.places, strict=True)
    )
    return Result(tuple(scores), points, places, frozenset(lost))


def _yes(text: str) -> bool:
    return text.casefold() in {"yes", "y", "ja", "j", "x", "1", "true"}


def _read(text: str, columns: tuple[str, ...]) -> Iterator[Line]:
    text = text.removeprefix("\ufeff")
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";" if head.count(";") > head.count(",") else ",")
    names = [name.strip().casefold() for name in next(reader, [])]
    missing = [name for name in NEEDED[columns] if name not in names]
    if missing:
        raise OperatorError(f"Line 1: the column {missing[0]} is missing.", f"Columns: {', '.join(columns)}.")
    for cells in reader:
        if any(cell.strip() for cell in cells):
            padded: Any = zip(names, [cell.strip() for cell in cells] + [""] * len(names), strict=False)
            yield reader.line_num, dict.fromkeys(columns, "") | dict(padded)


def _whole(cells: Mapping[str, str], column: str, line: int, least: int | None) -> int:
    try:
        value = int(cells[column])
    except ValueError:
        value = None
    if value is None or (least is not None and value < least):
        wanted = "a whole number" if least is None else f"a whole number from {least}"
        raise OperatorError(f"Line {line}: {column} is {cells[column]!r}.", f"Write {wanted}.")
    return value


def _fraction(cells: Mapping[str, str], column: str, line: int) -> Fraction:
    text = cells[column].replace("½", ".5" if len(cells[column]) > 1 else "0.5").replace(",", ".")
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError) as error:
        raise OperatorError(
            f"Line {line}: {column} is {cells[column]!r}.", "Write a number such as 1 or 0.5."
        ) from error
