"""The first page: what is being played, what has ended of late, what is new; and all matches by year."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from moderator.club.live_match import Suspended
from moderator.games import REGISTRY, load
from moderator.match.time.calendar import local_day
from moderator.site.rulings import ShownRuling
from moderator.site.site import Listed, Site
from moderator.site.tree import File
from moderator.store.models import Match
from moderator.words import house

LATEST = 30
"""Finished matches on the first page."""
RULINGS = 8
"""New ones there."""


def files(site: Site) -> Iterator[File]:
    """``index.html``, ``matches.html`` and ``matches-2026.html`` in each language."""
    words = site.rulings[:RULINGS]
    running = [match for match in site.matches if not match.over]
    over = finished(site)
    key = site.key("index", running, over[:LATEST], len(over), site.tournaments, words)
    years: dict[int, list[Listed]] = {}
    for match in over:
        years.setdefault(_year(site, match), []).append(match)
    counts = {year: _by_game(matches) for year, matches in years.items()}
    told = {year: {game: len(rows) for game, rows in games.items()} for year, games in counts.items()}
    for language in site.languages:
        yield File(site.path("index.html", language), key, partial(_index, site, running, over, words, language))
        make = partial(site.render, "matches.html.j2", "matches.html", language, running=len(running), years=told)
        yield File(site.path("matches.html", language), site.key("matches", len(running), told), make)
        for year, games in counts.items():
            page = f"matches-{year}.html"
            make = partial(site.render, "year.html.j2", page, language, year=year, games=games)
            yield File(site.path(page, language), site.key("year", years[year]), make)


def finished(site: Site) -> list[Listed]:
    """The latest first."""
    over = [match for match in site.matches if match.over]
    return sorted(over, key=lambda match: (match.finished or match.started, match.id), reverse=True)


def _year(site: Site, match: Listed) -> int:
    end = match.finished or match.started
    return local_day(end, site.config.club.zone).year if end else 0


def _by_game(matches: Sequence[Listed]) -> Mapping[str, list[Listed]]:
    """The most played first."""
    found: dict[str, list[Listed]] = {}
    for match in matches:
        found.setdefault(match.game, []).append(match)
    return dict(sorted(found.items(), key=lambda one: (-len(one[1]), one[0])))


def _index(
    site: Site, running: Sequence[Listed], over: Sequence[Listed], words: Sequence[ShownRuling], language: str
) -> bytes:
    return site.render(
        "index.html.j2",
        "index.html",
        language,
        running=[(match, standing(site, match)) for match in running],
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
class Standing:
    scores: tuple[int, ...] = ()
    """By seat; () where the log cannot be played again."""
    awaited: tuple[int, ...] = ()
    """Seats that have still to answer."""

    @property
    def leaders(self) -> tuple[int, ...]:
        """() while nobody is ahead."""
        if not self.scores or len(set(self.scores)) == 1:
            return ()
        return tuple(seat for seat, score in enumerate(self.scores) if score == max(self.scores))


def standing(site: Site, match: Listed) -> Standing:
    """Of a match that is not over."""
    # In a game of words a ruling may decide who is in.
    ruled = house.state(site.config.path(site.config.words.house)) if load(match.game).uses_words else ""
    key = f"{match.status} {match.entries} {ruled}"
    value = site.values.value("standing", match.id, key, lambda: asdict(_found(site, match)))
    return Standing(tuple(value["scores"]), tuple(value["awaited"]))


def _found(site: Site, match: Listed) -> Standing:
    try:
        live = site.desk.cache.look(site.desk.session, site.desk.session.get_one(Match, match.id))
    except Suspended:
        return Standing()
    return Standing(tuple(live.table.state.scores), tuple(live.missing))
