"""The pages to lay tiles on: which game is played on which, as the modules beside its rules say."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from moderator import games

BOARDS = "*board.js"
"""In the folder of a family of games: the modules of its pages to lay tiles on. ``board.js`` makes the page that is
called like the folder, ``recht_board.js`` the one called ``recht``."""
_SERVED = re.compile(r"^  games: \[([^]]*)]", re.MULTILINE)


def find_board_module(game: str) -> Path | None:
    """Find the module whose page the game is played on; None for a game that has none."""
    if game not in games.REGISTRY:
        return None
    return next((one for one in sorted(games.folder(game).glob(BOARDS)) if game in _read_module_games(one)), None)


def find_board_page(game: str) -> str:
    """Find the path of the game's page to lay tiles on, without the language: ``zug/topwords.html``; "" for a game that
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
