"""Moves as their reader writes them: ``E5 across HAUS``, ``exchange A E``, ``buy red``, ``from 10``.

The log, records and the code have every move in one canonical form, whose words are German and small; what is laid is
in capitals. So each word of it is put into the reader's language by itself, as the tables ``[move]`` of the text files
in ``match/`` and in the game's folder have it. Players may write each word in every language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from moderator import games
from moderator.common.message_files import choose_folder_language, iter_message_tables
from moderator.rules.orders.conditions import AFTER_DRAW_TEXT

SHARED = Path(__file__).parent.parent / "rules"
"""Where the words stand that several games have."""
WITHOUT_TILES = frozenset({"passe", "tausche", "kaufe", "vollende"})
"""First words of moves by which nothing is laid."""
_WORD = re.compile(rf"{AFTER_DRAW_TEXT}|(?<![^\W_])(?:[a-zäöüß]+|Gitter)(?![^\W_])")


@cache
def load_move_words(language: str, game: str | None) -> Mapping[str, str]:
    """Return for each word of the canonical form how it is written in a language. Unknown languages write English."""
    folders = [SHARED, *([games.folder(game)] if game in games.REGISTRY else [])]
    return {
        word: written
        for folder in folders
        for _, word, written in iter_message_tables(folder, choose_folder_language(folder, language), "move")
    }


def is_laying_move(order: str) -> bool:
    """Return whether a move lays something, and is not only a pass, an exchange or a purchase."""
    return order.partition(" ")[0].rstrip(",") not in WITHOUT_TILES or any(sign in order for sign in ";+")


def translate_move(order: str, language: str, game: str | None) -> str:
    """Return an order in canonical form as a reader of that language writes it."""
    written = load_move_words(language, game)
    return _WORD.sub(lambda found: written.get(found[0], found[0]), order)
