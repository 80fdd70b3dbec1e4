"""Where the files are that are not Python: in a wheel inside the package, in a checkout at the top level.

The languages that mails are written in: those that there are files of words for, and nothing else names them.

A further one is written by translating each ``*messages.en.toml`` and ``rules.*.en.md`` of the package."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent.parent


def _find_beside(name: str) -> Path:
    inside = _PACKAGE / name
    return inside if inside.exists() else _PACKAGE.parent / name


def get_template_root() -> Path:
    """Return the folder of the mail templates."""
    return _find_beside("templates")


def get_example_config() -> Path:
    """Return the path of config.example.toml."""
    return _find_beside("config.example.toml")


_WORDS = _PACKAGE / "language"
"""Where the words of the mails stand, ``messages.<language>.toml``; the other files go by these."""

FALLBACK = "en"
"""What is read where something lacks the reader's language: a game of another package, rules not translated yet."""

LANGUAGES = tuple(sorted(file.name.split(".")[1] for file in _WORDS.glob("messages.*.toml")))
