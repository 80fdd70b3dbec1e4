"""The puzzle of the week in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moderator.language.dates import localize_notes
from moderator.language.messages import render_code, render_label, render_note
from moderator.notifications.content import PuzzleNotification
from moderator.notifications.pages import Page
from moderator.rules.game import Note


@dataclass(frozen=True)
class PuzzleText:
    """The texts of a mail around the position of a puzzle."""

    solved_title: str
    solved: tuple[str, ...]
    title: str
    about: tuple[str, ...]
    how: tuple[str, ...]


def build_puzzle_text(page: Page) -> PuzzleText:
    """Return the texts of a mail about a puzzle; in other mails all of them are empty."""
    content, language = page.content, page.reader.language
    if not isinstance(content, PuzzleNotification):
        return PuzzleText("", (), "", (), ())

    def render_notes(notes: Sequence[Note], game: str | None) -> tuple[str, ...]:
        return tuple(render_note(note, language, game) for note in localize_notes(notes, page))

    name = render_code("name", language, page.game)
    return PuzzleText(
        render_label("section-puzzle-solved", language),
        render_notes(content.solved, content.solved_game),
        render_label("puzzle-title", language, number=content.number, game=name) if content.number else "",
        render_notes(content.about, page.game),
        render_notes(content.how, page.game),
    )
