"""What the reader has sent and what is kept of it: the stored order, and what holds if nothing more is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from moderator.common.enums import MailKind
from moderator.language import dates
from moderator.language.messages import has_sentence, render_code, render_label, render_note, write_move
from moderator.notifications.pages import AlternativeState, Page, StoredAlternative
from moderator.render.mails.headline import Gone, Lost, ReaderSituation
from moderator.rules.events import Happened, SeatEliminated, SeatLost, SeatTaken, TurnMissed, list_ended_rounds
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
from moderator.rules.silence import MissEffect, SeatStatus

COUNTING = (AlternativeState.LEGAL, AlternativeState.UNDECIDED)
"""The moves of a stored order that could be played as things stand."""


def list_stored_moves(page: Page) -> tuple[StoredAlternative, ...]:
    """Return the moves of the stored order, without standing orders."""
    return page.stored.moves if page.stored else ()


def has_only_impossible_moves(page: Page) -> bool:
    """Return whether moves are stored, and none of them can be played as things stand."""
    return page.stored is not None and bool(page.stored.moves) and not page.stored.is_possible


def may_be_played(page: Page) -> bool:
    """Return whether something of what is stored can still be played without another order of the reader's."""
    stored = page.stored
    if stored is None or not stored.moves:
        return False
    return stored.is_possible or (stored.may_become_possible and not (page.your_turn and is_sequential(page)))


def is_sequential(page: Page) -> bool:
    return page.match is not None and page.match.pace == "sequential"


def is_race(page: Page) -> bool:
    return page.match is not None and page.match.pace == "race"


def has_pending_order(page: Page) -> bool:
    """Return whether a stored move will be tried, so that nothing more is wanted."""
    if page.your_turn:
        return page.status in (SeatStatus.SUBMITTED, SeatStatus.PASSED_ROUND)
    return bool(list_stored_moves(page)) and not page.status.is_out


def build_reader_situation(page: Page) -> ReaderSituation:
    """Return the situation of the reader of the page."""
    missed = _find_missed_turn(page)
    return ReaderSituation(
        page.match.pace if page.match else "",  # type: ignore[arg-type]
        page.status,
        bool(page.awaited),
        lost=_find_loss(page),
        missed="" if missed is None else "tried" if missed.tried else "silent",
        effect=MissEffect.PASSED if missed is None else missed.effect,
        gone=_find_departure(page),
        dealt=bool(list_ended_rounds(page.happened)),
        moving_in=page.moving_in,
    )


def _iter_own_events(page: Page) -> Iterator[Happened]:
    """Yield what happened to the reader's own seat."""
    own = page.own_number
    return (one for one in page.happened if isinstance(one, SeatLost | SeatEliminated | TurnMissed) and one.seat == own)


def _find_loss(page: Page) -> Lost:
    for one in _iter_own_events(page):
        if isinstance(one, SeatLost):
            return one.why.value
        if isinstance(one, SeatEliminated):
            return "eliminated"
    return ""


def _find_missed_turn(page: Page) -> TurnMissed | None:
    missed = [one for one in _iter_own_events(page) if isinstance(one, TurnMissed)]
    return missed[-1] if missed else None


def _find_departure(page: Page) -> Gone:
    """Return what is the news where nobody has moved, but somebody else has left or is out."""
    moved = any(report.played and not report.you for report in page.reports if page.receipt is None)
    found = next((one for one in _iter_departures(page) if not moved or isinstance(one, SeatEliminated)), None)
    return "" if found is None else "eliminated" if isinstance(found, SeatEliminated) else "left"


def _iter_departures(page: Page) -> Iterator[SeatLost | SeatEliminated | SeatTaken]:
    """Yield who has left or is out since the last mail, also those for whom a robot plays on."""
    for one in page.happened:
        if isinstance(one, SeatLost | SeatEliminated) or (isinstance(one, SeatTaken) and one.held):
            yield one


def list_departed_names(page: Page) -> tuple[str, ...]:
    """List their names."""
    gone = {one.seat: one.old if isinstance(one, SeatTaken) else "" for one in _iter_departures(page)}
    return tuple(gone[seat.number] or seat.name for seat in page.seats if seat.number in gone)


def render_stored_order(page: Page) -> tuple[str, ...]:
    """Return a sentence for each alternative: first those that count in their order, then what is not possible and why,
    then the standing orders. Why a move is not possible is said when it is sent, when its turn has come, and to who
    asks; not in every mail between."""
    if page.stored is None:
        return ()
    language, lines = page.reader.language, []
    counting = [one for one in page.stored.moves if one.state in COUNTING]
    for number, one in enumerate(counting):
        lines.append(_render_stored(f"standing-{'else' if number else 'first'}", one.move, page))
    told = page.kind == MailKind.REMINDER or (page.kind == MailKind.TURN and not page.status.is_wanted)
    for one in page.stored.moves:
        if one.reason is not None and not told:
            hope = page.stored.is_retried and one.state is AlternativeState.ILLEGAL
            code = "standing-not-now" if hope else "standing-never"
            why = render_note(one.reason, language, page.game, page.names)
            lines.append(_render_stored(code, one.move, page, why=why))
    return (*lines, *(_render_stored("standing-lasting", one, page) for one in page.stored.lasting))


def _render_stored(code: str, move: str, page: Page, **more: str) -> str:
    language = page.reader.language
    return render_label(code, language, move=write_move(move, language, page.game), **more)


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
        MailKind.REFEREE,
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
        case OrderStored() if not (is_sequential(page) and page.your_turn):
            return render_label("then-stored-race" if is_race(page) else "then-stored", page.reader.language)
        case StandingOrderStored():
            return _render_with_missing("then-stored-standing", page)
        case RoundPassed():
            return render_label("then-gave-up-race", language)
        case OrderUndecided():
            return render_label("then-waits", language)
        case OrderStoredIllegal():
            return _render_impossible_consequence(page)
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


def _render_table_consequence(page: Page, decided: OrderDecision | None) -> str:
    """Return the consequence of what the match has of the reader, where the mail at hand has stored nothing."""
    language = page.reader.language
    if page.status.is_out:
        return ""
    if has_only_impossible_moves(page):
        return _render_impossible_consequence(page)
    if has_pending_order(page) and is_race(page):
        passed = page.status is SeatStatus.PASSED_ROUND
        return render_label("then-gave-up-race" if passed else "then-stored-race", language)
    if has_pending_order(page):
        return render_label("then-kept" if decided else "then-ahead" if is_sequential(page) else "then-ready", language)
    if page.status is SeatStatus.DEFERRED:
        until = format_page_deadline(page, with_time_left=False)
        return render_label("then-put-off-until" if until else "then-put-off", language, deadline=until)
    if not page.status.is_wanted:
        return ""
    asked = isinstance(decided, OrderPlayed | OrderIllegal | OrderLate | OrderMissing)
    return _render_missing_cost(page) or (render_label("then-missing-open", language) if asked else "")


def _render_impossible_consequence(page: Page) -> str:
    """Return what becomes of an order of which nothing can be played as things stand."""
    if page.stored is not None and not page.stored.may_become_possible:
        return _render_with_missing("then-hopeless", page)
    if not is_sequential(page):
        return _render_with_missing("then-vain", page)
    return _render_with_missing("then-not-now" if page.your_turn else "then-vain-ahead", page)


def _render_with_missing(code: str, page: Page) -> str:
    """Return the sentence, and what the turn costs if nobody takes it."""
    costly = page.receipt is None or is_silence_costly(page)
    missing = _render_missing_cost(page) if page.status.is_wanted and costly else ""
    return " ".join(filter(None, (render_label(code, page.reader.language), missing)))


def is_silence_costly(page: Page) -> bool:
    """Return whether silence costs more than the turn."""
    silence = page.silence
    return silence is not None and (silence.ends_match or silence.effect not in HARMLESS)


HARMLESS = (MissEffect.PASSED, MissEffect.ROUND_LOST)
"""Effects of silence that everybody expects."""


def _render_missing_cost(page: Page) -> str:
    """Return what a turn costs that nobody takes, as the rules would have it now, in the game's own words if it has
    ``mail.then-missing-…`` for it; an empty text without a deadline, and where it is not the last one."""
    language, until = page.reader.language, format_page_deadline(page, with_time_left=False)
    silence, later = page.silence, any(note.code in ("remark-bank", "remark-grace") for note in page.remarks)
    if not until or silence is None or later:
        return ""
    own = (f"mail.then-missing-{silence.effect}", "mail.then-missing")
    code = next((code for code in own if has_sentence(code, language, page.game)), None)
    lines = [
        render_code(code, language, page.game, deadline=until)
        if code
        else render_label("then-missing", language, deadline=until)
    ]
    if silence.ends_match:
        lines.append(render_label("then-ends" if is_sequential(page) else "then-ends-together", language))
    return " ".join(lines)
