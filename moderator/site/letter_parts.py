"""What a round letter says, as plain texts, scenes and pictures; the page and the PDF are both laid out from it. A
match in it has its board and its scores as they stood at the end of the time, and what was said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cached_property
from html import escape

from moderator.club.live_match import Suspended, walk
from moderator.match.contract import view_for
from moderator.match.scenes import Scene
from moderator.outbox.asked import shown
from moderator.outbox.match_pages import NOBODY, move_report
from moderator.pages import boards as forms
from moderator.pages.messages import round_noun
from moderator.site import board
from moderator.site.feed_entries import moved
from moderator.site.matches import letters_to_all
from moderator.site.site import Listed, Site, Sitting, View, masked
from moderator.states import MatchStatus
from moderator.store import events
from moderator.store.db import Session
from moderator.store.models import Match


@dataclass(frozen=True)
class Period:
    """From ``since`` on, before ``until``."""

    name: str
    """``2026-11`` of a whole month, else ""."""
    since: datetime
    until: datetime

    def holds(self, moment: datetime | None) -> bool:
        return moment is not None and self.since <= moment < self.until


@dataclass(frozen=True)
class Standing:
    seat: Sitting
    name: str
    score: int
    place: int | None = None
    """At the end."""


@dataclass(frozen=True)
class PressLine:
    """By a player."""

    by: str
    text: str


@dataclass(frozen=True)
class MatchPart:
    code: str
    title: str
    """``Topwords „Arratia“``."""
    facts: tuple[str, ...]
    """``K7Q2``, ``Runde 5``, ``4 Züge in dieser Zeit``."""
    table: tuple[Standing, ...]
    """The best first; () where it cannot be told."""
    last: str
    """What was played last; "" = nothing yet."""
    scene: Scene | None
    """For the PDF, which draws it otherwise; None where it was not asked for."""
    svg: str
    """Element for a page; its colours are those of the page."""
    heard: str
    """The board for those who hear it; "" where there is none."""
    defs: tuple[str, ...]
    """Drawings that it refers to."""
    press: tuple[PressLine, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True)
class TournamentPart:
    code: str
    title: str
    facts: tuple[str, ...]
    games: tuple[str, ...]
    """Results of the time."""
    tables: tuple[tuple[tuple[str, str, str], ...], ...]
    """Of each division (place, name, points)."""


@dataclass(frozen=True)
class WordPart:
    word: str
    counts: bool
    ruling: str
    """``gilt``, ``gilt nicht, nur K7Q2``."""
    reason: str


@dataclass(frozen=True)
class PuzzlePart:
    title: str
    """``Tridom: Aufgabe Nr. 3``."""
    said: str
    """The solution, and who found it."""


@dataclass(frozen=True)
class RoundLetter:
    club: str
    title: str
    span: str
    running: tuple[MatchPart, ...]
    finished: tuple[MatchPart, ...]
    tournaments: tuple[TournamentPart, ...]
    words: tuple[WordPart, ...]
    find: str = ""
    """The find of that time, in a sentence; "" = none."""
    puzzles: tuple[PuzzlePart, ...] = ()
    """Whose solution was told in that time."""
    solvers: tuple[tuple[str, str, str], ...] = ()
    """(place, name, how many of those answered were found) in the year of the last of them, as it stood then."""

    @property
    def sections(self) -> tuple[tuple[str, tuple[MatchPart, ...]], ...]:
        """(code of the heading, matches); none that is empty."""
        both = ("letter-running", self.running), ("letter-finished", self.finished)
        return tuple((code, matches) for code, matches in both if matches)

    @property
    def matches(self) -> tuple[MatchPart, ...]:
        return (*self.running, *self.finished)

    @property
    def defs(self) -> tuple[str, ...]:
        """Of all boards, each once."""
        return tuple(dict.fromkeys(drawing for match in self.matches for drawing in match.defs))


# ---- a match in the letter ----


class Matches:
    """Matches of one stretch of time; each is looked at once, however many languages it is told in."""

    def __init__(self, site: Site, period: Period, matches: Sequence[Listed], scenes: bool = False) -> None:
        """``scenes``: the parts shall have them; then every match is played again."""
        self.site, self.period, self.matches = site, period, matches
        self._scenes = scenes
        self._boards = Boards(site, period, matches)
        self._then: dict[int, Stood | None] = {}

    def part(self, view: View, match: Listed) -> MatchPart:
        """The match for the letter; without its board when its log does not fit."""
        period = self.period
        over = _over(match, period)
        title = view.t("site.title", game=view.game(match.game), name=masked(match.title))
        then = self._stood(match)
        return MatchPart(
            match.code,
            title,
            tuple(_facts(view, period, match, then, self._made(match, then))),
            tuple(_table(match, then.scores, over)) if then else (),
            _last(view, match.game, then) if then else "",
            self._boards.scene(match) if then and self._scenes else None,
            _heard(then.svg, then.heard[view.lang]) if then else "",
            then.heard[view.lang] if then else "",
            then.defs if then else (),
            tuple(_press(self.site.desk.session, match)) if over and match.letters else (),
            tuple(masked(text) for text, at in self._notices.get(match.id, ()) if period.holds(at)),
        )

    def _stood(self, match: Listed) -> Stood | None:
        if match.id not in self._then:
            try:
                self._then[match.id] = self._boards.stood(match)
            except Suspended:
                self._then[match.id] = None
        return self._then[match.id]

    def _made(self, match: Listed, then: Stood | None) -> int:
        """Moves in the time."""
        moves = zip(then.moves, self._boards.times.get(match.id, ()), strict=False) if then else ()
        return sum(shown for shown, at in moves if self.period.holds(at))

    @cached_property
    def _notices(self) -> Mapping[int, list[tuple[str, datetime]]]:
        """Official words of every match, with their times."""
        return events.notices(self.site.desk.session)


def _over(match: Listed, period: Period) -> bool:
    return match.finished is not None and match.finished < period.until


def _facts(view: View, period: Period, match: Listed, then: Stood | None, made: int) -> Iterator[str]:
    yield match.code
    if then is None:
        yield view.t("site.letter-no-board")
        return
    if _over(match, period) and match.finished:
        yield view.t("site.letter-over", day=view.day(match.finished))
    else:
        yield view.t("site.letter-round", noun=round_noun(view.lang, match.game), round=then.round)
    if made:
        yield view.t("site.letter-moves", count=made)
    if match.status == MatchStatus.RUNNING and match.deadline and period.until >= view.site.desk.now:
        yield view.t("site.letter-zat", deadline=view.day(match.deadline))


def _last(view: View, game: str, then: Stood) -> str:
    """``Zuletzt: Jörg D5 s RATTE, 21 Punkte``."""
    said = "; ".join(moved(view, game, move.name, move.played, move.points) for move in then.last)
    return view.t("site.letter-last", what=masked(said)) if said else ""


def _table(match: Listed, scores: Sequence[int], over: bool) -> Iterator[Standing]:
    """The best first."""
    ended = match.ending if over else None
    lines = [
        Standing(seat, masked(seat.name), ended.shown(seat.number), ended.places[seat.number])
        if ended
        else Standing(seat, masked(seat.name), scores[seat.number], None)
        for seat in match.seats
    ]
    yield from sorted(lines, key=lambda one: (one.place or 0, -one.score, one.seat.number))


def _press(session: Session, match: Listed) -> Iterator[PressLine]:
    for letter in letters_to_all(session, match):
        yield PressLine(letter.name, letter.text)


def _heard(svg: str, words: str) -> str:
    """With its own words for those who hear it."""
    return svg.replace('aria-labelledby="board-says"', f'aria-label="{escape(words)}"')


# ---- boards ----
#
# How a match stood at the end of a time, for the round letter: played again, or kept from the last letter.
#
# A match that has not moved since is not played again. What is kept is what the page says, in every language of the
# site, and for the match as it stands only: of one that ran on after the time nothing is.


AT_ONCE = 400
"""Matches that are asked for by one question."""


@dataclass(frozen=True)
class LastMove:
    name: str
    played: str
    """Canonical notation; "" = nothing."""
    points: int


@dataclass(frozen=True)
class Stood:
    """A match after some entries of its log."""

    round: int
    scores: tuple[int, ...]
    svg: str
    """The board, without the words for those who hear it."""
    defs: tuple[str, ...]
    heard: Mapping[str, str]
    """Language -> those words."""
    moves: tuple[int, ...]
    """How many each entry shows."""
    last: tuple[LastMove, ...]
    """Of the last entry that shows some."""


class Boards:
    """Of the matches of one site and one time."""

    def __init__(self, site: Site, period: Period, matches: Sequence[Listed]) -> None:
        self._site, self._period = site, period
        self.times = events.times_of(site.desk.session, [match.id for match in matches])
        """Of each match's entries, in the order of its log."""

    def stood(self, match: Listed) -> Stood:
        """Raises Suspended when the log does not fit."""
        times = self.times.get(match.id, [])
        count = sum(at < self._period.until for at in times)
        if count < len(times) or match.status == MatchStatus.SUSPENDED:
            return self._played_again(match, count)[0]
        key = self._site.key("board", match.game, match.seats, len(times), times[-1:])
        made = self._site.boards.value("board", match.id, key, lambda: asdict(self._played_again(match, count)[0]))
        return _read(made)

    def scene(self, match: Listed) -> Scene:
        """The board for another drawing than the page's. Raises Suspended."""
        return self._played_again(match, sum(at < self._period.until for at in self.times.get(match.id, [])))[1]

    def _played_again(self, match: Listed, count: int) -> tuple[Stood, Scene]:
        desk = self._site.desk
        row = desk.session.get_one(Match, match.id)
        walked = walk(desk.session, row, desk.config.deadlines)
        state, players = walked.past[count].state, desk.players(row)
        scene = walked.live.game.scene(view_for(state, None))
        moves = [shown(walked.entries[number], walked.results[number]) for number in range(count)]
        reports = [move_report(move, NOBODY, players) for move in next((some for some in reversed(moves) if some), [])]
        drawn = board.boards([scene])[-1]
        return Stood(
            state.public.round,
            tuple(state.scores),
            drawn.svg,
            drawn.defs,
            {language: forms.alt(scene, language) for language in self._site.languages},
            tuple(map(len, moves)),
            tuple(LastMove(one.name, one.played, one.points) for one in reports),
        ), scene


def _read(value: Mapping[str, object]) -> Stood:
    """From plain values, as ``asdict`` makes them and JSON gives them back."""
    plain = {name: tuple(one) if isinstance(one, list) else one for name, one in value.items()}
    last = tuple(LastMove(**one) for one in plain.pop("last"))  # type: ignore[attr-defined]
    return Stood(**plain, last=last)  # type: ignore[arg-type]
