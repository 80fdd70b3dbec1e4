"""Options of a match: plain values from a record or the database into the game's own dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moderator.engine.contract import Game
from moderator.errors import ConfigError
from moderator.typed import build


def read_options(game: Game[Any, Any], values: Mapping[str, Any], where: str = "options") -> Any:
    """An instance of ``game.options``. Raises ConfigError for unknown keys, wrong values or a pace it lacks."""
    options = build(game.options, values, where)
    if options.pace not in game.paces:
        raise ConfigError(
            f"{where}: {game.key} has no pace {options.pace!r}.", f"Possible: {', '.join(map(repr, game.paces))}."
        )
    return options
