"""The page of each kind of notification, built at delivery: of what was noted, and of how things stand then."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TypeVar

from moderator.common.enums import MailKind
from moderator.delivery.digest import DailyMailBuilder
from moderator.delivery.tournament_remarks import TournamentRemarks
from moderator.notifications.content import AboutTournament, StartTerms
from moderator.notifications.pages import Page, PendingCommand
from moderator.store.tables import PlayerRow
from moderator.views import links
from moderator.views.links import build_player_page
from moderator.views.match_view import MatchReader
from moderator.views.notification import DailyMail, MailCopy, MatchNews, Notification, TournamentNews
from moderator.views.tournament_view import TournamentReader
from moderator.views.unit_of_work import UnitOfWork

T = TypeVar("T")


class PageBuilder:
    """Builds the pages of one transaction. What several readers have in common is looked up once."""

    def __init__(self, work: UnitOfWork) -> None:
        self.work = work
        self._tournaments: dict[int, TournamentReader] = {}
        self._remarks: dict[int, TournamentRemarks] = {}

    def build_page(self, one: Notification) -> Page | MailCopy | None:
        """Build the page of a notification; None = there is nothing to say."""
        match one.news:
            case MatchNews():
                return self._build_match_page(one, one.news)
            case TournamentNews():
                return self._build_tournament_page(_get_player(one), one.news)
            case DailyMail():
                return DailyMailBuilder(self.work, _get_player(one), one.news.since).build_page()
            case PendingCommand():
                raise TypeError("a command that asks for a mail is carried out after the run")
        return one.news

    def _build_match_page(self, one: Notification, news: MatchNews) -> Page:
        work, match, seat = self.work, one.to.match, one.to.seat
        assert match is not None
        live = work.cache.load_match(work.session, match)
        if seat is None:
            return MatchReader(work, match, live).build_watcher_page(_get_player(one), news.kind, news.payload)
        page = MatchReader(work, match, live).build_seat_page(seat, news.kind, news.payload)
        if not news.with_tournament:
            return page
        known = _get_or_make(self._remarks, match.number, lambda: TournamentRemarks(work, match))
        if isinstance(page.content, StartTerms) and (round := known.find_beginning_round(seat.number)):
            return dataclasses.replace(page, content=dataclasses.replace(page.content, tournament=round))
        return dataclasses.replace(page, remarks=(*page.remarks, *known.list_remarks(seat.number, news.kind)))

    def _build_tournament_page(self, player: PlayerRow, news: TournamentNews) -> Page:
        work, tournament = self.work, news.tournament
        seen = _get_or_make(self._tournaments, tournament.number, lambda: TournamentReader(work, tournament))
        return build_player_page(
            work,
            MailKind.TOURNAMENT,
            player,
            content=AboutTournament(seen.build_view(news.topic, player)),
            notes=news.notes,
            archive=links.link_to_tournament(work.config, work.session, tournament, player.language),
        )


def _get_or_make(known: dict[int, T], number: int, make: Callable[[], T]) -> T:
    if number not in known:
        known[number] = make()
    return known[number]


def _get_player(one: Notification) -> PlayerRow:
    assert one.to.player is not None
    return one.to.player
