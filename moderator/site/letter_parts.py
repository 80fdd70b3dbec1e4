"""What a round letter says, as plain texts, scenes and pictures; the page and the PDF are both laid out from it. A
match in it has its board and its scores as they stood at the end of the time, and what was said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cached_property
from html import escape

from moderator.common.enums import MatchStatus
from moderator.language.messages import render_round_noun
from moderator.render import boards
from moderator.rules.scenes import Scene
from moderator.rules.state import view_for
from moderator.site import board
from moderator.site.feeds import render_move_line
from moderator.site.layout import ListedMatch, PageView, SeatHolder, SiteContent, mask_addresses
from moderator.site.matches import iter_public_letters
from moderator.store import matches_log
from moderator.store.database import Session
from moderator.store.tables import MatchRow
from moderator.views.history import list_visible_moves
from moderator.views.loaded_match import MatchSuspended, rebuild_with_history
from moderator.views.match_view import NOBODY, build_move_view


@dataclass(frozen=True)
class Period:
    """A stretch of time from ``since`` on, before ``until``."""

    name: str
    """``2026-11`` of a whole month, else ""."""
    since: datetime
    until: datetime

    def has_moment(self, moment: datetime | None) -> bool:
        return moment is not None and self.since <= moment < self.until


@dataclass(frozen=True)
class LetterScore:
    seat: SeatHolder
    name: str
    score: int
    place: int | None = None
    """At the end."""


@dataclass(frozen=True)
class PressQuote:
    """A player's words to all."""

    by: str
    text: str


@dataclass(frozen=True)
class MatchPart:
    code: str
    title: str
    """``Topwords „Arratia“``."""
    facts: tuple[str, ...]
    """``K7Q2``, ``Runde 5``, ``4 Züge in dieser Zeit``."""
    table: tuple[LetterScore, ...]
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
    press: tuple[PressQuote, ...]
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
    results: tuple[tuple[str, str, str], ...]
    """(how it ended, game and day, code) of the matches that ended in that time, the latest first."""
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
        both = ("letter-finished", self.finished), ("letter-running", self.running)
        return tuple((code, matches) for code, matches in both if matches)

    @property
    def matches(self) -> tuple[MatchPart, ...]:
        return (*self.running, *self.finished)

    @property
    def defs(self) -> tuple[str, ...]:
        """The drawings of all boards, each once."""
        return tuple(dict.fromkeys(drawing for match in self.matches for drawing in match.defs))


# ---- a match in the letter ----


class LetterMatches:
    """The matches of one period; each is replayed at most once, however many languages it is printed in."""

    def __init__(self, site: SiteContent, period: Period, matches: Sequence[ListedMatch], scenes: bool = False) -> None:
        """Prepare the matches. ``scenes``: the parts shall have them; then every match is replayed."""
        self.site, self.period, self.matches = site, period, matches
        self._scenes = scenes
        self._boards = LetterBoards(site, period, matches)
        self._then: dict[int, MatchSnapshot | None] = {}

    def build_part(self, view: PageView, match: ListedMatch) -> MatchPart:
        """Build the match's part of the letter; without its board when its log does not fit."""
        period = self.period
        over = _is_over(match, period)
        title = view.t("site.title", game=view.game(match.game), name=mask_addresses(match.title))
        then = self._find_snapshot(match)
        return MatchPart(
            match.code,
            title,
            tuple(_iter_facts(view, period, match, then, self._count_moves(match, then))),
            tuple(_iter_scores(match, then.scores, over)) if then else (),
            _render_last_moves(view, match.game, then) if then else "",
            self._boards.build_match_scene(match) if then and self._scenes else None,
            _label_board(then.svg, then.heard[view.lang]) if then else "",
            then.heard[view.lang] if then else "",
            then.defs if then else (),
            tuple(_iter_press_quotes(self.site.work.session, match)) if over and match.letters else (),
            tuple(
                mask_addresses(text) for text, at in self._notices_by_match.get(match.id, ()) if period.has_moment(at)
            ),
        )

    def _find_snapshot(self, match: ListedMatch) -> MatchSnapshot | None:
        if match.id not in self._then:
            try:
                self._then[match.id] = self._boards.get_snapshot(match)
            except MatchSuspended:
                self._then[match.id] = None
        return self._then[match.id]

    def _count_moves(self, match: ListedMatch, then: MatchSnapshot | None) -> int:
        """Count the moves in the period."""
        moves = zip(then.moves, self._boards.times.get(match.id, ()), strict=False) if then else ()
        return sum(shown for shown, at in moves if self.period.has_moment(at))

    @cached_property
    def _notices_by_match(self) -> Mapping[int, list[tuple[str, datetime]]]:
        """The official words about every match, with their times."""
        return matches_log.load_official_notices(self.site.work.session)


def _is_over(match: ListedMatch, period: Period) -> bool:
    return match.finished is not None and match.finished < period.until


def _iter_facts(
    view: PageView, period: Period, match: ListedMatch, then: MatchSnapshot | None, made: int
) -> Iterator[str]:
    yield match.code
    if then is None:
        yield view.t("site.letter-no-board")
        return
    if _is_over(match, period) and match.finished:
        yield view.t("site.letter-over", day=view.day(match.finished))
    else:
        yield view.t("site.letter-round", noun=render_round_noun(view.lang, match.game), round=then.round)
    if made:
        yield view.t("site.letter-moves", count=made)
    if match.status == MatchStatus.RUNNING and match.deadline and period.until >= view.site.work.now:
        yield view.t("site.letter-zat", deadline=view.day(match.deadline))


def _render_last_moves(view: PageView, game: str, then: MatchSnapshot) -> str:
    """Return ``Zuletzt: Jörg D5 s RATTE, 21 Punkte``."""
    said = "; ".join(render_move_line(view, game, move.name, move.played, move.points) for move in then.last)
    return view.t("site.letter-last", what=mask_addresses(said)) if said else ""


def _iter_scores(match: ListedMatch, scores: Sequence[int], over: bool) -> Iterator[LetterScore]:
    """Yield the scores, the best first."""
    ended = match.ending if over else None
    lines = [
        LetterScore(seat, mask_addresses(seat.name), ended.get_final_points(seat.number), ended.places[seat.number])
        if ended
        else LetterScore(seat, mask_addresses(seat.name), scores[seat.number], None)
        for seat in match.seats
    ]
    yield from sorted(lines, key=lambda one: (one.place or 0, -one.score, one.seat.number))


def _iter_press_quotes(session: Session, match: ListedMatch) -> Iterator[PressQuote]:
    for letter in iter_public_letters(session, match):
        yield PressQuote(letter.name, letter.text)


def _label_board(svg: str, words: str) -> str:
    """Label the board with its own words for those who hear it."""
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
class LetterMove:
    name: str
    played: str
    """Canonical notation; "" = nothing."""
    points: int


@dataclass(frozen=True)
class MatchSnapshot:
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
    last: tuple[LetterMove, ...]
    """Of the last entry that shows some."""


class LetterBoards:
    """The boards of the matches of one site at the end of one period."""

    def __init__(self, site: SiteContent, period: Period, matches: Sequence[ListedMatch]) -> None:
        self._site, self._period = site, period
        self.times = matches_log.load_event_times_by_match(site.work.session, [match.id for match in matches])
        """Of each match's entries, in the order of its log."""

    def get_snapshot(self, match: ListedMatch) -> MatchSnapshot:
        """Return the match at the end of the period. Raises MatchSuspended when the log does not fit."""
        times = self.times.get(match.id, [])
        count = sum(at < self._period.until for at in times)
        if count < len(times) or match.status == MatchStatus.SUSPENDED:
            return self._rebuild_match(match, count)[0]
        key = self._site.compute_key("board", match.game, match.seats, len(times), times[-1:])
        made = self._site.boards.get_or_make(
            "board", match.id, key, lambda: asdict(self._rebuild_match(match, count)[0])
        )
        return _decode_snapshot(made)

    def build_match_scene(self, match: ListedMatch) -> Scene:
        """Return the board for another drawing than the page's. Raises MatchSuspended."""
        return self._rebuild_match(match, sum(at < self._period.until for at in self.times.get(match.id, [])))[1]

    def _rebuild_match(self, match: ListedMatch, count: int) -> tuple[MatchSnapshot, Scene]:
        work = self._site.work
        row = work.session.get_one(MatchRow, match.id)
        walked = rebuild_with_history(work.session, row, work.config.deadlines)
        state, players = walked.past[count].state, work.list_players(row)
        scene = walked.live.game.build_scene(view_for(state, None))
        if state.over:
            scene = scene.close()
        moves = [list_visible_moves(walked.entries[number], walked.results[number]) for number in range(count)]
        reports = [
            build_move_view(move, NOBODY, players) for move in next((some for some in reversed(moves) if some), [])
        ]
        drawn = board.build_replay_boards([scene])[-1]
        return MatchSnapshot(
            state.public.round,
            tuple(state.scores),
            drawn.svg,
            drawn.defs,
            {language: boards.describe_board(scene, language) for language in self._site.languages},
            tuple(map(len, moves)),
            tuple(LetterMove(one.name, one.played, one.points) for one in reports),
        ), scene


def _decode_snapshot(value: Mapping[str, object]) -> MatchSnapshot:
    """Decode a snapshot from plain values, as ``asdict`` makes them and JSON gives them back."""
    plain = {name: tuple(one) if isinstance(one, list) else one for name, one in value.items()}
    last = tuple(LetterMove(**one) for one in plain.pop("last"))  # type: ignore[attr-defined]
    return MatchSnapshot(**plain, last=last)  # type: ignore[arg-type]
