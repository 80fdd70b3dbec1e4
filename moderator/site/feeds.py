"""Atom feeds (RFC 4287): of the site, of each match and of each tournament, in each language.

Entries keep their ids for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from heapq import nlargest
from typing import Any

from moderator.common.enums import TournamentStatus
from moderator.notifications.content import MoveView, TournamentGameLine
from moderator.render import boards
from moderator.render.mails.tournament_cells import render_ranked_name
from moderator.rules.game import Note, view_for
from moderator.rules.replay import LogEntry as LogEntry
from moderator.rules.replay import drop_undone
from moderator.rules.result import EngineResult
from moderator.site.layout import ListedMatch, PageView, SiteContent, mask_addresses
from moderator.site.listed import ListedTournament
from moderator.site.tree import SiteFile
from moderator.store import matches_log, tournaments
from moderator.store.tables import MatchRow, PlayerRow, Tournament
from moderator.store.tournaments import load_all_tournament_steps
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import get_format
from moderator.tournaments.standings import build_crosstable
from moderator.views import history, links
from moderator.views.loaded_match import MatchSuspended, rebuild_with_history
from moderator.views.match_view import NOBODY, build_move_view
from moderator.views.tournament_view import TournamentReader

# ---- What the feeds tell: of a match that it begins, every move or round, its end; of a tournament who plays, every
# round with its pairings, its results and the table, the end.
#
# It is read off the logs as it was recorded; only how a match stands is played again, once for each of its moves.


END = 1 << 30
"""Behind the number of any entry of a log."""


@dataclass(frozen=True)
class FeedPosition:
    """The position of a match."""

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
class FeedEntry:
    id: str
    """Within the club and a language: ``matches/K7Q2/12``. Never changes."""
    at: datetime
    order: int
    """Of those at one moment the higher one came later."""
    title: str
    lines: tuple[str, ...]
    page: str
    """That it leads to: ``matches/K7Q2.html#zug12``."""
    position: FeedPosition | None = None
    """Of the newest entry of a match."""


# ---- tournaments that have begun, with the times of their steps ----


@dataclass(frozen=True)
class LoggedTournament:
    listed: ListedTournament
    steps: tuple[tuple[str, datetime], ...]
    """What was done when, see service/tournaments/steps.py."""

    def find_step_time(self, step: str) -> datetime | None:
        """Return the time at which a step was done; None if it was not done yet."""
        return next((at for name, at in self.steps if name == step), None)


def list_logged_tournaments(site: SiteContent) -> tuple[LoggedTournament, ...]:
    """Return the tournaments that have begun, the oldest first."""
    steps = load_all_tournament_steps(site.work.session)
    begun = [
        tournament
        for tournament in reversed(site.tournaments)
        if tournament.status in (TournamentStatus.RUNNING, TournamentStatus.FINISHED)
    ]
    return tuple(LoggedTournament(tournament, tuple(steps.get(tournament.id, ()))) for tournament in begun)


# ---- what a tournament's feed tells ----


STEPS = {"close": "closed", "pair": "pair", "report": "report", "finish": "finish"}
"""Those of service/tournaments/steps.py that are told."""


def iter_tournament_entries(site: SiteContent, tournament: LoggedTournament, language: str) -> Iterator[FeedEntry]:
    """Yield the entries of a tournament's feed, the oldest first."""
    page = f"tournaments/{tournament.listed.code}.html"
    view = PageView(site, page, language)
    seen: TournamentReader | None = None
    for order, (step, at) in enumerate(_iter_reported_steps(tournament.steps)):
        kind, _, number = step.partition(":")
        if kind in STEPS:
            seen = seen or TournamentReader(site.work, site.work.session.get_one(Tournament, tournament.listed.id))
            round = int(number) if number.isdecimal() else 0
            title = view.t(f"site.feed-cup-{STEPS[kind]}", name=tournament.listed.name, round=round)
            id = f"tournaments/{tournament.listed.code}/{step.replace(':', '-')}"
            lines = tuple(map(mask_addresses, _iter_step_lines(seen, kind, round, view)))
            yield FeedEntry(id, at, END + order, mask_addresses(title), lines, page)


def _iter_reported_steps(steps: Sequence[tuple[str, datetime]]) -> Iterator[tuple[str, datetime]]:
    """Yield the steps; before a round is paired comes the report of the last one, which used to be a step itself."""
    stamps = {step for step, _ in steps}
    for step, at in steps:
        kind, _, number = step.partition(":")
        if kind == "pair" and int(number) > 1 and f"report:{int(number) - 1}" not in stamps:
            yield f"report:{int(number) - 1}", at
        yield step, at


def _iter_step_lines(seen: TournamentReader, kind: str, round_number: int, view: PageView) -> Iterator[str]:
    if kind == "close":
        yield ", ".join(player.name for entry, player in seen.entries if entry.number)
        return
    if kind == "pair":
        yield from (render_feed_pairing(line, view) for line in _iter_round_games(seen, round_number))
        return
    yield from (
        render_feed_pairing(line, view) for line in (_iter_round_games(seen, round_number) if round_number else ())
    )
    for division in seen.divisions:
        yield from iter_standing_lines(limit_to_round(seen.states[division], round_number), view)


def _iter_round_games(seen: TournamentReader, round_number: int) -> Iterator[TournamentGameLine]:
    return (
        seen.build_game_line(row)
        for row in tournaments.list_pairings(seen.work.session, seen.row)
        if row.round == round_number
    )


def render_feed_pairing(line: TournamentGameLine, view: PageView) -> str:
    """Return ``Anna – Bert 310:280``."""
    if len(line.names) == 1:
        return view.t("site.feed-cup-free", name=line.names[0])
    result = ":".join(map(str, line.scores)) or ":".join(line.points)
    return f"{' – '.join(line.names)} {result}".rstrip()


def limit_to_round(t: TournamentState, round_number: int) -> TournamentState:
    """Return the tournament as it stood after ``round_number``; 0 = now."""
    return replace(t, games=tuple(game for game in t.games if game.round <= round_number)) if round_number else t


def iter_standing_lines(t: TournamentState, view: PageView) -> Iterator[str]:
    """Yield ``1. Anna · Nr. 7: 3½``; nothing where there is no table."""
    if not get_format(t).table:
        return
    for line in build_crosstable(t).lines:
        yield f"{render_ranked_name(line, view.lang)}: {line.points}"


# ---- what a match's feed tells ----


def iter_match_entries(site: SiteContent, match: ListedMatch, language: str) -> Iterator[FeedEntry]:
    """Yield the entries of a match's feed, the oldest first; the newest shows the position, once something was
    played."""
    made = tuple(_iter_match_entries(site, match, language))
    yield from made[:-1]
    if made:
        yield replace(made[-1], position=_find_position(site, match, language) if made[-1].order else None)


def _find_position(site: SiteContent, match: ListedMatch, language: str) -> FeedPosition | None:
    """Return the position; None for a match whose log does not fit. A match that has not moved since is not
    replayed."""
    key = site.compute_key("position", match.game, match.status, match.entries, site.config.site.url)
    stand = site.boards.get_or_make("position", match.id, key, lambda: _compute_position(site, match))
    if stand is None:
        return None
    words, lines = stand["told"][language]
    names = () if match.over else tuple(zip((seat.name for seat in match.seats), stand["scores"], strict=True))
    picture = links.build_site_address(site.config, f"matches/{match.code}.png")
    return FeedPosition(picture, words, tuple(lines), stand["fixed"], names)


def _compute_position(site: SiteContent, match: ListedMatch) -> dict[str, Any] | None:
    """Return the position as plain values, in all languages; None for a match whose log does not fit."""
    work = site.work
    try:
        live = rebuild_with_history(work.session, work.session.get_one(MatchRow, match.id), work.config.deadlines).live
    except MatchSuspended:
        return None
    scene = live.game.build_scene(view_for(live.table.state, None))
    drawn = not site.config.site.url
    return {
        "scores": list(live.table.state.scores),
        "fixed": bool(boards.render_board_characters(scene)),
        "told": {
            language: [
                boards.describe_board(scene, language),
                list(boards.render_board_lines(scene, language)) if drawn else [],
            ]
            for language in site.languages
        },
    }


def _iter_match_entries(site: SiteContent, match: ListedMatch, language: str) -> Iterator[FeedEntry]:
    page = f"matches/{match.code}.html"
    view = PageView(site, page, language)
    about = {"game": view.game(match.game), "name": match.title}
    names = ", ".join(seat.name for seat in match.seats)
    if match.started:
        title = view.t("site.feed-begins", **about)
        who = view.t("site.feed-begins-who", names=names)
        yield _build_entry(match, 0, match.started, title, (who,), page)
    for n, (number, at, told) in enumerate(_iter_public_moments(site, match), 1):
        lines = tuple(render_feed_line(view, match, one) for one in told)
        title = (
            view.t("site.feed-one", what=lines[0], **about)
            if len(lines) == 1
            else view.t("site.feed-several", n=n, count=len(lines), **about)
        )
        yield _build_entry(match, number, at, title, lines, f"{page}#zug{n}")
    if match.over and match.finished:
        title = view.t("site.feed-over", **about)
        yield _build_entry(match, END, match.finished, title, tuple(_iter_place_lines(view, match)), page)


def _build_entry(
    match: ListedMatch, number: int, at: datetime, title: str, lines: tuple[str, ...], page: str
) -> FeedEntry:
    id = f"matches/{match.code}/{'end' if number == END else number}"
    return FeedEntry(id, at, number, mask_addresses(title), tuple(map(mask_addresses, lines)), page)


def _iter_public_moments(
    site: SiteContent, match: ListedMatch
) -> Iterator[tuple[int, datetime, list[MoveView | Note]]]:
    """Yield (number in the log, time, what everybody may read) of each moment that the page of the match steps
    through."""
    session = site.work.session
    rows = matches_log.list_match_events(session, match.id)
    players = site.work.list_players(session.get_one(MatchRow, match.id))
    for number, entry in drop_undone([LogEntry(row.kind, row.seat, row.text, row.outcome) for row in rows]):
        told: list[MoveView | Note] = [
            *_iter_move_views(entry, players),
            *history.iter_entry_notes(site.work.session, entry, players),
        ]
        if told:
            yield number, rows[number - 1].at, told


def _iter_move_views(entry: LogEntry, players: list[PlayerRow]) -> Iterator[MoveView]:
    for move in history.list_visible_moves(entry, EngineResult.from_json(entry.outcome)):
        yield build_move_view(move, NOBODY, players)


def render_feed_line(view: PageView, match: ListedMatch, event: MoveView | Note) -> str:
    """Return ``Jörg D5 s RATTE, 21 Punkte``."""
    if isinstance(event, Note):
        return view.say(event, match.game, tuple(seat.name for seat in match.seats))
    return render_move_line(view, match.game, event.name, event.played, event.points)


def render_move_line(view: PageView, game: str, name: str, played: str, points: int) -> str:
    """Return a move as a line; ``played`` is empty if there was none."""
    values = {"name": name, "text": view.write_move(played, game), "points": points}
    return view.t("site.says-move" if points else "site.says-plain", **values)


def _iter_place_lines(view: PageView, match: ListedMatch) -> Iterator[str]:
    """Yield ``1. Anna mit 310``, the winner first."""
    ended = match.ending
    if ended is None:
        return
    for place, seat in sorted(zip(ended.places, match.seats, strict=True), key=lambda one: (one[0], one[1].number)):
        yield view.t("site.feed-over-line", place=place, name=seat.name, score=ended.get_final_points(seat.number))


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
        return min((m.started for m in self.site.matches if m.started), default=self.site.work.now)

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
        moved = matches_log.load_latest_event_times(self.site.work.session)
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
