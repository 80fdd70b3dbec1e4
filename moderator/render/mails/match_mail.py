"""A page as finished sentences: all that the templates need, in the reader's language, not yet escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from moderator.common.enums import MailKind
from moderator.common.text import clean_name, list_quotations
from moderator.language import traits
from moderator.language.messages import (
    game_sentence,
    has_sentence,
    load_sentences,
    quote_text,
    render_code,
    render_label,
    render_round_noun,
    strip_quotes,
    write_move,
)
from moderator.notifications.content import SenderQuestion, StartTerms
from moderator.notifications.pages import Content, Page
from moderator.render import attachments
from moderator.render.mails import report, stored_order, tournament_tables
from moderator.render.mails import shown as puzzles
from moderator.render.mails.agreed import render_agreed_options
from moderator.render.mails.rack import (
    RackCell,
    RackGroup,
    build_rack_groups,
    compute_tile_width,
    render_letter_values,
    split_rack_rows,
)
from moderator.render.mails.report import (
    EventChapter,
    ReceiptLine,
    ReportedMove,
    ScoreRow,
    build_event_chapters,
    has_new_deal,
    is_new_deal_last,
    render_note_line,
)
from moderator.render.mails.shown import MailBlock, build_asked_blocks, build_scoring_blocks
from moderator.render.mails.subject import MailHead, build_mail_head, render_match_title
from moderator.render.text import (
    PHONE_COLUMNS,
    LetterLines,
    build_mailto,
    render_letters,
    split_orders,
    wrap_state_line,
)
from moderator.rules.game import Note
from moderator.rules.outcomes import (
    MatchOnHold,
    OrderIllegal,
    OrderLate,
    OrderMissing,
    OrderStored,
    RoundPassed,
    StandingOrderStored,
)
from moderator.rules.seat_status import SeatStatus
from moderator.rules.turn_data import encode_turn_link

_PLACEHOLDER = re.compile(r"\{(\w+)")
_FIXED = re.compile(r"[^{]*[\d=][^{]*")
"""What a sentence quotes whatever the position is, and is a move: a mere pattern."""


@dataclass(frozen=True)
class MailContext:
    """Everything that a template prints, in words. ``page`` is at hand for what needs no words."""

    page: Page
    head: MailHead
    title: str
    happenings: tuple[ReportedMove, ...]
    notes: tuple[str, ...]
    chapters: tuple[EventChapter, ...]
    """The same notes, with the sums of rounds that are over by player."""
    situation: tuple[str, ...]
    """What holds now besides the board: an announced word, for example."""
    rack: tuple[RackGroup, ...]
    letter_values: str
    """What the letters count, in games that print it on their tiles."""
    tiles_title: str
    stock: str
    rows: tuple[ScoreRow, ...]
    read: tuple[ReceiptLine, ...]
    unopened: tuple[str, ...]
    """What was not read of the reader's mail."""
    asked_back: tuple[report.QuestionBack, ...]
    """What the reader may have meant."""
    asked_yes: str
    """How to agree to the only question."""
    ignored: str
    gained: str
    """Heading of the column with the points of the last turn."""
    scores_title: str
    standing: tuple[str, ...]
    """The stored order, one sentence for each alternative."""
    then: str
    """What happens if nothing more is sent."""
    board_title: str
    answer_change: str
    """What to do if a stored order is to be another one."""
    fallbacks: str
    """How fallbacks are written."""
    how_to: tuple[str, ...]
    """How a move is written, from the game's own sentences."""
    example: str
    hints: tuple[str, ...]
    """What else can be written, for the help, besides the game's own: orders ahead, moves without a choice."""
    options: tuple[str, ...]
    points: tuple[MailBlock, ...]
    """How points are made in the match that begins."""
    letters: tuple[LetterLines, ...]
    """What players wrote to the reader."""
    remarks: tuple[str, ...]
    """What is special about the clock and the seats now."""
    foot: tuple[str, ...]
    score_lines: tuple[str, ...]
    """The score table in fixed columns, for the text mail."""
    mailto: str
    """An answer, prefilled; "" where none is wanted."""
    content: Content | None
    """The page's, cleaned: each text is a single line."""
    tournament: tuple[tournament_tables.TournamentSection, ...] = ()
    """What there is to say about tournaments."""

    @property
    def lang(self) -> str:
        return self.page.reader.language

    @property
    def pace(self) -> str:
        """Code of how turns come."""
        match = self.page.match
        pace = (
            ""
            if match is None
            else "at-once"
            if match.pace == "rounds" and traits.is_evaluated_at_once(match.game)
            else match.pace
        )
        return f"pace-{pace}"

    @property
    def last_move(self) -> str:
        """The move that the board shows as the last one, as a sentence; an empty text if none is reported."""
        shown = [h for h in self.happenings if h.played]
        common = self.page.match is not None and self.page.match.pace == "common"
        if not shown or has_new_deal(self.page):
            return ""
        last = shown[0] if common else shown[-1]
        return ", ".join(filter(None, (f"{last.who} {last.move}", last.points)))

    @property
    def tile_width(self) -> int:
        """Width of a tile in the rack, in css pixels."""
        return compute_tile_width(self.rack)

    @property
    def rack_rows(self) -> tuple[tuple[RackCell, ...], ...]:
        """The rack in rows that fit on a phone."""
        return split_rack_rows(self.rack)

    @property
    def short(self) -> bool:
        """True where a few words on how to write a move are enough."""
        return _is_brief(self.page)

    @property
    def waits(self) -> bool:
        """True where the stored order will be tried, so that nothing more is wanted."""
        return stored_order.has_pending_order(self.page)

    @property
    def can_answer(self) -> bool:
        """True where the reader may write a move, now or ahead."""
        page = self.page
        return page.reply is not None and page.match is not None and not page.ending and not page.status.is_out

    @property
    def reminder(self) -> str:
        """The name of the sentence that says why the reader is reminded."""
        if self.page.status is SeatStatus.DEFERRED:
            return "reminder-put-off"
        return "reminder-in-vain" if self.page.status is SeatStatus.ILLEGAL else "reminder-missing"

    @property
    def explains(self) -> bool:
        """True where a receipt says how to write: something is wanted, or what is stored may be replaced."""
        told = OrderStored | StandingOrderStored | RoundPassed | MatchOnHold | OrderIllegal | OrderLate | OrderMissing
        return self.page.receipt is not None and isinstance(self.page.receipt.decided, told)

    @property
    def attached(self) -> bool:
        """True where the turn is attached as a file, for programs."""
        return attachments.find_turn_file(self.page) is not None

    @property
    def board_link(self) -> str:
        """The page to lay tiles on, with this position; "" where there is none, or no move is asked for."""
        file = attachments.find_turn_file(self.page) if self.page.board_page else None
        fragment = encode_turn_link(file.data) if file else ""
        return f"{self.page.board_page}#{fragment}" if fragment else self.page.board_page if file else ""

    @property
    def board_named(self) -> bool:
        """True where a heading must say what the board shows, above a picture, too."""
        return stored_order.is_race(self.page) or bool(self.page.finals)

    @property
    def finals_first(self) -> bool:
        """True where final positions stand before the board. In a race the new tiles come first, because time
        counts."""
        return not (stored_order.is_race(self.page) and self.page.kind == MailKind.TURN)

    @property
    def at_once(self) -> bool:
        """True where moves are played as they arrive, and not in rounds."""
        paces = ("sequential", "race")
        return self.page.kind == MailKind.CORRECTION or (self.page.match is not None and self.page.match.pace in paces)

    @property
    def asked(self) -> tuple[MailBlock, ...]:
        """The blocks that the reader asked for besides the match as it stands."""
        return build_asked_blocks(self.page)

    @property
    def puzzle(self) -> puzzles.PuzzleText:
        """The texts around the position of a puzzle."""
        return puzzles.build_puzzle_text(self.page)

    @property
    def state_lines(self) -> tuple[str, ...]:
        """The signed state of the match, in lines that fit into a text mail."""
        return wrap_state_line(self.page.state_line)

    @property
    def state_rows(self) -> tuple[str, ...]:
        """The same for a phone's width; no program may break them elsewhere."""
        return tuple(line.replace(" ", "\u00a0") for line in wrap_state_line(self.page.state_line, PHONE_COLUMNS))

    @property
    def round_noun(self) -> str:
        return render_round_noun(self.lang, self.page.game)

    def t(self, code: str, **params: Any) -> str:
        """A label, for the templates."""
        return render_label(code, self.lang, **params)

    def quote_text(self, text: str) -> str:
        return quote_text(text, self.lang)


def build_mail_context(page: Page) -> MailContext:
    """Return the page in words, without layout."""
    language, match = page.reader.language, page.match
    game = match.game if match else None
    names = page.names or tuple(seat.name for seat in page.seats)
    rows, gained = report.build_score_rows(page), report.render_gain_heading(page)
    return MailContext(
        page=page,
        head=build_mail_head(page),
        title=render_match_title(match, language) if match else clean_name(page.club),
        happenings=report.build_reported_moves(page, names),
        notes=tuple(render_note_line(note, language, game, names) for note in page.notes),
        chapters=build_event_chapters(page.notes, language, game, names),
        situation=tuple(render_note_line(note, language, game, (), names) for note in page.situation),
        rack=build_rack_groups(page),
        letter_values=render_letter_values(page) if page.scene is not None or page.rack else "",
        tiles_title=game_sentence("section-tiles-common" if page.rack_common else "section-tiles", language, game),
        stock=_render_stock(page),
        rows=rows,
        read=report.build_receipt_lines(page, names),
        unopened=report.render_unread_parts(page),
        asked_back=report.build_questions_back(page, lambda line: _build_answer_link(page, line)),
        asked_yes=render_label("wish-yes", language) if report.is_yes_enough(page) else "",
        ignored=_render_ignored(page),
        gained=gained,
        scores_title=_render_scores_title(page),
        standing=stored_order.render_stored_order(page),
        then=stored_order.consequence_sentence(page),
        board_title=_render_board_title(page),
        answer_change=render_label(_choose_change_label(page), language),
        fallbacks=_render_fallbacks(page),
        how_to=_render_how_to(page),
        example=_render_example(page),
        hints=_render_hints(page),
        options=_render_agreed_terms(page, names),
        points=build_scoring_blocks(page),
        letters=render_letters(page),
        remarks=_render_notes(page.remarks, page, names),
        foot=_render_foot(page),
        score_lines=report.render_score_table(rows, gained, language),
        mailto=_build_answer_link(page),
        content=_clean_content(page.content, game),
        tournament=tournament_tables.build_tournament_sections(page),
    )


def _is_brief(page: Page) -> bool:
    """Return whether a few words on how to write a move are enough; the help always says all of it."""
    return page.knows_how and page.kind != MailKind.HELP


def _render_fallbacks(page: Page) -> str:
    """Return how fallbacks are written, and how to ask for all the rest if little is said here."""
    language, game = page.reader.language, page.game
    if not _is_brief(page):
        return game_sentence("answer-fallbacks", language, game)
    has_own = has_sentence("mail.answer-fallbacks", language, game)
    said = game_sentence("answer-fallbacks", language, game) if has_own else render_label("answer-short", language)
    return f"{said} {render_label('answer-more', language)}"


def _render_agreed_terms(page: Page, names: Sequence[str]) -> tuple[str, ...]:
    """Return the options and time rules of a match that begins, as lines."""
    if not isinstance(page.content, StartTerms):
        return ()
    return (*render_agreed_options(page.match, page.reader.language), *_render_notes(page.content.terms, page, names))


def _render_board_title(page: Page) -> str:
    language = page.reader.language
    if not page.finals or page.match is None or stored_order.is_race(page):
        return game_sentence("section-board", language, page.game)
    return render_label("section-dealt", language, noun=render_round_noun(language, page.game), round=page.match.round)


def _choose_change_label(page: Page) -> str:
    if page.status is SeatStatus.PASSED_ROUND:
        return "answer-gave-up"
    return "answer-kept" if stored_order.is_race(page) else "answer-change"


def _render_notes(notes: Sequence[Note], page: Page, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(render_note_line(note, page.reader.language, page.game, (), names) for note in notes)


def _render_stock(page: Page) -> str:
    """Return the size of the stock, in the game's words where it has its own (a wall is no bag)."""
    language, game = page.reader.language, page.game
    if page.stock is None:
        return ""
    kinds = page.stock_kinds if page.stock else {}
    for code in ("mail.stock-kinds" if kinds else "", "" if page.stock else "mail.stock-none", "stock"):
        if has_sentence(code, language, game):
            return render_code(code, language, game, count=page.stock, **kinds)
    return render_label("stock", language, count=page.stock)


def _render_scores_title(page: Page) -> str:
    """Return the heading of the scores, with the number of the round that is over, or, where scores change with every
    turn, of the one that is being played."""
    language, match = page.reader.language, page.match
    if match is None or not match.round:
        return render_label("section-scores-now", language)
    if page.ending is not None:
        return render_label("section-scores-end", language)
    over = match.round - 1 if match.pace != "sequential" or is_new_deal_last(page) else 0
    if not over and match.pace != "sequential":
        return render_label("section-scores-now", language)
    code, number = ("section-scores", over) if over else ("section-scores-in", match.round)
    return render_label(code, language, noun=render_round_noun(language, match.game), round=number)


def _build_answer_link(page: Page, line: str = "") -> str:
    """Return the address of a prefilled answer; ``line``: its text, if not the usual one."""
    if page.reply is None:
        return ""
    language = page.reader.language
    reply = replace(page.reply, body=line) if line else page.reply
    return build_mailto(
        reply, render_match_title(page.match, language) if page.match else clean_name(page.club), language
    )


def _clean_content(content: Content | None, game: str | None) -> Content | None:
    style = traits.get_notation_style(game)
    if isinstance(content, SenderQuestion):
        # Each order on its own, so that all of them are shown.
        return replace(
            content, lines=tuple(str(order) for line in content.lines for order in split_orders(line, style))
        )
    if content is None:
        return None
    texts: dict[str, Any] = {
        name: strip_quotes(value, style) for name, value in vars(content).items() if type(value) is str
    }
    return replace(content, **texts)


def _render_ignored(page: Page) -> str:
    if page.receipt is None:
        return ""
    language = page.reader.language
    kinds = [
        render_label(f"ignored-{kind}", language, count=count)
        for kind in ("quote", "signature", "after-end", "own", "encrypted", "beyond")
        if (count := page.receipt.ignored.get(kind, 0))
    ]
    return render_label("ignored", language, what=kinds) if kinds else ""


def _render_how_to(page: Page) -> tuple[str, ...]:
    """Return how a move is written: the game's sentences ``how-to-1``, ``how-to-2``, … of which the examples are there
    for this reader; else a general sentence."""
    language, game = page.reader.language, page.game
    values = {"move": _render_pattern(page), **page.examples}
    patterns = load_sentences(language, game)
    alone = page.examples.get("how")
    codes = [code for code in ([alone] if alone else [f"how-to-{n}" for n in range(1, 10)]) if code in patterns]
    codes = [code for code in codes if set(_PLACEHOLDER.findall(patterns[code])) <= values.keys()]
    codes = codes[:1] if _is_brief(page) else codes
    if codes:
        only_patterns = "move" not in page.examples
        fixed = any(
            any(map(_FIXED.fullmatch, list_quotations(patterns[code]))) or (only_patterns and "{" in patterns[code])
            for code in codes
        )
        said = [render_code(code, language, game, **values) for code in codes]
        return (*said, render_label("how-to-pattern", language)) if fixed else tuple(said)
    return (render_label("how-to-place" if has_sentence("example.place", language, game) else "how-to-move", language),)


def _render_pattern(page: Page) -> str:
    """Return the pattern of a move that suits the position best; an empty text in a game that has none."""
    language, game = page.reader.language, page.game
    code = page.examples.get("pattern", "example.place")
    return render_code(code, language, game, **page.examples) if has_sentence(code, language, game) else ""


def _render_example(page: Page) -> str:
    """Return a move that the reader could play now, or a pattern that is named as one; an empty text if there is
    neither."""
    language, game = page.reader.language, page.game
    if move := page.examples.get("move", ""):
        return render_label("example", language, example=quote_text(write_move(move, language, game), language))
    pattern = _render_pattern(page)
    return (
        render_label("example-pattern", language, example=quote_text(write_move(pattern, language, game), language))
        if pattern
        else ""
    )


def _render_hints(page: Page) -> tuple[str, ...]:
    language, match = page.reader.language, page.match
    if match is None:
        return ()
    codes = ["hint-ahead"] if match.pace == "sequential" else []
    if traits.has_automatic_moves(match.game):
        codes.append("hint-single")
    return tuple(render_label(code, language) for code in codes)


def _render_foot(page: Page) -> tuple[str, ...]:
    language, match, club = page.reader.language, page.match, clean_name(page.club)
    to_moderator = page.kind in (MailKind.RULING, MailKind.RULED, MailKind.NOTICE, MailKind.PROTEST, MailKind.BOSS)
    lines = []
    if match is not None:
        code = "foot-match-of" if match.last_round else "foot-match"
        values = {"code": match.code, "name": clean_name(match.name), "round": match.round, "last": match.last_round}
        lines.append(render_label(code, language, noun=render_round_noun(language, match.game), **values))
        if match.lexicon and not _is_brief(page):
            lines.append(render_label("foot-lexicon", language, lexicon=match.lexicon))
    stranger = page.kind in (MailKind.SIGNUP, MailKind.CLOSED)
    # How to write a move names »HILFE«, too, where it is short.
    if not to_moderator and page.kind != MailKind.CONFIRM and not stranger and not _is_brief(page):
        lines.append(
            render_label("foot-commands-cup" if page.kind == MailKind.TOURNAMENT else "foot-commands", language)
        )
    official = "referee" if page.reader.referee else "moderator"
    why = official if to_moderator else "watch" if page.watching else "stranger" if stranger else "why"
    why = "puzzle" if page.kind == MailKind.PUZZLE else why
    lines.append(render_label(f"foot-{why}", language, club=club))
    return tuple(lines)
