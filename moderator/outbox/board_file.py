"""The page to lay tiles on as a file, in the first mail that a player gets of a match: where the settings want it, and
no site has the page."""

from __future__ import annotations

from dataclasses import replace

from moderator.club import archive, board_page
from moderator.club.desk import Desk
from moderator.mail.model import File
from moderator.pages import turn_file
from moderator.pages.messages import label
from moderator.pages.pages import Page
from moderator.states import MailKind

KIND = "text/html; charset=utf-8"


def attached(desk: Desk, page: Page) -> Page:
    """The same mail, with the page if it is the first one: the match begins, or its reader has taken over a seat. It
    opens with the position of the mail, or asks for one where nothing is wanted of its reader yet."""
    if page.match is None or page.kind != MailKind.START or page.board_page or not desk.config.mail.attach_board:
        return page
    where, language = archive.board_page(page.match.game), page.reader.language
    if not where:
        return page
    turn = turn_file.of_match(page)
    made = board_page.enclosed(where, language, page.club, turn.data if turn else b"")
    name = f"{label('board-file', language)}-{page.match.code}.html"
    return replace(page, files=(*page.files, File(name, KIND, made)), board_file=name)
