"""The registry: one line per game of our own, and whatever other packages on this machine register.

Another package registers a game as an entry point of the group ``moderator.games``, its name the game's key:
``linie = "linie.rules:GAME"``. Beside that module lie its sentences (``messages.<language>.toml``), its rules
(``rules.<key>.{de,en}.md``) and, where tiles have colours, ``tiles.py``. Strings, so that nothing is imported before it
is needed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from moderator.errors import OperatorError
from moderator.match.contract import CONTRACT, Game
from moderator.registry import Registry

GROUP = "moderator.games"

OWN = {
    "dominos": "moderator.games.dominos.rules:GAME",
    "domijongg": "moderator.games.domijongg.rules:GAME",
    "kreuzwort": "moderator.games.typdom.rules:KREUZWORT",
    "point": "moderator.games.typdom.rules:POINT",
    "recht": "moderator.games.typdom.recht:GAME",
    "presto": "moderator.games.typdom.presto:GAME",
    "topwords": "moderator.games.topwords.rules:GAME",
    "tridom": "moderator.games.tridom.rules:GAME",
    "supertridom": "moderator.games.tridom.rules:SUPER",
}


REGISTRY = Registry("game", GROUP, OWN)
package = REGISTRY.package
folder = cache(REGISTRY.folder)


def load(key: str) -> Game[Any, Any]:
    """The game of that key. Raises OperatorError naming the known ones, and for one of another contract."""
    from importlib import import_module

    if key not in REGISTRY:
        raise OperatorError(f"There is no game {key!r}.", f"Known games: {', '.join(sorted(REGISTRY))}.")
    module, name = REGISTRY[key].split(":")
    game: Game[Any, Any] = getattr(import_module(module), name)
    _check_contract(key, game)
    return game


def _check_contract(key: str, game: Game[Any, Any]) -> None:
    """Raises OperatorError for a game that was written for what is not known here."""
    written: object = getattr(game, "contract", None)
    if isinstance(written, bool) or not isinstance(written, int) or written < 1:
        raise OperatorError(
            f"The game {key!r} does not say which contract it was written for.",
            f"Add `contract = {CONTRACT}` to its class and run `python -m moderator.conformance {key}`.",
        )
    if written > CONTRACT:
        raise OperatorError(
            f"The game {key!r} was written for contract {written}, and {CONTRACT} is the newest here.",
            "Install a newer moderator, or an older release of the game.",
        )
