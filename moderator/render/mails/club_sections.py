"""What small mails of the club say: questions who wrote, a new address, words that came twice."""

from __future__ import annotations

from collections.abc import Iterator

from moderator.common.text import clean_name
from moderator.language import traits
from moderator.language.messages import quote_text
from moderator.notifications.content import NewAddress, SenderQuestion
from moderator.notifications.pages import Page
from moderator.render.document import Block, Items, Para, Quote
from moderator.render.mails.note_event import ASKS
from moderator.render.mails.sections import (
    build_action,
    render_notes,
    show_buttons,
    show_letters,
    show_links,
    tell_notes,
    write_label,
)
from moderator.render.text import render_letters, split_orders


def ask_yes_or_no(page: Page) -> Iterator[Block]:
    """Yield the two answers."""
    yield show_buttons(
        page,
        build_action(page, "button-yes", write_label(page, "line-yes"), "main"),
        build_action(page, "button-no", write_label(page, "line-no")),
    )


def ask_about_address(page: Page) -> Iterator[Block]:
    """Yield the question whether the new address is right, where it is asked."""
    if isinstance(page.content, NewAddress) and page.content.asks:
        yield from ask_yes_or_no(page)
        yield Para((write_label(page, "address-how"),), "item m")


def ask_who_wrote(page: Page) -> Iterator[Block]:
    """Yield the question whether the mail is the reader's, with its first orders, each on its own."""
    content = page.content
    assert isinstance(content, SenderQuestion)
    yield Para((write_label(page, "confirm-shared" if content.names else "confirm-unsure"),))
    if content.names:
        line_no = write_label(page, "line-no")
        actions = [build_action(page, "button-name", name, name=name) for name in content.names]
        yield show_buttons(page, *actions, build_action(page, "button-nobody", line_no))
    else:
        yield from ask_yes_or_no(page)
    if content.lines:
        style, language = traits.get_notation_style(page.game), page.reader.language
        orders = [str(order) for line in content.lines for order in split_orders(line, style)]
        cited = [f"{write_label(page, 'cited')} {quote_text(order, language)}" for order in orders]
        more = [write_label(page, "cited-more", count=content.more)] if content.more else []
        yield Para((write_label(page, "confirm-says"),))
        yield Items((*cited, *more), "cite", close=True)


def ask_about_repeat(page: Page) -> Iterator[Block]:
    """Yield whether a mail that came twice is to count twice."""
    yield Para(render_notes(page))
    yield show_buttons(page, build_action(page, "button-again", write_label(page, "line-yes")))
    yield Para((write_label(page, "repeated-once"),), "item m")


def offer_first_steps(page: Page) -> Iterator[Block]:
    """Yield how one plays here, and what a new player may do first."""
    yield Para((write_label(page, "welcome-how"),))
    links = [
        build_action(
            page,
            "link-join",
            write_label(page, "line-join", match=note.params["match"]),
            match=clean_name(note.params["title"]) or note.params["match"],
        )
        for note in page.notes
        if note.code == "open-match"
    ][:MOST_OFFERS]
    yield show_links(
        page,
        *links,
        build_action(page, "link-help", write_label(page, "line-help")),
        build_action(page, "link-question", write_label(page, "line-question")),
    )


MOST_OFFERS = 2
"""So many open matches can be joined by one tap in the mail that welcomes somebody."""


def show_short_news(page: Page) -> Iterator[Block]:
    """Yield what happened, and the answers where the reader is asked."""
    yield from tell_notes(page)
    if any(note.code in ASKS for note in page.notes):
        yield show_buttons(
            page,
            build_action(page, "button-agree", write_label(page, "line-agree"), "main"),
            build_action(page, "button-refuse", write_label(page, "line-refuse")),
        )
    if page.notes:
        yield from show_letters(page)
    else:
        yield from (Quote(letter.lines, letter.head) for letter in render_letters(page))
