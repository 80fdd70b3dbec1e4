"""The puzzles of the week: those whose solution was told, who has found it, and the table of each year. Of the one that
runs nothing but that it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from moderator.common.enums import MatchStatus
from moderator.rules.game import Note
from moderator.service.desk import Desk
from moderator.site.layout import PUZZLES, SiteContent
from moderator.site.tree import SiteFile
from moderator.store.tables import MatchRow
from moderator.views import puzzles as club
from moderator.views.puzzle_mail import iter_solution_notes, iter_solver_notes
from moderator.views.puzzles import PuzzleTableLine


@dataclass(frozen=True)
class SolvedPuzzle:
    """A puzzle whose solution was published, from a match that is still finished."""

    number: int
    year: int
    told: datetime
    game: str
    match: str
    """Code."""
    said: tuple[Note, ...]
    """The solution, and who found it."""


@dataclass(frozen=True)
class RunningPuzzle:
    number: int
    game: str
    until: datetime


def iter_puzzle_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield ``puzzles.html`` in each language, from the first puzzle on."""
    if PUZZLES not in site.menu:
        return
    over, now = list_solved_puzzles(site.desk), find_running_puzzle(site.desk)
    tables = {year: club.build_puzzle_table(site.desk, year) for year in dict.fromkeys(one.year for one in over)}
    for language in site.languages:
        make = partial(_render_puzzle_page, site, over, tables, now)
        yield site.build_page_file(f"{PUZZLES}.html", language, site.compute_key("puzzles", over, tables, now), make)


def list_solved_puzzles(desk: Desk) -> tuple[SolvedPuzzle, ...]:
    """Return the puzzles whose solution was published, the newest first."""
    found = []
    for puzzle, who in club.list_resolved_puzzles(desk):
        match = desk.session.get_one(MatchRow, puzzle.match_id)
        if match.status == MatchStatus.FINISHED and puzzle.told_at is not None:
            said = (*iter_solution_notes(desk, puzzle), *iter_solver_notes(who))
            year = club.compute_puzzle_year(desk, puzzle)
            found.append(SolvedPuzzle(puzzle.number, year, puzzle.told_at, match.game, match.code, said))
    return tuple(found)


def find_running_puzzle(desk: Desk) -> RunningPuzzle | None:
    """Return the puzzle that takes answers now, with nothing that helps to solve it; None if there is none."""
    puzzle = club.find_current_puzzle(desk)
    if puzzle is None:
        return None
    match = desk.session.get_one(MatchRow, puzzle.match_id)
    return RunningPuzzle(puzzle.number, match.game, puzzle.until) if match.status == MatchStatus.FINISHED else None


def list_puzzles_solved_between(desk: Desk, since: datetime, until: datetime) -> tuple[SolvedPuzzle, ...]:
    """Return the puzzles whose solution was published in that time, the oldest first."""
    return tuple(one for one in reversed(list_solved_puzzles(desk)) if since <= one.told < until)


def _render_puzzle_page(
    site: SiteContent,
    over: Sequence[SolvedPuzzle],
    tables: Mapping[int, Sequence[PuzzleTableLine]],
    now: RunningPuzzle | None,
    page: str,
    language: str,
) -> bytes:
    years = [(year, table, [one for one in over if one.year == year]) for year, table in tables.items()]
    return site.render_page("puzzles.html.j2", page, language, years=years, running=now)
