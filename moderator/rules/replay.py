"""A match rebuilt from its log. Words are answered from the record; another outcome is a ReplayMismatch. After each
entry no tile is lost or made, and points are in the scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

from moderator.common.enums import LogEntryKind
from moderator.common.errors import ModeratorError, ReplayMismatch
from moderator.rules import table as driver
from moderator.rules.game import Context, Game, P, State, Step
from moderator.rules.log import ASIDE as ASIDE
from moderator.rules.log import EngineResult, to_plain_value
from moderator.rules.log import LogEntry as LogEntry
from moderator.rules.log import drop_undone as drop_undone
from moderator.rules.state import M
from moderator.rules.table import MatchState
from moderator.rules.words import RecordedWords


def count_match_tiles(game: Game[P, M], state: State[P]) -> Counter[str] | None:
    """Count all tiles of the match by name, wherever they are; None for a game that does not keep them together."""
    lying = game.list_table_tiles(state.public)
    return None if lying is None else Counter([*lying, *state.stock, *(tile for hand in state.hands for tile in hand)])


def iter_broken_invariants(
    game: Game[P, M], past: Sequence[MatchState[P]], results: Sequence[EngineResult]
) -> Iterator[tuple[int, str]]:
    """Yield (number of the entry, 0 = the deal; what is wrong) of a match as ``replay.walk_log`` gives it."""
    yield from _iter_lost_tiles(game, past)
    for number, (before, after) in enumerate(pairwise(past), start=1):
        yield from ((number, what) for what in _iter_wrong_scores(game, before.state, after, results[number - 1]))
    if bool(game.find_winners(past[-1].state)) and not past[-1].state.over:
        yield len(results), "there are winners before the end"


def _iter_lost_tiles(game: Game[P, M], past: Sequence[MatchState[P]]) -> Iterator[tuple[int, str]]:
    seen = past[0].state
    first = count_match_tiles(game, seen)
    if first is None:
        return
    for number, table in enumerate(past):
        if table.state is seen:
            continue
        seen = table.state
        now = count_match_tiles(game, seen)
        if now is not None and now != first:
            lost, made = first - now, now - first
            yield number, f"{lost.total()} tiles are missing and {made.total()} are too many"
            return


def _iter_wrong_scores(game: Game[P, M], before: State[P], after: MatchState[P], result: EngineResult) -> Iterator[str]:
    """Yield the scores that changed by anything but what the result says. Where all are evaluated on one board, and at
    the end of a game of one round, there are no single sums."""
    state = after.state
    if not result.moves or after.pace == "common" or (state.over and not game.seeded_rounds):
        return
    gained = [0] * state.seats
    for move in result.moves:
        gained[move.seat] += move.points
    for note in result.notes:
        if note.seat is not None:
            gained[note.seat] += note.points
    for seat, points in enumerate(gained):
        if state.scores[seat] - before.scores[seat] != points:
            yield f"seat {seat} got {points} points and its score changed by {state.scores[seat] - before.scores[seat]}"


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
        replayed = result.to_json()
        for key, value in replayed.items():
            if key in entry.outcome and entry.outcome[key] != value and to_plain_value(entry.outcome[key]) != value:
                raise ReplayMismatch(number, {key: entry.outcome[key]}, {key: value})
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
        return driver.stop_in_state(table), EngineResult()
    if entry.kind == LogEntryKind.REFUSE_UNDO:
        return driver.refuse_undo_in_state(table), EngineResult()
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
        return replace(table, orders={**rest, seat: entry.text}), EngineResult.from_json(entry.outcome)
    if entry.kind not in (LogEntryKind.ORDER, LogEntryKind.MOVE):
        raise ModeratorError(f"unknown kind {entry.kind!r}, known are {', '.join(kind.value for kind in LogEntryKind)}")
    return driver.try_order(game, table, seat, entry.text, ctx, "reject" if forced else None)


def _apply_to_seat(table: MatchState[P], seat: int, entry: LogEntry) -> MatchState[P]:
    if entry.kind == LogEntryKind.RETIRE:
        return driver.retire_in_state(table, seat)
    if entry.kind == LogEntryKind.HAND_OVER:
        return driver.replace_holder_in_state(table, seat)
    if entry.kind == LogEntryKind.TRIED:
        return driver.record_refused_in_state(table, seat, entry.text)
    if entry.kind == LogEntryKind.FLAG:
        return driver.set_flag_in_state(table, seat, cast(driver.Flag, entry.text))
    return driver.ask_undo_in_state(table, seat, int(entry.text))
