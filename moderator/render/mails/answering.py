"""What the reader can send, as sections: the buttons, an example, how to write a move, what else can be asked for; the
help; and the turn as data: the small file that goes with each mail which asks for a move, made of its page alone.

So the file holds what the mail says and nothing else. Players who read the board as text get it, too: how a board is
drawn is one thing, what a program is told another, and a file that nobody opens harms nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from moderator.common.enums import MailKind
from moderator.common.mails import File
from moderator.common.text import capitalize_start, clean_name
from moderator.language import traits
from moderator.language.messages import has_sentence, load_sentences, quote_move, quote_text, render_code, write_move
from moderator.notifications.content import HelpLine, HelpText, HelpTopic
from moderator.notifications.pages import Page, list_match_pages
from moderator.render.document import Action, Block, Heading, Items, Para
from moderator.render.mails import stored_order
from moderator.render.mails.position import is_board_empty
from moderator.render.mails.sections import (
    build_action,
    build_answer_link,
    build_section,
    show_buttons,
    show_links,
    write_game_label,
    write_label,
)
from moderator.render.mails.subject import render_match_title
from moderator.render.text import render_prose
from moderator.render.turn_picture import add_moves
from moderator.rules import turn_data
from moderator.rules.outcomes import (
    MatchOnHold,
    OrderIllegal,
    OrderLate,
    OrderMissing,
    OrderStored,
    OrderStoredIllegal,
    RoundPassed,
    StandingOrderStored,
)
from moderator.rules.turn_data import TurnData, encode_turn_link


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
    match = page.match
    ahead = match is not None and match.pace == "sequential"
    single = match is not None and traits.has_automatic_moves(match.game)
    codes = (*(["hint-ahead"] if ahead else []), *(["hint-single"] if single else []))
    if codes:
        yield Heading(write_label(page, "section-more"))
        yield Items(tuple(write_label(page, code) for code in codes), "para")


SHOWING = stored_order.ASKING | {MailKind.BOARD}
"""Kinds of mail that show the board to somebody who may be asked for a move. ``DIGEST`` and ``BACKLOG`` are about
several matches, of which each is a page of its own."""


def list_turn_files(page: Page) -> tuple[File, ...]:
    """Return one file for each match in which the reader is asked for a move; in a mail about several those whose
    link to the touch board does not carry the position."""
    own = find_turn_file(page)
    parts = [find_turn_file(one) for one in list_match_pages(page.content) if not has_board_link(one)]
    return tuple(file for file in (own, *parts) if file is not None)


def has_board_link(page: Page) -> bool:
    """Return whether the touch board can be opened with the position in its address."""
    action = find_board_action(page)
    return action is not None and "#" in action.link


def find_turn_file(page: Page) -> File | None:
    """Return the file of the page's own match; None where nothing is asked of its reader, or where it would be too
    large."""
    data = find_turn_data(page)
    written = turn_data.encode_turn(data) if data else None
    return File(f"turn-{data.match}-{data.entry}.json", turn_data.KIND, written) if data and written else None


def find_turn_data(page: Page) -> TurnData | None:
    """Return the turn of the page; None where nothing is asked of the reader."""
    if page.turn is not None:
        return add_moves(page.turn)
    match, reply, table = page.match, page.reply, page.table
    seat = page.own_number
    wanted = page.kind in SHOWING and page.status.is_wanted
    if match is None or reply is None or table is None or seat is None or not wanted:
        return None
    language = page.reader.language
    counts = tuple(line.tiles for line in page.seats if line.tiles is not None)
    turn = TurnData(
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
    return add_moves(turn)


_PLACEHOLDER = re.compile(r"\{(\w+)")
_MAY_BE_REPLACED = (
    OrderStored
    | OrderStoredIllegal
    | StandingOrderStored
    | RoundPassed
    | MatchOnHold
    | OrderIllegal
    | OrderLate
    | OrderMissing
)
"""What may become of an order and be no reason not to send another one."""


# ---- what is stored ----


def show_stored_order(page: Page) -> Iterator[Block]:
    """Yield the stored order, one sentence for each alternative."""
    standing = stored_order.render_stored_order(page)
    if standing:
        yield Items(standing)


def tell_consequence(page: Page) -> Iterator[Block]:
    """Yield what happens if nothing more is sent, where the lines below the headline do not say it."""
    if page.receipt is not None or page.status.is_wanted:
        yield Para((stored_order.consequence_sentence(page),), "item m")


def tell_warning(page: Page) -> Iterator[Block]:
    """Yield what silence costs, where that is more than the turn."""
    if page.status.is_wanted and stored_order.is_silence_costly(page):
        yield Para((stored_order.consequence_sentence(page),), "item m")


# ---- how to answer ----


def is_answer_offered(page: Page) -> bool:
    """Return whether a mail about a match says how to answer: something is wanted, or what is stored may be replaced,
    or its reader has not just written."""
    if page.status.is_out or page.reply is None:
        return False
    match page.kind:
        case MailKind.RECEIPT:
            return page.receipt is not None and isinstance(page.receipt.decided, _MAY_BE_REPLACED)
        case MailKind.TURN | MailKind.CORRECTION:
            return page.your_turn or page.receipt is None
        case MailKind.REFEREE:
            return page.your_turn
    return True


def offer_answer(page: Page) -> Iterator[Block]:
    """Yield the touch board and the prefilled answer; the first of them is what most readers want."""
    if not is_answer_offered(page) or page.watching:
        return
    wanted = page.status.is_wanted
    board = find_board_action(page, "main" if wanted else "plain")
    write = build_action(page, "answer-button", "", "main" if wanted and board is None else "plain")
    yield show_buttons(page, *(one for one in (board, write) if one is not None))
    if page.board_file and board is None and find_turn_file(page) is not None:
        yield Para((write_label(page, "board-attached", file=page.board_file),), "item m")


def find_board_action(page: Page, look: Literal["main", "plain"] = "plain") -> Action | None:
    """Return the touch board, with the position in its address; None where there is none."""
    turn = find_turn_data(page) if page.board_page else None
    if turn is None or turn_data.encode_turn(turn) is None:
        return None
    fragment = encode_turn_link(turn)
    link = f"{page.board_page}#{fragment}" if fragment else page.board_page
    return Action(write_label(page, "button-board"), link, look=look)


def show_example(page: Page) -> Iterator[Block]:
    """Yield a move that the reader could play now, or what can be sent where no word is found; nothing where neither is
    known."""
    if is_answer_offered(page) and page.status.is_wanted:
        yield Para((render_example(page) or _render_instead(page),), "item m")


def _render_instead(page: Page) -> str:
    """Return how the one thing is written that can be sent now, or what is sent instead of a word."""
    language, game = page.reader.language, page.game
    code = page.examples.get("how", "mail.instead")
    patterns = load_sentences(language, game)
    known = set(_PLACEHOLDER.findall(patterns.get(code, ""))) <= page.examples.keys()
    return render_code(code, language, game, **page.examples) if code in patterns and known else ""


def link_more(page: Page) -> Iterator[Block]:
    """Yield what is not needed now: how a move is written, a question, leave."""
    if page.reply is None or page.status.is_out or page.watching:
        return
    yield show_links(
        page,
        build_action(page, "link-how", write_label(page, "line-help")),
        build_action(page, "link-question", write_label(page, "line-question")),
        build_action(page, "link-away", write_label(page, "line-away")),
    )


def explain_moves(page: Page) -> Iterator[Block]:
    """Yield how a move is written, with an example; to who asks for help also how fallbacks are written."""
    first = has_sentence("mail.first", page.reader.language, page.game) and is_board_empty(page)
    yield Para((render_code("mail.first", page.reader.language, page.game),) if first else ())
    said, example = _render_how_to(page), page.examples.get("move", "")
    yield Para(said)
    shown = write_move(example, page.reader.language, page.game)
    known = not example or any(str(shown) in line for line in said)
    more = (write_game_label(page, "answer-fallbacks"),) if page.kind == MailKind.HELP else ()
    yield Para(("" if known else render_example(page), *more), close=True)


def _render_how_to(page: Page) -> tuple[str, ...]:
    """Return how a move is written: the game's sentences ``how-to-1``, ``how-to-2``, … of which the examples are there
    for this reader; else a general sentence."""
    language, game = page.reader.language, page.game
    values = {"move": _render_pattern(page), **page.examples}
    patterns = load_sentences(language, game)
    alone = page.examples.get("how")
    codes = [code for code in ([alone] if alone else [f"how-to-{n}" for n in range(1, 10)]) if code in patterns]
    codes = [code for code in codes if set(_PLACEHOLDER.findall(patterns[code])) <= values.keys()]
    first = [code for code in codes if code == page.examples.get("first")]
    codes = codes if page.kind == MailKind.HELP else [*first, *codes][:1]
    if codes:
        return tuple(render_code(code, language, game, **values) for code in codes)
    return (write_label(page, "how-to-place" if has_sentence("example.place", language, game) else "how-to-move"),)


def _render_pattern(page: Page) -> str:
    """Return the pattern of a move that suits the position best; an empty text in a game that has none."""
    language, game = page.reader.language, page.game
    code = page.examples.get("pattern", "example.place")
    return render_code(code, language, game, **page.examples) if has_sentence(code, language, game) else ""


def render_example(page: Page) -> str:
    """Return a move that the reader could play now; an empty text where none is known."""
    language, move = page.reader.language, page.examples.get("move", "")
    shown = quote_move(move, language, page.game) if move else ""
    return write_label(page, "example", example=shown) if move else ""
