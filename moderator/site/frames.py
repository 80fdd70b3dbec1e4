"""A match as a row of moments, as everybody may see them: what the page of a match steps through.

What a reader without a seat could not know is in none of them while the match runs; afterwards the racks are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import col, select

from moderator.club.desk import Desk
from moderator.club.live_match import Walked, walk
from moderator.match.contract import Conserving, Note, view_for
from moderator.match.replay import effective
from moderator.match.scenes import Scene
from moderator.match.table import Table
from moderator.outbox import match_history
from moderator.outbox.match_pages import NOBODY, visible
from moderator.pages.asked import Turn
from moderator.states import MatchStatus
from moderator.store.models import Event, Match


@dataclass(frozen=True)
class Frame:
    """One moment: after the deal (``n`` 0) or after something that moved."""

    n: int
    at: datetime | None
    """When it came into the log; None for the deal."""
    round: int
    lines: tuple[Turn | Note, ...]
    """What led to it: one turn, or all of a round that was evaluated together."""
    after: tuple[Note, ...]
    """What then happened by itself."""
    scores: tuple[int, ...]
    scene: Scene
    unseen: tuple[tuple[str, int], ...]
    """Tiles that are not on the table, with how many; () in games without a fixed set of tiles."""
    racks: tuple[tuple[str, ...], ...]
    """By seat; () while the match runs."""


def frames(desk: Desk, match: Match) -> tuple[Frame, ...]:
    """All moments of a match that has begun, without what was taken back. Raises Suspended if its log does not fit."""
    walked = walk(desk.session, match, desk.config.deadlines)
    open_racks = match.status == MatchStatus.FINISHED
    query = select(Event.n, Event.at).where(Event.match_id == match.id).order_by(col(Event.n))
    times = dict(desk.session.exec(query).all())
    made = [_frame(walked, walked.past[0], 0, None, (), (), open_racks)]
    for number, lines, after in _moments(desk, match, walked):
        made.append(_frame(walked, walked.past[number], len(made), times[number], lines, after, open_racks))
    return tuple(made)


def _moments(
    desk: Desk, match: Match, walked: Walked
) -> Iterator[tuple[int, tuple[Turn | Note, ...], tuple[Note, ...]]]:
    """The entries that tell something."""
    players = desk.players(match)
    for number, entry in effective(walked.entries):
        result = walked.results[number - 1]
        told = tuple(match_history.lines(desk, entry, result, walked.past[number], NOBODY, players))
        if told:
            yield number, told, visible(result.notes, NOBODY)


def _frame(
    walked: Walked,
    table: Table[Any],
    n: int,
    at: datetime | None,
    lines: tuple[Turn | Note, ...],
    after: tuple[Note, ...],
    open_racks: bool,
) -> Frame:
    game, state = walked.live.game, table.state
    return Frame(
        n=n,
        at=at,
        round=state.public.round,
        lines=lines,
        after=after,
        scores=tuple(state.scores),
        scene=game.scene(view_for(state, None)),
        unseen=_unseen(walked, table),
        racks=tuple(state.hands) if open_racks else (),
    )


def _unseen(walked: Walked, table: Table[Any]) -> tuple[tuple[str, int], ...]:
    game = walked.live.game
    if not isinstance(game, Conserving):
        return ()
    first = walked.past[0].state
    every = Counter(tile for tiles in (*first.hands, first.stock, game.on_table(first.public)) for tile in tiles)
    return tuple(sorted((every - Counter(game.on_table(table.state.public))).items()))
