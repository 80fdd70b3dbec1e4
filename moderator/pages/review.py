"""A review in sentences: for the command line, for mails and for the match's page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from moderator.pages.content import ReviewText
from moderator.pages.messages import label, say, sentence
from moderator.printable import clean_name
from moderator.review import told
from moderator.review.review import Review

TURNS = "section-review-turns"
"""Code of the heading over the turns."""


def content(review: Review) -> ReviewText:
    """All that it says, as notes."""
    return ReviewText(told.summary(review), told.turns(review), told.notes(review))


def sections(
    said: ReviewText, game: str | None, names: Sequence[str], language: str
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(code of the heading, sentences) of each part that says something."""
    for heading, lines in (
        ("section-review", [(note,) for note in said.summary]),
        (TURNS, said.turns),
        ("section-review-how", [(note,) for note in said.explained]),
    ):
        if lines:
            yield heading, tuple(" ".join(sentence(note, language, game, names) for note in line) for line in lines)


def text(review: Review, code: str, name: str, names: Sequence[str], language: str) -> Iterator[str]:
    """As lines of a plain text, without line breaks in them; "" stands between its parts."""
    game = say("name", language, review.game)
    yield say("review-heading", language, review.game, game=game, match=clean_name(name), code=code)
    for heading, sentences in sections(content(review), review.game, names, language):
        yield from ("", label(heading, language)) if heading == TURNS else ("",)
        yield from sentences
