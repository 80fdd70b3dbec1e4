"""What the reader has in store and can send, as sections: the stored order, how to write a move, the button; and the
turn as data: the small file that goes with each mail which asks for a move, made of its page alone.

So the file holds what the mail says and nothing else. Players who read the board as text get it, too: how a board is
drawn is one thing, what a program is told another, and a file that nobody opens harms nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from moderator.common.enums import MailKind
from moderator.common.mails import File
from moderator.common.text import clean_name, list_quotations
from moderator.language import traits
from moderator.language.messages import has_sentence, load_sentences, quote_text, render_code, write_move
from moderator.notifications.pages import Page, list_match_pages
from moderator.render.document import Block, Button, Heading, Items, Para, WebLink
from moderator.render.mails import stored_order
from moderator.render.mails.sections import build_answer_link, has_lines_read, is_brief, write_game_label, write_label
from moderator.render.mails.subject import render_match_title
from moderator.rules import turn_data
from moderator.rules.outcomes import (
    MatchOnHold,
    OrderIllegal,
    OrderLate,
    OrderMissing,
    OrderStored,
    RoundPassed,
    StandingOrderStored,
)
from moderator.rules.silence import SeatStatus
from moderator.rules.turn_data import TurnData, encode_turn_link

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


_PLACEHOLDER = re.compile(r"\{(\w+)")
_FIXED = re.compile(r"[^{]*[\d=][^{]*")
"""What a sentence quotes whatever the position is, and is a move: a mere pattern."""
_MAY_BE_REPLACED = (
    OrderStored | StandingOrderStored | RoundPassed | MatchOnHold | OrderIllegal | OrderLate | OrderMissing
)
"""What may become of an order and be no reason not to send another one."""


# ---- what is stored ----


def show_stored_order(page: Page) -> Iterator[Block]:
    """Yield the stored order, one sentence for each alternative, and what happens if nothing more is sent."""
    standing = stored_order.render_stored_order(page)
    if standing:
        yield Heading(write_label(page, "section-standing"))
        yield Items(standing, "para")
    yield Para((stored_order.consequence_sentence(page),), "then")


# ---- how to answer ----


def is_answer_offered(page: Page) -> bool:
    """Return whether a mail about a match says how to answer: something is wanted, or what is stored may be replaced,
    or its reader has not just written."""
    if page.status.is_out:
        return False
    match page.kind:
        case MailKind.RECEIPT:
            return page.receipt is not None and isinstance(page.receipt.decided, _MAY_BE_REPLACED)
        case MailKind.TURN | MailKind.CORRECTION:
            return page.your_turn or not has_lines_read(page)
        case MailKind.REFEREE:
            return page.your_turn
    return True


def offer_answer(page: Page) -> Iterator[Block]:
    """Yield the button and, in HTML, the page to lay tiles on."""
    if is_answer_offered(page):
        yield Button(write_label(page, "answer-button"), build_answer_link(page))
        yield from link_board_page(page, "html")


def explain_answer(page: Page) -> Iterator[Block]:
    """Yield how to answer, in a mail about a match that goes on."""
    if not is_answer_offered(page):
        return
    if page.watching:
        yield Heading(write_label(page, "watch-section"))
        yield Para((write_label(page, "watch-how"),))
    elif page.reply and page.match and not page.ending:
        yield Heading(write_label(page, "section-answer"))
        if stored_order.has_pending_order(page):
            yield Para((write_label(page, _choose_change_label(page)),), close=True)
        elif not page.your_turn:
            yield Para((write_label(page, "answer-moving-in" if page.moving_in else "answer-ahead"),), close=True)
        if not is_brief(page):
            yield Para((write_label(page, "answer-intro"),), close=True)
        yield from explain_moves(page)
        yield from link_board_page(page, "text")
        if not is_brief(page) and not page.board_page and find_turn_file(page) is not None:
            yield Para((write_label(page, "answer-attached"),))


def explain_moves(page: Page) -> Iterator[Block]:
    """Yield how a move is written, an example, and how fallbacks are written."""
    yield Para(_render_how_to(page), close=True)
    yield Para((render_example(page),), "para" if is_brief(page) else "example t", close=True)
    yield Para((_render_fallbacks(page),), close=True)


def explain_moves_of_match(page: Page) -> Iterator[Block]:
    """Yield the same with the button, where there is a match to play."""
    if page.match is not None:
        yield from explain_moves(page)
        yield from offer_answer(page)


def show_hints(page: Page) -> Iterator[Block]:
    """Yield what else can be written, besides the game's own: orders ahead, moves without a choice."""
    match = page.match
    ahead = match is not None and match.pace == "sequential"
    single = match is not None and traits.has_automatic_moves(match.game)
    codes = (*(["hint-ahead"] if ahead else []), *(["hint-single"] if single else []))
    if codes:
        yield Heading(write_label(page, "section-more"))
        yield Items(tuple(write_label(page, code) for code in codes), "para")


def link_board_page(page: Page, only: Literal["", "text", "html"] = "", *, close: bool = False) -> Iterator[Block]:
    """Yield the page to lay tiles on; its address with the position is too long for a text."""
    file = find_turn_file(page) if page.board_page else None
    if file:
        fragment = encode_turn_link(file.data)
        text, link = write_label(page, "zug-link"), f"{page.board_page}#{fragment}" if fragment else page.board_page
        said = f"{write_label(page, 'followed', text=text)} {write_label(page, 'zug-link-file')}"
        yield WebLink(text, link, (said, page.board_page), only=only, close=close)
    elif page.board_file:
        yield Para((write_label(page, "board-attached", file=page.board_file),), only=only, close=close)


def _choose_change_label(page: Page) -> str:
    if page.status is SeatStatus.PASSED_ROUND:
        return "answer-gave-up"
    return "answer-kept" if stored_order.is_race(page) else "answer-change"


def _render_fallbacks(page: Page) -> str:
    """Return how fallbacks are written, and how to ask for all the rest if little is said here."""
    if not is_brief(page):
        return write_game_label(page, "answer-fallbacks")
    has_own = has_sentence("mail.answer-fallbacks", page.reader.language, page.game)
    said = write_game_label(page, "answer-fallbacks") if has_own else write_label(page, "answer-short")
    return f"{said} {write_label(page, 'answer-more')}"


def _render_how_to(page: Page) -> tuple[str, ...]:
    """Return how a move is written: the game's sentences ``how-to-1``, ``how-to-2``, … of which the examples are there
    for this reader; else a general sentence."""
    language, game = page.reader.language, page.game
    values = {"move": _render_pattern(page), **page.examples}
    patterns = load_sentences(language, game)
    alone = page.examples.get("how")
    codes = [code for code in ([alone] if alone else [f"how-to-{n}" for n in range(1, 10)]) if code in patterns]
    codes = [code for code in codes if set(_PLACEHOLDER.findall(patterns[code])) <= values.keys()]
    codes = codes[:1] if is_brief(page) else codes
    if codes:
        only_patterns = "move" not in page.examples
        fixed = any(
            any(map(_FIXED.fullmatch, list_quotations(patterns[code]))) or (only_patterns and "{" in patterns[code])
            for code in codes
        )
        said = [render_code(code, language, game, **values) for code in codes]
        return (*said, write_label(page, "how-to-pattern")) if fixed else tuple(said)
    return (write_label(page, "how-to-place" if has_sentence("example.place", language, game) else "how-to-move"),)


def _render_pattern(page: Page) -> str:
    """Return the pattern of a move that suits the position best; an empty text in a game that has none."""
    language, game = page.reader.language, page.game
    code = page.examples.get("pattern", "example.place")
    return render_code(code, language, game, **page.examples) if has_sentence(code, language, game) else ""


def render_example(page: Page) -> str:
    """Return a move that the reader could play now, or a pattern that is named as one; an empty text if there is
    neither."""
    language, move = page.reader.language, page.examples.get("move", "")
    text = move or _render_pattern(page)
    shown = quote_text(write_move(text, language, page.game), language) if text else ""
    return write_label(page, "example" if move else "example-pattern", example=shown) if text else ""
