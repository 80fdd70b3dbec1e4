"""Games by what a player calls them."""

from __future__ import annotations

from functools import cache

from moderator import games
from moderator.club.spelling import plain
from moderator.languages import LANGUAGES
from moderator.match.contract import Note
from moderator.pages.messages import sentence


def called(text: str) -> tuple[str, ...]:
    """Keys of the games that ``text`` may mean: a name in either language or a key, whole or cut short. A whole name
    means that game alone."""
    wanted = _letters(text)
    if not wanted:
        return ()
    names = {key: {_letters(key), *(_letters(name(key, language)) for language in LANGUAGES)} for key in games.REGISTRY}
    whole = tuple(key for key, known in names.items() if wanted in known)
    return whole or tuple(key for key, known in names.items() if any(one.startswith(wanted) for one in known))


@cache  # asked for each match of a player, with each of their mails
def name(key: str, language: str) -> str:
    """``Wer behält recht?``"""
    return sentence(Note("name"), language, key)


def _letters(text: str) -> str:
    """Small letters and digits only, umlauts as two letters."""
    return "".join(letter for letter in plain(text) if letter.isalnum())
