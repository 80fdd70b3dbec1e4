"""What the reader has sent and what is kept of it: the stored order, and what holds if nothing more is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from moderator.common.enums import MailKind
from moderator.language import dates, traits
from moderator.language.messages import MarkedText, has_sentence, render_code, render_label, write_move
from moderator.notifications.pages import Page
from moderator.render.mails.headline import InStore, Lost, Missed, ReaderSituation
from moderator.render.text import split_orders
from moderator.rules.events import Happened, SeatEliminated, SeatLost, TurnMissed, list_ended_rounds
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
)


def list_stored_moves(page: Page) -> list[MarkedText]:
    """Return the alternatives of the stored order, without standing orders."""
    return [
        order for order in split_orders(page.standing, traits.get_notation_style(page.game)) if order != AFTER_DRAW_TEXT
    ]


def is_sequential(page: Page) -> bool:
    return page.match is not None and page.match.pace == "sequential"


def is_race(page: Page) -> bool:
    return page.match is not None and page.match.pace == "race"


def has_passed_round(page: Page) -> bool:
    """Return whether the stored order in a race is no solution but a pass: the reader is out of this round."""
    return is_race(page) and [str(order) for order in list_stored_moves(page)] == [traits.get_pass_text(page.game)]


def has_pending_order(page: Page) -> bool:
    """Return whether a stored move will be tried, so that nothing more is wanted. In pace ``is_sequential`` it has been
    tried already when the reader is to move, and was not possible, or it is deferred."""
    return bool(list_stored_moves(page)) and not (page.your_turn and (page.vain or is_sequential(page)))


def is_order_deferred(page: Page) -> bool:
    """Return whether the reader is to move and the stored order is possible, but deferred. Such a move is played at
    once otherwise: its player has asked to wait, or moves were undone, or the moderator is asked about a word of it."""
    return is_sequential(page) and page.your_turn and bool(list_stored_moves(page)) and not page.vain


def build_reader_situation(page: Page) -> ReaderSituation:
    """Return the situation of the reader of the page."""
    in_store: InStore = "failed" if list_stored_moves(page) else "nothing"
    if is_order_deferred(page):
        in_store = "put-off"
    elif has_pending_order(page):
        in_store = "gave-up" if has_passed_round(page) else "ready"
    pace = page.match.pace if page.match else ""
    return ReaderSituation(
        pace,  # type: ignore[arg-type]
        page.your_turn,
        in_store,
        bool(page.awaited),
        lost=_find_loss(page),
        missed=_find_missed_turn(page),
        dealt=bool(list_ended_rounds(page.happened)),
        moving_in=page.moving_in,
    )


def _iter_own_events(page: Page) -> Iterator[Happened]:
    """Yield what happened to the reader's own seat."""
    seats = {seat.number for seat in page.seats if seat.you}
    return (
        one for one in page.happened if isinstance(one, SeatLost | SeatEliminated | TurnMissed) and one.seat in seats
    )


def _find_loss(page: Page) -> Lost:
    for one in _iter_own_events(page):
        if isinstance(one, SeatLost):
            return one.why.value
        if isinstance(one, SeatEliminated):
            return "eliminated"
    return ""


def _find_missed_turn(page: Page) -> Missed:
    missed = [one for one in _iter_own_events(page) if isinstance(one, TurnMissed)]
    return ("tried" if missed[-1].tried else "silent") if missed else ""


def render_stored_order(page: Page) -> tuple[str, ...]:
    """Return a sentence for each alternative, then for the standing orders, whatever their order in the player's
    mail."""
    language, once = page.reader.language, list_stored_moves(page)
    first = "standing-vain" if page.vain else "standing-first"
    shown = [write_move(str(order), language, page.game) for order in once]
    lines = [render_label("standing-else" if n else first, language, move=order) for n, order in enumerate(shown)]
    if AFTER_DRAW_TEXT in split_orders(page.standing, traits.get_notation_style(page.game)):
        lines.append(render_label("standing-lasting", language, move=write_move(AFTER_DRAW_TEXT, language, page.game)))
    return tuple(lines)


def format_page_deadline(page: Page, *, with_time_left: bool = True) -> str:
    """Return ``Montag, 24. November, 20:00 Uhr (noch 4 Tage)`` on the reader's clock; an empty text without a
    deadline."""
    if page.deadline is None:
        return ""
    reader = page.reader
    say_it = dates.format_deadline if with_time_left else dates.format_moment
    return say_it(page.deadline, page.now, reader.language, reader.zone, page.club_zone)


ASKING = frozenset(
    {
        MailKind.START,
        MailKind.TURN,
        MailKind.RECEIPT,
        MailKind.REMINDER,
        MailKind.STATUS,
        MailKind.CORRECTION,
    }
)
"""Kinds of mail about one match to somebody who may be asked for a move."""


def consequence_sentence(page: Page) -> str:
    """Return what will count if the reader does nothing more; an empty text where nothing is wanted."""
    language = page.reader.language
    if page.kind not in ASKING:
        return ""
    decided = page.receipt.decided if page.receipt else None
    if page.held:
        return render_label("then-held", language)
    match decided:
        case MatchOnHold():
            return render_label("then-held", language)
        case OrderPlayed() if not page.your_turn:
            return render_label("then-played", language)
        case OrderStored() if not (is_sequential(page) and page.your_turn):
            return _render_stored_consequence(page)
        case StandingOrderStored():
            return _render_with_missing("then-stored-standing", page)
        case RoundPassed():
            return render_label("then-gave-up-race", language)
        case OrderUndecided():
            return render_label("then-waits", language)
        case OrderStoredIllegal():
            return _render_with_missing("then-vain-ahead" if is_sequential(page) else "then-vain", page)
        case (
            None
            | OrderPlayed()
            | OrderStored()
            | OrderEvaluated()
            | OrderIllegal()
            | OrderLate()
            | OrderMissing()
            | ConfirmationAsked()
        ):
            return _render_table_consequence(page, decided)
        case OrderWithdrawn() | NothingToWithdraw() | CommandDone() | CommandRefused():
            return _render_table_consequence(page, decided)
        case _:
            assert_never(decided)


def _render_stored_consequence(page: Page) -> str:
    """Return what will become of an order that is stored and possible."""
    language, until = page.reader.language, format_page_deadline(page, with_time_left=False)
    if is_race(page) or is_sequential(page):
        return render_label("then-stored-race" if is_race(page) else "then-stored-ahead", language)
    return render_label("then-stored-until" if until else "then-stored", language, deadline=until)


def _render_table_consequence(page: Page, decided: OrderDecision | None) -> str:
    """Return the consequence of what the match has of the reader, where the mail at hand has stored nothing."""
    language = page.reader.language
    if list_stored_moves(page) and page.vain and not is_sequential(page):
        return _render_with_missing("then-vain", page, always=True)
    if has_pending_order(page) and is_race(page):
        return render_label("then-gave-up-race" if has_passed_round(page) else "then-stored-race", language)
    if has_pending_order(page):
        return render_label("then-kept" if decided else "then-ahead" if is_sequential(page) else "then-ready", language)
    if is_order_deferred(page):
        until = format_page_deadline(page, with_time_left=False)
        return render_label("then-put-off-until" if until else "then-put-off", language, deadline=until)
    if list_stored_moves(page):
        return _render_with_missing("then-not-now", page, always=True)
    missing = _render_missing_cost(page) if page.your_turn else ""
    asked = isinstance(decided, OrderPlayed | OrderIllegal | OrderLate | OrderMissing)
    return missing or (render_label("then-missing-open", language) if asked else "")


def _render_with_missing(code: str, page: Page, always: bool = False) -> str:
    """Return the sentence, and what the turn costs if nobody takes it."""
    missing = _render_missing_cost(page) if page.your_turn or always else ""
    return " ".join(filter(None, (render_label(code, page.reader.language), missing)))


def _render_missing_cost(page: Page) -> str:
    """Return what a turn costs that nobody takes, in the game's own words if it has ``mail.then-missing``; an empty
    text without a deadline."""
    language, until = page.reader.language, format_page_deadline(page, with_time_left=False)
    if not until:
        return ""
    own = "mail.then-missing"
    if has_sentence(own, language, page.game):
        return render_code(own, language, page.game, deadline=until)
    return render_label("then-missing", language, deadline=until)
