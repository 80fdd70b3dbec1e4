"""Atom feeds (RFC 4287): of the site, of each match and of each tournament, in each language.

What they tell is read in feed_entries.py. Entries keep their ids for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from heapq import nlargest

from moderator.site.feed_entries import (
    END,
    FeedEntry,
    LoggedTournament,
    iter_match_entries,
    iter_tournament_entries,
    list_logged_tournaments,
)
from moderator.site.layout import ListedMatch, PageView, SiteContent, mask_addresses
from moderator.site.tree import SiteFile
from moderator.store import matches_log
from moderator.views import links

MOST = 50


def iter_feed_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield ``feed.atom``, ``matches/CODE.atom``, ``tournaments/T1.atom`` in each language."""
    tournaments = list_logged_tournaments(site)
    made = _FeedBuilder(site, tournaments)
    for language in site.languages:
        yield from _iter_language_feeds(site, tournaments, made, language)


def _iter_language_feeds(
    site: SiteContent, tournaments: Sequence[LoggedTournament], made: _FeedBuilder, language: str
) -> Iterator[SiteFile]:
    since = made.first_year
    yield site.build_page_file(
        "feed.atom", language, site.compute_key("feed", since, site.matches, tournaments), made.render_site_feed
    )
    for match in site.matches:
        key = site.compute_key("feed", since, match)
        yield site.build_page_file(f"matches/{match.code}.atom", language, key, partial(made.render_match_feed, match))
    for tournament in tournaments:
        key = site.compute_key("feed", since, tournament)
        yield site.build_page_file(
            f"tournaments/{tournament.listed.code}.atom",
            language,
            key,
            partial(made.render_tournament_feed, tournament),
        )


@dataclass(frozen=True)
class AddressedEntry:
    """An entry with its id and address as the feed has them."""

    entry: FeedEntry
    id: str
    link: str


class _FeedBuilder:
    """The feeds; a match that is in several of them is read once."""

    def __init__(self, site: SiteContent, tournaments: Sequence[LoggedTournament]) -> None:
        self.site, self.tournaments = site, tournaments
        self.domain = site.config.mail.address.rpartition("@")[2].lower()
        self._told: dict[tuple[int, str], tuple[FeedEntry, ...]] = {}

    @cached_property
    def first_start(self) -> datetime:
        """The time when the club's first match began."""
        return min((m.started for m in self.site.matches if m.started), default=self.site.desk.now)

    @property
    def first_year(self) -> int:
        """The year of ``first_start``: from then on the club's ids are its own (RFC 4151)."""
        return self.first_start.year

    def render_match_feed(self, match: ListedMatch, page: str, language: str) -> bytes:
        title = {"game": PageView(self.site, page, language).game(match.game), "name": match.title}
        return self._render_feed(
            page, language, "feed-match", self._list_match_entries(match, language), f"matches/{match.code}.html", title
        )

    def render_tournament_feed(self, tournament: LoggedTournament, page: str, language: str) -> bytes:
        entries = tuple(iter_tournament_entries(self.site, tournament, language))
        return self._render_feed(
            page,
            language,
            "feed-cup",
            entries,
            f"tournaments/{tournament.listed.code}.html",
            {"name": tournament.listed.name},
        )

    def render_site_feed(self, page: str, language: str) -> bytes:
        entries = [
            entry
            for tournament in self.tournaments
            for entry in iter_tournament_entries(self.site, tournament, language)
        ]
        newest = nlargest(MOST, (*entries, *self._iter_newest_entries(language)), key=_get_entry_age)
        return self._render_feed(page, language, "feed-all", newest, "index.html", {})

    def _iter_newest_entries(self, language: str) -> Iterator[FeedEntry]:
        """Yield the entries of all matches but those for training, the one that moved last first, until the others
        can't hold anything newer."""
        moved = matches_log.load_latest_event_times(self.site.desk.session)
        told = [match for match in self.site.matches if match.started and not match.training]
        begun = [(moved.get(match.id) or match.started, match) for match in told]
        found: list[FeedEntry] = []
        for at, match in sorted(begun, key=lambda one: (one[0], one[1].id), reverse=True):
            found = nlargest(MOST, found, key=_get_entry_age)
            if len(found) == MOST and at is not None and found[-1].at >= at:
                break
            found += (
                self._list_match_entries(match, language)
                if any(not seat.robot for seat in match.seats)
                else self._list_end_entries(match, language)
            )
        yield from found

    def _list_end_entries(self, match: ListedMatch, language: str) -> list[FeedEntry]:
        """Return the entries of the club's feed on a match of robots only, which may make fifty moves in one run: its
        end."""
        return [entry for entry in self._list_match_entries(match, language) if entry.order == END]

    def _list_match_entries(self, match: ListedMatch, language: str) -> tuple[FeedEntry, ...]:
        if (match.id, language) not in self._told:
            self._told[match.id, language] = tuple(iter_match_entries(self.site, match, language))
        return self._told[match.id, language]

    def _render_feed(
        self, page: str, language: str, title: str, entries: Sequence[FeedEntry], about: str, values: dict[str, str]
    ) -> bytes:
        """Return the feed. ``about``: the page that it belongs to."""
        view = PageView(self.site, page, language)
        newest = nlargest(MOST, entries, key=_get_entry_age)
        return self.site.render_page(
            "feed.atom.j2",
            page,
            language,
            id=self._format_id(language, page.removesuffix(".atom")),
            title=mask_addresses(view.t(f"site.{title}", club=self.site.config.club.name, **values)),
            updated=_format_rfc3339(newest[0].at if newest else self.first_start),
            alternate=self._format_address(view, about),
            itself=self._format_address(view, page),
            author=mask_addresses(self.site.config.club.name),
            entries=[
                AddressedEntry(entry, self._format_id(language, entry.id), self._format_address(view, entry.page))
                for entry in newest
            ],
            stamp=_format_rfc3339,
        )

    def _format_id(self, language: str, what: str) -> str:
        return f"tag:{self.domain},{self.first_year}:{language}/{what}"

    def _format_address(self, view: PageView, page: str) -> str:
        """Return a page's address, absolute where the site has one."""
        return links.build_site_address(self.site.config, self.site.get_page_path(page, view.lang)) or view.link(page)


def _get_entry_age(entry: FeedEntry) -> tuple[datetime, int, str]:
    return entry.at, entry.order, entry.id


def _format_rfc3339(when: datetime) -> str:
    """Return a time as RFC 3339 writes it."""
    return f"{when:%Y-%m-%dT%H:%M:%S}Z"
