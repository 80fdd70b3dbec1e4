"""What was agreed for a match, in words: its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from moderator.games import load_game
from moderator.language import traits
from moderator.language.messages import load_sentences, render_code, render_label, render_note
from moderator.notifications.pages import MatchView


def render_agreed_options(match: MatchView | None, language: str, *, only_changed: bool = False) -> tuple[str, ...]:
    """Return the options in force as lines. ``only_changed``: only those that differ from the game's defaults."""
    if match is None:
        return ()
    told = select_unusual_options(match.game, match.options) if only_changed else match.options
    lines = []
    for name, value in told.items():
        matters = traits.is_option_relevant(match.game, name, match.pace)
        if name != "pace" and value is not None and matters:
            lines.append(render_option(name, value, language, match.game))
    if match.salts and not only_changed:
        lines.append(render_label("salts", language, salts=match.salts))
    return (*filter(None, lines), *(render_note(note, language) for note in match.rulings))


def select_unusual_options(game: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those options that are not as they are where nothing is agreed."""
    usual = asdict(load_game(game).options())
    return {name: value for name, value in options.items() if usual.get(name) != value}


def render_option(name: str, value: Any, language: str, game: str) -> str:
    """Return an option in words. A game has a sentence ``option.<name>``, with {value} or as a mere name, and may word
    a value by ``option.<name>.<value>``; an option whose words are empty is not worth saying and gives an empty
    text."""
    sentences = load_sentences(language, game)
    plain = str(value).lower() if isinstance(value, bool) else value
    worded = sentences.get(f"option.{name}.{plain}")
    pattern = sentences.get(f"option.{name}", name.replace("_", " "))
    if worded == "":
        return ""
    if "{" in pattern:
        return render_code(f"option.{name}", language, game, value=worded or value, count=value)
    return render_label("option-plain", language, name=pattern, value=worded or value)
