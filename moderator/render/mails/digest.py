"""Mails about several matches: the daily one, and the one that answers all mails that had waited."""

from __future__ import annotations

from collections.abc import Iterator

from moderator.common.enums import MailKind
from moderator.notifications.pages import Page, list_answered_mails, list_match_pages
from moderator.render.document import Block, Button, Heading, Items, Para
from moderator.render.mails.answering import link_board_page, show_stored_order
from moderator.render.mails.match_sections import show_events
from moderator.render.mails.position import show_board, show_scores, show_tiles
from moderator.render.mails.sections import (
    build_answer_link,
    link_archive,
    render_notes,
    render_remarks,
    show_lines_read,
    write_label,
)
from moderator.render.mails.subject import build_mail_head, render_match_title


def show_answered_mails(page: Page) -> Iterator[Block]:
    """Yield what became of each of the reader's mails."""
    mails = list_answered_mails(page.content)
    if mails:
        yield Heading(write_label(page, "section-backlog-mails" if len(mails) > 1 else "section-mail"))
    for mail in mails:
        which, head = render_remarks(mail)[0], build_mail_head(mail)
        failed = head.alarming or mail.kind == MailKind.UNREAD
        yield Heading(which, f"{write_label(page, 'followed', text=which)} {head.headline}.")
        yield Para((f"{head.headline}.",), "para bad" if failed else "para good", is_bold=True, only="html")
        yield Para(head.lines, "item m", close=True)
        yield Items(render_notes(mail), close=True)
        yield from show_lines_read(mail)


def show_matches(page: Page) -> Iterator[Block]:
    """Yield how each match stands, what happened in it, and its own address if there are several."""
    parts = list_match_pages(page.content)
    for part in parts:
        yield from _show_match(part)
        if len(parts) > 1 and part.reply is not None:
            yield Para((write_label(page, "digest-part-address", address=part.reply.address),), only="text")
            yield Button(write_label(page, "digest-part-button"), build_answer_link(part))


def _show_match(part: Page) -> Iterator[Block]:
    assert part.match is not None
    title = render_match_title(part.match, part.reader.language)
    watching = (f"{write_label(part, 'watch-section')}.",) if part.watching else ()
    yield Heading(f"{title} ({part.match.code})")
    yield Para((*watching, *build_mail_head(part).lines))
    yield Items(render_remarks(part), "para", close=True)
    for section in (show_events, show_board, show_tiles, show_stored_order, show_scores, link_board_page):
        yield from section(part)
    if part.archive:
        yield link_archive(part)


def show_other_news(page: Page) -> Iterator[Block]:
    """Yield what else happened."""
    if notes := render_notes(page):
        yield Heading(write_label(page, "section-digest-news"))
        yield Items(notes)


def explain_digest_answer(page: Page) -> Iterator[Block]:
    """Yield how to answer for all matches at once."""
    parts = list_match_pages(page.content)
    if any(part.reply for part in parts):
        several = len(parts) > 1
        yield Heading(write_label(page, "section-digest-answer" if several else "section-answer"))
        yield Para((write_label(page, "digest-answer" if several else "digest-answer-one"),))
        yield Button(write_label(page, "digest-button"), build_answer_link(page))
        yield from link_board_page(page, "html")
