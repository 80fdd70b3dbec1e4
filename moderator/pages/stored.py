"""What the reader has sent and what is kept of it: the stored order, and what holds if nothing more is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from moderator.match.conditions import AFTER_DRAW_TEXT
from moderator.match.decision import (
    AskedBack,
    Done,
    GaveUp,
    Held,
    NoOrder,
    NotDone,
    NothingStored,
    NotPossible,
    NotPossibleYet,
    OrderDecision,
    Played,
    RoundPlayed,
    StandingStored,
    Stored,
    TooLate,
    Waiting,
    Withdrawn,
)
from moderator.match.happened import Happened, SeatEliminated, SeatLost, TurnMissed, rounds_ended
from moderator.pages import dates, traits
from moderator.pages.flow import orders
from moderator.pages.headline import InStore, Lost, Missed, View
from moderator.pages.messages import Shown, known, label, move, say
from moderator.pages.pages import Page
from moderator.states import MailKind


def moves(page: Page) -> list[Shown]:
    """The alternatives of the stored order, without standing orders."""
    return [order for order in orders(page.standing, traits.style(page.game)) if order != AFTER_DRAW_TEXT]


def sequential(page: Page) -> bool:
    return page.match is not None and page.match.pace == "sequential"


def race(page: Page) -> bool:
    return page.match is not None and page.match.pace == "race"


def gave_up(page: Page) -> bool:
    """Whether what is kept in a race is no solution: the reader is out of this round."""
    return race(page) and [str(order) for order in moves(page)] == [traits.pass_text(page.game)]


def waits(page: Page) -> bool:
    """Whether a stored move will be tried, so that nothing more is wanted. In pace ``sequential`` it has been
    tried already when the reader is to move, and was not possible, or it is put off."""
    return bool(moves(page)) and not (page.your_turn and (page.vain or sequential(page)))


def put_off(page: Page) -> bool:
    """Whether the reader is to move and what is stored is possible: as such a move is played at once otherwise, its
    player has asked to wait, or moves were taken back, or the moderator is asked about a word of it."""
    return sequential(page) and page.your_turn and bool(moves(page)) and not page.vain


def view(page: Page) -> View:
    """How things stand for the reader of the page."""
    in_store: InStore = "failed" if moves(page) else "nothing"
    if put_off(page):
        in_store = "put-off"
    elif waits(page):
        in_store = "gave-up" if gave_up(page) else "ready"
    pace = page.match.pace if page.match else ""
    return View(
        pace,  # type: ignore[arg-type]
        page.your_turn,
        in_store,
        bool(page.awaited),
        lost=_lost(page),
        missed=_missed_turn(page),
        dealt=bool(rounds_ended(page.happened)),
        moving_in=page.moving_in,
    )


def _own(page: Page) -> Iterator[Happened]:
    """What happened to the reader's own seat."""
    seats = {seat.number for seat in page.seats if seat.you}
    return (
        one for one in page.happened if isinstance(one, SeatLost | SeatEliminated | TurnMissed) and one.seat in seats
    )


def _lost(page: Page) -> Lost:
    for one in _own(page):
        if isinstance(one, SeatLost):
            return one.why.value
        if isinstance(one, SeatEliminated):
            return "eliminated"
    return ""


def _missed_turn(page: Page) -> Missed:
    missed = [one for one in _own(page) if isinstance(one, TurnMissed)]
    return ("tried" if missed[-1].tried else "silent") if missed else ""


def sentences(page: Page) -> tuple[str, ...]:
    """One for each alternative, then the standing orders, whatever their order in the player's mail."""
    language, once = page.reader.language, moves(page)
    first = "standing-vain" if page.vain else "standing-first"
    shown = [move(str(order), language, page.game) for order in once]
    lines = [label("standing-else" if n else first, language, move=order) for n, order in enumerate(shown)]
    if AFTER_DRAW_TEXT in orders(page.standing, traits.style(page.game)):
        lines.append(label("standing-lasting", language, move=move(AFTER_DRAW_TEXT, language, page.game)))
    return tuple(lines)


def deadline(page: Page, *, left: bool = True) -> str:
    """``Montag, 24. November, 20:00 Uhr (noch 4 Tage)`` on the reader's clock; "" without a deadline."""
    if page.deadline is None:
        return ""
    reader = page.reader
    say_it = dates.deadline if left else dates.moment
    return say_it(page.deadline, page.now, reader.language, reader.zone, page.club_zone)


def then(page: Page) -> str:
    """What holds if the reader does nothing more; "" where nothing is wanted of him."""
    language = page.reader.language
    if page.kind not in (
        MailKind.START,
        MailKind.TURN,
        MailKind.RECEIPT,
        MailKind.REMINDER,
        MailKind.STATUS,
        MailKind.CORRECTION,
    ):
        return ""
    decided = page.receipt.decided if page.receipt else None
    if page.held:
        return label("then-held", language)
    match decided:
        case Held():
            return label("then-held", language)
        case Played() if not page.your_turn:
            return label("then-played", language)
        case Stored() if not (sequential(page) and page.your_turn):
            return _until(page)
        case StandingStored():
            return _and_missing("then-stored-standing", page)
        case GaveUp():
            return label("then-gave-up-race", language)
        case Waiting():
            return label("then-waits", language)
        case NotPossibleYet():
            return _and_missing("then-vain-ahead" if sequential(page) else "then-vain", page)
        case None | Played() | Stored() | RoundPlayed() | NotPossible() | TooLate() | NoOrder() | AskedBack():
            return _as_it_stands(page, decided)
        case Withdrawn() | NothingStored() | Done() | NotDone():
            return _as_it_stands(page, decided)
        case _:
            assert_never(decided)


def _until(page: Page) -> str:
    """Of an order that is kept and possible."""
    language, until = page.reader.language, deadline(page, left=False)
    if race(page) or sequential(page):
        return label("then-stored-race" if race(page) else "then-stored-ahead", language)
    return label("then-stored-until" if until else "then-stored", language, deadline=until)


def _as_it_stands(page: Page, decided: OrderDecision | None) -> str:
    """By what the table has of the reader, where the mail at hand has put nothing there."""
    language = page.reader.language
    if moves(page) and page.vain and not sequential(page):
        return _and_missing("then-vain", page, always=True)
    if waits(page) and race(page):
        return label("then-gave-up-race" if gave_up(page) else "then-stored-race", language)
    if waits(page):
        return label("then-kept" if decided else "then-ahead" if sequential(page) else "then-ready", language)
    if put_off(page):
        until = deadline(page, left=False)
        return label("then-put-off-until" if until else "then-put-off", language, deadline=until)
    if moves(page):
        return _and_missing("then-not-now", page, always=True)
    missing = _missing(page) if page.your_turn else ""
    asked = isinstance(decided, Played | NotPossible | TooLate | NoOrder)
    return missing or (label("then-missing-open", language) if asked else "")


def _and_missing(code: str, page: Page, always: bool = False) -> str:
    """The sentence, and what the turn costs if nobody takes it."""
    missing = _missing(page) if page.your_turn or always else ""
    return " ".join(filter(None, (label(code, page.reader.language), missing)))


def _missing(page: Page) -> str:
    """What a turn costs that nobody takes, in the game's own words if it has ``mail.then-missing``; "" without a
    deadline."""
    language, until = page.reader.language, deadline(page, left=False)
    if not until:
        return ""
    own = "mail.then-missing"
    if known(own, language, page.game):
        return say(own, language, page.game, deadline=until)
    return label("then-missing", language, deadline=until)
