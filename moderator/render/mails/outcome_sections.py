"""What an answer says below its headline, as sections: buttons for what may be meant, what was read, and the words that
nobody could read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from moderator.common.enums import BoardForm, MailKind
from moderator.language import traits
from moderator.language.messages import (
    has_sentence,
    is_laying_move,
    quote_move,
    quote_order,
    quote_text,
    render_code,
    render_label,
    render_note,
    strip_quotes,
    translate_move,
    write_move,
)
from moderator.notifications.pages import LineOffer, LineOutcome, Page
from moderator.render.document import Action, Block, Board, Items, Para
from moderator.render.mails import outcome, report, stored_order
from moderator.render.mails.answering import offer_answer, show_stored_order, tell_warning
from moderator.render.mails.position import show_bench, show_seats
from moderator.render.mails.sections import (
    Section,
    build_action,
    build_answer_link,
    show_buttons,
    show_links,
    write_label,
)
from moderator.rules.orders.conditions import AFTER_DRAW_TEXT
from moderator.rules.outcomes import (
    CommandDone,
    CommandRefused,
    OrderMissing,
    OrderPlayed,
    OrderStored,
    OrderStoredIllegal,
    OrderUndecided,
    RoundPassed,
    StandingOrderStored,
)

LONGEST = 180
"""Characters of what is quoted."""
_FINAL = frozenset({"wish-resign", "resign-confirm", "wish-cup-leave"})
"""Questions back after which there is no way back."""
_SAYING_LINES = frozenset({"move", "footer", "buy-red", "buy-black", "buy-both"})
"""Questions back whose answer is named by its line."""
_KEPT = OrderStored | OrderUndecided | OrderStoredIllegal | StandingOrderStored
_LOST_KINDS = ("encrypted", "beyond")
"""Parts of a mail that its writer may believe to be read."""


# ---- questions back ----


def ask_back(page: Page) -> Iterator[Block]:
    """Yield a button for each thing that may be meant."""
    offers = page.receipt.offers if page.receipt else ()
    if outcome.is_passed_on(page):
        yield show_buttons(page, *_list_guesses(page))
    if not offers:
        return
    if not outcome.is_asked_back(page):
        yield Items(tuple(render_note(one.note, page.reader.language, page.game) for one in offers), "para")
    yield show_buttons(page, *_list_answers(page, offers))
    if [one.whole for one in offers] == [True] and offers[0].note.code not in _FINAL:
        yield Para((write_label(page, "wish-yes"),), "item m")


def _list_answers(page: Page, offers: Sequence[LineOffer]) -> list[Action]:
    """Return the answers to the questions; what cannot be undone is never the first of them."""
    final = [one for one in offers if one.note.code in _FINAL]
    usual = [one for one in offers if one not in final]
    found = [_build_answer(page, one, "plain" if number else "main") for number, one in enumerate(usual)]
    if final and not found:
        found.append(build_action(page, "yes-stay", write_label(page, "line-no"), "main"))
    passing = traits.get_pass_text(page.game)
    if any(one.note.code == "wish-resign" for one in final) and page.status.is_wanted and passing:
        found.append(build_action(page, "yes-pass", translate_move(passing, page.reader.language, page.game)))
    if all(one.note.code == "wish-move" for one in usual) and usual:
        found.append(build_action(page, "no-write-anew"))
    return [*found, *(_build_answer(page, one, "danger") for one in final)]


def _build_answer(page: Page, one: LineOffer, look: Literal["main", "plain", "danger"]) -> Action:
    """Return the button that sends what was offered; a line that its writer must fill in is begun."""
    language = page.reader.language
    line = one.line if one.whole else write_label(page, "line-away")
    kind = one.note.code.removeprefix("wish-")
    if kind in _SAYING_LINES:
        values = {"move": strip_quotes(line), "points": one.points}
        worth = one.points and not stored_order.is_race(page)
        label = render_label("yes-move-points" if worth else "yes-move", language, **values)
    else:
        label = write_label(page, f"yes-{kind}", **one.note.params)
    return Action(label, build_answer_link(page, line), line, look)


def _list_guesses(page: Page) -> Iterator[Action]:
    """Yield what people write most often in words that nobody understands."""
    if page.match is not None and page.status.is_wanted:
        yield build_action(page, "answer-button", "", "main")
    yield build_action(page, "link-how", write_label(page, "line-help"))
    yield build_action(page, "guess-away", write_label(page, "line-away"))
    if stored_order.may_be_played(page):
        yield build_action(page, "link-withdraw", write_label(page, "line-withdraw"))


# ---- what was read ----


def show_outcome(page: Page) -> Iterator[Block]:
    """Yield what was read, where the headline has not said it, and what could not be read."""
    yield Para((_render_read(page),), "item m")
    yield Items(tuple(_iter_further_lines(page)))
    yield Items(render_unread_parts(page))
    yield from _show_example(page)
    yield Para((_render_own_words(page),), "said b t")


def list_failures(page: Page) -> tuple[str, ...]:
    """Return why what the reader wrote was not done, in few sentences: the headline has told the first of them."""
    further = (line for line in _iter_further_lines(page) if line)
    return (*further, *render_unread_parts(page))


def show_lines(page: Page) -> Iterator[Block]:
    """Yield every line of the mail with what became of it."""
    yield Items(tuple(filter(None, (_render_line(line, page) for line in outcome.list_lines(page)))))
    yield Items(render_unread_parts(page))


def _find_main_line(page: Page) -> LineOutcome | None:
    """Return the order that the mail is about."""
    lines = outcome.list_lines(page)
    if page.about_game:
        return outcome.find_headline_line(page)
    if page.kind in (MailKind.DONE, MailKind.UNREAD):
        return None
    told = outcome.find_headline_line(page) if outcome.is_refused(page) else None
    order = outcome.find_possible_move(page) or next((one for one in lines if outcome.is_move(one)), None)
    return told if told is not None and told.status != "command" else order


def _render_read(page: Page) -> str:
    """Return the order as it was read; an empty text where the mail asks what was meant."""
    line = _find_main_line(page)
    if line is None or outcome.is_asked_back(page):
        return ""
    quoted = _quote_line(line, page)
    event = outcome.find_answer_event(page)
    if (line.is_drawn and not outcome.is_refused(page)) or (event is not None and quoted in event.sentence):
        return ""
    played = isinstance(page.receipt and page.receipt.decided, OrderPlayed)
    if played and line.canonical == traits.get_pass_text(page.game):
        return ""
    read = write_label(page, "answer-read", said=quoted)
    if not played or len(line.words) < 2:
        return read
    sums = report.format_word_sum(line.words, line.points or 0, page.reader.language)
    return f"{read[:-1]} ({sums})."


def _iter_further_lines(page: Page) -> Iterator[str]:
    """Yield what the headline does not tell: the other lines, and what else there is to say of the first."""
    asked = outcome.is_asked_back(page)
    shown, told = (None, None) if asked else (_find_main_line(page), _find_headline_line(page))
    played = page.receipt is not None and isinstance(page.receipt.decided, OrderPlayed)
    for line in sorted(outcome.list_lines(page), key=lambda one: one is not shown):
        if line is told or (line is shown and not played and is_laying_move(line.canonical)):
            yield from (outcome.render_line_note(note, page) for note in line.notes[line is told :])
        elif line is not shown and (said := _render_line(line, page)):
            yield said


def _find_headline_line(page: Page) -> LineOutcome | None:
    decided = page.receipt.decided if page.receipt else None
    orders = isinstance(decided, OrderPlayed | OrderMissing | _KEPT) and not outcome.is_refused(page)
    return None if orders else outcome.find_headline_line(page)


def _render_line(line: LineOutcome, page: Page) -> str:
    """Return a line with what became of it; an empty text for remarks."""
    if line.canonical == AFTER_DRAW_TEXT:
        move = write_move(line.canonical, page.reader.language, page.game)
        return write_label(page, "standing-lasting", move=move)
    said, notes = _quote_line(line, page), [outcome.render_line_note(note, page) for note in line.notes]
    boss = page.kind == MailKind.BOSS
    if line.status == "text" and not boss:
        return "" if outcome.is_passed_on(page) else " ".join(notes)
    if line.status == "text":
        return _follow(said, write_label(page, "line-text-boss"), page)
    if line.status == "command":
        done = " ".join(notes)
        if boss:
            return (
                f"{outcome.DONE} {write_label(page, 'followed', text=said)} {done}"
                if done
                else f"{outcome.DONE} {said}"
            )
        return f"{outcome.DONE} {done}" if done else ""
    if outcome.is_move(line) and not outcome.is_not_done(line):
        notes.insert(0, _render_worth(line, page))
    elif line.example and boss:
        notes.append(write_label(page, "example", example=_write_example(line, page)))
    if boss and not notes:
        notes = [write_label(page, "line-error-boss")]
    return _follow(said, " ".join(filter(None, notes)), page)


def _follow(said: str, text: str, page: Page) -> str:
    """Return what was written, with what became of it behind a colon. A word stands before it, so that the line is no
    order where the mail is quoted."""
    about = write_label(page, "answer-line", said=said)
    return f"{write_label(page, 'followed', text=about)} {text}" if text else f"{about}."


def _render_worth(line: LineOutcome, page: Page) -> str:
    """Return what a move is worth."""
    if not line.reached:
        return write_label(page, "line-unused")
    if line.points is None:
        return ""
    scoreless = not line.points and report.is_scoreless(page.game, page.reader.language)
    if scoreless or stored_order.is_race(page):
        return write_label(page, "line-possible")
    return write_label(page, "line-points", points=line.points)


def _quote_line(line: LineOutcome, page: Page) -> str:
    """Return a line in quotation marks: an order as it was read, everything else as it was written."""
    language, style = page.reader.language, traits.get_notation_style(page.game)
    if line.canonical:
        return quote_move(line.canonical, language, page.game)
    text = translate_move(line.text, language, page.game) if line.is_drawn else line.text
    return quote_order(text, language, style)


def _render_own_words(page: Page) -> str:
    """Return the words that were no order, as their writer had them."""
    style, language = traits.get_notation_style(page.game), page.reader.language
    lines = outcome.list_lines(page)
    asked = page.receipt.offers if page.receipt else ()
    own = [] if any(one.note.code == "resign-confirm" for one in asked) else lines
    said = [line.text for line in own if line.status == "text"]
    said += [_drop_command(line) for line in lines if any(note.code == "question-passed-on" for note in line.notes)]
    if not said:
        return ""
    text = " ".join(strip_quotes(one, style) for one in said)
    text = text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]} …"
    decided = page.receipt.decided if page.receipt else None
    order = isinstance(decided, OrderPlayed | _KEPT) or outcome.is_refused(page)
    if order and not asked:
        return ""  # a greeting beside a move needs no answer
    return write_label(page, "answer-said", words=quote_text(text, language))


def _drop_command(line: LineOutcome) -> str:
    return line.text.partition(":")[2].strip() or line.text


def _write_example(line: LineOutcome, page: Page) -> str:
    return quote_move(line.example, page.reader.language, page.game)


def _show_example(page: Page) -> Iterator[Block]:
    """Yield the right line for a command that was not understood, as a button; for an order, a move of this hand."""
    line = outcome.find_headline_line(page)
    failed = isinstance(page.receipt and page.receipt.decided, CommandRefused) or outcome.is_refused(page)
    if line is None or not line.example or not outcome.is_not_done(line) or not failed or outcome.is_asked_back(page):
        return
    if page.receipt is not None and isinstance(page.receipt.decided, CommandRefused):
        label = quote_text(line.example, page.reader.language)
        yield show_buttons(page, Action(label, build_answer_link(page, line.example), line.example))
    elif not _is_mere_pattern(line.example, page):
        yield Para((write_label(page, "example", example=_write_example(line, page)),), "item m")


def _is_mere_pattern(example: str, page: Page) -> bool:
    """Return whether an example line only shows how to write, but need not be possible now (rules/robots/choose.py)."""
    language, game = page.reader.language, page.game
    codes = [code for code in ("example.place", "example.start") if has_sentence(code, language, game)]
    return example in [render_code(code, language, game, **page.examples) for code in codes]


def render_unread_parts(page: Page) -> tuple[str, ...]:
    """Return sentences on the parts of the mail that were not read, and on what to do."""
    receipt, language = page.receipt, page.reader.language
    if receipt is None:
        return ()
    lines = [render_note(note, language) for note in receipt.unopened]
    if receipt.right and not _is_mere_pattern(receipt.right, page):
        lines.append(write_label(page, "example", example=quote_move(receipt.right, language, page.game)))
    lost = [write_label(page, f"ignored-{kind}", count=count)
            for kind in _LOST_KINDS if (count := receipt.ignored.get(kind, 0))]  # fmt: skip
    return (*lines, *([write_label(page, "ignored", what=lost)] if lost else []))


# ---- the whole receipt ----


def show_receipt(page: Page) -> Iterator[Block]:
    """Yield what the reader of a receipt needs: of what was not done the way to do it first; of what is stored, who is
    still missing and how it is changed."""
    if outcome.is_asked_back(page) or outcome.is_passed_on(page):
        yield from ask_back(page)
        yield from show_outcome(page)
        yield from _link_staff(page)
        return
    decided = page.receipt.decided if page.receipt else None
    kept = isinstance(decided, _KEPT) and not outcome.is_refused(page)
    if not kept and page.status.is_wanted and not isinstance(decided, CommandDone | CommandRefused):
        yield from show_bench(page)
        yield from offer_answer(page)
    yield from show_outcome(page)
    yield from ask_back(page)
    if not isinstance(decided, _KEPT | RoundPassed):
        yield from show_stored_order(page)
    if kept and not stored_order.is_sequential(page):
        yield from show_seats(page)
    # What becomes of what is stored; else what silence costs, where that is more than the turn.
    decided = page.receipt.decided if page.receipt else None
    if isinstance(decided, _KEPT) or stored_order.has_only_impossible_moves(page):
        yield Para((stored_order.consequence_sentence(page),), "item m")
    else:
        yield from tell_warning(page)
    yield from _link_answers(page)


def _link_answers(page: Page) -> Iterator[Block]:
    """Yield what else its reader may want now."""
    if page.reply is None or page.match is None or page.status.is_out:
        return
    links = []
    if stored_order.may_be_played(page):
        links.append(build_action(page, "link-withdraw", write_label(page, "line-withdraw")))
    told = outcome.find_headline_line(page) if outcome.is_refused(page) else None
    if told is not None and any(note.code == "not-a-word" for note in told.notes):
        links.append(build_action(page, "link-word", write_label(page, "line-question")))
    if outcome.is_refused(page):
        links.append(build_action(page, "link-how", write_label(page, "line-help")))
    if links:
        yield show_links(page, *links)


def _link_staff(page: Page) -> Iterator[Block]:
    """Yield the way to a person, for who meant something else."""
    if page.reply is not None and not outcome.is_passed_on(page):
        yield show_links(page, build_action(page, "link-other", write_label(page, "line-question")))


def show_played(page: Page) -> Iterator[Block]:
    """Yield, in a mail that reports the reader's own move, what was read of it."""
    if page.receipt is not None and outcome.answers_mail(page):
        yield from show_outcome(page)
        yield from ask_back(page)


def draw_after_move(section: Section) -> Section:
    """Return the section in which the reader who has just played sees the board as a picture alone: the text says what
    lies now."""

    def show(page: Page) -> Iterator[Block]:
        alone = outcome.waits_after_move(page) and page.reader.board == BoardForm.PNG
        for block in section(page):
            yield replace(block, only="html") if alone and isinstance(block, Board) else block

    return show


def unless_waiting(section: Section) -> Section:
    """Return the section for all but those who have just played and now wait for others."""
    return lambda page: () if outcome.waits_after_move(page) else section(page)


def show_done(page: Page) -> Iterator[Block]:
    """Yield what became of commands, or of a mail of which nobody knows the match."""
    yield from ask_back(page)
    notes = page.notes[1:] if page.kind == MailKind.UNREAD else page.notes
    yield Items(tuple(outcome.render_line_note(note, page) for note in notes))
    yield from show_outcome(page)
    if page.receipt is not None and page.receipt.offers:
        yield from _link_staff(page)
