"""Atom feeds (RFC 4287): of the site, of each match and of each tournament, in each language.

Entries keep their ids for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property, partial
from heapq import nlargest
from typing import Any

from moderator.common.enums import TournamentStatus
from moderator.language.messages import translate_move
from moderator.notifications.content import MoveView, TournamentGameLine
from moderator.render import boards
from moderator.render.mails.tournament import render_ranked_name
from moderator.rules.game import Note, view_for
from moderator.rules.log import EngineResult
from moderator.rules.replay import LogEntry as LogEntry
from moderator.rules.replay import drop_undone
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
    title: str
    lines: tuple[str, ...]
    page: str
    """That it leads to: ``matches/K7Q2.html#zug12``."""
    position: FeedPosition | None = None
    """Of the newest entry of a match."""


@dataclass(frozen=True)
class FeedMoment:
    """A moment that a feed may tell; its entry is made when a feed does."""

    at: datetime
    order: int
    """Of those at one moment the higher one came later."""
    id: str
    """Within the club and a language: ``matches/K7Q2/12``. Never changes."""
    tell: Callable[[str], FeedEntry]
    """Takes the language."""


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


def list_tournament_moments(site: SiteContent, tournament: LoggedTournament) -> tuple[FeedMoment, ...]:
    """Return the moments of a tournament, the oldest first."""
    page, listed = f"tournaments/{tournament.listed.code}.html", tournament.listed

    @cache
    def read() -> TournamentReader:
        return TournamentReader(site.work, site.work.session.get_one(Tournament, listed.id))

    def tell(kind: str, round_number: int, language: str) -> FeedEntry:
        view = PageView(site, page, language)
        title = view.t(f"site.feed-cup-{STEPS[kind]}", name=listed.name, round=round_number)
        lines = tuple(map(mask_addresses, _iter_step_lines(read(), kind, round_number, view)))
        return FeedEntry(mask_addresses(title), lines, page)

    found = []
    for order, (step, at) in enumerate(_iter_reported_steps(tournament.steps)):
        kind, _, number = step.partition(":")
        if kind in STEPS:
            id = f"tournaments/{listed.code}/{step.replace(':', '-')}"
            telling = partial(tell, kind, int(number) if number.isdecimal() else 0)
            found.append(FeedMoment(at, END + order, id, telling))
    return tuple(found)


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


def list_match_moments(site: SiteContent, match: ListedMatch) -> tuple[FeedMoment, ...]:
    """Return the moments of a match, the oldest first; the newest shows the position, once something was played."""
    moments = _iter_public_moments(site, match)
    rows = [(number, at, f"#zug{n}", told) for n, (number, at, told) in enumerate(moments, 1)]
    if match.started:
        rows.insert(0, (0, match.started, "", []))
    end = list_end_moments(site, match)
    last = None if end else len(rows) - 1
    return (
        *(_build_moment(site, match, *row, shown=at == last and row[0] > 0) for at, row in enumerate(rows)),
        *end,
    )


def list_end_moments(site: SiteContent, match: ListedMatch) -> tuple[FeedMoment, ...]:
    """Return the end of a match, for which its log is not read; () while it runs."""
    if not (match.over and match.finished):
        return ()
    return (_build_moment(site, match, END, match.finished, "", [], shown=True),)


def _build_moment(
    site: SiteContent,
    match: ListedMatch,
    number: int,
    at: datetime,
    anchor: str,
    told: list[MoveView | Note],
    *,
    shown: bool,
) -> FeedMoment:
    page = f"matches/{match.code}.html"

    def tell(language: str) -> FeedEntry:
        view = PageView(site, page, language)
        title, lines = _tell_moment(view, match, number, anchor, told)
        position = _find_position(site, match, language) if shown else None
        return FeedEntry(mask_addresses(title), tuple(map(mask_addresses, lines)), page + anchor, position)

    return FeedMoment(at, number, f"matches/{match.code}/{'end' if number == END else number}", tell)


def _tell_moment(
    view: PageView, match: ListedMatch, number: int, anchor: str, told: list[MoveView | Note]
) -> tuple[str, tuple[str, ...]]:
    """Return the title and the lines of an entry."""
    about = {"game": view.game(match.game), "name": match.title}
    if number == END:
        return view.t("site.feed-over", **about), tuple(_iter_place_lines(view, match))
    if not number:
        names = ", ".join(seat.name for seat in match.seats)
        return view.t("site.feed-begins", **about), (view.t("site.feed-begins-who", names=names),)
    lines = tuple(render_feed_line(view, match, one) for one in told)
    if len(lines) == 1:
        return view.t("site.feed-one", what=lines[0], **about), lines
    return view.t("site.feed-several", n=anchor.removeprefix("#zug"), count=len(lines), **about), lines


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
    code = ("site.says-move" if points else "site.says-plain") if played else "site.says-nothing"
    return view.t(code, name=name, text=translate_move(played, view.lang, game, told=True), points=points)


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
    since = made.first_year
    feeds: list[tuple[str, tuple[object, ...], Callable[[str, str], bytes]]] = [
        ("feed.atom", (site.matches, tournaments), made.render_site_feed)
    ]
    feeds += [(f"matches/{one.code}.atom", (one,), partial(made.render_match_feed, one)) for one in site.matches]
    feeds += [
        (f"tournaments/{one.listed.code}.atom", (one,), partial(made.render_tournament_feed, one))
        for one in tournaments
    ]
    for page, parts, render in feeds:
        key = site.compute_key("feed", since, *parts)
        for language in site.languages:
            yield site.build_page_file(page, language, key, render)


@dataclass(frozen=True)
class AddressedEntry:
    """An entry with its time, its id and its address as the feed has them."""

    entry: FeedEntry
    at: datetime
    id: str
    link: str


class _FeedBuilder:
    """The feeds; a match that is in several of them is read once, and only what a feed shows is told."""

    def __init__(self, site: SiteContent, tournaments: Sequence[LoggedTournament]) -> None:
        self.site, self.tournaments = site, tournaments
        self.domain = site.config.mail.address.rpartition("@")[2].lower()
        self._moments: dict[str, tuple[FeedMoment, ...]] = {}
        self._told: dict[tuple[str, str], FeedEntry] = {}

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
        moments = self._list_match_moments(match)
        return self._render_feed(page, language, "feed-match", moments, f"matches/{match.code}.html", title)

    def render_tournament_feed(self, tournament: LoggedTournament, page: str, language: str) -> bytes:
        moments, code = self._list_tournament_moments(tournament), tournament.listed.code
        title = {"name": tournament.listed.name}
        return self._render_feed(page, language, "feed-cup", moments, f"tournaments/{code}.html", title)

    def render_site_feed(self, page: str, language: str) -> bytes:
        return self._render_feed(page, language, "feed-all", self._newest_moments, "index.html", {})

    @cached_property
    def _newest_moments(self) -> list[FeedMoment]:
        """The moments that the club's feed tells: of all matches but those for training, the one that moved last first,
        until the others can't hold anything newer."""
        moved = matches_log.load_latest_event_times(self.site.work.session)
        told = [match for match in self.site.matches if match.started and not match.training]
        begun = [(moved.get(match.id) or match.started, match) for match in told]
        found = [one for tournament in self.tournaments for one in self._list_tournament_moments(tournament)]
        for at, match in sorted(begun, key=lambda one: (one[0], one[1].id), reverse=True):
            found = nlargest(MOST, found, key=_get_moment_age)
            if len(found) == MOST and at is not None and found[-1].at >= at:
                break
            # A match of robots only may make fifty moves in one run: its end is told.
            robots = all(seat.robot for seat in match.seats)
            found += list_end_moments(self.site, match) if robots else self._list_match_moments(match)
        return found

    def _list_match_moments(self, match: ListedMatch) -> tuple[FeedMoment, ...]:
        if match.code not in self._moments:
            self._moments[match.code] = list_match_moments(self.site, match)
        return self._moments[match.code]

    def _list_tournament_moments(self, tournament: LoggedTournament) -> tuple[FeedMoment, ...]:
        code = tournament.listed.code
        if code not in self._moments:
            self._moments[code] = list_tournament_moments(self.site, tournament)
        return self._moments[code]

    def _tell_once(self, moment: FeedMoment, language: str) -> FeedEntry:
        if (moment.id, language) not in self._told:
            self._told[moment.id, language] = moment.tell(language)
        return self._told[moment.id, language]

    def _render_feed(
        self, page: str, language: str, title: str, moments: Sequence[FeedMoment], about: str, values: dict[str, str]
    ) -> bytes:
        """Return the feed. ``about``: the page that it belongs to."""
        view = PageView(self.site, page, language)
        newest = nlargest(MOST, moments, key=_get_moment_age)
        told = [(moment, self._tell_once(moment, language)) for moment in newest]
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
                AddressedEntry(
                    entry, moment.at, self._format_id(language, moment.id), self._format_address(view, entry.page)
                )
                for moment, entry in told
            ],
            stamp=_format_rfc3339,
        )

    def _format_id(self, language: str, what: str) -> str:
        return f"tag:{self.domain},{self.first_year}:{language}/{what}"

    def _format_address(self, view: PageView, page: str) -> str:
        """Return a page's address, absolute where the site has one."""
        return links.build_site_address(self.site.config, self.site.get_page_path(page, view.lang)) or view.link(page)


def _get_moment_age(moment: FeedMoment) -> tuple[datetime, int, str]:
    return moment.at, moment.order, moment.id


def _format_rfc3339(when: datetime) -> str:
    """Return a time as RFC 3339 writes it."""
    return f"{when:%Y-%m-%dT%H:%M:%S}Z"
