"""The turn as data: the small file that goes with each mail which asks for a move, made of its page alone.

So it holds what the mail says and nothing else. Players who read the board as text get it, too: how a board is drawn
is one thing, what a program is told another, and a file that nobody opens harms nobody.
"""

from __future__ import annotations

from moderator.common.enums import MailKind
from moderator.common.mails import File
from moderator.common.text import clean_name
from moderator.notifications.pages import Page, list_match_pages
from moderator.render.mails import stored_order
from moderator.render.mails.subject import render_match_title
from moderator.rules import turn_data
from moderator.rules.turn_data import TurnData

SHOWING = stored_order.ASKING | {MailKind.BOARD}
"""Kinds of mail that show the board to somebody who may be asked for a move. ``DIGEST`` and ``BACKLOG`` are about
several matches, of which each is a page of its own."""


def list_turn_files(page: Page) -> tuple[File, ...]:
    """Return one file for each match of the mail in which its reader is asked for a move."""
    parts = (page, *list_match_pages(page.content))
    return tuple(made for one in parts if (made := find_turn_file(one)) is not None)


def find_turn_file(page: Page) -> File | None:
    """Return the file of the page's own match; None where nothing is asked of its reader, or where it would be too
    large."""
    data = find_turn_data(page)
    written = turn_data.encode_turn(data) if data else None
    return File(f"turn-{data.match}-{data.entry}.json", turn_data.KIND, written) if data and written else None


def find_turn_data(page: Page) -> TurnData | None:
    """Return the turn of the page; None where nothing is asked of the reader."""
    if page.turn is not None:
        return page.turn
    match, reply, table = page.match, page.reply, page.table
    seat = next((line.number for line in page.seats if line.you), None)
    wanted = page.kind in SHOWING and page.status.is_wanted
    if match is None or reply is None or table is None or seat is None or not wanted:
        return None
    language = page.reader.language
    counts = tuple(line.tiles for line in page.seats if line.tiles is not None)
    return TurnData(
        match=match.code,
        name=clean_name(match.name)[: turn_data.NAME],
        game=match.game,
        entry=match.entry,
        round=match.round,
        deadline=turn_data.format_utc_moment(page.deadline),
        zone=page.reader.zone,
        language=language,
        reply=turn_data.TurnReply(reply.address, f"{render_match_title(match, language)} {reply.subject}"),
        seat=seat,
        names=tuple(clean_name(line.name)[: turn_data.NAME] for line in page.seats),
        scores=tuple(line.score for line in page.seats),
        tiles=counts if len(counts) == len(page.seats) else (),
        rack=tuple(page.rack or ()),
        common=page.rack_common,
        stock=page.stock or 0,
        options=match.options,
        board=table,
    )
