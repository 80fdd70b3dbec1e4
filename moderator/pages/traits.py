"""What the mails must know of a game besides its sentences. A game that isn't in the registry has none of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from importlib import import_module

from moderator import games
from moderator.match.contract import PLAIN, Style, Valued
from moderator.match.sequential import Simultaneous


@cache
def style(game: str | None) -> Style:
    """How its moves stand in a mail."""
    return games.load(game).style if game and game in games.REGISTRY else PLAIN


@cache
def dealt_anew(game: str | None) -> bool:
    """Whether a match has several rounds, each dealt from a seed of its own."""
    return bool(game and game in games.REGISTRY and games.load(game).seeded_rounds)


@cache
def at_once(game: str | None) -> bool:
    """Whether its rounds are evaluated when all have acted, not seat by seat."""
    return bool(game and game in games.REGISTRY and isinstance(games.load(game), Simultaneous))


@cache
def played_alone(game: str | None) -> bool:
    """Whether the only legal move can be played without asking: not where one may pass instead."""
    return dealt_anew(game) and not pass_text(game)


@cache
def means_something(game: str, option: str, pace: str) -> bool:
    """Whether an option of a game matters in this pace, see ``Game.options``."""
    if game not in games.REGISTRY:
        return True
    found = [field for field in fields(games.load(game).options) if field.name == option]
    return all(pace in field.metadata.get("paces", (pace,)) for field in found)


@cache
def pass_text(game: str | None) -> str:
    """How passing is written; "" where nobody passes."""
    return str(getattr(games.load(game), "pass_text", "")) if game in games.REGISTRY and game is not None else ""


@cache
def _sorter(game: str) -> Callable[[str], str] | None:
    found: Callable[[str], str] | None
    try:
        found = getattr(import_module(f"{games.package(game)}.tiles"), "colour", None)
    except ModuleNotFoundError:
        return None
    return found


def colour(game: str | None, name: str) -> str:
    """What racks are sorted by: what ``colour`` in the game's tiles.py says of a tile; "" in games without colours."""
    sorter = _sorter(game) if game in games.REGISTRY else None
    return sorter(name) if sorter else ""


@cache
def values(game: str | None) -> Mapping[str, int]:
    """Of the letters of a game that prints them on its tiles, see ``contract.Valued``; none in others."""
    found = games.load(game) if game and game in games.REGISTRY else None
    return found.values if isinstance(found, Valued) else {}


def tile(game: str | None, name: str) -> str:
    """A tile as racks and sentences print it, see ``Style.tile``."""
    return style(game).tile(name)
