"""What mails say that are about no single match: the daily one, the one that answers all mails that had waited,
questions who wrote, words to and from the moderator."""

from __future__ import annotations

from collections.abc import Iterator

from moderator.common.enums import MailKind
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
from moderator.notifications.pages import Page, list_answered_mails, list_match_pages
from moderator.render.document import Block, Heading, Items, Para, Quote
from moderator.render.mails.answering import show_stored_order
from moderator.render.mails.match_sections import show_details
from moderator.render.mails.position import show_bench, show_board, show_seats
from moderator.render.mails.sections import (
    build_action,
    offer_plain_answer,
    render_notes,
    render_remarks,
    show_buttons,
    show_lines_read,
    write_label,
)
from moderator.render.mails.subject import build_mail_head, render_match_title
from moderator.render.text import render_letters, split_orders


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
            yield show_buttons(page, build_action(part, "digest-part-button"))


def _show_match(part: Page) -> Iterator[Block]:
    assert part.match is not None
    title = render_match_title(part.match, part.reader.language)
    watching = (f"{write_label(part, 'watch-section')}.",) if part.watching else ()
    yield Heading(f"{title} ({part.match.code})")
    yield Para((*watching, *build_mail_head(part).lines))
    yield Items(render_remarks(part), "para", close=True)
    for section in (show_details, show_board, show_bench, show_stored_order, show_seats):
        yield from section(part)


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
        yield show_buttons(page, build_action(page, "digest-button"))


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
