"""The round letter (Rundbrief): all boards as they stand, results, tables, rulings and press of a stretch of time.

``letter.html`` is that of the month that runs, made anew once a day and whenever a match begins or ends; each month
that is over keeps its own, ``letters/2026-11.html``, with everything as it stood at its end.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from moderator.common.errors import OperatorError
from moderator.language import dates
from moderator.language.messages import render_label
from moderator.render import boards, theme
from moderator.render.mail import read_styles, require_template_folder
from moderator.render.mails.tournament import format_decimal
from moderator.rules.time.calendar import resolve_local_hour
from moderator.settings import Config
from moderator.site import puzzles
from moderator.site.feeds import MOST, LoggedTournament, list_logged_tournaments, render_feed_pairing
from moderator.site.layout import ListedMatch, PageView, SiteContent, mask_addresses
from moderator.site.letter_parts import (
    LetterMatches,
    MatchPart,
    Period,
    PuzzlePart,
    RoundLetter,
    TournamentPart,
    WordPart,
)
from moderator.site.listed import RulingView
from moderator.site.puzzles import render_best_find
from moderator.site.tree import SiteFile
from moderator.store import tournaments
from moderator.store.tables import Tournament, TournamentGame
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import get_format
from moderator.tournaments.standings import build_crosstable
from moderator.views import links
from moderator.views import puzzles as club_puzzles
from moderator.views.tournament_view import TournamentReader

PAGE = "letter.html"
SECOND = timedelta(seconds=1)


def iter_letter_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield ``letter.html`` and ``letters/….html`` in each language."""
    made = _LetterBuilder(site)
    names = tuple(period.name for period in made.past)
    now = (PAGE, made.now, names, made.compute_key(made.now, names, site.work.today))
    past = ((f"letters/{period.name}.html", period, (), made.compute_key(period)) for period in made.past)
    for page, period, shown, key in (now, *past):
        for language in site.languages:
            yield site.build_page_file(page, language, key, partial(made.render_letter_page, period, shown))


class _LetterBuilder:
    """All letters of a site."""

    def __init__(self, site: SiteContent) -> None:
        self.site = site
        self.tournaments = list_logged_tournaments(site)
        self._shown: dict[str, LetterMatches] = {}
        self.now = _build_month(site, site.work.today)
        begun = [match.started for match in site.matches if match.started]
        self.past = tuple(self._iter_past_months(min(begun))) if begun else ()

    def _iter_past_months(self, first: datetime) -> Iterator[Period]:
        """Yield the months before this one in which something was played, the newest first."""
        period = self.now
        while period.since > first:
            period = _build_month(self.site, _get_previous_month(period, self.site))
            if list_played_matches(self.site, period):
                yield period

    def compute_key(self, period: Period, *more: object) -> str:
        """Return the key of a letter. A match that still runs at its end counts with its code, title and seats only:
        the letter does not change when such a match goes on later."""
        shown = list_played_matches(self.site, period)
        matches = [_get_match_at_end(match, period) for match in shown]
        finds = [self.site.reviews.get(match.id) for match in shown if period.has_moment(match.finished)]
        told = puzzles.list_puzzles_solved_between(
            self.site.work.session, self.site.work.config, period.since, period.until
        )
        table = (
            club_puzzles.build_puzzle_table(self.site.work.session, self.site.work.config, told[-1].year, period.until)
            if told
            else ()
        )
        tournaments = [
            tournament if period is self.now else tournament.listed.code
            for tournament in list_tournaments_in_period(self.tournaments, period)
        ]
        return self.site.compute_key(
            "letter",
            period,
            matches,
            finds,
            told,
            table,
            tournaments,
            list_rulings_in_period(self.site.rulings, period, self.site),
            *more,
        )

    def render_letter_page(self, period: Period, past: tuple[str, ...], page: str, language: str) -> bytes:
        view = PageView(self.site, page, language)
        shown = self._get_letter_matches(period)
        made = build_round_letter(view, shown, self.tournaments)
        earlier = [(name, f"letters/{name}.html", format_month_name(name, language)) for name in past]
        return self.site.render_page("letter.html.j2", page, language, x=made, past=earlier, alone="", newest=PAGE)

    def _get_letter_matches(self, period: Period) -> LetterMatches:
        if period.name not in self._shown:
            self._shown[period.name] = LetterMatches(self.site, period, list_played_matches(self.site, period))
        return self._shown[period.name]


def build_round_letter(
    view: PageView, letter_matches: LetterMatches, tournaments: Sequence[LoggedTournament]
) -> RoundLetter:
    """Build the letter in the language of ``view``."""
    site, period = view.site, letter_matches.period
    matches, words = letter_matches.matches, list_rulings_in_period(site.rulings, period, site)
    end = min(period.until - SECOND, view.site.work.now)
    days = {"begin": view.day(period.since), "end": view.day(end)}
    over = {match.id: match for match in matches if match.finished is not None and match.finished < period.until}
    zone = dates.get_time_zone(site.config.club.zone)
    first, last = (moment.astimezone(zone).date() for moment in (period.since, end))
    return RoundLetter(
        view.site.config.club.name,
        view.t("site.letter", period=format_month_span(first, last, view.lang)),
        view.t("site.letter-span", **days),
        tuple(_iter_results(view, over.values(), period)),
        tuple(letter_matches.build_part(view, match) for match in matches if match.id not in over),
        tuple(letter_matches.build_part(view, match) for match in over.values()),
        tuple(
            build_tournament_part(view, period, tournament)
            for tournament in list_tournaments_in_period(tournaments, period)
        ),
        tuple(_build_word_part(view, ruling) for ruling in words),
        render_best_find(view, tuple(match for match in over.values() if period.has_moment(match.finished))),
        *_build_puzzle_parts(view, period),
    )


def _iter_results(view: PageView, over: Iterable[ListedMatch], period: Period) -> Iterator[tuple[str, str, str]]:
    ended = [match for match in over if not match.training and period.has_moment(match.finished)]
    for match in sorted(ended, key=lambda match: (match.finished or match.started, match.id), reverse=True):
        day = view.day(match.finished) if match.finished else ""
        yield view.result(match), f"{view.game(match.game)}, {day}", match.code


def _build_puzzle_parts(view: PageView, period: Period) -> tuple[tuple[PuzzlePart, ...], Table]:
    """Return the puzzles whose solution was published in that time, and the table of the year as it stood at the
    end."""
    told, work = (
        puzzles.list_puzzles_solved_between(view.site.work.session, view.site.work.config, period.since, period.until),
        view.site.work,
    )
    parts = tuple(
        PuzzlePart(
            view.t("puzzle-title", game=view.game(one.game), number=one.number),
            " ".join(mask_addresses(view.say(note, one.game)) for note in one.said),
        )
        for one in told
    )
    lines = club_puzzles.build_puzzle_table(work.session, work.config, told[-1].year, period.until) if told else ()
    count = [view.t("site.letter-puzzle-count", found=one.found, answered=one.answered) for one in lines]
    return parts, tuple(
        (str(one.place), mask_addresses(one.name), said) for one, said in zip(lines, count, strict=True)
    )


def _build_word_part(view: PageView, ruling: RulingView) -> WordPart:
    said = [view.t("site.letter-allow" if ruling.allowed else "site.letter-deny")]
    if ruling.scope:
        said.append(view.t("site.letter-only", scope=mask_addresses(ruling.scope)))
    return WordPart(ruling.word, ruling.allowed, ", ".join(said), mask_addresses(ruling.reason))


def build_letter_since(site: SiteContent, start: datetime, language: str, scenes: bool = False) -> RoundLetter:
    """Build the letter from ``start`` to now; with ``scenes`` for a PDF."""
    period = Period("", start, site.work.now + SECOND)
    shown = LetterMatches(site, period, list_played_matches(site, period), scenes)
    return build_round_letter(PageView(site, PAGE, language), shown, list_logged_tournaments(site))


def save_letter_boards(site: SiteContent) -> None:
    """Save how the matches of this month's letter stood, and those that the club's feed may still show."""
    matches = (*list_played_matches(site, _build_month(site, site.work.today)), *site.finished[:MOST])
    site.boards.save_values({match.id for match in matches})


def render_standalone_letter(site: SiteContent, made: RoundLetter, language: str) -> bytes:
    """Return a letter as one HTML file that needs no other."""
    css = read_styles("site/site.css", "site/letter.css")
    return site.render_page("letter.html.j2", PAGE, language, x=made, past=(), alone=css, newest=PAGE)


def list_played_matches(site: SiteContent, period: Period) -> list[ListedMatch]:
    """Return the matches that ran in the period, the oldest first; none for training."""
    return [
        match
        for match in reversed(site.matches)
        if match.started and match.started < period.until and (match.finished is None or match.finished >= period.since)
        if not match.training
    ]


def list_tournaments_in_period(tournaments: Sequence[LoggedTournament], period: Period) -> tuple[LoggedTournament, ...]:
    """Return the tournaments that ran in the period."""
    found = []
    for tournament in tournaments:
        begun, done = (
            tournament.find_step_time("close") or tournament.listed.created,
            tournament.find_step_time("finish"),
        )
        if begun < period.until and (done is None or done >= period.since):
            found.append(tournament)
    return tuple(found)


def list_rulings_in_period(every: Sequence[RulingView], period: Period, site: SiteContent) -> tuple[RulingView, ...]:
    """Return the rulings of the period's days."""
    zone = dates.get_time_zone(site.config.club.zone)
    first, last = (moment.astimezone(zone).date() for moment in (period.since, period.until - SECOND))
    return tuple(ruling for ruling in every if ruling.on and first <= ruling.on <= last)


def format_month_name(name: str, language: str) -> str:
    """Return ``November 2026`` for ``2026-11``."""
    first = date.fromisoformat(f"{name}-01")
    return format_month_span(first, first, language)


def format_month_span(first: date, last: date, language: str) -> str:
    """Return ``November 2026``, ``Oktober – November 2026``, ``Dezember 2025 – Januar 2026``."""
    begin, end = (dates.get_month_name(day.month, language) for day in (first, last))
    if (first.year, begin) == (last.year, end):
        return f"{end} {last.year}"
    return f"{begin}{'' if first.year == last.year else f' {first.year}'} – {end} {last.year}"


@dataclass(frozen=True)
class _RunningMatch:
    """A match that went on after the end of the period."""

    code: str
    title: str
    seats: object


def _get_match_at_end(match: ListedMatch, period: Period) -> object:
    over = match.finished is not None and match.finished < period.until
    return match if over else _RunningMatch(match.code, match.title, match.seats)


def _build_month(site: SiteContent, day: date) -> Period:
    zone = ZoneInfo(site.config.club.zone)
    first = day.replace(day=1)
    following = date(first.year + first.month // 12, first.month % 12 + 1, 1)
    return Period(f"{first:%Y-%m}", resolve_local_hour(first, 0, zone), resolve_local_hour(following, 0, zone))


def _get_previous_month(period: Period, site: SiteContent) -> date:
    first = period.since.astimezone(dates.get_time_zone(site.config.club.zone)).date()
    return date(first.year - (first.month == 1), (first.month - 2) % 12 + 1, 1)


# ---- tournaments ----
#
# A tournament in the round letter: results of the time, and the table as it stood at its end.


Table = tuple[tuple[str, str, str], ...]


def build_tournament_part(view: PageView, period: Period, tournament: LoggedTournament) -> TournamentPart:
    """Build the tournament's part of the letter."""
    work = view.site.work
    seen = TournamentReader(work, work.session.get_one(Tournament, tournament.listed.id))
    ended = {match.id: match.finished for match in view.site.matches}
    games = tournaments.list_pairings(work.session, seen.row)
    shown = [row for row in games if row.result is not None and period.has_moment(ended.get(row.match_id or 0))]
    return TournamentPart(
        tournament.listed.code,
        mask_addresses(view.t("site.quoted", name=tournament.listed.name)),
        tuple(_iter_tournament_facts(view, period, tournament)),
        tuple(mask_addresses(render_feed_pairing(seen.build_game_line(row), view)) for row in shown),
        tuple(_iter_tables(seen, view, period, tournament, games, ended)),
    )


def _iter_tournament_facts(view: PageView, period: Period, tournament: LoggedTournament) -> Iterator[str]:
    yield tournament.listed.code
    yield view.game(tournament.listed.game)
    done = tournament.find_step_time("finish")
    if done is not None and done < period.until:
        yield view.t("site.letter-cup-over")
        return
    paired = [step for step, at in tournament.steps if step.startswith("pair:") and at < period.until]
    if paired:
        yield view.t("site.letter-cup-round", round=len(paired))


def _iter_tables(
    seen: TournamentReader,
    view: PageView,
    period: Period,
    tournament: LoggedTournament,
    games: list[TournamentGame],
    ended: dict[int, datetime | None],
) -> Iterator[Table]:
    if not get_format(tournament.listed).table:
        done = tournament.find_step_time("finish")
        if period.until >= view.site.work.now or (done and done < period.until):
            order = seen.build_tables(last=done is not None)[0].order if seen.divisions else ()
            yield tuple((str(place), mask_addresses(name), "") for place, name in order)
        return
    for division, t in sorted(seen.states.items()):
        played = [row for row in games if row.division == division]
        yield tuple(
            (line.place, mask_addresses(line.name), format_decimal(line.points, view.lang))
            for line in build_crosstable(_restore_state_at_end(t, played, period, tournament, ended)).lines
        )


def _restore_state_at_end(
    t: TournamentState,
    games: list[TournamentGame],
    period: Period,
    tournament: LoggedTournament,
    ended: dict[int, datetime | None],
) -> TournamentState:
    """Return the tournament at the end of the time: without rounds that began and results that were known later."""
    begun = {step: at for step, at in tournament.steps if step.startswith("pair:")}
    kept = []
    for row, game in zip(games, t.games, strict=True):
        start = begun.get(f"pair:{row.round}")
        if start is not None and start >= period.until:
            continue
        end = ended.get(row.match_id or 0)
        # A ruling on a match that runs on has no time of its own: it counts.
        late = end >= period.until if end else row.match_id in ended and not row.ruling
        kept.append(replace(game, result=None) if late else game)
    return replace(t, games=tuple(kept))


# ---- the letter as PDF, by typst ----
# All words go to it as data and are shown as they are: nothing that a player has written is ever read as a command of
# the typesetter.


FONTS = Path(boards.__file__).parent.parent / "fonts"
PAPER = theme.CARD
"""In place of the boards' ground, which a printer would draw as a grey raster."""
_SIZE = re.compile(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"')
LABELS = (
    "letter-results",
    "letter-cups",
    "letter-find",
    "letter-puzzles",
    "letter-solvers",
    "letter-words",
    "letter-notices",
    "letter-press",
    "letter-none",
    "letter-page",
    "made-by",
)


def render_letter_pdf(letter: RoundLetter, language: str, now: datetime, config: Config) -> bytes:
    """Return the PDF file; titles link to the pages of the archive where it is on the web. Raises OperatorError where
    the extra is not installed."""
    try:
        import typst
    except ImportError as error:
        raise OperatorError("A letter as PDF needs typst.", f"Run `{sys.executable} -m pip install typst`.") from error
    data = json.dumps(_build_pdf_data(letter, language, config), ensure_ascii=False)
    place = require_template_folder() / "site"
    made: bytes = typst.compile(
        str(place / "letter.typ"),
        root=str(place),
        font_paths=[str(FONTS)],
        ignore_system_fonts=True,
        format="pdf",
        sys_inputs={"letter": data},
        timestamp=int(now.timestamp()),
    )
    return made


def _build_pdf_data(letter: RoundLetter, language: str, config: Config) -> Mapping[str, Any]:
    """Return the letter as plain values only; the typst template knows their names."""

    def build_link(page: str) -> str:
        return links.build_site_address(config, links.build_page_path(config, page, language))

    return {
        "lang": language,
        "club": letter.club,
        "title": letter.title,
        "span": letter.span,
        "results": letter.results,
        "sections": [
            {
                "title": render_label(f"site.{code}", language),
                "matches": [_build_pdf_match(match, build_link(f"matches/{match.code}.html")) for match in matches],
            }
            for code, matches in letter.sections
        ],
        "tournaments": [
            {
                "title": one.title,
                "link": build_link(f"tournaments/{one.code}.html"),
                "facts": one.facts,
                "games": one.games,
                "tables": one.tables,
            }
            for one in letter.tournaments
        ],
        "find": letter.find,
        "puzzles": [{"title": one.title, "said": one.said} for one in letter.puzzles],
        "solvers": letter.solvers,
        "words": [{"word": one.word, "ruling": one.ruling, "reason": one.reason} for one in letter.words],
        "notices": [{"title": m.title, "texts": m.notices} for m in letter.matches if m.notices],
        "press": [
            {"title": m.title, "letters": [{"by": said.by, "text": said.text} for said in m.press]}
            for m in letter.matches
            if m.press
        ],
        "labels": {name: render_label(f"site.{name}", language) for name in LABELS},
    }


def _build_pdf_match(match: MatchPart, link: str) -> Mapping[str, Any]:
    svg = boards.render_board_svg(match.scene).replace(theme.GROUND, PAPER) if match.scene else ""
    size = _SIZE.search(svg)
    return {
        "title": match.title,
        "link": link,
        "facts": match.facts,
        "alt": match.heard,
        "svg": svg if size else "",
        "width": float(size[1]) if size else 0,
        "height": float(size[2]) if size else 0,
        "table": [{"shape": one.seat.shape, "name": one.name, "score": str(one.score)} for one in match.table],
        "last": match.last,
    }
