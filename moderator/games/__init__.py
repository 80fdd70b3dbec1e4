"""The registry: one line per game. Strings, so that nothing is imported before it is needed."""

from __future__ import annotations

from typing import Any

from moderator.engine.contract import Game
from moderator.errors import OperatorError

REGISTRY = {
    "dominos": "moderator.games.dominos.rules:GAME",
    "domijongg": "moderator.games.domijongg.rules:GAME",
    "kreuzwort": "moderator.games.typdom.kreuzwort:GAME",
    "point": "moderator.games.typdom.point:GAME",
    "recht": "moderator.games.typdom.recht:GAME",
    "presto": "moderator.games.typdom.presto:GAME",
    "topwords": "moderator.games.topwords.rules:GAME",
    "tridom": "moderator.games.tridom.rules:GAME",
    "supertridom": "moderator.games.tridom.rules:SUPER",
}


def folder(key: str) -> str:
    """Name of the folder under ``moderator/games`` that holds a game; variants of one game share it. KeyError for an
    unknown one."""
    return REGISTRY[key].split(".")[2]


def load(key: str) -> Game[Any, Any]:
    """The game of that key. Raises OperatorError naming the known ones."""
    from importlib import import_module

    if key not in REGISTRY:
        raise OperatorError(f"There is no game {key!r}.", f"Known games: {', '.join(sorted(REGISTRY))}.")
    module, name = REGISTRY[key].split(":")
    game: Game[Any, Any] = getattr(import_module(module), name)
    return game
