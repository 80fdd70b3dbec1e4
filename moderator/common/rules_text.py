"""The rules of a game as its players read them: a title, and sections of paragraphs and lists."""

from __future__ import annotations

from dataclasses import dataclass

from moderator.common.disk import FALLBACK

Block = str | tuple[str, ...]
"""A paragraph, or the items of a list. Plain text, not wrapped."""


@dataclass(frozen=True)
class RulesSection:
    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class RulesText:
    title: str
    sections: tuple[RulesSection, ...]
    language: str = FALLBACK
    """In which they are: not everybody's, where nobody has translated them."""
