"""Atom feeds (RFC 4287): of the site, of each match and of each tournament, in each language.

What a feed tells is read off the logs; only how a match stands is played again, once for each of its moves. Entries
keep their ids for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from heapq import nlargest
from typing import Any

from moderator.club import archive
from moderator.club.live_match import Suspended, walk
from moderator.club.tournaments.view import Seen
from moderator.match.contract import Note, view_for
from moderator.match.replay import Entry as LogEntry
from moderator.match.replay import effective
from moderator.match.result import Result
from moderator.outbox import asked
from moderator.outbox.match_pages import NOBODY, move_report
from moderator.pages import boards
from moderator.pages.pages import MoveReport
from moderator.pages.tournament_tables import named
from moderator.pages.tournament_view import TournamentGameLine
from moderator.site.site import Listed, Site, View, masked
from moderator.site.tournament_list import ListedTournament
from moderator.site.tree import File
from moderator.states import TournamentStatus
from moderator.store import events, tournaments
from moderator.store.models import Match, Player, Tournament
from moderator.store.tournaments import steps_of_all
from moderator.tournaments.crosstable import crosstable
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import of

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
        """Of all matches, the one that moved last first, until the others can't hold anything newer."""
        moved = events.latest_of_each(self.site.desk.session)
        begun = [(moved.get(match.id) or match.started, match) for match in self.site.matches if match.started]
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


# ---- one entry ----


END = 1 << 30
"""Behind the number of any entry of a log."""


@dataclass(frozen=True)
class Position:
    """How a match stands."""

    picture: str
    """Address of the board as a picture; "" for a club that is not on the web."""
    words: str
    """The board for those who hear it."""
    lines: tuple[str, ...]
    """The board as text, where there is no picture, in fixed columns or not."""
    fixed: bool
    scores: tuple[tuple[str, int], ...]
    """Names with their points, by seat; () where an entry says them itself."""


@dataclass(frozen=True)
class Entry:
    id: str
    """Within the club and a language: ``matches/K7Q2/12``. Never changes."""
    at: datetime
    order: int
    """Of those at one moment the higher one came later."""
    title: str
    lines: tuple[str, ...]
    page: str
    """That it leads to: ``matches/K7Q2.html#zug12``."""
    position: Position | None = None
    """Of the newest entry of a match."""


# ---- tournaments that have begun, with the times of their steps ----


@dataclass(frozen=True)
class Logged:
    listed: ListedTournament
    steps: tuple[tuple[str, datetime], ...]
    """What was done when, see play/tournaments/steps.py."""

    def at(self, step: str) -> datetime | None:
        """When that was done."""
        return next((at for name, at in self.steps if name == step), None)


def logged(site: Site) -> tuple[Logged, ...]:
    """The oldest first."""
    steps = steps_of_all(site.desk.session)
    begun = [
        tournament
        for tournament in reversed(site.tournaments)
        if tournament.status in (TournamentStatus.RUNNING, TournamentStatus.FINISHED)
    ]
    return tuple(Logged(tournament, tuple(steps.get(tournament.id, ()))) for tournament in begun)


# ---- what a tournament's feed tells: who plays, every round with its pairings, its results and the table, the end ----


STEPS = {"close": "closed", "pair": "pair", "report": "report", "finish": "finish"}
"""Those of play/tournaments/steps.py that are told."""


def tournament_entries(site: Site, tournament: Logged, language: str) -> Iterator[Entry]:
    """The oldest first."""
    page = f"tournaments/{tournament.listed.code}.html"
    view = View(site, page, language)
    seen: Seen | None = None
    for order, (step, at) in enumerate(tournament.steps):
        kind, _, number = step.partition(":")
        if kind in STEPS:
            seen = seen or Seen(site.desk, site.desk.session.get_one(Tournament, tournament.listed.id))
            round = int(number) if number.isdecimal() else 0
            title = view.t(f"site.feed-cup-{STEPS[kind]}", name=tournament.listed.name, round=round)
            id = f"tournaments/{tournament.listed.code}/{step.replace(':', '-')}"
            lines = tuple(map(masked, _lines(seen, kind, round, view)))
            yield Entry(id, at, END + order, masked(title), lines, page)


def _lines(seen: Seen, kind: str, round: int, view: View) -> Iterator[str]:
    if kind == "close":
        yield ", ".join(player.name for entry, player in seen.entries if entry.number)
        return
    if kind == "pair":
        yield from (pairing(line, view) for line in _games(seen, round))
        return
    yield from (pairing(line, view) for line in (_games(seen, round) if round else ()))
    for division in seen.divisions:
        yield from standing(until(seen.states[division], round), view)


def _games(seen: Seen, round: int) -> Iterator[TournamentGameLine]:
    return (seen.line(row) for row in tournaments.pairings(seen.desk.session, seen.tournament) if row.round == round)


def pairing(line: TournamentGameLine, view: View) -> str:
    """``Anna – Bert 310:280``."""
    if len(line.names) == 1:
        return view.t("site.feed-cup-free", name=line.names[0])
    result = ":".join(map(str, line.scores)) or ":".join(line.points)
    return f"{' – '.join(line.names)} {result}".rstrip()


def until(t: TournamentState, round: int) -> TournamentState:
    """As it stood after ``round``; 0 = now."""
    return replace(t, games=tuple(game for game in t.games if game.round <= round)) if round else t


def standing(t: TournamentState, view: View) -> Iterator[str]:
    """``1. Anna · Nr. 7: 3½``; nothing where there is no table."""
    if not of(t).table:
        return
    for line in crosstable(t).lines:
        yield f"{named(line, view.lang)}: {line.points}"


# ---- what a match's feed tells: that it begins, every move or round, its end; read off the log as it was recorded ----


def match_entries(site: Site, match: Listed, language: str) -> Iterator[Entry]:
    """The oldest first; the newest shows how the match stands, once something was played."""
    made = tuple(_match_entries(site, match, language))
    yield from made[:-1]
    if made:
        yield replace(made[-1], position=_position(site, match, language) if made[-1].order else None)


def _position(site: Site, match: Listed, language: str) -> Position | None:
    """None for a match whose log does not fit. A match that has not moved since is not played again."""
    key = site.key("position", match.game, match.status, match.entries, site.config.site.url)
    stand = site.boards.value("position", match.id, key, lambda: _stand(site, match))
    if stand is None:
        return None
    words, lines = stand["told"][language]
    names = () if match.over else tuple(zip((seat.name for seat in match.seats), stand["scores"], strict=True))
    picture = archive.address(site.config, f"matches/{match.code}.png")
    return Position(picture, words, tuple(lines), stand["fixed"], names)


def _stand(site: Site, match: Listed) -> dict[str, Any] | None:
    """The same as plain values, in all languages."""
    desk = site.desk
    try:
        live = walk(desk.session, desk.session.get_one(Match, match.id), desk.config.deadlines).live
    except Suspended:
        return None
    scene = live.game.scene(view_for(live.table.state, None))
    drawn = not site.config.site.url
    return {
        "scores": list(live.table.state.scores),
        "fixed": bool(boards.characters(scene)),
        "told": {
            language: [boards.alt(scene, language), list(boards.lines(scene, language)) if drawn else []]
            for language in site.languages
        },
    }


def _match_entries(site: Site, match: Listed, language: str) -> Iterator[Entry]:
    page = f"matches/{match.code}.html"
    view = View(site, page, language)
    about = {"game": view.game(match.game), "name": match.title}
    names = ", ".join(seat.name for seat in match.seats)
    if match.started:
        title = view.t("site.feed-begins", **about)
        who = view.t("site.feed-begins-who", names=names)
        yield _entry(match, 0, match.started, title, (who,), page)
    for n, (number, at, told) in enumerate(_told(site, match), 1):
        lines = tuple(line(view, match, one) for one in told)
        title = (
            view.t("site.feed-one", what=lines[0], **about)
            if len(lines) == 1
            else view.t("site.feed-several", n=n, count=len(lines), **about)
        )
        yield _entry(match, number, at, title, lines, f"{page}#zug{n}")
    if match.over and match.finished:
        title = view.t("site.feed-over", **about)
        yield _entry(match, END, match.finished, title, tuple(_places(view, match)), page)


def _entry(match: Listed, number: int, at: datetime, title: str, lines: tuple[str, ...], page: str) -> Entry:
    id = f"matches/{match.code}/{'end' if number == END else number}"
    return Entry(id, at, number, masked(title), tuple(map(masked, lines)), page)


def _told(site: Site, match: Listed) -> Iterator[tuple[int, datetime, list[MoveReport | Note]]]:
    """(number in the log, time, what everybody may read) of each moment that the page of the match steps through."""
    session = site.desk.session
    rows = events.rows(session, match.id)
    players = site.desk.players(session.get_one(Match, match.id))
    for number, entry in effective([LogEntry(row.kind, row.seat, row.text, row.outcome) for row in rows]):
        told: list[MoveReport | Note] = [*_moves(entry, players), *asked.news(site.desk, entry, players)]
        if told:
            yield number, rows[number - 1].at, told


def _moves(entry: LogEntry, players: list[Player]) -> Iterator[MoveReport]:
    for move in asked.shown(entry, Result.from_json(entry.outcome)):
        yield move_report(move, NOBODY, players)


def line(view: View, match: Listed, told: MoveReport | Note) -> str:
    """``Jörg D5 s RATTE, 21 Punkte``."""
    if isinstance(told, Note):
        return view.say(told, match.game, tuple(seat.name for seat in match.seats))
    return moved(view, told.name, told.played, told.points)


def moved(view: View, name: str, played: str, points: int) -> str:
    """The same of a move; ``played`` = "" if there was none."""
    values = {"name": name, "text": played or view.t("site.no-move"), "points": points}
    return view.t("site.says-move" if points else "site.says-plain", **values)


def _places(view: View, match: Listed) -> Iterator[str]:
    """``1. Anna mit 310``, the winner first."""
    outcome = match.outcome
    if outcome is None:
        return
    places = outcome.places or tuple(1 for _ in match.seats)
    for place, seat in sorted(zip(places, match.seats, strict=True), key=lambda one: (one[0], one[1].number)):
        score = outcome.scores[seat.number]
        yield view.t("site.feed-over-line", place=place, name=seat.name, score=score)
