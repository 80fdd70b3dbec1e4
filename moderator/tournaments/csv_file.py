"""Entrants and games as CSV, for spreadsheets: any number of seats, one line per entrant and one per seat of a game.

Written with commas; read with commas, semicolons or tabs, halves as ``1/2``, ``0.5``, ``0,5`` or ``½``. A name that
begins as a formula gets an apostrophe before it, which is taken off again. Games of no tournament (``RESULTS``) have a
day and the name of their game instead of a round.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from moderator.common.enums import GameKind
from moderator.common.errors import OperatorError
from moderator.tournaments.field import KINDS, Entrant, Game, Result, TournamentState, build_bye, build_result
from moderator.tournaments.ratings import SIGMA, RankedPlayer, Rating, estimate_rating

ENTRANTS: Final = ("number", "name", "rating", "joined", "left")
GAMES: Final = ("round", "table", "kind", "seat", "number", "name", "score", "points", "place", "forfeit")
RESULTS: Final = ("date", "game", "table", "seat", "name", "score", "points", "place", "forfeit", "moves")
RATINGS: Final = ("game", "place", "player", "rating", "games", "mu", "sigma")
NEEDED: Final = {
    ENTRANTS: ("number", "name"),
    GAMES: ("round", "table", "seat", "number"),
    RESULTS: ("date", "game", "table", "name"),
    RATINGS: ("game", "player", "rating"),
}
HIGHEST: Final = 5000
"""No rating is so high."""
FORMULA: Final = ("=", "+", "-", "@", "'", "\t")
Line = tuple[int, Mapping[str, str]]
"""(number of the line in the file, its cells by column)."""


class BadLine(OperatorError):
    """An error in a line of a CSV file; line 1 is that of the columns."""

    def __init__(self, line: int, message: str, hint: str = "") -> None:
        super().__init__(f"Line {line}: {message}", hint)
        self.line = line
        self.what = f"{message} {hint}".rstrip()


@dataclass(frozen=True)
class OldGame:
    """A finished game of no tournament, as its lines say it; nothing is known yet of day, game and names."""

    lines: tuple[int, ...]
    """Number of each player's line, in seat order."""
    date: str
    game: str
    names: tuple[str, ...]
    result: Result
    moves: tuple[int, ...]
    """Of each seat; () = it is not said."""


def format_entrants_csv(t: TournamentState) -> str:
    return _format_csv(
        ENTRANTS, ([e.number, escape_formula(e.name), f"{e.rating:g}", e.joined, e.left] for e in t.entrants)
    )


def format_games_csv(t: TournamentState) -> str:
    """Return the games as CSV. A running game has no score, points and place."""
    return _format_csv(GAMES, (line for game in t.games for line in _iter_seat_rows(t, game)))


def _iter_seat_rows(t: TournamentState, game: Game) -> Iterator[Sequence[object]]:
    for seat, number in enumerate(game.seats):
        head = (game.round, game.table, game.kind, seat + 1, number, escape_formula(t.get_entrant(number).name))
        result = game.result
        if result is None:
            yield (*head, "", "", "", "")
        else:
            lost = "yes" if seat in result.forfeits else ""
            yield (*head, result.scores[seat], result.points[seat], result.places[seat], lost)


def _format_csv(columns: Sequence[str], lines: Iterator[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else str(cell) for cell in line] for line in lines)
    return out.getvalue()


def escape_formula(name: str) -> str:
    """Return the name so that no spreadsheet takes it for a formula."""
    return f"'{name}" if name.startswith(FORMULA) else name


def parse_entrants_csv(text: str) -> tuple[Entrant, ...]:
    """Parse the entrants of a CSV text, by number. Needs the columns number and name. Raises OperatorError with the
    line and what to do."""
    found: dict[int, Entrant] = {}
    for number, cells in _iter_csv_lines(text, ENTRANTS):
        own = _parse_whole(cells, "number", number, 1)
        if own in found:
            raise BadLine(number, f"entrant {own} stands there twice.", "Remove one line.")
        if not cells["name"]:
            raise BadLine(number, "the name is missing.", "Write it into the column name.")
        left = _parse_whole(cells, "left", number, 0) if cells["left"] else None
        joined = _parse_whole(cells, "joined", number, 1) if cells["joined"] else 1
        rating = float(_parse_fraction(cells, "rating", number)) if cells["rating"] else 0.0
        found[own] = Entrant(own, cells["name"].removeprefix("'"), rating, joined, left)
    return tuple(found[own] for own in sorted(found))


def parse_games_csv(text: str, entrants: Sequence[Entrant]) -> tuple[Game, ...]:
    """Parse the games of a CSV text, by round and table. Without a score the game runs; without points and place they
    follow from the scores. Raises OperatorError with the line and what to do."""
    known = {one.number for one in entrants}
    tables: dict[tuple[int, int], dict[int, Line]] = {}
    for number, cells in _iter_csv_lines(text, GAMES):
        if _parse_whole(cells, "number", number, 1) not in known:
            raise BadLine(number, f"nobody has the number {cells['number']}.", "Add it to the entrants.")
        seats = tables.setdefault(
            (_parse_whole(cells, "round", number, 1), _parse_whole(cells, "table", number, 1)), {}
        )
        seat = _parse_whole(cells, "seat", number, 1)
        if seat in seats:
            raise BadLine(number, f"seat {seat} stands there twice.", "Give each seat a line of its own.")
        seats[seat] = (number, cells)
    return tuple(_parse_game(round, table, tables[round, table]) for round, table in sorted(tables))


def _parse_game(round_number: int, table: int, lines: Mapping[int, Line]) -> Game:
    if sorted(lines) != list(range(1, len(lines) + 1)):
        number = min(number for number, _ in lines.values())
        raise BadLine(number, f"of round {round_number}, table {table} a seat is missing.", "Seats count from 1.")
    rows = [lines[seat] for seat in sorted(lines)]
    number, cells = rows[0]
    kind = cells["kind"] or ("bye" if len(rows) == 1 else "game")
    if kind not in KINDS:
        raise BadLine(number, f"there is no kind {kind!r}.", f"Possible: {', '.join(KINDS)}.")
    seats = tuple(int(cells["number"]) for _, cells in rows)
    try:
        return Game(round_number, table, seats, _parse_result(rows, kind), GameKind(kind))
    except ValueError as error:
        raise BadLine(
            number,
            f"round {round_number}, table {table} is no {kind} with {len(seats)} seats.",
            "A bye has one seat, a game several different ones.",
        ) from error


def _parse_result(rows: Sequence[Line], kind: str) -> Result | None:
    given = [bool(cells["score"] or cells["points"] or cells["place"]) for _, cells in rows]
    lost = {seat for seat, (_, cells) in enumerate(rows) if _is_yes(cells["forfeit"])}
    if not any(given) and not lost and kind == "game":
        return None
    number = rows[given.index(False)][0] if any(given) and not all(given) else 0
    if number:
        raise BadLine(number, "the score is missing.", "Give all seats a score, or none.")
    scores = [_parse_whole(cells, "score", line, None) if cells["score"] else 0 for line, cells in rows]
    result = build_result(_list_rank_values(rows, scores), lost) if len(rows) > 1 else build_bye(1, 1, 1).result
    assert result is not None
    points = tuple(
        _parse_fraction(c, "points", line) if c["points"] else p
        for (line, c), p in zip(rows, result.points, strict=True)
    )
    places = tuple(
        _parse_whole(c, "place", line, 1) if c["place"] else p for (line, c), p in zip(rows, result.places, strict=True)
    )
    return Result(tuple(scores), points, places, frozenset(lost))


def _list_rank_values(rows: Sequence[Line], scores: Sequence[int]) -> Sequence[int]:
    """Return what ranks the seats, more is better: the scores, or where there are none the places, or the points."""
    if not any(cells["score"] for _, cells in rows):
        if all(cells["place"] for _, cells in rows):
            return [-_parse_whole(cells, "place", line, 1) for line, cells in rows]
        if all(cells["points"] for _, cells in rows):
            points = [_parse_fraction(cells, "points", line) for line, cells in rows]
            return [sorted(points).index(one) for one in points]
    return scores


# ---- games of no tournament ----


def format_results_csv(games: Iterable[OldGame]) -> str:
    """Return games of no tournament as CSV; ``table`` numbers the games of a day."""
    return _format_csv(
        RESULTS, (line for table, game in enumerate(games, 1) for line in _iter_old_seat_rows(table, game))
    )


def _iter_old_seat_rows(table: int, game: OldGame) -> Iterator[Sequence[object]]:
    for seat, name in enumerate(game.names):
        lost = "yes" if seat in game.result.forfeits else ""
        scores = (game.result.scores[seat], "", game.result.places[seat])
        moves = game.moves[seat] if game.moves else ""
        yield (game.date, game.game, table, seat + 1, escape_formula(name), *scores, lost, moves)


def parse_results_csv(text: str) -> tuple[list[OldGame], list[BadLine]]:
    """Parse a CSV text: return the games in the order of their first lines, and what is wrong in others. Lines with the
    same day, game and table are one game; without seats they stand in seat order. Raises BadLine for a file without the
    columns."""
    tables: dict[tuple[str, str, str], list[Line]] = {}
    for number, cells in _iter_csv_lines(text, RESULTS):
        tables.setdefault((cells["date"], cells["game"], cells["table"]), []).append((number, cells))
    found: list[OldGame] = []
    wrong: list[BadLine] = []
    for (date, game, _), lines in tables.items():
        try:
            found.append(_parse_old_game(date, game, lines))
        except BadLine as error:
            wrong.append(error)
    return found, wrong


def _parse_old_game(date: str, game: str, lines: Sequence[Line]) -> OldGame:
    first = lines[0][0]
    if any(cells["seat"] for _, cells in lines):
        lines = sorted(lines, key=lambda line: _parse_whole(line[1], "seat", line[0], 1))
        if [int(cells["seat"]) for _, cells in lines] != list(range(1, len(lines) + 1)):
            raise BadLine(first, "of this game a seat is missing, or stands there twice.", "Seats count from 1.")
    result = _parse_result(lines, "game") if len(lines) > 1 else None
    if len(lines) < 2:
        raise BadLine(first, "nobody else has played this game.", "Its lines have the same date, game and table.")
    if result is None:
        raise BadLine(first, "how it ended is missing.", "Give all seats a score or a place.")
    _check_places(first, result)
    names = tuple(cells["name"].removeprefix("'") for _, cells in lines)
    said = all(cells["moves"] for _, cells in lines)
    moves = tuple(_parse_whole(cells, "moves", line, 0) for line, cells in lines) if said else ()
    return OldGame(tuple(line for line, _ in lines), date, game, names, result, moves)


def _check_places(line: int, result: Result) -> None:
    """Check that the places are a ranking. Seats that gave up may all have the last place, as we write it, or one in
    the ranking."""
    given = result.places
    plain = tuple(1 + sum(other < own for other in given) for own in given)
    if given not in (plain, build_result([-place for place in given], result.forfeits).places):
        said = ", ".join(map(str, given))
        raise BadLine(line, f"the places {said} are no ranking.", "The best is 1; after two who share it comes 3.")


# ---- ratings ----


@dataclass(frozen=True)
class OldRating:
    """A rating with which somebody begins, as its line says it."""

    line: int
    game: str
    name: str
    rating: Rating


def format_ratings_csv(lists: Mapping[str, Sequence[RankedPlayer]]) -> str:
    """Return the rating list of each game as CSV; ``RankedPlayer.player`` is a name."""
    return _format_csv(RATINGS, (_build_rating_row(game, one) for game, ranked in lists.items() for one in ranked))


def _build_rating_row(game: str, one: RankedPlayer) -> Sequence[object]:
    return (
        game,
        one.place,
        escape_formula(one.player),
        one.rating.rounded,
        one.rating.games,
        *format_mu_sigma(one.rating),
    )


def format_mu_sigma(rating: Rating) -> tuple[str, str]:
    """Return mu and sigma as they stand in a list."""
    return f"{rating.mu:.4f}", f"{rating.sigma:.4f}"


def parse_ratings_csv(text: str) -> tuple[list[OldRating], list[BadLine]]:
    """Parse a CSV text: return the ratings line by line, and what is wrong in others. Without mu the number shown says
    it; without sigma the number of games. Raises BadLine for a file without the columns."""
    found: list[OldRating] = []
    wrong: list[BadLine] = []
    for line, cells in _iter_csv_lines(text, RATINGS):
        try:
            games = _parse_whole(cells, "games", line, 0) if cells["games"] else 0
            shown = float(_parse_fraction(cells, "rating", line))
            if not 0 <= shown <= HIGHEST:
                raise BadLine(
                    line, f"rating is {cells['rating']!r}.", f"Write a number from 0 to {HIGHEST}; 1000 is a newcomer."
                )
            told = estimate_rating(shown, games)
            mu = float(_parse_fraction(cells, "mu", line)) if cells["mu"] else told.mu
            sigma = float(_parse_fraction(cells, "sigma", line)) if cells["sigma"] else told.sigma
            if not 0 < sigma <= 2 * SIGMA or Rating(mu).rounded != round(shown):
                raise BadLine(line, "mu and sigma are not those of this rating.", "Leave both empty.")
            found.append(OldRating(line, cells["game"], cells["player"].removeprefix("'"), Rating(mu, sigma, games)))
        except BadLine as error:
            wrong.append(error)
    return found, wrong


def _is_yes(text: str) -> bool:
    return text.casefold() in {"yes", "y", "ja", "j", "x", "1", "true"}


def _iter_csv_lines(text: str, columns: tuple[str, ...]) -> Iterator[Line]:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=head.count))
    try:
        names = [name.strip().casefold() for name in next(reader, [])]
        missing = [name for name in NEEDED[columns] if name not in names]
        if missing:
            raise BadLine(1, f"the column {missing[0]} is missing.", f"Columns: {', '.join(columns)}.")
        for cells in reader:
            if any(cell.strip() for cell in cells):
                padded: Any = zip(names, [cell.strip() for cell in cells] + [""] * len(names), strict=False)
                yield reader.line_num, dict.fromkeys(columns, "") | dict(padded)
    except csv.Error as error:
        raise BadLine(reader.line_num, f"this is no list ({error}).", "Export it as .csv again.") from error


def _parse_whole(cells: Mapping[str, str], column: str, line: int, least: int | None) -> int:
    try:
        value = int(cells[column])
    except ValueError:
        value = None
    if value is None or (least is not None and value < least):
        wanted = "a whole number" if least is None else f"a whole number from {least}"
        raise BadLine(line, f"{column} is {cells[column]!r}.", f"Write {wanted}.")
    return value


def _parse_fraction(cells: Mapping[str, str], column: str, line: int) -> Fraction:
    text = cells[column].replace("½", ".5" if len(cells[column]) > 1 else "0.5").replace(",", ".")
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError) as error:
        raise BadLine(line, f"{column} is {cells[column]!r}.", "Write a number such as 1 or 0.5.") from error
