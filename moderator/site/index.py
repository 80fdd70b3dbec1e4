"""The first page: who plays here, the boards that moved last, the newest results; and all matches as cards, by year."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import nlargest
from typing import Any

from moderator.common.enums import TournamentStatus
from moderator.rules.time.calendar import to_local_day
from moderator.site import feeds, puzzles
from moderator.site.layout import PUZZLES, ListedMatch, PageView, SiteContent
from moderator.site.letter import format_month_name
from moderator.site.listed import ListedTournament
from moderator.site.standing import get_match_standing
from moderator.site.tournaments import TournamentPage
from moderator.site.tree import SiteFile
from moderator.store import matches_log

NEWEST = 3
"""Running matches on the first page."""
RESULTS = 8
"""Results there."""
LATEST = 12
"""Finished matches on the page of all; the rest stand by year."""
TOP = 5
"""Places of the running tournament."""


def iter_index_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield ``index.html``, ``matches.html`` and ``matches-2026.html`` in each language."""
    running = [match for match in site.matches if not match.over]
    over = site.finished
    years: dict[int, list[ListedMatch]] = {}
    for match in over:
        years.setdefault(_get_end_year(site, match), []).append(match)
    first = _FirstPage(site, running, over)
    shown = (first.tournament, first.puzzle, first.solved, f"{site.work.today:%Y-%m}")
    # A ruling on a word may decide who is awaited in a match that runs.
    index_key = site.compute_key("index", running, over[:RESULTS], site.people, site.rulings, *shown)
    matches_key = site.compute_key("matches", running, over[:LATEST], tuple(years), site.rulings)
    for language in site.languages:
        yield site.build_page_file("index.html", language, index_key, first.render)
        make = partial(_render_matches, site, running, over[:LATEST], tuple(years), 0)
        yield site.build_page_file("matches.html", language, matches_key, make)
        for year, matches in years.items():
            key = site.compute_key("year", matches, tuple(years))
            make = partial(_render_matches, site, (), matches, tuple(years), year)
            yield site.build_page_file(f"matches-{year}.html", language, key, make)


def _get_end_year(site: SiteContent, match: ListedMatch) -> int:
    end = match.finished or match.started
    return to_local_day(end, site.config.club.zone).year if end else 0


def _render_matches(
    site: SiteContent,
    running: Sequence[ListedMatch],
    finished: Sequence[ListedMatch],
    years: Sequence[int],
    year: int,
    page: str,
    language: str,
) -> bytes:
    return site.render_page(
        "matches.html.j2",
        page,
        language,
        running=[(match, get_match_standing(site, match)) for match in running],
        finished=finished,
        games=tuple(dict.fromkeys(match.game for match in (*running, *finished))),
        years=years,
        year=year,
    )


class _FirstPage:
    """What the first page shows besides the lists of matches."""

    def __init__(self, site: SiteContent, running: Sequence[ListedMatch], over: Sequence[ListedMatch]) -> None:
        self.site, self.running, self.over = site, running, over
        has_puzzles = PUZZLES in site.menu
        solved = puzzles.list_solved_puzzles(site.work.session, site.config) if has_puzzles else ()
        self.solved = next(iter(solved), None)
        self.puzzle = puzzles.find_running_puzzle(site.work) if has_puzzles else None
        going = (one for one in site.tournaments if one.status == TournamentStatus.RUNNING)
        self.tournament = next(going, None)

    def render(self, page: str, language: str) -> bytes:
        site, view = self.site, PageView(self.site, page, language)
        people = sum(not one.robot for one in site.people.values())
        games = {match.game for match in site.matches}
        today = site.work.today
        letter = view.t("site.letter", period=format_month_name(f"{today:%Y-%m}", language)) if site.matches else ""
        return site.render_page(
            "index.html.j2",
            page,
            language,
            people=people,
            games=len(games),
            running=[
                (match, get_match_standing(site, match), self._describe_newest(match, language))
                for match in self._list_newest()
            ],
            more=len(self.running) if len(self.running) > NEWEST else 0,
            finished=self.over[:RESULTS],
            top=_build_top(site, self.tournament) if self.tournament else None,
            puzzle=self.puzzle,
            solved=self.solved,
            letter=letter,
        )

    def _list_newest(self) -> list[ListedMatch]:
        """Return the running matches that moved last, those of people before those of robots alone."""
        moved = matches_log.load_latest_event_times(self.site.work.session)

        def get_age(match: ListedMatch) -> tuple[Any, ...]:
            people = any(not seat.robot for seat in match.seats)
            return people and not match.training, moved.get(match.id) or match.started, match.id

        return nlargest(NEWEST, self.running, key=get_age)

    def _describe_newest(self, match: ListedMatch, language: str) -> str:
        """Return the newest move in a sentence; "" before the first."""
        moments = feeds.list_match_moments(self.site, match)
        told = moments[-1].tell(language) if moments and moments[-1].order else None
        return told.lines[0] if told else ""


@dataclass(frozen=True)
class TournamentTop:
    """The first places of a tournament that runs."""

    tournament: ListedTournament
    rows: tuple[tuple[str, str, str], ...]
    """Place, name and points, "" on a ladder; () in a knock-out that runs."""


def _build_top(site: SiteContent, tournament: ListedTournament) -> TournamentTop:
    rows: Iterable[tuple[str, str, str]] = ()
    if table := next(iter(TournamentPage(site, tournament).tables), None):
        if table.cross is None:
            rows = ((str(place), name, "") for place, name in table.order[:TOP])
        else:
            rows = ((line.place, line.name, line.points) for line in table.cross.lines[:TOP])
    return TournamentTop(tournament, tuple(rows))
