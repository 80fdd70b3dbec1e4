"""What was agreed for a match, in words: its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from moderator.games import load
from moderator.pages import traits
from moderator.pages.messages import label, say, sentence, table
from moderator.pages.pages import MatchInfo


def agreed_lines(match: MatchInfo | None, language: str, *, only_changed: bool = False) -> tuple[str, ...]:
    """The options in force, and the words that were ruled on for this match. ``only_changed``: of the options those
    that are not as they are where nothing is agreed."""
    if match is None:
        return ()
    told = unusual(match.game, match.options) if only_changed else match.options
    lines = []
    for name, value in told.items():
        matters = traits.means_something(match.game, name, match.pace)
        if name != "pace" and value is not None and matters:
            lines.append(option_line(name, value, language, match.game))
    if match.salts and not only_changed:
        lines.append(label("salts", language, salts=match.salts))
    return (*filter(None, lines), *(sentence(note, language) for note in match.rulings))


def unusual(game: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Those options that are not as they are where nothing is agreed."""
    usual = asdict(load(game).options())
    return {name: value for name, value in options.items() if usual.get(name) != value}


def option_line(name: str, value: Any, language: str, game: str) -> str:
    """An option in words. A game says each by ``option.<name>``, with {value} or as a mere name, and may word a value
    by ``option.<name>.<value>``; one whose words are "" is not worth saying: ""."""
    sentences = table(language, game)
    plain = str(value).lower() if isinstance(value, bool) else value
    worded = sentences.get(f"option.{name}.{plain}")
    pattern = sentences.get(f"option.{name}", name.replace("_", " "))
    if worded == "":
        return ""
    if "{" in pattern:
        return say(f"option.{name}", language, game, value=worded or value, count=value)
    return label("option-plain", language, name=pattern, value=worded or value)
