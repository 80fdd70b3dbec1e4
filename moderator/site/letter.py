"""The round letter (Rundbrief): all boards as they stand, results, tables, rulings and press of a stretch of time.

``letter.html`` is that of the month that runs, made anew once a day and whenever a match begins or ends; each month
that is over keeps its own, ``letters/2026-11.html``, with everything as it stood at its end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from moderator.club import archive
from moderator.club import puzzles as club_puzzles
from moderator.club.tournaments.view import Seen
from moderator.config import Config
from moderator.errors import OperatorError
from moderator.match.time.calendar import local
from moderator.pages import boards, dates, theme
from moderator.pages.mail import folder
from moderator.pages.messages import label
from moderator.pages.tournament_tables import number
from moderator.site import puzzles
from moderator.site.feed_entries import Logged, logged, pairing
from moderator.site.feeds import MOST
from moderator.site.index import finished
from moderator.site.letter_parts import Matches, MatchPart, Period, PuzzlePart, RoundLetter, TournamentPart, WordPart
from moderator.site.review import best_find
from moderator.site.rulings import ShownRuling
from moderator.site.site import Listed, Site, View, masked
from moderator.site.tree import File
from moderator.store import tournaments
from moderator.store.models import Tournament, TournamentGame
from moderator.tournaments.crosstable import crosstable
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import of

PAGE = "letter.html"
SECOND = timedelta(seconds=1)


def files(site: Site) -> Iterator[File]:
    """``letter.html`` and ``letters/….html`` in each language."""
    made = _Letters(site)
    past = tuple(period.name for period in made.past)
    for language in site.languages:
        yield site.file(PAGE, language, made.key(made.now, past, site.desk.today), partial(made.page, made.now, past))
        for period in made.past:
            page = f"letters/{period.name}.html"
            yield site.file(page, language, made.key(period), partial(made.page, period, ()))


class _Letters:
    """All letters of a site."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.tournaments = logged(site)
        self._shown: dict[str, Matches] = {}
        self.now = _month(site, site.desk.today)
        begun = [match.started for match in site.matches if match.started]
        self.past = tuple(self._until_now(min(begun))) if begun else ()

    def _until_now(self, first: datetime) -> Iterator[Period]:
        """The months before this one in which something was played, the newest first."""
        period = self.now
        while period.since > first:
            period = _month(self.site, _before(period, self.site))
            if played(self.site, period):
                yield period

    def key(self, period: Period, *more: object) -> str:
        """A match that still runs at the end counts as what its players see first: of one that goes on later, nothing
        changes here any more."""
        shown = played(self.site, period)
        matches = [_seen_at(match, period) for match in shown]
        finds = [self.site.reviews.get(match.id) for match in shown if period.holds(match.finished)]
        told = puzzles.told_in(self.site.desk, period.since, period.until)
        table = club_puzzles.table(self.site.desk, told[-1].year, period.until) if told else ()
        tournaments = [
            tournament if period is self.now else tournament.listed.code
            for tournament in within(self.tournaments, period)
        ]
        return self.site.key(
            "letter",
            period,
            matches,
            finds,
            told,
            table,
            tournaments,
            of_days(self.site.rulings, period, self.site),
            *more,
        )

    def page(self, period: Period, past: tuple[str, ...], page: str, language: str) -> bytes:
        view = View(self.site, page, language)
        shown = self._matches(period)
        made = gather(view, shown, self.tournaments)
        earlier = [(name, f"letters/{name}.html", named(name, language)) for name in past]
        return self.site.render("letter.html.j2", page, language, x=made, past=earlier, alone="", newest=PAGE)

    def _matches(self, period: Period) -> Matches:
        if period.name not in self._shown:
            self._shown[period.name] = Matches(self.site, period, played(self.site, period))
        return self._shown[period.name]


def gather(view: View, shown: Matches, tournaments: Sequence[Logged]) -> RoundLetter:
    """The letter in the language of ``view``."""
    site, period = view.site, shown.period
    matches, words = shown.matches, of_days(site.rulings, period, site)
    end = min(period.until - SECOND, view.site.desk.now)
    days = {"begin": view.day(period.since), "end": view.day(end)}
    over = {match.id: match for match in matches if match.finished is not None and match.finished < period.until}
    zone = dates.zone(site.config.club.zone)
    first, last = (moment.astimezone(zone).date() for moment in (period.since, end))
    return RoundLetter(
        view.site.config.club.name,
        view.t("site.letter", period=months(first, last, view.lang)),
        view.t("site.letter-span", **days),
        tuple(shown.part(view, match) for match in matches if match.id not in over),
        tuple(shown.part(view, match) for match in over.values()),
        tuple(part(view, period, tournament) for tournament in within(tournaments, period)),
        tuple(_word(view, ruling) for ruling in words),
        best_find(view, tuple(match for match in over.values() if period.holds(match.finished))),
        *_puzzles(view, period),
    )


def _puzzles(view: View, period: Period) -> tuple[tuple[PuzzlePart, ...], Table]:
    """Those whose solution was told in that time, and the table of the year as it stood at the end."""
    told, desk = puzzles.told_in(view.site.desk, period.since, period.until), view.site.desk
    parts = tuple(
        PuzzlePart(
            view.t("puzzle-title", game=view.game(one.game), number=one.number),
            " ".join(masked(view.say(note, one.game)) for note in one.said),
        )
        for one in told
    )
    lines = club_puzzles.table(desk, told[-1].year, period.until) if told else ()
    count = [view.t("site.letter-puzzle-count", found=one.found, answered=one.answered) for one in lines]
    return parts, tuple((str(one.place), masked(one.name), said) for one, said in zip(lines, count, strict=True))


def _word(view: View, ruling: ShownRuling) -> WordPart:
    said = [view.t("site.letter-allow" if ruling.allowed else "site.letter-deny")]
    if ruling.scope:
        said.append(view.t("site.letter-only", scope=masked(ruling.scope)))
    return WordPart(ruling.word, ruling.allowed, ", ".join(said), masked(ruling.reason))


def since(site: Site, start: datetime, language: str, scenes: bool = False) -> RoundLetter:
    """The letter from ``start`` to now; with ``scenes`` for a PDF."""
    period = Period("", start, site.desk.now + SECOND)
    shown = Matches(site, period, played(site, period), scenes)
    return gather(View(site, PAGE, language), shown, logged(site))


def save(site: Site) -> None:
    """Write down how the matches of this month's letter stood, and those that the club's feed may still show."""
    matches = (*played(site, _month(site, site.desk.today)), *finished(site)[:MOST])
    site.boards.save({match.id for match in matches})


def alone(site: Site, made: RoundLetter, language: str) -> bytes:
    """A letter as one HTML file that needs no other."""
    css = "\n".join((folder() / "site" / name).read_text(encoding="utf-8") for name in ("site.css", "letter.css"))
    return site.render("letter.html.j2", PAGE, language, x=made, past=(), alone=css, newest=PAGE)


def played(site: Site, period: Period) -> list[Listed]:
    """Matches that ran in it, the oldest first; none for training."""
    return [
        match
        for match in reversed(site.matches)
        if match.started and match.started < period.until and (match.finished is None or match.finished >= period.since)
        if not match.training
    ]


def within(tournaments: Sequence[Logged], period: Period) -> tuple[Logged, ...]:
    """Tournaments that ran in it."""
    found = []
    for tournament in tournaments:
        begun, done = tournament.at("close") or tournament.listed.created, tournament.at("finish")
        if begun < period.until and (done is None or done >= period.since):
            found.append(tournament)
    return tuple(found)


def of_days(every: Sequence[ShownRuling], period: Period, site: Site) -> tuple[ShownRuling, ...]:
    """Rulings of the period's days."""
    zone = dates.zone(site.config.club.zone)
    first, last = (moment.astimezone(zone).date() for moment in (period.since, period.until - SECOND))
    return tuple(ruling for ruling in every if ruling.on and first <= ruling.on <= last)


def named(name: str, language: str) -> str:
    """``November 2026`` for ``2026-11``."""
    first = date.fromisoformat(f"{name}-01")
    return months(first, first, language)


def months(first: date, last: date, language: str) -> str:
    """``November 2026``, ``Oktober – November 2026``, ``Dezember 2025 – Januar 2026``."""
    begin, end = (dates.month(day.month, language) for day in (first, last))
    if (first.year, begin) == (last.year, end):
        return f"{end} {last.year}"
    return f"{begin}{'' if first.year == last.year else f' {first.year}'} – {end} {last.year}"


@dataclass(frozen=True)
class _Later:
    """A match that ran on."""

    code: str
    title: str
    seats: object


def _seen_at(match: Listed, period: Period) -> object:
    over = match.finished is not None and match.finished < period.until
    return match if over else _Later(match.code, match.title, match.seats)


def _month(site: Site, day: date) -> Period:
    zone = ZoneInfo(site.config.club.zone)
    first = day.replace(day=1)
    following = date(first.year + first.month // 12, first.month % 12 + 1, 1)
    return Period(f"{first:%Y-%m}", local(first, 0, zone), local(following, 0, zone))


def _before(period: Period, site: Site) -> date:
    first = period.since.astimezone(dates.zone(site.config.club.zone)).date()
    return date(first.year - (first.month == 1), (first.month - 2) % 12 + 1, 1)


# ---- tournaments ----
#
# A tournament in the round letter: results of the time, and the table as it stood at its end.


Table = tuple[tuple[str, str, str], ...]


def part(view: View, period: Period, tournament: Logged) -> TournamentPart:
    """The tournament for the letter."""
    desk = view.site.desk
    seen = Seen(desk, desk.session.get_one(Tournament, tournament.listed.id))
    ended = {match.id: match.finished for match in view.site.matches}
    games = tournaments.pairings(desk.session, seen.tournament)
    shown = [row for row in games if row.result is not None and period.holds(ended.get(row.match_id or 0))]
    return TournamentPart(
        tournament.listed.code,
        masked(view.t("site.quoted", name=tournament.listed.name)),
        tuple(_facts(view, period, tournament)),
        tuple(masked(pairing(seen.line(row), view)) for row in shown),
        tuple(_tables(seen, view, period, tournament, games, ended)),
    )


def _facts(view: View, period: Period, tournament: Logged) -> Iterator[str]:
    yield tournament.listed.code
    yield view.game(tournament.listed.game)
    done = tournament.at("finish")
    if done is not None and done < period.until:
        yield view.t("site.letter-cup-over")
        return
    paired = [step for step, at in tournament.steps if step.startswith("pair:") and at < period.until]
    if paired:
        yield view.t("site.letter-cup-round", round=len(paired))


def _tables(
    seen: Seen,
    view: View,
    period: Period,
    tournament: Logged,
    games: list[TournamentGame],
    ended: dict[int, datetime | None],
) -> Iterator[Table]:
    if not of(tournament.listed).table:
        done = tournament.at("finish")
        if period.until >= view.site.desk.now or (done and done < period.until):
            order = seen.tables(last=done is not None)[0].order if seen.divisions else ()
            yield tuple((str(place), masked(name), "") for place, name in order)
        return
    for division, t in sorted(seen.states.items()):
        played = [row for row in games if row.division == division]
        yield tuple(
            (line.place, masked(line.name), number(line.points, view.lang))
            for line in crosstable(_then(t, played, period, tournament, ended)).lines
        )


def _then(
    t: TournamentState,
    games: list[TournamentGame],
    period: Period,
    tournament: Logged,
    ended: dict[int, datetime | None],
) -> TournamentState:
    """The tournament at the end of the time: without rounds that began and results that came later."""
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
PAPER = "#FFFFFF"
"""In place of the boards' ground, which a printer would draw as a grey raster."""
_SIZE = re.compile(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"')
LABELS = (
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


def pdf(letter: RoundLetter, language: str, now: datetime, config: Config) -> bytes:
    """The file; titles lead to the pages of the archive where it is on the web. Raises OperatorError
    where the extra is not installed."""
    try:
        import typst
    except ImportError as error:
        raise OperatorError("A letter as PDF needs typst.", "Run `pip install 'moderator[print]'`.") from error
    data = json.dumps(_data(letter, language, config), ensure_ascii=False)
    place = folder() / "site"
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


def _data(letter: RoundLetter, language: str, config: Config) -> Mapping[str, Any]:
    """Plain values only; the template knows their names."""

    def link(page: str) -> str:
        return archive.address(config, archive.path(config, page, language))

    return {
        "lang": language,
        "club": letter.club,
        "title": letter.title,
        "span": letter.span,
        "sections": [
            {
                "title": label(f"site.{code}", language),
                "matches": [_match(match, link(f"matches/{match.code}.html")) for match in matches],
            }
            for code, matches in letter.sections
        ],
        "tournaments": [
            {
                "title": one.title,
                "link": link(f"tournaments/{one.code}.html"),
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
        "labels": {name: label(f"site.{name}", language) for name in LABELS},
    }


def _match(match: MatchPart, link: str) -> Mapping[str, Any]:
    svg = boards.svg(match.scene).replace(theme.GROUND, PAPER) if match.scene else ""
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
