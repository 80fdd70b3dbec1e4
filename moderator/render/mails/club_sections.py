"""What small mails of the club say: questions who wrote, a new address, words that came twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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
    tell_remarks,
    write_label,
)
from moderator.render.text import render_letters, split_orders


def ask_if_mine(page: Page) -> Iterator[Block]:
    """Yield the two answers to the question whether the reader has written a mail."""
    yield _show_answers(page, "button-mine", "button-not-mine")


def ask_about_address(page: Page) -> Iterator[Block]:
    """Yield the question whether the new address is right, where it is asked."""
    if isinstance(page.content, NewAddress) and page.content.asks:
        yield _show_answers(page, "button-right", "button-wrong")
        yield Para((write_label(page, "address-how"),), "item m")


def _show_answers(page: Page, yes: str, no: str) -> Block:
    """Return yes and no as buttons. Their labels begin with neither, so that no line of ours is an answer."""
    return show_buttons(
        page,
        build_action(page, yes, write_label(page, "line-yes"), "main"),
        build_action(page, no, write_label(page, "line-no")),
    )


def ask_who_wrote(page: Page) -> Iterator[Block]:
    """Yield the question whether the mail is the reader's, with its first orders, each on its own."""
    content = page.content
    assert isinstance(content, SenderQuestion)
    yield Para((write_label(page, "confirm-shared" if content.names else "confirm-unsure"),))
    if content.names:
        yield Para((write_label(page, "confirm-whose", names=content.names),))
        names = [build_action(page, "button-name", name, name=name) for name in content.names]
        nobody = build_action(page, "button-nobody", write_label(page, "line-no"))
        yield replace(show_buttons(page, *names, nobody), only="html")
    else:
        yield from ask_if_mine(page)
    if content.lines:
        style, language = traits.get_notation_style(page.game), page.reader.language
        orders = [str(order) for line in content.lines for order in split_orders(line, style)]
        cited = [f"{write_label(page, 'cited')} {quote_text(order, language)}" for order in orders]
        more = [write_label(page, "cited-more", count=content.more)] if content.more else []
        yield Para((write_label(page, "confirm-says"),))
        yield Items((*cited, *more), "cite", close=True)
    yield from tell_remarks(page)


def ask_about_second(page: Page) -> Iterator[Block]:
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
    """Yield what happened, of which the head tells only what it is, and the answers where the reader is asked."""
    yield Para(render_notes(page))
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
