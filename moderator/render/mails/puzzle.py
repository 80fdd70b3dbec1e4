"""The puzzle of the week in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from moderator.common.text import clean_name
from moderator.language.dates import localize_notes
from moderator.language.messages import render_code, render_label, render_note
from moderator.notifications.content import PuzzleNotification, ReviewText
from moderator.notifications.pages import Page
from moderator.review import notes
from moderator.review.review import Review
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


# ---- A review in sentences: for the command line, for mails and for the match's page.


TURNS = "section-review-turns"
"""Code of the heading over the turns."""


def build_review_text(review: Review) -> ReviewText:
    """Return all that the review says, as notes."""
    return ReviewText(notes.list_summary_notes(review), notes.list_turn_notes(review), notes.list_method_notes(review))


def iter_review_sections(
    review_text: ReviewText, game: str | None, names: Sequence[str], language: str
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (code of the heading, sentences) of each part that says something."""
    for heading, lines in (
        ("section-review", [(note,) for note in review_text.summary]),
        (TURNS, review_text.turns),
        ("section-review-how", [(note,) for note in review_text.explained]),
    ):
        if lines:
            yield heading, tuple(" ".join(render_note(note, language, game, names) for note in line) for line in lines)


def iter_review_lines(review: Review, code: str, name: str, names: Sequence[str], language: str) -> Iterator[str]:
    """Yield the review as lines of a plain text, without line breaks in them; an empty line stands between its
    parts."""
    game = render_code("name", language, review.game)
    yield render_code("review-heading", language, review.game, game=game, match=clean_name(name), code=code)
    for heading, sentences in iter_review_sections(build_review_text(review), review.game, names, language):
        yield from ("", render_label(heading, language)) if heading == TURNS else ("",)
        yield from sentences
