"""The help: in short, and all about one topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from moderator.common.text import capitalize_start, clean_name
from moderator.language.messages import quote_text, render_code, write_move
from moderator.notifications.content import HelpLine, HelpText, HelpTopic
from moderator.notifications.pages import Page
from moderator.render.document import Action, Block, Heading, Para
from moderator.render.mails.answering import explain_moves, show_hints
from moderator.render.mails.sections import build_answer_link, build_section, show_links, write_label
from moderator.render.text import render_prose


@dataclass(frozen=True)
class HelpRows(Block):
    """Lines that somebody may write, each with what it does; without a line only the sentence. The lines stand in
    quotation marks: so they are no orders when our mail comes back."""

    rows: tuple[tuple[str, str], ...]
    language: str

    def format_lines(self) -> Sequence[str]:
        return tuple(
            f"- {quote_text(line, self.language)} · {what}" if line else f"- {what}" for line, what in self.rows
        )

    def render_html(self) -> str:
        return "".join(
            f'<p class="item m"><b class="t">{escape(quote_text(line, self.language))}</b> · {render_prose(what)}</p>'
            if line
            else f'<p class="item m">{render_prose(what)}</p>'
            for line, what in self.rows
        )


def show_help(page: Page) -> Iterator[Block]:
    """Yield the help that was asked for."""
    asked = page.content
    assert isinstance(asked, HelpText)
    yield from _show_short_help(page, asked) if asked.topic is None else _show_topic(page, asked, asked.topic)


def _show_short_help(page: Page, asked: HelpText) -> Iterator[Block]:
    if asked.unknown:
        yield Para((write_label(page, "help-unknown", topic=clean_name(asked.unknown)),))
    yield Para((write_label(page, "help-how"),))
    if asked.moves:
        yield Heading(write_label(page, "help-moving"))
        rows = (*(_render_move_row(page, one) for one in asked.moves), *_list_fallback_rows(page))
        yield HelpRows(rows, page.reader.language)
    for heading, listed in asked.groups:
        yield Heading(write_label(page, heading))
        yield HelpRows(tuple((one.said, one.what) for one in listed), page.reader.language)
    yield Para((write_label(page, "help-more"),))
    links = ((write_label(page, f"help-topic-{topic}"), line) for topic, line in asked.topics.items())
    yield show_links(page, *(Action(label, build_answer_link(page, line), line) for label, line in links))


def _render_move_row(page: Page, one: HelpLine) -> tuple[str, str]:
    language, game = page.reader.language, page.game
    what = render_code(one.code, language, game, **page.examples)
    return (write_move(one.line, language, game), what) if one.line else ("", capitalize_start(what))


def _list_fallback_rows(page: Page) -> tuple[tuple[str, str], ...]:
    race = page.match is not None and page.match.pace == "race"
    return () if race else (("", write_label(page, "help-second")),)


def _show_topic(page: Page, asked: HelpText, topic: HelpTopic) -> Iterator[Block]:
    if topic is HelpTopic.MOVES:
        yield from _explain_all_moves(page)
    if topic is HelpTopic.ALL:
        yield Para((write_label(page, "help-alone"), write_label(page, "help-several")))
    for heading, listed in asked.groups:
        said = (write_label(page, "command-line", said=one.said, what=one.what) for one in listed)
        yield from build_section(write_label(page, heading), (), tuple(said))


def _explain_all_moves(page: Page) -> Iterator[Block]:
    """Yield all that the game's sentences say about its moves."""
    if page.match is None:
        yield Para((write_label(page, "help-where"),))
        return
    yield from explain_moves(page)
    yield from show_hints(page)
