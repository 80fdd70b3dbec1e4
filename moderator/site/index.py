"""The first page: what is being played, what has ended of late, what is new; and all matches by year."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from moderator.games import REGISTRY, load_game
from moderator.rules.time.calendar import to_local_day
from moderator.site.layout import ListedMatch, SiteContent
from moderator.site.listed import RulingView
from moderator.site.tree import SiteFile
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import MatchSuspended
from moderator.words import house_rulings

LATEST = 30
"""Finished matches on the first page."""
RULINGS = 8
"""New ones there."""


def iter_index_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield ``index.html``, ``matches.html`` and ``matches-2026.html`` in each language."""
    words = site.rulings[:RULINGS]
    running = [match for match in site.matches if not match.over]
    over = list_latest_finished(site)
    key = site.compute_key("index", running, over[:LATEST], len(over), site.tournaments, words)
    years: dict[int, list[ListedMatch]] = {}
    for match in over:
        years.setdefault(_get_end_year(site, match), []).append(match)
    counts = {year: _group_by_game(matches) for year, matches in years.items()}
    told = {year: {game: len(rows) for game, rows in games.items()} for year, games in counts.items()}
    for language in site.languages:
        yield SiteFile(
            site.get_page_path("index.html", language),
            key,
            partial(_render_index, site, running, over, words, language),
        )
        make = partial(site.render_page, "matches.html.j2", "matches.html", language, running=len(running), years=told)
        yield SiteFile(
            site.get_page_path("matches.html", language), site.compute_key("matches", len(running), told), make
        )
        for year, games in counts.items():
            page = f"matches-{year}.html"
            make = partial(site.render_page, "year.html.j2", page, language, year=year, games=games)
            yield SiteFile(site.get_page_path(page, language), site.compute_key("year", years[year]), make)


def list_latest_finished(site: SiteContent) -> list[ListedMatch]:
    """Return the finished matches, the latest first."""
    over = [match for match in site.matches if match.over]
    return sorted(over, key=lambda match: (match.finished or match.started, match.id), reverse=True)


def _get_end_year(site: SiteContent, match: ListedMatch) -> int:
    end = match.finished or match.started
    return to_local_day(end, site.config.club.zone).year if end else 0


def _group_by_game(matches: Sequence[ListedMatch]) -> Mapping[str, list[ListedMatch]]:
    """Group the matches by game, the most played game first."""
    found: dict[str, list[ListedMatch]] = {}
    for match in matches:
        found.setdefault(match.game, []).append(match)
    return dict(sorted(found.items(), key=lambda one: (-len(one[1]), one[0])))


def _render_index(
    site: SiteContent,
    running: Sequence[ListedMatch],
    over: Sequence[ListedMatch],
    words: Sequence[RulingView],
    language: str,
) -> bytes:
    return site.render_page(
        "index.html.j2",
        "index.html",
        language,
        running=[(match, get_match_standing(site, match)) for match in running],
        finished=over[:LATEST],
        more=max(0, len(over) - LATEST),
        tournaments=[tournament for tournament in site.tournaments if not tournament.over],
        ended=[tournament for tournament in site.tournaments if tournament.over],
        words=words,
        games=frozenset(REGISTRY),
    )


# ---- where things stand ----
#
# How a running match stands: scores, and who is awaited.


@dataclass(frozen=True)
class MatchStanding:
    scores: tuple[int, ...] = ()
    """By seat; () where the log cannot be played again."""
    awaited: tuple[int, ...] = ()
    """Seats that have still to answer."""

    @property
    def leaders(self) -> tuple[int, ...]:
        """The seats in the lead; () while nobody is ahead."""
        if not self.scores or len(set(self.scores)) == 1:
            return ()
        return tuple(seat for seat, score in enumerate(self.scores) if score == max(self.scores))


def get_match_standing(site: SiteContent, match: ListedMatch) -> MatchStanding:
    """Return scores and missing moves of a match that is not over."""
    # In a game of words a ruling may decide who is in.
    ruled = (
        house_rulings.find_list_state(site.config.resolve_path(site.config.words.house))
        if load_game(match.game).uses_words
        else ""
    )
    key = f"{match.status} {match.entries} {ruled}"
    value = site.values.get_or_make("standing", match.id, key, lambda: asdict(_compute_standing(site, match)))
    return MatchStanding(tuple(value["scores"]), tuple(value["awaited"]))


def _compute_standing(site: SiteContent, match: ListedMatch) -> MatchStanding:
    try:
        live = site.work.cache.load_readonly(site.work.session, site.work.session.get_one(MatchRow, match.id))
    except MatchSuspended:
        return MatchStanding()
    return MatchStanding(tuple(live.table.state.scores), tuple(live.seats_awaited))
