"""The sections that mails of many kinds have, and those of small mails of the club: questions who wrote, a new address,
words that came twice. A section is a function from a page to blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal

from moderator.common.text import clean_name
from moderator.language import traits
from moderator.language.messages import game_sentence, quote_text, render_label
from moderator.notifications.content import NewAddress, SenderQuestion
from moderator.notifications.pages import LetterView, Page
from moderator.render.document import Action, Block, Buttons, Heading, Items, Links, Para, Quote
from moderator.render.mails.event import ASKS
from moderator.render.mails.report import render_note_line
from moderator.render.mails.subject import render_match_title
from moderator.render.text import build_mailto, split_orders, wrap_letter_text

Section = Callable[[Page], Iterable[Block]]


def write_label(page: Page, code: str, /, **params: Any) -> str:
    """Return a sentence of ours in the reader's language."""
    return render_label(code, page.reader.language, **params)


def write_game_label(page: Page, code: str, /, **params: Any) -> str:
    """Return such a sentence in the words of the page's game, if it has its own."""
    return game_sentence(code, page.reader.language, page.game, **params)


def render_notes(page: Page) -> tuple[str, ...]:
    """Return what else happened, as lines."""
    names = list_seat_names(page)
    return tuple(render_note_line(note, page.reader.language, page.game, names) for note in page.notes)


def tell_remarks(page: Page) -> Iterator[Block]:
    """Yield what is special about the clock and the seats now."""
    yield Items(render_remarks(page))


def render_remarks(page: Page) -> tuple[str, ...]:
    """Return what is special about the clock and the seats now."""
    language, names = page.reader.language, list_seat_names(page)
    return tuple(render_note_line(note, language, page.game, (), names) for note in page.remarks)


def list_seat_names(page: Page) -> tuple[str, ...]:
    return page.names or tuple(seat.name for seat in page.seats)


# ---- sentences ----


def tell(*codes: str) -> Section:
    """Return a section that says these sentences."""
    return lambda page: (Para((write_label(page, code),)) for code in codes)


def tell_lines(lines: Iterable[str]) -> Iterator[Block]:
    """Yield a paragraph for each line."""
    return (Para((line,)) for line in lines)


def tell_notes(page: Page) -> Iterator[Block]:
    """Yield what else happened, as sentences."""
    return tell_lines(render_notes(page))


def build_section(heading: str, lines: Iterable[str] = (), items: tuple[str, ...] = ()) -> Iterator[Block]:
    """Yield a heading, paragraphs, a list of shorter ones."""
    if heading:
        yield Heading(heading)
    yield from tell_lines(lines)
    yield Items(items, "list m")


def show_letters(page: Page) -> Iterator[Block]:
    """Yield what players wrote to each other."""
    if page.press:
        yield Heading(write_label(page, "section-press"))
        yield from render_letters(page)


def render_letters(page: Page) -> tuple[Quote, ...]:
    """Return the page's letters."""
    return tuple(
        Quote(wrap_letter_text(item.text), wrap_letter_text(_render_letter_head(item, page.reader.language)))
        for item in page.press
    )


def _render_letter_head(item: LetterView, language: str) -> str:
    names = [clean_name(name) for name in item.to]
    who = render_label("press-you", language) if item.you else clean_name(item.by)
    code = "press-to" if names else "press-to-all"
    return render_label(f"{code}-in" if item.match else code, language, who=who, names=names, match=item.match)


# ---- answers ----


def build_answer_link(page: Page, line: str = "") -> str:
    """Return the address of a prefilled answer, "" where none is wanted; ``line``: its text, if not the usual one."""
    if page.reply is None:
        return ""
    language = page.reader.language
    reply = replace(page.reply, body=line) if line else page.reply
    about = render_match_title(page.match, language) if page.match else clean_name(page.club)
    return build_mailto(reply, about)


def build_action(
    page: Page, code: str, line: str = "", look: Literal["main", "plain", "danger"] = "plain", /, **params: Any
) -> Action:
    """Return a button or a link that is an answer with this line."""
    return Action(write_label(page, code, **params), build_answer_link(page, line), line, look)


def show_buttons(page: Page, *actions: Action) -> Buttons:
    """Return the buttons; the text says that one of their lines is the answer."""
    several = sum(bool(one.line) and not one.is_page for one in actions) > 1
    return Buttons(actions, page.reader.language, write_label(page, "answer-with" if several else "answer-with-one"))


def show_links(page: Page, *actions: Action) -> Links:
    return Links(actions, page.reader.language)


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
        yield from render_letters(page)
