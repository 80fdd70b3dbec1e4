"""Atom feeds (RFC 4287): of the site, of each match and of each tournament, in each language.

What they tell is read in feed_entries.py. Entries keep their ids for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from heapq import nlargest

from moderator.club import archive
from moderator.site.feed_entries import END, Entry, Logged, logged, match_entries, tournament_entries
from moderator.site.site import Listed, Site, View, masked
from moderator.site.tree import File
from moderator.store import events

MOST = 50


def files(site: Site) -> Iterator[File]:
    """``feed.atom``, ``matches/CODE.atom``, ``tournaments/T1.atom`` in each language."""
    tournaments = logged(site)
    made = _Feeds(site, tournaments)
    for language in site.languages:
        yield from _three(site, tournaments, made, language)


def _three(site: Site, tournaments: Sequence[Logged], made: _Feeds, language: str) -> Iterator[File]:
    since = made.since
    yield site.file("feed.atom", language, site.key("feed", since, site.matches, tournaments), made.whole)
    for match in site.matches:
        key = site.key("feed", since, match)
        yield site.file(f"matches/{match.code}.atom", language, key, partial(made.match, match))
    for tournament in tournaments:
        key = site.key("feed", since, tournament)
        yield site.file(
            f"tournaments/{tournament.listed.code}.atom", language, key, partial(made.tournament, tournament)
        )


@dataclass(frozen=True)
class Shown:
    """An entry with its address as the feed has it."""

    entry: Entry
    id: str
    link: str


class _Feeds:
    """Makes them; a match that several tell about is read once."""

    def __init__(self, site: Site, tournaments: Sequence[Logged]) -> None:
        self.site, self.tournaments = site, tournaments
        self.domain = site.config.mail.address.rpartition("@")[2].lower()
        self._told: dict[tuple[int, str], tuple[Entry, ...]] = {}

    @cached_property
    def first(self) -> datetime:
        """When the club's first match began."""
        return min((m.started for m in self.site.matches if m.started), default=self.site.desk.now)

    @property
    def since(self) -> int:
        """The year of that: from then on the club's ids are its own (RFC 4151)."""
        return self.first.year

    def match(self, match: Listed, page: str, language: str) -> bytes:
        title = {"game": View(self.site, page, language).game(match.game), "name": match.title}
        return self._atom(page, language, "feed-match", self._of(match, language), f"matches/{match.code}.html", title)

    def tournament(self, tournament: Logged, page: str, language: str) -> bytes:
        entries = tuple(tournament_entries(self.site, tournament, language))
        return self._atom(
            page,
            language,
            "feed-cup",
            entries,
            f"tournaments/{tournament.listed.code}.html",
            {"name": tournament.listed.name},
        )

    def whole(self, page: str, language: str) -> bytes:
        entries = [
            entry for tournament in self.tournaments for entry in tournament_entries(self.site, tournament, language)
        ]
        newest = nlargest(MOST, (*entries, *self._newest(language)), key=_age)
        return self._atom(page, language, "feed-all", newest, "index.html", {})

    def _newest(self, language: str) -> Iterator[Entry]:
        """Of all matches but those for training, the one that moved last first, until the others can't hold anything
        newer."""
        moved = events.latest_of_each(self.site.desk.session)
        told = [match for match in self.site.matches if match.started and not match.training]
        begun = [(moved.get(match.id) or match.started, match) for match in told]
        found: list[Entry] = []
        for at, match in sorted(begun, key=lambda one: (one[0], one[1].id), reverse=True):
            found = nlargest(MOST, found, key=_age)
            if len(found) == MOST and at is not None and found[-1].at >= at:
                break
            found += (
                self._of(match, language) if any(not seat.robot for seat in match.seats) else self._end(match, language)
            )
        yield from found

    def _end(self, match: Listed, language: str) -> list[Entry]:
        """All that the club's feed tells of a match of robots alone, which may make fifty moves in one run."""
        return [entry for entry in self._of(match, language) if entry.order == END]

    def _of(self, match: Listed, language: str) -> tuple[Entry, ...]:
        if (match.id, language) not in self._told:
            self._told[match.id, language] = tuple(match_entries(self.site, match, language))
        return self._told[match.id, language]

    def _atom(
        self, page: str, language: str, title: str, entries: Sequence[Entry], about: str, values: dict[str, str]
    ) -> bytes:
        """``about``: the page that the feed belongs to."""
        view = View(self.site, page, language)
        newest = nlargest(MOST, entries, key=_age)
        return self.site.render(
            "feed.atom.j2",
            page,
            language,
            id=self._id(language, page.removesuffix(".atom")),
            title=masked(view.t(f"site.{title}", club=self.site.config.club.name, **values)),
            updated=_stamp(newest[0].at if newest else self.first),
            alternate=self._address(view, about),
            itself=self._address(view, page),
            author=masked(self.site.config.club.name),
            entries=[Shown(entry, self._id(language, entry.id), self._address(view, entry.page)) for entry in newest],
            stamp=_stamp,
        )

    def _id(self, language: str, what: str) -> str:
        return f"tag:{self.domain},{self.since}:{language}/{what}"

    def _address(self, view: View, page: str) -> str:
        """Absolute where the site has an address."""
        return archive.address(self.site.config, self.site.path(page, view.lang)) or view.link(page)


def _age(entry: Entry) -> tuple[datetime, int, str]:
    return entry.at, entry.order, entry.id


def _stamp(when: datetime) -> str:
    """As RFC 3339 has it."""
    return f"{when:%Y-%m-%dT%H:%M:%S}Z"
