"""The words of lists, in the language of whoever sits at the terminal."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from moderator.common.disk import FALLBACK, LANGUAGES
from moderator.common.message_files import load_message_files

HERE = Path(__file__).parent


def choose_language(club: str) -> str:
    """Choose the language of what people read: that of the terminal, where it names one that we speak, or else the
    club's."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return value[:2] if value[:2] in LANGUAGES else club
    return club


def render_text(code: str, language: str, **values: object) -> str:
    """Return the text of a code."""
    texts = _load_texts(language)
    return texts.get(code, _load_texts(FALLBACK).get(code, code)).format(**values)


@cache
def _load_texts(language: str) -> Mapping[str, str]:
    return {key: str(text) for table in load_message_files(HERE, language).values() for key, text in table.items()}
