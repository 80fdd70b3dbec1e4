"""How what players write is compared: case, umlauts and what separates words make no difference. Also yes and no, and
games by what they are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from moderator import games
from moderator.common.disk import LANGUAGES
from moderator.common.mails import Line
from moderator.common.message_files import load_distinct_words, load_word_pattern, normalize_spelling
from moderator.language.messages import render_note
from moderator.rules.game import Note

HERE = Path(__file__).parent
PLEASE, IN, MATCH_WORD, YES = (load_word_pattern(HERE, key) for key in ("please", "in", "match", "yes"))
"""Regular expressions: ``bitte``, ``in``, ``Partie``, ``ja``."""
load_distinct_words(HERE, "yes", "no")
_YES = re.compile(rf"\W*{YES}\b", re.IGNORECASE)
_NO = re.compile(rf"\W*{load_word_pattern(HERE, 'no')}\b", re.IGNORECASE)


def parse_yes_no(lines: Sequence[Line]) -> bool | None:
    """Parse the answer to a mail of ours that asks something: the first line with text counts; None = neither."""
    said = next((line.text for line in lines if line.text.strip()), "")
    if _NO.match(said):
        return False
    return True if _YES.match(said) else None


def find_games_by_name(text: str) -> tuple[str, ...]:
    """Find the keys of the games that ``text`` may mean: a name in either language or a key, whole or cut short. A
    whole name means that game alone."""
    wanted = _normalize_game_name(text)
    if not wanted:
        return ()
    names = {
        key: {
            _normalize_game_name(key),
            *(_normalize_game_name(get_game_name(key, language)) for language in LANGUAGES),
        }
        for key in games.REGISTRY
    }
    whole = tuple(key for key, known in names.items() if wanted in known)
    return whole or tuple(key for key, known in names.items() if any(one.startswith(wanted) for one in known))


@cache  # asked for each match of a player, with each of their mails
def get_game_name(key: str, language: str) -> str:
    """Return the name of the game in a language: ``Wer behält recht?``"""
    return render_note(Note("name"), language, key)


def _normalize_game_name(text: str) -> str:
    """Normalize to small letters and digits only, umlauts as two letters."""
    return "".join(letter for letter in normalize_spelling(text) if letter.isalnum())
