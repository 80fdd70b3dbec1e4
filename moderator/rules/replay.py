"""A match rebuilt from its log. Words are answered from the record; another outcome is a ReplayMismatch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from moderator.common.enums import LogEntryKind
from moderator.common.errors import ModeratorError, ReplayMismatch
from moderator.rules import seats as seating
from moderator.rules import table as driver
from moderator.rules.game import Context, Game, M, P, Step
from moderator.rules.log import ASIDE as ASIDE
from moderator.rules.log import LogEntry as LogEntry
from moderator.rules.log import drop_undone as drop_undone
from moderator.rules.result import EngineResult, to_plain_value
from moderator.rules.table import MatchState
from moderator.rules.words import RecordedWords


def apply_log_entry(
    game: Game[P, M], table: MatchState[P], entry: LogEntry, ctx: Context, check: bool = True
) -> tuple[MatchState[P], EngineResult]:
    """Apply one entry of the log. With ``check`` its recorded outcome must come out again.

    Raises ReplayMismatch, also for an entry that does not fit the match at all.
    """
    number = table.entries + 1
    if entry.kind in ASIDE:
        return replace(table, entries=number), EngineResult()
    if entry.outcome:
        ctx = replace(ctx, words=RecordedWords(entry.outcome.get("verdicts", {})))
    try:
        after, result = _apply_to_table(game, table, entry, ctx)
    except ModeratorError as error:
        raise ReplayMismatch(
            number, f"{entry.kind} {entry.seat} {entry.text}", f"{type(error).__name__} {error}"
        ) from error
    if check and entry.outcome:
        _check_outcome(number, entry.outcome, result)
    return replace(after, entries=number), result


def rebuild_from_log(
    game: Game[P, M],
    seats: int,
    options: Any,
    ctx: Context,
    fixed: Mapping[str, Any] | None,
    entries: Iterable[LogEntry],
    check: bool = True,
) -> tuple[MatchState[P], list[EngineResult], Step[P]]:
    """Return the match after all ``entries``, what each led to, and the deal. Raises ReplayMismatch."""
    past, results, setup = walk_log(game, seats, options, ctx, fixed, entries, check)
    return past[-1], results, setup


def walk_log(
    game: Game[P, M],
    seats: int,
    options: Any,
    ctx: Context,
    fixed: Mapping[str, Any] | None,
    entries: Iterable[LogEntry],
    check: bool = True,
) -> tuple[list[MatchState[P]], list[EngineResult], Step[P]]:
    """Return the match after the deal and after each of ``entries`` (one table more than entries), what each led to,
    and the deal. Raises ReplayMismatch."""
    log = list(entries)
    table, setup = driver.open_match_state(game, seats, options, ctx, find_import_entry(log) or fixed)
    past, results, void = [table], list[EngineResult](), find_last_redeal(log)
    for number, entry in enumerate(log, 1):
        if number <= void:
            table, result = replace(past[0], entries=number), EngineResult()
        elif entry.kind == LogEntryKind.UNDO:
            table, result = _apply_undo(past, entry)
        else:
            table, result = apply_log_entry(game, table, entry, ctx, check)
        past.append(table)
        results.append(result)
    return past, results, setup


def find_last_redeal(log: Sequence[LogEntry]) -> int:
    """Return the number of the entry with which all was dealt anew from another seed, the last one; 0 = none. Nothing
    before it can be played again: it never happened, as what an undo takes back."""
    every = (
        number for number, entry in enumerate(log, 1) if entry.kind == LogEntryKind.UNDO and "seed" in entry.outcome
    )
    return max(every, default=0)


def find_import_entry(log: Sequence[LogEntry]) -> dict[str, Any] | None:
    """Return what stands for the deal of a match that was begun elsewhere, for ``open_match_state``; None for any
    other."""
    if not log or log[0].kind != LogEntryKind.MOVE_IN:
        return None
    return {driver.POSITION: log[0].outcome[driver.POSITION]}


def _apply_undo(past: Sequence[MatchState[P]], entry: LogEntry) -> tuple[MatchState[P], EngineResult]:
    number = len(past)
    if not (entry.text.isdecimal() and int(entry.text) < number):
        raise ReplayMismatch(number, f"undo after {entry.text}", "there is no such entry")
    then = past[int(entry.text)]
    return replace(then, entries=number, asked=None), EngineResult()


def _apply_to_table(
    game: Game[P, M], table: MatchState[P], entry: LogEntry, ctx: Context
) -> tuple[MatchState[P], EngineResult]:
    forced = bool(entry.outcome.get("forced"))
    if entry.kind == LogEntryKind.EVALUATE:
        return driver.evaluate_in_state(game, table, ctx, "reject" if forced else None)
    if entry.kind == LogEntryKind.STOP:
        return seating.stop_in_state(table), EngineResult()
    if entry.kind == LogEntryKind.REFUSE_UNDO:
        return seating.refuse_undo_in_state(table), EngineResult()
    seat = entry.seat
    if seat is None or not 0 <= seat < table.state.seats:
        raise ModeratorError(f"there is no seat {seat}")
    if entry.kind == LogEntryKind.WITHDRAW:
        return driver.withdraw_from_state(table, seat)
    if entry.kind == LogEntryKind.MISS:
        return driver.miss_seat(game, table, seat, ctx)
    if entry.kind in (
        LogEntryKind.RETIRE,
        LogEntryKind.HAND_OVER,
        LogEntryKind.FLAG,
        LogEntryKind.TRIED,
        LogEntryKind.ASK_UNDO,
    ):
        return _apply_to_seat(table, seat, entry), EngineResult()
    if entry.kind == LogEntryKind.ORDER and not table.is_simultaneous:
        # A new text goes behind what others have stored: in a race the order of arrival decides.
        rest = {other: text for other, text in table.orders.items() if other != seat}
        return replace(table, orders={**rest, seat: entry.text}), _build_recorded_result(entry)
    if entry.kind not in (LogEntryKind.ORDER, LogEntryKind.MOVE):
        raise ModeratorError(f"unknown kind {entry.kind!r}, known are {', '.join(kind.value for kind in LogEntryKind)}")
    return driver.try_order(game, table, seat, entry.text, ctx, "reject" if forced else None)


def _apply_to_seat(table: MatchState[P], seat: int, entry: LogEntry) -> MatchState[P]:
    if entry.kind == LogEntryKind.RETIRE:
        return seating.retire_in_state(table, seat)
    if entry.kind == LogEntryKind.HAND_OVER:
        return seating.replace_holder_in_state(table, seat)
    if entry.kind == LogEntryKind.TRIED:
        return seating.record_refused_in_state(table, seat, entry.text)
    if entry.kind == LogEntryKind.FLAG:
        return seating.set_flag_in_state(table, seat, cast(seating.Flag, entry.text))
    return seating.ask_undo_in_state(table, seat, int(entry.text))


def _build_recorded_result(entry: LogEntry) -> EngineResult:
    """Return the result of a held order as the log has it: such an order changes nothing on the board."""
    return EngineResult.from_json(entry.outcome)


def _check_outcome(number: int, recorded: Mapping[str, Any], result: EngineResult) -> None:
    replayed = result.to_json()
    for key, value in replayed.items():
        if key in recorded and recorded[key] != value and to_plain_value(recorded[key]) != value:
            raise ReplayMismatch(number, {key: recorded[key]}, {key: value})
