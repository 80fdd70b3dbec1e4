"""Each player's open deadlines as a calendar to subscribe to, at an address that nobody can guess."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial

from moderator.club import archive
from moderator.club.ical import Date, calendar, calendar_changes, calendar_token, uid, zat
from moderator.club.live_match import Suspended
from moderator.pages import dates
from moderator.pages.asked import game_name
from moderator.pages.messages import label
from moderator.site.site import Listed, Site, masked
from moderator.site.tree import File
from moderator.states import TournamentStatus
from moderator.store import events, key_values, matches, players, tournaments
from moderator.store.db import Session
from moderator.store.models import KeyValue, Match

COVER = b'<!doctype html><html lang="en"><meta name="robots" content="noindex"><title>-</title></html>\n'
"""Stands where some web servers would list the files of the folder."""
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def files(site: Site) -> Iterator[File]:
    """``calendar/….ics`` for everybody who has or had a seat; nobody's file is named anywhere. A club that has never
    sent a mail with an address (it has no secret then) has none."""
    kept = site.desk.session.get(KeyValue, key_values.SECRET)
    yield File("calendar/index.html", site.key("calendar-cover"), lambda: COVER)
    if kept is None:
        return
    secret, shown, changed = bytes.fromhex(kept.value), _Shown(site), calendar_changes(site.desk.session)
    for who in shown.people:
        name = calendar_token(secret, who.id, changed.get(who.id, 0))
        yield File(f"calendar/{name}.ics", shown.key(who), partial(shown.calendar, who))


@dataclass(frozen=True)
class _Person:
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


class _Shown:
    """What the calendars hold, read once for all of them."""

    def __init__(self, site: Site) -> None:
        self.site, self.session = site, site.desk.session
        self.domain = site.config.mail.address.rpartition("@")[2]
        self._missing: dict[int, tuple[int, ...]] = {}

    @cached_property
    def people(self) -> tuple[_Person, ...]:
        seated = {seat.player for match in self.site.matches for seat in match.seats if not seat.robot}
        found = sorted(players.every(self.session), key=lambda player: player.number)
        return tuple(_Person(one.number, one.language, one.zone) for one in found if one.number in seated)

    @cached_property
    def matches(self) -> dict[int, list[Listed]]:
        """By player: those that run and whose clock does."""
        running = matches.with_a_clock(self.session)
        found: dict[int, list[Listed]] = {}
        for match in reversed(self.site.matches):
            if match.id in running and match.deadline is not None:
                for number in dict.fromkeys(seat.player for seat in match.seats):
                    found.setdefault(number, []).append(match)
        return found

    @cached_property
    def tournaments(self) -> dict[int, list[_TournamentEnd]]:
        """By player."""
        places = tournaments.places(self.session)
        found: dict[int, dict[tuple[str, str, datetime], set[int]]] = {}
        for game, tournament in tournaments.with_latest_end(self.session):
            if game.result is not None or game.ends_at is None:
                continue
            for number in game.seats:
                mine = found.setdefault(places[game.tournament_id, game.division, number], {})
                mine.setdefault((tournament.code, tournament.name, game.ends_at), set()).add(game.round)
        return {
            player: [_TournamentEnd(*end, tuple(sorted(rounds))) for end, rounds in sorted(ends.items())]
            for player, ends in found.items()
        }

    def key(self, who: _Person) -> str:
        mine = tuple((m.code, m.title, m.game, m.entries, m.deadline) for m in self.matches.get(who.id, ()))
        return self.site.key("calendar", who, mine, self.tournaments.get(who.id))

    def calendar(self, who: _Person) -> bytes:
        """The file, in the player's language."""
        club = self.site.config.club.name
        found = [one for match in self.matches.get(who.id, ()) if (one := self._zat(who, match))]
        found += [self._end(who, end) for end in self.tournaments.get(who.id, ())]
        name = label("site.calendar", who.language, club=club)
        return calendar(found, language=who.language, name=name, now=self.site.desk.now, subscribed=True)

    def _zat(self, who: _Person, listed: Listed) -> Date | None:
        """None where the player's move is not missing."""
        if not any(seat.number in self._awaits(listed) for seat in listed.seats if seat.player == who.id):
            return None
        match = self.session.get_one(Match, listed.id)
        assert match.deadline is not None
        values = {"game": game_name(match.game, who.language), "name": masked(match.name), "code": match.code}
        number, sequence = zat(match, self.domain)
        return Date(
            number,
            sequence,
            match.deadline,
            label("ics-yours", who.language, **values),
            label("site.calendar-zat", who.language, until=self._until(match.deadline, who), **values),
            match.deadline.astimezone(dates.zone(who.zone)).date(),
            events.last_time(self.session, match.number) or match.turn_at,
            archive.of_match(self.site.config, match.code, match.status, who.language),
        )

    def _end(self, who: _Person, end: _TournamentEnd) -> Date:
        values = {"name": masked(end.name), "code": end.code, "rounds": end.rounds}
        return Date(
            uid(self.domain, f"{end.code}-{end.rounds[0]}-end"),
            int((end.ends_at - LONG_AGO).total_seconds() // 60),
            end.ends_at,
            label("site.calendar-cup", who.language, **values),
            label("site.calendar-cup-why", who.language, until=self._until(end.ends_at, who), **values),
            end.ends_at.astimezone(dates.zone(who.zone)).date(),
            url=archive.of_tournament(self.site.config, end.code, TournamentStatus.RUNNING, who.language),
        )

    def _until(self, when: datetime, who: _Person) -> str:
        return dates.moment(when, LONG_AGO, who.language, who.zone, self.site.config.club.zone)

    def _awaits(self, listed: Listed) -> tuple[int, ...]:
        """Seats whose move is missing; () for a match that cannot be played again."""
        if listed.id not in self._missing:
            self._missing[listed.id] = _missing(self.session, listed, self.site)
        return self._missing[listed.id]


def _missing(session: Session, listed: Listed, site: Site) -> tuple[int, ...]:
    try:
        return site.desk.cache.look(session, session.get_one(Match, listed.id)).missing
    except Suspended:
        return ()
