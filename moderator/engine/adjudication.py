"""What counts when a game is broken off before its own end: the scores less what still lies on the racks.

In all nine games more points are better, so that these values rank the seats as they are.
"""

from __future__ import annotations

from typing import Any

from moderator.engine.contract import Adjudicable, Game, M, P, State
from moderator.engine.table import Table


def stopped_scores(game: Game[P, M], table: Table[P]) -> tuple[int, ...] | None:
    """Per seat the points that count if the game were broken off now; of a game that is over its scores.

    None = no formula settles it, the moderator must say. To be asked before ``seats.stop``, after which a table looks
    as if it had come to its end; ``outcome.outcome`` knows the difference from the log.
    """
    return table.state.scores if table.state.over else less_racks(game, table.state)


def less_racks(game: Game[P, M], state: State[Any]) -> tuple[int, ...] | None:
    """The scores less the value of each seat's own rack, whether the game is over or not. A common rack is nobody's
    and costs nothing. None as above."""
    if len(state.hands) == 1 < state.seats:
        return state.scores
    if not isinstance(game, Adjudicable):
        return None
    values = [game.rack_value(state, seat) for seat in range(state.seats)]
    known = [value for value in values if value is not None]
    if len(known) < state.seats:
        return None
    return tuple(score - value for score, value in zip(state.scores, known, strict=True))
