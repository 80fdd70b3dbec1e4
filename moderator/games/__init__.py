"""The registry: one line per game of our own, and whatever other packages on this machine register.

Another package registers a game as an entry point of the group ``moderator.games``, its name the game's key:
``linie = "linie.rules:GAME"``. Beside that module lie its sentences (``messages.{de,en}.toml``), its rules
(``rules.<key>.{de,en}.md``) and, where tiles have colours, ``tiles.py``. Strings, so that nothing is imported before it
is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from moderator.errors import OperatorError
from moderator.match.contract import Game

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


class Registry(Mapping[str, str]):
    """Key -> ``module:name``, our own games first. Other packages are looked for when a key is none of ours, and when
    all games are wanted: that takes longer than most commands need."""

    def __getitem__(self, key: str) -> str:
        return OWN[key] if key in OWN else _others()[key]

    def __iter__(self) -> Iterator[str]:
        yield from OWN
        yield from (key for key in _others() if key not in OWN)

    def __contains__(self, key: object) -> bool:
        return key in OWN or (isinstance(key, str) and key in _others())

    def __len__(self) -> int:
        return sum(1 for _ in self)


@cache
def _others() -> dict[str, str]:
    from importlib.metadata import entry_points

    return {point.name: point.value for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)}


REGISTRY = Registry()


def package(key: str) -> str:
    """The package that the game's module lies in; variants of one game share it. KeyError for an unknown game."""
    return REGISTRY[key].partition(":")[0].rpartition(".")[0]


@cache
def folder(key: str) -> Path:
    """Where the game's sentences and rules lie. KeyError for an unknown game, OperatorError for one that is registered
    and not there."""
    from importlib.util import find_spec

    try:
        spec = find_spec(package(key))
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        raise OperatorError(f"The game {key!r} is registered as {REGISTRY[key]} and is not there.", "Install it again.")
    return Path(spec.origin).parent


def load(key: str) -> Game[Any, Any]:
    """The game of that key. Raises OperatorError naming the known ones."""
    from importlib import import_module

    if key not in REGISTRY:
        raise OperatorError(f"There is no game {key!r}.", f"Known games: {', '.join(sorted(REGISTRY))}.")
    module, name = REGISTRY[key].split(":")
    game: Game[Any, Any] = getattr(import_module(module), name)
    return game
