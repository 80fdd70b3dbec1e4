"""A match in the round letter: its board and its scores as they stood at the end of the time, and what was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from sqlmodel import Session, col, select

from moderator.desk.announce import NOBODY, move_report
from moderator.desk.chronicle import shown
from moderator.desk.live import Suspended, walk
from moderator.engine.contract import view_for
from moderator.engine.scenes import Scene
from moderator.render import boards as forms
from moderator.render.messages import round_noun
from moderator.render.pages import MoveReport
from moderator.site import board, letters
from moderator.site.discreet import discreet
from moderator.site.feed_matches import line
from moderator.site.letter_parts import MatchPart, Period, Said, Standing
from moderator.site.site import Listed, Site, View
from moderator.states import EntryKind, MatchStatus
from moderator.store.models import Event, Match


@dataclass(frozen=True)
class _Then:
    """A match at the end of the time, before it is told in a language."""

    round: int
    scores: tuple[int, ...]
    scene: Scene
    drawn: board.Board
    made: int
    """Moves in the time."""
    last: tuple[MoveReport, ...]


class Matches:
    """Matches of one stretch of time; each is played again once, however many languages it is told in."""

    def __init__(self, site: Site, period: Period) -> None:
        self.site, self.period = site, period
        self._then: dict[int, _Then | None] = {}

    def part(self, view: View, match: Listed) -> MatchPart:
        """The match for the letter; without its board when its log does not fit."""
        period = self.period
        over = _over(match, period)
        title = view.t("site.title", game=view.game(match.game), name=discreet(match.title))
        then = self._stood(match)
        return MatchPart(
            match.code,
            title,
            tuple(_facts(view, period, match, then)),
            tuple(_table(match, then.scores, over)) if then else (),
            _last(view, match, then) if then else "",
            then.scene if then else None,
            _heard(then.drawn.svg, then.scene, view.lang) if then else "",
            then.drawn.defs if then else (),
            tuple(_press(self.site.desk.session, match)) if over and match.letters else (),
            tuple(_notices(self.site.desk.session, period, match)),
        )

    def _stood(self, match: Listed) -> _Then | None:
        if match.id not in self._then:
            try:
                self._then[match.id] = _stood(self.site, self.period, match)
            except Suspended:
                self._then[match.id] = None
        return self._then[match.id]


def _stood(site: Site, period: Period, match: Listed) -> _Then:
    """Raises Suspended."""
    desk, row = site.desk, site.desk.session.get_one(Match, match.id)
    times = desk.session.exec(select(Event.at).where(Event.match_id == match.id).order_by(col(Event.n))).all()
    walked = walk(desk.session, row, desk.config.deadlines)
    count = sum(at < period.until for at in times)
    state, players = walked.past[count].state, desk.players(row)
    scene = walked.live.game.scene(view_for(state, None))
    moves = [shown(walked.entries[number], walked.results[number]) for number in range(count)]
    made = sum(len(of_one) for of_one, at in zip(moves, times, strict=False) if period.holds(at))
    last = next((of_one for of_one in reversed(moves) if of_one), [])
    reports = tuple(move_report(move, NOBODY, players) for move in last)
    return _Then(state.public.round, tuple(state.scores), scene, board.boards([scene])[-1], made, reports)


def _over(match: Listed, period: Period) -> bool:
    return match.finished is not None and match.finished < period.until


def _facts(view: View, period: Period, match: Listed, then: _Then | None) -> Iterator[str]:
    yield match.code
    if then is None:
        yield view.t("site.letter-no-board")
        return
    if _over(match, period) and match.finished:
        yield view.t("site.letter-over", day=view.day(match.finished))
    else:
        yield view.t("site.letter-round", noun=round_noun(view.lang, match.game), round=then.round)
    if then.made:
        yield view.t("site.letter-moves", count=then.made)
    if match.status == MatchStatus.RUNNING and match.deadline and period.until >= view.site.desk.now:
        yield view.t("site.letter-zat", deadline=view.day(match.deadline))


def _last(view: View, match: Listed, then: _Then) -> str:
    """``Zuletzt: Jörg D5 s RATTE, 21 Punkte``."""
    said = "; ".join(line(view, match, report) for report in then.last)
    return view.t("site.letter-last", what=discreet(said)) if said else ""


def _table(match: Listed, scores: Sequence[int], over: bool) -> Iterator[Standing]:
    """The best first."""
    outcome = match.outcome if over else None
    shown = outcome.scores if outcome else scores
    places = outcome.places if outcome and outcome.places else ()
    lines = [
        Standing(seat, discreet(seat.name), shown[seat.number], places[seat.number] if places else None)
        for seat in match.seats
    ]
    yield from sorted(lines, key=lambda one: (one.place or 0, -one.score, one.seat.number))


def _press(session: Session, match: Listed) -> Iterator[Said]:
    for letter in letters.to_all(session, match):
        yield Said(letter.name, letter.text)


def _notices(session: Session, period: Period, match: Listed) -> Iterator[str]:
    """Official words of the time."""
    query = select(Event.text, Event.at).where(Event.match_id == match.id, Event.kind == EntryKind.NOTICE)
    yield from (discreet(text) for text, at in session.exec(query.order_by(col(Event.n))) if period.holds(at))


def _heard(svg: str, scene: Scene, language: str) -> str:
    """With its own words for those who hear it."""
    words = escape(forms.alt(scene, language))
    return svg.replace('aria-labelledby="board-says"', f'aria-label="{words}"')
