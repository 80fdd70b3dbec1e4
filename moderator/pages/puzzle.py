"""The puzzle of the week in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moderator.match.contract import Note
from moderator.pages.content import Weekly
from moderator.pages.dates import worded
from moderator.pages.messages import label, say, sentence
from moderator.pages.pages import Page


@dataclass(frozen=True)
class Puzzle:
    """What a mail says around the position."""

    solved_title: str
    solved: tuple[str, ...]
    title: str
    about: tuple[str, ...]
    how: tuple[str, ...]


def puzzle(page: Page) -> Puzzle:
    """Of a mail that has one; all of it is empty in others."""
    content, language = page.content, page.reader.language
    if not isinstance(content, Weekly):
        return Puzzle("", (), "", (), ())

    def said(notes: Sequence[Note], game: str | None) -> tuple[str, ...]:
        return tuple(sentence(note, language, game) for note in worded(notes, page))

    name = say("name", language, page.game)
    return Puzzle(
        label("section-puzzle-solved", language),
        said(content.solved, content.solved_game),
        label("puzzle-title", language, number=content.number, game=name) if content.number else "",
        said(content.about, page.game),
        said(content.how, page.game),
    )
