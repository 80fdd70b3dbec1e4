"""The sections that mails of many kinds have. A section is a function from a page to blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal

from moderator.common.text import clean_name
from moderator.language.messages import game_sentence, render_label
from moderator.notifications.pages import Page
from moderator.render.document import Action, Block, Buttons, Heading, Items, Links, Para, Quote
from moderator.render.mails.report import render_note_line
from moderator.render.mails.subject import render_match_title
from moderator.render.text import build_mailto, render_letters

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


def build_section(
    heading: str,
    lines: Iterable[str] = (),
    items: tuple[str, ...] = (),
    *,
    look: Literal["list", "list m"] = "list m",
    link: str = "",
    button: str = "",
) -> Iterator[Block]:
    """Yield a heading, paragraphs, a list of shorter ones, a button with a prefilled answer."""
    if heading:
        yield Heading(heading)
    yield from tell_lines(lines)
    yield Items(items, look)
    if link:
        yield Buttons((Action(button, link),), "")


def show_letters(page: Page) -> Iterator[Block]:
    """Yield what players wrote to each other."""
    if page.press:
        yield Heading(write_label(page, "section-press"))
        for letter in render_letters(page):
            yield Quote(letter.lines, letter.head)


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
