"""The page to lay tiles on as a file, in the first mail that a player gets of a match: where the settings want it, and
no site has the page."""

from __future__ import annotations

from dataclasses import replace

from moderator.common.enums import MailKind
from moderator.language.messages import render_label
from moderator.mail.model import File
from moderator.notifications.pages import Page
from moderator.render import attachments, touch_board
from moderator.service.desk import Desk
from moderator.views import links

KIND = "text/html; charset=utf-8"


def attach_board_page(desk: Desk, page: Page) -> Page:
    """Attach the page to lay tiles on to the first mail of a match: at its start, or for a reader who has taken over a
    seat. The page opens with the position of the mail, or asks for one where nothing is wanted of its reader yet. Other
    mails are returned as they are."""
    if page.match is None or page.kind != MailKind.START or page.board_page or not desk.config.mail.attach_board:
        return page
    where, language = links.find_board_page(page.match.game), page.reader.language
    if not where:
        return page
    turn = attachments.find_turn_file(page)
    made = touch_board.render_enclosed_page(where, language, page.club, turn.data if turn else b"")
    name = f"{render_label('board-file', language)}-{page.match.code}.html"
    return replace(page, files=(*page.files, File(name, KIND, made)), board_file=name)
