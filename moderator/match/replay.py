"""A match rebuilt from its log. Words are answered from the record; another outcome is a ReplayMismatch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from moderator.errors import ModeratorError, ReplayMismatch
from moderator.match import seats as seating
from moderator.match import table as driver
from moderator.match.contract import Context, Game, M, P, Step
from moderator.match.result import Result, plain
from moderator.match.table import Table
from moderator.match.words import Recorded
from moderator.states import EntryKind

ASIDE = frozenset(
    {
        EntryKind.EXCUSE,
        EntryKind.CLOCK,
        EntryKind.NOTICE,
        EntryKind.PROTEST,
        EntryKind.RULING,
        EntryKind.MOVE_IN,
        EntryKind.CONFIRM,
    }
)
"""Kinds that leave the table as it is, and that nothing takes back. What MOVE_IN brought lies there from the start."""


@dataclass(frozen=True)
class Entry:
    """One line of the log."""

    kind: EntryKind
    seat: int | None = None
    """None for what concerns no seat."""
    text: str = ""
    outcome: Mapping[str, Any] = field(default_factory=dict)
    """``Result.to_json()``; other keys ("clock", see ledger.py) are left aside; empty = not recorded."""


def step(game: Game[P, M], table: Table[P], entry: Entry, ctx: Context, check: bool = True) -> tuple[Table[P], Result]:
    """Apply one entry of the log. With ``check`` its recorded outcome must come out again.

    Raises ReplayMismatch, also for an entry that does not fit the match at all.
    """
    number = table.entries + 1
    if entry.kind in ASIDE:
        return replace(table, entries=number), Result()
    if entry.outcome:
        ctx = replace(ctx, words=Recorded(entry.outcome.get("verdicts", {})))
    try:
        after, result = _apply(game, table, entry, ctx)
    except ModeratorError as error:
        raise ReplayMismatch(
            number, f"{entry.kind} {entry.seat} {entry.text}", f"{type(error).__name__} {error}"
        ) from error
    if check and entry.outcome:
        _compare(number, entry.outcome, result)
    return replace(after, entries=number), result


def rebuild(
    game: Game[P, M],
    seats: int,
    options: Any,
    ctx: Context,
    fixed: Mapping[str, Any] | None,
    entries: Iterable[Entry],
    check: bool = True,
) -> tuple[Table[P], list[Result], Step[P]]:
    """The match after all ``entries``, what each led to, and the deal. Raises ReplayMismatch."""
    past, results, setup = walk(game, seats, options, ctx, fixed, entries, check)
    return past[-1], results, setup


def walk(
    game: Game[P, M],
    seats: int,
    options: Any,
    ctx: Context,
    fixed: Mapping[str, Any] | None,
    entries: Iterable[Entry],
    check: bool = True,
) -> tuple[list[Table[P]], list[Result], Step[P]]:
    """The match after the deal and after each of ``entries`` (one table more than entries), what each led to, and the
    deal. Raises ReplayMismatch."""
    log = list(entries)
    table, setup = driver.open_table(game, seats, options, ctx, moved_in(log) or fixed)
    past, results, void = [table], list[Result](), dealt_anew(log)
    for number, entry in enumerate(log, 1):
        if number <= void:
            table, result = replace(past[0], entries=number), Result()
        elif entry.kind == EntryKind.UNDO:
            table, result = _back(past, entry)
        else:
            table, result = step(game, table, entry, ctx, check)
        past.append(table)
        results.append(result)
    return past, results, setup


def dealt_anew(log: Sequence[Entry]) -> int:
    """Number of the entry with which all was dealt anew from another seed, the last one; 0 = none. Nothing before it
    can be played again: it never happened, as what an undo takes back."""
    every = (number for number, entry in enumerate(log, 1) if entry.kind == EntryKind.UNDO and "seed" in entry.outcome)
    return max(every, default=0)


def moved_in(log: Sequence[Entry]) -> dict[str, Any] | None:
    """What stands for the deal of a match that was begun elsewhere, for ``open_table``; None for any other."""
    if not log or log[0].kind != EntryKind.MOVE_IN:
        return None
    return {driver.POSITION: log[0].outcome[driver.POSITION]}


def _back(past: Sequence[Table[P]], entry: Entry) -> tuple[Table[P], Result]:
    number = len(past)
    if not (entry.text.isdecimal() and int(entry.text) < number):
        raise ReplayMismatch(number, f"undo after {entry.text}", "there is no such entry")
    then = past[int(entry.text)]
    return replace(then, entries=number, asked=None), Result()


def effective(entries: Iterable[Entry]) -> list[tuple[int, Entry]]:
    """(number, entry) of what was not undone; entries that only tell something are never undone."""
    log = tuple(enumerate(entries, start=1))
    if all(entry.kind != EntryKind.UNDO for _, entry in log):
        return list(log)
    kept: list[tuple[int, Entry]] = []
    past = [kept]
    for number, entry in log:
        if entry.kind == EntryKind.UNDO:
            # An undo may be undone: then what it took back holds again, so each moment's list is kept.
            told = [pair for pair in kept if pair[1].kind in ASIDE]
            kept = sorted(
                {pair[0]: pair for pair in (*past[int(entry.text)], *told)}.values(), key=lambda pair: pair[0]
            )
        else:
            kept = [*kept, (number, entry)]
        past.append(kept)
    return kept


def _apply(game: Game[P, M], table: Table[P], entry: Entry, ctx: Context) -> tuple[Table[P], Result]:
    forced = bool(entry.outcome.get("forced"))
    if entry.kind == EntryKind.EVALUATE:
        return driver.evaluate(game, table, ctx, "reject" if forced else None)
    if entry.kind == EntryKind.STOP:
        return seating.stop(table), Result()
    if entry.kind == EntryKind.REFUSE_UNDO:
        return seating.refuse_undo(table), Result()
    seat = entry.seat
    if seat is None or not 0 <= seat < table.state.seats:
        raise ModeratorError(f"there is no seat {seat}")
    if entry.kind == EntryKind.WITHDRAW:
        return driver.withdraw(table, seat)
    if entry.kind == EntryKind.MISS:
        return driver.miss(game, table, seat, ctx)
    if entry.kind in (EntryKind.RETIRE, EntryKind.HAND_OVER, EntryKind.FLAG, EntryKind.TRIED, EntryKind.ASK_UNDO):
        return _at_seat(table, seat, entry), Result()
    if entry.kind == EntryKind.ORDER and not table.together:
        # A new text goes behind what others have stored: in a race the order of arrival decides.
        rest = {other: text for other, text in table.orders.items() if other != seat}
        return replace(table, orders={**rest, seat: entry.text}), _as_recorded(entry)
    if entry.kind not in (EntryKind.ORDER, EntryKind.MOVE):
        raise ModeratorError(f"unknown kind {entry.kind!r}, known are {', '.join(kind.value for kind in EntryKind)}")
    return driver.submit(game, table, seat, entry.text, ctx, "reject" if forced else None)


def _at_seat(table: Table[P], seat: int, entry: Entry) -> Table[P]:
    if entry.kind == EntryKind.RETIRE:
        return seating.retire(table, seat)
    if entry.kind == EntryKind.HAND_OVER:
        return seating.hand_over(table, seat)
    if entry.kind == EntryKind.TRIED:
        return seating.try_in_vain(table, seat, entry.text)
    if entry.kind == EntryKind.FLAG:
        return seating.flag(table, seat, cast(seating.Flag, entry.text))
    return seating.ask_undo(table, seat, int(entry.text))


def _as_recorded(entry: Entry) -> Result:
    """A held order changes nothing on the board; what it waited for is taken from the log."""
    return Result.from_json(entry.outcome)


def _compare(number: int, recorded: Mapping[str, Any], result: Result) -> None:
    replayed = result.to_json()
    for key, value in replayed.items():
        if key in recorded and recorded[key] != value and plain(recorded[key]) != value:
            raise ReplayMismatch(number, {key: recorded[key]}, {key: value})
