"""The puzzles of the week: those whose solution was told, who has found it, and the table of each year. Of the one that
runs nothing but that it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from moderator.club import puzzles as club
from moderator.club.desk import Desk
from moderator.club.puzzles import Line
from moderator.match.contract import Note
from moderator.outbox.puzzle_mail import of_solvers, solution
from moderator.site.site import PUZZLES, Site
from moderator.site.tree import File
from moderator.states import MatchStatus
from moderator.store.models import Match


@dataclass(frozen=True)
class Solved:
    """A puzzle whose solution was told, of a match that is over still."""

    number: int
    year: int
    told: datetime
    game: str
    match: str
    """Code."""
    said: tuple[Note, ...]
    """The solution, and who found it."""


@dataclass(frozen=True)
class Running:
    number: int
    game: str
    until: datetime


def files(site: Site) -> Iterator[File]:
    """``puzzles.html`` in each language, from the first puzzle on."""
    if PUZZLES not in site.menu:
        return
    over, now = solved(site.desk), running(site.desk)
    tables = {year: club.table(site.desk, year) for year in dict.fromkeys(one.year for one in over)}
    for language in site.languages:
        make = partial(_page, site, over, tables, now)
        yield site.file(f"{PUZZLES}.html", language, site.key("puzzles", over, tables, now), make)


def solved(desk: Desk) -> tuple[Solved, ...]:
    """The newest first."""
    found = []
    for puzzle, who in club.over(desk):
        match = desk.session.get_one(Match, puzzle.match_id)
        if match.status == MatchStatus.FINISHED and puzzle.told_at is not None:
            said = (*solution(desk, puzzle), *of_solvers(who))
            year = club.year_of(desk, puzzle)
            found.append(Solved(puzzle.number, year, puzzle.told_at, match.game, match.code, said))
    return tuple(found)


def running(desk: Desk) -> Running | None:
    """The one that takes answers now; nothing that helps to solve it."""
    puzzle = club.current(desk)
    if puzzle is None:
        return None
    match = desk.session.get_one(Match, puzzle.match_id)
    return Running(puzzle.number, match.game, puzzle.until) if match.status == MatchStatus.FINISHED else None


def told_in(desk: Desk, since: datetime, until: datetime) -> tuple[Solved, ...]:
    """Those whose solution was told in that time, the oldest first."""
    return tuple(one for one in reversed(solved(desk)) if since <= one.told < until)


def _page(
    site: Site,
    over: Sequence[Solved],
    tables: Mapping[int, Sequence[Line]],
    now: Running | None,
    page: str,
    language: str,
) -> bytes:
    years = [(year, table, [one for one in over if one.year == year]) for year, table in tables.items()]
    return site.render("puzzles.html.j2", page, language, years=years, running=now)
