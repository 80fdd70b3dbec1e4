"""What the mails must know of a game besides its sentences; and the page to lay its tiles on, as the modules beside its
rules say. A game that isn't in the registry has none of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from importlib import import_module
from pathlib import Path

from moderator import games
from moderator.rules.game import PLAIN, Style

BOARDS = "*board.js"
"""In the folder of a family of games: the modules of its touch boards. ``board.js`` makes the page that is
called like the folder, ``recht_board.js`` the one called ``recht``."""
_SERVED = re.compile(r"^  games: \[([^]]*)]", re.MULTILINE)


def find_board_module(game: str) -> Path | None:
    """Find the module whose page the game is played on; None for a game that has none."""
    if game not in games.REGISTRY:
        return None
    return next((one for one in sorted(games.folder(game).glob(BOARDS)) if game in _read_module_games(one)), None)


def find_board_page(game: str) -> str:
    """Find the path of the game's touch board, without the language: ``zug/topwords.html``; "" for a game that
    has none."""
    module = find_board_module(game)
    if module is None:
        return ""
    return f"zug/{module.name.removesuffix(BOARDS[1:]).rstrip('_') or module.parent.name}.html"


@cache
def _read_module_games(module: Path) -> frozenset[str]:
    """Read the keys of the games that a module knows."""
    found = _SERVED.search(module.read_text(encoding="utf-8"))
    return frozenset(re.findall(r'"([^"]+)"', found[1])) if found else frozenset()


@cache
def get_notation_style(game: str | None) -> Style:
    """Return how the game's moves are written in a mail."""
    return games.load_game(game).style if game and game in games.REGISTRY else PLAIN


@cache
def has_seeded_rounds(game: str | None) -> bool:
    """Return whether a match has several rounds, each dealt from a seed of its own."""
    return bool(game and game in games.REGISTRY and games.load_game(game).seeded_rounds)


@cache
def is_evaluated_at_once(game: str | None) -> bool:
    """Return whether the rounds of a game are evaluated when all have acted, not seat by seat."""
    return bool(game and game in games.REGISTRY and games.load_game(game).at_once)


@cache
def has_automatic_moves(game: str | None) -> bool:
    """Return whether the only legal move can be played without asking: not where a player may pass instead."""
    return has_seeded_rounds(game) and not get_pass_text(game)


@cache
def is_option_relevant(game: str, option: str, pace: str) -> bool:
    """Return whether an option of a game matters in this pace, see ``Game.options``."""
    if game not in games.REGISTRY:
        return True
    found = [field for field in fields(games.load_game(game).options) if field.name == option]
    return all(pace in field.metadata.get("paces", (pace,)) for field in found)


@cache
def get_pass_text(game: str | None) -> str:
    """Return how passing is written; an empty text where nobody can pass."""
    return games.load_game(game).pass_text if game in games.REGISTRY and game is not None else ""


@cache
def _find_colour_function(game: str) -> Callable[[str], str] | None:
    found: Callable[[str], str] | None
    try:
        found = getattr(import_module(f"{games.package(game)}.tiles"), "colour", None)
    except ModuleNotFoundError:
        return None
    return found


def get_rack_colour(game: str | None, name: str) -> str:
    """Return the colour by which racks are sorted, as ``get_rack_colour`` in the game's tiles.py has it; an empty text
    in games without colours."""
    sorter = _find_colour_function(game) if game in games.REGISTRY else None
    return sorter(name) if sorter else ""


@cache
def get_letter_values(game: str | None) -> Mapping[str, int]:
    """Return the values of the letters of a game that prints them on its tiles, see ``Game.tile_values``; none
    in others."""
    found = games.load_game(game) if game and game in games.REGISTRY else None
    return found.tile_values if found else {}


def format_tile(game: str | None, name: str) -> str:
    """Return a tile as racks and sentences print it, see ``Style.tile``."""
    return get_notation_style(game).tile(name)


def find_tie_rule(game: str | None, laid: str, other: str) -> str:
    """Return the code of the sentence why the first of two moves of equal points was laid, see ``Game.explain_tie``."""
    return games.load_game(game).explain_tie(laid, other) if game and game in games.REGISTRY else ""
