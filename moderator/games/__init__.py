"""The registry: one line per game of our own, and whatever other packages on this machine register.

Another package registers a game as an entry point of the group ``moderator.games``, its name the game's key:
``linie = "linie.rules:GAME"``. Beside that module lie its sentences (``messages.<language>.toml``), its rules
(``rules.<key>.{de,en}.md``) and, where tiles have colours, ``tiles.py``. Strings, so that nothing is imported before it
is needed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from moderator.common.errors import OperatorError
from moderator.common.plugins import Registry
from moderator.rules.game import CONTRACT, Game

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


REGISTRY = Registry("game", GROUP, OWN, CONTRACT, look="python -m moderator.conformance")
package = REGISTRY.get_package
folder = cache(REGISTRY.get_folder)


def load_game(key: str) -> Game[Any, Any]:
    """Return the game of that key. Raises OperatorError naming the known ones, and for one of another contract."""
    game = REGISTRY.load_registered(key)
    if game.contract == 1:
        from moderator.rules.legacy import adapt_game

        return adapt_game(game)
    if not isinstance(game, Game):
        raise OperatorError(f"The game {key!r} does not inherit moderator.rules.game.Game.", "Mend its class.")
    return game
