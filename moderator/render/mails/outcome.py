"""What became of what the reader wrote: the headline of an answer and the sentences under it.

A headline says what was done, or why not, or asks what is meant; one value of rules/outcomes.py decides which."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from moderator.common.enums import MailKind
from moderator.common.text import capitalize_start
from moderator.language import traits
from moderator.language.messages import (
    has_sentence,
    is_laying_move,
    quote_move,
    render_label,
    render_note,
    strip_quotes,
    write_move,
)
from moderator.notifications.content import MoveView
from moderator.notifications.pages import LineOffer, LineOutcome, Page
from moderator.render.mails import report, stored_order
from moderator.render.mails.event import (
    ANNOUNCES,
    ONLY_MOVE,
    MailEvent,
    build_move_event,
    build_round_end,
    write_spoken_move,
)
from moderator.render.mails.headline import format_name_list
from moderator.rules.events import list_ended_rounds
from moderator.rules.game import Note
from moderator.rules.orders.conditions import AFTER_DRAW_TEXT
from moderator.rules.outcomes import (
    CommandDone,
    CommandRefused,
    ConfirmationAsked,
    MatchOnHold,
    NothingToWithdraw,
    OrderDecision,
    OrderEvaluated,
    OrderIllegal,
    OrderLate,
    OrderMissing,
    OrderPlayed,
    OrderStored,
    OrderStoredIllegal,
    OrderUndecided,
    OrderWithdrawn,
    RoundPassed,
    StandingOrderStored,
    needs_attention,
)

DONE = "✓"
"""Stands before what was done."""
ANSWERS = frozenset({MailKind.RECEIPT, MailKind.TURN, MailKind.DONE, MailKind.UNREAD})
"""Kinds of mail that answer what their reader wrote."""
REFUSED = OrderIllegal | OrderLate | OrderStoredIllegal
"""What was ordered cannot be played, or not as things stand."""
_SENTENCE = re.compile(r"(?:(?<=[^\d\s][^\W\d][.!?])|(?<=\s[!?])|(?<=[«»”“)][.!?]))\s+(?=\W?[^\W\d_a-zäöüß])")
"""Where a sentence ends; not behind the number of a day, nor behind an abbreviation of one letter."""
_LONG = 60
"""Characters of a headline that is cut at a colon, if it has one."""


def split_first_sentence(text: str) -> tuple[str, str]:
    """Return the first sentence, which may be a headline, and what follows it."""
    first, *rest = _SENTENCE.split(text, maxsplit=1)
    head, colon, more = first.partition(": ")
    if len(first) > _LONG and colon and " " in head:
        more = capitalize_start(more) if more[1:2].isalpha() and "://" not in more.split()[0] else more
        return f"{head.rstrip()}.", " ".join((more, *rest))
    return first, " ".join(rest)


def find_answer_event(page: Page) -> MailEvent | None:
    """Return what became of the reader's mail; None where the mail has another cause."""
    receipt = page.receipt
    if page.kind not in ANSWERS:
        return None
    if page.kind == MailKind.UNREAD and page.notes:
        return _build_note(page.notes[0], page)
    if receipt is None:
        return _build_label(page, "answer-seen") if page.kind in (MailKind.RECEIPT, MailKind.DONE) else None
    if is_passed_on(page):
        return _build_label(page, "answer-unsure")
    if is_asked_back(page):
        return _build_question(page, receipt.offers)
    return _build_answer(page, receipt.decided)


def waits_after_move(page: Page) -> bool:
    """Return whether its reader has just played, and now only waits for others."""
    return answers_mail(page) and stored_order.is_sequential(page) and not page.your_turn


def is_asked_back(page: Page) -> bool:
    """Return whether the mail asks its reader what is meant, and nothing of it was done."""
    receipt = page.receipt
    unread = receipt is not None and receipt.decided == OrderMissing(unread=True)
    return receipt is not None and bool(receipt.offers) and not (unread or _has_done_something(receipt.decided))


def answers_mail(page: Page) -> bool:
    """Return whether the mail tells what became of its reader's own mail; where that mail ended a round, the round is
    the news, and not what the order was worth before."""
    return page.receipt is not None and not isinstance(page.receipt.decided, OrderEvaluated)


def _has_done_something(decided: OrderDecision) -> bool:
    return not isinstance(decided, ConfirmationAsked | OrderIllegal | OrderLate | OrderMissing | CommandRefused)


def is_alarming(page: Page) -> bool:
    """Return whether the headline is a warning: something was ordered, and was not done."""
    if page.receipt is None or is_asked_back(page) or is_passed_on(page):
        return False
    decided = page.receipt.decided
    return needs_attention(decided) and decided not in (OrderMissing(), ConfirmationAsked())


def is_passed_on(page: Page) -> bool:
    """Return whether words that nobody understood have gone to whoever is in charge."""
    return any(note.code == PASSED_ON for line in list_lines(page) for note in line.notes)


PASSED_ON = "words-passed-on"


def list_lines(page: Page) -> tuple[LineOutcome, ...]:
    return page.receipt.lines if page.receipt else ()


def _build_answer(page: Page, decided: OrderDecision) -> MailEvent:
    match decided:
        case OrderPlayed():
            return _build_played(page) or _build_label(page, "answer-done")
        case OrderStored() if not is_refused(page):
            return _build_stored(page)
        case StandingOrderStored():
            return _build_label(page, "answer-stored-standing")
        case RoundPassed():
            return _build_label(page, "answer-round-passed")
        case OrderUndecided():
            return _build_label(page, "answer-waits")
        case MatchOnHold():
            return _build_label(page, "answer-held")
        case OrderWithdrawn():
            return _build_label(page, "answer-withdrawn")
        case OrderMissing(unread=True):
            return _build_label(page, "answer-unopened")
        case OrderMissing():
            unread = page.status.is_wanted or any(line.status == "text" for line in list_lines(page))
            return _build_label(page, "answer-nothing" if unread else "answer-seen")
        case OrderIllegal() | OrderLate() | OrderStoredIllegal() | OrderStored():
            return _build_reason(page) or _build_label(page, "answer-refused")
        case CommandRefused() | NothingToWithdraw() | ConfirmationAsked():
            return _build_reason(page) or _build_label(page, "answer-undone")
        case OrderEvaluated(possible=False):
            return _build_label(page, "answer-refused")
        case CommandDone() | OrderEvaluated():
            return _build_reason(page) or _build_label(page, "answer-done")
        case _:
            assert_never(decided)


def is_refused(page: Page) -> bool:
    """Return whether the order cannot be played as things stand, and nothing is asked back."""
    if is_asked_back(page):
        return False
    decided = page.receipt.decided if page.receipt else None
    tried = isinstance(decided, OrderStored) and stored_order.is_sequential(page) and page.status.is_wanted
    return tried or isinstance(decided, REFUSED)


def _build_label(page: Page, code: str, **values: object) -> MailEvent:
    return _build_event_of_text(render_label(code, page.reader.language, **values))


def _build_note(note: Note, page: Page) -> MailEvent:
    """Return the first sentence of a note; of a long one with the few words that it has for a subject."""
    event, code = _build_event_of_text(render_line_note(note, page)), f"{note.code}-short"
    if not has_sentence(code, page.reader.language, page.game):
        return event
    return replace(event, short=render_line_note(replace(note, code=code), page))


def _build_event_of_text(text: str) -> MailEvent:
    first, rest = split_first_sentence(text)
    return MailEvent(first, first.rstrip("."), (rest,) if rest else ())


def _build_played(page: Page) -> MailEvent | None:
    """Return the reader's move that lies now, and what followed it."""
    language = page.reader.language
    own = next((at for at, one in enumerate(page.reports) if one.you), None)
    if own is None:
        return None
    one = page.reports[own]
    code = "answer-laid"
    if not is_laying_move(one.played):
        code = "answer-passed" if one.played == traits.get_pass_text(page.game) else "answer-played"
    elif ANNOUNCES in one.played:
        code = "answer-announced"
    elif not one.points and report.is_scoreless(page.game, language):
        code = "answer-laid-plain"
    values = {"what": write_spoken_move(one, page), "points": one.points}
    said = render_label(code, language, **values)
    short = render_label(f"{code}-short" if code == "answer-laid" else code, language, **values)
    return MailEvent(f"{said}.", short, tuple(_iter_following(page, page.reports[own + 1 :])))


def _iter_following(page: Page, reports: tuple[MoveView, ...]) -> Iterator[str]:
    """Yield what others did after the reader's move, and the rounds that ended by it."""
    for one in reports:
        if not one.you and (one.played or one.points):
            yield build_move_event(page, one).sentence
            yield from (render_line_note(note, page) for note in one.notes if note.code == ONLY_MOVE)
    yield from (build_round_end(page, number).sentence for number in list_ended_rounds(page.happened))


def _build_stored(page: Page) -> MailEvent:
    """Return the move that is kept, what it would bring now, and whom the round waits for."""
    language = page.reader.language
    if stored_order.is_race(page):
        return _build_label(page, "answer-stored-race")
    line = find_possible_move(page)
    what = _write_stored_move(line, page)
    said = render_label("answer-stored", language, what=what)
    worth = line is not None and is_laying_move(line.canonical)
    worth = worth and bool((line and line.points) or not report.is_scoreless(page.game, language))
    more = (render_label("answer-worth", language, points=line.points),) if line and worth else ()
    missing = page.awaited_others
    tail = render_label("answer-missing", language, names=format_name_list(missing, language)) if missing else ""
    if not tail or stored_order.is_sequential(page) or len(missing) > 2:
        return MailEvent(f"{said}.", said, more)
    return MailEvent(f"{said}.", render_label("headed", language, event=said, tail=tail), more)


def _write_stored_move(line: LineOutcome | None, page: Page) -> str:
    """Return the word that is to be laid, or the move in quotation marks."""
    language = page.reader.language
    if line is not None and line.words and is_laying_move(line.canonical):
        return strip_quotes(line.words[0].word)
    moves = stored_order.list_stored_moves(page)
    move = line.canonical if line is not None else moves[0].move if moves else AFTER_DRAW_TEXT
    return quote_move(move, language, page.game)


def is_move(line: LineOutcome) -> bool:
    return line.status in ("move", "fallback")


def find_possible_move(page: Page) -> LineOutcome | None:
    """Return the first move of the reader's mail that can be played."""
    return next((one for one in list_lines(page) if is_move(one) and one.points is not None), None)


# ---- why something was not done, and what commands did ----


def find_headline_line(page: Page) -> LineOutcome | None:
    """Return the line that the headline tells of: the first that was not done, else the first command that was."""
    lines = list_lines(page)
    refused = (one for one in lines if is_not_done(one))
    done = (one for one in lines if one.status == "command" and one.notes)
    return next(refused, None) or next(done, None) or next((one for one in lines if one.notes), None)


def is_not_done(line: LineOutcome) -> bool:
    """Return whether the writer wanted something by the line that was not done."""
    if is_move(line):
        return line.reached and line.points is None and bool(line.notes)
    return line.is_unfulfilled


def _build_reason(page: Page) -> MailEvent | None:
    """Return why the first line was not done, or what the first one did."""
    line = find_headline_line(page)
    if line is None or not line.notes:
        return None
    event = _build_note(line.notes[0], page)
    if is_not_done(line) or isinstance(page.receipt and page.receipt.decided, NothingToWithdraw):
        return event
    return replace(event, sentence=f"{DONE} {event.sentence}", short=f"{DONE} {event.short}")


def render_line_note(note: Note, page: Page) -> str:
    return render_note(note, page.reader.language, page.game, page.names)


# ---- questions back ----


def _build_question(page: Page, offers: tuple[LineOffer, ...]) -> MailEvent:
    """Return the question what is meant; where there are several answers, that there are."""
    language = page.reader.language
    undone = render_label("answer-undone", language)
    if len(offers) > 1:
        kinds = {one.note.code for one in offers}
        same = kinds.pop().removeprefix("wish-") if len(kinds) == 1 else ""
        said = render_label(f"answer-which-{same}" if same in ("move", "place") else "answer-which", language)
        return MailEvent(said, said, (undone,))
    (only,) = offers
    stored = stored_order.list_stored_moves(page)
    values = {"move": write_move(stored[0].move, language, page.game)} if stored else {}
    code = f"{only.note.code}-stored"
    note = Note(code, values) if stored and has_sentence(code, language, page.game) else only.note
    params = {**note.params, "move": strip_quotes(only.line)} if only.note.code == "wish-move" else note.params
    event = _build_note(Note(note.code, params), page)
    harmless = only.note.code in HARMLESS
    return replace(event, more=(*event.more, *(() if harmless else (undone,))))


HARMLESS = frozenset({"wish-help", "wish-rules", "wish-status", "wish-join", "wish-question"})
"""Questions back after which nobody can lose anything."""
