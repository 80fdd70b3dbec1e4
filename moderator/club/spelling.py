"""How what players write is compared: case, umlauts and what separates words make no difference. Also yes and no, and
games by what they are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from moderator import games
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.pages.messages import sentence
from moderator.paths import LANGUAGES
from moderator.texts import apart, pattern, plain

HERE = Path(__file__).parent
PLEASE, IN, MATCH_WORD = pattern(HERE, "please"), pattern(HERE, "in"), pattern(HERE, "match")
"""Regular expressions: ``bitte``, ``in``, ``Partie``."""
apart(HERE, "yes", "no")
_YES = re.compile(rf"\W*{pattern(HERE, 'yes')}\b", re.IGNORECASE)
_NO = re.compile(rf"\W*{pattern(HERE, 'no')}\b", re.IGNORECASE)


def consent(lines: Sequence[Line]) -> bool | None:
    """The answer to a mail of ours that asks something: what the first line with text says; None = neither."""
    said = next((line.text for line in lines if line.text.strip()), "")
    if _NO.match(said):
        return False
    return True if _YES.match(said) else None


def games_called(text: str) -> tuple[str, ...]:
    """Keys of the games that ``text`` may mean: a name in either language or a key, whole or cut short. A whole name
    means that game alone."""
    wanted = _letters(text)
    if not wanted:
        return ()
    names = {
        key: {_letters(key), *(_letters(game_name(key, language)) for language in LANGUAGES)} for key in games.REGISTRY
    }
    whole = tuple(key for key, known in names.items() if wanted in known)
    return whole or tuple(key for key, known in names.items() if any(one.startswith(wanted) for one in known))


@cache  # asked for each match of a player, with each of their mails
def game_name(key: str, language: str) -> str:
    """``Wer behält recht?``"""
    return sentence(Note("name"), language, key)


def _letters(text: str) -> str:
    """Small letters and digits only, umlauts as two letters."""
    return "".join(letter for letter in plain(text) if letter.isalnum())
