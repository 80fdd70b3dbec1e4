"""What the log says about each seat's time: extra days left, turns missed, how promptly it answers.

An entry that ends a turn carries in its outcome ``"clock": {"<seat>": {"used": extra days, "took": days}}``; an order
that waits for the ZAT carries its own seat's, and the last one before the evaluation counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from moderator.common.enums import LogEntryKind
from moderator.rules.log import LogEntry, drop_undone
from moderator.rules.time.clock import TimeRules, compute_bank_after

DROPPED = "dropped"
"""Key in the outcome of an order or withdrawal: the text that we dropped ourselves, because its round is over."""
STORED = "stored"
"""In the outcome of what was tried: it was stored long ago, nobody has sent it now."""


@dataclass(frozen=True)
class TimeAccount:
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
        """The share of its turns, in per cent, that were answered before the ZAT; None before the first."""
        turns = self.turns + self.missed
        return round(100 * self.on_time / turns) if turns else None


@dataclass(frozen=True)
class TimeAccounts:
    seats: tuple[TimeAccount, ...]
    out: frozenset[int] = frozenset()
    waiting: tuple[tuple[int, Mapping[str, int]], ...] = ()
    """Seat and clock of the orders that wait for the ZAT."""
    sent: frozenset[int] = frozenset()
    """Seats that have sent something since their last turn. It may all have been impossible, but they are there: the
    turn that they miss is none of those for which a seat is given up."""


def open_accounts(seats: int, terms: TimeRules) -> TimeAccounts:
    return TimeAccounts((TimeAccount(terms.bank),) * seats)


def build_accounts(seats: int, terms: TimeRules, entries: Iterable[LogEntry]) -> TimeAccounts:
    """Return the accounts of a whole log; what was undone does not count."""
    ledger = open_accounts(seats, terms)
    for _, entry in drop_undone(entries):
        ledger = add_entry(ledger, terms, entry)
    return ledger


def add_entry(ledger: TimeAccounts, terms: TimeRules, entry: LogEntry) -> TimeAccounts:
    """Return the accounts one entry later; not for "undo", which needs the whole log."""
    seat = entry.seat
    if entry.kind == LogEntryKind.EVALUATE:
        return _add_evaluation(ledger, terms, entry)
    if entry.kind == LogEntryKind.MOVE_IN:
        players = entry.outcome["position"]["player"]
        return replace(ledger, out=frozenset(seat for seat, one in enumerate(players) if one.get("out")))
    if seat is None:
        return ledger
    if entry.kind in (LogEntryKind.ORDER, LogEntryKind.WITHDRAW):
        others = tuple(pair for pair in ledger.waiting if pair[0] != seat)
        waiting = (*others, (seat, _get_seat_clock(entry, seat))) if entry.text else others
        sent = ledger.sent | {seat} if entry.text and DROPPED not in entry.outcome else ledger.sent
        return replace(ledger, waiting=waiting, sent=sent)
    if entry.kind == LogEntryKind.TRIED:
        return ledger if STORED in entry.outcome else replace(ledger, sent=ledger.sent | {seat})
    if entry.kind == LogEntryKind.MOVE and any(move.get("played") for move in entry.outcome.get("moves", ())):
        clock = _get_seat_clock(entry, seat) or dict(ledger.waiting).get(seat, {})
        ledger = replace(ledger, waiting=tuple(pair for pair in ledger.waiting if pair[0] != seat))
        return _put_account(
            replace(ledger, sent=ledger.sent - {seat}), seat, _count_answer(ledger.seats[seat], terms, clock)
        )
    if entry.kind == LogEntryKind.MISS and seat not in ledger.out:
        # Logs from before what was tried is kept have no text here: there every such turn is missed, as it was.
        there = seat in ledger.sent and any(move.get("text") for move in entry.outcome.get("moves", ()))
        clock = dict(ledger.waiting).get(seat, {}) if there else {}
        after = _count_answer(ledger.seats[seat], terms, clock) if there else _count_miss(ledger.seats[seat], terms)
        return _put_account(replace(ledger, sent=ledger.sent - {seat}), seat, after)
    if entry.kind == LogEntryKind.EXCUSE:
        return _put_account(ledger, seat, replace(ledger.seats[seat], in_row=0))
    if entry.kind == LogEntryKind.RETIRE:
        return replace(ledger, out=ledger.out | {seat})
    if entry.kind == LogEntryKind.HAND_OVER:
        return _put_account(
            replace(ledger, out=ledger.out - {seat}, sent=ledger.sent - {seat}), seat, TimeAccount(terms.bank)
        )
    return ledger


def _add_evaluation(ledger: TimeAccounts, terms: TimeRules, entry: LogEntry) -> TimeAccounts:
    waiting = dict(ledger.waiting)
    for move in entry.outcome.get("moves", ()):
        seat = move["seat"]
        if seat in ledger.out:
            continue
        account = ledger.seats[seat]
        ledger = _put_account(
            ledger,
            seat,
            _count_answer(account, terms, waiting.get(seat, {})) if move["text"] else _count_miss(account, terms),
        )
    return replace(ledger, waiting=(), sent=frozenset())


def _get_seat_clock(entry: LogEntry, seat: int) -> Mapping[str, int]:
    found: Mapping[str, int] = entry.outcome.get("clock", {}).get(str(seat), {})
    return found


def _count_answer(account: TimeAccount, terms: TimeRules, clock: Mapping[str, int]) -> TimeAccount:
    used = clock.get("used", 0)
    return replace(
        account,
        bank=compute_bank_after(account.bank, used, terms, punctual=used == 0),
        turns=account.turns + 1,
        on_time=account.on_time + (used == 0),
        days=account.days + clock.get("took", 0),
        in_row=0,
    )


def _count_miss(account: TimeAccount, terms: TimeRules) -> TimeAccount:
    """Return the account after a missed turn: it takes all extra days with it; the first ones are excused."""
    missed = account.missed + 1
    return replace(account, bank=0, missed=missed, in_row=account.in_row + (missed > terms.excused))


def _put_account(ledger: TimeAccounts, seat: int, account: TimeAccount) -> TimeAccounts:
    return replace(ledger, seats=tuple(account if n == seat else one for n, one in enumerate(ledger.seats)))
