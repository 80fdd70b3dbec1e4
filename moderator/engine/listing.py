"""Games whose legal moves are too many to be listed in some positions."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from moderator.engine.contract import Game, View


@runtime_checkable
class Partly(Protocol):
    """A game that can list its moves in some positions only."""

    def listable(self, view: View[Any]) -> bool:
        """Whether ``moves`` is complete for this view."""
        ...


def listable(game: Game[Any, Any], view: View[Any]) -> bool:
    """Whether all moves of a seat can be listed."""
    return game.listable(view) if isinstance(game, Partly) else True
