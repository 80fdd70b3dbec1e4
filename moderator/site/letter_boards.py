"""How a match stood at the end of a time, for the round letter: played again, or kept from the last letter.

A match that has not moved since is not played again. What is kept is what the page says, in every language of the site,
and for the match as it stands only: of one that ran on after the time nothing is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from moderator.desk.chronicle import shown
from moderator.desk.live import walk
from moderator.desk.match_pages import NOBODY, move_report
from moderator.engine.contract import view_for
from moderator.engine.scenes import Scene
from moderator.render import boards as forms
from moderator.site import board
from moderator.site.letter_parts import Period
from moderator.site.site import Listed, Site
from moderator.states import MatchStatus
from moderator.store.models import Event, Match

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
        self.times = _times(site.desk.session, [match.id for match in matches])
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


def _times(session: Session, matches: Sequence[int]) -> dict[int, list[datetime]]:
    found: dict[int, list[datetime]] = {}
    for first in range(0, len(matches), AT_ONCE):
        query = select(Event.match_id, Event.at).where(col(Event.match_id).in_(matches[first : first + AT_ONCE]))
        for number, at in session.exec(query.order_by(col(Event.match_id), col(Event.n))):
            found.setdefault(number, []).append(at)
    return found
