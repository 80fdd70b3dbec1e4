"""What mails say that are about no match: questions who wrote, words to and from the moderator."""

from __future__ import annotations

from collections.abc import Iterator

from moderator.language import traits
from moderator.language.messages import quote_text, strip_quotes
from moderator.notifications.content import (
    CommandReport,
    NewAddress,
    ProtestStatus,
    SenderQuestion,
    WordAsked,
    WordRuled,
)
from moderator.notifications.pages import Page
from moderator.render.document import Block, Heading, Items, Para, Quote
from moderator.render.mails.sections import offer_plain_answer, write_label
from moderator.render.text import render_letters, split_orders


def ask_about_address(page: Page) -> Iterator[Block]:
    if isinstance(page.content, NewAddress) and page.content.asks:
        yield Para((write_label(page, "address-how"),))
        yield from offer_plain_answer(page)


def ask_who_wrote(page: Page) -> Iterator[Block]:
    """Yield the question whether the mail is the reader's, with its first orders, each on its own."""
    content = page.content
    assert isinstance(content, SenderQuestion)
    yield Para((write_label(page, "confirm-shared" if content.names else "confirm-unsure"),))
    if content.lines:
        style, language = traits.get_notation_style(page.game), page.reader.language
        orders = [str(order) for line in content.lines for order in split_orders(line, style)]
        cited = [f"{write_label(page, 'cited')} {quote_text(order, language)}" for order in orders]
        more = [write_label(page, "cited-more", count=content.more)] if content.more else []
        yield Para((write_label(page, "confirm-says"),))
        yield Items((*cited, *more), "cite", close=True)
    names = content.names
    yield Para((write_label(page, "confirm-whose", names=names) if names else write_label(page, "confirm-was-it-you"),))


def show_official_word(page: Page) -> Iterator[Block]:
    content = page.content
    assert isinstance(content, CommandReport)
    values = {"name": _clean(page, content.match_name), "match": _clean(page, content.match)}
    code = "official-match" if content.match else "official-says"
    yield Para((write_label(page, code, **values if content.match else {}),))
    yield from (Quote(letter.lines) for letter in render_letters(page))


def close_notice(page: Page) -> Iterator[Block]:
    """Yield what the moderator may do now, where nobody has written a letter."""
    if not page.press:
        yield Para((write_label(page, "notice-referee" if page.reader.referee else "notice-goes-on"),))


def ask_about_word(page: Page) -> Iterator[Block]:
    content = page.content
    assert isinstance(content, WordAsked)
    yield Para((write_label(page, "ruling-unknown", words=[_clean(page, content.word)]),))
    values = {"match_name": _clean(page, content.match_name), "match": _clean(page, content.match)}
    yield Para((write_label(page, "ruling-match", **values),))
    if content.lexicon:
        yield Para((f"{write_label(page, 'ruling-consulted')} {_clean(page, content.lexicon)}.",))
    yield Heading(write_label(page, "section-how-to-rule"))
    yield Para((write_label(page, "ruling-how"),))


def confirm_ruling(page: Page) -> Iterator[Block]:
    content = page.content
    assert isinstance(content, WordRuled)
    here = "-here" if content.match else ""
    code = f"ruled-{content.ruling}{here}{'-because' if content.reason else ''}"
    values = {"word": content.word, "because": content.reason, "match": content.match}
    yield Para((write_label(page, code, **{name: _clean(page, value) for name, value in values.items()}),))
    yield Para((write_label(page, f"ruled-follows{here}"),))


def ask_about_protest(page: Page) -> Iterator[Block]:
    content = page.content
    assert isinstance(content, ProtestStatus)
    if not content.ruled:
        yield Heading(write_label(page, "section-how-to-rule"))
        yield Para((write_label(page, "protest-how-over" if content.over else "protest-how"),))
        yield from offer_plain_answer(page)


def _clean(page: Page, text: str) -> str:
    """Return the text as a single line that is no order."""
    return strip_quotes(text, traits.get_notation_style(page.game))
