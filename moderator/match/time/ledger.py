"""What the log says about each seat's time: extra days left, turns missed, how promptly it answers.

An entry that ends a turn carries in its outcome ``"clock": {"<seat>": {"used": extra days, "took": days}}``; an order
that waits for the ZAT carries its own seat's, and the last one before the evaluation counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from moderator.match.replay import Entry, effective
from moderator.match.time.clock import Terms, bank_after
from moderator.states import EntryKind

DROPPED = "dropped"
"""In the outcome of an order or withdrawal: what the desk has taken off itself, because its round is over."""
STORED = "stored"
"""In the outcome of what was tried: it was stored long ago, nobody has sent it now."""


@dataclass(frozen=True)
class SeatClock:
    """One seat's account, since its player has it."""

    bank: int = 0
    """Extra days left."""
    turns: int = 0
    """Turns that it answered."""
    on_time: int = 0
    """Of those: before the ZAT."""
    days: int = 0
    """Of those: days from the board mail to the answer, in all."""
    missed: int = 0
    in_row: int = 0
    """Turns missed since the last answer that count towards giving the seat up."""

    @property
    def promptness(self) -> int | None:
        """Per cent of its turns that were answered before the ZAT; None before the first."""
        turns = self.turns + self.missed
        return round(100 * self.on_time / turns) if turns else None


@dataclass(frozen=True)
class Ledger:
    seats: tuple[SeatClock, ...]
    out: frozenset[int] = frozenset()
    waiting: tuple[tuple[int, Mapping[str, int]], ...] = ()
    """Seat and clock of the orders that wait for the ZAT."""
    sent: frozenset[int] = frozenset()
    """Seats that have sent something since their last turn. It may all have been impossible, but they are there: the
    turn that they miss is none of those for which a seat is given up."""


def opened(seats: int, terms: Terms) -> Ledger:
    return Ledger((SeatClock(terms.bank),) * seats)


def read(seats: int, terms: Terms, entries: Iterable[Entry]) -> Ledger:
    """The account of a whole log; what was undone does not count."""
    ledger = opened(seats, terms)
    for _, entry in effective(entries):
        ledger = add(ledger, terms, entry)
    return ledger


def add(ledger: Ledger, terms: Terms, entry: Entry) -> Ledger:
    """The account one entry later; not for "undo", which needs the whole log."""
    seat = entry.seat
    if entry.kind == EntryKind.EVALUATE:
        return _evaluated(ledger, terms, entry)
    if entry.kind == EntryKind.MOVE_IN:
        players = entry.outcome["position"]["player"]
        return replace(ledger, out=frozenset(seat for seat, one in enumerate(players) if one.get("out")))
    if seat is None:
        return ledger
    if entry.kind in (EntryKind.ORDER, EntryKind.WITHDRAW):
        others = tuple(pair for pair in ledger.waiting if pair[0] != seat)
        waiting = (*others, (seat, _clock(entry, seat))) if entry.text else others
        sent = ledger.sent | {seat} if entry.text and DROPPED not in entry.outcome else ledger.sent
        return replace(ledger, waiting=waiting, sent=sent)
    if entry.kind == EntryKind.TRIED:
        return ledger if STORED in entry.outcome else replace(ledger, sent=ledger.sent | {seat})
    if entry.kind == EntryKind.MOVE and any(move.get("played") for move in entry.outcome.get("moves", ())):
        clock = _clock(entry, seat) or dict(ledger.waiting).get(seat, {})
        ledger = replace(ledger, waiting=tuple(pair for pair in ledger.waiting if pair[0] != seat))
        return _put(replace(ledger, sent=ledger.sent - {seat}), seat, _answered(ledger.seats[seat], terms, clock))
    if entry.kind == EntryKind.MISS and seat not in ledger.out:
        # Logs from before what was tried is kept have no text here: there every such turn is missed, as it was.
        there = seat in ledger.sent and any(move.get("text") for move in entry.outcome.get("moves", ()))
        clock = dict(ledger.waiting).get(seat, {}) if there else {}
        after = _answered(ledger.seats[seat], terms, clock) if there else _missed(ledger.seats[seat], terms)
        return _put(replace(ledger, sent=ledger.sent - {seat}), seat, after)
    if entry.kind == EntryKind.EXCUSE:
        return _put(ledger, seat, replace(ledger.seats[seat], in_row=0))
    if entry.kind == EntryKind.RETIRE:
        return replace(ledger, out=ledger.out | {seat})
    if entry.kind == EntryKind.HAND_OVER:
        return _put(replace(ledger, out=ledger.out - {seat}, sent=ledger.sent - {seat}), seat, SeatClock(terms.bank))
    return ledger


def _evaluated(ledger: Ledger, terms: Terms, entry: Entry) -> Ledger:
    waiting = dict(ledger.waiting)
    for move in entry.outcome.get("moves", ()):
        seat = move["seat"]
        if seat in ledger.out:
            continue
        account = ledger.seats[seat]
        ledger = _put(
            ledger, seat, _answered(account, terms, waiting.get(seat, {})) if move["text"] else _missed(account, terms)
        )
    return replace(ledger, waiting=(), sent=frozenset())


def _clock(entry: Entry, seat: int) -> Mapping[str, int]:
    found: Mapping[str, int] = entry.outcome.get("clock", {}).get(str(seat), {})
    return found


def _answered(account: SeatClock, terms: Terms, clock: Mapping[str, int]) -> SeatClock:
    used = clock.get("used", 0)
    return replace(
        account,
        bank=bank_after(account.bank, used, terms, punctual=used == 0),
        turns=account.turns + 1,
        on_time=account.on_time + (used == 0),
        days=account.days + clock.get("took", 0),
        in_row=0,
    )


def _missed(account: SeatClock, terms: Terms) -> SeatClock:
    """A missed turn takes all extra days with it; the first ones are excused."""
    missed = account.missed + 1
    return replace(account, bank=0, missed=missed, in_row=account.in_row + (missed > terms.excused))


def _put(ledger: Ledger, seat: int, account: SeatClock) -> Ledger:
    return replace(ledger, seats=tuple(account if n == seat else one for n, one in enumerate(ledger.seats)))
