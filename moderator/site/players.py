"""The players: a list with the ratings of each game, and a page for everybody who sits in a match."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from moderator.site import curves
from moderator.site.careers import Careers, Record
from moderator.site.site import Listed, Site, Sitting, View
from moderator.site.tree import File
from moderator.tournament.rating import NEWCOMER

LATEST = 50
"""Finished matches on a player's page; more are found by year."""


@dataclass(frozen=True)
class Rated:
    """A line of a rating list."""

    place: int | None
    player: Sitting
    rating: int
    games: int


@dataclass(frozen=True)
class Counted:
    """A line of the list of players."""

    player: Sitting
    finished: int
    running: int
    won: int


def files(site: Site) -> Iterator[File]:
    """``players.html`` and ``players/7.html`` in each language; names stand in no address."""
    careers = Careers(site)
    rated = sorted(careers.sources.items())
    key = site.key("players", rated, tuple((match.id, match.status, match.seats) for match in site.matches))
    for language in site.languages:
        make = partial(_list, careers, "players.html", language)
        yield File(site.path("players.html", language), key, make)
    for player in site.people:
        matches = careers.matches[player]
        sources = [careers.sources.get((game, player), "") for game in sorted({match.game for match in matches})]
        key = site.key("player", matches, sources, careers.cups.get(player, ()))
        for language in site.languages:
            page = f"players/{player}.html"
            yield File(site.path(page, language), key, partial(_page, careers, player, page, language))


def _list(careers: Careers, page: str, language: str) -> bytes:
    site = careers.site
    lists = {game: _rated(careers, game) for game in careers.games}
    return site.render(
        "players.html.j2",
        page,
        language,
        players=sorted((_counted(careers, player) for player in site.people), key=_by_name),
        lists={game: rated for game, rated in lists.items() if rated},
    )


def _by_name(one: Counted) -> str:
    return one.player.name.casefold()


def _counted(careers: Careers, player: int) -> Counted:
    records = careers.records(player)
    return Counted(
        careers.site.people[player],
        sum(match.over for match in careers.matches[player]),
        sum(one.running for one in records),
        sum(one.won for one in records),
    )


def _rated(careers: Careers, game: str) -> tuple[Rated, ...]:
    people = careers.site.people
    return tuple(
        Rated(one.place, people[int(one.player)], one.rating.shown, one.rating.games) for one in careers.ranking(game)
    )


def _page(careers: Careers, player: int, page: str, language: str) -> bytes:
    site = careers.site
    records = careers.records(player)
    view = View(site, page, language)
    over = [match for match in careers.matches[player] if match.over]
    best = sorted((one.best for one in records if one.best), key=lambda one: -one[0].points)
    return site.render(
        "player.html.j2",
        page,
        language,
        player=site.people[player],
        records=records,
        curves=tuple((one, curve) for one in records if (curve := _curve(one, view))),
        best=best,
        cups=careers.cups.get(player, ()),
        running=[match for match in careers.matches[player] if not match.over],
        finished=_newest_first(over)[:LATEST],
        more=max(0, len(over) - LATEST),
    )


def _newest_first(matches: list[Listed]) -> list[Listed]:
    return sorted(matches, key=lambda match: (match.finished is None, match.finished, match.id), reverse=True)


def _curve(record: Record, view: View) -> str:
    """With the days of the first and the last match below it."""
    if not record.course:
        return ""
    begin, end = (view.day(record.course[at][0].finished_at) for at in (0, -1))
    shown = [NEWCOMER.shown, *(rating.shown for _, rating in record.course)]
    spoken = view.t(
        "site.rating-says", game=view.game(record.game), count=len(record.course), first=shown[0], last=shown[-1]
    )
    return curves.ratings(shown, begin, end, spoken)
