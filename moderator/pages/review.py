"""A review in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from moderator.match.contract import Note
from moderator.pages.messages import say, sentence
from moderator.printable import clean_name
from moderator.review import told
from moderator.review.review import Review


def text(review: Review, code: str, name: str, names: Sequence[str], language: str) -> Iterator[str]:
    """As lines of a plain text, without line breaks in them; "" stands between its parts."""

    def said(notes: Sequence[Note]) -> list[str]:
        return [sentence(note, language, review.game, names) for note in notes]

    game = say("name", language, review.game)
    yield say("review-heading", language, review.game, game=game, match=clean_name(name), code=code)
    yield ""
    yield from said(told.summary(review))
    yield from ("", say("review-heading-turns", language))
    yield from said(told.turns(review))
    yield ""
    yield from said(told.notes(review))
