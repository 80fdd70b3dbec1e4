"""A match in the round letter: its board and its scores as they stood at the end of the time, and what was said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from html import escape

from sqlmodel import Session, col, select

from moderator.desk.live import Suspended
from moderator.render.messages import round_noun
from moderator.site import letters
from moderator.site.discreet import discreet
from moderator.site.feed_matches import moved
from moderator.site.letter_boards import Boards, Stood
from moderator.site.letter_parts import MatchPart, Period, Said, Standing
from moderator.site.site import Listed, Site, View
from moderator.states import EntryKind, MatchStatus
from moderator.store.models import Event


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
        title = view.t("site.title", game=view.game(match.game), name=discreet(match.title))
        then = self._stood(match)
        return MatchPart(
            match.code,
            title,
            tuple(_facts(view, period, match, then, self._made(match, then))),
            tuple(_table(match, then.scores, over)) if then else (),
            _last(view, then) if then else "",
            self._boards.scene(match) if then and self._scenes else None,
            _heard(then.svg, then.heard[view.lang]) if then else "",
            then.defs if then else (),
            tuple(_press(self.site.desk.session, match)) if over and match.letters else (),
            tuple(discreet(text) for text, at in self._notices.get(match.id, ()) if period.holds(at)),
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
        query = select(Event.match_id, Event.text, Event.at).where(Event.kind == EntryKind.NOTICE)
        found: dict[int, list[tuple[str, datetime]]] = {}
        for number, text, at in self.site.desk.session.exec(query.order_by(col(Event.match_id), col(Event.n))):
            found.setdefault(number, []).append((text, at))
        return found


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


def _last(view: View, then: Stood) -> str:
    """``Zuletzt: Jörg D5 s RATTE, 21 Punkte``."""
    said = "; ".join(moved(view, move.name, move.played, move.points) for move in then.last)
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


def _heard(svg: str, words: str) -> str:
    """With its own words for those who hear it."""
    return svg.replace('aria-labelledby="board-says"', f'aria-label="{escape(words)}"')
