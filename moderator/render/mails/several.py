"""Mails about several matches: a table of one row for each, and what became of mails that were read late."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from moderator.common.enums import MailKind
from moderator.language import dates
from moderator.notifications.content import Overview
from moderator.notifications.pages import BacklogNotification, DigestNotification, Page, list_answered_mails
from moderator.render.document import Action, Block, Heading, Items, Para, end_sentence
from moderator.render.mails.answering import find_board_action
from moderator.render.mails.event import MatchOfMail, join_clauses, list_several_matches
from moderator.render.mails.outcome_sections import list_failures
from moderator.render.mails.position import DRAWN
from moderator.render.mails.report import render_note_line
from moderator.render.mails.sections import (
    build_answer_link,
    list_seat_names,
    render_notes,
    render_remarks,
    show_links,
    write_label,
)
from moderator.render.mails.subject import build_mail_head
from moderator.render.rows import ActionRow, ActionRows
from moderator.render.text import build_mailto


def show_matches(page: Page) -> Iterator[Block]:
    """Yield a row for each match: first those in which something is wanted of the reader, with the link to write it."""
    lines = list_several_matches(page)
    wanted = [line for line in lines if line.is_wanted]
    others = [line for line in lines if not line.is_wanted]
    # The hour at which the turns of all these matches end; an empty text where it is not one.
    hours = {dates.format_hour(line.deadline, page.reader.zone) if line.deadline else "" for line in wanted}
    hour, moment = hours.pop() if len(hours) == 1 else "", _find_common_deadline(page, wanted)
    yield ActionRows(tuple(_build_row(page, line, hour, is_dated=not moment) for line in wanted), page.reader.language)
    if hour and len(wanted) > 1:
        code = "match-all" if moment else "match-hour"
        yield Para((write_label(page, code, deadline=moment, time=hour),), "item m")
    if wanted and others:
        yield Heading(write_label(page, "section-others"))
    yield ActionRows(tuple(_build_row(page, line, "") for line in others), page.reader.language, is_quiet=True)


def _find_common_deadline(page: Page, lines: list[MatchOfMail]) -> str:
    """Return the one moment at which the turns of several matches end; an empty text where it is not one."""
    moments = {line.deadline for line in lines}
    when = moments.pop() if len(lines) > 1 else None
    if when is None or moments:
        return ""
    return dates.format_moment(when, page.now, page.reader.language, page.reader.zone, page.club_zone)


def _build_row(page: Page, line: MatchOfMail, hour: str, *, is_dated: bool = True) -> ActionRow:
    language, reader = page.reader.language, page.reader
    until = ""
    if line.deadline is not None and is_dated:
        day = dates.format_brief_day(line.deadline, language, reader.zone)
        time = "" if hour else dates.format_hour(line.deadline, reader.zone)
        until = write_label(page, "match-until-hour" if time else "match-until", day=day, time=time)
    said = join_clauses(language, until, line.said, *_list_more(line.page))
    if line.reply is None or not (line.is_wanted or isinstance(page.content, Overview)):
        return ActionRow(line.title, said)
    if not line.is_wanted:
        word = write_label(page, "line-status")
        look = build_mailto(replace(line.reply, body=word), line.title)
        return ActionRow(line.title, said, (Action(write_label(page, "match-board"), look, f"{line.code} {word}"),))
    write = Action(write_label(page, "match-write"), build_mailto(line.reply, line.title))
    board = find_board_action(line.page) if line.page else None
    shown = (Action(write_label(page, "match-board"), board.link), write) if board else (write,)
    return ActionRow(line.title, said, shown, write_label(page, "match-way", match=line.code))


def _list_more(part: Page | None) -> tuple[str, ...]:
    """Return what else happened in a match, without new tiles, the deadline, and what the row has said."""
    if part is None:
        return ()
    notes = (note for note in part.notes if note.code not in DRAWN and note.code != "drew" and note.code != AWAY)
    names = list_seat_names(part)
    return tuple(render_note_line(note, part.reader.language, part.game, names).rstrip(".") for note in notes)


AWAY = "deadline-outage"
"""Code of the note that says that a deadline has moved because nobody read the mailbox."""


def show_answered_mails(page: Page) -> Iterator[Block]:
    """Yield what became of each of the reader's mails, each in one line; or that none had come."""
    content = page.content
    assert isinstance(content, BacklogNotification)
    if mails := list_answered_mails(content):
        yield Heading(write_label(page, "section-late-mails"))
        yield Items(tuple(map(_render_answered_mail, mails)), "list m", close=True)
    if content.unlisted:
        yield Para((write_label(page, "several-unlisted", count=content.unlisted),), "item m")
    if content.is_silent:
        yield Para((write_label(page, "several-silent"),))


def _render_answered_mail(mail: Page) -> str:
    """Return which mail it was and what became of it; of what was not done, why."""
    head = build_mail_head(mail)
    failed = head.alarming or mail.kind in (MailKind.UNREAD, MailKind.DONE)
    said = [end_sentence(head.headline)]
    if failed:
        said += list_failures(mail)
    return f"{write_label(mail, 'followed', text=render_remarks(mail)[0])} {' '.join(said)}"


def show_other_news(page: Page) -> Iterator[Block]:
    """Yield what else happened."""
    yield Items(render_notes(page))


def link_several(page: Page) -> Iterator[Block]:
    """Yield what can be asked for: all boards, and a mail for each turn again."""
    lines = [line for line in list_several_matches(page) if line.is_wanted and line.reply is not None]
    links = []
    if lines:
        code = "link-board" if len(lines) == 1 else "link-boards-first" if len(lines) > TOGETHER else "link-boards"
        asked = "; ".join(f"{line.code} {write_label(page, 'line-status')}" for line in lines[:TOGETHER])
        links.append(_build_link(page, code, asked))
    if isinstance(page.content, DigestNotification):
        links.append(_build_link(page, "link-each", write_label(page, "line-digest-off")))
    if links:
        yield show_links(page, *links)


TOGETHER = 4
"""So many boards are asked for by one line; of more the most urgent."""


def _build_link(page: Page, code: str, line: str) -> Action:
    return Action(write_label(page, code), build_answer_link(page, line), line)
