"""Each player's open deadlines as a calendar to subscribe to, at an address that nobody can guess."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial

from moderator.common.enums import TournamentStatus
from moderator.language import dates
from moderator.language.messages import render_label
from moderator.notifications.content import CalendarDate, build_calendar_uid, build_deadline_uid
from moderator.render.calendar import format_calendar
from moderator.render.mails.shown import render_game_name
from moderator.site.layout import ListedMatch, SiteContent, mask_addresses
from moderator.site.tree import SiteFile
from moderator.store import key_values, matches, matches_log, players, tournaments
from moderator.store.database import Session
from moderator.store.tables import KeyValue, MatchRow
from moderator.views import links
from moderator.views.links import compute_calendar_token, load_calendar_changes
from moderator.views.loaded_match import MatchSuspended

COVER = b'<!doctype html><html lang="en"><meta name="robots" content="noindex"><title>-</title></html>\n'
"""Stands where some web servers would list the files of the folder."""
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def iter_calendar_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield ``calendar/….ics`` for everybody who has or had a seat; no page names these files. Nothing is yielded for a
    club that has never sent a mail with a calendar's address (it has no secret then)."""
    kept = site.work.session.get(KeyValue, key_values.SECRET)
    yield SiteFile("calendar/index.html", site.compute_key("calendar-cover"), lambda: COVER)
    if kept is None:
        return
    secret, shown, changed = bytes.fromhex(kept.value), _CalendarBuilder(site), load_calendar_changes(site.work.session)
    for who in shown.people:
        name = compute_calendar_token(secret, who.id, changed.get(who.id, 0))
        yield SiteFile(f"calendar/{name}.ics", shown.compute_key(who), partial(shown.render_calendar, who))


@dataclass(frozen=True)
class _CalendarReader:
    id: int
    language: str
    zone: str


@dataclass(frozen=True)
class _TournamentEnd:
    """The latest end of games that somebody has open."""

    code: str
    name: str
    ends_at: datetime
    rounds: tuple[int, ...]


class _CalendarBuilder:
    """The calendars, with what they hold, loaded once for all of them."""

    def __init__(self, site: SiteContent) -> None:
        self.site, self.session = site, site.work.session
        self.domain = site.config.mail.address.rpartition("@")[2]
        self._missing: dict[int, tuple[int, ...]] = {}

    @cached_property
    def people(self) -> tuple[_CalendarReader, ...]:
        seated = {seat.player for match in self.site.matches for seat in match.seats if not seat.robot}
        found = sorted(players.list_all_players(self.session), key=lambda player: player.number)
        return tuple(_CalendarReader(one.number, one.language, one.zone) for one in found if one.number in seated)

    @cached_property
    def matches_by_player(self) -> dict[int, list[ListedMatch]]:
        """The running matches whose clock runs, by player."""
        running = matches.load_matches_with_clock(self.session)
        found: dict[int, list[ListedMatch]] = {}
        for match in reversed(self.site.matches):
            if match.id in running and match.deadline is not None:
                for number in dict.fromkeys(seat.player for seat in match.seats):
                    found.setdefault(number, []).append(match)
        return found

    @cached_property
    def ends_by_player(self) -> dict[int, list[_TournamentEnd]]:
        """The latest ends of open tournament games, by player."""
        places = tournaments.load_entry_players(self.session)
        found: dict[int, dict[tuple[str, str, datetime], set[int]]] = {}
        for game, tournament in tournaments.list_pairings_with_end(self.session):
            if game.result is not None or game.ends_at is None:
                continue
            for number in game.seats:
                mine = found.setdefault(places[game.tournament_id, game.division, number], {})
                mine.setdefault((tournament.code, tournament.name, game.ends_at), set()).add(game.round)
        return {
            player: [_TournamentEnd(*end, tuple(sorted(rounds))) for end, rounds in sorted(ends.items())]
            for player, ends in found.items()
        }

    def compute_key(self, who: _CalendarReader) -> str:
        mine = tuple((m.code, m.title, m.game, m.entries, m.deadline) for m in self.matches_by_player.get(who.id, ()))
        return self.site.compute_key("calendar", who, mine, self.ends_by_player.get(who.id))

    def render_calendar(self, who: _CalendarReader) -> bytes:
        """Return the calendar file, in the player's language."""
        club = self.site.config.club.name
        found = [
            one for match in self.matches_by_player.get(who.id, ()) if (one := self._find_deadline_date(who, match))
        ]
        found += [self._build_tournament_date(who, end) for end in self.ends_by_player.get(who.id, ())]
        name = render_label("site.calendar", who.language, club=club)
        return format_calendar(found, language=who.language, name=name, now=self.site.work.now, subscribed=True)

    def _find_deadline_date(self, who: _CalendarReader, listed: ListedMatch) -> CalendarDate | None:
        """Return the deadline of the match as a date; None where the player's move is not missing."""
        if not any(seat.number in self._list_missing_seats(listed) for seat in listed.seats if seat.player == who.id):
            return None
        match = self.session.get_one(MatchRow, listed.id)
        assert match.deadline is not None
        values = {
            "game": render_game_name(match.game, who.language),
            "name": mask_addresses(match.name),
            "code": match.code,
        }
        return CalendarDate(
            build_deadline_uid(self.domain, match.code),
            match.entries,
            match.deadline,
            render_label("ics-yours", who.language, **values),
            render_label("site.calendar-zat", who.language, until=self._format_until(match.deadline, who), **values),
            match.deadline.astimezone(dates.get_time_zone(who.zone)).date(),
            matches_log.find_last_event_time(self.session, match.number) or match.turn_at,
            links.build_match_address(self.site.config, match.code, match.status, who.language),
        )

    def _build_tournament_date(self, who: _CalendarReader, end: _TournamentEnd) -> CalendarDate:
        values = {"name": mask_addresses(end.name), "code": end.code, "rounds": end.rounds}
        return CalendarDate(
            build_calendar_uid(self.domain, f"{end.code}-{end.rounds[0]}-end"),
            int((end.ends_at - LONG_AGO).total_seconds() // 60),
            end.ends_at,
            render_label("site.calendar-cup", who.language, **values),
            render_label("site.calendar-cup-why", who.language, until=self._format_until(end.ends_at, who), **values),
            end.ends_at.astimezone(dates.get_time_zone(who.zone)).date(),
            url=links.build_tournament_address(self.site.config, end.code, TournamentStatus.RUNNING, who.language),
        )

    def _format_until(self, when: datetime, who: _CalendarReader) -> str:
        return dates.format_moment(when, LONG_AGO, who.language, who.zone, self.site.config.club.zone)

    def _list_missing_seats(self, listed: ListedMatch) -> tuple[int, ...]:
        """Return the seats whose move is missing; () for a match that cannot be replayed."""
        if listed.id not in self._missing:
            self._missing[listed.id] = _load_missing_seats(self.session, listed, self.site)
        return self._missing[listed.id]


def _load_missing_seats(session: Session, listed: ListedMatch, site: SiteContent) -> tuple[int, ...]:
    try:
        return site.work.cache.load_readonly(session, session.get_one(MatchRow, listed.id)).seats_awaited
    except MatchSuspended:
        return ()
